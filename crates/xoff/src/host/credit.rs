//! The adapter gives credit to flows that arrive (RCCC), or to the persistent queue pairs by which they come: to one after another, for a
//! few packets each, as fast as its link would bring them.

use slab::Slab;

use super::by_queue_pair::{ByQueuePair, key_of};
use super::receptions::{Reception, ReturnAddress};
use super::{GONE, Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::congestion_control::{Granting, Grants};
use crate::kernel::ring::Ring;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Rate, Time};
use crate::observer::Observer;
use crate::packet::Packet;
use crate::scenario::{Roce, Transport};
use crate::transport::roce::ForCredit;

/// Who waits for credit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    /// A flow, by its number among those received here.
    Flow(u32),
    /// A persistent queue pair, by the place of its account.
    QueuePair(u32),
}

impl Turn {
    /// What the timer is for until which more should have come.
    fn key(self) -> TimerKey {
        match self {
            Self::Flow(number) => TimerKey::Reception(number),
            Self::QueuePair(place) => TimerKey::CreditAccount(place),
        }
    }
}

impl Default for Turn {
    fn default() -> Self {
        Self::Flow(0)
    }
}

/// Those whose turn for credit comes, and what queue pairs were given.
#[derive(Debug, Default)]
pub(super) struct CreditTurns {
    turns: Ring<Turn>,
    /// When the link would have brought all that credit was given for.
    free_at: Time,
    timer: Timer,
    accounts: ByQueuePair<Account>,
}

/// What a persistent queue pair asks for and was given.
#[derive(Debug)]
struct Account {
    grants: Grants,
    /// Where its last packet came from,
    back: ReturnAddress,
    /// and in which class.
    priority: u8,
    /// Flows that have begun to arrive by it and are not whole.
    open: u32,
    /// Until more of them should have come.
    timer: Timer,
}

impl Host {
    /// A flow begins to arrive by a persistent queue pair. Returns the place of the account of that.
    pub(super) fn open_credit_account(
        &mut self,
        packet: &Packet,
        settings: &Roce,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> u32 {
        let transport = &context.fabric.transports[usize::from(packet.transport())];
        let priority = packet.asking_priority();
        let key = key_of(packet, priority, context.fabric);
        let place = self.credit.accounts.place(key, || Account {
            grants: Grants::default(),
            back: ReturnAddress::of(packet, transport),
            priority,
            open: 0,
            timer: Timer::default(),
        });
        let account = &mut self.credit.accounts[place];
        account.open += 1;
        if !account.timer.is_armed() {
            let due = context.now + settings.first_timeout();
            self.pending.arm(&mut account.timer, TimerKey::CreditAccount(place), due);
        }
        place
    }

    /// One of the flows that were arriving by a persistent queue pair is whole.
    pub(super) fn close_credit_account(&mut self, place: u32) {
        self.credit.accounts[place].open -= 1;
    }

    /// A packet has come, of a flow that is whole with it or not, and somebody is to have credit for it.
    pub(super) fn on_asked_for_credit(
        &mut self,
        whom: ForCredit,
        packet: &Packet,
        back: ReturnAddress,
        is_whole: bool,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        match whom {
            ForCredit::Flow if !is_whole => self.wait_for_credit(Turn::Flow(packet.reception()), context),
            ForCredit::QueuePair(place, trimmed) => {
                let account = &mut self.credit.accounts[place];
                account.back = back;
                if account.grants.on_packet(context.now, packet.asked(), trimmed) {
                    self.wait_for_credit(Turn::QueuePair(place), context);
                }
            }
            ForCredit::Flow | ForCredit::Nobody => {}
        }
    }

    /// Somebody is to have credit when its turn comes.
    fn wait_for_credit(&mut self, turn: Turn, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.credit.turns.push_back(turn);
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
            let Some(turn) = self.credit.turns.pop_front() else { return };
            self.give_credit_to(turn, context);
        }
        if !self.credit.turns.is_empty() {
            self.pending.arm(&mut self.credit.timer, TimerKey::Credit, self.credit.free_at);
        }
    }

    /// Gives credit, but to no flow that is whole by now; who asks for none is told again what it was given.
    fn give_credit_to(&mut self, turn: Turn, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let rate = self.adapter.port.rate();
        let slot = self.slot_of_turn(turn, context);
        let Some(end) = receiving_end(turn, slot, &mut self.receptions.states, &mut self.credit.accounts)
        else {
            return;
        };
        let ReceivingEnd { back, priority, grants, .. } = end;
        let Some((settings, granting)) = granting_of(back, context) else { return };
        let more = grants.grant(settings.payload * granting.packets.into());
        let (granted, waits) = (grants.granted(), grants.waits());
        if end.is_open {
            self.pending.arm(end.timer, turn.key(), context.now + settings.first_timeout());
        }
        if waits {
            self.credit.turns.push_back(turn);
        }
        if more > Bytes::ZERO {
            let rate = granting.rate.of_rate(rate).max(Rate::new(1));
            let packets = more.get().div_ceil(settings.payload.get());
            let wire = more + (settings.packet_headers() + settings.wire_overhead) * packets;
            self.credit.free_at = context.now + rate.transmission_time(wire);
        }
        self.send_credit_of(back, priority, granted, granting.frame, context);
    }

    /// It is so long ago that somebody began to send, or was given credit, that more of it should have come.
    pub(super) fn look_after_credit(
        &mut self,
        turn: Turn,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let slot = self.slot_of_turn(turn, context);
        let Some(end) = receiving_end(turn, slot, &mut self.receptions.states, &mut self.credit.accounts)
        else {
            return;
        };
        let Some((settings, _)) = granting_of(end.back, context) else { return };
        if !end.is_open || end.grants.waits() {
            return;
        }
        let due = end.grants.last_packet() + settings.first_timeout();
        if due > context.now {
            return self.pending.arm(end.timer, turn.key(), due);
        }
        end.grants.wait();
        self.wait_for_credit(turn, context);
    }

    pub(super) fn on_account_timer(
        &mut self,
        place: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let turn = Turn::QueuePair(place);
        if self.pending.expires(&mut self.credit.accounts[place].timer, turn.key(), time) {
            self.look_after_credit(turn, context);
        }
    }

    fn slot_of_turn(&mut self, turn: Turn, context: &Context<'_, impl Agenda, impl Observer>) -> u32 {
        match turn {
            Turn::Flow(number) => self.slot_of(number, context),
            Turn::QueuePair(_) => GONE,
        }
    }
}

/// Where somebody is given credit.
struct ReceivingEnd<'a> {
    back: ReturnAddress,
    /// The class of a persistent queue pair.
    priority: u8,
    grants: &'a mut Grants,
    timer: &'a mut Timer,
    /// Whether there is a flow that is not whole.
    is_open: bool,
}

/// That of a flow in this slot, unless it is whole, or of a persistent queue pair.
fn receiving_end<'a>(
    turn: Turn,
    slot: u32,
    receptions: &'a mut Slab<Reception>,
    accounts: &'a mut ByQueuePair<Account>,
) -> Option<ReceivingEnd<'a>> {
    match turn {
        Turn::Flow(_) if slot == GONE => None,
        Turn::Flow(_) => {
            let reception = &mut receptions[slot as usize];
            let back = reception.back;
            let (grants, timer) = reception.credit()?;
            Some(ReceivingEnd { back, priority: 0, grants, timer, is_open: true })
        }
        Turn::QueuePair(place) => {
            let Account { grants, back, priority, open, timer } = &mut accounts[place];
            Some(ReceivingEnd { back: *back, priority: *priority, grants, timer, is_open: *open > 0 })
        }
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
