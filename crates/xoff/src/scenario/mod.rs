//! A scenario: everything that decides a run, as read from one TOML file.
//! These structs are the one source of the file format: the schema, `xoff explain` and the reference come from them.
//! Parsing opens no file and looks at no machine; what it accepts can be simulated.

pub mod error;
pub mod quantity;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::error::ScenarioError;
use crate::kernel::units::{Bytes, Rate, Span};
use crate::{congestion_control, switch::buffer_policy, switch::marking};

/// A whole run: the network, its switches and hosts, the traffic, what ends it and what is recorded.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the run is called in tables and reports.
    #[serde(default)]
    pub title: String,
    /// Seed of every random stream: the same scenario and seed give the same digest.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Nodes and links.
    pub topology: Topology,
    /// Settings of switches by name pattern; where several match, the later wins, key by key.
    #[serde(default)]
    pub switch: Vec<SwitchTable>,
    /// What every host adds around its transport.
    #[serde(default)]
    pub host: Host,
    /// One table per transport; a workload names the one it uses.
    #[serde(default)]
    pub transport: BTreeMap<String, Transport>,
    /// What traffic there is; several workloads run at once.
    pub workload: Vec<Workload>,
    /// What ends the run. Left out, the run ends when every flow is done.
    #[serde(default)]
    pub stop: Stop,
    /// How results are grouped.
    #[serde(default)]
    pub measure: Measure,
    /// What is recorded over time; nothing is recorded that is not asked for.
    #[serde(default)]
    pub observe: Observe,
}

fn default_seed() -> u64 {
    1
}

/// Rate and propagation delay of a full-duplex link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSettings {
    /// Bits per second in each direction.
    pub rate: Rate,
    /// Propagation only, one way.
    pub delay: Span,
}

/// One link by its two ends: in `custom` topologies it makes the link, elsewhere it changes it.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkBetween {
    /// Names of the two nodes.
    pub between: [String; 2],
    /// Bits per second in each direction. Left out, as the topology has it.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Propagation only, one way. Left out, as the topology has it.
    #[serde(default)]
    pub delay: Option<Span>,
}

/// Nodes, links and how packets find their way.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Topology {
    /// Hosts around one switch.
    Star(Star),
    /// Two switches with hosts on either side of one middle link.
    Dumbbell(Dumbbell),
    /// Leaves with hosts, each joined to every spine.
    LeafSpine(LeafSpine),
    /// The k-ary fat tree of Al-Fares et al. (SIGCOMM 2008): k pods, k^3/4 hosts.
    FatTree(FatTree),
    /// Nodes and links by hand.
    Custom(Custom),
}

/// How switches choose among shortest paths.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoutingKind {
    /// Equal-cost multipath: the hash of the five-tuple picks the next hop, the same for every packet of a flow.
    #[default]
    Ecmp,
}

/// Hosts around one switch, `switch0`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Star {
    /// Number of hosts, `host0` onwards.
    pub hosts: u32,
    /// The link of every host.
    pub host_link: LinkSettings,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
    /// Links that differ.
    #[serde(default)]
    pub links: Vec<LinkBetween>,
}

/// Hosts `host0..` on the switch `left`, then the others on the switch `right`, joined by one link.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dumbbell {
    /// Number of hosts on the left.
    pub left: u32,
    /// Number of hosts on the right; they are numbered after those on the left.
    pub right: u32,
    /// The link of every host.
    pub host_link: LinkSettings,
    /// The link between the two switches.
    pub middle_link: LinkSettings,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
    /// Links that differ.
    #[serde(default)]
    pub links: Vec<LinkBetween>,
}

/// `leaf0..` with hosts, each joined to every one of `spine0..`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeafSpine {
    /// Number of leaves.
    pub leaves: u32,
    /// Number of spines.
    pub spines: u32,
    /// Number of hosts on each leaf.
    pub hosts_per_leaf: u32,
    /// The link of every host.
    pub host_link: LinkSettings,
    /// The link between a leaf and a spine.
    pub fabric_link: LinkSettings,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
    /// Links that differ.
    #[serde(default)]
    pub links: Vec<LinkBetween>,
}

/// k pods of k/2 leaves and k/2 spines, k^2/4 cores, k/2 hosts on each leaf.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FatTree {
    /// Ports of every switch; even.
    pub k: u32,
    /// The link of every host.
    pub host_link: LinkSettings,
    /// Every link between switches.
    pub fabric_link: LinkSettings,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
    /// Links that differ.
    #[serde(default)]
    pub links: Vec<LinkBetween>,
}

/// Nodes and links by hand.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Custom {
    /// Names of the hosts; each has exactly one link.
    pub hosts: Vec<String>,
    /// Names of the switches.
    #[serde(default)]
    pub switches: Vec<String>,
    /// The links; ports are numbered in this order at each node.
    pub links: Vec<LinkBetween>,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
}

/// Settings of the switches whose name matches; keys left out keep what an earlier table or the default says.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchTable {
    /// Which switches: a name, or a pattern such as `leaf*`.
    #[serde(default = "every_node")]
    pub nodes: String,
    /// Architecture of the switch.
    #[serde(default)]
    pub kind: Option<SwitchKind>,
    /// Packet memory of the whole switch.
    #[serde(default)]
    pub total: Option<Bytes>,
    /// Bytes set aside for each queue in use, used before the shared pool.
    #[serde(default)]
    pub reserved_per_queue: Option<Bytes>,
    /// Bytes set aside for all queues of a port together, used before the shared pool.
    #[serde(default)]
    pub reserved_per_port: Option<Bytes>,
    /// How the shared pool is divided among queues.
    #[serde(default)]
    pub buffer: Option<buffer_policy::Parameters>,
    /// What marks packets; every marker that is set is asked, and one yes marks.
    #[serde(default)]
    pub marking: Option<Marking>,
    /// When a packet's memory is free again.
    #[serde(default)]
    pub release: Option<Release>,
}

fn every_node() -> String {
    "*".to_owned()
}

/// Architecture of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SwitchKind {
    /// Output queues in one shared memory.
    #[default]
    SharedMemory,
}

/// When a packet's memory is free again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// When its first bit leaves.
    #[default]
    TransmissionStart,
    /// When its last bit has left.
    TransmissionEnd,
}

/// What marks packets in a switch.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marking {
    /// On the length of the packet's own queue.
    #[serde(default)]
    pub queue: Option<marking::Parameters>,
}

/// One switch's settings after every matching table has been applied.
#[derive(Clone, Debug)]
pub struct SwitchSettings {
    /// Packet memory of the whole switch.
    pub total: Bytes,
    /// Bytes set aside for each queue in use.
    pub reserved_per_queue: Bytes,
    /// Bytes set aside for all queues of a port together.
    pub reserved_per_port: Bytes,
    /// How the shared pool is divided among queues.
    pub buffer: buffer_policy::Parameters,
    /// What marks packets.
    pub marking: Marking,
    /// When a packet's memory is free again.
    pub release: Release,
}

/// What every host adds around its transport.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Between transport and adapter, each way.
    #[serde(default)]
    pub delay: Span,
    /// Adds to each segment's host delay a uniform time below one packet time, order kept; breaks phase lockout.
    #[serde(default)]
    pub jitter: bool,
    /// Bytes the adapter's queue holds before it drops. Left out, it never drops.
    #[serde(default)]
    pub adapter_queue: Option<Bytes>,
    /// Bytes one flow may have waiting in the adapter before its transport holds back (TCP small queues).
    #[serde(default = "default_small_queue")]
    pub small_queue: Bytes,
}

fn default_small_queue() -> Bytes {
    Bytes::new(64_000)
}

impl Default for Host {
    fn default() -> Self {
        Self { delay: Span::ZERO, jitter: false, adapter_queue: None, small_queue: default_small_queue() }
    }
}

/// How flows are cut into packets, acknowledged and controlled.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Transport {
    /// A byte stream with acknowledgements, retransmission and a congestion control.
    Tcp(Tcp),
    /// Packets at a fixed rate, never acknowledged.
    ConstantRate(ConstantRate),
}

/// A byte stream with acknowledgements, retransmission and a congestion control.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// Application bytes of a full segment.
    #[serde(default = "default_payload")]
    pub payload: Bytes,
    /// Bytes that every data frame adds to its payload: Ethernet 14 + IP 20 + TCP 20 + FCS 4.
    #[serde(default = "default_headers")]
    pub headers: Bytes,
    /// Preamble and gap: bytes on the wire beyond the frame.
    #[serde(default = "default_wire_overhead")]
    pub wire_overhead: Bytes,
    /// Frame of an acknowledgement.
    #[serde(default = "default_acknowledgement")]
    pub acknowledgement: Bytes,
    /// Decides the window.
    pub congestion_control: congestion_control::Parameters,
    /// How losses are found and repaired.
    #[serde(default)]
    pub recovery: Recovery,
    /// First window, in segments (RFC 6928).
    #[serde(default = "default_initial_window")]
    pub initial_window: u32,
    /// Largest window. Left out, there is none.
    #[serde(default)]
    pub maximum_window: Option<Bytes>,
    /// Least retransmission timeout.
    #[serde(default = "default_minimum_rto")]
    pub minimum_rto: Span,
    /// Retransmission timeout before the first round-trip sample. Left out, the minimum.
    #[serde(default)]
    pub initial_rto: Option<Span>,
    /// Largest retransmission timeout after back-off.
    #[serde(default = "default_maximum_rto")]
    pub maximum_rto: Span,
    /// In-order segments per acknowledgement: 1 acknowledges each, 2 is the usual delayed acknowledgement.
    #[serde(default = "default_acknowledge_every")]
    pub acknowledge_every: u32,
    /// A delayed acknowledgement waits no longer than this.
    #[serde(default = "default_acknowledge_timeout")]
    pub acknowledge_timeout: Span,
}

fn default_payload() -> Bytes {
    Bytes::new(1460)
}
fn default_headers() -> Bytes {
    Bytes::new(58)
}
fn default_wire_overhead() -> Bytes {
    Bytes::new(20)
}
fn default_acknowledgement() -> Bytes {
    Bytes::new(64)
}
fn default_initial_window() -> u32 {
    10
}
fn default_minimum_rto() -> Span {
    Span::from_milliseconds(5)
}
fn default_maximum_rto() -> Span {
    Span::from_milliseconds(60_000)
}
fn default_acknowledge_every() -> u32 {
    1
}
fn default_acknowledge_timeout() -> Span {
    Span::from_microseconds(500)
}

/// How TCP finds and repairs losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Selective acknowledgements (RFC 2018, RFC 6675).
    #[default]
    Sack,
    /// Duplicate and partial acknowledgements (RFC 6582).
    NewReno,
}

/// Packets at a fixed rate, never acknowledged and never retransmitted.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantRate {
    /// Application bytes of a full packet.
    #[serde(default = "default_payload")]
    pub payload: Bytes,
    /// Bytes that every frame adds to its payload.
    #[serde(default = "default_headers")]
    pub headers: Bytes,
    /// Preamble and gap: bytes on the wire beyond the frame.
    #[serde(default = "default_wire_overhead")]
    pub wire_overhead: Bytes,
    /// Rate of each flow on the wire. Left out, all packets are handed to the adapter at once.
    #[serde(default)]
    pub rate: Option<Rate>,
}

/// Where flows come from.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Workload {
    /// Flows at exponential intervals between random hosts, at a stated load.
    Poisson(Poisson),
    /// Flows without end between named hosts.
    LongLived(LongLived),
    /// Many senders to one receiver at once, again and again.
    Incast(Incast),
    /// Every host sends to one other and receives from one other: a random derangement.
    Permutation(Permutation),
    /// Flows read from a CSV: `source,destination,size_bytes,start_ns,priority`.
    Trace(Trace),
}

/// Flow sizes.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Sizes {
    /// A name from `xoff list sizes`, or a CSV file with columns `size_bytes,cumulative_probability`.
    Named(String),
    /// Every flow alike.
    Fixed {
        /// Bytes of every flow.
        fixed: Bytes,
    },
}

/// Which capacity a load is a share of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadOf {
    /// All links from leaves up to spines, or the middle link of a dumbbell; only traffic that crosses them counts.
    Core,
    /// The links of all hosts.
    Host,
}

/// Which bytes of a flow count towards a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadCounts {
    /// Application bytes.
    Payload,
    /// Application bytes and headers.
    #[default]
    Frame,
    /// Frames with preamble and gap.
    Wire,
}

/// Between which hosts random flows run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Between {
    /// Any two hosts.
    #[default]
    Hosts,
    /// Hosts of different racks.
    Racks,
}

/// Flows at exponential intervals between random hosts, at a stated load.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Poisson {
    /// Name of the transport.
    pub transport: String,
    /// Flow sizes.
    pub sizes: Sizes,
    /// Offered load as a share of a capacity, above 0 and at most 1.
    pub load: f64,
    /// Which capacity the load is a share of.
    pub of: LoadOf,
    /// Which bytes of a flow count towards the load.
    #[serde(default)]
    pub load_counts: LoadCounts,
    /// Between which hosts.
    #[serde(default)]
    pub between: Between,
    /// Traffic class, 0 to 7.
    #[serde(default)]
    pub priority: u8,
    /// When arrivals begin.
    #[serde(default)]
    pub start: Span,
}

/// Flows without end between named hosts.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LongLived {
    /// Name of the transport.
    pub transport: String,
    /// Names of source and destination of each flow.
    pub pairs: Vec<[String; 2]>,
    /// Flows per pair.
    #[serde(default = "default_one")]
    pub flows_per_pair: u32,
    /// Traffic class, 0 to 7.
    #[serde(default)]
    pub priority: u8,
    /// When the first flow begins.
    #[serde(default)]
    pub start: Span,
    /// Time from one flow's start to the next.
    #[serde(default)]
    pub stagger: Span,
    /// Bytes of each flow. Left out, without end.
    #[serde(default)]
    pub size: Option<Bytes>,
}

/// Many senders to one receiver at once, again and again.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Incast {
    /// Name of the transport.
    pub transport: String,
    /// Senders of one group, all different and none the receiver.
    pub fan_in: u32,
    /// Bytes of each flow.
    pub size: Bytes,
    /// Name of the receiver. Left out, a random one for each group.
    #[serde(default)]
    pub receiver: Option<String>,
    /// Time from one group to the next.
    #[serde(default)]
    pub every: Option<Span>,
    /// Number of groups. Left out, they go on until arrivals end.
    #[serde(default)]
    pub groups: Option<u64>,
    /// Traffic class, 0 to 7.
    #[serde(default)]
    pub priority: u8,
    /// When the first group begins.
    #[serde(default)]
    pub start: Span,
}

/// Every host sends to one other and receives from one other: a random derangement.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Permutation {
    /// Name of the transport.
    pub transport: String,
    /// Bytes of each flow. Left out, without end.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// Traffic class, 0 to 7.
    #[serde(default)]
    pub priority: u8,
    /// When all flows begin.
    #[serde(default)]
    pub start: Span,
}

/// Flows read from a CSV: `source,destination,size_bytes,start_ns,priority`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Name of the transport.
    pub transport: String,
    /// The CSV file, relative to the scenario's folder.
    pub file: String,
}

fn default_one() -> u32 {
    1
}

/// What ends the run.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// No flow starts from here on; what has started is drained.
    #[serde(default)]
    pub arrivals_end: Option<Span>,
    /// Ends at the first check at which this many flows have finished.
    #[serde(default)]
    pub after_flows: Option<u64>,
    /// Ends at this time, whatever is still under way.
    #[serde(default)]
    pub at: Option<Span>,
    /// Time between checks of `after_flows`, and between reports of progress.
    #[serde(default = "default_period")]
    pub period: Span,
}

fn default_period() -> Span {
    Span::from_microseconds(100)
}

impl Default for Stop {
    fn default() -> Self {
        Self { arrivals_end: None, after_flows: None, at: None, period: default_period() }
    }
}

/// How results are grouped.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Flow sizes at which small ends and medium ends.
    #[serde(default = "default_size_classes")]
    pub size_classes: [Bytes; 2],
}

fn default_size_classes() -> [Bytes; 2] {
    [Bytes::new(100 * 1024), Bytes::new(10 * 1024 * 1024)]
}

impl Default for Measure {
    fn default() -> Self {
        Self { size_classes: default_size_classes() }
    }
}

/// What is recorded over time.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observe {
    /// Bytes in each queue of the named ports.
    #[serde(default)]
    pub queues: Option<ObserveOf>,
    /// Bits per second sent by the named ports.
    #[serde(default)]
    pub throughput: Option<ObserveOf>,
    /// Packets marked at the named ports.
    #[serde(default)]
    pub marks: Option<ObserveOf>,
    /// Packets dropped at the named ports.
    #[serde(default)]
    pub drops: Option<ObserveOf>,
    /// Window in bytes of the flows of the named hosts.
    #[serde(default)]
    pub windows: Option<ObserveOf>,
}

/// When and of what something is recorded.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObserveOf {
    /// A time between samples, or `"change"` to record every change.
    pub every: Every,
    /// Names or patterns: ports (`leaf0.port3`, `leaf0.*`), or hosts and flows (`host0`, `host0.flow3`) for windows.
    #[serde(default = "every_name")]
    pub of: Vec<String>,
}

fn every_name() -> Vec<String> {
    vec!["*".to_owned()]
}

/// When something is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// At multiples of this time.
    Span(Span),
    /// At every change.
    Change,
}
