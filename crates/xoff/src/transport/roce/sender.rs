//! Sender of RoCE: which packet a queue pair sends next and when, and what acknowledgements and timeouts change.
//!
//! A queue pair may send its next packet once three things allow it: its rate has spaced it from the last one, the
//! window or the bandwidth-delay product has room for it, and there is something to send. `ready_at` puts the three
//! into one time, and the adapter's arbiter asks for it. `take` then makes the packet.
//!
//! Losses are repaired in one of two ways. Go-back-N keeps one position, `next`: a NACK or a timeout sets it back to
//! the first byte not acknowledged, and everything is sent again from there (InfiniBand; HPCC's code). Selective repeat
//! keeps a scoreboard of packets beyond that byte and sends again what is missing (IRN, SIGCOMM 2018, section 3.1). It
//! waits a short timeout when few packets are in flight and a long one otherwise.
//!
//! On a persistent queue pair the sender of one flow hands over to the next. The congestion control goes with it, and
//! hears of the bytes of all flows as one sequence.

use std::borrow::Cow;

use super::control::{Acknowledged, settle};
use super::shared_sequence::{Handover, SharedSequence};
use crate::congestion_control::{Algorithm, Flow, Identity, Loss, LossKind, Path};
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::packet::{ECHO, NEGATIVE, Packet};
use crate::scenario::{Roce, RoceRecovery};
use crate::telemetry::Reading;
use crate::transport::scoreboard::Scoreboard;

/// Payload bytes to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First byte.
    pub sequence: u64,
    /// Number of bytes.
    pub length: u32,
    /// Whether the segment's bytes were sent before.
    pub retransmission: bool,
}

/// Most timeouts for which a flow waits for credit that it has asked for: the receiver may serve all other flows
/// first.
const PATIENCE: u64 = 100;

/// Repair of losses.
#[derive(Clone, Debug)]
enum Repair {
    /// Everything is sent again from the first byte that is missing.
    GoBackN {
        timeout: Span,
        /// The least time from one NACK of a byte to the next.
        nack_interval: Span,
        /// Time from which later flows on the sender's queue pair may stand for a NACK.
        next_nack: Time,
    },
    /// Only packets that are missing are sent again (IRN).
    Selective { missing: Scoreboard, reordering: u64, timeouts: Option<Timeouts> },
}

/// Timeouts of selective repeat.
#[derive(Clone, Copy, Debug)]
struct Timeouts {
    low: Span,
    high: Span,
    /// Packets in flight below which the low timeout holds.
    few: u32,
    /// Whether fewer than `few` packets were in flight when the sender began to wait.
    waits_low: bool,
}

/// Sending state of one queue pair.
#[derive(Clone, Debug)]
pub struct RoceSender {
    size: u64,
    sequence: SharedSequence,
    payload: u32,
    /// Bytes on the wire beyond the payload.
    overhead: Bytes,
    line_rate: Rate,
    /// First byte not acknowledged.
    unacknowledged: u64,
    /// Next byte to send that is not a repair.
    next: u64,
    /// One past the last byte ever sent.
    sent: u64,
    repair: Repair,
    congestion_control: Option<Algorithm>,
    /// Rate that the congestion control allows now, which is asked for more often than it changes.
    rate: Rate,
    window: Bytes,
    /// The largest window.
    most_in_flight: Bytes,
    /// Time at which the last packet began, and its bytes on the wire.
    began: Time,
    wire: Bytes,
    /// The earliest that the rate allows the next packet.
    next_at: Time,
    /// Payload bytes sent again.
    pub retransmitted: Bytes,
    /// Expiries of the retransmission timer.
    pub timeouts: u32,
}

impl RoceSender {
    /// A message of `size` bytes of which nothing has been sent. The adapter's link has this rate, and its class is
    /// lossless or not.
    pub fn new(
        settings: &Roce,
        line_rate: Rate,
        path: Path,
        is_lossless: bool,
        size: Bytes,
        identity: Identity,
    ) -> Self {
        let payload = settings.payload;
        let overhead = settings.packet_headers() + settings.wire_overhead;
        let initial_window = Bytes::MAX;
        let flow =
            Flow { identity, segment: payload, overhead, initial_window, line_rate, path, ..Flow::default() };
        let congestion_control = settings.congestion_control.as_ref().map(|control| control.start(&flow));
        let most_in_flight = settings.most_in_flight().unwrap_or(Bytes::MAX);
        Self {
            size: size.get(),
            sequence: SharedSequence::default(),
            payload: payload.get() as u32,
            overhead,
            line_rate,
            unacknowledged: 0,
            next: 0,
            sent: 0,
            repair: Repair::new(&settings.recovery, is_lossless),
            rate: congestion_control.as_ref().map_or(line_rate, Algorithm::rate).min(line_rate),
            window: congestion_control.as_ref().map_or(Bytes::MAX, Algorithm::window).min(most_in_flight),
            most_in_flight,
            congestion_control,
            began: Time::ZERO,
            wire: Bytes::ZERO,
            next_at: Time::ZERO,
            retransmitted: Bytes::ZERO,
            timeouts: 0,
        }
    }

    /// Has the flow send nothing until it [takes over](Self::take_over) its queue pair.
    pub fn wait_for_queue_pair(&mut self) {
        self.next_at = Time::MAX;
    }

    /// Hands the queue pair over to another flow, since this one has sent everything or one before has something to
    /// send again. It sends nothing until it takes over once more.
    pub fn hand_over(&mut self) -> Handover {
        self.wait_for_queue_pair();
        let in_flight = self.in_flight();
        Handover {
            congestion_control: self.congestion_control.take(),
            progress: self.sequence.hand_over(self.size, self.next, in_flight),
            began: self.began,
            wire: self.wire,
        }
    }

    /// Goes on where the flow that had the queue pair has left off. `before_in_flight` bytes of flows before it are
    /// in flight.
    pub fn take_over(&mut self, handover: Handover, before_in_flight: u64, now: Time) {
        let Handover { congestion_control, progress, began, wire } = handover;
        self.sequence.take_over(progress, self.size, before_in_flight);
        (self.congestion_control, self.began, self.wire) = (congestion_control, began, wire);
        self.settle(now);
        self.ask_if_quiet();
        self.ask_control();
        self.pace();
    }

    /// Ends the message after one more packet at most. Returns its bytes.
    pub fn end(&mut self) -> Bytes {
        self.size = self.size.min(self.sent + self.payload());
        Bytes::new(self.size)
    }

    /// Bytes sent, each counted once.
    pub fn sent(&self) -> Bytes {
        Bytes::new(self.sent)
    }

    /// Payload of a full packet, in bytes.
    pub fn packet(&self) -> Bytes {
        Bytes::new(self.payload())
    }

    /// Whether nothing is to be sent again.
    pub fn is_whole(&self) -> bool {
        self.next == self.sent
            && match &self.repair {
                Repair::GoBackN { .. } => true,
                Repair::Selective { missing, .. } => missing.lost_count() == 0,
            }
    }

    /// Takes `bytes` that have not been sent off the flow. Returns the bytes of the flow.
    pub fn skip(&mut self, bytes: Bytes) -> Bytes {
        self.size -= bytes.get();
        Bytes::new(self.size)
    }

    /// Payload of a full packet.
    #[inline]
    fn payload(&self) -> u64 {
        self.payload.into()
    }

    /// Bytes sent and not acknowledged.
    pub fn in_flight(&self) -> u64 {
        self.sent - self.unacknowledged
    }

    /// Whether every byte has been sent, and none is to be sent again.
    #[inline]
    pub fn has_sent_all(&mut self) -> bool {
        self.next == self.size && !self.has_repair()
    }

    /// Whether every byte is acknowledged.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.unacknowledged == self.size
    }

    /// Whether anything sent is not acknowledged.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        self.unacknowledged < self.sent
    }

    /// Rate at which the sender may send.
    #[inline]
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Bytes that the sender may have in flight, if a window limits them.
    #[inline]
    pub fn window(&self) -> Option<Bytes> {
        (self.window < Bytes::MAX).then_some(self.window)
    }

    /// Returns the retransmission timeout, if any, for the packets in flight as the sender begins to wait.
    #[inline]
    pub fn timeout(&mut self) -> Option<Span> {
        let (in_flight, payload) = (self.in_flight(), self.payload());
        match &mut self.repair {
            Repair::GoBackN { timeout, .. } => Some(*timeout),
            Repair::Selective { timeouts, .. } => timeouts.as_mut().map(|timeouts| {
                timeouts.waits_low = in_flight.div_ceil(payload) < timeouts.few.into();
                if timeouts.waits_low { timeouts.low } else { timeouts.high }
            }),
        }
    }

    /// Returns how much longer the sender waits if more packets are in flight now than the low timeout it runs on is
    /// for (IRN, SIGCOMM 2018, section 3.1).
    pub fn prolongs_timeout(&mut self) -> Option<Span> {
        let packets = self.packets_in_flight();
        let Repair::Selective { timeouts: Some(timeouts), .. } = &mut self.repair else { return None };
        let is_longer = std::mem::take(&mut timeouts.waits_low) && packets >= timeouts.few.into();
        is_longer.then(|| timeouts.high.saturating_sub(timeouts.low))
    }

    /// Returns how much longer a sender on credit waits. Its last packet may have been long in coming, and a timeout
    /// counts from that. If its receiver knows of everything to send again and has only to give credit, it waits many
    /// timeouts.
    pub fn waits_for_credit(&self, now: Time) -> Option<Span> {
        let (timeout, is_told) = match &self.repair {
            Repair::GoBackN { timeout, .. } => (*timeout, false),
            Repair::Selective { missing, timeouts, .. } => ((*timeouts)?.high, missing.is_all_told()),
        };
        let is_known = is_told && self.rate == Rate::ZERO && self.in_window() == self.gone_beyond();
        let due = self.began + timeout * if is_known { PATIENCE } else { 1 };
        (due > now).then(|| due.since(now).min(timeout))
    }

    /// Packets sent and not acknowledged.
    pub fn packets_in_flight(&self) -> u64 {
        self.in_flight().div_ceil(self.payload())
    }

    /// Earliest time of the sender's next packet; `Time::MAX` if it has none, or too much in flight.
    #[inline]
    pub fn ready_at(&mut self) -> Time {
        let is_ready = if self.has_repair() { self.has_room_for_repair() } else { self.has_new() };
        if is_ready { self.next_at } else { Time::MAX }
    }

    fn has_repair(&self) -> bool {
        matches!(&self.repair, Repair::Selective { missing, .. } if missing.lost_count() > 0)
    }

    /// Whether the congestion control's window lets a trimmed packet go again. Other losses are repaired at once,
    /// because what is in flight may be lost, too. One packet may always go where none is in flight.
    fn has_room_for_repair(&self) -> bool {
        let Repair::Selective { missing, .. } = &self.repair else { return true };
        let Some(control) = self.congestion_control.as_ref().filter(|_| missing.is_all_told()) else {
            return true;
        };
        let in_flight = self.in_window().saturating_sub(self.gone_beyond());
        in_flight == 0 || in_flight + self.payload() <= control.window().get()
    }

    #[inline]
    fn has_new(&self) -> bool {
        if self.next >= self.size {
            return false;
        }
        // One packet may always go, however small the window.
        let in_flight = self.in_window();
        in_flight == 0
            || in_flight.saturating_add(self.payload()) <= self.window.get()
            || self.has_room_beside_gone(in_flight)
    }

    /// Bytes from the first unacknowledged to the next to send, with those in flight of earlier flows on the queue
    /// pair.
    #[inline]
    fn in_window(&self) -> u64 {
        self.next - self.unacknowledged + self.sequence.before_in_flight()
    }

    /// Whether one more packet may go because some in flight have arrived or are lost. Those count where losses are
    /// repaired (IRN, SIGCOMM 2018, section 3.2), but not in the window of a congestion control.
    fn has_room_beside_gone(&self, in_flight: u64) -> bool {
        let gone = self.gone_beyond();
        let (Some(control), true) = (&self.congestion_control, gone > 0) else { return false };
        in_flight + self.payload() <= self.most_in_flight.get()
            && in_flight.saturating_sub(gone) + self.payload() <= control.window().get()
    }

    /// Bytes beyond the first missing byte that have arrived, or are lost and not sent again.
    #[inline]
    fn gone_beyond(&self) -> u64 {
        match &self.repair {
            Repair::Selective { missing, .. } if !missing.is_clear() => {
                let (last, length) = self.last_packet();
                let short = if missing.is_gone(last) { self.payload() - length } else { 0 };
                (missing.sacked_count() + missing.lost_count()) * self.payload() - short
            }
            _ => 0,
        }
    }

    /// Number of the last packet, and its payload bytes.
    #[inline]
    fn last_packet(&self) -> (u64, u64) {
        let last = (self.size - 1) / self.payload();
        (last, self.size - last * self.payload())
    }

    /// Takes the next packet, which begins on the wire at `begins`. It must be ready by then.
    #[inline]
    pub fn take(&mut self, begins: Time) -> Segment {
        let sequence = self.next_sequence();
        let length = self.payload().min(self.size - sequence);
        let retransmission = sequence < self.sent;
        if retransmission {
            self.retransmitted += Bytes::new(length);
        }
        self.sent = self.sent.max(sequence + length);
        self.began = begins;
        self.wire = Bytes::new(length) + self.overhead;
        if let Some(control) = &mut self.congestion_control
            && control.on_sent(begins, self.wire)
        {
            self.rate = control.rate().min(self.line_rate);
        }
        self.pace();
        Segment { sequence, length: length as u32, retransmission }
    }

    #[inline]
    fn next_sequence(&mut self) -> u64 {
        if let Repair::Selective { missing, .. } = &mut self.repair
            && missing.lost_count() > 0
            && let Some(segment) = missing.next_lost()
        {
            missing.sent_again();
            return segment * self.payload();
        }
        let sequence = self.next;
        self.next += self.payload().min(self.size - sequence);
        sequence
    }

    /// Spaces the next packet from the last at the rate of now. The link itself keeps packets apart at its own rate.
    #[inline]
    fn pace(&mut self) {
        self.next_at = if self.rate >= self.line_rate {
            self.began
        } else if self.rate > Rate::ZERO {
            self.began + self.rate.transmission_time(self.wire)
        } else {
            Time::MAX
        };
    }

    /// Asks the congestion control for its rate and window, now that it has heard something.
    #[inline]
    fn ask_control(&mut self) {
        let Some(control) = &self.congestion_control else { return };
        self.window = control.window().min(self.most_in_flight);
        let rate = control.rate().min(self.line_rate);
        if rate != self.rate {
            self.rate = rate;
            self.pace();
        }
    }

    /// Takes an acknowledgement of a packet that left at `departure`, with what switches have written into it.
    /// Returns whether it acknowledges anything new.
    #[inline]
    pub fn on_acknowledgement(
        &mut self,
        now: Time,
        packet: &Packet,
        departure: Time,
        telemetry: Option<Reading<'_>>,
    ) -> bool {
        if packet.is_trimmed() {
            return self.on_trimmed(now, packet, departure);
        }
        let cumulative = packet.sequence().min(self.size);
        let is_overtaken = cumulative < self.unacknowledged;
        if is_overtaken && matches!(self.repair, Repair::GoBackN { .. }) {
            return false;
        }
        let newly_acked = cumulative.saturating_sub(self.unacknowledged);
        self.unacknowledged += newly_acked;
        self.next = self.next.max(cumulative);
        let payload = self.payload();
        match &mut self.repair {
            Repair::GoBackN { .. } => {
                if packet.is(NEGATIVE) {
                    self.next = cumulative;
                }
            }
            // One that another has overtaken still tells what has arrived beyond.
            Repair::Selective { missing, reordering, .. } => {
                if !missing.is_clear() {
                    missing.advance(self.unacknowledged.div_ceil(payload));
                }
                if packet.length() > 0 {
                    missing.begin(self.unacknowledged / payload);
                    let start = packet.sequence() + u64::from(packet.reception());
                    let end = start + packet.length();
                    missing.sack(start / payload, end.div_ceil(payload));
                    missing.lose_holes(*reordering);
                }
            }
        }
        // What switches had written before is not to be held against what they have written since.
        let telemetry = telemetry.filter(|_| !is_overtaken);
        if self.congestion_control.as_ref().is_some_and(Algorithm::hears_acknowledgements) {
            self.tell_control(now, self.acknowledged(newly_acked, packet, departure), telemetry);
        }
        newly_acked > 0
    }

    /// Takes in that a packet has arrived without its payload. Returns whether that is news.
    #[cold]
    fn on_trimmed(&mut self, now: Time, answer: &Packet, departure: Time) -> bool {
        let payload = self.payload();
        let Repair::Selective { missing, .. } = &mut self.repair else { return false };
        missing.begin(self.unacknowledged / payload);
        let is_news = missing.lose(answer.sequence() / payload);
        if is_news {
            self.tell_control(now, self.acknowledged(0, answer, departure), None);
        }
        is_news
    }

    /// Takes an acknowledgement once another flow has the queue pair. Returns what to tell the congestion control,
    /// which that flow has too, if anything.
    pub fn on_acknowledgement_after_handover(
        &mut self,
        now: Time,
        packet: &Packet,
        departure: Time,
    ) -> Option<Acknowledged> {
        let before = self.unacknowledged;
        let is_news = self.on_acknowledgement(now, packet, departure, None);
        let says_something = is_news || !packet.is_trimmed();
        says_something.then(|| self.acknowledged(self.unacknowledged - before, packet, departure))
    }

    /// News of an acknowledgement of `newly_acked` new bytes.
    #[inline]
    fn acknowledged(&self, newly_acked: u64, acknowledgement: &Packet, departure: Time) -> Acknowledged {
        let cumulative = self.sequence.position(self.unacknowledged);
        let (timed, echo) = (self.timed_by(acknowledgement), acknowledgement.is(ECHO));
        Acknowledged {
            newly_acked,
            cumulative,
            departure,
            timed,
            echo,
            trimmed: acknowledgement.is_trimmed(),
        }
    }

    /// Payload bytes of the last packet that an acknowledgement speaks of, which is the one that it times.
    #[inline]
    fn timed_by(&self, acknowledgement: &Packet) -> Bytes {
        let beyond = match acknowledgement.length() {
            0 => 0,
            _ if acknowledgement.is_trimmed() => self.payload(),
            block => u64::from(acknowledgement.reception()) + block,
        };
        if acknowledgement.sequence() + beyond < self.size {
            return Bytes::new(self.payload());
        }
        Bytes::new(self.last_packet().1)
    }

    /// Takes in that bytes of another flow, earlier or later, on the sender's queue pair are acknowledged.
    pub fn on_acknowledgement_of_another(
        &mut self,
        now: Time,
        acknowledged: Acknowledged,
        is_before: bool,
        telemetry: Option<Reading<'_>>,
    ) {
        if is_before {
            self.sequence.on_acknowledgement_before(acknowledged.newly_acked);
        }
        self.tell_control(now, acknowledged, telemetry);
        self.ask_if_quiet();
    }

    /// Lets the sender ask for credit when nothing of its queue pair is in flight, or nothing would tell that it was
    /// lost. Its receiver may not know then that it lacks credit.
    fn ask_if_quiet(&mut self) {
        let has_no_timeouts = matches!(self.repair, Repair::Selective { timeouts: None, .. });
        if self.in_flight() == 0
            && (has_no_timeouts || self.sequence.before_in_flight() == 0)
            && self.next < self.size
            && let Some(control) = &mut self.congestion_control
        {
            control.on_quiet(false);
            self.ask_control();
        }
    }

    #[inline]
    fn tell_control(&mut self, now: Time, acknowledged: Acknowledged, telemetry: Option<Reading<'_>>) {
        if self.congestion_control.is_none() {
            return;
        }
        let sent = self.sequence.sent(self.next);
        let in_flight = self.in_window().saturating_sub(self.gone_beyond());
        if let Some(control) = &mut self.congestion_control {
            acknowledged.tell(control, now, sent, in_flight, telemetry);
            self.ask_control();
        }
    }

    /// Takes in that a packet of a later flow on its queue pair is acknowledged, which left at `departure`. With
    /// go-back-N everything is lost that left before and is not acknowledged, found no more often than a receiver
    /// sends NACKs. Selective repeat leaves it to its timeout, which is short for the last packets. Returns whether
    /// anything is lost.
    pub fn on_later_acknowledgement(&mut self, now: Time, departure: Time) -> bool {
        let is_late = self.is_waiting() && self.began < departure;
        let Repair::GoBackN { nack_interval, next_nack, .. } = &mut self.repair else { return false };
        let is_lost = is_late && *next_nack <= now;
        if is_lost {
            *next_nack = now + *nack_interval;
            self.next = self.unacknowledged;
        }
        is_lost
    }

    /// Handles the retransmission timer, which has expired.
    pub fn on_timeout(&mut self, now: Time) {
        self.timeouts += 1;
        let loss = Loss {
            in_flight: Bytes::new(self.in_flight()),
            kind: LossKind::Timeout,
            first_lost: self.sequence.position(self.unacknowledged),
            next_sequence: self.sequence.sent(self.next),
        };
        let payload = self.payload();
        match &mut self.repair {
            Repair::GoBackN { .. } => self.next = self.unacknowledged,
            Repair::Selective { missing, .. } => {
                missing.begin(self.unacknowledged / payload);
                missing.lose_again();
            }
        }
        if let Some(control) = &mut self.congestion_control {
            control.on_loss(now, &loss);
            self.ask_control();
        }
    }

    /// Takes credit: `total` bytes in all since the flow started.
    pub fn on_credit(&mut self, now: Time, total: Bytes) {
        if let Some(control) = &mut self.congestion_control {
            control.on_credit(now, total);
            self.ask_control();
        }
    }

    /// Credit up to which the sender asks its receiver for more, if later flows on its queue pair have `behind` bytes
    /// to send.
    pub fn asks_for(&self, behind: Bytes) -> Bytes {
        let backlog = self.backlog().saturating_add(behind);
        self.congestion_control.as_ref().map_or(Bytes::ZERO, |control| control.asks_for(backlog))
    }

    /// Bytes of all flows that have had the sender's queue pair.
    pub fn carried(&self) -> Bytes {
        Bytes::new(self.sequence.carried(self.size))
    }

    /// Bytes that the flow has to send, for the first time or again.
    pub fn backlog(&self) -> Bytes {
        let lost = match &self.repair {
            Repair::Selective { missing, .. } => missing.lost_count() * self.payload(),
            Repair::GoBackN { .. } => 0,
        };
        Bytes::new(self.size - self.next).saturating_add(Bytes::new(lost))
    }

    /// Takes a congestion notification packet.
    pub fn on_cnp(&mut self, now: Time) {
        self.settle(now);
        if let Some(control) = &mut self.congestion_control {
            control.on_cnp(now);
            self.ask_control();
        }
    }

    /// Runs the timer of the congestion control as often as it has been due by now, which may be never.
    #[inline]
    pub fn settle(&mut self, now: Time) {
        if let Some(control) = &mut self.congestion_control
            && control.next_timer() <= now
        {
            settle(control, now);
            self.ask_control();
        }
    }

    /// Time at which the timer of the congestion control is due; `Time::MAX` for never.
    pub fn next_timer(&self) -> Time {
        self.congestion_control.as_ref().map_or(Time::MAX, Algorithm::next_timer)
    }

    /// Time after `now` at which the timer of the congestion control is due once it is settled; `Time::MAX` for
    /// never.
    pub fn next_timer_after(&self, now: Time) -> Time {
        self.control_at(now).map_or(Time::MAX, |control| control.next_timer())
    }

    /// Rate at which the sender may send at `now`.
    pub fn rate_at(&self, now: Time) -> Rate {
        self.control_at(now).map_or(self.rate, |control| control.rate().min(self.line_rate))
    }

    /// Congestion control as it will be once it is settled.
    fn control_at(&self, now: Time) -> Option<Cow<'_, Algorithm>> {
        let mut control = Cow::Borrowed(self.congestion_control.as_ref()?);
        if control.next_timer() <= now {
            settle(control.to_mut(), now);
        }
        Some(control)
    }
}

impl Repair {
    fn new(recovery: &RoceRecovery, is_lossless: bool) -> Self {
        match recovery {
            RoceRecovery::GoBackN(settings) => Self::GoBackN {
                timeout: settings.timeout,
                nack_interval: settings.nack_interval,
                next_nack: Time::ZERO,
            },
            RoceRecovery::SelectiveRepeat(settings) => Self::Selective {
                missing: Scoreboard::default(),
                reordering: settings.reordering.into(),
                timeouts: (!is_lossless || settings.timeouts_with_pfc).then_some(Timeouts {
                    low: settings.timeout_low,
                    high: settings.timeout_high,
                    few: settings.few_packets,
                    waits_low: false,
                }),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{ACKNOWLEDGEMENT, Header, TRIMMED};
    use crate::reading::from_text;

    const LINE: Rate = Rate::from_gbps(40);

    fn settings(rest: &str) -> Roce {
        from_text(&format!("payload = '1000B'\nheaders = '48B'\nwire_overhead = '0B'\n{rest}"))
    }

    fn sender(rest: &str, is_lossless: bool, size: u64) -> RoceSender {
        let (path, size) = (Path::default(), Bytes::new(size));
        RoceSender::new(&settings(rest), LINE, path, is_lossless, size, Identity::default())
    }

    fn sent(sender: &mut RoceSender, most: usize) -> Vec<u64> {
        let mut sent = Vec::new();
        while sent.len() < most && sender.ready_at() != Time::MAX {
            let at = sender.ready_at();
            sent.push(sender.take(at).sequence);
        }
        sent
    }

    fn answer(sender: &mut RoceSender, next: u64, block: Option<(u64, u64)>, flags: u8) {
        let (start, end) = block.unwrap_or((next, next));
        let header = Header {
            sequence: next,
            reception: (start - next) as u32,
            length: (end - start) as u32,
            flags: ACKNOWLEDGEMENT | flags,
            ..Header::default()
        };
        sender.on_acknowledgement(Time::ZERO, &header.into(), Time::ZERO, None);
    }

    /// Packet 2 of 5 comes late, and two packets are sent in vain, as in HPCC's code (`rdma-hw.cc`).
    #[test]
    fn go_back_n_sends_everything_again_from_the_gap() {
        let mut sender = sender("", false, 5000);
        assert_eq!(sent(&mut sender, 9), [0, 1000, 2000, 3000, 4000]);
        answer(&mut sender, 1000, None, 0);
        answer(&mut sender, 2000, None, 0);
        answer(&mut sender, 2000, None, NEGATIVE);
        assert_eq!(sent(&mut sender, 9), [2000, 3000, 4000]);
        assert_eq!(sender.retransmitted, Bytes::new(3000));
        answer(&mut sender, 5000, None, 0);
        assert!(sender.is_done());
    }

    #[test]
    fn a_late_acknowledgement_skips_what_would_be_sent_in_vain() {
        let mut sender = sender("", false, 5000);
        sent(&mut sender, 9);
        sender.on_timeout(Time::ZERO);
        assert_eq!(sent(&mut sender, 1), [0]);
        answer(&mut sender, 4000, None, 0);
        assert_eq!(sent(&mut sender, 9), [4000]);
    }

    /// A first CNP halves the rate, and after five increases, 55 us apart, it is 31/32 of the way back.
    #[test]
    fn a_sender_that_nobody_wakes_recovers_as_if_its_timer_did() {
        let mut sender = sender("congestion_control = { algorithm = 'dcqcn' }", true, 5000);
        let at = |microseconds| Time::ZERO + Span::from_microseconds(microseconds);
        sender.on_cnp(at(10));
        let mut woken = sender.clone();
        for times in 1..=5 {
            assert_eq!(woken.next_timer(), at(10 + 55 * times));
            woken.settle(at(10 + 55 * times));
        }
        let (before, then) = (Time::new(at(10 + 55 * 5).get() - 1), at(10 + 55 * 5));
        assert_eq!(sender.rate(), Rate::from_gbps(20));
        assert_eq!(sender.rate_at(before), Rate::new(38_750_000_000));
        assert_eq!(sender.rate_at(then), Rate::new(39_375_000_000));
        assert_eq!(sender.next_timer_after(then), at(10 + 55 * 6));
        sender.settle(then);
        assert_eq!((sender.rate(), sender.ready_at()), (woken.rate(), woken.ready_at()));
    }

    const SELECTIVE: &str = "recovery = { kind = 'selective_repeat', window = '4000B' }";

    fn selective() -> RoceSender {
        sender(SELECTIVE, false, 9000)
    }

    #[test]
    fn selective_repeat_sends_the_gap_only_and_keeps_to_its_window() {
        let mut sender = selective();
        assert_eq!(sent(&mut sender, 9), [0, 1000, 2000, 3000]);
        answer(&mut sender, 1000, None, 0);
        assert_eq!(sent(&mut sender, 9), [4000]);
        answer(&mut sender, 1000, Some((2000, 3000)), NEGATIVE);
        assert_eq!(sent(&mut sender, 9), [1000]);
        answer(&mut sender, 1000, Some((2000, 4000)), NEGATIVE);
        assert_eq!(sent(&mut sender, 9), Vec::<u64>::new());
        answer(&mut sender, 5000, None, 0);
        assert_eq!(sent(&mut sender, 9), [5000, 6000, 7000, 8000]);
    }

    /// Four packets are a bandwidth-delay product here, and Swift's first window.
    fn sprayed(recovery_window: u32, size: u64) -> RoceSender {
        let recovery = format!(
            "recovery = {{ kind = 'selective_repeat', window = '{recovery_window}B', reordering = 9 }}"
        );
        let settings = settings(&format!("{recovery}\ncongestion_control = {{ algorithm = 'swift' }}"));
        let path = Path { switches: 1, base_rtt: Span::from_nanoseconds(800) };
        RoceSender::new(&settings, LINE, path, false, Bytes::new(size), Identity::default())
    }

    #[test]
    fn what_has_arrived_out_of_order_leaves_the_window_but_not_that_of_the_recovery() {
        for (recovery_window, goes_on) in [(9000, &[4000][..]), (4000, &[])] {
            let mut sender = sprayed(recovery_window, 9000);
            assert_eq!(sent(&mut sender, 9), [0, 1000, 2000, 3000]);
            answer(&mut sender, 0, Some((2000, 3000)), NEGATIVE);
            assert_eq!(sent(&mut sender, 9), goes_on);
        }
    }

    #[test]
    fn the_last_packet_arrives_with_as_many_bytes_as_it_has() {
        let mut sender = sprayed(9000, 3500);
        assert_eq!(sent(&mut sender, 9), [0, 1000, 2000, 3000]);
        answer(&mut sender, 0, Some((2000, 3500)), NEGATIVE);
        assert_eq!(sender.gone_beyond(), 1500);
        answer(&mut sender, 1000, Some((3000, 3500)), NEGATIVE);
        assert_eq!(sender.gone_beyond(), 1500);
    }

    fn answer_to_trimmed(sequence: u64) -> Packet {
        let flags = ACKNOWLEDGEMENT | NEGATIVE;
        Header { sequence, length: TRIMMED, flags, ..Header::default() }.into()
    }

    fn trimmed(sender: &mut RoceSender, sequence: u64) -> bool {
        sender.on_acknowledgement(Time::ZERO, &answer_to_trimmed(sequence), Time::ZERO, None)
    }

    #[test]
    fn what_was_trimmed_is_sent_again_at_once_and_whenever_that_happens() {
        let mut sender = selective();
        assert_eq!(sent(&mut sender, 9), [0, 1000, 2000, 3000]);
        assert!(trimmed(&mut sender, 2000) && !trimmed(&mut sender, 2000));
        assert_eq!(sent(&mut sender, 9), [2000]);
        assert!(trimmed(&mut sender, 2000));
        assert_eq!(sent(&mut sender, 9), [2000]);
        answer(&mut sender, 2000, Some((3000, 4000)), NEGATIVE);
        assert_eq!(sent(&mut sender, 9), [4000, 5000], "it is under way, and not lost because 3000 is there");
        answer(&mut sender, 6000, None, 0);
        assert!(!trimmed(&mut sender, 2000), "of long ago");
        assert_eq!(sender.retransmitted, Bytes::new(2000));
    }

    #[test]
    fn what_was_trimmed_is_told_once_after_a_handover_too() {
        let mut sender = selective();
        assert_eq!(sent(&mut sender, 9), [0, 1000, 2000, 3000]);
        sender.hand_over();
        let answer = answer_to_trimmed(2000);
        let mut told = || sender.on_acknowledgement_after_handover(Time::ZERO, &answer, Time::ZERO);
        assert!(told().is_some_and(|told| told.trimmed && told.newly_acked == 0));
        assert!(told().is_none());
        assert!(!sender.has_sent_all(), "it is to have its queue pair again");
    }

    /// Swift's first window is four packets here. What is lost is not in flight, and goes again when there is room
    /// for it.
    #[test]
    fn what_was_trimmed_leaves_the_window_and_goes_again_within_it() {
        let mut sender = sprayed(9000, 9000);
        assert_eq!(sent(&mut sender, 9), [0, 1000, 2000, 3000]);
        trimmed(&mut sender, 1000);
        trimmed(&mut sender, 3000);
        assert_eq!(sender.gone_beyond(), 2000);
        assert_eq!(sent(&mut sender, 9), [1000, 3000]);
        assert_eq!(sent(&mut sender, 9), [0; 0], "four are in flight");
    }

    #[test]
    fn an_acknowledgement_that_was_overtaken_tells_of_what_has_arrived() {
        let mut sender = selective();
        assert_eq!(sent(&mut sender, 9), [0, 1000, 2000, 3000]);
        answer(&mut sender, 2000, None, 0);
        assert_eq!(sent(&mut sender, 9), [4000, 5000]);
        answer(&mut sender, 1000, Some((3000, 4000)), NEGATIVE);
        assert_eq!(sent(&mut sender, 9), [2000]);
    }

    #[test]
    fn few_packets_in_flight_wait_less() {
        let mut sender = selective();
        sent(&mut sender, 2);
        assert_eq!(sender.timeout(), Some(Span::from_microseconds(100)));
        sent(&mut sender, 1);
        assert_eq!(sender.timeout(), Some(Span::from_microseconds(320)));
    }

    #[test]
    fn a_timeout_repairs_the_first_packet_and_all_gaps_again() {
        let mut sender = selective();
        assert_eq!(sent(&mut sender, 9), [0, 1000, 2000, 3000]);
        sender.on_timeout(Time::ZERO);
        assert_eq!(sent(&mut sender, 9), [0]);
        answer(&mut sender, 0, Some((2000, 3000)), NEGATIVE);
        assert_eq!(sent(&mut sender, 9), [1000]);
        sender.on_timeout(Time::ZERO);
        assert_eq!(sent(&mut sender, 9), [0, 1000]);
    }

    /// IRN (SIGCOMM 2018, section 4.1): timeouts are disabled while PFC is on.
    #[test]
    fn selective_repeat_has_no_timeouts_with_pfc() {
        let timeout = |rest: &str, is_lossless| sender(rest, is_lossless, 9000).timeout();
        let low = Some(Span::from_microseconds(100));
        assert_eq!(timeout("recovery = { kind = 'selective_repeat' }", false), low);
        assert_eq!(timeout("recovery = { kind = 'selective_repeat' }", true), None);
        assert_eq!(timeout("recovery = { kind = 'selective_repeat', timeouts_with_pfc = true }", true), low);
        assert_eq!(timeout("", true), Some(Span::from_nanoseconds(4_096 << 14)));
    }

    /// 1048 bytes at 20 Gb/s are 419.2 ns.
    #[test]
    fn packets_follow_one_another_at_the_rate_of_the_congestion_control() {
        let control = "congestion_control = { algorithm = 'dcqcn' }";
        let mut sender = sender(control, false, 9000);
        sender.take(Time::new(500));
        assert_eq!(sender.ready_at(), Time::new(500), "not limited");
        sender.on_cnp(Time::new(600));
        assert_eq!(sender.rate(), Rate::from_gbps(20));
        assert_eq!(sender.ready_at(), Time::new(500 + 419_200));
        sender.on_cnp(Time::new(700));
        assert_eq!(sender.ready_at(), Time::new(500 + 838_400));
    }
}
