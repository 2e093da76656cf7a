//! Persistent queue pairs: flows to one destination in one class share them, one flow after another.
//!
//! Each flow takes over what the one before hands over, with the state of the congestion control. The flow that has the
//! queue pair is its holder. A flow that must send something again takes the queue pair back from a later one.

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

/// All persistent queue pairs of a host.
pub(super) type PersistentQueuePairs = ByQueuePair<PersistentQueuePair>;

/// One persistent queue pair.
#[derive(Debug, Default)]
pub(super) struct PersistentQueuePair {
    /// Number of the flow that sends, or of the last that did.
    holder: Option<u32>,
    /// Number of the last flow that has had the queue pair.
    furthest: Option<u32>,
    /// Numbers of flows that wait for the queue pair, in order of their start.
    waiting: VecDeque<u32>,
    /// Numbers of all flows that are not done, in order.
    open: VecDeque<u32>,
    /// State that a holder hands over which is done; `None` before that.
    handover: Option<Handover>,
    /// Bytes of all flows that have ever gone by the queue pair.
    joined: Bytes,
}

impl PersistentQueuePairs {
    /// Place of the persistent queue pair that `flow` goes by, numbered `number` among the pairs to its destination.
    pub(super) fn of(&mut self, flow: &Flow, number: u8) -> u32 {
        self.place((flow.destination, flow.transport, number, flow.priority), PersistentQueuePair::default)
    }
}

impl Host {
    /// Lets a flow that has just begun take over its queue pair, or wait for it.
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

    /// Gives the queue pair back to a flow that has had it and may have something to send again. The flow goes before
    /// all that came later, as in an adapter, which has one sequence of packets for all.
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

    /// Handles an acknowledgement of a packet that left at `departure`. Packets and acknowledgements stay in order on
    /// their path, so that everything earlier flows had sent by then is lost.
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

    /// Takes the queue pair from a flow under way, whatever that has to send.
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

    /// Passes the queue pair on to the next flow once its holder has sent everything. Returns the slot of that next
    /// flow.
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

    /// Goes on after an acknowledgement of a packet that left at `departure`. Its flow may be done, or it and flows
    /// before may have something to send again.
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

    /// Gives the queue pair to a flow, or to the next one if that has nothing left to send. Returns the slot of the
    /// flow that has it now.
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

    /// Bytes in flight of the flows that went by a queue pair before one.
    fn in_flight_before(&self, place: u32, number: u32) -> u64 {
        let earlier = self.roce.persistent[place].open.iter().take_while(|flow| **flow < number);
        let in_flight = earlier.filter_map(|flow| match &self.sendings[self.sendings.slot(*flow)?].sender {
            Sender::QueuePair(pair) => Some(pair.sender.in_flight()),
            _ => None,
        });
        in_flight.sum()
    }

    /// Takes a flow that is done off its queue pair. What a holder hands over waits for the next flow.
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

    /// Tells the holder's congestion control of an acknowledgement for a flow that no longer has the queue pair.
    /// Returns whether it says anything new of its own flow, and when the packet left that it answers.
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

    /// Goes on with the holder of a queue pair after an answer to another of its flows.
    fn go_on_after_answer(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let number = self.sendings[slot].number();
        context.observer.on_released(context.now, self.id, number, Release::Acknowledgement);
        self.on_control_heard(slot, context);
    }

    /// Hands a CNP of a flow that no longer has its queue pair to the holder.
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

    /// Bytes that other flows of a queue pair have to send once its holder has sent all of its own.
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

    /// Hands credit of a flow that no longer has its queue pair to the holder of the queue pair.
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

    /// Handles credit for a flow that is done. The packet says the class.
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

    /// Handles a CNP for a flow that is done. The packet does not say the class, so that queue pairs of every class
    /// with that number hear of it.
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

    /// Slot of a queue pair's holder, until that is done.
    fn holder_slot(&self, place: u32) -> Option<usize> {
        self.roce.persistent[place].holder.and_then(|holder| self.sendings.slot(holder))
    }

    /// Place of a flow's queue pair, if another flow is the holder.
    #[inline]
    pub(super) fn passed_on(&self, sending: &Sending) -> Option<u32> {
        let Sender::QueuePair(pair) = &sending.sender else { return None };
        pair.place.filter(|&place| self.roce.persistent[place].holder != Some(sending.number()))
    }
}
