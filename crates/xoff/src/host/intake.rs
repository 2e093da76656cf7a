//! What an adapter takes in where that is less than its link brings: packets wait for it, and senders of lossless classes pause.

use std::collections::VecDeque;
use std::slice::from_mut;

use super::{Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::classes::Classes;
use crate::kernel::ring::Ring;
use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Rate, Time};
use crate::observer::{DropReason, Observer, PauseReason, Xoff};
use crate::packet::Packet;
use crate::pause_frames::{PauseFrames, PfcRequest};
use crate::pfc::{Durations, OffTime};
use crate::queued_flows::{MOST_FLOWS, by_flow};

/// A time in which an adapter takes in less than its link brings.
#[derive(Clone, Copy, Debug)]
pub struct SlowTime {
    /// From when on.
    pub start: Time,
    /// Until when; `Time::MAX` for good.
    pub end: Time,
    /// How much of frames; nothing where there is none.
    pub rate: Option<Rate>,
    /// Bytes that wait at which lossless classes pause [XOFF], and which packets of others may not exceed.
    pub xoff: Bytes,
    /// Which those of lossless classes may not exceed: XOFF and headroom.
    pub most: Bytes,
    /// Bytes at which they resume [XON].
    pub xon: Bytes,
}

/// What waits in an adapter that is slow at times.
#[derive(Debug)]
pub(super) struct Intake {
    /// Those that are not over, in their order.
    slow_times: VecDeque<SlowTime>,
    waiting: Ring<Packet>,
    held: Bytes,
    state: State,
    /// Of the first packet that waits, if some of it has been taken in.
    left: Option<Bytes>,
    /// At how many bytes senders resume that pause.
    resumes_at: Option<Bytes>,
    off_time: OffTime,
    frames: PauseFrames,
}

/// What becomes of the first packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing yet, or there is none.
    Idle,
    /// It is being taken in.
    TakingIn,
    /// No more of it than has been is taken in until a slow time begins or ends.
    Suspended,
}

impl Intake {
    /// The packets that wait.
    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.waiting.iter()
    }

    /// In which frames it pauses senders.
    pub(super) fn frames(&mut self) -> &mut PauseFrames {
        &mut self.frames
    }

    /// Whether it has had senders pause.
    pub(super) fn pauses_senders(&self) -> bool {
        self.resumes_at.is_some()
    }

    /// For how long by now it has had senders pause.
    pub(super) fn off_durations(&self, now: Time) -> Durations {
        self.off_time.by(now)
    }

    /// The slow time that it is, if it is one.
    fn slow_time(&mut self, now: Time) -> Option<SlowTime> {
        while self.slow_times.front().is_some_and(|slow| slow.end <= now) {
            self.slow_times.pop_front();
        }
        self.slow_times.front().copied().filter(|slow| slow.start <= now)
    }

    /// How fast an adapter of this rate takes in, if it does, and until when.
    fn pace(&mut self, now: Time, rate: Rate) -> (Option<Rate>, Time) {
        match self.slow_time(now) {
            Some(slow) => (slow.rate, slow.end),
            None => (Some(rate), self.slow_times.front().map_or(Time::MAX, |next| next.start)),
        }
    }
}

impl Host {
    /// The same host, whose adapter is slow at these times, in their order, and pauses senders in these frames.
    #[must_use]
    pub fn with_slow_times(self, slow_times: Vec<SlowTime>, frames: PauseFrames) -> Self {
        let intake = Intake {
            slow_times: slow_times.into(),
            waiting: Ring::new(),
            held: Bytes::ZERO,
            state: State::Idle,
            left: None,
            resumes_at: None,
            off_time: OffTime::default(),
            frames,
        };
        Self { intake: Some(Box::new(intake)), ..self }
    }

    /// A packet has arrived where adapters may be slow.
    #[cold]
    pub(super) fn take_in(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Some(intake) = &mut self.intake else { return self.on_taken_in(packet, context) };
        let slow_time = intake.slow_time(context.now);
        if intake.state == State::Idle && slow_time.is_none() {
            return self.on_taken_in(packet, context);
        }
        let lossless = context.fabric.lossless;
        let held = intake.held + packet.frame();
        let is_lossless = lossless.contains(packet.priority());
        let limit = slow_time.map(|slow| if is_lossless { slow.most } else { slow.xoff });
        if let Some(limit) = limit.filter(|&limit| held > limit) {
            let room = Room { held: intake.held, limit };
            return self.adapter.port.drop(&packet, DropReason::ReceiverFull, Some(room), context);
        }
        intake.held = held;
        intake.waiting.push_back(packet);
        if let Some(SlowTime { xoff, xon, .. }) = slow_time
            && held >= xoff
            && !lossless.is_empty()
            && intake.resumes_at.is_none()
        {
            intake.resumes_at = Some(xon);
            let classes = lossless.count();
            intake.off_time.change(context.now, (0, classes), (0, classes));
            self.tell_senders(context);
            self.explain_pause(context);
        }
        self.take_in_next(context);
    }

    /// Begins with the first packet that waits, or goes on with it, unless it is being taken in.
    fn take_in_next(&mut self, context: &Context<'_, impl Agenda, impl Observer>) {
        let Some(intake) = self.intake.as_mut().filter(|intake| intake.state == State::Idle) else { return };
        let Some(frame) = intake.waiting.front().map(Packet::frame) else { return };
        let (rate, end) = intake.pace(context.now, self.adapter.port.rate());
        let left = intake.left.unwrap_or(frame);
        let whole = rate.map(|rate| context.now + rate.transmission_time(left)).filter(|&whole| whole <= end);
        let next = if let Some(whole) = whole {
            (intake.state, intake.left) = (State::TakingIn, None);
            whole
        } else {
            let taken_in = rate.map_or(Bytes::ZERO, |rate| rate.bytes_in(end.since(context.now)));
            (intake.state, intake.left) = (State::Suspended, Some(left - taken_in));
            end
        };
        if next != Time::MAX {
            self.pending.once(TimerKey::Intake, next);
        }
    }

    /// The first packet that waits has been taken in, or may be from now on at another rate.
    pub(super) fn on_intake_timer(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Some(intake) = &mut self.intake else { return };
        if std::mem::replace(&mut intake.state, State::Idle) == State::Suspended {
            return self.take_in_next(context);
        }
        let packet = intake.waiting.take_front();
        intake.held -= packet.frame();
        if intake.resumes_at.is_some_and(|xon| intake.held <= xon) {
            intake.resumes_at = None;
            let classes = context.fabric.lossless.count();
            intake.off_time.change(context.now, (classes, 0), (classes, 0));
            self.tell_senders(context);
        }
        self.take_in_next(context);
        self.on_taken_in(packet, context);
    }

    /// Tells the switch whether lossless classes are to pause.
    pub(super) fn tell_senders(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Some(intake) = &mut self.intake else { return };
        let classes = context.fabric.lossless;
        let request = match intake.resumes_at {
            Some(_) => PfcRequest { pause: classes, resume: Classes::NONE },
            None => PfcRequest { pause: Classes::NONE, resume: classes },
        };
        intake.frames.tell(request, 0, from_mut(&mut self.adapter.port), context);
    }

    /// Tells the observer what waits.
    fn explain_pause(&self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Some(intake) = self.intake.as_ref().filter(|_| context.observer.watches_pauses()) else { return };
        let mut flows = by_flow(intake.packets());
        let flow_count = flows.len() as u32;
        flows.truncate(MOST_FLOWS);
        let (port, held) = (self.adapter.port.id(), intake.held);
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
