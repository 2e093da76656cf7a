//! Receiver of RoCE: what has arrived, how it is acknowledged, when marks are answered and what credit is given.

use crate::congestion_control::{Grants, Marks, Needs, NotificationPoint};
use crate::kernel::units::{Bytes, Span, Time};
use crate::packet::{LAST, MARKED, Packet};
use crate::scenario::{Roce, RoceRecovery};
use crate::transport::reassembly::Reassembly;

/// An acknowledgement to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// First byte not yet received. With `trimmed`, the first byte of a packet that has come without its payload.
    pub next: u64,
    /// Whether something is missing that should have come (NACK).
    pub negative: bool,
    /// A block of bytes received beyond `next`: start and end.
    pub block: Option<(u64, u64)>,
    /// Whether the answer speaks of one packet that was trimmed, and of nothing else.
    pub trimmed: bool,
}

/// Consequences of one data packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// An acknowledgement to send now.
    pub answer: Option<Answer>,
    /// Whether the acknowledgement tells of a mark.
    pub echo: bool,
    /// Whether to send a CNP now.
    pub cnp: bool,
    /// Time to look again whether a CNP is due.
    pub look_at: Option<Time>,
    /// Place of the queue pair's notification point, which has to answer the mark.
    pub marked_at: Option<u32>,
    /// Whether this was the last byte missing.
    pub complete: bool,
    /// Bytes of the packet that were there before, or are not kept.
    pub in_vain: u64,
}

/// Task that a congestion control gives the receiver.
#[derive(Clone, Debug)]
enum Duty {
    None,
    /// Answer marks by CNPs.
    Notify(NotificationPoint, Marks),
    /// Have the persistent queue pair's notification point, at this place, answer marks.
    NotifyBy(u32),
    /// Give credit.
    Grant(Grants),
    /// Have credit given to the flow's persistent queue pair, whose account is at this place.
    GrantBy(u32),
}

/// Receiver of credit for a packet that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForCredit {
    /// Nobody: the flow or queue pair waits for its turn already, or no credit is given.
    Nobody,
    /// The packet's flow, which is to wait for its turn from now on.
    Flow,
    /// The packet's queue pair, whose account is at this place, with the bytes that were cut off.
    QueuePair(u32, Bytes),
}

/// Receiving state of one queue pair.
#[derive(Clone, Debug)]
pub struct RoceReceiver {
    payload: Bytes,
    acknowledge_every: u32,
    /// Whether packets are kept that come out of order, and the least time from one NACK of a byte to the next.
    keeps: bool,
    nack_interval: Span,
    arrived: Reassembly,
    /// One past the flow's last byte, once the last packet has been seen.
    end: u64,
    /// In-order packets not yet acknowledged.
    pending: u32,
    /// No NACK of `arrived.next` before this time.
    nacked_until: Time,
    /// Whether acknowledgements tell that the acknowledged packet was marked.
    echoes: bool,
    /// Further task for the congestion control.
    duty: Duty,
}

impl RoceReceiver {
    /// Bytes received before the first that is missing.
    pub fn received(&self) -> u64 {
        self.arrived.next
    }

    /// A receiver whose first packet arrives now.
    pub fn new(settings: &Roce, now: Time) -> Self {
        let (keeps, nack_interval) = match &settings.recovery {
            RoceRecovery::GoBackN(settings) => (false, settings.nack_interval),
            RoceRecovery::SelectiveRepeat(_) => (true, Span::ZERO),
        };
        let duty = match settings.needs() {
            Needs::Cnps(_) if settings.flags_cnps() => Duty::None,
            Needs::Cnps(point) => Duty::Notify(point, point.start(now)),
            Needs::Credit => Duty::Grant(Grants::default()),
            Needs::Acknowledgements(_) | Needs::Delay { .. } | Needs::Telemetry { .. } => Duty::None,
        };
        Self {
            payload: settings.payload,
            acknowledge_every: settings.acknowledge_every,
            keeps,
            nack_interval,
            arrived: Reassembly::default(),
            end: u64::MAX,
            pending: 0,
            nacked_until: Time::ZERO,
            echoes: settings.echoes_marks(),
            duty,
        }
    }

    /// Has the notification point at `place`, which belongs to a persistent queue pair, answer marks.
    #[must_use]
    pub fn answered_at(self, place: u32) -> Self {
        Self { duty: Duty::NotifyBy(place), ..self }
    }

    /// Has the account at `place`, which belongs to a persistent queue pair, ask for credit.
    #[must_use]
    pub fn granted_at(self, place: u32) -> Self {
        Self { duty: Duty::GrantBy(place), ..self }
    }

    /// Takes a data packet that has arrived.
    #[inline]
    pub fn on_data(&mut self, now: Time, packet: &Packet) -> Reply {
        let start = packet.sequence();
        if packet.is(LAST) {
            self.end = start + packet.length();
        }
        let (answer, in_vain) = if start == self.arrived.next && self.arrived.is_in_order() {
            self.arrived.next += packet.length();
            (self.acknowledge_in_order(now), 0)
        } else {
            self.on_out_of_order(now, start, start + packet.length())
        };
        let complete = self.arrived.next == self.end;
        let mut reply = Reply { answer, complete, in_vain, ..Reply::default() };
        if packet.is(MARKED) {
            reply.echo = self.echoes;
            match &mut self.duty {
                Duty::Notify(point, marks) => {
                    reply.cnp = point.on_marked(marks, now);
                    reply.look_at = (!reply.cnp).then_some(marks.interval_end());
                }
                Duty::NotifyBy(place) => reply.marked_at = Some(*place),
                Duty::None | Duty::Grant(_) | Duty::GrantBy(_) => {}
            }
        }
        reply
    }

    #[inline]
    fn acknowledge_in_order(&mut self, now: Time) -> Option<Answer> {
        self.nacked_until = now;
        self.pending += 1;
        if self.pending < self.acknowledge_every && self.arrived.next != self.end {
            return None;
        }
        Some(self.answer(false, None))
    }

    #[cold]
    fn on_out_of_order(&mut self, now: Time, start: u64, end: u64) -> (Option<Answer>, u64) {
        if end <= self.arrived.next {
            return (Some(self.answer(false, None)), end - start);
        }
        if self.keeps {
            let (block, had) = self.arrived.insert(start, end);
            let answer = self.answer(block.is_some(), block.or_else(|| self.arrived.first_block()));
            return (Some(answer), had);
        }
        let answers = now >= self.nacked_until;
        if answers {
            self.nacked_until = now + self.nack_interval;
        }
        (answers.then(|| self.answer(true, None)), end - start)
    }

    #[inline]
    fn answer(&mut self, negative: bool, block: Option<(u64, u64)>) -> Answer {
        self.pending = 0;
        Answer { next: self.arrived.next, negative, block, trimmed: false }
    }

    /// Answers a packet whose payload a switch has cut off. Its sender knows, or soon will, whether its bytes are there
    /// already: as an acknowledgement the header would tell of a round trip that no packet makes.
    pub fn on_trimmed(packet: &Packet) -> Answer {
        Answer { next: packet.sequence(), negative: true, block: None, trimmed: true }
    }

    /// Takes in a packet, whole or trimmed, that may ask for credit. Returns who is to have credit for it.
    #[inline]
    pub fn asks_for_credit(&mut self, now: Time, packet: &Packet) -> ForCredit {
        let trimmed = if packet.is_trimmed() { self.payload } else { Bytes::ZERO };
        match &mut self.duty {
            Duty::Grant(grants) => {
                let waits = grants.on_packet(now, packet.asked(), trimmed);
                if waits { ForCredit::Flow } else { ForCredit::Nobody }
            }
            Duty::GrantBy(place) => ForCredit::QueuePair(*place, trimmed),
            _ => ForCredit::Nobody,
        }
    }

    /// Place of the account of the flow's persistent queue pair, if the queue pair sends on credit.
    pub fn account(&self) -> Option<u32> {
        if let Duty::GrantBy(place) = &self.duty { Some(*place) } else { None }
    }

    /// Credit that the flow was given and asks for, if the flow sends on credit.
    pub fn grants(&mut self) -> Option<&mut Grants> {
        if let Duty::Grant(grants) = &mut self.duty { Some(grants) } else { None }
    }

    /// Takes in that the CNP which was to be sent leaves later by `late`.
    pub fn put_off_cnps(&mut self, late: Span) {
        if let Duty::Notify(point, marks) = &mut self.duty {
            point.put_off(marks, late);
        }
    }

    /// Hears that the interval between CNPs is over. Returns whether to send one now.
    pub fn on_cnp_timer(&mut self, now: Time) -> bool {
        match &mut self.duty {
            Duty::Notify(point, marks) => point.on_interval_end(marks, now),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::Bytes;
    use crate::packet::Header;
    use crate::reading::from_text;

    fn receiver(rest: &str) -> RoceReceiver {
        let settings: Roce = from_text(&format!("payload = '1000B'\n{rest}"));
        RoceReceiver::new(&settings, Time::ZERO)
    }

    const fn ack(next: u64) -> Answer {
        Answer { next, negative: false, block: None, trimmed: false }
    }

    const fn nack(next: u64, block: Option<(u64, u64)>) -> Answer {
        Answer { next, negative: true, block, trimmed: false }
    }

    /// Answers to packets that begin at these bytes, one nanosecond apart.
    fn answers(receiver: &mut RoceReceiver, starts: &[u64]) -> Vec<Option<Answer>> {
        (1..)
            .zip(starts)
            .map(|(now, &sequence)| {
                let packet = Header { sequence, length: 1000, ..Header::default() }.into();
                receiver.on_data(Time::new(now * 1000), &packet).answer
            })
            .collect()
    }

    /// As `ReceiverCheckSeq` of HPCC's code does (alibaba-edu/High-Precision-Congestion-Control, `rdma-hw.cc`).
    #[test]
    fn go_back_n_names_the_missing_byte_once() {
        assert_eq!(
            answers(&mut receiver(""), &[0, 1000, 3000, 4000, 2000]),
            [Some(ack(1000)), Some(ack(2000)), Some(nack(2000, None)), None, Some(ack(3000))]
        );
    }

    #[test]
    fn a_second_gap_has_a_nack_of_its_own() {
        let answers = answers(&mut receiver(""), &[1000, 0, 2000, 3000]);
        let nacks = answers.iter().map(|answer| answer.is_some_and(|answer| answer.negative));
        assert_eq!(nacks.collect::<Vec<_>>(), [true, false, true, false]);
    }

    /// IRN (SIGCOMM 2018, section 3.1), followed by hand.
    #[test]
    fn selective_repeat_keeps_what_it_has() {
        let mut receiver = receiver("recovery = { kind = 'selective_repeat' }");
        assert_eq!(
            answers(&mut receiver, &[0, 1000, 3000, 4000, 2000]),
            [
                Some(ack(1000)),
                Some(ack(2000)),
                Some(nack(2000, Some((3000, 4000)))),
                Some(nack(2000, Some((3000, 5000)))),
                Some(ack(5000))
            ]
        );
    }

    #[test]
    fn an_acknowledgement_tells_of_the_mark_only_where_somebody_asks() {
        for (algorithm, echoes) in [("nscc", true), ("swift", false), ("dcqcn", false)] {
            let mut receiver = receiver(&format!("congestion_control = {{ algorithm = '{algorithm}' }}"));
            let mut echo = |sequence, flags| {
                let packet = Header { sequence, length: 1000, flags, ..Header::default() }.into();
                receiver.on_data(Time::ZERO, &packet).echo
            };
            assert_eq!([echo(0, MARKED), echo(1000, 0)], [echoes, false]);
            assert_eq!(echo(3000, MARKED), echoes, "out of order, {algorithm}");
        }
    }

    #[test]
    fn a_trimmed_packet_is_answered_by_itself() {
        let mut receiver = receiver("recovery = { kind = 'selective_repeat' }\nacknowledge_every = 2");
        assert_eq!(answers(&mut receiver, &[0]), [None]);
        let trimmed = |sequence| Packet::from(Header { sequence, length: 1000, ..Header::default() });
        let trimmed = |sequence| trimmed(sequence).trimmed(Bytes::new(64), 6);
        let told = Answer { next: 2000, negative: true, block: None, trimmed: true };
        assert_eq!(RoceReceiver::on_trimmed(&trimmed(2000)), told);
        assert_eq!(answers(&mut receiver, &[1000]), [Some(ack(2000))], "what waits is acknowledged as ever");
    }

    #[test]
    fn several_packets_may_share_an_acknowledgement_and_a_duplicate_is_acknowledged() {
        let mut receiver = receiver("acknowledge_every = 2");
        assert_eq!(
            answers(&mut receiver, &[0, 1000, 2000, 0]),
            [None, Some(ack(2000)), None, Some(ack(3000))]
        );
    }
}
