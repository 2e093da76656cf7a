//! `[[workload]]`: where flows come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Bytes, Span};

crate::tagged! {
    /// Where flows come from.
    pub enum Workload by "kind" documented by type {
        poisson => Poisson(Poisson),
        long_lived => LongLived(LongLived),
        incast => Incast(Incast),
        permutation => Permutation(Permutation),
        trace => Trace(Trace),
    }
}

/// Flow sizes.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Sizes {
    /// A name from `xoff list sizes`, or a CSV file with columns `size_bytes,cumulative_probability`.
    Named(String),
    /// Every flow alike.
    Fixed {
        /// Bytes of every flow.
        #[schemars(extend("x-at-least" = "1B"))]
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
    #[schemars(extend("maximum" = 7))]
    pub priority: u8,
    /// When arrivals begin.
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
    /// Traffic class, 0 to 7.
    #[serde(default)]
    #[schemars(extend("maximum" = 7))]
    pub priority: u8,
    /// When the first flow begins.
    #[serde(default)]
    pub start: Span,
    /// Time from one flow's start to the next.
    #[serde(default)]
    pub stagger: Span,
    /// Bytes of each flow. Left out, without end.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub size: Option<Bytes>,
}

/// Many senders to one receiver at once, again and again.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Incast {
    /// Name of the transport.
    pub transport: String,
    /// Senders of one group, all different and none the receiver.
    #[schemars(extend("minimum" = 1))]
    pub fan_in: u32,
    /// Bytes of each flow.
    #[schemars(extend("x-at-least" = "1B"))]
    pub size: Bytes,
    /// Name of the receiver. Left out, a random one for each group.
    #[serde(default)]
    pub receiver: Option<String>,
    /// Time from one group to the next.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub every: Option<Span>,
    /// Number of groups. Left out, they go on until arrivals end.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    pub groups: Option<u64>,
    /// Traffic class, 0 to 7.
    #[serde(default)]
    #[schemars(extend("maximum" = 7))]
    pub priority: u8,
    /// When the first group begins.
    #[serde(default)]
    pub start: Span,
}

/// Every host sends to one other and receives from one other: a random derangement.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Permutation {
    /// Name of the transport.
    pub transport: String,
    /// Bytes of each flow. Left out, without end.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub size: Option<Bytes>,
    /// Traffic class, 0 to 7.
    #[serde(default)]
    #[schemars(extend("maximum" = 7))]
    pub priority: u8,
    /// When all flows begin.
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

fn default_one() -> u32 {
    1
}
