//! Applications of one host, which begin flows when due and hear of flows that are whole.
//!
//! `queries.rs` has both sides of queries, `collectives.rs` the steps of a rank, and `jobs.rs` the host's part of a
//! job. `driven.rs` has what a program asks that drives the run.

mod collectives;
mod driven;
mod jobs;
mod queries;

use slab::Slab;

use driven::Driven;
pub use driven::{Happened, Reception};

use super::flow::{Flow, FlowStart};
use super::letters::{Letter, is_inside_server};
use super::pending::Pending;
use super::receptions::ReceptionSlots;
use super::{Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::application::collective::Rank;
use crate::application::job::Part;
use crate::application::query::{Aggregator, Carries, Worker};
use crate::application::{Arrival, Plan, Plans};
use crate::kernel::rng::{Purpose, Rng};
use crate::kernel::sparse::Sparse;
use crate::kernel::units::{Bytes, Time};
use crate::observer::Observer;
use crate::topology::{NodeId, Servers};

/// The part of one host in all plans.
#[derive(Debug, Default)]
pub struct Applications {
    /// Queries that this host asks as their aggregator, one entry for each plan.
    aggregators: Sparse<Aggregator>,
    /// Answering side of queries, by plan.
    workers: Sparse<Worker>,
    /// Rank of this host in collectives, by plan.
    ranks: Sparse<Rank>,
    /// Part of this host in jobs, by plan.
    parts: Sparse<Part>,
    /// Flows that arrive for applications, by channel.
    channels: Sparse<ReceptionSlots>,
    /// Responses that wait until the worker answers.
    responses: Slab<Response>,
    /// Steps of jobs that wait for their time.
    job_steps: Slab<JobStep>,
    /// Wishes of the program that drives the run; `None` without one.
    driven: Option<Box<Driven>>,
    /// Letters to the other adapter of the same host.
    pub(super) letters: Vec<Letter>,
}

/// A step of a job.
#[derive(Clone, Copy, Debug)]
struct JobStep {
    plan: u32,
    step: Step,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Begin of the operation at this position, or of its wait for a stream.
    Begin(u32),
    /// Choice of what the stream of this number computes.
    Choose(u32),
    /// End of the computation or local operation at this position.
    End(u32),
}

/// A response to begin.
#[derive(Clone, Copy, Debug)]
struct Response {
    plan: usize,
    /// Place of the aggregator in the plan.
    aggregator: u32,
    turn: u32,
    priority: u8,
}

impl Applications {
    /// The part of `host` in all plans. `stream` gives the random stream of a plan for a purpose.
    pub fn new(host: NodeId, plans: &Plans, stream: impl Fn(Purpose, usize) -> Rng) -> Self {
        let mut applications = Self::default();
        let Self { aggregators, workers, ranks, parts, .. } = &mut applications;
        for (index, plan) in plans.all().iter().enumerate() {
            let place = index as u32;
            match plan {
                Plan::Query(plan) => {
                    if plan.aggregator(host).is_some() {
                        let rng = stream(Purpose::Queries, index);
                        aggregators.get_or_insert_with(place, || Aggregator::new(plan, host, rng));
                    }
                    if plan.worker(host).is_some() {
                        let rng = stream(Purpose::ResponseJitter, index);
                        workers.get_or_insert_with(place, || Worker::new(rng));
                    }
                }
                Plan::Collective(plan) => {
                    if let Some(rank) = plan.rank(host) {
                        let rng = stream(Purpose::Collectives, index);
                        ranks.get_or_insert_with(place, || Rank::new(rank, rng));
                    }
                }
                Plan::Job(plan) => {
                    if plan.concerns(host) {
                        parts.get_or_insert_with(place, || Part::new(plan, host));
                    }
                }
            }
        }
        applications
    }

    /// Asking sides of this host, with their plans.
    pub fn aggregators(&self) -> impl Iterator<Item = (usize, &Aggregator)> {
        self.aggregators.iter().map(|(plan, aggregator)| (plan as usize, aggregator))
    }

    /// Asking side of this host in a plan, if it has one.
    pub fn aggregator(&self, plan: usize) -> Option<&Aggregator> {
        self.aggregators.get(plan as u32)
    }

    /// Rank of this host in a plan, if it has one.
    pub fn rank(&self, plan: usize) -> Option<&Rank> {
        self.ranks.get(plan as u32)
    }

    /// Part of this host in a plan's job, if it has one.
    pub fn part(&self, plan: usize) -> Option<&Part> {
        self.parts.get(plan as u32)
    }

    /// Parts of this host in all jobs.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().map(|(_, part)| part)
    }

    pub(super) fn channel(&mut self, channel: u32) -> &mut ReceptionSlots {
        self.channels.get_or_insert_with(channel, ReceptionSlots::default)
    }

    pub(super) fn receptions(&self, channel: u32) -> Option<&ReceptionSlots> {
        self.channels.get(channel)
    }

    pub(super) fn received_at(&self, arrival: Arrival) -> Option<Time> {
        self.receptions(arrival.channel)?.received_at(arrival.turn)
    }

    /// Writes every time as `reported` has it, once the run is over.
    pub(super) fn report_times(&mut self, reported: &impl Fn(Time) -> Time) {
        self.aggregators.values_mut().for_each(|aggregator| aggregator.report_times(reported));
        self.ranks.values_mut().for_each(|rank| rank.report_times(reported));
        self.parts.values_mut().for_each(|part| part.report_times(reported));
        self.channels.values_mut().for_each(|flows| flows.report_times(reported));
    }

    /// Sets the time of every first query and step.
    pub(super) fn begin(&mut self, plans: &Plans, pending: &mut Pending) {
        for (index, plan) in plans.all().iter().enumerate() {
            let key = index as u32;
            match plan {
                Plan::Query(plan) => {
                    let aggregator = self.aggregators.get_mut(key);
                    if let Some(start) = aggregator.and_then(|aggregator| aggregator.first_start(plan)) {
                        pending.once(TimerKey::Query(key), start);
                    }
                }
                Plan::Collective(plan) => {
                    if let Some(rank) = self.ranks.get(key) {
                        pending.once(TimerKey::Collective(key), plan.start_of(rank.number()));
                    }
                }
                Plan::Job(plan) => self.begin_job(key, plan, pending),
            }
        }
    }
}

impl Applications {
    /// Hears that the flow of an application to this `host` is whole. What follows begins as an event of its own.
    #[cold]
    pub(super) fn on_whole(
        &mut self,
        arrival: Arrival,
        priority: u8,
        host: NodeId,
        pending: &mut Pending,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) {
        if is_inside_server(host, context.fabric) {
            return self.letters.push(Letter::Whole { arrival, priority });
        }
        let plans = &context.fabric.plans;
        let (index, channel) = plans.of_channel(arrival.channel);
        match &plans.all()[index] {
            Plan::Query(plan) => match plan.carries(channel) {
                Carries::Requests(place) => {
                    let response = Response { plan: index, aggregator: place, turn: arrival.turn, priority };
                    self.on_request(plan, response, context.now, pending);
                }
                Carries::Responses(place) => {
                    self.on_response(index, plan, place, arrival.turn, context.now, pending);
                }
            },
            Plan::Collective(plan) => {
                self.on_part(index, plan, channel, arrival.turn, context.now, pending);
            }
            Plan::Job(plan) => {
                let flow = plan.flow(channel, arrival.turn);
                self.on_job_flow(index, plan, flow, context.now, pending);
            }
        }
    }

    /// Tells the program that drives the run that a flow is whole which belongs to no application.
    #[cold]
    pub(super) fn on_other_whole(&mut self, destination: NodeId, number: u32) {
        if let Some(driven) = &mut self.driven {
            driven.on_whole(Reception { destination, number });
        }
    }

    /// Tells the program that drives the run that a flow is done which belongs to no application.
    #[cold]
    pub(super) fn on_other_sent(&mut self, flow: &Flow) {
        if let Some(driven) = &mut self.driven {
            driven.on_sent(flow);
        }
    }

    /// Hears that the flow of an application which this `host` sends is done. Something may have waited for that.
    #[cold]
    pub(super) fn on_sent(
        &mut self,
        arrival: Arrival,
        host: NodeId,
        pending: &mut Pending,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) {
        if is_inside_server(host, context.fabric) {
            return self.letters.push(Letter::Sent(arrival));
        }
        let (plans, Arrival { channel, turn }) = (&context.fabric.plans, arrival);
        let (index, channel) = plans.of_channel(channel);
        match &plans.all()[index] {
            Plan::Query(_) => {}
            Plan::Collective(plan) => self.on_part_sent(index, plan, context.now, pending),
            Plan::Job(plan) => {
                let flow = plan.flow(channel, turn);
                self.on_job_flow_sent(index, plan, flow, context.now, pending);
            }
        }
    }
}

/// A flow that an application begins at `host`, which its receiver knows by the number `reception`.
#[derive(Clone, Copy, Debug)]
struct NewFlow {
    host: NodeId,
    destination: NodeId,
    reception: u32,
    size: Bytes,
    priority: u8,
}

impl NewFlow {
    /// Returns the start of the flow. If the adapter inside the server is to begin it, that adapter reads of it in a
    /// letter and the answer is `None`.
    fn start(
        self,
        plan: &Plan,
        letters: &mut Vec<Letter>,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Option<FlowStart> {
        let Self { host, destination, reception, size, priority } = self;
        let (start, transport, workload) = (context.now, plan.transport(), plan.workload() as u16);
        let [source, destination] = Servers::between(context.fabric.servers, host, destination);
        let flow = Flow { start, number: 0, destination, reception, size, priority, transport, workload };
        let start = FlowStart { flow, end: Time::MAX };
        if source == host {
            return Some(start);
        }
        letters.push(Letter::Begin(start));
        None
    }
}

impl Host {
    /// Gives the host its part in all plans.
    #[must_use]
    pub fn with_applications(mut self, mut applications: Applications, plans: &Plans) -> Self {
        applications.begin(plans, &mut self.pending);
        self.applications = applications;
        self
    }
}
