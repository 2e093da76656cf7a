//! Segmentation offload (TSO): new data leaves the stack in trains, which the adapter cuts into segments.
//!
//! A train begins as Linux lets it (`tcp_tso_should_defer`): when the window has room for a full train, for all that is
//! left of the flow, or for a third of the window. Until then the flow waits for acknowledgements.
//!
//! Left out: the shorter train that goes at once if the next acknowledgement is more than half a round trip away.

/// Part of the window for which a train need not wait any longer (`tcp_tso_win_divisor`).
const WINDOW_DIVISOR: u64 = 3;

/// Progress of a flow in trains.
#[derive(Clone, Debug)]
pub(super) struct Segmentation {
    /// Bytes of the longest train.
    longest: u64,
    segment: u64,
    /// First byte after the last train that began.
    end: u64,
}

impl Segmentation {
    /// A flow in segments of `segment` bytes that has sent nothing.
    pub(super) fn new(longest: u64, segment: u64) -> Self {
        Self { longest, segment, end: 0 }
    }

    /// Whether the segment at `next` may go: in the train under way, or at the head of a new one. `room` is what is
    /// left of `window`, at least a segment, and `rest` what is left of the flow.
    pub(super) fn may_go(&mut self, next: u64, room: u64, window: u64, rest: u64) -> bool {
        if next < self.end {
            return true;
        }
        let most = self.longest.min(rest);
        if room < most.min(window / WINDOW_DIVISOR) {
            return false;
        }
        let train = most.min(room);
        self.end = next + if train == rest { rest } else { train - train % self.segment };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that leave at once, from `next` on.
    fn train(segmentation: &mut Segmentation, next: u64, mut room: u64, window: u64, rest: u64) -> u64 {
        let mut sent = 0;
        while sent < rest {
            let length = (rest - sent).min(1000);
            if room < length || !segmentation.may_go(next + sent, room, window, rest - sent) {
                break;
            }
            sent += length;
            room -= length;
        }
        sent
    }

    #[test]
    fn a_train_waits_for_room() {
        let first = |room, window, rest| train(&mut Segmentation::new(64_000, 1000), 0, room, window, rest);
        assert_eq!(first(63_999, 1_000_000, 1_000_000), 0, "less than a full train");
        assert_eq!(first(64_000, 1_000_000, 1_000_000), 64_000, "a full train");
        assert_eq!(first(29_999, 90_000, 1_000_000), 0, "less than a third of the window");
        assert_eq!(first(30_500, 90_000, 1_000_000), 30_000, "a third of the window");
        assert_eq!(first(30_500, 1_000_000, 2_500), 2_500, "the rest of the flow");
    }

    #[test]
    fn trains_follow_each_other_while_there_is_room() {
        let mut segmentation = Segmentation::new(64_000, 1000);
        assert_eq!(train(&mut segmentation, 0, 130_000, 1_000_000, 1_000_000), 128_000);
        assert_eq!(train(&mut segmentation, 128_000, 64_000, 1_000_000, 1_000_000), 64_000);
    }
}
