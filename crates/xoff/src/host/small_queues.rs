//! TCP small queues: a flow that has much waiting in the adapter is held back. Where packets line up there, when each leaves is
//! known as it comes, and none of that is an event but what lets a flow go on.

use super::adapter::Adapter;
use super::{GONE, Host};
use crate::agenda::{Agenda, Context};
use crate::kernel::ring::Ring;
use crate::kernel::units::{Bytes, Time};
use crate::observer::Observer;
use crate::packet::ACKNOWLEDGEMENT;

/// When flows may go on that packets hold back which have lined up.
#[derive(Debug, Default)]
pub(super) struct SmallQueues {
    wakes: Ring<Time>,
}

impl Adapter {
    /// A flow that has so many bytes waiting may go on once less than `limit` is left of them. Returns when that is, if nobody else
    /// may go on before.
    fn wake(&mut self, flow: u32, mut waiting: Bytes, limit: Bytes) -> Option<Time> {
        let SmallQueues { wakes } = self.small_queues.as_deref_mut()?;
        let mut of_flow = self.port.lined_up().filter(|departure| departure.is_data_of(flow));
        let last = of_flow.find(|departure| {
            waiting -= departure.packet.frame();
            waiting < limit
        })?;
        let at = last.starts;
        wakes.push_ahead(at, |later| *later > at);
        (wakes.front() == Some(&at)).then_some(at)
    }
}

impl Host {
    /// A flow seems to have too much waiting: what has left meanwhile may not be counted out yet. Returns whether it has, and is held
    /// back.
    #[inline(never)]
    pub(super) fn hold_back(
        &mut self,
        slot: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        self.settle_small_queues(context.now, context);
        let (sending, limit) = (&mut self.sendings[slot], context.fabric.host.small_queue);
        if sending.queued < limit {
            return false;
        }
        sending.hold_back();
        if let Some(at) = self.adapter.wake(sending.number(), sending.queued, limit) {
            context.agenda.end_of_transmission(self.adapter.port.id(), at);
        }
        true
    }

    /// A packet leaves that has lined up, and with that a flow may go on. Returns when another may.
    #[inline(never)]
    pub(super) fn on_wake(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        if let Some(queues) = &mut self.adapter.small_queues {
            queues.wakes.pop_front();
        }
        if let Some(slot) = self.settle_small_queues(context.now, context) {
            self.pump(slot as usize, context);
        }
        let wakes = self.adapter.small_queues.as_ref().and_then(|queues| queues.wakes.front());
        wakes.copied().unwrap_or(Time::MAX)
    }

    /// Counts out what has left by now of packets that lined up. Returns the slot of the flow that may go on.
    #[inline(never)]
    pub(super) fn settle_small_queues(
        &mut self,
        now: Time,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<u32> {
        let Self { adapter, sendings, sending_slots, .. } = self;
        if adapter.small_queues.is_none() || adapter.port.next_start() > now {
            return None;
        }
        let mut woken = None;
        adapter.port.settle(now, context.fabric, |departure| {
            if departure.packet.is(ACKNOWLEDGEMENT) {
                return;
            }
            let slot = sending_slots[departure.flow as usize];
            if slot == GONE {
                return;
            }
            let sending = &mut sendings[slot as usize];
            sending.queued -= departure.packet.frame();
            if sending.held_back && sending.queued < context.fabric.host.small_queue {
                debug_assert_eq!(departure.starts, now, "a flow goes on as soon as it may");
                sending.held_back = false;
                woken = Some(slot);
            }
        });
        woken
    }
}
