//! The part of a job in one host.

use crate::agenda::{Agenda, Context};
use crate::application::Arrival;
use crate::application::job::{Part, Plan};
use crate::host::pending::Pending;
use crate::host::{Host, TimerKey};
use crate::kernel::units::Time;
use crate::observer::Observer;

use super::{Applications, JobFlow};

impl Applications {
    /// Sets the time of every flow of a job that waits for none.
    pub(super) fn begin_job(&mut self, index: u32, plan: &Plan, pending: &mut Pending) {
        self.go_on_with_job(index, pending, |part, begin| part.first(plan, begin));
    }

    /// Sets the time of every flow that this host's part hands over.
    fn go_on_with_job(
        &mut self,
        index: u32,
        pending: &mut Pending,
        act: impl FnOnce(&mut Part, &mut dyn FnMut(u32, Time)),
    ) {
        let Self { parts, job_flows, .. } = self;
        let Some(part) = parts.get_mut(index) else { return };
        act(part, &mut |flow, at| {
            let key = job_flows.insert(JobFlow { plan: index, flow }) as u32;
            pending.once(TimerKey::Job(key), at);
        });
    }
}

impl Host {
    /// Begins the flow of a job that has waited in this place.
    #[cold]
    pub(in crate::host) fn begin_job_flow(
        &mut self,
        key: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let JobFlow { plan: index, flow } = self.applications.job_flows.remove(key as usize);
        let plans = &context.fabric.plans;
        let (Some(plan), Some(part)) = (plans.job(index as usize), self.applications.parts.get_mut(index))
        else {
            return;
        };
        part.on_begin();
        let flow = &plan.flows()[flow as usize];
        let channel = plans.channel(index as usize, flow.receiver);
        let reception = plans.number(Arrival { channel, turn: flow.turn });
        let row = &flow.row;
        let plan = &plans.all()[index as usize];
        self.begin_flow(plan, row.destination, reception, row.size, row.priority, context);
    }

    /// A flow to this host is whole.
    pub(super) fn on_job_flow(&mut self, index: usize, plan: &Plan, flow: u32, now: Time) {
        let act = |part: &mut Part, begin: &mut dyn FnMut(u32, Time)| part.on_whole(plan, flow, now, begin);
        self.applications.go_on_with_job(index as u32, &mut self.pending, act);
    }

    /// A flow from this host is acknowledged, or has left where nothing is.
    pub(super) fn on_job_flow_sent(&mut self, index: usize, plan: &Plan, flow: u32, now: Time) {
        let act = |part: &mut Part, begin: &mut dyn FnMut(u32, Time)| part.on_done(plan, flow, now, begin);
        self.applications.go_on_with_job(index as u32, &mut self.pending, act);
    }
}
