//! Jobs: flows that wait for one another.
//!
//! A host begins a flow when those that it waits for are done, and it has computed since. A flow that ends at the host
//! is done when it is whole there, and one that begins there when it is acknowledged. The host waits for nothing else.

use std::sync::Arc;

use crate::classes::Classes;
use crate::kernel::units::{Bytes, Span, Time};
use crate::topology::NodeId;

/// Flow of a job as its file describes it, before the job is put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Host that sends the flow.
    pub source: NodeId,
    /// Host that receives the flow, other than the source.
    pub destination: NodeId,
    /// Bytes.
    pub size: Bytes,
    /// Traffic class.
    pub priority: u8,
    /// Positions of the flows that this flow waits for, each once. They begin or end at its source.
    pub after: Vec<u32>,
    /// Time that the flow's source computes after the last flow that it waits for, or after the job begins.
    pub delay: Span,
}

/// Flow of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Flow as the file of the job describes it.
    pub row: Row,
    /// Number of flows that the flow's source sends before this flow in the file.
    place: u32,
    /// Positions of the flows that wait for this flow.
    waiting: Vec<u32>,
    /// Position of the flow's receiver among all hosts that receive.
    pub receiver: u32,
    /// Number of flows that the flow's receiver is sent before this flow in the file.
    pub turn: u32,
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
    flows: Vec<Flow>,
    /// Names of the flows; empty if they have none.
    names: Arc<[String]>,
    /// Positions of the flows that each receiver is sent, by turn.
    received: Vec<Vec<u32>>,
    /// Hosts that send or receive, in order.
    hosts: Vec<NodeId>,
    /// Positions of the flows that each host sends.
    sent: Vec<Vec<u32>>,
}

impl Plan {
    /// Puts a job together.
    ///
    /// Fails with the positions of flows that wait for one another in a cycle, each for the one before it.
    pub fn new(workload: usize, start: Time, transport: u8, rows: Vec<Row>) -> Result<Self, Vec<u32>> {
        let mut hosts: Vec<NodeId> = rows.iter().flat_map(|row| [row.source, row.destination]).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let mut receivers: Vec<NodeId> = rows.iter().map(|row| row.destination).collect();
        receivers.sort_unstable();
        receivers.dedup();
        let mut waiting = vec![Vec::new(); rows.len()];
        for (position, row) in rows.iter().enumerate() {
            row.after.iter().for_each(|&before| waiting[before as usize].push(position as u32));
        }
        let computing = longest_chain(&rows, &waiting)?;
        let mut sent = vec![Vec::new(); hosts.len()];
        let mut received = vec![Vec::new(); receivers.len()];
        let flows = (0..).zip(rows.into_iter().zip(waiting)).map(|(position, (row, waiting))| {
            let sender = hosts.binary_search(&row.source).expect("every source is among the hosts");
            let receiver = receivers.binary_search(&row.destination).expect("every destination receives");
            let (place, turn) = (sent[sender].len() as u32, received[receiver].len() as u32);
            sent[sender].push(position);
            received[receiver].push(position);
            Flow { row, place, waiting, receiver: receiver as u32, turn }
        });
        let flows = flows.collect();
        let names = Arc::default();
        Ok(Self { workload, start, transport, computing, flows, names, received, hosts, sent })
    }

    /// Gives the job's flows names, in their order.
    #[must_use]
    pub fn with_names(self, names: Vec<String>) -> Self {
        Self { names: names.into(), ..self }
    }

    /// Names of the job's flows.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Flows of the job, in the order of the file.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Whether a host has a part in the job.
    pub fn concerns(&self, host: NodeId) -> bool {
        self.hosts.binary_search(&host).is_ok()
    }

    /// Positions of the flows that a host sends, by the place of each flow.
    fn sent_by(&self, host: NodeId) -> &[u32] {
        self.hosts.binary_search(&host).map_or(&[], |place| &self.sent[place])
    }

    /// Number of channels, one for each host that receives.
    pub fn channels(&self) -> u32 {
        self.received.len() as u32
    }

    /// Most flows that one host receives.
    pub fn turns(&self) -> u64 {
        self.received.iter().map(|flows| flows.len() as u64).max().unwrap_or_default()
    }

    /// Position of a flow, as its receiver knows it.
    pub fn flow(&self, receiver: u32, turn: u32) -> u32 {
        self.received[receiver as usize][turn as usize]
    }

    /// Traffic classes of the job's flows.
    pub fn classes(&self) -> Classes {
        self.flows.iter().map(|flow| flow.row.priority).collect()
    }

    /// Longest time that a host computes between two flows.
    pub fn longest_delay(&self) -> Span {
        self.flows.iter().map(|flow| flow.row.delay).max().unwrap_or_default()
    }
}

/// Returns the longest chain of computing, or the positions of flows that wait for one another in a cycle.
fn longest_chain(rows: &[Row], waiting: &[Vec<u32>]) -> Result<Span, Vec<u32>> {
    let mut missing: Vec<usize> = rows.iter().map(|row| row.after.len()).collect();
    let mut begins = vec![Span::ZERO; rows.len()];
    let mut ready: Vec<u32> = (0..rows.len() as u32).filter(|&flow| missing[flow as usize] == 0).collect();
    let (mut done, mut longest) = (0, Span::ZERO);
    while let Some(flow) = ready.pop() {
        done += 1;
        let begin = begins[flow as usize] + rows[flow as usize].delay;
        longest = longest.max(begin);
        for &next in &waiting[flow as usize] {
            let next_begin = &mut begins[next as usize];
            *next_begin = begin.max(*next_begin);
            missing[next as usize] -= 1;
            if missing[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    if done == rows.len() { Ok(longest) } else { Err(cycle(rows, &missing)) }
}

/// Finds a cycle among the flows that never become ready.
fn cycle(rows: &[Row], missing: &[usize]) -> Vec<u32> {
    let is_stuck = |flow: &u32| missing[*flow as usize] > 0;
    let mut chain: Vec<u32> = (0..rows.len() as u32).find(is_stuck).into_iter().collect();
    while let Some(last) = chain.last() {
        // What is stuck waits for something that is.
        let before = rows[*last as usize].after.iter().copied().find(is_stuck).unwrap_or(*last);
        if let Some(begin) = chain.iter().position(|&flow| flow == before) {
            chain.drain(..begin);
            chain.reverse();
            break;
        }
        chain.push(before);
    }
    chain
}

/// State of one host in a job.
#[derive(Debug)]
pub struct Part {
    host: NodeId,
    /// Number of flows that each flow of the host still waits for, by the place of the waiting flow.
    missing: Vec<u32>,
    /// Number of flows that the host has begun.
    begun: u64,
    /// Number of flows to the host that are whole.
    received: u64,
    /// Time when the last whole flow to the host became whole.
    last_whole: Time,
}

impl Part {
    /// Makes the state of a host before the job begins.
    pub fn new(plan: &Plan, host: NodeId) -> Self {
        let waits_for = |&flow: &u32| plan.flows[flow as usize].row.after.len() as u32;
        Self {
            host,
            missing: plan.sent_by(host).iter().map(waits_for).collect(),
            begun: 0,
            received: 0,
            last_whole: Time::ZERO,
        }
    }

    /// Passes every flow that waits for no other flow to `begin`, with the time at which the flow begins.
    pub fn first(&self, plan: &Plan, mut begin: impl FnMut(u32, Time)) {
        for &flow in plan.sent_by(self.host) {
            let row = &plan.flows[flow as usize].row;
            if row.after.is_empty() {
                begin(flow, plan.start + row.delay);
            }
        }
    }

    /// Takes in that a flow begins here.
    pub fn on_begin(&mut self) {
        self.begun += 1;
    }

    /// Takes in that a flow to this host is whole. Passes the flows that can begin now to `begin`, with their time.
    pub fn on_whole(&mut self, plan: &Plan, flow: u32, now: Time, begin: impl FnMut(u32, Time)) {
        self.received += 1;
        self.last_whole = now;
        self.on_done(plan, flow, now, begin);
    }

    /// Takes in that a flow to or from this host is done. Passes the flows that can begin now to `begin`, with their
    /// time.
    pub fn on_done(&mut self, plan: &Plan, flow: u32, now: Time, mut begin: impl FnMut(u32, Time)) {
        for &next in &plan.flows[flow as usize].waiting {
            let Flow { row, place, .. } = &plan.flows[next as usize];
            if row.source != self.host {
                continue;
            }
            let missing = &mut self.missing[*place as usize];
            *missing -= 1;
            if *missing == 0 {
                begin(next, now + row.delay);
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

    /// Time when the last whole flow to the host became whole.
    pub fn last_whole(&self) -> Time {
        self.last_whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a flow from one host to another that waits for the flows `after`, and `delay` picoseconds.
    fn row(source: NodeId, destination: NodeId, after: &[u32], delay: u64) -> Row {
        let (size, after, delay) = (Bytes::new(100), after.to_vec(), Span::new(delay));
        Row { source, destination, size, priority: 0, after, delay }
    }

    fn plan(rows: Vec<Row>) -> Plan {
        Plan::new(0, Time::new(1_000), 0, rows).unwrap()
    }

    /// Host 7 sends to 8 and 9, which both send back, and then to 8 again when both are here.
    fn there_and_back() -> Plan {
        plan(vec![
            row(7, 8, &[], 10),
            row(7, 9, &[0], 5),
            row(8, 7, &[0], 20),
            row(9, 7, &[1], 0),
            row(7, 8, &[2, 3], 40),
        ])
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
        for (position, flow) in (0..).zip(plan.flows()) {
            assert_eq!(plan.flow(flow.receiver, flow.turn), position);
        }
        assert_eq!([6, 7, 8, 9, 10].map(|host| plan.concerns(host)), [false, true, true, true, false]);
    }

    /// 10 + 20 + 40 by host 8 is longer than 10 + 5 + 40 by host 9.
    #[test]
    fn the_longest_chain_is_computed() {
        assert_eq!(there_and_back().computing, Span::new(70));
        assert_eq!(there_and_back().longest_delay(), Span::new(40));
    }

    #[test]
    fn flows_that_wait_for_one_another_are_named_in_their_order() {
        let rows = vec![
            row(1, 2, &[], 0),
            row(2, 1, &[0, 3], 0),
            row(1, 2, &[1], 0),
            row(2, 1, &[2], 0),
            row(1, 2, &[3], 0),
        ];
        let cycle = Plan::new(0, Time::ZERO, 0, rows).unwrap_err();
        let mut sorted = cycle.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [1, 2, 3]);
        let next = |flow: u32| cycle[(cycle.iter().position(|&one| one == flow).unwrap() + 1) % 3];
        assert_eq!([1, 2, 3].map(next), [2, 3, 1]);
    }
}
