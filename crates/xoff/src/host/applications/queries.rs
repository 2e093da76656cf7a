//! Both sides of queries in one host.

use super::{Applications, NewFlow, Response};
use crate::agenda::{Agenda, Context};
use crate::application::Arrival;
use crate::application::query::{Carries, Plan, Request};
use crate::host::TimerKey;
use crate::host::flow::FlowStart;
use crate::host::pending::Pending;
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::topology::NodeId;

impl Applications {
    /// Begins a query of the aggregator that `host` has in a plan. Returns the requests that start with it.
    #[cold]
    pub(in crate::host) fn begin_query(
        &mut self,
        index: u32,
        host: NodeId,
        pending: &mut Pending,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Vec<FlowStart> {
        let Self { aggregators, letters, .. } = self;
        let plans = &context.fabric.plans;
        let plan_number = index as usize;
        let (Some(plan), Some(aggregator)) = (plans.query(plan_number), aggregators.get_mut(index)) else {
            return Vec::new();
        };
        let Some(place) = plan.aggregator(host) else { return Vec::new() };
        let channel = plans.channel(plan_number, plan.channel(Carries::Requests(place)));
        let mut starts = Vec::with_capacity(plan.fan_in as usize);
        let next = aggregator.begin(plan, context.now, |Request { worker, turn, priority }| {
            let destination = plan.workers[worker as usize];
            let reception = plans.number(Arrival { channel, turn });
            let flow = NewFlow { host, destination, reception, size: plan.request, priority };
            starts.extend(flow.start(&plans.all()[plan_number], letters, context));
        });
        if let Some(next) = next {
            pending.once(TimerKey::Query(index), next);
        }
        starts
    }

    /// Takes the response of a worker that has waited in this place. Returns its start.
    #[cold]
    pub(in crate::host) fn begin_response(
        &mut self,
        key: u32,
        host: NodeId,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<FlowStart> {
        let Response { plan: index, aggregator, turn, priority } = self.responses.remove(key as usize);
        let plans = &context.fabric.plans;
        let plan = plans.query(index)?;
        let channel = plans.channel(index, plan.channel(Carries::Responses(plan.worker(host)?)));
        let reception = plans.number(Arrival { channel, turn });
        let destination = plan.aggregators[aggregator as usize];
        let flow = NewFlow { host, destination, reception, size: plan.response, priority };
        flow.start(&plans.all()[index], &mut self.letters, context)
    }

    /// Hears that a request is whole, to which this is the response.
    pub(super) fn on_request(&mut self, plan: &Plan, response: Response, now: Time, pending: &mut Pending) {
        let Some(worker) = self.workers.get_mut(response.plan as u32) else { return };
        let at = worker.answers_at(plan, now);
        let key = self.responses.insert(response) as u32;
        pending.once(TimerKey::Response(key), at);
    }

    /// Hears that the response of a worker is whole.
    pub(super) fn on_response(
        &mut self,
        index: usize,
        plan: &Plan,
        worker: u32,
        turn: u32,
        now: Time,
        pending: &mut Pending,
    ) {
        let Some(aggregator) = self.aggregators.get_mut(index as u32) else { return };
        if let Some(next) = aggregator.on_response(plan, worker, turn, now) {
            pending.once(TimerKey::Query(index as u32), next);
        }
    }
}
