//! The part of a job in one host.

use super::{Applications, JobFlow, NewFlow};
use crate::agenda::{Agenda, Context};
use crate::application::Arrival;
use crate::application::job::{Part, Plan};
use crate::host::TimerKey;
use crate::host::flow::FlowStart;
use crate::host::pending::Pending;
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::topology::NodeId;

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

    /// Takes the flow of a job that has waited in this place. Returns its start.
    #[cold]
    pub(in crate::host) fn begin_job_flow(
        &mut self,
        key: u32,
        host: NodeId,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<FlowStart> {
        let JobFlow { plan: index, flow } = self.job_flows.remove(key as usize);
        let plans = &context.fabric.plans;
        let plan = plans.job(index as usize)?;
        self.parts.get_mut(index)?.on_begin();
        let flow = &plan.flows()[flow as usize];
        let channel = plans.channel(index as usize, flow.receiver);
        let reception = plans.number(Arrival { channel, turn: flow.turn });
        let row = &flow.row;
        let (destination, size, priority) = (row.destination, row.size, row.priority);
        let new = NewFlow { host, destination, reception, size, priority };
        new.start(&plans.all()[index as usize], &mut self.letters, context)
    }

    /// Hears that a flow to this host is whole.
    pub(super) fn on_job_flow(
        &mut self,
        index: usize,
        plan: &Plan,
        flow: u32,
        now: Time,
        pending: &mut Pending,
    ) {
        let act = |part: &mut Part, begin: &mut dyn FnMut(u32, Time)| part.on_whole(plan, flow, now, begin);
        self.go_on_with_job(index as u32, pending, act);
    }

    /// Hears that a flow from this host is acknowledged, or has left where nothing is.
    pub(super) fn on_job_flow_sent(
        &mut self,
        index: usize,
        plan: &Plan,
        flow: u32,
        now: Time,
        pending: &mut Pending,
    ) {
        let act = |part: &mut Part, begin: &mut dyn FnMut(u32, Time)| part.on_done(plan, flow, now, begin);
        self.go_on_with_job(index as u32, pending, act);
    }
}
