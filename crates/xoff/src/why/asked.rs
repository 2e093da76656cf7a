//! Questions about flows of a report: what has to be recorded to answer, and the answer from the run that recorded it.

use super::{CriticalPath, End, NONE, Outage, Pause, Picoseconds, Question, Row, critical_path};
use crate::congestion_control::Parameters;
use crate::observer::{DropReason, PacketKind, Release};
use crate::report::{PacketColumns, PauseColumns, Report};
use crate::scenario::{LinkState, QueuePairs, Scenario, Transport};
use crate::simulation::Simulation;

/// Finished flow that is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    source: u32,
    number: u32,
    transport: u8,
    start_ns: i64,
    finish_ns: i64,
}

/// Numbers of the earlier flows on a flow's queue pair that were unfinished when it started.
pub type EarlierFlows = Vec<u32>;

impl Asked {
    /// Returns the flow in a row of the finished flows.
    pub fn of_row(report: &Report, row: usize) -> Option<Self> {
        let row = report.flows.rows.get(row)?;
        Some(Self {
            source: row.source,
            number: row.number,
            transport: row.transport,
            start_ns: row.start.as_nanoseconds().cast_signed(),
            finish_ns: row.finish.as_nanoseconds().cast_signed(),
        })
    }

    /// Returns the changes of a scenario, as `--set` takes them, that record what explains the flow, and nothing else.
    pub fn changes(&self, scenario: &Scenario, report: &Report) -> Vec<String> {
        let host = &report.node_names[self.source as usize];
        let earlier = self.earlier(scenario, report);
        let names = earlier.iter().chain([&self.number]).map(|number| format!("'{host}.flow{number}'"));
        let names = names.collect::<Vec<_>>().join(", ");
        vec![
            format!("observe={{ packets = [{names}], pauses = true }}"),
            "measure={}".to_owned(),
            format!("stop.at={}ns", self.finish_ns + 1),
        ]
    }

    /// Returns the critical path, from a run of the scenario with these changes.
    pub fn critical_path(
        &self,
        scenario: &Scenario,
        report: &Report,
        simulation: &Simulation,
        again: &Report,
    ) -> Option<CriticalPath> {
        let mut flows = self.earlier(scenario, report);
        flows.push(self.number);
        let rows = rows(&again.packets, self.source, &flows);
        let pauses = pauses(&again.pauses, self.start_ns, self.finish_ns);
        critical_path(&Question {
            rows: &rows,
            pauses: &pauses,
            outages: &outages(scenario, simulation),
            flow: self.number,
            start_ns: self.start_ns,
            end_ns: self.finish_ns,
            end: End::Acknowledged,
            on_credit: matches!(self.transport(scenario).congestion_control(), Some(Parameters::Rccc(_))),
        })
    }

    fn transport<'a>(&self, scenario: &'a Scenario) -> &'a Transport {
        let mut transports = scenario.transport.values();
        transports.nth(self.transport.into()).expect("flows have transports of their scenario")
    }

    /// Returns the earlier flows on its queue pair, if that lasts from flow to flow.
    fn earlier(&self, scenario: &Scenario, report: &Report) -> EarlierFlows {
        let Transport::Roce(roce) = self.transport(scenario) else { return Vec::new() };
        if roce.connections != QueuePairs::Persistent {
            return Vec::new();
        }
        let count = u32::from(roce.queue_pairs);
        let rows = &report.flows.rows;
        let is_asked = |row: &&_| {
            let row: &crate::report::FlowRow = row;
            (row.source, row.number) == (self.source, self.number)
        };
        let Some(own) = rows.iter().find(is_asked) else { return Vec::new() };
        let is_earlier = |row: &&crate::report::FlowRow| {
            let ends =
                |row: &crate::report::FlowRow| (row.source, row.destination, row.transport, row.priority);
            ends(row) == ends(own)
                && row.number % count == own.number % count
                && row.number < own.number
                && row.finish > own.start
        };
        rows.iter().filter(is_earlier).map(|row| row.number).collect()
    }
}

fn rows(packets: &PacketColumns, source: u32, flows: &[u32]) -> Vec<Row> {
    let known = |value: u64| if value == u64::MAX { NONE } else { value.cast_signed() };
    let row = |at: usize| Row {
        packet: packets.packet[at],
        flow: packets.number[at],
        kind: PacketKind::ALL[usize::from(packets.kind[at])],
        sequence: known(packets.sequence[at]),
        payload: known(packets.payload_bytes[at]),
        priority: packets.priority[at],
        again: packets.retransmission[at],
        release: Release::ALL.get(usize::from(packets.release[at])).copied(),
        ready: known(packets.ready_ps[at]),
        handed: known(packets.handed_ps[at]),
        port: packets.port[at],
        arrived: known(packets.arrived_ps[at]),
        started: known(packets.started_ps[at]),
        ended: known(packets.ended_ps[at]),
        reached: known(packets.reached_ps[at]),
        received: known(packets.received_ps[at]),
        drop_reason: DropReason::ALL.get(usize::from(packets.drop_reason[at])).copied(),
    };
    let is_own = |&at: &usize| packets.source[at] == source && flows.contains(&packets.number[at]);
    (0..packets.packet.len()).filter(is_own).map(row).collect()
}

/// Returns the pauses under way between two instants.
fn pauses(pauses: &PauseColumns, start_ns: i64, end_ns: i64) -> Vec<Pause> {
    let nanoseconds = |value: u64| i64::try_from(value).unwrap_or(Picoseconds::MAX);
    let during = |&at: &usize| {
        nanoseconds(pauses.end_ns[at]) >= start_ns && nanoseconds(pauses.start_ns[at]) <= end_ns
    };
    let pause = |at: usize| Pause {
        port: pauses.paused_port[at],
        priority: pauses.priority[at],
        start: nanoseconds(pauses.start_ns[at]).saturating_mul(1000),
        end: nanoseconds(pauses.end_ns[at]).saturating_mul(1000),
    };
    (0..pauses.start_ns.len()).filter(during).map(pause).collect()
}

/// Returns the times in which links of hosts were down, where packets wait meanwhile.
///
/// Switches are left out: they lose the packets for a link that fails.
fn outages(scenario: &Scenario, simulation: &Simulation) -> Vec<Outage> {
    let network = simulation.network();
    let mut events: Vec<_> = scenario.link_event.iter().filter(|event| event.state.is_some()).collect();
    events.sort_by_key(|event| event.at);
    let mut found: Vec<Outage> = Vec::new();
    for event in events {
        let at = event.at.get().cast_signed();
        let nodes = event.between.each_ref().map(|name| network.names().find(name));
        let [Some(one), Some(other)] = nodes else { continue };
        let host = if network.is_host(one) { one } else { other };
        if !network.is_host(host) {
            continue;
        }
        let port = network.ports.first(host);
        if event.state == Some(LinkState::Down) {
            found.push((port, at, Picoseconds::MAX));
        } else if let Some(outage) = found.iter_mut().rfind(|outage| outage.0 == port) {
            outage.2 = at;
        }
    }
    found
}
