//! The adapter gives credit to flows that arrive (RCCC): one after another, for a few packets each, as fast as its link would
//! bring them.

use super::receiving::ReturnAddress;
use super::{GONE, Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::congestion_control::Granting;
use crate::kernel::ring::Ring;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Rate, Time};
use crate::observer::Observer;
use crate::scenario::{Roce, Transport};

/// Flows whose turn for credit comes.
#[derive(Debug, Default)]
pub(super) struct CreditTurns {
    /// Their numbers among those received here.
    numbers: Ring<u32>,
    /// When the link would have brought all that credit was given for.
    free_at: Time,
    timer: Timer,
}

impl Host {
    /// A flow is to have credit when its turn comes.
    pub(super) fn wait_for_credit(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.credit.numbers.push_back(number);
        if !self.credit.timer.is_armed() {
            self.give_credit(context);
        }
    }

    pub(super) fn on_credit_timer(
        &mut self,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.pending.expires(&mut self.credit.timer, TimerKey::Credit, time) {
            self.give_credit(context);
        }
    }

    fn give_credit(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        while self.credit.free_at <= context.now {
            let Some(number) = self.credit.numbers.pop_front() else { return };
            self.give_credit_to(number, context);
        }
        if !self.credit.numbers.is_empty() {
            self.pending.arm(&mut self.credit.timer, TimerKey::Credit, self.credit.free_at);
        }
    }

    /// Gives a flow credit, unless it is whole by now; where it asks for none, tells it again what it was given.
    fn give_credit_to(&mut self, number: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let slot = self.slot_of(number, context);
        if slot == GONE {
            return;
        }
        let reception = &mut self.receptions[slot as usize];
        let back = reception.back;
        let (Some((settings, granting)), Some(grants)) = (granting_of(back, context), reception.grants())
        else {
            return;
        };
        let more = grants.grant(settings.payload * granting.packets.into());
        let granted = grants.granted();
        if grants.waits() {
            self.credit.numbers.push_back(number);
        }
        if more > Bytes::ZERO {
            let rate = granting.rate.of_rate(self.adapter.port.rate()).max(Rate::new(1));
            let packets = more.get().div_ceil(settings.payload.get());
            let wire = more + (settings.packet_headers() + settings.wire_overhead) * packets;
            self.credit.free_at = context.now + rate.transmission_time(wire);
        }
        let due = context.now + settings.first_timeout();
        self.pending.arm(&mut reception.timer, TimerKey::Reception(number), due);
        self.send_credit_of(back, granted, granting.frame, context);
    }

    /// It is so long ago that a flow began, or was given credit, that more of it should have come.
    pub(super) fn look_after_credit(
        &mut self,
        number: u32,
        slot: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let reception = &mut self.receptions[slot as usize];
        let Some((settings, _)) = granting_of(reception.back, context) else { return };
        let Some(grants) = reception.grants().filter(|grants| !grants.waits()) else { return };
        let due = grants.last_packet() + settings.first_timeout();
        if due > context.now {
            return self.pending.arm(&mut reception.timer, TimerKey::Reception(number), due);
        }
        grants.wait();
        self.wait_for_credit(number, context);
    }
}

/// How the flow that comes from there is sent, and how it is given credit, if it is.
fn granting_of<'a>(
    back: ReturnAddress,
    context: &Context<'a, impl Agenda, impl Observer>,
) -> Option<(&'a Roce, Granting)> {
    let transport = &context.fabric.transports[usize::from(back.transport)];
    let Transport::Roce(settings) = transport else { return None };
    transport.granting().map(|granting| (settings, granting))
}
