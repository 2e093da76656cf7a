//! Report of a run: a row for each finished flow, values recorded over time, totals, and a digest of them all.

mod collectives;
mod drops;
mod flows;
mod headroom;
mod jobs;
mod measured;
mod packets;
mod pauses;
mod ports;
mod queries;
mod summary;
mod unfinished;

use std::fmt::Write as _;

use hmac_sha256::Hash;
use serde::Serialize;

use crate::application::job::{Names, Part};
use crate::diagnosis::{self, Diagnosis, Stuck};
use crate::engine::{LONGEST_RUN, Obstacle, Outcome, Quantity, Sample, Samples};
use crate::host::{Host, SprayingCounters};
use crate::kernel::units::Time;
use crate::observer::{DropReason, PacketKind, PauseReason, Release};
use crate::pfc::Intervention;
use crate::port::Port;
use crate::simulation::Simulation;
use crate::switch::Switch;
use crate::topology::{Network, NodeId, PortId};
use crate::watch::pool_name;

pub use collectives::{CollectiveColumns, CollectiveTotals};
pub use drops::DropColumns;
pub use flows::{FlowRow, Flows, PathProperties};
pub use headroom::{HeadroomColumns, OffTimeColumns};
pub use jobs::{JobFlowColumns, JobTotals};
use measured::Measured;
pub use measured::MeasuredTotals;
pub use packets::PacketColumns;
pub use pauses::{PauseColumns, PauseFlowColumns};
pub use ports::PortColumns;
use queries::{CompleteQueries, QueryReport};
pub use queries::{QueryColumns, QueryTotals};
pub use summary::Summary;
pub use unfinished::UnfinishedColumns;

/// Columns of `series.parquet`, in order of time.
#[derive(Clone, Debug, Default)]
pub struct SeriesColumns {
    /// Time of the value.
    pub time_ns: Vec<u64>,
    /// Quantity, as an index into [`Report::quantity_names`].
    pub quantity: Vec<u8>,
    /// Port, flow or pool that the value belongs to, as an index into [`Report::series_names`].
    pub name: Vec<u32>,
    /// Traffic class of queues, marks, drops and inputs; 0 elsewhere.
    pub priority: Vec<u8>,
    /// Value in bytes, bits per second or packets, by quantity.
    pub value: Vec<f64>,
}

/// Counts of packets by their fate. Packets are data packets unless stated otherwise.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PacketTotals {
    /// Packets handed to adapters, retransmissions included.
    pub sent: u64,
    /// Packets received by hosts, duplicates included.
    pub delivered: u64,
    /// Packets dropped by switches, adapters and links.
    pub dropped: u64,
    /// Packets dropped because their queue was at the buffer policy's threshold.
    pub dropped_threshold: u64,
    /// Packets dropped because the shared pool was full.
    pub dropped_pool_full: u64,
    /// Packets dropped instead of marked, since they are not ECN-capable.
    pub dropped_not_ecn_capable: u64,
    /// Packets dropped by adapters whose queue was full.
    pub dropped_adapter_full: u64,
    /// Packets dropped after a pause, because the headroom was full.
    pub dropped_headroom_full: u64,
    /// Packets dropped at the end of a link that had corrupted them.
    pub dropped_link_error: u64,
    /// Packets dropped because the link had failed, or failed while the packets were on it.
    pub dropped_link_down: u64,
    /// Packets that a slow receiver's adapter had no room for.
    pub dropped_receiver_full: u64,
    /// Packets of queues that the PFC watchdog dropped during a storm.
    pub dropped_pfc_watchdog: u64,
    /// Packets that were pushed out of memory to make room for others.
    pub dropped_pushed_out: u64,
    /// Packets that were trimmed: their payload was dropped and their header went on.
    pub dropped_trimmed: u64,
    /// Headers of trimmed packets that were dropped in turn.
    pub trimmed_dropped: u64,
    /// Marks set. A packet can be marked at several switches.
    pub marked: u64,
    /// Packets sent again.
    pub retransmitted: u64,
    /// Packets in queues, in host delays or on wires at the end.
    pub in_flight: u64,
    /// Acknowledgements sent, of any kind, CNPs and packets of credit included.
    pub acknowledgements_sent: u64,
    /// Congestion notification packets (CNPs) sent.
    pub cnps_sent: u64,
    /// Packets of credit sent.
    pub credits_sent: u64,
    /// Acknowledgements dropped, of any kind.
    pub acknowledgements_dropped: u64,
}

/// Use of the packet memory of switches.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct BufferTotals {
    /// Most bytes that any one switch held.
    pub peak_bytes: u64,
    /// Bytes that all switches together hold at the end.
    pub end_bytes: u64,
}

/// Counts and times of priority flow control (PFC).
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PfcTotals {
    /// Frames sent that paused a class.
    pub pause_frames: u64,
    /// Frames sent that only resumed classes.
    pub resume_frames: u64,
    /// Time that classes of ports were paused, summed over classes and ports.
    pub paused_ns: u64,
    /// Longest time that a class of a port was paused without a break.
    pub longest_pause_ns: u64,
    /// Time from XOFF to XON at switches, summed over classes. A port-level pause counts once for each of the eight
    /// classes.
    pub off_ns: u64,
    /// Time from XOFF to XON at switches, where a port-level pause counts once.
    pub off_port_as_one_ns: u64,
    /// Most bytes that were ever in the headroom of one switch.
    pub headroom_peak_bytes: u64,
    /// Ports that were paused without a break for the detection time.
    pub storms: u64,
    /// Times that a watchdog stopped honouring a queue's pause.
    pub interventions: u64,
}

/// Counts of congestion notification messages (QCN).
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct QcnTotals {
    /// Messages sent by congestion points at inputs of switches.
    pub cnms_sent_by_inputs: u64,
    /// Messages sent by congestion points at outputs of switches.
    pub cnms_sent_by_outputs: u64,
    /// Messages that reached hosts.
    pub cnms_received: u64,
    /// Messages that were dropped, at a full buffer or at the end of a link that had corrupted them.
    pub cnms_dropped: u64,
    /// Times that a message crossed a crossbar.
    pub cnms_through_crossbars: u64,
}

/// Sums over the whole run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Totals {
    /// End of the run. If it was left to drain, the time when the last flow finished or the last bit was sent.
    pub end_ns: u64,
    /// Time from which on nothing was recorded, because the records had taken `observe.memory`; none where they are whole.
    pub recorded_until_ns: Option<u64>,
    /// Flows handed to transports.
    pub flows_started: u64,
    /// Flows finished.
    pub flows_finished: u64,
    /// Flows that started and had not finished at the end.
    pub flows_unfinished: u64,
    /// Finished flows of which no record was kept.
    pub flows_without_row: u64,
    /// Expiries of retransmission timers, those of unfinished flows included.
    pub timeouts: u64,
    /// Totals of the measured time.
    pub measured: MeasuredTotals,
    /// Totals of packets.
    pub packets: PacketTotals,
    /// Totals of priority flow control.
    pub pfc: PfcTotals,
    /// Totals of congestion notification messages.
    pub qcn: QcnTotals,
    /// Totals of spraying by senders.
    pub spraying: SprayingCounters,
    /// Totals of queries.
    pub queries: QueryTotals,
    /// Totals of collectives, workload by workload.
    pub collectives: Vec<CollectiveTotals>,
    /// Totals of jobs.
    pub jobs: Vec<JobTotals>,
    /// Totals of packet memory.
    pub buffer: BufferTotals,
    /// Links crossed by packets of any kind.
    pub packet_hops: u64,
    /// Events that the engine handled, which depend on the way the run was carried out.
    pub events: u64,
    /// Times that were skipped; none where every packet was simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_forward: Option<FastForwardTotals>,
}

/// Times that a run with fast-forward has skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FastForwardTotals {
    /// Number of skips.
    pub skips: u64,
    /// Time skipped in all.
    pub skipped_ns: u64,
    /// Reason why nothing was skipped, after "because"; none where something was.
    pub because: Option<&'static str>,
}

impl FastForwardTotals {
    /// Returns the totals of a run; nothing where its scenario has no fast-forward.
    fn new(simulation: &Simulation, outcome: &Outcome) -> Option<Self> {
        simulation.scenario().fast_forward()?;
        let skips = &outcome.skips;
        let because = || simulation.never_skips().or(skips.obstacle.map(Obstacle::words));
        Some(Self {
            skips: skips.count() as u64,
            skipped_ns: skips.total().as_nanoseconds(),
            because: if skips.count() > 0 { None } else { because().or(Some(Obstacle::Quiet.words())) },
        })
    }
}

/// Queue of a deadlock. Each waits for the next in the list, and the last for the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deadlocked {
    /// Port of the queue.
    pub port: String,
    /// Class of the queue.
    pub priority: usize,
    /// Time since which the class has been paused.
    pub since_ns: u64,
    /// Bytes in the queue.
    pub queue_bytes: u64,
}

/// Port that was paused without a break for the detection time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Storm {
    /// Name of the port.
    pub port: String,
    /// Time that the port was paused without a break.
    pub paused_ns: u64,
}

/// Queue whose pause a watchdog stopped honouring, because it lasted too long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LetGo {
    /// Port of the queue.
    pub port: String,
    /// Class of the queue.
    pub priority: usize,
    /// Time when the watchdog detected a storm.
    pub detected_ns: u64,
    /// Time when the watchdog restored the queue; none if it did not.
    pub restored_ns: Option<u64>,
    /// Packets that the queue lost meanwhile.
    pub dropped: u64,
}

/// Signs of trouble: deadlocks and storms from pauses, and a run that stood still or lasted too long.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Pathologies {
    /// Cycle of queues that will never send; empty where there is none.
    pub deadlock: Vec<Deadlocked>,
    /// Number of queues that will never send, in the cycle or behind it.
    pub stuck_queues: usize,
    /// Whether the run ended because nothing could move any longer.
    pub stood_still: bool,
    /// Whether the run was cut off at the longest time that a run can last.
    pub reached_time_limit: bool,
    /// Ports that were paused without a break for the detection time.
    pub storms: Vec<Storm>,
    /// Interventions of watchdogs, in order of detection.
    pub watchdog: Vec<LetGo>,
}

/// Results of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// Finished flows.
    pub flows: Flows,
    /// Flows that were not finished at the end.
    pub unfinished: UnfinishedColumns,
    /// Complete queries.
    pub queries: QueryColumns,
    /// Complete collectives.
    pub collectives: CollectiveColumns,
    /// Packets, marks and losses of every port.
    pub ports: PortColumns,
    /// Values recorded over time.
    pub series: SeriesColumns,
    /// Operations of jobs.
    pub job_flows: JobFlowColumns,
    /// Dropped packets, where they were recorded one by one.
    pub drops: DropColumns,
    /// Packets of watched flows, at every port that they came to.
    pub packets: PacketColumns,
    /// Pauses, where they were observed.
    pub pauses: PauseColumns,
    /// Local maxima of headroom in use.
    pub headroom: HeadroomColumns,
    /// Times in which switches held the senders of queues paused.
    pub off_times: OffTimeColumns,
    /// Flows in the queues that were the causes of pauses.
    pub pause_flows: PauseFlowColumns,
    /// Deadlocks, storms and other signs of trouble.
    pub pathologies: Pathologies,
    /// Sums over the whole run.
    pub totals: Totals,
    /// Hash of all integer results, in hexadecimal. The same scenario and seed always give the same hash.
    pub digest: String,
    /// Whether the caller ended the run.
    pub interrupted: bool,
    /// Names of nodes.
    pub node_names: Vec<String>,
    /// Names of operations of jobs.
    pub job_flow_names: Names,
    /// Names of transports.
    pub transport_names: Vec<String>,
    /// Names of the ports, flows and pools that series belong to.
    pub series_names: Vec<String>,
    /// Names of quantities.
    pub quantity_names: Vec<&'static str>,
    /// Names of reasons for pauses.
    pub reason_names: Vec<&'static str>,
    /// Names of reasons for drops.
    pub drop_reason_names: Vec<&'static str>,
    /// Names of the events that let flows send.
    pub release_names: Vec<&'static str>,
    /// Names of kinds of packets.
    pub packet_kinds: Vec<&'static str>,
}

impl Report {
    /// Collects the results of a run. Takes the finished flows out of `outcome`, which may have millions of them.
    pub fn new(simulation: &Simulation, outcome: &mut Outcome) -> Self {
        let complete_queries = CompleteQueries::new(outcome);
        let (flows, lost_in_part, lives) = Flows::take(simulation, outcome, &complete_queries);
        let outcome = &*outcome;
        let end = outcome.end.unwrap_or_else(|| last_action(outcome, &flows));
        // Ports and switches keep the network's own clock.
        let end_inside = end.earlier(outcome.skips.total());
        let (series, series_names) = series(simulation, &outcome.samples, end);
        let (headroom, off_times) = headroom::columns(simulation.network(), &outcome.headroom);
        let detection_time = simulation.scenario().pfc.detection_time;
        let diagnosis = Diagnosis::new(simulation.network(), outcome, end_inside, detection_time);
        let (pauses, pause_flows) = pauses::columns(simulation, &outcome.pauses, &diagnosis);
        let longest = Time::ZERO + LONGEST_RUN;
        let queries = QueryReport::new(simulation, outcome, &complete_queries, &flows, end);
        let (collectives, of_collectives) = collectives::columns(simulation, outcome);
        let measured = Measured::new(simulation, outcome, end);
        let (job_flows, job_flow_names) = jobs::columns(simulation, outcome, lives, &lost_in_part);
        Self {
            job_flows,
            job_flow_names,
            unfinished: unfinished::columns(simulation, outcome, lost_in_part, &measured),
            queries: queries.columns,
            collectives,
            ports: ports::columns(simulation, all_ports(outcome), end, end_inside),
            series,
            drops: drops::columns(simulation, outcome),
            packets: packets::columns(simulation, outcome),
            pauses,
            headroom,
            off_times,
            pause_flows,
            totals: Totals {
                measured: measured.totals(),
                queries: queries.totals,
                collectives: of_collectives,
                jobs: jobs::totals(simulation, outcome),
                fast_forward: FastForwardTotals::new(simulation, outcome),
                ..totals(outcome, &flows, end, end_inside, &diagnosis)
            },
            pathologies: Pathologies {
                stood_still: outcome.stood_still,
                reached_time_limit: end >= longest && simulation.scenario().stop.at != Some(LONGEST_RUN),
                ..pathologies(&diagnosis, outcome, &series_names)
            },
            digest: digest(simulation, outcome, &flows),
            flows,
            interrupted: outcome.interrupted,
            node_names: simulation.network().nodes.iter().map(|node| node.name.clone()).collect(),
            transport_names: simulation.scenario().transport.keys().cloned().collect(),
            series_names,
            quantity_names: Quantity::ALL.iter().map(|quantity| quantity.name()).collect(),
            reason_names: PauseReason::ALL.iter().map(|reason| reason.name()).collect(),
            drop_reason_names: DropReason::ALL.iter().map(|reason| reason.name()).collect(),
            release_names: Release::ALL.iter().map(|release| release.name()).collect(),
            packet_kinds: PacketKind::ALL.iter().map(|kind| kind.name()).collect(),
        }
    }
}

/// Makes the series of the samples up to `end`. Later samples, taken while timers outlive their flows, show nothing.
fn series(simulation: &Simulation, samples: &Samples, end: Time) -> (SeriesColumns, Vec<String>) {
    let network = simulation.network();
    let port_names: Vec<String> = crate::watch::port_names(network).collect();
    let mut names = port_names.clone();
    let mut other_names = std::collections::BTreeMap::new();
    let mut columns = SeriesColumns::default();
    for sample in &samples.until(end) {
        let Sample { quantity, entity, part, source, priority, .. } = *sample;
        // Whatever is told of a flow is told by the same name.
        let of_flow = quantity.is_of_flows();
        let mut named = |name: &dyn Fn() -> String| {
            *other_names.entry(((!of_flow).then_some(quantity), entity, source, part)).or_insert_with(|| {
                names.push(name());
                names.len() as u32 - 1
            })
        };
        let (name, priority) = match quantity {
            _ if of_flow => {
                let host = &network.nodes[entity as usize].name;
                (named(&|| format!("{host}.flow{part}")), 0)
            }
            Quantity::InputOfFlow => {
                let host = &network.nodes[source as usize].name;
                (named(&|| format!("{}/{host}.flow{part}", port_names[entity as usize])), priority)
            }
            Quantity::Pool => (named(&|| pool_name(network, switch_of(network, entity), part)), 0),
            _ => (entity, part as u8),
        };
        columns.time_ns.push(sample.time.as_nanoseconds());
        columns.quantity.push(quantity as u8);
        columns.name.push(name);
        columns.priority.push(priority);
        columns.value.push(sample.value);
    }
    (columns, names)
}

/// Returns the switch whose first port is `first`.
fn switch_of(network: &Network, first: PortId) -> NodeId {
    let mut switches = network.hosts..network.nodes.len() as NodeId;
    switches.find(|&node| network.ports.first(node) == first).expect("a switch has ports")
}

fn all_ports(outcome: &Outcome) -> impl Iterator<Item = &Port> {
    let hosts = outcome.hosts.iter().map(Host::port);
    hosts.chain(outcome.switches.iter().flat_map(|switch| switch.ports().iter()))
}

/// Returns the time of the last action. Timers that outlive their flows do not count, nor does the period of checks.
fn last_action(outcome: &Outcome, flows: &Flows) -> Time {
    let finished = flows.rows.iter().map(|row| row.finish);
    let computed = outcome.hosts.iter().flat_map(|host| host.applications().parts()).map(Part::last_computed);
    let sent = all_ports(outcome).map(|port| outcome.skips.reported(port.busy_until()));
    finished.chain(computed).chain(sent).max().unwrap_or_default()
}

/// Lists the interventions of a switch's watchdog, with the port of each.
fn interventions(switch: &Switch) -> impl Iterator<Item = (PortId, Intervention)> + '_ {
    switch.interventions().iter().map(|of| (switch.ports()[of.port as usize].id(), *of))
}

/// Collects the signs of trouble, with names. In `names` those of ports come first, in the order of their numbers.
fn pathologies(diagnosis: &Diagnosis, outcome: &Outcome, names: &[String]) -> Pathologies {
    let name = |port: PortId| names[port as usize].clone();
    let mut interventions: Vec<(PortId, Intervention)> =
        outcome.switches.iter().flat_map(interventions).collect();
    interventions.sort_by_key(|(port, intervention)| (intervention.detected, *port, intervention.priority));
    let let_go = |port: PortId, of: Intervention| LetGo {
        port: name(port),
        priority: of.priority,
        detected_ns: outcome.skips.reported(of.detected).as_nanoseconds(),
        restored_ns: of.restored.map(|at| outcome.skips.reported(at).as_nanoseconds()),
        dropped: of.dropped,
    };
    let deadlocked = |stuck: &Stuck| Deadlocked {
        port: name(stuck.queue.0),
        priority: stuck.queue.1,
        since_ns: outcome.skips.reported(stuck.since).as_nanoseconds(),
        queue_bytes: stuck.bytes.get(),
    };
    let storm =
        |storm: &diagnosis::Storm| Storm { port: name(storm.port), paused_ns: storm.paused.as_nanoseconds() };
    Pathologies {
        deadlock: diagnosis.deadlock.iter().map(deadlocked).collect(),
        stuck_queues: diagnosis.stuck,
        storms: diagnosis.storms.iter().map(storm).collect(),
        watchdog: interventions.into_iter().map(|(port, intervention)| let_go(port, intervention)).collect(),
        ..Pathologies::default()
    }
}

fn totals(outcome: &Outcome, flows: &Flows, end: Time, end_inside: Time, diagnosis: &Diagnosis) -> Totals {
    let mut totals = Totals {
        end_ns: end.as_nanoseconds(),
        recorded_until_ns: outcome.recorded_until.filter(|until| *until < end).map(Time::as_nanoseconds),
        flows_finished: flows.rows.len() as u64 + outcome.forgotten,
        flows_without_row: outcome.forgotten,
        events: outcome.events,
        ..Totals::default()
    };
    for host in &outcome.hosts {
        let counters = &host.counters;
        totals.flows_started += counters.started;
        totals.timeouts += counters.timeouts;
        totals.packets.sent += counters.data_sent;
        totals.packets.retransmitted += counters.data_retransmitted;
        totals.packets.delivered += counters.data_delivered;
        totals.packets.acknowledgements_sent += counters.acknowledgements_sent;
        totals.packets.cnps_sent += counters.cnps_sent;
        totals.packets.credits_sent += counters.credits_sent;
        totals.qcn.cnms_received += counters.cnms_received;
        let spraying = host.spraying();
        totals.spraying.at_random += spraying.at_random;
        totals.spraying.recycled += spraying.recycled;
        totals.spraying.freezes += spraying.freezes;
    }
    for port in all_ports(outcome) {
        totals.packet_hops += port.counters.packets;
        totals.packets.add_port(port);
        totals.qcn.cnms_dropped += port.cnms_dropped();
        totals.pfc.pause_frames += port.counters.pause_frames;
        totals.pfc.resume_frames += port.counters.resume_frames;
        totals.pfc.paused_ns += port.paused_by(end_inside).as_nanoseconds();
    }
    totals.pfc.longest_pause_ns = diagnosis.longest_pause.as_nanoseconds();
    totals.pfc.storms = diagnosis.storms.len() as u64;
    let of_hosts = outcome.hosts.iter().map(|host| host.off_durations(end_inside));
    for durations in of_hosts.chain(outcome.switches.iter().map(|switch| switch.off_durations(end_inside))) {
        totals.pfc.off_ns += durations.by_class.as_nanoseconds();
        totals.pfc.off_port_as_one_ns += durations.port_as_one.as_nanoseconds();
    }
    for switch in &outcome.switches {
        totals.buffer.peak_bytes = totals.buffer.peak_bytes.max(switch.peak().get());
        totals.buffer.end_bytes += switch.used().get();
        totals.pfc.interventions += switch.interventions().len() as u64;
        if let Some(pausing) = switch.pausing() {
            let peak = pausing.ingress().headroom_peak().get();
            totals.pfc.headroom_peak_bytes = totals.pfc.headroom_peak_bytes.max(peak);
        }
    }
    for counters in outcome.switches.iter().filter_map(Switch::cioq).map(|switch| switch.counters) {
        totals.qcn.cnms_sent_by_inputs += counters.of_inputs;
        totals.qcn.cnms_sent_by_outputs += counters.of_outputs;
        totals.qcn.cnms_through_crossbars += counters.crossed;
    }
    totals.flows_unfinished = totals.flows_started - totals.flows_finished;
    totals.packets.in_flight = outcome.in_flight().data;
    totals
}

impl PacketTotals {
    fn add_port(&mut self, port: &Port) {
        let counters = &port.counters;
        let dropped = |reason: DropReason| counters.dropped_data[reason as usize];
        self.marked += counters.marked;
        self.dropped_threshold += dropped(DropReason::Threshold);
        self.dropped_pool_full += dropped(DropReason::PoolFull);
        self.dropped_not_ecn_capable += dropped(DropReason::NotEcnCapable);
        self.dropped_adapter_full += dropped(DropReason::AdapterFull);
        self.dropped_headroom_full += dropped(DropReason::HeadroomFull);
        self.dropped_link_error += dropped(DropReason::LinkError);
        self.dropped_link_down += dropped(DropReason::LinkDown);
        self.dropped_receiver_full += dropped(DropReason::ReceiverFull);
        self.dropped_pfc_watchdog += dropped(DropReason::PfcWatchdog);
        self.dropped_pushed_out += dropped(DropReason::PushedOut);
        self.dropped_trimmed += dropped(DropReason::Trimmed);
        self.trimmed_dropped += port.trimmed_dropped();
        self.dropped += counters.dropped_data.iter().sum::<u64>();
        self.acknowledgements_dropped += counters.dropped_acknowledgements.iter().sum::<u64>()
            - port.cnms_dropped()
            - port.trimmed_dropped();
    }
}

/// Hashes all decisions of the models, in integers and in a fixed order.
///
/// Numbers that depend on the way the run was carried out, such as that of events, stay out.
/// The digest of a run that may skip times begins with `~`, since its results are approximate.
fn digest(simulation: &Simulation, outcome: &Outcome, flows: &Flows) -> String {
    let mut hash = Hash::new();
    let mut take = |value: u64| hash.update(value.to_le_bytes());
    for row in &flows.rows {
        let repairs = flows.repairs(row);
        for value in [
            row.start.get(),
            u64::from(row.source),
            u64::from(row.number),
            u64::from(row.destination),
            row.size.get(),
            row.received.get(),
            row.finish.get(),
            repairs.retransmitted.get(),
            u64::from(repairs.timeouts),
        ] {
            take(value);
        }
    }
    for host in &outcome.hosts {
        let counters = &host.counters;
        for value in [
            counters.started,
            counters.finished,
            counters.data_sent,
            counters.data_delivered,
            counters.goodput().get(),
            counters.acknowledgements_sent,
            counters.acknowledgements_delivered,
            counters.timeouts,
        ] {
            take(value);
        }
    }
    // Left out where there are none, so that runs in which nothing of the kind happens keep the digests that they had.
    let spraying = outcome.hosts.iter().map(Host::spraying);
    for SprayingCounters { at_random, recycled, freezes } in
        spraying.filter(|counters| *counters != SprayingCounters::default())
    {
        [at_random, recycled, freezes].into_iter().for_each(&mut take);
    }
    for port in all_ports(outcome) {
        let counters = &port.counters;
        take(counters.packets);
        take(counters.wire_bytes.get());
        take(counters.marked);
        take(counters.pause_frames);
        take(counters.resume_frames);
        take(counters.paused.get());
        let dropped = [&counters.dropped_data, &counters.dropped_acknowledgements];
        let (of_any_run, of_some) = DropReason::ALL.split_at(DropReason::LinkDown as usize);
        let of = |reason: &DropReason| dropped.map(|reasons| reasons[*reason as usize]);
        let of_any_run = dropped.iter().flat_map(|reasons| &reasons[..of_any_run.len()]).copied();
        // Left out for the same reason.
        let of_some = of_some.iter().map(of).filter(|counts| *counts != [0, 0]).flatten();
        of_any_run.chain(of_some).for_each(&mut take);
    }
    for switch in &outcome.switches {
        take(switch.peak().get());
        take(switch.used().get());
    }
    let is_approximate = simulation.scenario().fast_forward().is_some();
    let mut digest = String::from(if is_approximate { "~" } else { "" });
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(digest, "{byte:02x}");
    }
    digest
}
