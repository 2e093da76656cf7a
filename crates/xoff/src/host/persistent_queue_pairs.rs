//! Persistent queue pairs: flows to a destination in one class go by one of them, one after another. Each
//! takes over what the one before hands over, the state of the congestion control with it.

use std::collections::VecDeque;

use super::by_queue_pair::{ByQueuePair, key_of};
use super::queue_pair::QueuePair;
use super::sendings::{Sender, Sending};
use super::{Flow, Host};
use crate::agenda::{Agenda, Context};
use crate::kernel::units::{Bytes, Time};
use crate::observer::{Observer, Release};
use crate::packet::Packet;
use crate::transport::roce::{Acknowledged, Handover, with_reading};

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
    /// What the holder hands over; nothing until it is done.
    handover: Option<Handover>,
    /// Bytes of all flows that go by it or have gone.
    joined: Bytes,
}

impl PersistentQueuePairs {
    /// The place of the one that a flow goes by, the one of this number.
    pub(super) fn of(&mut self, flow: &Flow, number: u8) -> u32 {
        self.place((flow.destination, flow.transport, number, flow.priority), PersistentQueuePair::default)
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
        let (number, size) = (self.sendings[slot].number(), self.sendings[slot].size());
        let persistent = &mut self.roce.persistent[place];
        persistent.open.push_back(number);
        persistent.joined = persistent.joined.saturating_add(size);
        if persistent.holder.is_none() {
            (persistent.holder, persistent.furthest) = (Some(number), Some(number));
            return;
        }
        if let Some(mut handover) = persistent.handover.take() {
            handover.on_rested();
            self.give_queue_pair(place, number, handover, context);
            return;
        }
        persistent.waiting.push_back(number);
        if let Some(pair) = self.sendings[slot].queue_pair() {
            pair.sender.wait_for_queue_pair();
        }
        if let Some(holder_slot) = self.holder_slot(place) {
            self.pass_on_queue_pair(holder_slot, place, context);
        }
    }

    /// A flow that has had its queue pair may have something to send again: then it goes before all that came
    /// later, as in an adapter, which has one sequence of packets for all.
    #[cold]
    pub(super) fn reclaim_queue_pair(
        &mut self,
        slot: usize,
        place: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let number = self.sendings[slot].number();
        let persistent = &mut self.roce.persistent[place];
        let Some(pair) = self.sendings[slot].queue_pair() else { return };
        let Err(turn) = persistent.waiting.binary_search(&number) else { return };
        if pair.sender.has_sent_all() {
            return;
        }
        let handover = match (persistent.handover.take(), persistent.holder) {
            (Some(handover), _) => handover,
            (None, Some(holder)) if holder > number => {
                persistent.waiting.push_front(holder);
                let Some((holder_slot, handover)) = self.take_queue_pair_from(holder, context) else {
                    return;
                };
                self.roce.persistent[place].holder = Some(number);
                self.report_rate(holder_slot, context);
                handover
            }
            (None, _) => return persistent.waiting.insert(turn, number),
        };
        if let Some(next_slot) = self.give_queue_pair(place, number, handover, context) {
            self.on_control_heard(next_slot, context);
        }
    }

    /// A packet of a flow is acknowledged that left at `departure`. Packets take one path and stay in order,
    /// and so do acknowledgements: what flows before had sent by then is lost.
    fn on_later_acknowledgement(
        &mut self,
        number: u32,
        place: u32,
        departure: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        for position in 0.. {
            let open = &self.roce.persistent[place].open;
            let Some(&earlier) = open.get(position).filter(|flow| **flow < number) else { return };
            if let Some(slot) = self.sendings.slot(earlier)
                && let Some(pair) = self.sendings[slot].queue_pair()
                && pair.sender.on_later_acknowledgement(context.now, departure)
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
        let slot = self.sendings.slot(holder)?;
        let handover = self.sendings[slot].queue_pair()?.sender.hand_over();
        self.arm_control(slot, context);
        Some((slot, handover))
    }

    /// Once the flow that has it has sent everything, the next may send. Returns the slot of that.
    #[cold]
    pub(super) fn pass_on_queue_pair(
        &mut self,
        slot: usize,
        place: u32,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<usize> {
        let persistent = &mut self.roce.persistent[place];
        let sending = &mut self.sendings[slot];
        let number = sending.number();
        let pair = sending.queue_pair()?;
        if persistent.holder != Some(number) || !pair.sender.has_sent_all() {
            return None;
        }
        let next = persistent.waiting.pop_front()?;
        let handover = pair.sender.hand_over();
        self.arm_control(slot, context);
        self.give_queue_pair(place, next, handover, context)
    }

    /// A packet of a flow is acknowledged that left at `departure`; the flow may be done with it, or have
    /// something to send again, and so may those before.
    #[cold]
    pub(super) fn go_on_with_queue_pair(
        &mut self,
        place: u32,
        number: u32,
        departure: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.on_later_acknowledgement(number, place, departure, context);
        if let Some(slot) = self.sendings.slot(number) {
            if self.roce.persistent[place].holder != Some(number) {
                self.reclaim_queue_pair(slot, place, context);
            } else if let Some(next_slot) = self.pass_on_queue_pair(slot, place, context) {
                self.report_rate(slot, context);
                self.go_on_after_answer(next_slot, context);
            } else {
                self.offer(slot, context);
            }
        }
        let persistent = &mut self.roce.persistent[place];
        if persistent.handover.is_some()
            && let Some(next) = persistent.waiting.pop_front()
            && let Some(handover) = persistent.handover.take()
            && let Some(next_slot) = self.give_queue_pair(place, next, handover, context)
        {
            self.go_on_after_answer(next_slot, context);
        }
    }

    /// A flow takes over what the one before hands over, or the next if it has nothing left to send. Returns
    /// its slot.
    fn give_queue_pair(
        &mut self,
        place: u32,
        mut number: u32,
        mut handover: Handover,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<usize> {
        loop {
            let slot = self.sendings.slot(number)?;
            let &PersistentQueuePair { holder, furthest, .. } = &self.roce.persistent[place];
            let follows = holder == furthest && Some(number) > furthest;
            let before = if follows { handover.in_flight() } else { self.in_flight_before(place, number) };
            let pair = self.sendings[slot].queue_pair()?;
            pair.sender.take_over(handover, before, context.now);
            let persistent = &mut self.roce.persistent[place];
            (persistent.holder, persistent.furthest) = (Some(number), furthest.max(Some(number)));
            if pair.sender.has_sent_all()
                && let Some(next) = persistent.waiting.pop_front()
            {
                (number, handover) = (next, pair.sender.hand_over());
                continue;
            }
            self.arm_control(slot, context);
            return Some(slot);
        }
    }

    /// Bytes in flight of the flows of a queue pair before one.
    fn in_flight_before(&self, place: u32, number: u32) -> u64 {
        let earlier = self.roce.persistent[place].open.iter().take_while(|flow| **flow < number);
        let in_flight = earlier.filter_map(|flow| match &self.sendings[self.sendings.slot(*flow)?].sender {
            Sender::QueuePair(pair) => Some(pair.sender.in_flight()),
            _ => None,
        });
        in_flight.sum()
    }

    /// A flow is done; what it hands over waits for the next.
    pub(super) fn leave_queue_pair(&mut self, number: u32, mut pair: QueuePair) {
        let Some(place) = pair.place else { return };
        let persistent = &mut self.roce.persistent[place];
        if let Ok(position) = persistent.open.binary_search(&number) {
            persistent.open.remove(position);
        }
        if persistent.holder == Some(number) {
            persistent.handover = Some(pair.sender.hand_over());
        } else if let Ok(turn) = persistent.waiting.binary_search(&number) {
            persistent.waiting.remove(turn);
        }
    }

    /// An acknowledgement of a flow that no longer has its queue pair says something to the congestion
    /// control of the flow that has it. Returns whether it says anything new of its own flow, and when the
    /// packet left that it answers.
    #[cold]
    pub(super) fn on_earlier_acknowledgement(
        &mut self,
        slot: usize,
        place: u32,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> (bool, Time) {
        let now = context.now;
        let holder_slot = self.holder_slot(place);
        let Some(&mut QueuePair { needs, .. }) = self.sendings[slot].queue_pair() else {
            return (false, Time::ZERO);
        };
        let (sendings, persistent) = (&mut self.sendings, &mut self.roce.persistent);
        let PersistentQueuePair { holder, handover, .. } = &mut persistent[place];
        let is_before = Some(packet.flow()) < *holder;
        let heard = with_reading(needs, packet, context.agenda.telemetry(), now, |departure, telemetry| {
            let pair = sendings[slot].queue_pair()?;
            let acknowledged = pair.sender.on_acknowledgement_after_handover(now, packet, departure)?;
            if let Some(handover) = handover {
                handover.on_acknowledgement_of_another(now, acknowledged, is_before, telemetry);
            } else if let Some(pair) = holder_slot.and_then(|slot| sendings[slot].queue_pair()) {
                pair.sender.on_acknowledgement_of_another(now, acknowledged, is_before, telemetry);
            }
            Some(acknowledged)
        });
        if let Some(holder_slot) = holder_slot {
            self.go_on_after_answer(holder_slot, context);
        }
        heard.map_or((false, Time::ZERO), |Acknowledged { newly_acked, trimmed, departure, .. }| {
            (newly_acked > 0 || trimmed, departure)
        })
    }

    /// An answer to another flow of a queue pair may let the one go on that has it.
    fn go_on_after_answer(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let number = self.sendings[slot].number();
        context.observer.on_released(context.now, self.id, number, Release::Acknowledgement);
        self.on_control_heard(slot, context);
    }

    /// A CNP of a flow that no longer has its queue pair is for the flow that has it.
    #[cold]
    pub(super) fn on_earlier_cnp(
        &mut self,
        place: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let holder_slot = self.holder_slot(place);
        if let Some(handover) = &mut self.roce.persistent[place].handover {
            handover.on_cnp(context.now);
        } else if let Some(holder_slot) = holder_slot {
            self.on_cnp(holder_slot, context);
        }
    }

    /// Bytes that other flows of a queue pair have to send once the one that has it has sent all of its own.
    #[cold]
    pub(super) fn backlog_behind(&mut self, slot: usize, place: u32) -> Bytes {
        let Some(pair) = self.sendings[slot].queue_pair() else { return Bytes::ZERO };
        let carried = pair.sender.carried();
        let PersistentQueuePair { waiting, furthest, joined, .. } = &self.roce.persistent[place];
        let begun = waiting.iter().take_while(|flow| Some(**flow) <= *furthest);
        let of_begun = begun.filter_map(|flow| match &self.sendings[self.sendings.slot(*flow)?].sender {
            Sender::QueuePair(pair) => Some(pair.sender.backlog()),
            _ => None,
        });
        of_begun.fold(joined.saturating_sub(carried), Bytes::saturating_add)
    }

    /// Credit that a flow was given that no longer has its queue pair is for the flow that has it.
    #[cold]
    pub(super) fn on_earlier_credit(
        &mut self,
        place: u32,
        total: Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if let Some(handover) = &mut self.roce.persistent[place].handover {
            handover.on_credit(context.now, total);
        } else if let Some(holder_slot) = self.holder_slot(place) {
            self.on_credit(holder_slot, total, context);
        }
    }

    /// Credit has come that was given to a flow that is done. It says of which class that was.
    #[cold]
    pub(super) fn on_late_credit(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let key = key_of(packet, packet.reception() as u8, context.fabric);
        if let Some(place) = self.roce.persistent.find(key) {
            self.on_earlier_credit(place, Bytes::new(packet.sequence()), context);
        }
    }

    /// A CNP has come of a flow that is done. Nobody knows any longer of which class that was: queue pairs of its number
    /// hear of it, of any class.
    #[cold]
    pub(super) fn on_late_cnp(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let key = key_of(packet, 0, context.fabric);
        for place in self.roce.persistent.of_any_class(key) {
            self.on_earlier_cnp(place, context);
        }
    }

    /// The slot of the flow that has a queue pair, until it is done.
    fn holder_slot(&self, place: u32) -> Option<usize> {
        self.roce.persistent[place].holder.and_then(|holder| self.sendings.slot(holder))
    }

    /// The place of the queue pair of a flow, if another has that.
    #[inline]
    pub(super) fn passed_on(&self, sending: &Sending) -> Option<u32> {
        let Sender::QueuePair(pair) = &sending.sender else { return None };
        pair.place.filter(|&place| self.roce.persistent[place].holder != Some(sending.number()))
    }
}
