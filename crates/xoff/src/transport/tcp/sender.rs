//! Sender of TCP: what to send next, and what acknowledgements and timeouts change.
//!
//! The sender decides which segment may leave now. The congestion control says how many bytes may be in flight, its
//! window; the sender counts those that are (pipe, RFC 6675, section 4) and lets segments go while the window has room.
//! Segments known to be lost go first, then new data.
//!
//! A sender is in one of four states, as in Linux. In `Open` nothing is known to be lost, and every acknowledgement
//! may let the window grow. An echo begins `Reducing` where reductions are spread over a round trip (RFC 6937).
//! Duplicate or selective acknowledgements of so many segments as `duplicate_threshold` says
//! begin a `Recovery` (RFC 6675, section 5; RFC 6582, section 3.2). The congestion control then lowers the window
//! once, and holes are sent again until everything that was out at the loss is acknowledged. An expiry of the
//! retransmission timer begins `Loss` (RFC 6298, section 5): everything that has not arrived counts as lost, the
//! timeout doubles, and the flow starts again from a window of one segment.
//!
//! SACK and RACK repair by a scoreboard of the blocks that acknowledgements report. `NewReno` has none: it sends again
//! the first missing segment on each partial acknowledgement, and inflates the window by duplicates. Reno does so too,
//! but its recovery ends with the first acknowledgement of new data (RFC 5681, section 3.2).
//!
//! Most acknowledgements take a short path: nothing is lost, and no option of the transport concerns them. All others
//! go through `on_ack_otherwise`, step by step: blocks, state, congestion control, losses, reduction, timer.

use super::connection::Connection;
use super::forward_rto::{ForwardRto, Heard, Verdict};
use super::options::{Options, Probe};
use super::rack::Rack;
use super::round_trip::{Bounds, RoundTrip};
use super::schedule::{Due, Schedule};
use super::timing::Timing;
use crate::congestion_control::{Ack, Algorithm, Flow, Growth, Identity, Loss, LossKind};
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::packet::{ECHO, Packet, REPEATED};
use crate::scenario::{Host, IdleRestart, LossReduces, Recovery, Tcp};
use crate::transport::Transmit;
use crate::transport::scoreboard::Scoreboard;

/// Way in which a sender repairs losses, with its number in Linux (`tcp_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Nothing is known to be lost.
    Open = 0,
    /// Reducing the window for an echo, until something sent after the echo is acknowledged [CWR].
    Reducing = 2,
    /// Repairing what duplicate or selective acknowledgements told of, until `recover` is acknowledged.
    Recovery = 3,
    /// Starting again after a timeout, until `recover` is acknowledged.
    Loss = 4,
}

/// Whether an acknowledgement answers a SYN, and not data.
fn answers_syn(packet: &Packet) -> bool {
    packet.sequence() == 0 && packet.length() == 0
}

fn initial_window(settings: &Tcp) -> Bytes {
    let window = settings.payload * u64::from(settings.initial_window);
    window.min(settings.maximum_window.unwrap_or(Bytes::MAX))
}

/// Effect of an acknowledgement on the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerChange {
    /// The timer runs on.
    Keeps,
    /// The timer starts again.
    Restarts,
    /// The timer stops, until something is sent or waited for.
    Stops,
}

/// Most bytes of an acknowledgement that takes the short path, where nothing stands in its way: any.
const ANY: u64 = u64::MAX >> 1;

/// Sending state of one flow. The fields that an acknowledgement touches while nothing is lost come first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct TcpSender {
    congestion_control: Algorithm,
    /// First byte not acknowledged [`snd_una`].
    unacknowledged: u64,
    /// First byte never sent [`snd_nxt`].
    next: u64,
    size: u64,
    segment: u64,
    maximum_window: u64,
    /// Window beyond the congestion control's, modulo 2^64: by duplicate acknowledgements under `NewReno`, or while a
    /// reduction is spread over a round trip, when it may be less.
    inflation: u64,
    /// Most bytes of an acknowledgement that takes the short path; zero while anything is to be repaired.
    taken_plainly: u64,
    /// Bytes of earlier flows on this connection. The flow's own bytes count from 0; the congestion control hears of
    /// them from here on.
    carried_before: u64,
    /// First byte of the segment that tells the receiver of a reduced window; `u64::MAX` before the first reduction.
    reduced_before: u64,
    options: Option<Box<Options>>,
    duplicates: u32,
    state: State,
    window_limited: bool,
    recovery: Recovery,
    /// The next retransmission goes out whatever the window.
    forced: bool,
    /// Partial acknowledgements of this recovery. The second and later ones leave the timer as it is.
    partials: u8,
    duplicate_threshold: u32,
    round_trip: RoundTrip,
    bounds: Bounds,
    scoreboard: Scoreboard,
    recover: u64,
    /// Whether this recovery has already sent its last segment again (RFC 6675, `NextSeg` rule 4).
    rescued: bool,
    /// Whether every acknowledgement concerns an option.
    is_optioned: bool,
    /// Whether it does, and none has anything to do but to hear of what is acknowledged in order.
    is_at_rest: bool,
    loss_reduces: LossReduces,
    /// First byte not yet sent when the first known block came, or the first duplicate under `NewReno`.
    limited_from: u64,
    /// First byte that was not acknowledged when the timer last expired.
    expired_at: u64,
    /// Time at which the flow last sent data, once everything is acknowledged.
    last_sent: Time,
    /// Payload bytes sent again.
    pub retransmitted: Bytes,
    /// Expiries of the retransmission timer.
    pub timeouts: u32,
    /// Recoveries begun by duplicate or selective acknowledgements.
    pub recoveries: u32,
    /// Tail loss probes sent (RFC 8985, section 7).
    pub probes: u32,
    /// Retransmissions of segments that the receiver had already received.
    pub spurious: u32,
}

impl TcpSender {
    /// A flow of `size` bytes between such hosts that has sent nothing.
    pub fn new(settings: &Tcp, host: &Host, size: Bytes, identity: Identity) -> Self {
        let segment = settings.payload;
        let options = Options::of(settings, host);
        let is_optioned = options.as_ref().is_some_and(|options| options.hear_every_acknowledgement());
        let initial_window = initial_window(settings);
        // Of joined segments each counts, as if it were acknowledged by itself (Linux since 4.0).
        let joins = host.receive_offload.is_some();
        let flow = Flow {
            identity,
            segment,
            initial_window,
            initial_threshold: settings.initial_threshold,
            growth: settings.growth.unwrap_or(if joins {
                Growth::Segments
            } else {
                Growth::Acknowledgements
            }),
            window_unit: settings.window_unit,
            line_rate: Rate::MAX,
            ..Flow::default()
        };
        Self {
            size: size.get(),
            segment: segment.get(),
            maximum_window: settings.maximum_window.unwrap_or(Bytes::MAX).get(),
            unacknowledged: 0,
            next: 0,
            congestion_control: settings.congestion_control.start(&flow),
            round_trip: RoundTrip::default(),
            bounds: Bounds::of(settings),
            recovery: settings.recovery,
            state: State::Open,
            recover: 0,
            duplicates: 0,
            duplicate_threshold: settings.duplicate_threshold,
            inflation: 0,
            forced: false,
            partials: 0,
            rescued: false,
            window_limited: false,
            reduced_before: u64::MAX,
            scoreboard: Scoreboard::default(),
            taken_plainly: if is_optioned { 0 } else { ANY },
            options,
            is_optioned,
            is_at_rest: is_optioned && settings.timestamps,
            loss_reduces: settings.loss_reduces,
            carried_before: 0,
            limited_from: 0,
            expired_at: u64::MAX,
            last_sent: Time::ZERO,
            retransmitted: Bytes::ZERO,
            timeouts: 0,
            recoveries: 0,
            probes: 0,
            spurious: 0,
        }
    }

    /// A flow of `size` bytes that starts now on a persistent connection which has carried flows before.
    pub fn on_connection(
        connection: Connection,
        settings: &Tcp,
        host: &Host,
        size: Bytes,
        identity: Identity,
        now: Time,
    ) -> Self {
        let Connection { congestion_control, round_trip, carried, last_sent, skipped } = connection;
        let new = Self::new(settings, host, size, identity);
        let mut sender = Self { congestion_control, round_trip, carried_before: carried, ..new };
        sender.congestion_control.on_quiet(true);
        let (idle, timeout) = (now.since(last_sent) + skipped, sender.retransmission_timeout());
        if settings.slow_start_restart && idle > timeout {
            let window = sender.restart_window(settings, idle, timeout);
            sender.congestion_control.on_idle(window);
        }
        sender
    }

    /// Window with which a connection restarts that was `idle` for longer than its `timeout`.
    fn restart_window(&self, settings: &Tcp, idle: Span, timeout: Span) -> Bytes {
        let least = initial_window(settings);
        match settings.idle_restart {
            IdleRestart::InitialWindow => least,
            IdleRestart::Halving => {
                let timeouts = (idle.get() - 1) / timeout.get().max(1);
                Bytes::new(self.bounded_window().get() >> timeouts.min(63)).max(least)
            }
        }
    }

    /// Takes in the acknowledgement of everything. The data that it answers was the last to be sent.
    pub fn on_done(&mut self, packet: &Packet) {
        self.last_sent = Time::new(packet.stamp());
    }

    /// The connection, free because every byte is acknowledged.
    pub fn into_connection(self) -> Connection {
        debug_assert!(self.is_done(), "a connection carries one flow at a time");
        let carried = self.position(self.size);
        let Self { congestion_control, round_trip, last_sent, .. } = self;
        Connection { congestion_control, round_trip, carried, last_sent, skipped: Span::ZERO }
    }

    /// Position of a byte of the flow on its connection.
    #[inline]
    fn position(&self, byte: u64) -> u64 {
        self.carried_before + byte
    }

    /// Whether every byte is acknowledged.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.unacknowledged == self.size
    }

    /// Whether anything sent is not acknowledged.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        self.unacknowledged < self.next
    }

    /// Bytes that may be in flight, without what duplicate acknowledgements add.
    #[inline]
    pub fn window(&self) -> Bytes {
        let reduced = if self.spreads_reduction() { self.inflation } else { 0 };
        Bytes::new(self.bounded_window().get().wrapping_add(reduced))
    }

    /// Bytes that the congestion control allows in flight, no more than the largest window.
    #[inline]
    fn bounded_window(&self) -> Bytes {
        self.congestion_control.window().min(Bytes::new(self.maximum_window))
    }

    /// Running share of marked bytes, where the congestion control keeps one [alpha].
    pub fn alpha(&self) -> Option<f64> {
        self.congestion_control.alpha()
    }

    /// Slow-start threshold, from the congestion control's first reduction on [ssthresh].
    pub fn threshold(&self) -> Option<Bytes> {
        self.congestion_control.threshold()
    }

    /// Smoothed round-trip time, from the first sample on [SRTT].
    pub fn smoothed_rtt(&self) -> Option<Span> {
        self.round_trip.smoothed()
    }

    /// State of the repair of losses.
    pub fn state(&self) -> State {
        self.state
    }

    /// The retransmission timeout in force.
    #[inline]
    pub fn timeout(&self) -> Span {
        self.round_trip.timeout(&self.bounds)
    }

    /// Retransmission timeout by the rule of the flow's timers, if it has several.
    fn retransmission_timeout(&self) -> Span {
        let schedule = self.options.as_ref().and_then(|options| options.schedule.as_ref());
        schedule.map_or_else(|| self.timeout(), |schedule| schedule.timeout(&self.round_trip))
    }

    /// Returns how long after `now` the next timer is due.
    #[inline]
    pub fn until_due(&mut self, now: Time) -> Span {
        if self.is_optioned { self.until_due_of_several(now) } else { self.timeout() }
    }

    #[cold]
    fn until_due_of_several(&mut self, now: Time) -> Span {
        let may_probe = self.may_probe();
        let is_alone = self.in_flight() <= self.segment;
        let (round_trip, timeout) = (self.round_trip, self.timeout());
        let Some(Options { rack, schedule: Some(schedule), .. }) = self.options.as_deref_mut() else {
            return timeout;
        };
        let reordering = rack.as_ref().and_then(|rack| rack.wait);
        let probe = may_probe.then(|| schedule.probe_timeout(&round_trip, is_alone));
        schedule.next(now, &round_trip, reordering, probe)
    }

    /// Whether a probe may go when no acknowledgement comes for a while (RFC 8985, section 7.2).
    fn may_probe(&self) -> bool {
        let probe = self.options.as_ref().and_then(|options| options.probe.as_ref());
        probe.is_some_and(|probe| probe.end.is_none() && probe.due.is_none())
            && self.recovery.reads_blocks()
            && matches!(self.state, State::Open | State::Reducing)
            && self.scoreboard.is_clear()
    }

    /// Whether the segment that begins here tells the receiver that the window was reduced (RFC 3168, section 6.1.2).
    #[inline]
    pub fn tells_of_reduction(&self, sequence: u64) -> bool {
        sequence == self.reduced_before
    }

    /// Takes in that the adapter, and not the window, keeps this flow from sending.
    #[inline]
    pub fn on_held_back(&mut self) {
        self.window_limited = false;
    }

    /// Takes in that the SYN of the flow's connection was not answered in time.
    pub(super) fn on_syn_timeout(&mut self) {
        self.timeouts += 1;
        self.round_trip.back_off();
    }

    /// Takes in that the flow's connection is open, by `answer`, the answer to a SYN. If SYNs were `lost`, the first
    /// window is one segment (RFC 5681, section 3.1).
    pub(super) fn on_open(&mut self, now: Time, answer: &Packet, repeated: bool, lost: bool) {
        if self.timing().is_none() || !repeated {
            self.round_trip.sample(now.since(Time::new(answer.stamp())));
        }
        if lost {
            self.congestion_control.on_idle(Bytes::new(self.segment));
        }
    }

    /// Ends the flow after one more segment at most. Returns its bytes.
    pub fn end(&mut self) -> Bytes {
        self.size = self.size.min(self.next + self.segment);
        Bytes::new(self.size)
    }

    /// Bytes sent, each counted once.
    pub fn sent(&self) -> Bytes {
        Bytes::new(self.next)
    }

    /// Payload of a full segment.
    pub fn segment(&self) -> Bytes {
        Bytes::new(self.segment)
    }

    /// Whether nothing is to be repaired.
    pub fn is_whole(&self) -> bool {
        matches!(self.state, State::Open | State::Reducing) && self.scoreboard.is_clear()
    }

    /// Takes `bytes` that have not been sent off the flow. Returns the bytes of the flow.
    pub fn skip(&mut self, bytes: Bytes) -> Bytes {
        self.size -= bytes.get();
        Bytes::new(self.size)
    }

    /// Returns what to send now. The host calls it again until it answers something else than a segment.
    // Called at two places, one of them seldom.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn poll_transmit(&mut self, now: Time) -> Transmit {
        let allowed = self.congestion_control.window().get();
        let window = allowed.min(self.maximum_window).wrapping_add(self.inflation);
        let in_flight = self.in_flight();
        let is_clear = self.scoreboard.is_clear();
        if !is_clear && let Some(segment) = self.next_to_repair() {
            return self.repair(now, segment, in_flight, window);
        }
        self.window_limited = false;
        if self.next < self.size {
            let length = self.segment.min(self.size - self.next);
            if in_flight + length > window {
                self.window_limited = allowed < self.maximum_window;
                return Transmit::WindowFull;
            }
            let has_options = self.options.is_some();
            if has_options && !self.may_leave(now, length, in_flight, window) {
                return self.window_full();
            }
            let sequence = self.next;
            self.next += length;
            // Foretells `WindowFull` of the next call, but not during repairs or with options.
            let left = self.size - self.next;
            let in_flight = in_flight + length;
            let fills_window =
                left > 0 && in_flight + self.segment.min(left) > window && is_clear && !has_options;
            self.window_limited = fills_window && allowed < self.maximum_window;
            return Transmit::Segment {
                sequence,
                length: length as u32,
                retransmission: false,
                fills_window,
            };
        }
        if self.state == State::Recovery && in_flight + self.segment <= window {
            return self.repair_the_tail(now);
        }
        if self.is_optioned { self.probe_the_tail(now) } else { Transmit::Idle }
    }

    /// Notes that the window keeps this flow from sending. At the largest window the congestion control's is not the
    /// limit, and does not grow.
    #[inline]
    fn window_full(&mut self) -> Transmit {
        self.window_limited = self.congestion_control.window().get() < self.maximum_window;
        Transmit::WindowFull
    }

    /// Whether the options let the next segment go. If so, they take it in. Losses are repaired segment by segment, and
    /// not in trains.
    #[inline]
    fn may_leave(&mut self, now: Time, length: u64, in_flight: u64, window: u64) -> bool {
        match &mut self.options {
            Some(options) if options.lets_all_leave => {
                options.on_new(now);
                true
            }
            _ => self.may_leave_otherwise(now, length, in_flight, window),
        }
    }

    /// See [`TcpSender::may_leave`].
    fn may_leave_otherwise(&mut self, now: Time, length: u64, in_flight: u64, window: u64) -> bool {
        let is_reducing = self.spreads_reduction();
        let Some(options) = &mut self.options else { return true };
        let probe = options.probe.as_mut().and_then(|probe| Some((probe.due.take()?, probe)));
        let is_probe = probe.is_some();
        if let Some((inflation, probe)) = probe {
            self.inflation = inflation;
            *probe = Probe { end: Some(self.next + length), again: false, due: None };
        }
        if let Some(segmentation) = &mut options.segmentation
            && self.state == State::Open
            && !is_probe
            && !segmentation.may_go(self.next, window - in_flight, window, self.size - self.next)
        {
            return false;
        }
        if let Some(timing) = &mut options.timing {
            timing.on_sent(now, self.next + length);
        }
        options.on_sent(now, self.next / self.segment, length, is_reducing);
        true
    }

    fn timing(&mut self) -> Option<&mut Timing> {
        self.options.as_mut()?.timing.as_mut()
    }

    /// Whether a reduction is under way that is spread over a round trip. Recoveries without blocks have a rule of their
    /// own, by duplicates.
    #[inline]
    fn spreads_reduction(&self) -> bool {
        if self.options.is_none() {
            return false;
        }
        let spreads = self.options.as_ref().is_some_and(|options| options.reduction.is_some());
        match self.state {
            State::Reducing => spreads,
            State::Recovery => spreads && self.recovery.reads_blocks(),
            State::Open | State::Loss => false,
        }
    }

    /// Returns the next lost segment, unless new data goes first because a timeout is in doubt.
    fn next_to_repair(&mut self) -> Option<u64> {
        let in_doubt = self.options.as_ref().and_then(|options| options.forward_rto.as_ref());
        if in_doubt.is_some_and(ForwardRto::sends_new) && self.next < self.size {
            return None;
        }
        self.scoreboard.next_lost()
    }

    /// Bytes believed to be in the network [pipe].
    #[inline]
    fn in_flight(&self) -> u64 {
        let sent = self.next - self.unacknowledged;
        if self.scoreboard.is_clear() {
            return sent;
        }
        // SetPipe (RFC 6675, section 4): what has arrived or is lost and not sent again is out of the network.
        let gone = (self.scoreboard.sacked_count() + self.scoreboard.lost_count()) * self.segment;
        sent.saturating_sub(gone - self.short_of_gone())
    }

    /// Bytes by which a short last segment, if it has arrived or is lost, falls short of a full one.
    fn short_of_gone(&self) -> u64 {
        let last = self.size.saturating_sub(1) / self.segment;
        let is_sent = self.next == self.size;
        let length = self.size - last * self.segment;
        if is_sent && self.scoreboard.is_gone(last) { self.segment - length } else { 0 }
    }

    fn repair(&mut self, now: Time, segment: u64, in_flight: u64, window: u64) -> Transmit {
        if !self.forced && in_flight + self.segment > window {
            return self.window_full();
        }
        self.forced = false;
        self.scoreboard.sent_again();
        self.send_again(now, segment)
    }

    /// Sends again when no loss is known and no new data is left (RFC 6675, section 4, `NextSeg` rules 3 and 4).
    fn repair_the_tail(&mut self, now: Time) -> Transmit {
        if self.recovery != Recovery::Sack {
            return Transmit::Idle;
        }
        if let Some(segment) = self.scoreboard.next_unsacked() {
            self.scoreboard.sent_again();
            return self.send_again(now, segment);
        }
        let last = (self.next - 1) / self.segment;
        if self.rescued || self.scoreboard.highest_sacked() == Some(last) {
            return Transmit::Idle;
        }
        self.rescued = true;
        self.send_again(now, last)
    }

    /// Sends the last segment again if a probe is due and there is no new data.
    fn probe_the_tail(&mut self, now: Time) -> Transmit {
        let probe = self.options.as_mut().and_then(|options| options.probe.as_mut());
        let Some(inflation) = probe.as_ref().and_then(|probe| probe.due) else { return Transmit::Idle };
        self.inflation = inflation;
        if let Some(probe) = probe {
            *probe = Probe { end: Some(self.next), again: true, due: None };
        }
        self.send_again(now, (self.next - 1) / self.segment)
    }

    fn send_again(&mut self, now: Time, segment: u64) -> Transmit {
        let sequence = segment * self.segment;
        let length = self.segment.min(self.size - sequence);
        self.retransmitted += Bytes::new(length);
        let is_reducing = self.spreads_reduction();
        let is_first = sequence <= self.unacknowledged;
        if let Some(options) = &mut self.options {
            if let Some(timing) = &mut options.timing {
                timing.on_sent_again();
            }
            options.on_sent(now, segment, length, is_reducing);
            if let Some(schedule) = &mut options.schedule
                && is_first
            {
                schedule.from = Some(now);
            }
        }
        Transmit::Segment { sequence, length: length as u32, retransmission: true, fills_window: false }
    }

    /// Takes an acknowledgement. Returns its effect on the retransmission timer.
    // Called at one place.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn on_ack(&mut self, now: Time, packet: &Packet) -> TimerChange {
        let cumulative = packet.sequence().min(self.size);
        let newly_acked = cumulative.wrapping_sub(self.unacknowledged);
        // An acknowledgement of nothing new, or of less than the last, is large here.
        if newly_acked.wrapping_sub(1) >= self.taken_plainly
            || packet.length() > 0
            || packet.is(ECHO | REPEATED)
        {
            return self.on_ack_otherwise(now, packet);
        }
        self.take_in_order(now, packet, cumulative, newly_acked);
        if self.is_waiting() { TimerChange::Restarts } else { TimerChange::Stops }
    }

    /// Takes in that the next `newly_acked` bytes are acknowledged, up to `cumulative`, while nothing is to be repaired.
    // Called at two places, one of them for most acknowledgements.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn take_in_order(&mut self, now: Time, packet: &Packet, cumulative: u64, newly_acked: u64) {
        self.unacknowledged = cumulative;
        let ack = Ack {
            newly_acked: Bytes::new(newly_acked),
            cumulative: self.position(cumulative),
            next_sequence: self.position(self.next),
            window_limited: self.window_limited,
            ..Ack::default()
        };
        self.round_trip.sample(now.since(Time::new(packet.stamp())));
        self.congestion_control.on_ack(now, &ack);
    }

    /// Takes an acknowledgement while something is to be repaired, or with an echo or a block, or for an option.
    #[inline(never)]
    fn on_ack_otherwise(&mut self, now: Time, packet: &Packet) -> TimerChange {
        let cumulative = packet.sequence().min(self.size);
        if self.is_at_rest
            && cumulative > self.unacknowledged
            && packet.length() == 0
            && !packet.is(ECHO | REPEATED)
        {
            return self.on_ack_at_rest(now, packet, cumulative);
        }
        if packet.is(REPEATED) {
            self.on_repeated();
        }
        if cumulative < self.unacknowledged {
            return TimerChange::Keeps;
        }
        let moved_on = cumulative - self.unacknowledged;
        let before = self.unacknowledged;
        let in_block = if packet.length() > 0 { self.on_block(now, packet) } else { 0 };
        let mut newly_acked = in_block;
        if moved_on > 0 {
            newly_acked += moved_on - self.advance(now, cumulative);
        } else if self.is_waiting() && (in_block > 0 || !self.recovery.reads_blocks() && !answers_syn(packet))
        {
            self.on_duplicate();
        }
        if self.state == State::Loss && self.is_undone(packet, before, in_block, newly_acked - in_block) {
            self.undo();
        }
        let may_grow = self.state == State::Open || self.go_on(now, moved_on);
        if moved_on > 0 {
            self.take_sample(now, packet);
        }
        let echo = packet.is(ECHO);
        if newly_acked > 0 {
            self.tell_congestion_control(now, newly_acked, echo, may_grow && moved_on > 0);
        }
        let found = self.look_for_losses(now);
        if self.options.is_some() {
            self.look_after_probe(now, packet.is(REPEATED));
            if newly_acked > 0 {
                self.spread_reduction(newly_acked, moved_on > 0 && !found);
            }
        }
        self.settle();
        self.timer_after(now, moved_on > 0, in_block > 0 || found)
    }

    /// Takes an acknowledgement in order while nothing is to be repaired.
    fn on_ack_at_rest(&mut self, now: Time, packet: &Packet, cumulative: u64) -> TimerChange {
        let moved_on = cumulative - self.unacknowledged;
        self.take_in_order(now, packet, cumulative, moved_on);
        let is_waiting = self.is_waiting();
        let Some(Options { rack, schedule, .. }) = self.options.as_deref_mut() else {
            return TimerChange::Restarts;
        };
        if let Some(rack) = rack {
            let count = if moved_on == self.segment { 1 } else { moved_on.div_ceil(self.segment) };
            rack.advance_in_order(now, count);
        }
        if let Some(schedule) = schedule {
            if !is_waiting {
                schedule.from = None;
                return TimerChange::Stops;
            }
            let runs_on = schedule.runs_on(now, &self.round_trip);
            return if runs_on { TimerChange::Keeps } else { TimerChange::Stops };
        }
        if is_waiting { TimerChange::Restarts } else { TimerChange::Stops }
    }

    /// Moves on to a cumulative acknowledgement. Returns the bytes of it that blocks had told of before.
    fn advance(&mut self, now: Time, cumulative: u64) -> u64 {
        let end = cumulative.div_ceil(self.segment);
        // The scoreboard is asked before it forgets.
        if let Some(Options { rack: Some(rack), .. }) = self.options.as_deref_mut() {
            rack.advance(now, end, &self.scoreboard);
        }
        self.unacknowledged = cumulative;
        if self.duplicates > 0 {
            self.forget_duplicates();
        }
        if self.scoreboard.is_clear() {
            return 0;
        }
        let has_last = cumulative == self.size && self.is_known(end - 1);
        let known = self.scoreboard.advance(end) * self.segment;
        known - if has_last { self.short_of_last() } else { 0 }
    }

    fn rack(&mut self) -> Option<&mut Rack> {
        self.options.as_mut()?.rack.as_mut()
    }

    /// Whether a block has told of a segment.
    fn is_known(&self, segment: u64) -> bool {
        !self.scoreboard.is_clear() && self.scoreboard.is_sacked(segment)
    }

    /// Bytes by which the last segment of the flow falls short of a full one.
    fn short_of_last(&self) -> u64 {
        self.size.next_multiple_of(self.segment) - self.size
    }

    fn take_sample(&mut self, now: Time, packet: &Packet) {
        let unacknowledged = self.unacknowledged;
        let sample = match self.timing() {
            Some(timing) => timing.on_ack(now, unacknowledged),
            None => Some(now.since(Time::new(packet.stamp()))),
        };
        if let Some(sample) = sample {
            self.round_trip.sample(sample);
        }
    }

    /// Tells the congestion control of data that has arrived. An echo may make it reduce the window.
    fn tell_congestion_control(&mut self, now: Time, newly_acked: u64, echo: bool, may_grow: bool) {
        let ack = Ack {
            newly_acked: Bytes::new(newly_acked),
            echo,
            cumulative: self.position(self.unacknowledged),
            next_sequence: self.position(self.next),
            window_limited: self.window_limited && may_grow,
            ..Ack::default()
        };
        let before = self.bounded_window();
        self.congestion_control.on_ack(now, &ack);
        if !echo {
            return;
        }
        self.tell_of_reduction(before);
        self.tell_once_a_window();
        let end = self.next;
        if self.state == State::Open
            && let Some(options) = &mut self.options
            && let Some(reduction) = &mut options.reduction
        {
            reduction.begin(before.get(), end);
            self.state = State::Reducing;
        }
    }

    /// Sets the window for what has arrived during a reduction that is spread over a round trip.
    fn spread_reduction(&mut self, arrived: u64, safe: bool) {
        if !self.spreads_reduction() {
            return;
        }
        let (in_flight, target) = (self.in_flight(), self.bounded_window().get());
        if let Some(reduction) = self.options.as_mut().and_then(|options| options.reduction.as_mut()) {
            let window = reduction.on_delivered(arrived, in_flight, target, safe);
            self.inflation = window.wrapping_sub(target);
        }
    }

    /// Lets acknowledgements take the short path once nothing is left to repair.
    fn settle(&mut self) {
        let is_whole = self.state == State::Open && self.duplicates == 0 && self.scoreboard.is_clear();
        self.taken_plainly = if is_whole && !self.is_optioned { ANY } else { 0 };
        if let Some(options) = &mut self.options {
            let is_at_rest = is_whole && options.are_at_rest();
            self.is_at_rest = is_at_rest && self.is_optioned;
            options.lets_all_leave = is_at_rest && options.segmentation.is_none();
        }
    }

    /// Effect on the retransmission timer of an acknowledgement that moves on or brings other news. If much of a window
    /// is lost, a timeout is better than repair segment by segment (RFC 6582, section 3.2, step 3).
    fn timer_after(&mut self, now: Time, moves_on: bool, has_news: bool) -> TimerChange {
        let is_waiting = self.is_waiting();
        if self.is_optioned
            && let Some(schedule) = self.schedule()
        {
            if moves_on {
                schedule.from = is_waiting.then_some(now);
            }
            if !moves_on && !has_news {
                return TimerChange::Keeps;
            }
            // Chosen anew once what may go has gone.
            schedule.heard = now;
            return TimerChange::Stops;
        }
        match (moves_on, is_waiting) {
            (false, _) => TimerChange::Keeps,
            (true, false) => TimerChange::Stops,
            (true, true) if self.partials > 1 => TimerChange::Keeps,
            (true, true) => TimerChange::Restarts,
        }
    }

    fn schedule(&mut self) -> Option<&mut Schedule> {
        self.options.as_mut()?.schedule.as_mut()
    }

    /// Takes in that the receiver had already what it has just received.
    fn on_repeated(&mut self) {
        self.spurious += 1;
        if let Some(rack) = self.rack() {
            rack.on_repeated();
        }
    }

    /// Whether an acknowledgement after a timeout shows that the timeout was too early. It tells of `in_block` bytes by its
    /// block, and of `in_order` bytes cumulatively that no block had told of.
    fn is_undone(&mut self, packet: &Packet, before: u64, in_block: u64, in_order: u64) -> bool {
        let reads_blocks = self.recovery.reads_blocks();
        let moves_on = self.unacknowledged > before;
        if reads_blocks && packet.is(REPEATED) && !moves_on && in_block == 0 {
            // A D-SACK is no duplicate acknowledgement: it tells of data that came twice, and of nothing else.
            return false;
        }
        let block_end = packet.sequence() + u64::from(packet.reception()) + packet.length();
        let Some(doubt) = self.options.as_mut().and_then(|options| options.forward_rto.as_mut()) else {
            return false;
        };
        // Of what is out only the first segment was sent again.
        let sent_again = if doubt.sends_new() { 0 } else { self.segment };
        let has_originals = in_order > sent_again || in_block > 0 && block_end <= self.recover;
        let heard = Heard {
            moves_on,
            is_whole: self.unacknowledged >= self.recover,
            has_originals: reads_blocks.then_some(has_originals),
            has_news: in_block > 0,
            has_more: self.next < self.size,
        };
        match doubt.on_ack(heard) {
            Verdict::SendsNew => self.recover = self.next,
            Verdict::Spurious => return true,
            // Without blocks nothing tells that new data has arrived: it goes again, after what is lost.
            Verdict::Right if !reads_blocks => {
                self.forced = true;
                self.begin_scoreboard();
                self.scoreboard.lose_everything_below(self.next.div_ceil(self.segment));
            }
            Verdict::Right | Verdict::Nothing => {}
        }
        false
    }

    /// Takes back what a timeout did that was too early.
    #[cold]
    fn undo(&mut self) {
        let doubt = self.options.as_mut().and_then(|options| options.forward_rto.as_mut());
        if let Some(before) = doubt.and_then(ForwardRto::before) {
            self.congestion_control = before;
        }
        self.scoreboard.nothing_is_lost();
        self.round_trip.forgive();
        self.state = State::Open;
        self.forced = false;
    }

    /// Looks whether the probe that is out has been answered, and whether it has repaired a loss (RFC 8985, section 7.4).
    fn look_after_probe(&mut self, now: Time, repeats: bool) {
        let unacknowledged = self.unacknowledged;
        let Some(probe) = self.options.as_mut().and_then(|options| options.probe.as_mut()) else { return };
        let Some(end) = probe.end else { return };
        if unacknowledged < end {
            return;
        }
        let has_repaired = probe.again && !repeats && unacknowledged > end;
        if !probe.again || repeats || has_repaired {
            probe.end = None;
        }
        if has_repaired && self.state == State::Open {
            let in_flight = self.reduced_from();
            self.lower_window(now, in_flight, LossKind::Recovery);
        }
    }

    /// Bytes that a loss takes for the window that it reduces.
    fn reduced_from(&self) -> Bytes {
        match self.loss_reduces {
            LossReduces::FlightSize => self.flight_size(),
            LossReduces::Window => self.window(),
        }
    }

    /// Tells the receiver once a window that the window was reduced, even where it is at its floor and was not.
    /// Otherwise the receiver echoes for ever (RFC 3168, section 6.1.2).
    fn tell_once_a_window(&mut self) {
        if self.reduced_before == u64::MAX || self.unacknowledged > self.reduced_before {
            self.reduced_before = self.next;
        }
    }

    /// Has the next new segment tell the receiver if the window is smaller than before.
    fn tell_of_reduction(&mut self, before: Bytes) {
        if self.bounded_window() < before {
            self.reduced_before = self.next;
        }
    }

    /// Goes on with a reduction or a recovery after an acknowledgement that moves on by `moved_on` bytes. Returns whether
    /// the window may grow by it: not while either lasts, nor by the end of a recovery without blocks, which sets the
    /// window (RFC 6582, section 3.2, step 3).
    #[cold]
    fn go_on(&mut self, now: Time, moved_on: u64) -> bool {
        if moved_on == 0 {
            return self.state == State::Loss;
        }
        if self.state == State::Reducing {
            let reduction = self.options.as_ref().and_then(|options| options.reduction.as_ref());
            if reduction.is_none_or(|reduction| self.unacknowledged > reduction.end) {
                self.state = State::Open;
                self.inflation = 0;
            }
            return self.state == State::Open;
        }
        let repairs_by_duplicates = self.state == State::Recovery && !self.recovery.reads_blocks();
        if self.unacknowledged >= self.recover || repairs_by_duplicates && self.recovery == Recovery::Reno {
            if repairs_by_duplicates && self.recovery == Recovery::NewReno {
                self.congestion_control.on_recovered(now, Bytes::new(self.next - self.unacknowledged));
            }
            if let Some(rack) = self.rack() {
                rack.on_recovered();
            }
            self.state = State::Open;
            self.inflation = 0;
            self.forced = false;
            self.partials = 0;
            return !repairs_by_duplicates;
        }
        if repairs_by_duplicates {
            // Partial window deflation (RFC 6582, section 3.2, step 3).
            self.inflation = self.inflation.saturating_sub(moved_on);
            if moved_on >= self.segment {
                self.inflation += self.segment;
            }
            self.partials = self.partials.saturating_add(1);
            self.lose_first();
        }
        self.state != State::Recovery
    }

    /// Takes the block of an acknowledgement. Returns the bytes of it that are news.
    #[cold]
    fn on_block(&mut self, now: Time, packet: &Packet) -> u64 {
        if !self.recovery.reads_blocks() {
            return 0;
        }
        self.begin_scoreboard();
        let start = packet.sequence() + u64::from(packet.reception());
        let (start, end) = (start / self.segment, (start + packet.length()).div_ceil(self.segment));
        let last = self.size.saturating_sub(1) / self.segment;
        let has_last = end > last && !self.scoreboard.is_sacked(last);
        if let Some(rack) = self.options.as_mut().and_then(|options| options.rack.as_mut()) {
            let highest = self.scoreboard.highest_sacked();
            let news = (start..end).filter(|segment| !self.scoreboard.is_sacked(*segment));
            news.for_each(|segment| rack.on_arrived(now, segment, highest));
        }
        let news = self.scoreboard.sack(start, end) * self.segment;
        news - if has_last { self.short_of_last() } else { 0 }
    }

    fn begin_scoreboard(&mut self) {
        if self.scoreboard.is_clear() {
            self.scoreboard.reset(self.unacknowledged / self.segment);
            self.limited_from = self.next;
        }
    }

    /// Bytes sent and not acknowledged as a recovery begins, without segments beyond the window that went out by
    /// limited transmit (RFC 6675, section 5, step 4.2; RFC 5681, section 3.2, step 2) [FlightSize].
    fn flight_size(&self) -> Bytes {
        let sent = self.next - self.unacknowledged;
        if self.state != State::Open || self.scoreboard.is_clear() && self.duplicates == 0 {
            return Bytes::new(sent);
        }
        let before = self.limited_from.saturating_sub(self.unacknowledged);
        if !self.recovery.reads_blocks() {
            return Bytes::new(before);
        }
        let window = self.bounded_window().get();
        let whole_segments = window / self.segment * self.segment;
        Bytes::new(sent.min(whole_segments.max(before)))
    }

    fn lose_first(&mut self) {
        self.begin_scoreboard();
        self.scoreboard.lose_first();
        self.forced = true;
    }

    /// Counts a duplicate acknowledgement. Without blocks each below the threshold lets a new segment go (limited
    /// transmit; RFC 5681, section 3.2, step 1), and in a recovery every one does.
    fn on_duplicate(&mut self) {
        if self.duplicates == 0 && !self.recovery.reads_blocks() {
            self.limited_from = self.next;
        }
        self.duplicates += 1;
        let lets_one_go = match self.state {
            State::Open | State::Reducing => {
                self.duplicates < self.duplicate_threshold && !self.repeats_repairs()
            }
            State::Recovery => true,
            State::Loss => false,
        };
        if lets_one_go && !self.recovery.reads_blocks() {
            self.inflation = self.inflation.wrapping_add(self.segment);
        }
    }

    #[cold]
    fn forget_duplicates(&mut self) {
        self.duplicates = 0;
        if self.state == State::Open {
            self.inflation = 0;
        }
    }

    /// Looks for losses, and begins a recovery if there are any. Returns whether any is new.
    fn look_for_losses(&mut self, now: Time) -> bool {
        if self.scoreboard.is_clear() && self.duplicates < self.duplicate_threshold {
            if self.is_optioned
                && let Some(rack) = self.rack()
            {
                rack.wait = None;
            }
            return false;
        }
        let (found, lost) = self.find_losses(now);
        let may_recover = match self.state {
            State::Open => true,
            State::Reducing => self.spreads_reduction(),
            State::Recovery | State::Loss => false,
        };
        if lost && may_recover && self.is_waiting() && !self.repeats_repairs() {
            self.enter_recovery(now);
        }
        found
    }

    /// Declares lost what blocks and times show. Returns whether anything is, and whether a recovery has to begin: under
    /// RACK by any loss, otherwise by that of the first segment, which duplicates show, too.
    fn find_losses(&mut self, now: Time) -> (bool, bool) {
        let threshold = self.duplicate_threshold;
        if let Some(rack) = self.options.as_mut().and_then(|options| options.rack.as_mut()) {
            let is_repairing = matches!(self.state, State::Recovery | State::Loss);
            let smoothed = self.round_trip.smoothed().unwrap_or(Span::MAX);
            let has_enough = self.scoreboard.sacked_count() >= u64::from(threshold);
            let found = rack.find_losses(now, &mut self.scoreboard, is_repairing, has_enough, smoothed);
            return (found, found);
        }
        let before = self.scoreboard.lost_count();
        let first_is_lost = self.scoreboard.find_losses(threshold) || self.duplicates >= threshold;
        (self.scoreboard.lost_count() > before, first_is_lost)
    }

    /// Whether duplicate acknowledgements may answer what was sent again, as those of the last byte of a recovery may
    /// (RFC 6582, section 3.2, step 2). Blocks tell them apart.
    fn repeats_repairs(&self) -> bool {
        self.recovery == Recovery::NewReno && self.recover > 0 && self.unacknowledged <= self.recover
    }

    #[cold]
    fn enter_recovery(&mut self, now: Time) {
        let goes_on = self.state == State::Reducing;
        let in_flight = self.reduced_from();
        let before = self.window().get();
        self.state = State::Recovery;
        self.recoveries += 1;
        // RecoveryPoint (RFC 6675, section 5, step 4.1); recover (RFC 6582, section 3.2, step 2).
        self.recover = self.next;
        self.rescued = false;
        if let Some(reduction) = self.options.as_mut().and_then(|options| options.reduction.as_mut()) {
            if goes_on {
                // As in Linux, the reduction under way ends where it would have ended.
                self.recover = reduction.end;
            } else {
                reduction.begin(before, self.next);
            }
        }
        if !self.recovery.reads_blocks() {
            // cwnd = ssthresh + 3 * SMSS (RFC 5681, section 3.2, step 3).
            self.inflation = u64::from(self.duplicate_threshold) * self.segment;
        }
        if self.recovery != Recovery::Rack {
            self.lose_first();
        }
        self.lower_window(now, in_flight, LossKind::Recovery);
    }

    fn lower_window(&mut self, now: Time, in_flight: Bytes, kind: LossKind) {
        let first_lost = self.position(self.unacknowledged);
        let end = if kind == LossKind::Recovery && self.state == State::Recovery {
            self.recover
        } else {
            self.next
        };
        let loss = Loss { in_flight, kind, first_lost, next_sequence: self.position(end) };
        let before = self.bounded_window();
        self.congestion_control.on_loss(now, &loss);
        self.tell_of_reduction(before);
    }

    /// Handles the retransmission timer, which has expired: everything that has not arrived is lost (RFC 6298,
    /// section 5.4 to 5.6).
    #[cold]
    pub fn on_timeout(&mut self, now: Time) {
        self.timeouts += 1;
        let is_first = self.expired_at != self.unacknowledged;
        if let Some(doubt) = self.options.as_mut().and_then(|options| options.forward_rto.as_mut()) {
            if is_first {
                doubt.on_first_timeout(&self.congestion_control);
            } else {
                doubt.on_timeout_again();
            }
        }
        // A second expiry for the same byte leaves the threshold (RFC 5681, section 3.1).
        if is_first {
            self.expired_at = self.unacknowledged;
            let in_flight = match self.loss_reduces {
                LossReduces::FlightSize => Bytes::new(self.next - self.unacknowledged),
                LossReduces::Window => self.window(),
            };
            self.lower_window(now, in_flight, LossKind::Timeout);
        }
        // RFC 6298, section 5.5.
        self.round_trip.back_off();
        self.state = State::Loss;
        self.partials = 0;
        self.recover = self.next;
        self.duplicates = 0;
        self.inflation = 0;
        self.forced = true;
        self.begin_scoreboard();
        self.scoreboard.lose_everything_below(self.next.div_ceil(self.segment));
        if let Some(options) = &mut self.options {
            if let Some(rack) = &mut options.rack {
                rack.wait = None;
            }
            if let Some(probe) = &mut options.probe {
                *probe = Probe::default();
            }
            if let Some(schedule) = &mut options.schedule {
                schedule.from = Some(now);
            }
        }
        self.settle();
    }

    /// Handles the timer that is due. Returns whether that was the retransmission timer.
    #[cold]
    pub fn on_timer(&mut self, now: Time) -> bool {
        let due = self.schedule().map_or(Due::Retransmission, |schedule| schedule.due);
        if due == Due::Probe && self.until_due(now) > Span::ZERO {
            // Acknowledgements have come since the timer was set.
            return false;
        }
        match self.schedule().map_or(due, |schedule| schedule.due) {
            Due::Retransmission => {
                self.on_timeout(now);
                return true;
            }
            Due::Reordering => {
                if self.look_for_losses(now) {
                    self.spread_reduction(self.segment, false);
                }
            }
            Due::Probe => self.send_probe(now),
        }
        self.settle();
        false
    }

    /// Has one segment go whatever the window: a new one, or the last again (RFC 8985, section 7.3).
    fn send_probe(&mut self, now: Time) {
        let window = self.bounded_window().get();
        let room_for_one = (self.in_flight() + self.segment).wrapping_sub(window);
        let Some(options) = &mut self.options else { return };
        if let Some(probe) = &mut options.probe {
            probe.due = Some(self.inflation);
            self.probes += 1;
        }
        self.inflation = room_for_one;
        if let Some(schedule) = &mut options.schedule {
            schedule.heard = now;
            schedule.from = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion_control::{Parameters, WindowUnit, ecn_star, reno};
    use crate::packet::{ACKNOWLEDGEMENT, Header};
    use crate::reading::from_text;
    use crate::scenario::Reduces;

    const SEGMENT: u64 = 1000;

    fn settings(recovery: Recovery) -> Tcp {
        let text = r#"payload = "1000B"
            congestion_control = { algorithm = "reno" }"#;
        let mut settings: Tcp = from_text(text);
        settings.recovery = recovery;
        settings.congestion_control = Parameters::Reno(reno::Parameters {});
        settings
    }

    /// Sends all that may leave. Nothing leaves behind a segment that fills the window.
    fn sent(sender: &mut TcpSender) -> Vec<u64> {
        let (mut sent, mut is_full) = (Vec::new(), false);
        loop {
            let is_limited = sender.window_limited;
            match sender.poll_transmit(Time::ZERO) {
                Transmit::Segment { sequence, fills_window, .. } => {
                    assert!(!is_full);
                    is_full = fills_window;
                    sent.push(sequence / SEGMENT);
                }
                answer => {
                    if is_full {
                        assert_eq!((answer, sender.window_limited), (Transmit::WindowFull, is_limited));
                    }
                    return sent;
                }
            }
        }
    }

    fn acknowledgement(next: u64, block: Option<(u64, u64)>) -> Packet {
        let (start, end) = block.unwrap_or((next, next));
        Header {
            sequence: next * SEGMENT,
            reception: ((start - next) * SEGMENT) as u32,
            length: ((end - start) * SEGMENT) as u32,
            flags: ACKNOWLEDGEMENT,
            ..Header::default()
        }
        .into()
    }

    fn ack(sender: &mut TcpSender, next: u64, block: Option<(u64, u64)>) -> Vec<u64> {
        sender.on_ack(Time::new(100_000_000), &acknowledgement(next, block));
        sent(sender)
    }

    fn sender(recovery: Recovery, segments: u64) -> TcpSender {
        TcpSender::new(
            &settings(recovery),
            &Host::default(),
            Bytes::new(segments * SEGMENT),
            Identity::default(),
        )
    }

    #[test]
    fn each_acknowledgement_in_slow_start_lets_two_segments_go() {
        let mut sender = sender(Recovery::Sack, 100);
        assert_eq!(sent(&mut sender), (0..10).collect::<Vec<_>>());
        assert_eq!(ack(&mut sender, 1, None), [10, 11]);
        assert_eq!(ack(&mut sender, 2, None), [12, 13]);
    }

    #[test]
    fn a_window_at_its_maximum_does_not_grow() {
        let mut settings = settings(Recovery::Sack);
        settings.maximum_window = Some(Bytes::new(12 * SEGMENT));
        let mut sender = TcpSender::new(&settings, &Host::default(), Bytes::MAX, Identity::default());
        sent(&mut sender);
        assert_eq!(ack(&mut sender, 1, None), [10, 11]);
        assert_eq!(ack(&mut sender, 2, None), [12, 13]);
        for next in 3..40 {
            assert_eq!(ack(&mut sender, next, None), [next + 11]);
        }
        assert_eq!(sender.window(), Bytes::new(12 * SEGMENT));
    }

    #[test]
    fn an_acknowledgement_of_joined_segments_counts_as_one_of_each() {
        let window = |host: Host| {
            let mut sender =
                TcpSender::new(&settings(Recovery::Sack), &host, Bytes::MAX, Identity::default());
            sent(&mut sender);
            ack(&mut sender, 10, None);
            sender.window()
        };
        assert_eq!(window(Host::default()), Bytes::new(11 * SEGMENT));
        let host = Host { receive_offload: Some(Bytes::new(64_000)), ..Host::default() };
        assert_eq!(window(host), Bytes::new(20 * SEGMENT));
    }

    #[test]
    fn the_first_new_segment_after_a_cut_tells_of_it() {
        let mut sender = sender(Recovery::Sack, 100);
        sent(&mut sender);
        ack(&mut sender, 2, None);
        for end in 4..7 {
            ack(&mut sender, 2, Some((3, end)));
        }
        let told = (0..100).filter(|segment| sender.tells_of_reduction(segment * SEGMENT));
        assert_eq!(told.collect::<Vec<_>>(), [15]);
    }

    /// A window of two segments cannot be halved. A receiver that echoes marks until it is told stops all the same.
    #[test]
    fn a_window_at_its_floor_tells_of_an_echo_once_a_window() {
        let mut settings = settings(Recovery::Sack);
        settings.initial_window = 2;
        settings.congestion_control = Parameters::EcnStar(ecn_star::Parameters {});
        let mut sender =
            TcpSender::new(&settings, &Host::default(), Bytes::new(100 * SEGMENT), Identity::default());
        assert_eq!(sent(&mut sender), [0, 1]);
        let echo =
            |next| Header { sequence: next * SEGMENT, flags: ACKNOWLEDGEMENT | ECHO, ..Header::default() };
        let mut told = Vec::new();
        for next in 1..=6 {
            sender.on_ack(Time::new(100_000_000), &echo(next).into());
            let sent = sent(&mut sender);
            told.extend(sent.into_iter().filter(|segment| sender.tells_of_reduction(segment * SEGMENT)));
        }
        assert_eq!(sender.window(), Bytes::new(2 * SEGMENT));
        assert_eq!(told, [2, 4, 6]);
    }

    #[test]
    fn the_largest_window_bounds_the_first_one_and_what_is_cut() {
        let mut settings = settings(Recovery::Sack);
        settings.initial_window = 10;
        settings.maximum_window = Some(Bytes::new(4 * SEGMENT));
        settings.congestion_control = Parameters::EcnStar(ecn_star::Parameters {});
        let mut sender =
            TcpSender::new(&settings, &Host::default(), Bytes::new(100 * SEGMENT), Identity::default());
        assert_eq!(sent(&mut sender), [0, 1, 2, 3]);
        let echo = Header { sequence: SEGMENT, flags: ACKNOWLEDGEMENT | ECHO, ..Header::default() };
        sender.on_ack(Time::new(100_000_000), &echo.into());
        assert_eq!(sender.window(), Bytes::new(2 * SEGMENT));
    }

    #[test]
    fn sack_repairs_several_holes_in_one_round() {
        let mut sender = sender(Recovery::Sack, 100);
        sent(&mut sender);
        ack(&mut sender, 2, None);
        assert_eq!(ack(&mut sender, 2, Some((3, 4))), [13]);
        assert_eq!(ack(&mut sender, 2, Some((5, 6))), [14]);
        assert_eq!(ack(&mut sender, 2, Some((5, 7))), [2]);
        assert_eq!(ack(&mut sender, 2, Some((5, 8))), Vec::<u64>::new());
        for end in 9..13 {
            ack(&mut sender, 2, Some((5, end)));
        }
        assert_eq!(sender.retransmitted, Bytes::new(2 * SEGMENT));
        assert!(ack(&mut sender, 4, Some((5, 13))).iter().all(|&segment| segment >= 15));
        assert_eq!(sender.timeouts, 0);
    }

    /// Ten segments are out, and two more go for the first two blocks: the window becomes five segments, and not six.
    #[test]
    fn segments_of_limited_transmit_are_no_part_of_what_is_halved() {
        let mut sender = sender(Recovery::Sack, 100);
        assert_eq!(sent(&mut sender).len(), 10);
        assert_eq!(ack(&mut sender, 0, Some((1, 2))), [10]);
        assert_eq!(ack(&mut sender, 0, Some((1, 3))), [11]);
        assert_eq!(ack(&mut sender, 0, Some((1, 4))), [0]);
        assert_eq!(sender.window(), Bytes::new(5 * SEGMENT));
    }

    /// Of the ten segments that were out when an echo cut the window, the last is lost, and noticed after two of
    /// limited transmit.
    #[test]
    fn a_loss_in_a_window_that_an_echo_cut_does_not_cut_it_again() {
        let mut settings = settings(Recovery::Sack);
        settings.congestion_control = Parameters::EcnStar(ecn_star::Parameters {});
        let mut sender =
            TcpSender::new(&settings, &Host::default(), Bytes::new(100 * SEGMENT), Identity::default());
        sent(&mut sender);
        let echo = Header { sequence: SEGMENT, flags: ACKNOWLEDGEMENT | ECHO, ..Header::default() };
        sender.on_ack(Time::new(1), &echo.into());
        let window = sender.window();
        (2..10).for_each(|next| drop(ack(&mut sender, next, None)));
        for end in 11..15 {
            ack(&mut sender, 9, Some((10, end)));
        }
        assert_eq!(sender.state, State::Recovery);
        assert!(sender.window() >= window, "{} after {window}", sender.window());
    }

    #[test]
    fn new_reno_repairs_one_hole_a_round() {
        let mut sender = sender(Recovery::NewReno, 100);
        sent(&mut sender);
        assert!(ack(&mut sender, 0, None).is_empty(), "the answer to a second SYN");
        assert_eq!(ack(&mut sender, 0, Some((1, 2))), [10]);
        assert_eq!(ack(&mut sender, 0, Some((1, 3))), [11]);
        assert_eq!(ack(&mut sender, 0, Some((1, 4))), [0]);
        assert_eq!(sender.window(), Bytes::new(5 * SEGMENT));
        assert_eq!(ack(&mut sender, 4, None), [4]);
        ack(&mut sender, 12, None);
        assert_eq!(sender.state, State::Open);
        assert_eq!(sender.retransmitted, Bytes::new(2 * SEGMENT));
    }

    /// RFC 6582, section 3.2, step 3: the window is what it says, and does not grow by the acknowledgement that ends
    /// the recovery.
    #[test]
    fn the_end_of_a_new_reno_recovery_leaves_the_window_at_the_threshold() {
        let mut sender = sender(Recovery::NewReno, 1000);
        sent(&mut sender);
        for end in 2..14 {
            ack(&mut sender, 0, Some((1, end)));
        }
        sender.window_limited = true;
        let recover = sender.recover / SEGMENT;
        ack(&mut sender, recover, None);
        assert_eq!((sender.state, sender.window()), (State::Open, Bytes::new(5 * SEGMENT)));
    }

    /// Of ten segments the last, of one byte, has arrived.
    #[test]
    fn a_short_last_segment_counts_by_its_bytes() {
        let mut sender = TcpSender::new(
            &settings(Recovery::Sack),
            &Host::default(),
            Bytes::new(9 * SEGMENT + 1),
            Identity::default(),
        );
        sent(&mut sender);
        let of_bytes = |start: u64, end: u64| Header {
            reception: start as u32,
            length: (end - start) as u32,
            flags: ACKNOWLEDGEMENT,
            ..Header::default()
        };
        sender.on_ack(Time::new(1), &of_bytes(9 * SEGMENT, 9 * SEGMENT + 1).into());
        assert_eq!(sender.in_flight(), 9 * SEGMENT);
    }

    /// RFC 6582, section 3.2, step 3: only the first partial acknowledgement restarts the timer.
    #[test]
    fn the_timer_runs_on_from_the_second_partial_acknowledgement() {
        let mut sender = sender(Recovery::NewReno, 100);
        sent(&mut sender);
        for end in 2..5 {
            ack(&mut sender, 0, Some((1, end)));
        }
        let kept = [1, 2, 3, 12].map(|next| {
            let change = sender.on_ack(Time::new(100_000_000), &acknowledgement(next, None));
            sent(&mut sender);
            change
        });
        let (keeps, restarts) = (TimerChange::Keeps, TimerChange::Restarts);
        assert_eq!(kept, [restarts, keeps, keeps, TimerChange::Stops]);
    }

    /// RFC 6582, section 3.2, step 2: after a timeout no fast retransmit until more than `recover` is acknowledged.
    #[test]
    fn duplicates_of_the_end_of_a_recovery_repair_nothing() {
        let mut sender = sender(Recovery::NewReno, 100);
        sent(&mut sender);
        sender.on_timeout(Time::new(5_000_000_000));
        assert_eq!(sent(&mut sender), [0]);
        assert_eq!(ack(&mut sender, 10, None), [10, 11]);
        for _ in 0..3 {
            assert!(ack(&mut sender, 10, Some((11, 12))).is_empty());
        }
        ack(&mut sender, 11, None);
        let new = [12, 13].map(|_| ack(&mut sender, 11, Some((12, 13))));
        assert!(new.iter().flatten().all(|segment| *segment > 11), "{new:?}");
        assert_eq!(ack(&mut sender, 11, Some((12, 13))).first(), Some(&11));
    }

    /// RFC 6675 leaves the window at the threshold; only the inflated one of RFC 6582 is deflated.
    #[test]
    fn a_recovery_by_blocks_ends_with_the_window_that_it_began_with() {
        for (recovery, segments) in [(Recovery::Sack, 5), (Recovery::NewReno, 2)] {
            let mut sender = sender(recovery, 10);
            sent(&mut sender);
            for end in 2..5 {
                ack(&mut sender, 0, Some((1, end)));
            }
            ack(&mut sender, 10, None);
            assert_eq!(sender.window(), Bytes::new(segments * SEGMENT));
        }
    }

    #[test]
    fn a_sender_tells_its_state_and_counts_its_recoveries() {
        let mut sender = sender(Recovery::Sack, 10);
        sent(&mut sender);
        assert_eq!((sender.state(), sender.smoothed_rtt(), sender.threshold()), (State::Open, None, None));
        for end in 2..5 {
            ack(&mut sender, 0, Some((1, end)));
        }
        assert_eq!((sender.state(), sender.recoveries), (State::Recovery, 1));
        assert_eq!(sender.threshold(), Some(Bytes::new(5 * SEGMENT)));
        sender.on_timeout(Time::new(5_000_000_000));
        assert_eq!((sender.state(), sender.recoveries), (State::Loss, 1));
        ack(&mut sender, 10, None);
        assert_eq!(
            (sender.state(), sender.smoothed_rtt()),
            (State::Open, Some(Span::from_microseconds(100)))
        );
    }

    #[test]
    fn a_timeout_starts_again_from_what_is_not_acknowledged() {
        let mut sender = sender(Recovery::Sack, 100);
        sent(&mut sender);
        sender.on_timeout(Time::new(5_000_000_000));
        assert_eq!(sent(&mut sender), [0]);
        assert_eq!(ack(&mut sender, 1, None), [1, 2]);
        assert_eq!(ack(&mut sender, 10, None).first(), Some(&10));
    }

    #[test]
    fn a_second_timeout_waits_twice_as_long_and_leaves_the_threshold() {
        let mut sender = sender(Recovery::Sack, 100);
        sent(&mut sender);
        sender.on_timeout(Time::new(1));
        sent(&mut sender);
        sender.on_timeout(Time::new(2));
        assert_eq!(sender.timeout(), Span::from_milliseconds(20));
        sent(&mut sender);
        ack(&mut sender, 1, None);
        assert_eq!(sender.window(), Bytes::new(2 * SEGMENT));
        assert_eq!(sender.timeouts, 2);
    }

    /// The timeout is 300 us by one sample of 100 us. It is twice that until data that was sent only once is
    /// acknowledged.
    #[test]
    fn without_timestamps_a_back_off_lasts_until_new_data_is_acknowledged() {
        let settings = Tcp { timestamps: false, minimum_rto: Span::new(1), ..settings(Recovery::Sack) };
        let mut sender = TcpSender::new(&settings, &Host::default(), Bytes::MAX, Identity::default());
        sent(&mut sender);
        ack(&mut sender, 1, None);
        assert_eq!(sender.timeout(), Span::from_microseconds(300));
        sender.on_timeout(Time::new(400_000_000));
        assert_eq!(sent(&mut sender), [1]);
        ack(&mut sender, 12, None);
        assert_eq!(sender.timeout(), Span::from_microseconds(600), "acknowledged after a repair");
        sender.on_timeout(Time::new(1_000_000_000));
        assert_eq!(sender.window(), Bytes::new(SEGMENT), "other data, another loss");
        assert_eq!(sender.timeout(), Span::from_microseconds(1200));
    }

    #[test]
    fn a_flow_that_is_to_end_sends_one_more_segment() {
        let mut sender =
            TcpSender::new(&settings(Recovery::Sack), &Host::default(), Bytes::MAX, Identity::default());
        assert_eq!(sent(&mut sender).len(), 10);
        assert_eq!(sender.end(), Bytes::new(11 * SEGMENT));
        assert_eq!(ack(&mut sender, 5, None), [10]);
        ack(&mut sender, 11, None);
        assert!(sender.is_done());
        let mut short = TcpSender::new(
            &settings(Recovery::Sack),
            &Host::default(),
            Bytes::new(1500),
            Identity::default(),
        );
        short.poll_transmit(Time::ZERO);
        assert_eq!(short.end(), Bytes::new(1500), "less than a segment is left");
    }

    #[test]
    fn the_last_segment_is_as_short_as_the_flow_needs() {
        let mut sender = TcpSender::new(
            &settings(Recovery::Sack),
            &Host::default(),
            Bytes::new(1500),
            Identity::default(),
        );
        sender.poll_transmit(Time::ZERO);
        let last =
            Transmit::Segment { sequence: 1000, length: 500, retransmission: false, fills_window: false };
        assert_eq!(sender.poll_transmit(Time::ZERO), last);
        assert_eq!(sender.poll_transmit(Time::ZERO), Transmit::Idle);
    }

    /// RFC 5681, section 3.2, step 6: Reno's recovery ends with the first acknowledgement of new data, with the threshold as
    /// its window, though a hole is left.
    #[test]
    fn a_reno_recovery_ends_with_the_first_new_acknowledgement() {
        let mut sender = sender(Recovery::Reno, 100);
        sent(&mut sender);
        for end in 2..5 {
            ack(&mut sender, 0, Some((1, end)));
        }
        assert_eq!((sender.state, sender.recoveries), (State::Recovery, 1));
        ack(&mut sender, 4, None);
        assert_eq!((sender.state, sender.window()), (State::Open, Bytes::new(5 * SEGMENT)));
    }

    fn linux(change: impl FnOnce(&mut Tcp)) -> TcpSender {
        let mut settings = Tcp {
            reduction: Reduces::Proportionally,
            loss_reduces: LossReduces::Window,
            window_unit: WindowUnit::Segments,
            growth: Some(Growth::Segments),
            tail_loss_probe: true,
            f_rto: true,
            clock_granularity: Span::from_milliseconds(1),
            ..settings(Recovery::Rack)
        };
        change(&mut settings);
        TcpSender::new(&settings, &Host::default(), Bytes::new(100 * SEGMENT), Identity::default())
    }

    /// Ten segments are out when an echo comes with the acknowledgement of two: the window goes to five over the round trip.
    /// While more than five are out, one leaves for each two that are acknowledged. The window does not grow before
    /// something sent later is acknowledged.
    #[test]
    fn an_echo_reduces_the_window_over_a_round_trip() {
        let mut sender = linux(|settings| {
            settings.congestion_control = Parameters::EcnStar(ecn_star::Parameters {});
        });
        assert_eq!(sent(&mut sender).len(), 10);
        let echo = Header { sequence: 2 * SEGMENT, flags: ACKNOWLEDGEMENT | ECHO, ..Header::default() };
        sender.on_ack(Time::new(100_000_000), &echo.into());
        assert_eq!((sent(&mut sender), sender.window()), (vec![10], Bytes::new(9 * SEGMENT)));
        let windows = [4, 6, 8, 10].map(|next| {
            ack(&mut sender, next, None);
            sender.window().get() / SEGMENT
        });
        assert_eq!((windows, sender.state), ([8, 7, 5, 5], State::Reducing));
        ack(&mut sender, 12, None);
        assert_eq!((sender.state, sender.window().get()), (State::Open, 5 * SEGMENT));
    }

    /// RFC 8985, section 7: the flow hears nothing for two round trips of 100 us and two ticks, and sends one more segment
    /// than its window allows.
    #[test]
    fn a_probe_goes_beyond_the_window_and_repairs_a_tail() {
        let mut sender = linux(|_| ());
        sent(&mut sender);
        ack(&mut sender, 1, None);
        let now = Time::new(100_000_000);
        assert_eq!(sender.until_due(now), Span::from_microseconds(2_900), "3 ms, on a tick");
        let later = Time::new(3_000_000_000);
        assert!(!sender.on_timer(later), "no timeout");
        assert_eq!((sent(&mut sender), sender.probes), (vec![12], 1));
        // Everything but the first of what was out has arrived, the probe too.
        sender.on_ack(Time::new(3_100_000_000), &acknowledgement(1, Some((2, 13))));
        assert_eq!((sender.state, sender.timeouts), (State::Recovery, 0));
        assert_eq!(sent(&mut sender).first(), Some(&1));
    }

    /// RFC 5682: a segment that was sent before the timeout, and not again, is acknowledged after it.
    #[test]
    fn a_timeout_that_was_too_early_is_taken_back() {
        let mut sender = linux(|_| ());
        sent(&mut sender);
        ack(&mut sender, 1, None);
        let window = sender.window();
        sender.on_timeout(Time::new(200_000_000));
        assert_eq!((sent(&mut sender), sender.window()), (vec![1], Bytes::new(SEGMENT)));
        ack(&mut sender, 4, None);
        assert_eq!(sender.state, State::Open);
        assert!(sender.window() >= window, "{} after {window}", sender.window());
        assert_eq!(sender.retransmitted, Bytes::new(SEGMENT));
    }

    /// Nine segments have arrived beyond a hole when the timer expires. What fills the hole acknowledges all, and shows
    /// nothing: blocks had told of the others before.
    #[test]
    fn a_timeout_that_a_loss_caused_stays() {
        let mut sender = linux(|settings| settings.duplicate_threshold = 100);
        sent(&mut sender);
        ack(&mut sender, 0, Some((1, 10)));
        sender.on_timeout(Time::new(200_000_000));
        assert_eq!(sent(&mut sender), [0]);
        ack(&mut sender, 10, None);
        assert_ne!(sender.window(), Bytes::new(10 * SEGMENT));
        assert_eq!(sender.congestion_control.threshold(), Some(Bytes::new(5 * SEGMENT)));
    }

    /// Without blocks, two holes: after the first is filled, new data brings a duplicate. The timeout was right (RFC 5682,
    /// section 2.1, step 3a), and the second hole is filled at once.
    #[test]
    fn a_timeout_that_was_right_goes_on_repairing_without_blocks() {
        let mut sender = linux(|settings| settings.recovery = Recovery::Reno);
        sent(&mut sender);
        sender.on_timeout(Time::new(200_000_000));
        assert_eq!(sent(&mut sender), [0]);
        assert_eq!(ack(&mut sender, 4, None).first(), Some(&10), "new data");
        assert_eq!(ack(&mut sender, 4, None).first(), Some(&4));
    }

    /// D-SACK (RFC 2883) and the count of what was sent again in vain.
    #[test]
    fn segments_that_the_receiver_had_already_are_counted() {
        let mut sender = sender(Recovery::Sack, 100);
        sent(&mut sender);
        let repeated = Header { sequence: SEGMENT, flags: ACKNOWLEDGEMENT | REPEATED, ..Header::default() };
        sender.on_ack(Time::new(1), &repeated.into());
        assert_eq!(sender.spurious, 1);
        sender.on_ack(Time::new(2), &repeated.into());
        assert_eq!(sender.spurious, 2);
    }
}
