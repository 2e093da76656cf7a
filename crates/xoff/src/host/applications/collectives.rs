//! The steps of a rank in one host.

use super::{Applications, NewFlow};
use crate::agenda::{Agenda, Context};
use crate::application::Arrival;
use crate::application::collective::{Part, Plan};
use crate::host::TimerKey;
use crate::host::flow::FlowStart;
use crate::host::pending::Pending;
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::topology::NodeId;

impl Applications {
    /// Begins a step of the rank that `host` has in a plan. Returns the flows that start with it.
    #[cold]
    pub(in crate::host) fn begin_step(
        &mut self,
        index: u32,
        host: NodeId,
        pending: &mut Pending,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Vec<FlowStart> {
        let Self { ranks, letters, .. } = self;
        let plans = &context.fabric.plans;
        let plan_number = index as usize;
        let mut starts = Vec::new();
        let (Some(plan), Some(rank)) = (plans.collective(plan_number), ranks.get_mut(index)) else {
            return starts;
        };
        let channel = plans.channel(plan_number, rank.number());
        let next = rank.begin(plan, context.now, |Part { receiver, turn, size, priority }| {
            let destination = plan.ranks[receiver as usize];
            let reception = plans.number(Arrival { channel, turn });
            let flow = NewFlow { host, destination, reception, size, priority };
            starts.extend(flow.start(&plans.all()[plan_number], letters, context));
        });
        if let Some(next) = next {
            pending.once(TimerKey::Collective(index), next);
        }
        starts
    }

    /// Hears that a part which another rank has sent is whole.
    pub(super) fn on_part(
        &mut self,
        index: usize,
        plan: &Plan,
        sender: u32,
        turn: u32,
        now: Time,
        pending: &mut Pending,
    ) {
        let Some(rank) = self.ranks.get_mut(index as u32) else { return };
        if let Some(next) = rank.on_part(plan, sender, turn, now) {
            pending.once(TimerKey::Collective(index as u32), next);
        }
    }

    /// Hears that a part which this host sent is done; the next step may have waited for that.
    pub(super) fn on_part_sent(&mut self, index: usize, plan: &Plan, now: Time, pending: &mut Pending) {
        let Some(rank) = self.ranks.get_mut(index as u32) else { return };
        if let Some(next) = rank.on_sent(plan, now) {
            pending.once(TimerKey::Collective(index as u32), next);
        }
    }
}
