//! What applications do in one host: they begin flows at their time and hear of those that are whole.

use slab::Slab;

use super::pending::Pending;
use super::receiving::Receptions;
use super::{Flow, FlowStart, Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::application::query::{self, Aggregator, Carries, Request, Worker};
use crate::application::{Arrival, Plan, Plans};
use crate::kernel::rng::{Purpose, Rng};
use crate::kernel::sparse::Sparse;
use crate::kernel::units::{Bytes, Time};
use crate::observer::Observer;
use crate::packet::Packet;
use crate::topology::NodeId;

/// The part of one host in all plans.
#[derive(Debug, Default)]
pub struct Applications {
    /// By plan; nothing where this host does not ask.
    aggregators: Vec<Option<Aggregator>>,
    /// By plan; nothing where this host does not answer.
    workers: Vec<Option<Worker>>,
    /// What has come by each channel.
    channels: Sparse<Receptions>,
    /// Responses that wait for their time.
    responses: Slab<Response>,
}

/// A response to begin.
#[derive(Clone, Copy, Debug)]
struct Response {
    plan: usize,
    /// The place of the aggregator in the plan.
    aggregator: u32,
    turn: u32,
    priority: u8,
}

impl Applications {
    /// The part of `host`; `stream` gives the random stream of a plan for a purpose.
    pub fn new(host: NodeId, plans: &Plans, stream: impl Fn(Purpose, usize) -> Rng) -> Self {
        let (mut aggregators, mut workers) = (Vec::new(), Vec::new());
        for (index, plan) in plans.all().iter().enumerate() {
            let Plan::Query(plan) = plan;
            let aggregator = |_| Aggregator::new(plan, host, stream(Purpose::Queries, index));
            aggregators.push(plan.aggregator(host).map(aggregator));
            workers.push(plan.worker(host).map(|_| Worker::new(stream(Purpose::ResponseJitter, index))));
        }
        let channels = Sparse::with_places(plans.channels() as usize);
        Self { aggregators, workers, channels, responses: Slab::new() }
    }

    /// The side that asks, of each plan in which this host does.
    pub fn aggregators(&self) -> impl Iterator<Item = (usize, &Aggregator)> {
        let all = self.aggregators.iter().enumerate();
        all.filter_map(|(plan, aggregator)| Some((plan, aggregator.as_ref()?)))
    }

    /// The side that asks in this plan, if this host does.
    pub fn aggregator(&self, plan: usize) -> Option<&Aggregator> {
        self.aggregators[plan].as_ref()
    }

    pub(super) fn channel(&mut self, channel: u32) -> &mut Receptions {
        self.channels.get_or_default(channel)
    }

    pub(super) fn received_at(&self, arrival: Arrival) -> Option<Time> {
        self.channels.get(arrival.channel)?.received_at(arrival.turn)
    }

    /// Sets the time of every first query.
    pub(super) fn begin(&mut self, plans: &Plans, pending: &mut Pending) {
        for (index, (plan, aggregator)) in plans.all().iter().zip(&mut self.aggregators).enumerate() {
            let Plan::Query(plan) = plan;
            if let Some(start) = aggregator.as_mut().and_then(|aggregator| aggregator.first_start(plan)) {
                pending.once(TimerKey::Query(index as u32), start);
            }
        }
    }
}

impl Host {
    /// The same host with its part in all plans.
    #[must_use]
    pub fn with_applications(mut self, mut applications: Applications, plans: &Plans) -> Self {
        applications.begin(plans, &mut self.pending);
        self.applications = applications;
        self
    }

    /// An aggregator begins a query.
    #[cold]
    pub(super) fn begin_query(&mut self, index: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let plans = &context.fabric.plans;
        let (Some(plan), Some(aggregator)) =
            (plans.query(index as usize), &mut self.applications.aggregators[index as usize])
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
            self.begin_flow(plan, destination, reception, plan.request, priority, context);
        }
    }

    /// A worker begins the response that has waited in this place.
    #[cold]
    pub(super) fn begin_response(&mut self, key: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Response { plan: index, aggregator, turn, priority } =
            self.applications.responses.remove(key as usize);
        let plans = &context.fabric.plans;
        let Some(plan) = plans.query(index) else { return };
        let Some(worker) = plan.worker(self.id) else { return };
        let channel = plans.channel(index, plan.channel(Carries::Responses(worker)));
        let reception = plans.number(Arrival { channel, turn });
        let destination = plan.aggregators[aggregator as usize];
        self.begin_flow(plan, destination, reception, plan.response, priority, context);
    }

    /// The flow of an application is whole. What follows begins as an event of its own.
    #[cold]
    pub(super) fn on_arrival_of(
        &mut self,
        arrival: Arrival,
        last: &Packet,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) {
        let plans = &context.fabric.plans;
        let (index, within) = plans.of_channel(arrival.channel);
        let Some(plan) = plans.query(index) else { return };
        let Applications { aggregators, workers, responses, .. } = &mut self.applications;
        match plan.carries(within) {
            Carries::Requests(aggregator) => {
                let Some(worker) = &mut workers[index] else { return };
                let at = worker.answers_at(plan, context.now);
                let priority = last.priority() as u8;
                let response = Response { plan: index, aggregator, turn: arrival.turn, priority };
                let key = responses.insert(response) as u32;
                self.pending.once(TimerKey::Response(key), at);
            }
            Carries::Responses(worker) => {
                let Some(aggregator) = &mut aggregators[index] else { return };
                if let Some(next) = aggregator.on_response(plan, worker, arrival.turn, context.now) {
                    self.pending.once(TimerKey::Query(index as u32), next);
                }
            }
        }
    }

    fn begin_flow(
        &mut self,
        plan: &query::Plan,
        destination: NodeId,
        reception: u32,
        size: Bytes,
        priority: u8,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let query::Plan { transport, workload, .. } = *plan;
        let (start, workload) = (context.now, workload as u16);
        let flow = Flow { start, number: 0, destination, reception, size, priority, transport, workload };
        self.start_flow(FlowStart { flow, end: Time::MAX }, context);
    }
}
