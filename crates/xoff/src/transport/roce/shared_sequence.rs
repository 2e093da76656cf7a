//! One sequence of bytes for all flows of a persistent queue pair, which its congestion control hears of.

use super::control::{Acknowledged, settle};
use crate::congestion_control::Algorithm;
use crate::kernel::units::{Bytes, Time};
use crate::telemetry::Reading;

/// Position of a flow's bytes in the sequence of its queue pair. On a queue pair of its own the two are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedSequence {
    /// Bytes that earlier flows have sent on the queue pair.
    before: u64,
    /// Bytes of earlier flows that are not acknowledged.
    before_in_flight: u64,
    /// Bytes of all flows that have had the queue pair, this flow included; 0 before this flow has handed the queue
    /// pair over or taken it over.
    carried: u64,
    /// Bytes of the sequence that had been sent when this flow took over.
    sent_before: u64,
}

/// Progress of a queue pair's sequence between one flow and the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// Bytes of all flows that have had the queue pair.
    carried: u64,
    /// Bytes of the sequence that were sent, if the last flow has not sent all.
    sent: u64,
    /// Bytes of the last flow and of flows before that are not acknowledged.
    in_flight: u64,
}

impl SharedSequence {
    /// Bytes of all flows that have had the queue pair, with one of `size` bytes that has it.
    pub(super) fn carried(&self, size: u64) -> u64 {
        if self.carried == 0 { size } else { self.carried }
    }

    /// Hands the queue pair over from a flow of `size` bytes with next byte `next` and `in_flight` bytes in flight.
    pub(super) fn hand_over(&mut self, size: u64, next: u64, in_flight: u64) -> Progress {
        self.carried = self.carried(size);
        let in_flight = in_flight + std::mem::take(&mut self.before_in_flight);
        Progress { carried: self.carried, sent: self.sent(next), in_flight }
    }

    /// Gives the queue pair to a flow of `size` bytes. So many bytes of flows before it are in flight.
    pub(super) fn take_over(&mut self, progress: Progress, size: u64, before_in_flight: u64) {
        let Progress { carried, sent, .. } = progress;
        if self.carried == 0 {
            (self.before, self.carried) = (carried, carried.saturating_add(size));
        } else {
            self.carried = carried;
        }
        self.sent_before = sent;
        self.before_in_flight = before_in_flight;
    }

    /// Position of a byte of the flow.
    #[inline]
    pub(super) fn position(&self, byte: u64) -> u64 {
        self.before + byte
    }

    /// Next byte of the sequence to send for the first time, when the flow's own next byte is this.
    #[inline]
    pub(super) fn sent(&self, next: u64) -> u64 {
        self.sent_before.max(self.position(next))
    }

    /// Bytes in flight of earlier flows.
    #[inline]
    pub(super) fn before_in_flight(&self) -> u64 {
        self.before_in_flight
    }

    /// Takes in that bytes of an earlier flow are acknowledged.
    pub(super) fn on_acknowledgement_before(&mut self, newly_acked: u64) {
        self.before_in_flight -= newly_acked;
    }
}

/// State of a persistent queue pair between one flow and the next.
#[derive(Clone, Debug)]
pub struct Handover {
    pub(super) congestion_control: Option<Algorithm>,
    pub(super) progress: Progress,
    /// Time at which the last packet began, and its bytes on the wire.
    pub(super) began: Time,
    pub(super) wire: Bytes,
}

impl Handover {
    /// Bytes that are not acknowledged, of all flows that have had the queue pair.
    pub fn in_flight(&self) -> u64 {
        self.progress.in_flight
    }

    /// Takes a congestion notification packet for an earlier flow.
    pub fn on_cnp(&mut self, now: Time) {
        if let Some(control) = &mut self.congestion_control {
            settle(control, now);
            control.on_cnp(now);
        }
    }

    /// Takes credit: `total` bytes in all.
    pub fn on_credit(&mut self, now: Time, total: Bytes) {
        if let Some(control) = &mut self.congestion_control {
            control.on_credit(now, total);
        }
    }

    /// Tells the congestion control that a flow begins after a rest, if everything before is acknowledged.
    pub fn on_rested(&mut self) {
        if self.progress.in_flight == 0
            && let Some(control) = &mut self.congestion_control
        {
            control.on_quiet(true);
        }
    }

    /// Takes in that bytes of another flow are acknowledged, one before the last that had the queue pair or not.
    pub fn on_acknowledgement_of_another(
        &mut self,
        now: Time,
        acknowledged: Acknowledged,
        is_before: bool,
        telemetry: Option<Reading<'_>>,
    ) {
        if is_before {
            self.progress.in_flight -= acknowledged.newly_acked;
        }
        if let Some(control) = &mut self.congestion_control {
            acknowledged.tell(control, now, self.progress.carried, self.progress.in_flight, telemetry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flows of 5000 and 3000 bytes, of which the first takes over once more after 1000 bytes of the second.
    #[test]
    fn a_flow_keeps_its_place_when_it_takes_over_once_more() {
        let (mut first, mut second) = (SharedSequence::default(), SharedSequence::default());
        let progress = first.hand_over(5000, 5000, 2000);
        assert_eq!((progress.carried, progress.sent, progress.in_flight), (5000, 5000, 2000));
        second.take_over(progress, 3000, progress.in_flight);
        assert_eq!((second.position(0), second.sent(0)), (5000, 5000));
        let progress = second.hand_over(3000, 1000, 1000);
        assert_eq!((progress.carried, progress.sent, progress.in_flight), (8000, 6000, 3000));
        first.take_over(progress, 5000, 0);
        assert_eq!((first.position(3000), first.sent(3000)), (3000, 6000), "sent again");
        let progress = first.hand_over(5000, 5000, 2000);
        assert_eq!((progress.carried, progress.sent), (8000, 6000));
        second.take_over(progress, 3000, 2000);
        assert_eq!((second.position(1000), second.sent(1000), second.before_in_flight()), (6000, 6000, 2000));
        second.on_acknowledgement_before(2000);
        assert_eq!(second.hand_over(3000, 1000, 1000).in_flight, 1000);
    }
}
