//! Queries: an aggregator asks workers, each answers, and the query is complete with the last response.
//!
//! This is the partition/aggregate pattern (DCTCP, SIGCOMM 2010, section 2.1). A fetch is a query of one worker.

use super::draw;
use crate::kernel::rng::{Rng, below, exponential};
use crate::kernel::sparse::Sparse;
use crate::kernel::units::{Bytes, Span, Time};
use crate::topology::NodeId;

/// Flows that a channel carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// Requests of the aggregator at this place of the plan.
    Requests(u32),
    /// Responses of the worker at this place of the plan.
    Responses(u32),
}

/// Rule by which an aggregator begins its next query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Closed loop: as soon as the query before is complete.
    Closed,
    /// Open loop at even intervals, whether queries are complete or not.
    Every(Span),
    /// Open loop at exponential intervals of the given mean, whether queries are complete or not.
    Poisson(Span),
}

impl Pace {
    /// Mean time from one query to the next, if it is known before the run.
    pub fn interval(self) -> Option<Span> {
        match self {
            Self::Closed => None,
            Self::Every(interval) | Self::Poisson(interval) => Some(interval),
        }
    }
}

/// Plan of the queries of one workload.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Position of the workload in the scenario.
    pub workload: usize,
    /// Hosts that ask, in order.
    pub aggregators: Vec<NodeId>,
    /// Hosts that answer, in order. A host never asks itself.
    pub workers: Vec<NodeId>,
    /// Number of workers in one query.
    pub fan_in: u32,
    /// Bytes of each request.
    pub request: Bytes,
    /// Bytes of each response.
    pub response: Bytes,
    /// Longest time that a worker waits before it answers; all times up to that are equally likely.
    pub jitter: Span,
    /// Time after which a query is late.
    pub deadline: Option<Span>,
    /// Rule by which the next query begins.
    pub pace: Pace,
    /// Most queries of each aggregator.
    pub most: u64,
    /// Time when the first query may begin.
    pub start: Time,
    /// Time from which on no query begins.
    pub end: Time,
    /// Traffic classes from which each query draws its class.
    pub priorities: Vec<u8>,
    /// Index of the transport.
    pub transport: u8,
}

impl Plan {
    /// Most flows that the plan can have: a request to each worker of a query, and its response.
    pub(super) fn flows(&self) -> u64 {
        let queries = self.most.saturating_mul(self.aggregators.len() as u64);
        queries.saturating_mul(2 * u64::from(self.fan_in))
    }

    /// Place of a host among the aggregators.
    pub fn aggregator(&self, host: NodeId) -> Option<u32> {
        self.aggregators.binary_search(&host).ok().map(|place| place as u32)
    }

    /// Place of a host among the workers.
    pub fn worker(&self, host: NodeId) -> Option<u32> {
        self.workers.binary_search(&host).ok().map(|place| place as u32)
    }

    /// Number of channels: one for each aggregator, then one for each worker.
    pub fn channels(&self) -> u32 {
        (self.aggregators.len() + self.workers.len()) as u32
    }

    /// The number of a channel.
    pub fn channel(&self, carries: Carries) -> u32 {
        match carries {
            Carries::Requests(aggregator) => aggregator,
            Carries::Responses(worker) => self.aggregators.len() as u32 + worker,
        }
    }

    /// Flows that the channel with number `channel` carries.
    pub fn carries(&self, channel: u32) -> Carries {
        match channel.checked_sub(self.aggregators.len() as u32) {
            None => Carries::Requests(channel),
            Some(worker) => Carries::Responses(worker),
        }
    }

    /// Longest time that a run may rest while a query is under way and the next step only waits for its time.
    pub fn longest_rest(&self) -> Span {
        // Of a thousand exponential intervals none is in all likelihood longer than ten times their mean.
        let between = match self.pace {
            Pace::Closed => Span::ZERO,
            Pace::Every(every) => every,
            Pace::Poisson(mean) => mean * 10,
        };
        self.jitter.max(between)
    }
}

/// Query as its aggregator knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// Time when the query began.
    pub start: Time,
    /// Time when the last response was whole; `Time::MAX` until then.
    pub finish: Time,
    /// Number of responses that are still missing.
    left: u32,
}

impl Query {
    /// Whether every response has arrived.
    pub fn is_complete(&self) -> bool {
        self.left == 0
    }
}

/// Request to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Place in the plan of the worker that the request goes to.
    pub worker: u32,
    /// Number of requests that the aggregator has sent to this worker before.
    pub turn: u32,
    /// Traffic class.
    pub priority: u8,
}

/// State of a host that asks.
#[derive(Debug)]
pub struct Aggregator {
    rng: Rng,
    queries: Vec<Query>,
    /// Number of the query of each request to a worker, by turn.
    asked: Sparse<Vec<u32>>,
    /// Places of the workers that the aggregator may ask, in the order that earlier queries left.
    order: Vec<u32>,
}

impl Aggregator {
    /// Makes an aggregator that has asked nothing; `rng` is its own stream.
    pub fn new(plan: &Plan, host: NodeId, rng: Rng) -> Self {
        let places = 0..plan.workers.len() as u32;
        let order = places.filter(|&place| plan.workers[place as usize] != host).collect();
        Self { rng, queries: Vec::new(), asked: Sparse::default(), order }
    }

    /// Returns when the aggregator begins its first query; none if it never asks.
    pub fn first_start(&mut self, plan: &Plan) -> Option<Time> {
        match plan.pace {
            Pace::Poisson(_) => self.start_after(plan, plan.start),
            Pace::Closed | Pace::Every(_) => self.start_if_any(plan, plan.start),
        }
    }

    /// Begins a query of workers drawn at random, and passes its requests to `send` in the order drawn.
    ///
    /// Returns when the next query begins, if that does not depend on this one.
    pub fn begin(&mut self, plan: &Plan, now: Time, mut send: impl FnMut(Request)) -> Option<Time> {
        let number = self.queries.len() as u32;
        self.queries.push(Query { start: now, finish: Time::MAX, left: plan.fan_in });
        let priority = draw(&plan.priorities, &mut self.rng);
        for place in 0..plan.fan_in as usize {
            let rest = (self.order.len() - place) as u64;
            self.order.swap(place, place + below(&mut self.rng, rest) as usize);
            let worker = self.order[place];
            let asked = self.asked.get_or_insert_with(worker, Vec::new);
            let turn = asked.len() as u32;
            asked.push(number);
            send(Request { worker, turn, priority });
        }
        if plan.pace == Pace::Closed { None } else { self.start_after(plan, now) }
    }

    /// Takes in a response that is whole. Returns when the next query begins, if it waited for this one and this was
    /// its last response.
    pub fn on_response(&mut self, plan: &Plan, worker: u32, turn: u32, now: Time) -> Option<Time> {
        let number = self.query_of(worker, turn);
        let query = &mut self.queries[number as usize];
        query.left -= 1;
        if !query.is_complete() {
            return None;
        }
        query.finish = now;
        if plan.pace == Pace::Closed { self.start_if_any(plan, now) } else { None }
    }

    /// Queries that have begun, in order.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// Writes every time as `reported` has it.
    pub fn report_times(&mut self, reported: impl Fn(Time) -> Time) {
        for query in &mut self.queries {
            (query.start, query.finish) = (reported(query.start), reported(query.finish));
        }
    }

    /// Number of the query that a request, or its response, belongs to.
    pub fn query_of(&self, worker: u32, turn: u32) -> u32 {
        self.asked.get(worker).expect("it was asked")[turn as usize]
    }

    fn start_after(&mut self, plan: &Plan, before: Time) -> Option<Time> {
        let gap = match plan.pace {
            Pace::Closed => Span::ZERO,
            Pace::Every(every) => every,
            Pace::Poisson(mean) => Span::from_seconds(mean.as_seconds() * exponential(&mut self.rng)),
        };
        self.start_if_any(plan, before.later(gap))
    }

    fn start_if_any(&self, plan: &Plan, start: Time) -> Option<Time> {
        ((self.queries.len() as u64) < plan.most && start < plan.end).then_some(start)
    }
}

/// State of a host that answers.
#[derive(Debug)]
pub struct Worker {
    rng: Rng,
}

impl Worker {
    /// Makes a worker; `rng` is its own stream.
    pub fn new(rng: Rng) -> Self {
        Self { rng }
    }

    /// Returns when the worker answers a request that is whole now.
    pub fn answers_at(&mut self, plan: &Plan, now: Time) -> Time {
        if plan.jitter == Span::ZERO {
            return now;
        }
        now + Span::new(below(&mut self.rng, plan.jitter.get() + 1))
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Makes closed loops between aggregators, from host 0 on, and workers. The first worker is the last aggregator.
    pub(in crate::application) fn plan(aggregators: u32, workers: u32) -> Plan {
        Plan {
            workload: 0,
            aggregators: (0..aggregators).collect(),
            workers: (aggregators - 1..aggregators - 1 + workers).collect(),
            fan_in: workers - 1,
            request: Bytes::new(1_600),
            response: Bytes::new(2_000),
            jitter: Span::ZERO,
            deadline: None,
            pace: Pace::Closed,
            most: 3,
            start: Time::new(5),
            end: Time::MAX,
            priorities: vec![0],
            transport: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::plan;
    use super::*;
    use crate::kernel::rng::{Purpose, stream};

    fn aggregator(plan: &Plan, host: NodeId) -> Aggregator {
        Aggregator::new(plan, host, stream(1, Purpose::Queries, 0))
    }

    fn begin(aggregator: &mut Aggregator, plan: &Plan, now: u64) -> (Vec<Request>, Option<Time>) {
        let mut requests = Vec::new();
        let next = aggregator.begin(plan, Time::new(now), |request| requests.push(request));
        (requests, next)
    }

    #[test]
    fn a_closed_loop_asks_again_when_the_last_response_is_here() {
        let plan = plan(1, 4);
        let mut aggregator = aggregator(&plan, 0);
        assert_eq!(aggregator.first_start(&plan), Some(Time::new(5)));
        for round in 1..=3 {
            let (requests, next) = begin(&mut aggregator, &plan, round * 100);
            assert_eq!((requests.len(), next), (3, None));
            assert!(requests.iter().all(|request| request.worker != 0), "nobody asks itself");
            let mut next = None;
            for (place, request) in requests.iter().enumerate() {
                assert_eq!((next, request.turn), (None, round as u32 - 1));
                let now = Time::new(round * 100 + 10 * place as u64);
                next = aggregator.on_response(&plan, request.worker, request.turn, now);
            }
            assert_eq!(next, (round < 3).then_some(Time::new(round * 100 + 20)), "three in all");
        }
        let times = aggregator.queries().iter().map(|query| (query.start.get(), query.finish.get()));
        assert_eq!(times.collect::<Vec<_>>(), [(100, 120), (200, 220), (300, 320)]);
    }

    #[test]
    fn several_queries_are_told_apart_by_the_turns_of_their_workers() {
        let plan = Plan { fan_in: 2, pace: Pace::Every(Span::new(7)), most: 50, ..plan(1, 5) };
        let mut aggregator = aggregator(&plan, 0);
        let mut sent = Vec::new();
        for number in 0..50 {
            let (requests, next) = begin(&mut aggregator, &plan, number * 7);
            assert_eq!(next, (number < 49).then_some(Time::new(number * 7 + 7)));
            assert_ne!(requests[0].worker, requests[1].worker);
            sent.extend(requests.iter().map(|request| (number as u32, request.worker, request.turn)));
        }
        for &(number, worker, turn) in sent.iter().rev() {
            assert_eq!(aggregator.query_of(worker, turn), number);
            aggregator.on_response(&plan, worker, turn, Time::new(1_000));
        }
        assert!(aggregator.queries().iter().all(Query::is_complete));
    }

    #[test]
    fn no_query_begins_after_the_end() {
        let plan = Plan { end: Time::new(20), pace: Pace::Every(Span::new(8)), ..plan(1, 2) };
        let mut aggregator = aggregator(&plan, 0);
        assert_eq!(begin(&mut aggregator, &plan, 5).1, Some(Time::new(13)));
        assert_eq!(begin(&mut aggregator, &plan, 13).1, None);
    }

    #[test]
    fn a_worker_answers_within_the_jitter() {
        let plan = Plan { jitter: Span::new(9), ..plan(1, 2) };
        let mut worker = Worker::new(stream(1, Purpose::ResponseJitter, 0));
        let mut counts = [0; 10];
        (0..10_000).for_each(|_| counts[(worker.answers_at(&plan, Time::new(50)).get() - 50) as usize] += 1);
        assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }
}
