//! Occupancy sampling: the culprit is the frame in an occupied unit of the buffer, each as likely (QCN-OS, equation 4).
//! Flows are then told in proportion to the bytes that they have in the buffer.

use super::{Frames, Sampling, occupied_unit};
use crate::kernel::rng::Rng;

/// The frame in any occupied unit.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy;

impl Sampling for Occupancy {
    fn culprit(_arrived: Option<u32>, frames: &impl Frames, rng: &mut Rng) -> Option<u32> {
        occupied_unit(frames, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_share, five_and_fifty_five, point, share_of_first};

    /// Equation 4: the share of the buffer, whatever the sizes of frames and the congestion of their ways.
    #[test]
    fn flows_are_told_in_proportion_to_what_they_have_in_the_buffer() {
        let found = share_of_first(&mut point("sampling = 'occupancy'"), &five_and_fifty_five([9, 1]));
        assert_share(found, 5.0 / 60.0);
    }
}
