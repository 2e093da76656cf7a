//! What applications do in one host: they begin flows at their time and hear of those that are whole. `queries.rs` has both
//! sides of queries, `collectives.rs` the steps of a rank.

mod collectives;
mod queries;

use slab::Slab;

use super::pending::Pending;
use super::receiving::Receptions;
use super::{Flow, FlowStart, Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::application::collective::Rank;
use crate::application::query::{Aggregator, Carries, Worker};
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
    /// By plan; nothing where this host has no rank.
    ranks: Vec<Option<Rank>>,
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
        let (mut aggregators, mut workers, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
        for (index, plan) in plans.all().iter().enumerate() {
            let (mut aggregator, mut worker, mut rank) = (None, None, None);
            match plan {
                Plan::Query(plan) => {
                    let of_queries = |_| Aggregator::new(plan, host, stream(Purpose::Queries, index));
                    aggregator = plan.aggregator(host).map(of_queries);
                    worker = plan.worker(host).map(|_| Worker::new(stream(Purpose::ResponseJitter, index)));
                }
                Plan::Collective(plan) => {
                    rank = plan.rank(host).map(|rank| Rank::new(rank, stream(Purpose::Collectives, index)));
                }
            }
            aggregators.push(aggregator);
            workers.push(worker);
            ranks.push(rank);
        }
        let channels = Sparse::with_places(plans.channels() as usize);
        Self { aggregators, workers, ranks, channels, responses: Slab::new() }
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

    /// The rank of this host in this plan, if it has one.
    pub fn rank(&self, plan: usize) -> Option<&Rank> {
        self.ranks[plan].as_ref()
    }

    pub(super) fn channel(&mut self, channel: u32) -> &mut Receptions {
        self.channels.get_or_default(channel)
    }

    pub(super) fn received_at(&self, arrival: Arrival) -> Option<Time> {
        self.channels.get(arrival.channel)?.received_at(arrival.turn)
    }

    /// Sets the time of every first query and step.
    pub(super) fn begin(&mut self, plans: &Plans, pending: &mut Pending) {
        for (index, plan) in plans.all().iter().enumerate() {
            let key = index as u32;
            match plan {
                Plan::Query(plan) => {
                    let aggregator = self.aggregators[index].as_mut();
                    if let Some(start) = aggregator.and_then(|aggregator| aggregator.first_start(plan)) {
                        pending.once(TimerKey::Query(key), start);
                    }
                }
                Plan::Collective(plan) if self.ranks[index].is_some() => {
                    pending.once(TimerKey::Collective(key), plan.start);
                }
                Plan::Collective(_) => {}
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

    /// The flow of an application is whole. What follows begins as an event of its own.
    #[cold]
    pub(super) fn on_arrival_of(
        &mut self,
        arrival: Arrival,
        last: &Packet,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) {
        let plans = &context.fabric.plans;
        let (index, channel) = plans.of_channel(arrival.channel);
        match &plans.all()[index] {
            Plan::Query(plan) => match plan.carries(channel) {
                Carries::Requests(place) => {
                    let priority = last.priority() as u8;
                    let response = Response { plan: index, aggregator: place, turn: arrival.turn, priority };
                    self.on_request(plan, response, context.now);
                }
                Carries::Responses(place) => self.on_response(index, plan, place, arrival.turn, context.now),
            },
            Plan::Collective(plan) => self.on_part(index, plan, channel, arrival.turn, context.now),
        }
    }

    fn begin_flow(
        &mut self,
        plan: &Plan,
        destination: NodeId,
        reception: u32,
        size: Bytes,
        priority: u8,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (start, transport, workload) = (context.now, plan.transport(), plan.workload() as u16);
        let flow = Flow { start, number: 0, destination, reception, size, priority, transport, workload };
        self.start_flow(FlowStart { flow, end: Time::MAX }, context);
    }
}
