//! TCP small queues: a flow that has much waiting in the adapter is held back.
//!
//! In an adapter where packets line up, departures are events only while some flow is held back. The departure of one
//! of its own packets lets such a flow go on.

use super::Host;
use crate::agenda::{Agenda, Context};
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::packet::ACKNOWLEDGEMENT;

/// Flows that are held back by packets which have lined up.
#[derive(Debug, Default)]
pub(super) struct SmallQueues {
    pub(super) held_back: u32,
}

impl Host {
    /// Holds a flow back if it has too much waiting, once packets are counted out that have left meanwhile. Returns
    /// whether it is held back.
    #[inline(never)]
    pub(super) fn hold_back(
        &mut self,
        slot: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        self.settle_small_queues(context.now, context);
        let sending = &mut self.sendings[slot];
        if sending.queued < context.fabric.host.small_queue {
            return false;
        }
        sending.hold_back();
        if let Some(queues) = &mut self.adapter.small_queues {
            queues.held_back += 1;
            let port = &self.adapter.port;
            context.agenda.end_of_transmission(port.id(), port.next_start());
        }
        true
    }

    /// Handles the departure of a packet that has lined up, while flows are held back. Returns when the next departs.
    #[inline(never)]
    pub(super) fn on_departure(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        if let Some(slot) = self.settle_small_queues(context.now, context) {
            self.pump(slot, context);
        }
        let holds_back = self.adapter.small_queues.as_ref().is_some_and(|queues| queues.held_back > 0);
        if holds_back { self.adapter.port.next_start() } else { Time::MAX }
    }

    /// Counts out packets of the line that have left by `now`. Returns the slot of the flow that may go on.
    #[inline(never)]
    pub(super) fn settle_small_queues(
        &mut self,
        now: Time,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<usize> {
        let Self { adapter, sendings, .. } = self;
        let queues = adapter.small_queues.as_mut()?;
        if adapter.port.next_start() > now {
            return None;
        }
        let mut goes_on = None;
        adapter.port.settle(now, context.fabric, |departure| {
            if departure.packet.is(ACKNOWLEDGEMENT) {
                return;
            }
            let Some(slot) = sendings.slot(departure.flow) else { return };
            let frame = departure.packet.frame();
            if sendings[slot].on_left_adapter(frame, context.fabric.host.small_queue) {
                debug_assert_eq!(departure.starts, now, "a flow goes on as soon as it may");
                queues.held_back -= 1;
                goes_on = Some(slot);
            }
        });
        goes_on
    }
}
