//! Arrival sampling: the culprit is the frame that has just arrived, as in the standard (802.1Qau, QCN-AS).
//! Flows are then told in proportion to their rates.

use super::{Frames, Sampling};
use crate::kernel::rng::Rng;

/// The frame that has just arrived.
#[derive(Clone, Copy, Debug)]
pub struct Arrival;

impl Sampling for Arrival {
    fn culprit(arrived: Option<u32>, _frames: &impl Frames, _rng: &mut Rng) -> Option<u32> {
        arrived
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DRAWS, assert_share, five_and_fifty_five, point, rng};
    use crate::kernel::rng::below;
    use crate::kernel::units::Bytes;

    /// Equation 2: three frames of 200 bytes arrive for each of 1522.
    #[test]
    fn flows_are_told_in_proportion_to_their_rates() {
        let mut point = point("sampling = 'arrival'\ninterval = '5kB'");
        let (mut arrivals, mut samples, mut of_first) = (rng(), 0, 0);
        while samples < DRAWS {
            let is_first = below(&mut arrivals, 4) == 0;
            let frame = Bytes::new(if is_first { 1522 } else { 200 });
            // So little congestion that the interval stays the longest.
            if point.on_arrival(frame, Bytes::new(29_500)).is_some() {
                samples += 1;
                of_first += u32::from(is_first);
            }
        }
        assert_share(f64::from(of_first) / f64::from(DRAWS), 1522.0 / 2122.0);
    }

    #[test]
    fn without_an_arrival_nobody_is_told() {
        let mut point = point("sampling = 'arrival'");
        let frames = five_and_fifty_five([0, 0]);
        assert_eq!((point.culprit(Some(3), &frames), point.culprit(None, &frames)), (Some(3), None));
    }
}
