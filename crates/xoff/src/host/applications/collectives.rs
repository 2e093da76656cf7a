//! The steps of a rank in one host.

use crate::agenda::{Agenda, Context};
use crate::application::Arrival;
use crate::application::collective::{Part, Plan};
use crate::host::{Host, TimerKey};
use crate::kernel::units::Time;
use crate::observer::Observer;

impl Host {
    /// A rank begins a step.
    #[cold]
    pub(in crate::host) fn begin_step(
        &mut self,
        index: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let plans = &context.fabric.plans;
        let plan_number = index as usize;
        let (Some(plan), Some(rank)) =
            (plans.collective(plan_number), self.applications.ranks.get_mut(index))
        else {
            return;
        };
        let mut parts = Vec::new();
        let next = rank.begin(plan, context.now, |part| parts.push(part));
        let channel = plans.channel(plan_number, rank.number());
        if let Some(next) = next {
            self.pending.once(TimerKey::Collective(index), next);
        }
        for Part { receiver, turn, size, priority } in parts {
            let destination = plan.ranks[receiver as usize];
            let reception = plans.number(Arrival { channel, turn });
            self.begin_flow(&plans.all()[plan_number], destination, reception, size, priority, context);
        }
    }

    /// A part that another rank has sent is whole.
    pub(super) fn on_part(&mut self, index: usize, plan: &Plan, sender: u32, turn: u32, now: Time) {
        let Some(rank) = self.applications.ranks.get_mut(index as u32) else { return };
        if let Some(next) = rank.on_part(plan, sender, turn, now) {
            self.pending.once(TimerKey::Collective(index as u32), next);
        }
    }

    /// A part that this host sent is done; that may have been what the next step waited for.
    pub(super) fn on_part_sent(&mut self, index: usize, plan: &Plan, now: Time) {
        let Some(rank) = self.applications.ranks.get_mut(index as u32) else { return };
        if let Some(next) = rank.on_sent(plan, now) {
            self.pending.once(TimerKey::Collective(index as u32), next);
        }
    }
}
