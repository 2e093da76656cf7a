//! Two samples: of the frames in two occupied units, the culprit is the one whose way is more congested, and the second
//! where both are equally congested (QCN-OS, algorithm 1).

use super::{Frames, Sampling, occupied_unit};
use crate::kernel::rng::Rng;

/// The frame with the more congested way of two.
#[derive(Clone, Copy, Debug)]
pub struct TwoSamples;

impl Sampling for TwoSamples {
    fn culprit(_arrived: Option<u32>, frames: &impl Frames, rng: &mut Rng) -> Option<u32> {
        let (first, second) = (occupied_unit(frames, rng)?, occupied_unit(frames, rng)?);
        let congestion = [first, second].map(|position| frames.path_congestion(position));
        Some(if congestion[0] <= congestion[1] { second } else { first })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{TwoFlows, assert_share, five_and_fifty_five, point, share_of_first};

    /// Algorithm 1 of QCN-OS, by hand: the less congested flow is told only if both samples are its own, the more
    /// congested unless neither is.
    #[test]
    fn a_flow_is_told_more_often_the_more_congested_its_way_is() {
        let mut point = point("sampling = 'two_samples'");
        for (congestion, expected) in [([1, 2], 0.006_944), ([2, 1], 0.159_722), ([2, 2], 0.083_333)] {
            assert_share(share_of_first(&mut point, &five_and_fifty_five(congestion)), expected);
        }
    }

    /// By hand: the victim of an internal bottleneck is still told.
    #[test]
    fn of_two_equal_flows_the_less_congested_is_told_once_in_four_times() {
        let frames = TwoFlows { frames: vec![(0, 24), (1, 24)], path_congestion: [0, 1] };
        assert_share(share_of_first(&mut point("sampling = 'two_samples'"), &frames), 0.25);
    }
}
