//! Adaptive headroom (IEEE P802.1Qdt): static and independent headroom whose size each port measures.
//! A port measures the delay of its link when it comes up, and learns from its neighbour how long that takes to react.
//! Left out: the exchange itself (PTP and DCBX) and its time. Left out: another measurement when a link gets another
//! rate in a run (`[[link_event]]`), of which `xoff check` tells.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::per_queue::PerQueue;
use super::{HeadroomScheme, Held, Link, Refusal};
use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Span};

/// Settings of adaptive headroom.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Resolution of the adapters' clocks: a measured delay is rounded up to a multiple of it.
    #[schemars(extend("x-above" = "0s"))]
    pub resolution: Span,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { resolution: Span::from_nanoseconds(8) }
    }
}

/// Headroom of each port's classes.
#[derive(Clone, Debug)]
pub struct Adaptive(PerQueue);

impl Adaptive {
    /// Headroom for the ports of `links`.
    ///
    /// # Errors
    ///
    /// None.
    pub fn new(parameters: &Parameters, links: &[Link], classes: u64) -> Result<Self, Refusal> {
        let size = |link: &Link| {
            let resolution = parameters.resolution.get();
            let measured = Span::new(link.delay.get().div_ceil(resolution) * resolution);
            let added = link.rate.bytes_in((measured - link.delay) * 2);
            link.worst_case + added
        };
        Ok(Self(PerQueue { sizes: links.iter().map(size).collect(), classes }))
    }
}

impl HeadroomScheme for Adaptive {
    type Parameters = Parameters;

    fn with_size_at(_parameters: Parameters, _ports: Vec<u32>, _size: Bytes) -> Option<Parameters> {
        None
    }

    fn set_aside(&self) -> Bytes {
        self.0.all()
    }

    fn kept(&self, port: usize) -> Bytes {
        self.0.sizes[port]
    }

    fn room(&self, port: usize, held: &Held) -> Room {
        self.0.room(port, held.queue)
    }
}
