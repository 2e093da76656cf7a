//! `[[workload]]`: where flows come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::application::schedule::{Algorithm, Operation};
use crate::kernel::units::{Bytes, Rate, Span};

crate::tagged! {
    /// Sources of flows.
    pub enum Workload by "kind" documented by type {
        poisson => Poisson(Poisson),
        long_lived => LongLived(LongLived),
        incast => Incast(Incast),
        permutation => Permutation(Permutation),
        trace => Trace(Trace),
        query => Query(Query),
        collective => Collective(Collective),
        job => Job(Job),
        driven => Driven(Driven),
    }
}

impl Workload {
    /// The name of its transport.
    pub fn transport(&self) -> &str {
        match self {
            Self::Poisson(workload) => &workload.transport,
            Self::LongLived(workload) => &workload.transport,
            Self::Incast(workload) => &workload.transport,
            Self::Permutation(workload) => &workload.transport,
            Self::Trace(workload) => &workload.transport,
            Self::Query(workload) => &workload.transport,
            Self::Collective(workload) => &workload.transport,
            Self::Job(workload) => &workload.transport,
            Self::Driven(workload) => &workload.transport,
        }
    }

    /// The traffic classes of its flows; nothing where they are part of each flow.
    pub fn priority(&self) -> Option<&Priority> {
        match self {
            Self::Poisson(workload) => Some(&workload.priority),
            Self::LongLived(workload) => Some(&workload.priority),
            Self::Incast(workload) => Some(&workload.priority),
            Self::Permutation(workload) => Some(&workload.priority),
            Self::Query(workload) => Some(&workload.priority),
            Self::Collective(workload) => Some(&workload.priority),
            Self::Driven(workload) => Some(&workload.priority),
            Self::Trace(_) | Self::Job(_) => None,
        }
    }

    /// Returns the earliest start of its first flow.
    pub fn start(&self) -> Span {
        match self {
            Self::Trace(_) | Self::Driven(_) => Span::ZERO,
            Self::Poisson(workload) => workload.start,
            Self::LongLived(workload) => workload.start,
            Self::Incast(workload) => workload.start,
            Self::Permutation(workload) => workload.start,
            Self::Query(workload) => workload.start,
            Self::Collective(workload) => workload.start,
            Self::Job(workload) => workload.start,
        }
    }

    /// Whether its flows have a last byte.
    pub(super) fn has_finite_flows(&self) -> bool {
        match self {
            Self::LongLived(workload) => workload.size.is_some() || workload.end.is_some(),
            Self::Permutation(workload) => workload.size.is_some(),
            Self::Poisson(_)
            | Self::Incast(_)
            | Self::Trace(_)
            | Self::Query(_)
            | Self::Collective(_)
            | Self::Job(_)
            | Self::Driven(_) => true,
        }
    }

    /// Whether new flows come as long as the run lasts.
    pub(super) fn arrives_for_ever(&self) -> bool {
        match self {
            Self::Poisson(_) => true,
            Self::Incast(workload) => workload.groups.is_none(),
            Self::Query(workload) => workload.queries.is_none(),
            Self::LongLived(_)
            | Self::Permutation(_)
            | Self::Trace(_)
            | Self::Collective(_)
            | Self::Job(_)
            | Self::Driven(_) => false,
        }
    }
}

/// Flow sizes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Sizes {
    /// A name from `xoff list sizes`, or a file, whose name has a point or a slash: a CSV with columns
    /// `size_bytes,cumulative_probability`, or lines of a size and a percentage as in the HPCC family.
    Named(String),
    /// Every flow alike.
    Fixed {
        /// Bytes of every flow.
        #[schemars(extend("x-at-least" = "1B"))]
        fixed: Bytes,
    },
}

/// Traffic classes of flows.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Priority {
    /// The class of every flow.
    Same(#[schemars(extend("maximum" = 7))] u8),
    /// Classes of which each flow draws one, all equally likely.
    Drawn(#[schemars(extend("minItems" = 1), inner(range(max = 7)))] Vec<u8>),
}

impl Priority {
    /// Every class that a flow may have.
    pub fn all(&self) -> &[u8] {
        match self {
            Self::Same(class) => std::slice::from_ref(class),
            Self::Drawn(classes) => classes,
        }
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self::Same(0)
    }
}

/// Capacities that a load is a share of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadOf {
    /// All links from the switches that hosts hang on (leaves, ToRs) up to other switches; only traffic that crosses
    /// them counts. Of a dumbbell it is the middle link, the way that has more to carry for its rate; of a fabric the
    /// links between supernodes, both ways.
    Core,
    /// The links of all hosts, where all send and receive; the slower way, if rates differ.
    Host,
    /// The links of the hosts that may send, from them.
    Senders,
    /// The links of the hosts that may receive, to them.
    Receivers,
}

/// Bytes of a flow that count towards a load, each as its share of a full packet: flows of small packets are a larger
/// load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadCounts {
    /// Application bytes.
    Payload,
    /// Application bytes and the headers of full packets, without telemetry.
    #[default]
    Frame,
    /// Application bytes and the headers of full packets, with preamble and gap.
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
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Poisson {
    /// Name of the transport.
    pub transport: String,
    /// Flow sizes.
    pub sizes: Sizes,
    /// Offered load as a share of a capacity.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub load: f64,
    /// Capacity that the load is a share of.
    pub of: LoadOf,
    /// Bytes of a flow that count towards the load; headers count as those of full packets, however small the flow.
    #[serde(default)]
    pub load_counts: LoadCounts,
    /// Hosts that send, by name or by the name of their switch, with `*` and `?`. Left out, all that have a receiver.
    #[serde(default)]
    #[schemars(extend("minItems" = 1))]
    pub senders: Option<Vec<String>>,
    /// Hosts that receive, named in the same way. Left out, all.
    #[serde(default)]
    #[schemars(extend("minItems" = 1))]
    pub receivers: Option<Vec<String>>,
    /// Between which of them.
    #[serde(default)]
    pub between: Between,
    /// Flows that start at once, from one sender to one receiver.
    #[serde(default = "default_one")]
    #[schemars(extend("minimum" = 1))]
    pub batch: u32,
    /// Traffic class, 0 to 7, or a list of which each flow draws one.
    #[serde(default)]
    pub priority: Priority,
    /// Time at which arrivals begin.
    #[serde(default)]
    pub start: Span,
}

/// Flows without end between named hosts.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LongLived {
    /// Name of the transport.
    pub transport: String,
    /// Names of source and destination of each flow.
    #[schemars(extend("minItems" = 1))]
    pub pairs: Vec<[String; 2]>,
    /// Flows per pair.
    #[serde(default = "default_one")]
    #[schemars(extend("minimum" = 1))]
    pub flows_per_pair: u32,
    /// Traffic class, 0 to 7, or a list of which each flow draws one.
    #[serde(default)]
    pub priority: Priority,
    /// Time at which the first flow begins, or from which on flows begin at random.
    #[serde(default)]
    pub start: Span,
    /// Time from one flow's start to the next.
    #[serde(default)]
    pub stagger: Span,
    /// Interval from `start` on in which each flow begins at a time of its own, all times equally likely; instead of
    /// `stagger`. Left out, no start is drawn.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub starts_within: Option<Span>,
    /// Bytes of each flow. Left out, without end.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub size: Option<Bytes>,
    /// Time at which every flow ends that has not sent its size before. With `tcp`, or `roce` on a queue pair of its
    /// own, it then sends one more packet, and with `constant_rate` and a `rate` none. Left out, there is no such
    /// time.
    #[serde(default)]
    pub end: Option<Span>,
}

/// Number of senders of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FanIn {
    /// One number for every group.
    Same(#[schemars(extend("minimum" = 1))] u32),
    /// The least and the most, between which each group draws its own, all equally likely.
    Drawn(#[schemars(extend("x-increasing" = true), inner(range(min = 1)))] [u32; 2]),
}

/// Many senders to one receiver at once, again and again; of several receivers each group draws one.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Incast {
    /// Name of the transport.
    pub transport: String,
    /// Senders of one group, all different and none the receiver; or the least and the most of them.
    pub fan_in: FanIn,
    /// Flows of one group: each sender has equally many, and what is left over goes to some of them at random. Left out,
    /// one for each sender.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    pub flows: Option<u32>,
    /// Bytes of each flow.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub size: Option<Bytes>,
    /// Sizes of which each flow draws its own, instead of `size`.
    #[serde(default)]
    pub sizes: Option<Sizes>,
    /// Hosts that send, by name or by the name of their switch, with `*` and `?`. Left out, all.
    #[serde(default)]
    #[schemars(extend("minItems" = 1))]
    pub senders: Option<Vec<String>>,
    /// Hosts that receive, named in the same way. Left out, all.
    #[serde(default)]
    #[schemars(extend("minItems" = 1))]
    pub receivers: Option<Vec<String>>,
    /// Between which of them.
    #[serde(default)]
    pub between: Between,
    /// Time from one group to the next.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub every: Option<Span>,
    /// Offered load as a share of a capacity, instead of `every`: groups come at exponential intervals.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub load: Option<f64>,
    /// Capacity that the load is a share of.
    #[serde(default)]
    pub of: Option<LoadOf>,
    /// Bytes of a flow that count towards the load; headers count as those of full packets, however small the flow.
    /// Left out, those of frames.
    #[serde(default)]
    pub load_counts: Option<LoadCounts>,
    /// Number of groups. Left out, they go on until arrivals end.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    pub groups: Option<u64>,
    /// Traffic class, 0 to 7, or a list of which each flow draws one.
    #[serde(default)]
    pub priority: Priority,
    /// Time at which the first group begins, or with a load at which arrivals do.
    #[serde(default)]
    pub start: Span,
}

/// Every host sends to one other and receives from one other: a random derangement, or a shift by so many hosts.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Permutation {
    /// Name of the transport.
    pub transport: String,
    /// Bytes of each flow. Left out, without end.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub size: Option<Bytes>,
    /// Number of hosts from each sender to its receiver, in their order and from the last on to the first: host i sends
    /// to host (i + shift) mod hosts. Left out, receivers are drawn at random.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    pub shift: Option<u32>,
    /// Traffic class, 0 to 7, or a list of which each flow draws one.
    #[serde(default)]
    pub priority: Priority,
    /// Time at which all flows begin.
    #[serde(default)]
    pub start: Span,
}

/// Flows read from a CSV: `source,destination,size_bytes,start_ns,priority`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Name of the transport.
    pub transport: String,
    /// The CSV file, relative to the scenario's folder.
    pub file: String,
}

/// Aggregators ask workers, and a query is complete with the last response; a fetch is a query of one worker. A class is drawn
/// for each query, not for each of its flows.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Name of the transport of requests and responses.
    pub transport: String,
    /// Hosts that ask, by name or by the name of their switch, with `*` and `?`. Left out, all.
    #[serde(default)]
    #[schemars(extend("minItems" = 1))]
    pub aggregators: Option<Vec<String>>,
    /// Hosts that answer, named in the same way. Left out, all.
    #[serde(default)]
    #[schemars(extend("minItems" = 1))]
    pub workers: Option<Vec<String>>,
    /// Workers of one query, drawn at random from those that are not the aggregator. Left out, all of them.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    pub fan_in: Option<u32>,
    /// Bytes of each request.
    #[serde(default = "default_request")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub request: Bytes,
    /// Bytes of each response.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub response: Option<Bytes>,
    /// Bytes of all responses of one query together, in equal parts, instead of `response`.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub response_total: Option<Bytes>,
    /// A worker waits for up to this long before it answers, all times equally likely.
    #[serde(default)]
    pub jitter: Span,
    /// After which a query is late. Left out, none is.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub deadline: Option<Span>,
    /// Queries of each aggregator. Left out, they go on until arrivals end.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    pub queries: Option<u64>,
    /// Time from one query of an aggregator to its next, complete or not. Left out, each begins when the one before is complete.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub every: Option<Span>,
    /// Mean time from one query of an aggregator to its next, complete or not, at exponential intervals, instead of `every`.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub mean_interval: Option<Span>,
    /// Traffic class, 0 to 7, or a list of which each flow draws one.
    #[serde(default)]
    pub priority: Priority,
    /// Time at which the first query begins, or with a mean interval at which arrivals do.
    #[serde(default)]
    pub start: Span,
}

/// In which order hosts have their ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RankOrder {
    /// As they are named, those that one pattern matches by their number.
    #[default]
    Listed,
    /// Drawn at random, once.
    Random,
    /// Hosts of one server behind one another, each server where its first host is named. It needs `[scale_up]`.
    ByServer,
}

/// All ranks of a group together, step by step: a rank begins a step when it has received all of the one before. Where pairs
/// exchange (`halving_doubling`, `pairwise`) or parts differ (`shares`, `matrix`), all that it sent must be acknowledged, too. Each
/// part is a flow; over RoCE with `connections = "persistent"` those to a rank go one after another, as they do in a training job.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collective {
    /// Name of the transport.
    pub transport: String,
    /// Operation: what the ranks have together when it is complete.
    pub operation: Operation,
    /// By which steps. Left out, `ring`, and for `all_to_all` `direct`.
    #[serde(default)]
    pub algorithm: Option<Algorithm>,
    /// Bytes that a rank begins with or, if it gathers, ends with (S).
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub size: Option<Bytes>,
    /// Shares of the ranks of a group in what each rank of an `all_to_all` sends, as whole numbers: `[4, 1, 1, 1]` sends
    /// 4/7 of every rank's bytes to the first. What a rank has for itself stays there. Left out, all get as much.
    #[serde(default)]
    #[schemars(extend("minItems" = 2))]
    pub shares: Option<Vec<u32>>,
    /// CSV file without a header, relative to the scenario's folder, with the bytes that the ranks of a group have for
    /// one another in an `all_to_all`, instead of `size`: a row for each sender, in it a whole number for each receiver.
    /// What a rank has for itself stays there.
    #[serde(default)]
    pub matrix: Option<String>,
    /// Hosts in order of their rank, by name or by the name of their switch, with `*` and `?`. Left out, all.
    #[serde(default)]
    #[schemars(extend("minItems" = 1))]
    pub ranks: Option<Vec<String>>,
    /// In which order they have their ranks.
    #[serde(default)]
    pub order: RankOrder,
    /// Ranks of one group, of which each so many that follow one another are one, which does its collectives by itself (N). Left
    /// out, all ranks are one group.
    #[serde(default)]
    #[schemars(extend("minimum" = 2))]
    pub group_size: Option<u32>,
    /// Collectives of each group, one after another, whenever arrivals end.
    #[serde(default = "default_one")]
    #[schemars(extend("minimum" = 1))]
    pub iterations: u32,
    /// Time that a rank computes between two collectives.
    #[serde(default)]
    pub compute: Span,
    /// Ranks that are later than others. A rank that several entries name is late by their sum.
    #[serde(default)]
    pub stragglers: Vec<Stragglers>,
    /// Into how many flows each part is divided, which are sent side by side, as over several queue pairs
    /// (`NCCL_IB_SPLIT_DATA_ON_QPS`). With `connections = "persistent"`, as many as its transport has `queue_pairs`.
    #[serde(default = "default_one")]
    #[schemars(extend("minimum" = 1, "maximum" = 128))]
    pub flows_per_part: u32,
    /// Traffic class, 0 to 7, or a list of which each flow draws one.
    #[serde(default)]
    pub priority: Priority,
    /// Time at which the first collective begins.
    #[serde(default)]
    pub start: Span,
}

/// Ranks that are later than others.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stragglers {
    /// Hosts of the ranks, by name or by the name of their switch, with `*` and `?`.
    #[serde(default)]
    #[schemars(extend("minItems" = 1))]
    pub ranks: Option<Vec<String>>,
    /// Number of ranks, of all groups together, drawn at random once, instead of `ranks`.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    pub drawn: Option<u32>,
    /// Time by which they begin their first collective later.
    #[serde(default)]
    pub late: Span,
    /// Time that they compute longer between two collectives.
    #[serde(default)]
    pub compute: Span,
}

/// Flows that wait for one another, as those of a training job do, read from a CSV:
/// `flow,source,destination,size_bytes,priority,after,delay_ns`. A flow begins `delay_ns` after all flows in its
/// `after`, separated by spaces, are done. A flow to its source is done once it is received whole, a flow from its
/// source once it is acknowledged. With two more columns, `compute_ns,stream`, rows may be operations of another kind. A
/// row with `compute_ns` and without a destination keeps a stream of its source for that time; the operations of one
/// stream run one after another, those first that are ready first. A row whose destination is its source hands its bytes
/// on within the host, without the network; with `size_bytes` 0 it only joins what it waits for.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Name of the transport.
    pub transport: String,
    /// The CSV file, relative to the scenario's folder.
    pub file: String,
    /// Rate at which a host hands bytes to itself, each such operation by itself. Left out, that takes no time.
    #[serde(default)]
    pub local_rate: Option<Rate>,
    /// Time at which the job begins, whenever arrivals end.
    #[serde(default)]
    pub start: Span,
}

/// Messages that a program sends while the scenario runs, through `xoff.Simulation` in Python or through the C
/// interface. Each is a flow. `xoff run` has no such program, and refuses it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Driven {
    /// Name of the transport.
    pub transport: String,
    /// Traffic class, 0 to 7, or a list of those that a message may have, of which the first is the class of a message
    /// that names none.
    #[serde(default)]
    pub priority: Priority,
}

fn default_request() -> Bytes {
    Bytes::new(1600)
}

fn default_one() -> u32 {
    1
}
