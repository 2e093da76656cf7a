//! Queue pairs that last: flows to a destination in one class go by one of them, one after another, and each takes over what the one
//! before has left, the state of the congestion control with it.

use std::collections::VecDeque;

use super::by_queue_pair::ByQueuePair;
use super::queue_pairs::QueuePair;
use super::sending::{Sender, Sending};
use super::{Flow, Host};
use crate::agenda::{Agenda, Context};
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::packet::Packet;
use crate::transport::roce::{Acknowledged, Handover};

/// All of a host.
pub(super) type PersistentQueuePairs = ByQueuePair<PersistentQueuePair>;

/// One of them.
#[derive(Debug, Default)]
pub(super) struct PersistentQueuePair {
    /// Number of the flow that sends, or was the last to.
    holder: Option<u32>,
    /// The last of those that have had it.
    furthest: Option<u32>,
    /// Numbers of flows that wait for it, in order: those that came first go first.
    waiting: VecDeque<u32>,
    /// Numbers of all flows that are not done, in order.
    open: VecDeque<u32>,
    /// What the holder has left; nothing until it is done.
    left: Option<Handover>,
}

impl PersistentQueuePairs {
    /// The place of the one that a flow goes by.
    pub(super) fn of(&mut self, flow: &Flow) -> u32 {
        self.place((flow.destination, flow.transport, flow.priority), PersistentQueuePair::default)
    }
}

impl Host {
    /// A flow that has just begun takes over its queue pair or waits for it.
    #[cold]
    pub(super) fn join_queue_pair(
        &mut self,
        slot: usize,
        place: u32,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) {
        let number = self.sendings[slot].number();
        let pair = &mut self.persistent[place];
        pair.open.push_back(number);
        let Some(holder) = pair.holder else {
            (pair.holder, pair.furthest) = (Some(number), Some(number));
            return;
        };
        if let Some(left) = pair.left.take() {
            self.give_queue_pair(place, number, left, context);
            return;
        }
        pair.waiting.push_back(number);
        if let Sender::QueuePair(sending) = &mut self.sendings[slot].sender {
            sending.sender.wait_for_queue_pair();
        }
        if let Some(holder) = self.sending_slot(holder) {
            self.pass_on_queue_pair(holder, place, context);
        }
    }

    /// A flow that has had its queue pair may have something to send again: then it goes before all that came later, as in an
    /// adapter, which has one sequence of packets for all.
    #[cold]
    pub(super) fn reclaim_queue_pair(
        &mut self,
        slot: usize,
        place: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let number = self.sendings[slot].number();
        let pair = &mut self.persistent[place];
        let Sender::QueuePair(sending) = &mut self.sendings[slot].sender else { return };
        let Err(turn) = pair.waiting.binary_search(&number) else { return };
        if sending.sender.has_sent_all() {
            return;
        }
        let left = match (pair.left.take(), pair.holder) {
            (Some(left), _) => left,
            (None, Some(holder)) if holder > number => {
                pair.waiting.push_front(holder);
                let Some((slot, left)) = self.take_queue_pair_from(holder, context) else { return };
                self.persistent[place].holder = Some(number);
                self.report_rate(slot, context);
                left
            }
            (None, _) => return pair.waiting.insert(turn, number),
        };
        if let Some(slot) = self.give_queue_pair(place, number, left, context) {
            self.on_control_heard(slot, context);
        }
    }

    /// A packet of a flow is acknowledged that left at `departure`. Packets take one path and stay in order, and so do acknowledgements:
    /// what flows before had sent by then is lost.
    fn on_later_acknowledgement(
        &mut self,
        number: u32,
        place: u32,
        departure: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        for position in 0.. {
            let open = &self.persistent[place].open;
            let Some(&earlier) = open.get(position).filter(|flow| **flow < number) else { return };
            if let Some(slot) = self.sending_slot(earlier)
                && let Sender::QueuePair(sending) = &mut self.sendings[slot].sender
                && sending.sender.on_later_acknowledgement(context.now, departure)
            {
                self.reclaim_queue_pair(slot, place, context);
            }
        }
    }

    /// A flow under way hands over its queue pair, whatever it has to send.
    fn take_queue_pair_from(
        &mut self,
        holder: u32,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<(usize, Handover)> {
        let slot = self.sending_slot(holder)?;
        let Sender::QueuePair(sending) = &mut self.sendings[slot].sender else { return None };
        let left = sending.sender.hand_over();
        self.arm_control(slot, context);
        Some((slot, left))
    }

    /// Once the flow that has it has sent everything, the next may send. Returns the slot of that.
    #[cold]
    pub(super) fn pass_on_queue_pair(
        &mut self,
        slot: usize,
        place: u32,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<usize> {
        let pair = &mut self.persistent[place];
        let sending = &mut self.sendings[slot];
        let number = sending.number();
        let Sender::QueuePair(holder) = &mut sending.sender else { return None };
        if pair.holder != Some(number) || !holder.sender.has_sent_all() {
            return None;
        }
        let next = pair.waiting.pop_front()?;
        let left = holder.sender.hand_over();
        self.arm_control(slot, context);
        self.give_queue_pair(place, next, left, context)
    }

    /// A packet of a flow is acknowledged that left at `departure`; the flow may be done with it, or have something to send again, and so
    /// may those before.
    #[cold]
    pub(super) fn go_on_with_queue_pair(
        &mut self,
        place: u32,
        number: u32,
        departure: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.on_later_acknowledgement(number, place, departure, context);
        if let Some(slot) = self.sending_slot(number) {
            if self.persistent[place].holder != Some(number) {
                self.reclaim_queue_pair(slot, place, context);
            } else if let Some(next) = self.pass_on_queue_pair(slot, place, context) {
                self.report_rate(slot, context);
                self.on_control_heard(next, context);
            } else {
                self.offer(slot, context);
            }
        }
        let pair = &mut self.persistent[place];
        if pair.left.is_some()
            && let Some(next) = pair.waiting.pop_front()
            && let Some(left) = pair.left.take()
            && let Some(slot) = self.give_queue_pair(place, next, left, context)
        {
            self.on_control_heard(slot, context);
        }
    }

    /// A flow takes over what the one before has left, or the next if nothing is left to send of it. Returns its slot.
    fn give_queue_pair(
        &mut self,
        place: u32,
        mut number: u32,
        mut left: Handover,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<usize> {
        loop {
            let slot = self.sending_slot(number)?;
            let &PersistentQueuePair { holder, furthest, .. } = &self.persistent[place];
            let follows = holder == furthest && Some(number) > furthest;
            let before = if follows { left.in_flight } else { self.in_flight_before(place, number) };
            let Sender::QueuePair(sending) = &mut self.sendings[slot].sender else { return None };
            sending.sender.take_over(left, before, context.now);
            let pair = &mut self.persistent[place];
            (pair.holder, pair.furthest) = (Some(number), furthest.max(Some(number)));
            if sending.sender.has_sent_all()
                && let Some(next) = pair.waiting.pop_front()
            {
                (number, left) = (next, sending.sender.hand_over());
                continue;
            }
            self.arm_control(slot, context);
            return Some(slot);
        }
    }

    /// Bytes in flight of the flows of a queue pair before one.
    fn in_flight_before(&self, place: u32, number: u32) -> u64 {
        let earlier = self.persistent[place].open.iter().take_while(|flow| **flow < number);
        let in_flight = earlier.filter_map(|flow| match &self.sendings[self.sending_slot(*flow)?].sender {
            Sender::QueuePair(sending) => Some(sending.sender.in_flight()),
            _ => None,
        });
        in_flight.sum()
    }

    /// A flow is done; what it has left waits for the next.
    pub(super) fn leave_queue_pair(&mut self, number: u32, mut done: QueuePair) {
        let Some(place) = done.place else { return };
        let pair = &mut self.persistent[place];
        if let Ok(position) = pair.open.binary_search(&number) {
            pair.open.remove(position);
        }
        if pair.holder == Some(number) {
            pair.left = Some(done.sender.hand_over());
        } else if let Ok(turn) = pair.waiting.binary_search(&number) {
            pair.waiting.remove(turn);
        }
    }

    /// An acknowledgement of a flow that has its queue pair no longer says something to the congestion control of the flow that has
    /// it. Returns whether it acknowledges anything new, and when the packet left that it answers.
    #[cold]
    pub(super) fn on_earlier_acknowledgement(
        &mut self,
        slot: usize,
        place: u32,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> (bool, Time) {
        let Sender::QueuePair(earlier) = &mut self.sendings[slot].sender else { return (false, Time::ZERO) };
        let before = earlier.sender.acknowledged_of_queue_pair();
        let record = packet
            .record()
            .map(|record| context.agenda.telemetry().collect(record, packet.hops(), packet.path()));
        let departure = record.map_or_else(|| Time::new(packet.stamp()), |record| record.departure());
        let progress = earlier.sender.on_acknowledgement(context.now, packet, departure, None);
        let cumulative = earlier.sender.acknowledged_of_queue_pair();
        let acknowledged = Acknowledged { newly_acked: cumulative - before, cumulative, departure };
        let is_before = Some(packet.flow()) < self.persistent[place].holder;
        let holder = self.holder_of_queue_pair(place);
        let telemetry = &*context.agenda.telemetry();
        let reading = record.as_ref().map(|record| telemetry.reading(record, context.now));
        if let Some(left) = &mut self.persistent[place].left {
            left.on_acknowledgement_of_another(context.now, acknowledged, is_before, reading);
        } else if let Some(holder) = holder {
            if let Sender::QueuePair(holding) = &mut self.sendings[holder].sender {
                holding.sender.on_acknowledgement_of_another(context.now, acknowledged, is_before, reading);
            }
            self.on_control_heard(holder, context);
        }
        (progress, departure)
    }

    /// A CNP of a flow that no longer has its queue pair is for the flow that has it.
    #[cold]
    pub(super) fn on_earlier_cnp(
        &mut self,
        place: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let holder = self.holder_of_queue_pair(place);
        if let Some(left) = &mut self.persistent[place].left {
            left.on_cnp(context.now);
        } else if let Some(holder) = holder {
            self.on_cnp(holder, context);
        }
    }

    /// A CNP has come of a flow that is done. Of which class that was nobody knows any longer: all queue pairs to its destination hear
    /// of it.
    #[cold]
    pub(super) fn on_late_cnp(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        for place in self.persistent.with(packet.source(), packet.transport()) {
            self.on_earlier_cnp(place, context);
        }
    }

    /// The slot of the flow that has a queue pair, until it is done.
    fn holder_of_queue_pair(&self, place: u32) -> Option<usize> {
        self.persistent[place].holder.and_then(|holder| self.sending_slot(holder))
    }

    /// The place of the queue pair of a flow, if another has that.
    #[inline]
    pub(super) fn passed_on(&self, sending: &Sending) -> Option<u32> {
        let Sender::QueuePair(pair) = &sending.sender else { return None };
        pair.place.filter(|&place| self.persistent[place].holder != Some(sending.number()))
    }
}
