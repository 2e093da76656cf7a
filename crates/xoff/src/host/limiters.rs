//! Rate limiters of the adapter (802.1Qau): a flow has one from its first congestion notification message until it may
//! send at line rate again.
//!
//! A limited flow is pulled: it has at most one packet in the adapter's queue. The adapter asks its transport for the
//! next no sooner than the rate allows. No other flow waits behind it then, and a pause holds back one packet.

use slab::Slab;

use super::{Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::congestion_control::qcn::{Parameters, ReactionPoint};
use crate::kernel::timers::Timer;
use crate::kernel::units::{Rate, Time};
use crate::observer::{Observer, Release};
use crate::packet::Packet;
use crate::transport::Transmit;

/// Stands for the limiter of a flow that has none.
pub(super) const NO_LIMITER: u32 = u32::MAX;

/// All limiters of an adapter.
pub(super) type Limiters = Slab<Limiter>;

/// The limiter of one flow.
#[derive(Debug)]
pub(super) struct Limiter {
    point: ReactionPoint,
    /// Time at which the rate allows the next packet.
    pub(super) ready_at: Time,
    /// Timer until the rate allows the next packet.
    pacing: Timer,
    /// Timer of the reaction point.
    cycle: Timer,
}

impl Limiter {
    fn new(parameters: &Parameters, line_rate: Rate, now: Time) -> Self {
        let point = ReactionPoint::new(parameters, line_rate);
        Self { point, ready_at: now, pacing: Timer::default(), cycle: Timer::default() }
    }

    pub(super) fn rate(&self) -> Rate {
        self.point.rate()
    }
}

impl Host {
    /// Handles a congestion notification message. One for a flow that is done says nothing any more.
    #[cold]
    pub(super) fn on_cnm(&mut self, cnm: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.counters.cnms_received += 1;
        context.observer.on_cnm(context.now, self.id, cnm.flow(), cnm.length() as u8);
        let Some(slot) = self.sendings.slot(cnm.flow()) else { return };
        let parameters = &context.fabric.host.reaction_point;
        let sending = &mut self.sendings[slot];
        if !sending.is_limited() {
            let limiter = Limiter::new(parameters, self.adapter.port.rate(), context.now);
            sending.limiter = self.limiters.insert(limiter) as u32;
        }
        let limiter = &mut self.limiters[sending.limiter as usize];
        limiter.point.on_cnm(parameters, context.now, cnm.length() as u8);
        self.on_limit_changed(slot, context);
    }

    /// Sends what a limited flow may send now.
    #[cold]
    #[inline(never)]
    pub(super) fn pull(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        while self.pull_one(slot, context) {
            if !self.sendings[slot].is_limited() {
                return self.go_on_sending(slot, context);
            }
        }
        if self.sendings[slot].is_done_after_sending(&mut self.pending, context) {
            self.finish_sending(slot, Time::MAX, context);
        }
    }

    /// Sends the next packet of a limited flow, if it may be sent now.
    fn pull_one(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) -> bool {
        let sending = &mut self.sendings[slot];
        let limiter = &mut self.limiters[sending.limiter as usize];
        if sending.waits_in_adapter() {
            if !sending.held_back {
                context.observer.on_waiting(context.now, self.id, sending.number());
            }
            sending.hold_back();
            return false;
        }
        if context.now < limiter.ready_at {
            self.pending.arm(&mut limiter.pacing, TimerKey::Limiter(sending.number()), limiter.ready_at);
            sending.hold_back();
            return false;
        }
        match sending.poll_transmit(context.now) {
            Transmit::Segment { sequence, length, retransmission, .. } => {
                let packet = sending.packet(self.id, sequence, length, context);
                self.counters.data_sent += 1;
                self.counters.data_retransmitted += u64::from(retransmission);
                context.observer.on_handed(context.now, &packet, retransmission);
                sending.send(packet, &mut self.adapter, &mut self.pending, context);
                self.count_against_limit(slot, context.now, &packet, context);
                true
            }
            Transmit::WaitUntil(time) => {
                sending.wait_until(time, &mut self.pending);
                false
            }
            Transmit::WindowFull | Transmit::Idle => false,
        }
    }

    /// Counts a packet of a limited flow, which begins on the wire at `begins`.
    pub(super) fn count_against_limit(
        &mut self,
        slot: usize,
        begins: Time,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let limiter = &mut self.limiters[self.sendings[slot].limiter as usize];
        limiter.ready_at = begins + limiter.point.rate().transmission_time(context.fabric.wire(packet));
        if limiter.point.on_sent(&context.fabric.host.reaction_point, packet.frame()) {
            self.on_limit_changed(slot, context);
        }
    }

    /// Takes in that a limiter has another rate, and perhaps another time of its timer. At line rate the limiter goes.
    fn on_limit_changed(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.report_rate(slot, context);
        let sending = &mut self.sendings[slot];
        let limiter = &mut self.limiters[sending.limiter as usize];
        if limiter.point.is_at_line_rate() {
            self.limiters.remove(sending.limiter as usize);
            sending.limiter = NO_LIMITER;
        } else {
            let due = limiter.point.timer_due();
            self.pending.arm(&mut limiter.cycle, TimerKey::ReactionPoint(sending.number()), due);
        }
    }

    /// Lets a limited flow send if its rate allows the next packet by now.
    #[cold]
    pub(super) fn on_limiter_timer(
        &mut self,
        number: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some((slot, limiter)) = self.limiter_of(number) else { return };
        let timer = &mut self.limiters[limiter].pacing;
        if self.pending.expires(timer, TimerKey::Limiter(number), time) {
            context.observer.on_released(context.now, self.id, number, Release::Rate);
            self.go_on_sending(slot, context);
        }
    }

    /// Ends a cycle of a reaction point's timer if it is over.
    #[cold]
    pub(super) fn on_reaction_point_timer(
        &mut self,
        number: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some((slot, limiter)) = self.limiter_of(number) else { return };
        let limiter = &mut self.limiters[limiter];
        if self.pending.expires(&mut limiter.cycle, TimerKey::ReactionPoint(number), time) {
            limiter.point.on_timer(&context.fabric.host.reaction_point, context.now);
            self.on_limit_changed(slot, context);
            context.observer.on_released(context.now, self.id, number, Release::Rate);
            self.go_on_sending(slot, context);
        }
    }

    /// Slots of a flow and of its limiter, unless the flow is done or has no limiter.
    fn limiter_of(&self, number: u32) -> Option<(usize, usize)> {
        let slot = self.sendings.slot(number)?;
        let sending = &self.sendings[slot];
        sending.is_limited().then_some((slot, sending.limiter as usize))
    }
}
