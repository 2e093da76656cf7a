//! Credit for flows that arrive (RCCC): turns, and what each was given.
//!
//! The receiving adapter decides who may send to it. A flow or a persistent queue pair that asks for credit waits for
//! its turn. Turns follow one another: each gets credit for a few packets, and the next gets its own when the link
//! would have brought those.

use slab::Slab;

use super::by_queue_pair::{ByQueuePair, key_of};
use super::pending::Pending;
use super::receptions::{Reception, ReturnAddress};
use super::{GONE, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::congestion_control::{Granting, Grants};
use crate::kernel::ring::Ring;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Rate, Time};
use crate::observer::Observer;
use crate::packet::Packet;
use crate::scenario::{Roce, Transport};
use crate::transport::roce::ForCredit;

/// Receiver of credit that waits for its turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    /// A flow, by its number among the flows received here.
    Flow(u32),
    /// A persistent queue pair, by the place of its account.
    QueuePair(u32),
}

impl Turn {
    /// Key of the timer until which more should have come.
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

/// Turns that wait, and the accounts of persistent queue pairs.
#[derive(Debug, Default)]
pub(super) struct CreditTurns {
    turns: Ring<Turn>,
    /// Time at which the link would have brought everything that credit was given for.
    free_at: Time,
    timer: Timer,
    accounts: ByQueuePair<Account>,
    /// Rate at which the host's link brings packets.
    rate: Rate,
}

/// Credit account of a persistent queue pair: credit that it asks for and credit that it was given.
#[derive(Debug)]
struct Account {
    grants: Grants,
    /// Address of the sender of the queue pair's last packet.
    back: ReturnAddress,
    /// Class of the queue pair's last packet.
    priority: u8,
    /// Flows that have begun to arrive by the queue pair and are not whole.
    open: u32,
    /// Timer until more bytes of the open flows should have come.
    timer: Timer,
}

/// A packet of credit to send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit {
    pub(super) back: ReturnAddress,
    /// The class of a persistent queue pair.
    pub(super) priority: u8,
    /// Bytes granted since the start.
    pub(super) granted: Bytes,
    /// Size of the packet.
    pub(super) frame: Bytes,
}

impl CreditTurns {
    /// No turns, on a link that brings packets at `rate`.
    pub(super) fn at(rate: Rate) -> Self {
        Self { rate, ..Self::default() }
    }

    /// Hears that a flow begins to arrive by a persistent queue pair. Returns the place of the queue pair's account.
    pub(super) fn open(
        &mut self,
        packet: &Packet,
        settings: &Roce,
        pending: &mut Pending,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> u32 {
        let transport = &context.fabric.transports[usize::from(packet.transport())];
        let priority = packet.asking_priority();
        let key = key_of(packet, priority, context.fabric);
        let place = self.accounts.place(key, || Account {
            grants: Grants::default(),
            back: ReturnAddress::of(packet, transport),
            priority,
            open: 0,
            timer: Timer::default(),
        });
        let account = &mut self.accounts[place];
        account.open += 1;
        if !account.timer.is_armed() {
            let due = context.now + settings.first_timeout();
            pending.arm(&mut account.timer, TimerKey::CreditAccount(place), due);
        }
        place
    }

    /// Hears that one of the flows is whole that were arriving by a persistent queue pair.
    pub(super) fn close(&mut self, place: u32) {
        self.accounts[place].open -= 1;
    }

    /// Hears of a packet that asks for credit, of a flow that is whole with it or not. Returns the turn that is to wait for it.
    pub(super) fn on_asked(
        &mut self,
        whom: ForCredit,
        packet: &Packet,
        back: ReturnAddress,
        is_whole: bool,
        now: Time,
    ) -> Option<Turn> {
        match whom {
            ForCredit::Flow if !is_whole => Some(Turn::Flow(packet.reception())),
            ForCredit::QueuePair(place, trimmed) => {
                let account = &mut self.accounts[place];
                account.back = back;
                account.grants.on_packet(now, packet.asked(), trimmed).then_some(Turn::QueuePair(place))
            }
            ForCredit::Flow | ForCredit::Nobody => None,
        }
    }

    /// Puts a turn behind the turns that wait. Returns whether credit may be given now.
    pub(super) fn wait(&mut self, turn: Turn) -> bool {
        self.turns.push_back(turn);
        !self.timer.is_armed()
    }

    /// Whether the timer for the next credit expires: then credit may be given.
    pub(super) fn expires(&mut self, time: Time, pending: &mut Pending) -> bool {
        pending.expires(&mut self.timer, TimerKey::Credit, time)
    }

    /// Takes the turn that is given credit now. Until the link is free again the timer tells of the next.
    pub(super) fn next(&mut self, now: Time, pending: &mut Pending) -> Option<Turn> {
        if self.free_at <= now {
            return self.turns.pop_front();
        }
        if !self.turns.is_empty() {
            pending.arm(&mut self.timer, TimerKey::Credit, self.free_at);
        }
        None
    }

    /// Gives credit to a turn. A flow that is whole by now gets none. A turn that asks for none is told again what it
    /// was given.
    pub(super) fn give(
        &mut self,
        turn: Turn,
        slot: u32,
        states: &mut Slab<Reception>,
        pending: &mut Pending,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Credit> {
        let ReceivingEnd { back, priority, grants, timer, is_open } =
            receiving_end(turn, slot, states, &mut self.accounts)?;
        let (settings, granting) = granting_of(back, context)?;
        let more = grants.grant(settings.payload * granting.packets.into());
        let (granted, waits) = (grants.granted(), grants.waits());
        if is_open {
            pending.arm(timer, turn.key(), context.now + settings.first_timeout());
        }
        if waits {
            self.turns.push_back(turn);
        }
        if more > Bytes::ZERO {
            let rate = granting.rate.of_rate(self.rate).max(Rate::new(1));
            let packets = more.get().div_ceil(settings.payload.get());
            let wire = more + (settings.packet_headers() + settings.wire_overhead) * packets;
            self.free_at = context.now + rate.transmission_time(wire);
        }
        Some(Credit { back, priority, granted, frame: granting.frame })
    }

    /// Checks a flow or queue pair whose data on credit is overdue, since its turn or its credit is long ago. Returns
    /// whether it is to wait for credit again.
    pub(super) fn look_after(
        &mut self,
        turn: Turn,
        slot: u32,
        states: &mut Slab<Reception>,
        pending: &mut Pending,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        let Some(end) = receiving_end(turn, slot, states, &mut self.accounts) else { return false };
        let Some((settings, _)) = granting_of(end.back, context) else { return false };
        if !end.is_open || end.grants.waits() {
            return false;
        }
        let due = end.grants.last_packet() + settings.first_timeout();
        if due > context.now {
            pending.arm(end.timer, turn.key(), due);
            return false;
        }
        end.grants.wait();
        true
    }

    /// Whether the timer of a persistent queue pair's account expires.
    pub(super) fn account_expires(&mut self, place: u32, time: Time, pending: &mut Pending) -> bool {
        let key = TimerKey::CreditAccount(place);
        pending.expires(&mut self.accounts[place].timer, key, time)
    }
}

/// One end that is given credit: a flow or a persistent queue pair.
struct ReceivingEnd<'a> {
    back: ReturnAddress,
    /// The class of a persistent queue pair.
    priority: u8,
    grants: &'a mut Grants,
    timer: &'a mut Timer,
    /// Whether there is a flow that is not whole.
    is_open: bool,
}

/// The receiving end whose turn this is, unless it is a flow that is whole.
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

/// Settings of the flow that comes from this address, and how it is given credit, if it is.
fn granting_of<'a>(
    back: ReturnAddress,
    context: &Context<'a, impl Agenda, impl Observer>,
) -> Option<(&'a Roce, Granting)> {
    let transport = &context.fabric.transports[usize::from(back.transport)];
    let Transport::Roce(settings) = transport else { return None };
    transport.granting().map(|granting| (settings, granting))
}
