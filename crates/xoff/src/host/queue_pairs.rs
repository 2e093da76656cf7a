//! The adapter's arbiter: queue pairs that may send take turns, packet by packet and class by class.
//!
//! A queue pair has at most one packet in the adapter's queue, and makes the next when that one has left. Where other
//! transports have packets in the class, they and queue pairs take turns.

use super::adapter::Place;
use super::limiters::NO_LIMITER;
use super::sendings::Sender;
use super::{Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::classes::{Classes, PRIORITIES};
use crate::congestion_control::Needs;
use crate::kernel::ring::Ring;
use crate::kernel::units::{Bytes, Time};
use crate::observer::{Observer, Release};
use crate::packet::Packet;

/// Flows that wait for their turn, by class.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Classes in which at least one flow waits for its turn.
    waiting: Classes,
    /// Numbers of the flows; empty until there is a queue pair.
    numbers: Vec<Ring<u32>>,
}

impl Turns {
    #[inline]
    pub(super) fn wait(&self, priority: usize) -> bool {
        self.waiting.contains(priority)
    }

    fn add(&mut self, priority: usize, number: u32) {
        if self.numbers.is_empty() {
            self.numbers.resize_with(PRIORITIES, Ring::new);
        }
        self.numbers[priority].push_back(number);
        self.waiting.insert(priority);
    }

    fn next(&mut self, priority: usize) -> Option<u32> {
        if !self.wait(priority) {
            return None;
        }
        let number = self.numbers[priority].pop_front();
        if self.numbers[priority].is_empty() {
            self.waiting.remove(priority);
        }
        number
    }
}

impl Host {
    /// Lets a queue pair send, or wait for its turn, after a change that may allow it.
    pub(super) fn offer(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if !self.may_send(slot, context.now) {
            return;
        }
        let priority = self.sendings[slot].priority();
        if self.adapter.queued[priority] == Bytes::ZERO {
            // Then nobody waits.
            self.send_next(slot, context);
            self.take_turns(priority, Bytes::ZERO, context);
        } else {
            self.wait_for_turn(slot, context);
        }
    }

    /// Whether a queue pair that waits for no turn may send by the time the wire is free. If it may only later, its
    /// timer is set.
    fn may_send(&mut self, slot: usize, now: Time) -> bool {
        let sending = &mut self.sendings[slot];
        let key = TimerKey::Pacing(sending.number());
        let Sender::QueuePair(pair) = &mut sending.sender else { return false };
        if pair.in_turn {
            return false;
        }
        let mut ready_at = pair.sender.ready_at();
        if ready_at == Time::MAX {
            return false;
        }
        if sending.limiter != NO_LIMITER {
            ready_at = ready_at.max(self.limiters[sending.limiter as usize].ready_at);
        }
        let may = ready_at <= self.adapter.port.free_from(now);
        if !may {
            self.pending.arm(&mut pair.pacing, key, ready_at);
        }
        may
    }

    /// Lets a queue pair wait for its turn, or until it may send.
    fn wait(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if self.may_send(slot, context.now) {
            self.wait_for_turn(slot, context);
        }
    }

    fn wait_for_turn(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let sending = &mut self.sendings[slot];
        context.observer.on_waiting(context.now, self.id, sending.number());
        self.roce.turns.add(sending.priority(), sending.number());
        if let Some(pair) = sending.queue_pair() {
            pair.in_turn = true;
        }
    }

    /// Lets the queue pair whose turn it is make a packet, which goes first. That is repeated while only the `beside`
    /// bytes of other transports wait in the adapter.
    pub(super) fn take_turns(
        &mut self,
        priority: usize,
        beside: Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        while self.adapter.queued[priority] == beside
            && let Some(number) = self.roce.turns.next(priority)
        {
            if let Some(slot) = self.sendings.slot(number) {
                self.take_turn(slot, context);
            }
        }
    }

    fn take_turn(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        context.observer.on_released(context.now, self.id, self.sendings[slot].number(), Release::Turn);
        let Some(pair) = self.sendings[slot].queue_pair() else { return };
        pair.in_turn = false;
        pair.sender.settle(context.now);
        if pair.sender.ready_at() <= self.adapter.port.free_from(context.now) {
            self.send_next(slot, context);
        } else {
            self.wait(slot, context);
            self.arm_control(slot, context);
        }
    }

    /// Has a queue pair make its next packet and wait for its turn again.
    fn send_next(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let begins = self.adapter.port.free_from(context.now);
        let sending = &mut self.sendings[slot];
        let Some(pair) = sending.queue_pair() else { return };
        let before = pair.sender.rate();
        let segment = pair.sender.take(begins);
        let (has_changed, place, sprayer) = (pair.sender.rate() != before, pair.place, pair.sprayer);
        let behind = match place {
            Some(place) if pair.needs == Needs::Credit => self.backlog_behind(slot, place),
            _ => Bytes::ZERO,
        };
        let sending = &mut self.sendings[slot];
        let priority = sending.priority() as u8;
        let Some(pair) = sending.queue_pair() else { return };
        let stamp = pair.stamp(priority, behind, context);
        let mut packet = sending.packet(self.id, segment.sequence, segment.length, context).with_stamp(stamp);
        if let Some(sprayers) = &mut self.roce.sprayers {
            packet = sprayers.spray(sprayer, packet);
        }
        if !sending.timer.is_armed() {
            sending.arm_retransmission(&mut self.pending, context);
        }
        self.counters.data_sent += 1;
        self.counters.data_retransmitted += u64::from(segment.retransmission);
        let is_limited = sending.is_limited();
        context.observer.on_handed(context.now, &packet, segment.retransmission);
        self.adapter.put(packet, Place::First, context);
        if is_limited {
            self.count_against_limit(slot, begins, &packet, context);
        }
        if has_changed {
            self.report_rate(slot, context);
        }
        self.wait(slot, context);
        self.arm_control(slot, context);
        if let Some(place) = place
            && let Some(next_slot) = self.pass_on_queue_pair(slot, place, context)
        {
            self.report_rate(slot, context);
            self.report_rate(next_slot, context);
            self.wait(next_slot, context);
        }
    }

    /// Arms the timer of a queue pair's congestion control. A queue pair that waits for its turn is brought up to
    /// date at the turn; its timer is an event only where an observer watches rates.
    pub(super) fn arm_control(&mut self, slot: usize, context: &Context<'_, impl Agenda, impl Observer>) {
        let sending = &mut self.sendings[slot];
        let key = TimerKey::CongestionControl(sending.number());
        let Some(pair) = sending.queue_pair() else { return };
        let due = if !pair.in_turn {
            pair.sender.next_timer()
        } else if context.observer.watches_rates() {
            pair.sender.next_timer_after(context.now)
        } else {
            return;
        };
        match due {
            Time::MAX => pair.control.disarm(),
            due => self.pending.arm(&mut pair.control, key, due),
        }
    }

    /// Hands a CNP to a queue pair.
    pub(super) fn on_cnp(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        context.observer.on_released(context.now, self.id, self.sendings[slot].number(), Release::Rate);
        let Some(pair) = self.sendings[slot].queue_pair() else { return };
        pair.sender.on_cnp(context.now);
        self.on_control_heard(slot, context);
    }

    /// Hands credit to a queue pair: `total` bytes since the start.
    pub(super) fn on_credit(
        &mut self,
        slot: usize,
        total: Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        context.observer.on_released(context.now, self.id, self.sendings[slot].number(), Release::Credit);
        let Some(pair) = self.sendings[slot].queue_pair() else { return };
        pair.sender.on_credit(context.now, total);
        self.on_control_heard(slot, context);
    }

    /// Goes on with a queue pair whose congestion control has heard something.
    pub(super) fn on_control_heard(
        &mut self,
        slot: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.report_rate(slot, context);
        self.arm_control(slot, context);
        self.offer(slot, context);
    }

    /// Handles an ACK, a NACK, a CNP or credit for a queue pair.
    pub(super) fn on_queue_pair_answer(
        &mut self,
        slot: usize,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let passed_on = self.passed_on(&self.sendings[slot]);
        if packet.is_credit() {
            let total = Bytes::new(packet.sequence());
            return match passed_on {
                Some(place) => self.on_earlier_credit(place, total, context),
                None => self.on_credit(slot, total, context),
            };
        }
        let is_cnp = context.fabric.is_cnp(packet);
        if is_cnp || context.fabric.has_cnp(packet) {
            match passed_on {
                Some(place) => self.on_earlier_cnp(place, context),
                None => self.on_cnp(slot, context),
            }
            if is_cnp {
                return;
            }
        }
        if let (Some(sprayers), Some(pair)) = (&mut self.roce.sprayers, self.sendings[slot].queue_pair()) {
            sprayers.on_answer(pair.sprayer, context.now, packet);
        }
        let of_earlier = passed_on.map(|place| self.on_earlier_acknowledgement(slot, place, packet, context));
        let sending = &mut self.sendings[slot];
        let Some(pair) = sending.queue_pair() else { return };
        let (progress, departure) = of_earlier.unwrap_or_else(|| pair.acknowledge(packet, context));
        let is_done = pair.sender.is_done();
        let (has_rate, place) = (pair.needs.goes_by_path(), pair.place);
        if let Some(window) = pair.sender.window()
            && passed_on.is_none()
        {
            context.observer.on_window(context.now, self.id, packet.flow(), window);
        }
        if progress && !is_done {
            if pair.sender.is_waiting() {
                sending.arm_retransmission(&mut self.pending, context);
            } else {
                sending.timer.disarm();
            }
        }
        if has_rate && passed_on.is_none() {
            self.report_rate(slot, context);
        }
        if is_done {
            self.counters.finished += 1;
            self.finish_sending(slot, context.now, context);
        }
        match place {
            Some(place) => self.go_on_with_queue_pair(place, packet.flow(), departure, context),
            None if is_done => {}
            None => self.offer(slot, context),
        }
    }

    /// Lets a queue pair send if its rate allows the next packet by now.
    pub(super) fn on_pacing_timer(
        &mut self,
        number: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(slot) = self.sendings.slot(number) else { return };
        let Some(pair) = self.sendings[slot].queue_pair() else { return };
        if self.pending.expires(&mut pair.pacing, TimerKey::Pacing(number), time) {
            context.observer.on_released(context.now, self.id, number, Release::Rate);
            self.offer(slot, context);
        }
    }

    /// Runs the timer of a queue pair's congestion control if it is due.
    pub(super) fn on_control_timer(
        &mut self,
        number: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(slot) = self.sendings.slot(number) else { return };
        let Some(pair) = self.sendings[slot].queue_pair() else { return };
        if self.pending.expires(&mut pair.control, TimerKey::CongestionControl(number), time) {
            if !pair.in_turn {
                pair.sender.settle(context.now);
            }
            context.observer.on_released(context.now, self.id, number, Release::Rate);
            self.on_control_heard(slot, context);
        }
    }
}
