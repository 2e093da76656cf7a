//! The bytes of all flows of a persistent queue pair are one sequence to its congestion control, and one flow
//! after another has that queue pair.

use super::control::{Acknowledged, settle};
use crate::congestion_control::Algorithm;
use crate::kernel::units::{Bytes, Time};
use crate::telemetry::Reading;

/// Where a flow's bytes are in the sequence of its queue pair. On a queue pair of its own the two are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedSequence {
    /// Bytes that its queue pair has carried before.
    before: u64,
    /// Of these, those that are not acknowledged.
    before_in_flight: u64,
    /// Bytes of all flows that have had its queue pair, this one included; 0 before this one has handed it
    /// over or taken it over.
    carried: u64,
    /// Of these, as many as had been sent when it took over.
    sent_before: u64,
}

/// How far the sequence of a queue pair has come between one flow and the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// Bytes of all flows that have had the queue pair.
    carried: u64,
    /// Of these, as many as have been sent, if the last flow has not sent all.
    sent: u64,
    /// Those of the last flow and of flows before that are not acknowledged.
    in_flight: u64,
}

impl SharedSequence {
    /// Bytes of all flows that have had the queue pair, with one of `size` bytes that has it.
    pub(super) fn carried(&self, size: u64) -> u64 {
        if self.carried == 0 { size } else { self.carried }
    }

    /// A flow of `size` bytes has the queue pair no longer. So many of its bytes are in flight, and `next` is
    /// its next to send.
    pub(super) fn hand_over(&mut self, size: u64, next: u64, in_flight: u64) -> Progress {
        self.carried = self.carried(size);
        let in_flight = in_flight + std::mem::take(&mut self.before_in_flight);
        Progress { carried: self.carried, sent: self.sent(next), in_flight }
    }

    /// A flow of `size` bytes has the queue pair from now on. So many bytes of flows before it are in flight.
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

    /// Where a byte of the flow is.
    #[inline]
    pub(super) fn position(&self, byte: u64) -> u64 {
        self.before + byte
    }

    /// The next byte to send for the first time, when the flow's own next one is this.
    #[inline]
    pub(super) fn sent(&self, next: u64) -> u64 {
        self.sent_before.max(self.position(next))
    }

    /// Bytes in flight of flows before.
    #[inline]
    pub(super) fn before_in_flight(&self) -> u64 {
        self.before_in_flight
    }

    /// Bytes of a flow before are acknowledged.
    pub(super) fn on_acknowledgement_before(&mut self, newly_acked: u64) {
        self.before_in_flight -= newly_acked;
    }
}

/// What a persistent queue pair has between one flow and the next.
#[derive(Clone, Debug)]
pub struct Handover {
    pub(super) congestion_control: Option<Algorithm>,
    pub(super) progress: Progress,
    /// When the last packet began, and its bytes on the wire.
    pub(super) began: Time,
    pub(super) wire: Bytes,
}

impl Handover {
    /// Bytes that are not acknowledged, of all flows that have had the queue pair.
    pub fn in_flight(&self) -> u64 {
        self.progress.in_flight
    }

    /// A congestion notification packet has arrived for a flow before.
    pub fn on_cnp(&mut self, now: Time) {
        if let Some(control) = &mut self.congestion_control {
            settle(control, now);
            control.on_cnp(now);
        }
    }

    /// The receiver has given so many bytes of credit in all.
    pub fn on_credit(&mut self, now: Time, total: Bytes) {
        if let Some(control) = &mut self.congestion_control {
            control.on_credit(now, total);
        }
    }

    /// A flow begins after all that came before are done.
    pub fn on_rested(&mut self) {
        if self.progress.in_flight == 0
            && let Some(control) = &mut self.congestion_control
        {
            control.on_quiet(true);
        }
    }

    /// Bytes of another flow are acknowledged that were not, of one before that which has left it or not.
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
