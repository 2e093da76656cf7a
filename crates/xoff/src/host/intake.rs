//! Intake of a slow adapter: packets wait for it, and senders of lossless classes are paused.
//!
//! A slow receiver takes in less than its link brings, as when a server's memory or bus is busy. Packets wait before it
//! in order. When so many bytes wait as XOFF says, the adapter pauses the lossless classes of its link; it lets them go
//! on at XON. Packets beyond the limit of their class are lost.

use std::collections::VecDeque;
use std::slice::from_mut;

use super::TimerKey;
use super::pending::Pending;
use crate::agenda::{Agenda, Context};
use crate::classes::Classes;
use crate::kernel::ring::Ring;
use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Rate, Time};
use crate::observer::{DropReason, Observer, PauseReason, Xoff};
use crate::packet::Packet;
use crate::pause_frames::{PauseFrames, PfcRequest};
use crate::pfc::{Durations, OffTime};
use crate::port::Port;
use crate::queued_flows::{MOST_FLOWS, by_flow};

/// A time in which an adapter takes in less than its link brings.
#[derive(Clone, Copy, Debug)]
pub struct SlowTime {
    /// Begin of the slow time.
    pub start: Time,
    /// End of the slow time; `Time::MAX` for good.
    pub end: Time,
    /// Frame bytes that the adapter takes in per time; `None` where it takes in nothing.
    pub rate: Option<Rate>,
    /// Waiting bytes at which lossless classes pause, and which packets of other classes may not exceed [XOFF].
    pub xoff: Bytes,
    /// Waiting bytes that packets of lossless classes may not exceed: XOFF and headroom.
    pub most: Bytes,
    /// Waiting bytes at which lossless classes resume [XON].
    pub xon: Bytes,
}

/// Packets that wait before an adapter which is slow at times.
#[derive(Debug)]
pub(super) struct Intake {
    /// Slow times that are not over, in order.
    slow_times: VecDeque<SlowTime>,
    /// Rate at which the link brings packets.
    rate: Rate,
    waiting: Ring<Packet>,
    held: Bytes,
    state: State,
    /// Bytes of the first packet still to take in, if part of it was taken in.
    left: Option<Bytes>,
    /// Waiting bytes at which senders resume; `None` while no sender is paused.
    resumes_at: Option<Bytes>,
    off_time: OffTime,
    frames: PauseFrames,
}

/// State of the first packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not begun, or there is none.
    Idle,
    /// Being taken in.
    TakingIn,
    /// Interrupted until a slow time begins or ends.
    Suspended,
}

impl Intake {
    /// The intake of an adapter that is slow at `slow_times`, given in order, and otherwise takes in as much as its link
    /// brings, at `rate`. It pauses senders by `frames`.
    pub(super) fn new(slow_times: Vec<SlowTime>, rate: Rate, frames: PauseFrames) -> Self {
        Self {
            slow_times: slow_times.into(),
            rate,
            waiting: Ring::new(),
            held: Bytes::ZERO,
            state: State::Idle,
            left: None,
            resumes_at: None,
            off_time: OffTime::default(),
            frames,
        }
    }

    /// The packets that wait.
    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.waiting.iter()
    }

    /// Pause frames by which the adapter pauses senders.
    pub(super) fn frames(&mut self) -> &mut PauseFrames {
        &mut self.frames
    }

    /// Whether the adapter has senders pause now.
    pub(super) fn pauses_senders(&self) -> bool {
        self.resumes_at.is_some()
    }

    /// Time by `now` in which the adapter has had senders pause.
    pub(super) fn off_durations(&self, now: Time) -> Durations {
        self.off_time.by(now)
    }

    /// Slow time at `now`, if there is one.
    fn slow_time(&mut self, now: Time) -> Option<SlowTime> {
        while self.slow_times.front().is_some_and(|slow| slow.end <= now) {
            self.slow_times.pop_front();
        }
        self.slow_times.front().copied().filter(|slow| slow.start <= now)
    }

    /// Rate at which the adapter takes in, if any, and the time until which that rate holds.
    fn pace(&mut self, now: Time) -> (Option<Rate>, Time) {
        match self.slow_time(now) {
            Some(slow) => (slow.rate, slow.end),
            None => (Some(self.rate), self.slow_times.front().map_or(Time::MAX, |next| next.start)),
        }
    }

    /// Takes a packet that has arrived. Returns it if the adapter has taken it in at once.
    #[cold]
    pub(super) fn take(
        &mut self,
        packet: Packet,
        port: &mut Port,
        pending: &mut Pending,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Packet> {
        let slow_time = self.slow_time(context.now);
        if self.state == State::Idle && slow_time.is_none() {
            return Some(packet);
        }
        let lossless = context.fabric.lossless;
        let held = self.held + packet.frame();
        let is_lossless = lossless.contains(packet.priority());
        let limit = slow_time.map(|slow| if is_lossless { slow.most } else { slow.xoff });
        if let Some(limit) = limit.filter(|&limit| held > limit) {
            let room = Room { held: self.held, limit };
            port.drop(&packet, DropReason::ReceiverFull, Some(room), context);
            return None;
        }
        self.held = held;
        self.waiting.push_back(packet);
        if let Some(SlowTime { xoff, xon, .. }) = slow_time
            && held >= xoff
            && !lossless.is_empty()
            && self.resumes_at.is_none()
        {
            self.resumes_at = Some(xon);
            let classes = lossless.count();
            self.off_time.change(context.now, (0, classes), (0, classes));
            self.tell_senders(port, context);
            self.explain_pause(port, context);
        }
        self.take_next(pending, context.now);
        None
    }

    /// Begins or goes on to take in the first waiting packet, unless the adapter is taking it in already.
    fn take_next(&mut self, pending: &mut Pending, now: Time) {
        if self.state != State::Idle {
            return;
        }
        let Some(frame) = self.waiting.front().map(Packet::frame) else { return };
        let (rate, end) = self.pace(now);
        let left = self.left.unwrap_or(frame);
        let whole = rate.map(|rate| now + rate.transmission_time(left)).filter(|&whole| whole <= end);
        let next = if let Some(whole) = whole {
            (self.state, self.left) = (State::TakingIn, None);
            whole
        } else {
            let taken_in = rate.map_or(Bytes::ZERO, |rate| rate.bytes_in(end.since(now)));
            (self.state, self.left) = (State::Suspended, Some(left - taken_in));
            end
        };
        if next != Time::MAX {
            pending.once(TimerKey::Intake, next);
        }
    }

    /// Goes on with the first packet that waits. Returns it if it was taken in; otherwise the adapter goes on with it
    /// at another rate.
    pub(super) fn on_timer(
        &mut self,
        port: &mut Port,
        pending: &mut Pending,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Packet> {
        if std::mem::replace(&mut self.state, State::Idle) == State::Suspended {
            self.take_next(pending, context.now);
            return None;
        }
        let packet = self.waiting.take_front();
        self.held -= packet.frame();
        if self.resumes_at.is_some_and(|xon| self.held <= xon) {
            self.resumes_at = None;
            let classes = context.fabric.lossless.count();
            self.off_time.change(context.now, (classes, 0), (classes, 0));
            self.tell_senders(port, context);
        }
        self.take_next(pending, context.now);
        Some(packet)
    }

    /// Tells the switch whether lossless classes are to pause.
    pub(super) fn tell_senders(
        &mut self,
        port: &mut Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let classes = context.fabric.lossless;
        let request = match self.resumes_at {
            Some(_) => PfcRequest { pause: classes, resume: Classes::NONE },
            None => PfcRequest { pause: Classes::NONE, resume: classes },
        };
        self.frames.tell(request, 0, from_mut(port), context);
    }

    /// Tells the observer of a pause and of the packets that wait.
    fn explain_pause(&self, port: &Port, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if !context.observer.watches_pauses() {
            return;
        }
        let mut flows = by_flow(self.packets());
        let flow_count = flows.len() as u32;
        flows.truncate(MOST_FLOWS);
        let (port, held) = (port.id(), self.held);
        for priority in context.fabric.lossless.iter() {
            let xoff = Xoff {
                port,
                priority,
                reason: PauseReason::Receiver,
                bytes: held,
                egress: port,
                cause_priority: priority,
                egress_bytes: held,
                queue_bytes: held,
                flows: flows.clone(),
                flow_count,
            };
            context.observer.on_xoff(context.now, xoff);
        }
    }
}
