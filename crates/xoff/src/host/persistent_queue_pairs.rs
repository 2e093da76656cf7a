//! Queue pairs that last: flows to a destination in one class go by one of them, one after another, and each takes over what the one
//! before has left, the state of the congestion control with it.

use std::collections::{BTreeMap, VecDeque};

use super::queue_pairs::QueuePair;
use super::sending::Sender;
use super::{Flow, Host};
use crate::agenda::{Agenda, Context};
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::packet::Packet;
use crate::topology::NodeId;
use crate::transport::roce::{Acknowledged, Handover};

/// All of a host.
#[derive(Debug, Default)]
pub(super) struct PersistentQueuePairs {
    /// By destination, transport and class.
    places: BTreeMap<(NodeId, u8, u8), u32>,
    all: Vec<PersistentQueuePair>,
}

#[derive(Debug, Default)]
struct PersistentQueuePair {
    /// Number of the flow that sends, or was the last to.
    holder: Option<u32>,
    /// Numbers of flows that wait for it.
    waiting: VecDeque<u32>,
    /// What the holder has left; nothing until it is done.
    left: Option<Handover>,
}

impl PersistentQueuePairs {
    /// The place of the one that a flow goes by.
    pub(super) fn of(&mut self, flow: &Flow) -> u32 {
        let Self { places, all } = self;
        *places.entry((flow.destination, flow.transport, flow.priority)).or_insert_with(|| {
            all.push(PersistentQueuePair::default());
            all.len() as u32 - 1
        })
    }

    /// Those to a destination with a transport, in any class.
    fn to(&self, destination: NodeId, transport: u8) -> Vec<u32> {
        let all = (destination, transport, 0)..=(destination, transport, u8::MAX);
        self.places.range(all).map(|(_, place)| *place).collect()
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
        let pair = &mut self.persistent.all[place as usize];
        let Some(holder) = pair.holder else {
            pair.holder = Some(number);
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

    /// Once the flow that has it has sent everything, the next may send. Returns the slot of that.
    #[cold]
    pub(super) fn pass_on_queue_pair(
        &mut self,
        slot: usize,
        place: u32,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<usize> {
        let pair = &mut self.persistent.all[place as usize];
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

    /// A flow is done; where its acknowledgements have come before it had sent all once more, others wait still.
    #[cold]
    pub(super) fn go_on_with_queue_pair(
        &mut self,
        place: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let pair = &mut self.persistent.all[place as usize];
        if pair.left.is_none() {
            return;
        }
        let Some(next) = pair.waiting.pop_front() else { return };
        if let Some(left) = pair.left.take()
            && let Some(slot) = self.give_queue_pair(place, next, left, context)
        {
            self.on_control_heard(slot, context);
        }
    }

    /// A flow takes over what the one before has left. Returns its slot.
    fn give_queue_pair(
        &mut self,
        place: u32,
        number: u32,
        left: Handover,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<usize> {
        self.persistent.all[place as usize].holder = Some(number);
        let slot = self.sending_slot(number)?;
        if let Sender::QueuePair(pair) = &mut self.sendings[slot].sender {
            pair.sender.take_over(left, context.now);
        }
        self.arm_control(slot, context);
        Some(slot)
    }

    /// A flow is done; what it has left waits for the next.
    pub(super) fn leave_queue_pair(&mut self, number: u32, mut done: QueuePair) {
        let Some(place) = done.place else { return };
        let pair = &mut self.persistent.all[place as usize];
        if pair.holder == Some(number) {
            pair.left = Some(done.sender.hand_over());
        }
    }

    /// An acknowledgement of a flow that no longer has its queue pair says something to the congestion control of the flow that has
    /// it. Returns whether it acknowledges anything new.
    #[cold]
    pub(super) fn on_earlier_acknowledgement(
        &mut self,
        slot: usize,
        place: u32,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        let Sender::QueuePair(earlier) = &mut self.sendings[slot].sender else { return false };
        let before = earlier.sender.acknowledged_of_queue_pair();
        let record = packet
            .record()
            .map(|record| context.agenda.telemetry().collect(record, packet.hops(), packet.path()));
        let departure = record.map_or_else(|| Time::new(packet.stamp()), |record| record.departure());
        let progress = earlier.sender.on_acknowledgement(context.now, packet, departure, None);
        let cumulative = earlier.sender.acknowledged_of_queue_pair();
        let acknowledged = Acknowledged { newly_acked: cumulative - before, cumulative, departure };
        let holder = self.holder_of_queue_pair(place);
        let telemetry = &*context.agenda.telemetry();
        let reading = record.as_ref().map(|record| telemetry.reading(record, context.now));
        if let Some(left) = &mut self.persistent.all[place as usize].left {
            left.on_earlier_acknowledgement(context.now, acknowledged, reading);
        } else if let Some(holder) = holder {
            if let Sender::QueuePair(holding) = &mut self.sendings[holder].sender {
                holding.sender.on_earlier_acknowledgement(context.now, acknowledged, reading);
            }
            self.on_control_heard(holder, context);
        }
        progress
    }

    /// A CNP of a flow that no longer has its queue pair is for the flow that has it.
    #[cold]
    pub(super) fn on_earlier_cnp(
        &mut self,
        place: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let holder = self.holder_of_queue_pair(place);
        if let Some(left) = &mut self.persistent.all[place as usize].left {
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
        for place in self.persistent.to(packet.source(), packet.transport()) {
            self.on_earlier_cnp(place, context);
        }
    }

    /// The slot of the flow that has a queue pair, until it is done.
    fn holder_of_queue_pair(&self, place: u32) -> Option<usize> {
        self.persistent.all[place as usize].holder.and_then(|holder| self.sending_slot(holder))
    }

    /// The place of the queue pair of a flow, if that has passed it on.
    #[inline]
    pub(super) fn passed_on_queue_pair(&self, slot: usize) -> Option<u32> {
        let sending = &self.sendings[slot];
        let Sender::QueuePair(pair) = &sending.sender else { return None };
        pair.place.filter(|&place| self.persistent.all[place as usize].holder != Some(sending.number()))
    }
}
