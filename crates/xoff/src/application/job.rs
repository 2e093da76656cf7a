//! Jobs: operations that wait for one another, which are flows, computations, and what a host hands to itself.
//!
//! A host begins an operation when those that it waits for are done, and it has waited for the operation's delay since.
//! A flow that ends at the host is done when it is whole there, and one that begins there when it is acknowledged. All
//! else is done at its own host. The host waits for nothing else, so no host needs to know what another one does.
//!
//! A job may have ten million operations. They stand in a few vectors that all hosts read, less than 100 bytes for each,
//! and names are one text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use crate::classes::Classes;
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::topology::NodeId;

/// Longest time that operations may compute one after another: 100,000 s, as long as any span in a scenario.
pub const LONGEST_COMPUTING: Span = Span::new(100_000_000_000_000_000);

/// Work of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Flow to another host.
    Flow {
        /// Host that receives the flow.
        destination: NodeId,
        /// Bytes, at least 1.
        size: Bytes,
        /// Traffic class.
        priority: u8,
    },
    /// Computation on a stream of the host. The operations of one stream run one after another.
    Compute {
        /// Number of the stream.
        stream: u32,
        /// Time that the stream computes.
        duration: Span,
    },
    /// Bytes that the host hands to itself, without the network and beside all else. None of them join dependencies.
    Local {
        /// Bytes, which may be none.
        size: Bytes,
    },
}

/// Operation in the least memory.
#[derive(Clone, Copy, Debug)]
struct Operation {
    /// Bytes, or the picoseconds of a computation.
    amount: u64,
    delay: Span,
    host: NodeId,
    /// Destination, or stream.
    target: u32,
    /// Number of operations that the host has before this operation in the file.
    place: u32,
    /// Number of flows that the flow's receiver is sent before this flow in the file.
    turn: u32,
    kind: Kind,
    priority: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Flow,
    Compute,
    Local,
}

impl Operation {
    fn work(&self) -> Work {
        let amount = self.amount;
        match self.kind {
            Kind::Flow => {
                let (destination, size) = (self.target, Bytes::new(amount));
                Work::Flow { destination, size, priority: self.priority }
            }
            Kind::Compute => Work::Compute { stream: self.target, duration: Span::new(amount) },
            Kind::Local => Work::Local { size: Bytes::new(amount) },
        }
    }
}

/// Lists of positions, one behind another in one vector.
#[derive(Clone, Debug, Default)]
struct Lists {
    /// End of each list.
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Sorts items into `groups` lists, each in the order of `pairs` of group and item.
    fn grouped(groups: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut ends = vec![0; groups];
        pairs.clone().for_each(|(group, _)| ends[group as usize] += 1);
        let mut items = 0;
        for end in &mut ends {
            // Where the list begins; filling it makes that its end.
            items += std::mem::replace(end, items);
        }
        let mut items = vec![0; items as usize];
        for (group, item) in pairs {
            let end = &mut ends[group as usize];
            items[*end as usize] = item;
            *end += 1;
        }
        Self { ends, items }
    }

    fn push(&mut self, list: &[u32]) {
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len() as u32);
    }

    fn of(&self, list: u32) -> &[u32] {
        &self.items[self.range(list as usize)]
    }

    fn range(&self, list: usize) -> Range<usize> {
        let first = if list == 0 { 0 } else { self.ends[list - 1] };
        first as usize..self.ends[list] as usize
    }

    fn longest(&self) -> u64 {
        (0..self.ends.len()).map(|list| self.range(list).len() as u64).max().unwrap_or_default()
    }

    /// Pairs of each list and each of its items.
    fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        (0..self.ends.len() as u32).flat_map(|list| self.of(list).iter().map(move |&item| (list, item)))
    }
}

/// Operations of a job as its file lists them, before the job is put together.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    operations: Vec<Operation>,
    /// Positions of the operations that each operation waits for.
    after: Lists,
}

impl Rows {
    /// Adds an operation of `host`, which waits for those in `after`, each named once, and for `delay` since.
    pub fn push(&mut self, host: NodeId, work: Work, after: &[u32], delay: Span) {
        let (kind, target, amount, priority) = match work {
            Work::Flow { destination, size, priority } => (Kind::Flow, destination, size.get(), priority),
            Work::Compute { stream, duration } => (Kind::Compute, stream, duration.get(), 0),
            Work::Local { size } => (Kind::Local, host, size.get(), 0),
        };
        self.operations.push(Operation { amount, delay, host, target, place: 0, turn: 0, kind, priority });
        self.after.push(after);
    }

    /// Number of operations.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there is no operation.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Returns an operation that the operation at a position waits for and whose end its host cannot know.
    pub fn unheard_of(&self, position: u32) -> Option<u32> {
        let host = self.operations[position as usize].host;
        let is_known = |before: u32| {
            let Operation { kind, host: source, target, .. } = self.operations[before as usize];
            source == host || kind == Kind::Flow && target == host
        };
        self.after.of(position).iter().copied().find(|&before| !is_known(before))
    }

    /// Number of dependencies.
    pub fn dependencies(&self) -> usize {
        self.after.items.len()
    }
}

/// Names of a job's operations, one behind another in one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    /// End of each name.
    ends: Vec<u32>,
}

impl Names {
    /// Adds a name. Returns `false` if all names would be longer than 2 GiB.
    pub fn push(&mut self, name: &str) -> bool {
        let end = self.text.len() + name.len();
        if end > i32::MAX as usize {
            return false;
        }
        self.text.push_str(name);
        self.ends.push(end as u32);
        true
    }

    /// Adds the names of another job.
    ///
    /// # Panics
    ///
    /// Panics if all names together are longer than 2 GiB.
    pub fn append(&mut self, other: &Self) {
        other.iter().for_each(|name| assert!(self.push(name), "names of all jobs take up to 2 GiB"));
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the name at a position.
    pub fn get(&self, position: u32) -> &str {
        let first = position.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.text[first as usize..self.ends[position as usize] as usize]
    }

    /// Returns all names in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|position| self.get(position))
    }

    /// Returns the text of all names, and where each name begins and the last one ends.
    pub fn into_parts(self) -> (String, Vec<u32>) {
        let Self { text, mut ends } = self;
        ends.insert(0, 0);
        (text, ends)
    }
}

/// Reason why operations cannot be a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Positions of operations that wait for one another in a cycle, each for the one before it.
    Cycle(Vec<u32>),
    /// Position of an operation up to which the job computes for longer than any run lasts.
    TooLong(u32),
}

/// Plan of one job.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Position of the workload in the scenario.
    pub workload: usize,
    /// Time when the job begins.
    pub start: Time,
    /// Index of the transport.
    pub transport: u8,
    /// Longest chain of computing, as if flows took no time, which the job cannot be faster than.
    pub computing: Span,
    /// Rate at which hosts hand bytes to themselves; none where that takes no time.
    local_rate: Option<Rate>,
    operations: Vec<Operation>,
    after: Lists,
    /// Positions of the operations that wait for each operation.
    waiting: Lists,
    /// Names of the operations; none if they have no names.
    names: Arc<Names>,
    /// Hosts that have a part in the job, in order.
    hosts: Vec<NodeId>,
    /// Positions of the operations of each host.
    own: Lists,
    /// Hosts that receive flows, in order.
    receivers: Vec<NodeId>,
    /// Positions of the flows that each receiver is sent, by turn.
    received: Lists,
}

impl Plan {
    /// Puts a job together.
    pub fn new(
        workload: usize,
        start: Time,
        transport: u8,
        local_rate: Option<Rate>,
        rows: Rows,
    ) -> Result<Self, Fault> {
        let Rows { mut operations, after } = rows;
        let count = operations.len();
        let sorted = |mut hosts: Vec<NodeId>| {
            hosts.sort_unstable();
            hosts.dedup();
            hosts
        };
        let receivers = sorted(flows_of(&operations).map(|(_, flow)| flow.target).collect());
        let hosts = sorted(operations.iter().map(|one| one.host).chain(receivers.iter().copied()).collect());
        let place = |hosts: &[NodeId], host: NodeId| {
            hosts.binary_search(&host).expect("every host is among them") as u32
        };
        let hosts_of = (0..).zip(operations.iter().map(|one| place(&hosts, one.host)));
        let own = Lists::grouped(hosts.len(), hosts_of.map(|(position, host)| (host, position)));
        let received = flows_of(&operations);
        let received = received.map(|(position, flow)| (place(&receivers, flow.target), position));
        let received = Lists::grouped(receivers.len(), received);
        let numbered = |lists: &Lists, write: &mut dyn FnMut(u32, u32)| {
            for list in 0..lists.ends.len() as u32 {
                (0..).zip(lists.of(list)).for_each(|(number, &item)| write(item, number));
            }
        };
        numbered(&own, &mut |operation, place| operations[operation as usize].place = place);
        numbered(&received, &mut |flow, turn| operations[flow as usize].turn = turn);
        let waiting = Lists::grouped(count, after.pairs().map(|(position, before)| (before, position)));
        let mut plan = Self {
            workload,
            start,
            transport,
            computing: Span::ZERO,
            local_rate,
            operations,
            after,
            waiting,
            names: Arc::default(),
            hosts,
            own,
            receivers,
            received,
        };
        plan.computing = plan.longest_chain()?;
        Ok(plan)
    }

    /// Gives the job's operations names, in their order.
    #[must_use]
    pub fn with_names(self, names: Names) -> Self {
        Self { names: names.into(), ..self }
    }

    /// Names of the job's operations.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Number of the job's operations, in the order of the file.
    pub fn operations(&self) -> u32 {
        self.operations.len() as u32
    }

    /// Number of the job's flows, which are those operations that the network carries.
    pub fn flows(&self) -> u64 {
        self.received.items.len() as u64
    }

    /// Flows of the job: source, destination, bytes and traffic class of each.
    pub fn transfers(&self) -> impl Iterator<Item = (NodeId, NodeId, Bytes, u8)> {
        let flows = flows_of(&self.operations);
        flows.map(|(_, flow)| (flow.host, flow.target, Bytes::new(flow.amount), flow.priority))
    }

    /// Work of an operation.
    pub fn work(&self, operation: u32) -> Work {
        self.operations[operation as usize].work()
    }

    /// Host that begins an operation.
    pub fn host(&self, operation: u32) -> NodeId {
        self.operations[operation as usize].host
    }

    /// Host at which an operation ends.
    pub fn destination(&self, operation: u32) -> NodeId {
        let Operation { kind, host, target, .. } = self.operations[operation as usize];
        if kind == Kind::Flow { target } else { host }
    }

    /// Time for which an operation waits after the last of those that it waits for, or after the job begins.
    pub fn delay(&self, operation: u32) -> Span {
        self.operations[operation as usize].delay
    }

    /// Time that an operation takes once it has begun; none for a flow, which the network carries.
    pub fn duration(&self, operation: u32) -> Option<Span> {
        match self.work(operation) {
            Work::Flow { .. } => None,
            Work::Compute { duration, .. } => Some(duration),
            Work::Local { size } => {
                Some(self.local_rate.map_or(Span::ZERO, |rate| rate.transmission_time(size)))
            }
        }
    }

    /// Positions of the operations that an operation waits for.
    pub fn after(&self, operation: u32) -> &[u32] {
        self.after.of(operation)
    }

    /// Channel of the flow's receiver and the flow's turn there.
    pub fn arrival(&self, flow: u32) -> (u32, u32) {
        let Operation { target, turn, .. } = self.operations[flow as usize];
        let channel = self.receivers.binary_search(&target).expect("every destination receives");
        (channel as u32, turn)
    }

    /// Whether a host has a part in the job.
    pub fn concerns(&self, host: NodeId) -> bool {
        self.hosts.binary_search(&host).is_ok()
    }

    /// Positions of the operations of a host, by the place of each.
    fn own_of(&self, host: NodeId) -> &[u32] {
        self.hosts.binary_search(&host).map_or(&[], |place| self.own.of(place as u32))
    }

    /// Number of channels, one for each host that receives.
    pub fn channels(&self) -> u32 {
        self.receivers.len() as u32
    }

    /// Most flows that one host receives.
    pub fn turns(&self) -> u64 {
        self.received.longest()
    }

    /// Position of a flow, as its receiver knows it.
    pub fn flow(&self, receiver: u32, turn: u32) -> u32 {
        self.received.of(receiver)[turn as usize]
    }

    /// Traffic classes of the job's flows.
    pub fn classes(&self) -> Classes {
        self.transfers().map(|(.., priority)| priority).collect()
    }

    /// Longest time for which all that a host does may be to compute and to wait for a delay.
    pub fn longest_rest(&self) -> Span {
        // Between flows a host only waits for the delay of one.
        if self.flows() == self.operations.len() as u64 {
            return self.operations.iter().map(|flow| flow.delay).max().unwrap_or_default();
        }
        let of_host = |host: &NodeId| {
            let own = self.own_of(*host).iter();
            own.fold(Span::ZERO, |sum, &operation| {
                let computes = self.duration(operation).unwrap_or_default();
                (sum + self.delay(operation) + computes).min(LONGEST_COMPUTING)
            })
        };
        self.hosts.iter().map(of_host).max().unwrap_or_default()
    }

    /// Returns the longest chain of computing.
    fn longest_chain(&self) -> Result<Span, Fault> {
        let count = self.operations();
        let mut missing: Vec<u32> = (0..count).map(|operation| self.after(operation).len() as u32).collect();
        let mut begins = vec![Span::ZERO; count as usize];
        let mut ready: Vec<u32> = (0..count).filter(|&one| missing[one as usize] == 0).collect();
        let (mut done, mut longest) = (0, Span::ZERO);
        while let Some(operation) = ready.pop() {
            done += 1;
            let computes = self.duration(operation).unwrap_or_default();
            let end = begins[operation as usize] + self.delay(operation) + computes;
            if end > LONGEST_COMPUTING {
                return Err(Fault::TooLong(operation));
            }
            longest = longest.max(end);
            for &next in self.waiting.of(operation) {
                let next_begin = &mut begins[next as usize];
                *next_begin = end.max(*next_begin);
                missing[next as usize] -= 1;
                if missing[next as usize] == 0 {
                    ready.push(next);
                }
            }
        }
        if done == count { Ok(longest) } else { Err(Fault::Cycle(self.cycle(&missing))) }
    }

    /// Finds a cycle among the operations that never become ready.
    fn cycle(&self, missing: &[u32]) -> Vec<u32> {
        let is_stuck = |operation: &u32| missing[*operation as usize] > 0;
        let mut seen = vec![u32::MAX; missing.len()];
        let mut chain: Vec<u32> = (0..self.operations()).find(is_stuck).into_iter().collect();
        while let Some(&last) = chain.last() {
            seen[last as usize] = chain.len() as u32 - 1;
            // What is stuck waits for something that is.
            let before = self.after(last).iter().copied().find(is_stuck).unwrap_or(last);
            if seen[before as usize] != u32::MAX {
                chain.drain(..seen[before as usize] as usize);
                chain.reverse();
                break;
            }
            chain.push(before);
        }
        chain
    }
}

fn flows_of(operations: &[Operation]) -> impl Iterator<Item = (u32, &Operation)> + Clone {
    (0..).zip(operations).filter(|(_, operation)| operation.kind == Kind::Flow)
}

/// State of one host in a job.
#[derive(Debug)]
pub struct Part {
    host: NodeId,
    /// Number of operations that each operation of the host still waits for, by the place of the waiting operation.
    missing: Vec<u32>,
    /// Time when each operation of the host that is no flow began, by its place; empty if the host only sends flows.
    begins: Vec<Time>,
    streams: Vec<Stream>,
    /// Number of flows that the host has begun.
    begun: u64,
    /// Number of flows to the host that are whole.
    received: u64,
    /// Time when the last whole flow to the host became whole.
    last_whole: Time,
    /// Number of computations and local operations that are done.
    computed: u64,
    /// Time when the last computation or local operation was done.
    last_computed: Time,
}

/// Compute unit of a host, which does one operation at a time.
#[derive(Debug)]
struct Stream {
    number: u32,
    /// Whether the stream computes, or is about to choose.
    is_taken: bool,
    /// Operations that are ready, with the time since when they are.
    ready: BinaryHeap<Reverse<(Time, u32)>>,
}

impl Part {
    /// Makes the state of a host before the job begins.
    pub fn new(plan: &Plan, host: NodeId) -> Self {
        let own = plan.own_of(host);
        let works = || own.iter().map(|&operation| plan.work(operation));
        let only_flows = works().all(|work| matches!(work, Work::Flow { .. }));
        let mut streams: Vec<u32> = works()
            .filter_map(|work| if let Work::Compute { stream, .. } = work { Some(stream) } else { None })
            .collect();
        streams.sort_unstable();
        streams.dedup();
        let stream = |number| Stream { number, is_taken: false, ready: BinaryHeap::new() };
        Self {
            host,
            missing: own.iter().map(|&operation| plan.after(operation).len() as u32).collect(),
            begins: if only_flows { Vec::new() } else { vec![Time::MAX; own.len()] },
            streams: streams.into_iter().map(stream).collect(),
            begun: 0,
            received: 0,
            last_whole: Time::ZERO,
            computed: 0,
            last_computed: Time::ZERO,
        }
    }

    /// Passes every operation that waits for no other to `begin`, with the time at which the operation begins.
    pub fn first(&self, plan: &Plan, mut begin: impl FnMut(u32, Time)) {
        for &operation in plan.own_of(self.host) {
            if plan.after(operation).is_empty() {
                begin(operation, plan.start.later(plan.delay(operation)));
            }
        }
    }

    /// Takes in that a flow begins here.
    pub fn on_begin(&mut self) {
        self.begun += 1;
    }

    /// Takes in that a local operation begins here. Returns the time when it is done.
    pub fn on_begin_local(&mut self, plan: &Plan, operation: u32, now: Time) -> Time {
        self.begins[plan.operations[operation as usize].place as usize] = now;
        now.later(plan.duration(operation).unwrap_or_default())
    }

    /// Takes in that a computation is ready. Returns its stream if the stream is free to choose.
    pub fn on_ready(&mut self, stream: u32, operation: u32, now: Time) -> Option<u32> {
        let stream = self.stream(stream);
        stream.ready.push(Reverse((now, operation)));
        let was_taken = std::mem::replace(&mut stream.is_taken, true);
        (!was_taken).then_some(stream.number)
    }

    /// Has a stream begin the operation that has been ready for longest, of several the first in the file. Returns the
    /// operation, and the time when it is done.
    pub fn choose(&mut self, plan: &Plan, stream: u32, now: Time) -> Option<(u32, Time)> {
        let Reverse((_, operation)) = self.stream(stream).ready.pop()?;
        Some((operation, self.on_begin_local(plan, operation, now)))
    }

    fn stream(&mut self, number: u32) -> &mut Stream {
        let place = self.streams.binary_search_by_key(&number, |stream| stream.number);
        &mut self.streams[place.expect("the part has every stream of its host")]
    }

    /// Takes in that a computation or local operation is done. Passes the operations that can begin now to `begin`, with
    /// their time. Returns the stream that is free to choose another.
    pub fn on_computed(
        &mut self,
        plan: &Plan,
        operation: u32,
        now: Time,
        begin: impl FnMut(u32, Time),
    ) -> Option<u32> {
        self.computed += 1;
        self.last_computed = now;
        self.on_done(plan, operation, now, begin);
        let Work::Compute { stream, .. } = plan.work(operation) else { return None };
        let stream = self.stream(stream);
        stream.is_taken = !stream.ready.is_empty();
        stream.is_taken.then_some(stream.number)
    }

    /// Takes in that a flow to this host is whole. Passes the operations that can begin now to `begin`, with their time.
    pub fn on_whole(&mut self, plan: &Plan, flow: u32, now: Time, begin: impl FnMut(u32, Time)) {
        self.received += 1;
        self.last_whole = now;
        self.on_done(plan, flow, now, begin);
    }

    /// Takes in that an operation to or from this host is done. Passes the operations that can begin now to `begin`, with
    /// their time.
    pub fn on_done(&mut self, plan: &Plan, operation: u32, now: Time, mut begin: impl FnMut(u32, Time)) {
        for &next in plan.waiting.of(operation) {
            let Operation { host, place, delay, .. } = plan.operations[next as usize];
            if host != self.host {
                continue;
            }
            let missing = &mut self.missing[place as usize];
            *missing -= 1;
            if *missing == 0 {
                begin(next, now.later(delay));
            }
        }
    }

    /// Number of flows that the host has begun.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// Number of flows to the host that are whole.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Writes every time as `reported` has it.
    pub fn report_times(&mut self, reported: impl Fn(Time) -> Time) {
        let times = self.begins.iter_mut().chain([&mut self.last_whole, &mut self.last_computed]);
        times.for_each(|time| *time = reported(*time));
    }

    /// Time when the last whole flow to the host became whole.
    pub fn last_whole(&self) -> Time {
        self.last_whole
    }

    /// Number of computations and local operations that are done.
    pub fn computed(&self) -> u64 {
        self.computed
    }

    /// Time when the last computation or local operation was done.
    pub fn last_computed(&self) -> Time {
        self.last_computed
    }

    /// Returns the time when a computation or local operation of the host began, if it has.
    pub fn began(&self, plan: &Plan, operation: u32) -> Option<Time> {
        let place = plan.operations[operation as usize].place;
        self.begins.get(place as usize).copied().filter(|&time| time != Time::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flow from one host to another that waits for those in `after`, and `delay` picoseconds.
    type Row<'a> = (NodeId, NodeId, &'a [u32], u64);

    fn plan(flows: &[Row<'_>]) -> Result<Plan, Fault> {
        let mut rows = Rows::default();
        for &(source, destination, after, delay) in flows {
            let work = Work::Flow { destination, size: Bytes::new(100), priority: 0 };
            rows.push(source, work, after, Span::new(delay));
        }
        Plan::new(0, Time::new(1_000), 0, None, rows)
    }

    /// Host 7 sends to 8 and 9, which both send back, and then to 8 again when both are here.
    fn there_and_back() -> Plan {
        let flows: [Row<'_>; 5] =
            [(7, 8, &[], 10), (7, 9, &[0], 5), (8, 7, &[0], 20), (9, 7, &[1], 0), (7, 8, &[2, 3], 40)];
        plan(&flows).unwrap()
    }

    fn handed_over(act: impl FnOnce(&mut dyn FnMut(u32, Time))) -> Vec<(u32, u64)> {
        let mut begun = Vec::new();
        act(&mut |flow, time| begun.push((flow, time.get())));
        begun
    }

    #[test]
    fn a_flow_begins_when_all_are_done_that_it_waits_for() {
        let plan = there_and_back();
        let [mut seven, mut eight] = [7, 8].map(|host| Part::new(&plan, host));
        assert_eq!(handed_over(|begin| seven.first(&plan, begin)), [(0, 1_010)]);
        assert_eq!(handed_over(|begin| eight.first(&plan, begin)), []);
        // Whole at 8, which answers; acknowledged at 7, which goes on.
        assert_eq!(handed_over(|begin| eight.on_whole(&plan, 0, Time::new(1_100), begin)), [(2, 1_120)]);
        assert_eq!(handed_over(|begin| seven.on_done(&plan, 0, Time::new(1_200), begin)), [(1, 1_205)]);
        assert_eq!(handed_over(|begin| seven.on_whole(&plan, 3, Time::new(1_300), begin)), []);
        assert_eq!(handed_over(|begin| seven.on_whole(&plan, 2, Time::new(1_400), begin)), [(4, 1_440)]);
        assert_eq!((seven.received(), seven.last_whole()), (2, Time::new(1_400)));
    }

    #[test]
    fn receivers_know_flows_by_their_turn() {
        let plan = there_and_back();
        assert_eq!((plan.channels(), plan.turns()), (3, 2));
        for position in 0..5 {
            let (receiver, turn) = plan.arrival(position);
            assert_eq!(plan.flow(receiver, turn), position);
        }
        assert_eq!([6, 7, 8, 9, 10].map(|host| plan.concerns(host)), [false, true, true, true, false]);
    }

    /// 10 + 20 + 40 by host 8 is longer than 10 + 5 + 40 by host 9.
    #[test]
    fn the_longest_chain_is_computed() {
        assert_eq!(there_and_back().computing, Span::new(70));
        assert_eq!(there_and_back().longest_rest(), Span::new(40));
    }

    #[test]
    fn flows_that_wait_for_one_another_are_named_in_their_order() {
        let flows: [Row<'_>; 5] =
            [(1, 2, &[], 0), (2, 1, &[0, 3], 0), (1, 2, &[1], 0), (2, 1, &[2], 0), (1, 2, &[3], 0)];
        let Fault::Cycle(cycle) = plan(&flows).unwrap_err() else { panic!("there is a cycle") };
        let mut sorted = cycle.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [1, 2, 3]);
        let next = |flow: u32| cycle[(cycle.iter().position(|&one| one == flow).unwrap() + 1) % 3];
        assert_eq!([1, 2, 3].map(next), [2, 3, 1]);
    }

    #[test]
    fn more_computing_than_a_run_lasts_is_refused_before_it_overflows() {
        let delay = LONGEST_COMPUTING.get() / 2;
        let mut flows: Vec<Row<'_>> = vec![(1, 2, &[], delay), (2, 1, &[0], delay)];
        assert_eq!(plan(&flows).unwrap().computing, LONGEST_COMPUTING);
        flows.push((1, 2, &[1], 1));
        assert_eq!(plan(&flows).unwrap_err(), Fault::TooLong(2));
    }

    #[test]
    fn a_stream_does_first_what_is_ready_first_and_of_several_the_first_in_the_file() {
        let mut rows = Rows::default();
        let compute = |stream, duration| Work::Compute { stream, duration: Span::new(duration) };
        for duration in [5, 6, 7] {
            rows.push(3, compute(9, duration), &[], Span::ZERO);
        }
        let plan = Plan::new(0, Time::ZERO, 0, None, rows).unwrap();
        let mut part = Part::new(&plan, 3);
        let at = Time::new;
        assert_eq!(part.on_ready(9, 2, at(10)), Some(9));
        assert_eq!([part.on_ready(9, 1, at(10)), part.on_ready(9, 0, at(11))], [None; 2]);
        assert_eq!(part.choose(&plan, 9, at(11)), Some((1, at(17))));
        assert_eq!(part.on_computed(&plan, 1, at(17), |_, _| unreachable!()), Some(9));
        assert_eq!(part.choose(&plan, 9, at(17)), Some((2, at(24))));
        assert_eq!(part.on_computed(&plan, 2, at(24), |_, _| unreachable!()), Some(9));
        assert_eq!(part.choose(&plan, 9, at(24)), Some((0, at(29))));
        assert_eq!(part.on_computed(&plan, 0, at(29), |_, _| unreachable!()), None);
        assert_eq!((part.computed(), part.last_computed(), part.began(&plan, 2)), (3, at(29), Some(at(17))));
    }
}
