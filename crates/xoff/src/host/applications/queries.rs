//! Both sides of queries in one host.

use super::Response;
use crate::agenda::{Agenda, Context};
use crate::application::Arrival;
use crate::application::query::{Carries, Plan, Request};
use crate::host::{Host, TimerKey};
use crate::kernel::units::Time;
use crate::observer::Observer;

impl Host {
    /// An aggregator begins a query.
    #[cold]
    pub(in crate::host) fn begin_query(
        &mut self,
        index: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let plans = &context.fabric.plans;
        let (Some(plan), Some(aggregator)) =
            (plans.query(index as usize), self.applications.aggregators.get_mut(index))
        else {
            return;
        };
        let Some(place) = plan.aggregator(self.id) else { return };
        let mut requests = Vec::with_capacity(plan.fan_in as usize);
        let next = aggregator.begin(plan, context.now, |request| requests.push(request));
        if let Some(next) = next {
            self.pending.once(TimerKey::Query(index), next);
        }
        let channel = plans.channel(index as usize, plan.channel(Carries::Requests(place)));
        for Request { worker, turn, priority } in requests {
            let destination = plan.workers[worker as usize];
            let reception = plans.number(Arrival { channel, turn });
            self.begin_flow(
                &plans.all()[index as usize],
                destination,
                reception,
                plan.request,
                priority,
                context,
            );
        }
    }

    /// A worker begins the response that has waited in this place.
    #[cold]
    pub(in crate::host) fn begin_response(
        &mut self,
        key: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Response { plan: index, aggregator, turn, priority } =
            self.applications.responses.remove(key as usize);
        let plans = &context.fabric.plans;
        let Some(plan) = plans.query(index) else { return };
        let Some(worker) = plan.worker(self.id) else { return };
        let channel = plans.channel(index, plan.channel(Carries::Responses(worker)));
        let reception = plans.number(Arrival { channel, turn });
        let destination = plan.aggregators[aggregator as usize];
        self.begin_flow(&plans.all()[index], destination, reception, plan.response, priority, context);
    }

    /// A request is whole, whose response is this.
    pub(super) fn on_request(&mut self, plan: &Plan, response: Response, now: Time) {
        let Some(worker) = self.applications.workers.get_mut(response.plan as u32) else { return };
        let at = worker.answers_at(plan, now);
        let key = self.applications.responses.insert(response) as u32;
        self.pending.once(TimerKey::Response(key), at);
    }

    /// A response of a worker is whole.
    pub(super) fn on_response(&mut self, index: usize, plan: &Plan, worker: u32, turn: u32, now: Time) {
        let Some(aggregator) = self.applications.aggregators.get_mut(index as u32) else { return };
        if let Some(next) = aggregator.on_response(plan, worker, turn, now) {
            self.pending.once(TimerKey::Query(index as u32), next);
        }
    }
}
