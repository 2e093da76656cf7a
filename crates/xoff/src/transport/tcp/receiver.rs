//! Receiver of TCP: bytes that have arrived, times of acknowledgements and echoes of marks.
//!
//! In-order data is acknowledged for every so many segments, or when the timer of a delayed acknowledgement expires
//! (RFC 5681, section 4.2). Data out of order, and data that fills a gap, is acknowledged at once, with a block of what
//! lies beyond the gap (RFC 2018). Marks are echoed as the sender's congestion control needs it: exactly, run by run
//! (RFC 8257, section 3.2), or latched until the sender has reduced its window (RFC 3168, section 6.1.3).

use crate::congestion_control::{Echo, EchoReading};
use crate::packet::{ECHO, LAST, MARKED, Packet, REPEATED, WINDOW_REDUCED};
use crate::scenario::Tcp;
use crate::transport::reassembly::Reassembly;

/// One acknowledgement to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// First byte not yet received.
    pub next: u64,
    /// [`ECHO`] if it echoes a mark, [`REPEATED`] if it answers data that was there before.
    pub flags: u8,
    /// The stamp to give back.
    pub stamp: u64,
    /// A block of bytes received beyond `next`: start and end.
    pub block: Option<(u64, u64)>,
}

/// Consequences of one data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// An acknowledgement to send first, for what was pending.
    pub before: Option<Acknowledgement>,
    /// An acknowledgement to send now; without it one is left pending for the timer.
    pub now: Option<Acknowledgement>,
    /// Whether this was the last byte missing.
    pub complete: bool,
    /// Bytes of the packet that were there before.
    pub had: u64,
}

/// Whether the packet opens the connection and carries no data.
fn is_syn(packet: &Packet) -> bool {
    packet.length() == 0
}

/// Receiving state of one flow.
#[derive(Clone, Debug)]
pub struct TcpReceiver {
    /// Bytes that may be left pending.
    withheld: u64,
    /// Bytes at the start that are acknowledged packet by packet.
    quick_until: u64,
    echo: Echo,
    /// Flags of packets that are answered at once: where marks are echoed quickly, of those whose sender has reduced its
    /// window, which may be very small.
    urgent: u8,
    arrived: Reassembly,
    /// One past the flow's last byte, once the last packet has been seen.
    end: u64,
    /// In-order bytes not yet acknowledged, and the stamp of the first packet.
    pending: u64,
    pending_stamp: u64,
    /// Whether acknowledgements echo a mark.
    marked: bool,
}

impl TcpReceiver {
    /// Bytes received before the first that is missing.
    pub fn received(&self) -> u64 {
        self.arrived.next
    }

    /// A receiver of a flow that has not begun.
    pub fn new(settings: &Tcp) -> Self {
        let segment = settings.payload.get();
        Self {
            withheld: u64::from(settings.acknowledge_every - 1) * segment,
            quick_until: u64::from(settings.quick_acknowledgements) * segment,
            echo: settings.congestion_control.needs().echo(),
            urgent: if settings.quick_echo { WINDOW_REDUCED } else { 0 },
            arrived: Reassembly::default(),
            end: u64::MAX,
            pending: 0,
            pending_stamp: 0,
            marked: false,
        }
    }

    /// Takes the usual packet: data in order, not the last of the flow, marked as the one before, and acknowledged at once.
    /// Takes nothing of any other packet, and returns `None`.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn on_next(&mut self, packet: &Packet) -> Option<Acknowledgement> {
        let start = packet.sequence();
        let end = start + packet.length();
        let is_next = start == self.arrived.next && self.arrived.is_in_order();
        let is_last = packet.is(LAST) || end == self.end;
        let turns = self.marked != packet.is(MARKED);
        if !is_next || is_last || turns || self.pending + packet.length() <= self.withheld {
            return None;
        }
        let stamp = if self.pending == 0 { packet.stamp() } else { self.pending_stamp };
        (self.arrived.next, self.pending) = (end, 0);
        let flags = if self.marked && self.echo != Echo::None { ECHO } else { 0 };
        Some(Acknowledgement { next: end, flags, stamp, block: None })
    }

    /// Takes a data packet, or a SYN, which has no byte and is answered at once. A mark on a SYN says nothing.
    // Called at one place; as a call half of it is writing and reading what it returns.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn on_data(&mut self, packet: &Packet) -> Received {
        let turned = self.marked != packet.is(MARKED);
        let before = if turned { self.on_turn(packet) } else { None };
        let start = packet.sequence();
        let end = start + packet.length();
        if packet.is(LAST) {
            self.end = end;
        }
        if self.pending == 0 {
            self.pending_stamp = packet.stamp();
        }
        let in_order = start == self.arrived.next && self.arrived.is_in_order();
        let (block, had) = if in_order {
            self.arrived.next = end;
            (None, 0)
        } else {
            self.arrived.insert(start, end)
        };
        self.pending += packet.length();
        let complete = self.arrived.next == self.end;
        let answers_turn = turned && self.answer_turn(packet);
        let at_once = !in_order
            || complete
            || self.pending > self.withheld
            || start < self.quick_until
            || packet.is(self.urgent)
            || answers_turn
            || is_syn(packet);
        let repeats = if had > 0 { REPEATED } else { 0 };
        let now = at_once.then(|| self.acknowledge(block, repeats));
        Received { before, now, complete, had }
    }

    /// Acknowledges what is pending, since its timer has expired.
    pub fn on_timer(&mut self) -> Option<Acknowledgement> {
        (self.pending > 0).then(|| self.acknowledge(None, 0))
    }

    /// Answers what is pending with the old state if marked packets begin or end here: the two-state machine of DCTCP's
    /// receiver (SIGCOMM 2010, figure 10).
    #[inline(never)]
    fn on_turn(&mut self, packet: &Packet) -> Option<Acknowledgement> {
        let old_state = self.echo == Echo::Exact(EchoReading::OldState) && !is_syn(packet);
        (old_state && self.pending > 0).then(|| self.acknowledge(None, 0))
    }

    /// Takes in that marked packets begin or end here. Returns whether this packet is acknowledged at once.
    #[inline(never)]
    fn answer_turn(&mut self, packet: &Packet) -> bool {
        if is_syn(packet) {
            return false;
        }
        let latched = self.echo == Echo::Latched && !packet.is(WINDOW_REDUCED);
        let before = std::mem::replace(&mut self.marked, packet.is(MARKED) || latched);
        match self.echo {
            Echo::Exact(EchoReading::NewState) => true,
            Echo::Exact(EchoReading::OldState) => self.urgent > 0,
            Echo::Latched if self.urgent > 0 && self.marked && !before => {
                // This packet and the next (Linux).
                self.quick_until = packet.sequence() + 2 * packet.length();
                true
            }
            Echo::Latched | Echo::None => false,
        }
    }

    #[inline]
    fn acknowledge(&mut self, block: Option<(u64, u64)>, repeats: u8) -> Acknowledgement {
        self.pending = 0;
        Acknowledgement {
            next: self.arrived.next,
            flags: repeats | if self.marked && self.echo != Echo::None { ECHO } else { 0 },
            stamp: self.pending_stamp,
            block: block.or_else(|| self.arrived.first_block()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;
    use crate::packet::{ECN_CAPABLE, Header};
    use crate::reading::from_text;

    fn receiver_of(every: u32, echo: Echo) -> TcpReceiver {
        let text = "payload = '1000B'
            congestion_control = { algorithm = 'reno' }";
        let settings = Tcp { acknowledge_every: every, ..from_text(text) };
        TcpReceiver { echo, ..TcpReceiver::new(&settings) }
    }

    fn data(number: u64, marked: bool) -> Packet {
        data_with(number, ECN_CAPABLE | if marked { MARKED } else { 0 })
    }

    fn data_with(number: u64, flags: u8) -> Packet {
        Header { sequence: number * 1000, length: 1000, flags, stamp: number, ..Header::default() }.into()
    }

    fn acknowledged(receiver: &mut TcpReceiver, packets: &[(u64, bool)]) -> Vec<(usize, u64, bool)> {
        let mut answers = Vec::new();
        for (index, &(number, marked)) in packets.iter().enumerate() {
            let received = receiver.on_data(&data(number, marked));
            for answer in received.before.iter().chain(&received.now) {
                answers.push((index + 1, answer.next / 1000, answer.flags & ECHO > 0));
            }
        }
        answers
    }

    fn of_usual_packet(now: Acknowledgement) -> Received {
        Received { before: None, now: Some(now), complete: false, had: 0 }
    }

    proptest! {
        #![proptest_config(cases(256))]

        /// Packets of a flow of eight segments come in disorder, twice, marked or with a reduced window.
        #[test]
        fn the_usual_packet_is_answered_as_any_other(
            steps in vec((-1..=1_i64, prop::sample::select(vec![0, MARKED, WINDOW_REDUCED])), 1..40),
            every in 1..=3_u32,
            echo in prop::sample::select(vec![
                Echo::None,
                Echo::Latched,
                Echo::Exact(EchoReading::OldState),
                Echo::Exact(EchoReading::NewState),
            ]),
        ) {
            let [mut short, mut long] = [(); 2].map(|()| receiver_of(every, echo));
            for (step, flags) in steps {
                // The next packet, the one before it, or one that leaves a gap.
                let number = (long.received() / 1000).saturating_add_signed(step.min(0) + 2 * step.max(0)).min(7);
                let packet = data_with(number, ECN_CAPABLE | flags | if number == 7 { LAST } else { 0 });
                let answer = short.on_next(&packet).map(of_usual_packet);
                let answer = answer.unwrap_or_else(|| short.on_data(&packet));
                prop_assert_eq!(answer, long.on_data(&packet));
            }
        }
    }

    /// RFC 3168, section 6.1.3.
    #[test]
    fn a_latched_echo_lasts_until_the_window_is_reduced() {
        let flags = [0, MARKED, 0, 0, WINDOW_REDUCED, 0, WINDOW_REDUCED | MARKED, 0];
        let packets = || (0..).zip(flags).map(|(number, flags)| data_with(number, ECN_CAPABLE | flags));
        let echoes = |every| {
            let mut receiver = receiver_of(every, Echo::Latched);
            let answers = packets().filter_map(|packet| receiver.on_data(&packet).now);
            answers.map(|answer| (answer.next / 1000, answer.flags & ECHO > 0)).collect::<Vec<_>>()
        };
        let of_each =
            [(1, false), (2, true), (3, true), (4, true), (5, false), (6, false), (7, true), (8, true)];
        assert_eq!(echoes(1), of_each);
        assert_eq!(echoes(2), [(2, true), (4, true), (6, false), (8, true)]);
    }

    fn marks(marks: [bool; 5]) -> Vec<(u64, bool)> {
        (0..).zip(marks).collect()
    }

    /// DCTCP (SIGCOMM 2010), figure 10, followed by hand.
    #[test]
    fn the_old_state_is_echoed_for_what_was_pending() {
        let mut receiver = receiver_of(2, Echo::Exact(EchoReading::OldState));
        let answers = acknowledged(&mut receiver, &marks([false, false, true, true, false]));
        assert_eq!(answers, [(2, 2, false), (4, 4, true)]);
        assert_eq!(receiver.pending, 1000);

        let mut receiver = receiver_of(2, Echo::Exact(EchoReading::OldState));
        assert_eq!(acknowledged(&mut receiver, &[(0, false), (1, true)]), [(2, 1, false)]);
        assert_eq!(receiver.on_timer().map(|answer| (answer.next, answer.flags)), Some((2000, ECHO)));
    }

    /// RFC 8257, section 3.2, followed by hand.
    #[test]
    fn the_new_state_is_echoed_for_all_that_has_arrived() {
        let mut receiver = receiver_of(2, Echo::Exact(EchoReading::NewState));
        assert_eq!(acknowledged(&mut receiver, &[(0, false), (1, true)]), [(2, 2, true)]);
    }

    #[test]
    fn both_readings_agree_when_every_packet_is_acknowledged() {
        for reading in [EchoReading::OldState, EchoReading::NewState] {
            let mut receiver = receiver_of(1, Echo::Exact(reading));
            let answers = acknowledged(&mut receiver, &marks([false, true, true, false, true]));
            assert_eq!(answers, [(1, 1, false), (2, 2, true), (3, 3, true), (4, 4, false), (5, 5, true)]);
        }
    }

    /// As Linux does: more than one segment is pending.
    #[test]
    fn segments_that_came_as_one_are_acknowledged_as_those_they_were() {
        let mut receiver = receiver_of(2, Echo::None);
        let mut joined = data(0, false);
        joined.join(&data(1, false));
        assert_eq!(receiver.on_data(&joined).now.unwrap().next, 2000);
        assert_eq!(receiver.on_data(&data(2, false)).now, None);
    }

    #[test]
    fn a_gap_is_answered_at_once_with_the_block_beyond_it() {
        let mut receiver = receiver_of(2, Echo::None);
        receiver.on_data(&data(0, false));
        let answer = receiver.on_data(&data(2, false)).now.unwrap();
        assert_eq!((answer.next, answer.block), (1000, Some((2000, 3000))));
        let answer = receiver.on_data(&data(3, false)).now.unwrap();
        assert_eq!((answer.next, answer.block), (1000, Some((2000, 4000))));
        let answer = receiver.on_data(&data(1, false)).now.unwrap();
        assert_eq!((answer.next, answer.block, answer.stamp), (4000, None, 1));
    }

    #[test]
    fn the_last_byte_missing_completes_the_flow() {
        let mut receiver = receiver_of(2, Echo::None);
        let last = Header { sequence: 1000, length: 1000, flags: LAST, ..Header::default() }.into();
        assert!(!receiver.on_data(&last).complete);
        let received = receiver.on_data(&data(0, false));
        assert!(received.complete);
        assert_eq!(received.now.unwrap().next, 2000);
    }

    #[test]
    fn a_syn_is_answered_whenever_it_comes_and_a_mark_on_it_says_nothing() {
        let syn = |stamp| Header { flags: ECN_CAPABLE | MARKED, stamp, ..Header::default() }.into();
        for echo in [Echo::None, Echo::Latched, Echo::Exact(EchoReading::OldState)] {
            let mut receiver = receiver_of(2, echo);
            let answer = |next, stamp, block| Acknowledgement { next, flags: 0, stamp, block };
            assert_eq!(receiver.on_data(&syn(7)).now, Some(answer(0, 7, None)));
            receiver.on_data(&data(1, false));
            assert_eq!(receiver.on_data(&syn(8)).now, Some(answer(0, 8, Some((1000, 2000)))));
            assert_eq!(receiver.on_data(&data(0, false)).now, Some(answer(2000, 0, None)));
            let again = receiver.on_data(&syn(9));
            assert_eq!((again.now, again.complete), (Some(answer(2000, 9, None)), false));
        }
    }

    #[test]
    fn data_that_came_before_is_acknowledged_again_and_said_to_be() {
        let mut receiver = receiver_of(2, Echo::None);
        receiver.on_data(&data(0, false));
        let answer = receiver.on_data(&data(0, false)).now.unwrap();
        assert_eq!((answer.next, answer.flags), (1000, REPEATED));
    }

    #[test]
    fn the_first_segments_are_each_acknowledged_at_once() {
        let mut receiver = TcpReceiver { quick_until: 3000, ..receiver_of(2, Echo::None) };
        let packets: Vec<_> = (0..7).map(|number| (number, false)).collect();
        let answered: Vec<_> = acknowledged(&mut receiver, &packets).iter().map(|answer| answer.1).collect();
        assert_eq!(answered, [1, 2, 3, 5, 7]);
    }

    /// Linux: the pending packet with the old state, and the first marked one with the new.
    #[test]
    fn a_quick_echo_answers_a_change_of_marks_with_both_states() {
        let old_state = Echo::Exact(EchoReading::OldState);
        let mut receiver = TcpReceiver { urgent: WINDOW_REDUCED, ..receiver_of(2, old_state) };
        let answers = acknowledged(&mut receiver, &marks([false, true, true, true, false]));
        assert_eq!(answers, [(2, 1, false), (2, 2, true), (4, 4, true), (5, 5, false)]);
    }

    #[test]
    fn a_latched_quick_echo_answers_the_first_two_marks_and_the_reduction() {
        let mut receiver = TcpReceiver { urgent: WINDOW_REDUCED, ..receiver_of(3, Echo::Latched) };
        let flags = [0, MARKED, 0, 0, WINDOW_REDUCED, 0];
        let packets = (0..).zip(flags).map(|(number, flags)| data_with(number, ECN_CAPABLE | flags));
        let answers: Vec<_> = packets.filter_map(|packet| receiver.on_data(&packet).now).collect();
        let told: Vec<_> =
            answers.iter().map(|answer| (answer.next / 1000, answer.flags & ECHO > 0)).collect();
        assert_eq!(told, [(2, true), (3, true), (5, false)]);
    }
}
