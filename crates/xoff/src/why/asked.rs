//! Questions about flows of a report: what has to be recorded to answer, and the answer from the run that recorded it.

use super::{CriticalPath, End, NONE, Outage, Pause, Picoseconds, Question, Row, critical_path};
use crate::congestion_control::Parameters;
use crate::observer::{DropReason, PacketKind, Release};
use crate::report::{FlowRow, PacketColumns, PauseColumns, Report};
use crate::scenario::{LinkState, QueuePairs, Scenario, Transport};
use crate::simulation::Simulation;

/// Finished flow that is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Asked(FlowRow);

impl Asked {
    /// Returns the flow in a row of the finished flows.
    pub fn of_row(report: &Report, row: usize) -> Option<Self> {
        report.flows.rows.get(row).copied().map(Self)
    }

    /// Returns the changes of a scenario, as `--set` takes them, that record what explains the flow, and nothing else.
    pub fn changes(&self, scenario: &Scenario, report: &Report) -> Vec<String> {
        let host = &report.node_names[self.0.source as usize];
        let flows = self.with_earlier(scenario, report);
        let names = flows.iter().map(|number| format!("'{host}.flow{number}'"));
        let names = names.collect::<Vec<_>>().join(", ");
        vec![
            format!("observe={{ packets = [{names}], pauses = true }}"),
            "measure={}".to_owned(),
            format!("stop.at={}ns", self.0.finish.as_nanoseconds() + 1),
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
        let [start_ns, end_ns] =
            [self.0.start, self.0.finish].map(|time| time.as_nanoseconds().cast_signed());
        let rows = rows(&again.packets, self.0.source, &self.with_earlier(scenario, report));
        let pauses = pauses(&again.pauses, start_ns, end_ns);
        critical_path(&Question {
            rows: &rows,
            pauses: &pauses,
            outages: &outages(scenario, simulation),
            flow: self.0.number,
            start_ns,
            end_ns,
            end: End::Acknowledged,
            on_credit: matches!(self.transport(scenario).congestion_control(), Some(Parameters::Rccc(_))),
        })
    }

    fn transport<'a>(&self, scenario: &'a Scenario) -> &'a Transport {
        let mut transports = scenario.transport.values();
        transports.nth(self.0.transport.into()).expect("flows have transports of their scenario")
    }

    /// Returns the numbers of the earlier flows on its queue pair that were unfinished when it started, if that lasts from
    /// flow to flow, and last its own.
    fn with_earlier(&self, scenario: &Scenario, report: &Report) -> Vec<u32> {
        let own = &self.0;
        let count = match self.transport(scenario) {
            Transport::Roce(roce) if roce.connections == QueuePairs::Persistent => {
                u32::from(roce.queue_pairs)
            }
            _ => return vec![own.number],
        };
        let ends = |row: &FlowRow| (row.source, row.destination, row.transport, row.priority);
        let is_earlier = |row: &&FlowRow| {
            ends(row) == ends(own)
                && row.number % count == own.number % count
                && row.number < own.number
                && row.finish > own.start
        };
        let earlier = report.flows.rows.iter().filter(is_earlier);
        earlier.chain([own]).map(|row| row.number).collect()
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
