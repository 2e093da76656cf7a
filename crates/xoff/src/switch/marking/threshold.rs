//! Cut-off marking: every packet that finds more than K bytes is marked (DCTCP, SIGCOMM 2010, section 3.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Level, Marker, Place, Range, Signal, Unfit, When};
use crate::kernel::rng::Rng;
use crate::kernel::units::Bytes;

/// Marks every packet that finds more than `threshold` bytes before it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Bytes above which packets are marked, the packet itself not counted [K].
    pub threshold: Bytes,
    /// Moment at which the length is looked at.
    #[serde(default)]
    pub when: When,
    /// Whether packets that are not ECN-capable pass where they would be dropped instead of marked.
    #[serde(default)]
    pub marks_only: bool,
}

/// The threshold of all places.
#[derive(Clone, Debug)]
pub struct Threshold {
    threshold: Bytes,
    marks_only: bool,
}

impl Marker for Threshold {
    type Parameters = Parameters;

    fn when(parameters: &Parameters) -> When {
        parameters.when
    }

    fn new(parameters: &Parameters, _places: &[Place]) -> Result<Self, Unfit> {
        Ok(Self { threshold: parameters.threshold, marks_only: parameters.marks_only })
    }

    fn signal(&mut self, _place: usize, level: &Level, _rng: &mut Rng) -> Signal {
        Signal::of(level.others > self.threshold, self.marks_only)
    }

    fn range(&self, _place: usize) -> Option<Range> {
        Some(Range { none_up_to: self.threshold, all_above: self.threshold })
    }

    fn is_threshold(&self) -> bool {
        true
    }

    fn drops_incapable(&self) -> bool {
        !self.marks_only
    }

    fn silent_up_to(&self) -> Option<Bytes> {
        Some(self.threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::{Purpose, stream};
    use crate::kernel::units::Time;

    #[test]
    fn it_marks_strictly_above_the_threshold() {
        let mut marker = Threshold { threshold: Bytes::new(100), marks_only: false };
        let mut rng = stream(1, Purpose::Marking, 0);
        let mut signal = |others| {
            let level = Level { now: Time::ZERO, others: Bytes::new(others), frame: Bytes::new(1500) };
            marker.signal(0, &level, &mut rng)
        };
        assert_eq!([100, 101].map(&mut signal), [Signal::None, Signal::Mark]);
    }
}
