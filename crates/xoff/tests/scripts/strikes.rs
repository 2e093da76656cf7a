//! Marker that strikes packets by their place in the order of arrival. A packet that is ECN-capable is marked by that,
//! and any other is lost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xoff::schemes::{Level, Marker, Place, Rng, Schemes, Signal, Unfit, When, marker};

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Places in the order of arrival of the packets to strike, for each port of the switch.
    at: Vec<Vec<u64>>,
}

#[derive(Clone, Debug)]
struct Strikes {
    at: Vec<Vec<u64>>,
    arrived: Vec<u64>,
}

impl Marker for Strikes {
    type Parameters = Parameters;

    fn when(_parameters: &Parameters) -> When {
        When::Enqueue
    }

    fn new(parameters: &Parameters, places: &[Place]) -> Result<Self, Unfit> {
        Ok(Self { at: parameters.at.clone(), arrived: vec![0; places.len()] })
    }

    fn signal(&mut self, place: usize, _level: &Level, _rng: &mut Rng) -> Signal {
        let number = self.arrived[place];
        self.arrived[place] += 1;
        Signal::of(self.at.get(place).is_some_and(|at| at.contains(&number)), false)
    }
}

/// The marker as a scheme `strikes`.
pub(crate) fn schemes() -> Schemes {
    let mut schemes = Schemes::default();
    schemes.add("strikes", marker::<Strikes>("strikes"));
    schemes
}
