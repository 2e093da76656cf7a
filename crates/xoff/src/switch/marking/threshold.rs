//! Cut-off marking: every packet that finds more than K bytes is marked (DCTCP, SIGCOMM 2010, section 3.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Level, Marker, Signal, When};
use crate::kernel::rng::Rng;
use crate::kernel::units::Bytes;

/// Marks every packet that finds more than `threshold` bytes before it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// Bytes above which packets are marked, the packet itself not counted [K].
    pub threshold: Bytes,
    /// When the length is looked at.
    #[serde(default)]
    pub when: When,
}

impl Marker for Threshold {
    fn when(&self) -> When {
        self.when
    }
    #[inline]
    fn signal(&mut self, level: &Level, _rng: &mut Rng) -> Signal {
        if level.others > self.threshold { Signal::Mark } else { Signal::None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::{Purpose, stream};

    #[test]
    fn it_marks_strictly_above_the_threshold() {
        let mut marker = Threshold { threshold: Bytes::new(100), when: When::Enqueue };
        let mut rng = stream(1, Purpose::Marking, 0);
        assert_eq!(marker.signal(&Level { others: Bytes::new(100) }, &mut rng), Signal::None);
        assert_eq!(marker.signal(&Level { others: Bytes::new(101) }, &mut rng), Signal::Mark);
    }
}
