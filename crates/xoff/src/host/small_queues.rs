//! TCP small queues: a flow that has much waiting in the adapter is held back. Where packets line up there, it is known as a packet
//! comes when it will leave, and no departure is an event but those that let a flow go on.

use super::adapter::Adapter;
use super::{GONE, Host};
use crate::agenda::{Agenda, Context};
use crate::kernel::ring::Ring;
use crate::kernel::units::{Bytes, Time};
use crate::observer::Observer;
use crate::packet::ACKNOWLEDGEMENT;
use crate::port::Departure;

/// Flows that are held back by packets which have lined up.
#[derive(Debug, Default)]
pub(super) struct SmallQueues {
    /// How many there are, with those that were done meanwhile.
    held_back: usize,
    /// When they may go on, where that was sought.
    wakes: Ring<Time>,
}

/// Of so many flows it is sought when they may go on. Where there are more, the search takes longer than a look at every departure.
const MOST_SOUGHT: usize = 8;

impl Adapter {
    /// A flow that has so many bytes waiting is held back until less than `limit` is left of them.
    fn hold_back(&mut self, flow: u32, mut waiting: Bytes, limit: Bytes) {
        let Some(SmallQueues { held_back, wakes }) = self.small_queues.as_deref_mut() else { return };
        *held_back += 1;
        if *held_back > MOST_SOUGHT {
            return;
        }
        let mut of_flow = self.port.lined_up().filter(|departure| departure.is_data_of(flow));
        let last = of_flow.find(|departure| {
            waiting -= departure.packet.frame();
            waiting < limit
        });
        if let Some(&Departure { starts, .. }) = last {
            wakes.push_ahead(starts, |later| *later > starts);
        }
    }

    /// The next departure with which a flow may go on.
    fn next_wake(&self) -> Time {
        let Some(SmallQueues { held_back, wakes }) = self.small_queues.as_deref() else { return Time::MAX };
        if wakes.len() < *held_back {
            return self.port.next_start();
        }
        wakes.front().copied().unwrap_or(Time::MAX)
    }

    /// A packet leaves now with which a flow may go on, and if `goes_on` does.
    fn on_wake(&mut self, goes_on: bool, now: Time) {
        let is_last = self.port.next_start() == Time::MAX;
        let Some(SmallQueues { held_back, wakes }) = self.small_queues.as_deref_mut() else { return };
        let was_sought = wakes.front() == Some(&now);
        if was_sought {
            wakes.pop_front();
        }
        // Of flows that were done meanwhile, those are left that were not sought.
        *held_back = if is_last { 0 } else { *held_back - usize::from(was_sought || goes_on) };
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
        if self.adapter.small_queues.is_some() {
            self.adapter.hold_back(sending.number(), sending.queued, limit);
            context.agenda.end_of_transmission(self.adapter.port.id(), self.adapter.next_wake());
        }
        true
    }

    /// A packet leaves that has lined up, and with that a flow may go on. Returns when another may.
    #[inline(never)]
    pub(super) fn on_wake(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        let woken = self.settle_small_queues(context.now, context);
        self.adapter.on_wake(woken.is_some(), context.now);
        if let Some(slot) = woken {
            self.pump(slot as usize, context);
        }
        self.adapter.next_wake()
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
