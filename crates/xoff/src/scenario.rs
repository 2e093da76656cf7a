//! A scenario: everything that decides a run, as read from one TOML file.
//! These structs are the one source of the file format: the schema, `xoff explain` and the reference come from them.
//! Parsing opens no file and looks at no machine; what it accepts can be simulated.

mod absent;
pub(crate) mod changes;
mod chip;
mod cioq;
mod conform;
mod engine;
mod error;
mod explain;
mod files;
mod fluid;
mod host;
mod link_event;
mod overrides;
mod parse;
pub mod pattern;
mod pfc;
pub(crate) mod presets;
#[cfg(test)]
mod properties;
mod quantity;
mod record;
mod roce_recovery;
mod route;
mod scale_up;
mod schema;
mod slow_receiver;
mod stop;
mod switch;
mod topology;
mod transport;
mod validate;
mod words;
mod workload;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use self::words::is_line;
use crate::kernel::units::Bytes;

pub use self::chip::{Chip, NamedChip, chips};
pub use self::cioq::{CioqSettings, Queues};
pub use self::engine::{Engine, FastForward};
pub use self::error::{ErrorKind, ScenarioError};
pub use self::explain::{Choice, Explanation, Listing, explain, explain_scheme, keys, list};
pub use self::host::{Host, InterruptModeration};
pub use self::link_event::{LinkEvent, LinkState};
pub use self::pfc::{Class, ClassNumber, PauseForm, Pausing, PausingTable, Pfc, Watchdog, WatchdogAction};
pub use self::quantity::{MOST_BYTES, MOST_PICOSECONDS, NoQuantity, read_fraction, read_quantity};
pub use self::record::{Every, Measure, Observe, ObserveOf};
pub use self::roce_recovery::RoceRecovery;
pub use self::route::Route;
pub use self::scale_up::ScaleUp;
pub use self::schema::{fluid_schema, schema};
pub use self::slow_receiver::SlowReceiver;
pub use self::stop::Stop;
pub use self::switch::{
    Marking, Memory, PoolTable, PortMarking, Quirk, Release, Shaper, SwitchKind, SwitchSettings, SwitchTable,
    Trimming,
};
pub use self::topology::{
    Clos3, Custom, Dumbbell, Fabric, FatTree, FlowControl, InternalLink, LeafSpine, LinkBetween,
    LinkSettings, Routing, RoutingKind, Star, Topology,
};
pub use self::transport::{
    Connections, ConstantRate, EcnCapable, IdleRestart, LossReduces, PacketSizes, QueuePairs, Recovery,
    Reduces, Roce, RtoFloor, Tcp, Transport,
};
pub use self::workload::{
    Between, Collective, Driven, FanIn, Incast, Job, LoadCounts, LoadOf, LongLived, Permutation, Poisson,
    Priority, Query, RankOrder, Sizes, Stragglers, Trace, Workload,
};

/// A whole run: the network, its switches and hosts, the traffic, what ends it and what is recorded.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Name of the run in tables and reports.
    #[serde(default)]
    pub title: String,
    /// Seed of every random stream: the same scenario and seed give the same digest.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Nodes and links.
    pub topology: Topology,
    /// Servers of several hosts (GPUs), and what joins them there besides the fabric: `NVLink`, or another scale-up network. It is a
    /// switch in each server, `server0..`, and an adapter more in each host, `host0/scale_up`; what one host of a server sends to
    /// another goes that way, and nothing else. `poisson` and `incast` draw hosts of different servers; `permutation` and `query` any.
    #[serde(default)]
    pub scale_up: Option<ScaleUp>,
    /// Paths that switches take instead of the shortest.
    #[serde(default)]
    pub route: Vec<Route>,
    /// Settings of switches by name pattern; where several match, the later wins, key by key.
    #[serde(default)]
    pub switch: Vec<SwitchTable>,
    /// Traffic classes. Left out, all eight are there and may lose packets.
    #[serde(default)]
    pub class: Vec<Class>,
    /// Priority flow control of the links, where a class is lossless.
    #[serde(default)]
    pub pfc: Pfc,
    /// Delays and queues that every host adds around its transport.
    #[serde(default)]
    pub host: Host,
    /// One table per transport; a workload names the one it uses.
    #[serde(default)]
    pub transport: BTreeMap<String, Transport>,
    /// Traffic; several workloads run at once.
    #[schemars(extend("minItems" = 1))]
    pub workload: Vec<Workload>,
    /// Changes of links in the course of the run.
    #[serde(default)]
    pub link_event: Vec<LinkEvent>,
    /// Hosts whose adapters take in less than their links bring.
    #[serde(default)]
    pub slow_receiver: Vec<SlowReceiver>,
    /// Conditions that end the run. Left out, the run ends when every flow is done.
    #[serde(default)]
    pub stop: Stop,
    /// Way in which the run is carried out.
    #[serde(default)]
    pub engine: Option<Engine>,
    /// Grouping of results.
    #[serde(default)]
    pub measure: Measure,
    /// Records over time; without a key nothing is recorded.
    #[serde(default)]
    pub observe: Observe,
}

fn default_seed() -> u64 {
    1
}

impl Scenario {
    /// The largest frame any transport sends, acknowledgements included.
    pub fn largest_frame(&self) -> Bytes {
        self.transport.values().map(Transport::largest_frame).max().unwrap_or(Bytes::ZERO)
    }

    /// The largest packet of any transport as links carry it.
    pub fn largest_packet_on_wire(&self) -> Bytes {
        let on_wire =
            |transport: &Transport| transport.largest_frame() + transport.packet_sizes().wire_overhead;
        self.transport.values().map(on_wire).max().unwrap_or(Bytes::ZERO)
    }

    /// Whether switches balance load by packet or by flowlet, instead of keeping each flow on one
    /// path.
    pub fn balances_load(&self) -> bool {
        self.topology.routing().kind.balances_load()
    }

    /// Settings of fast-forward, if the run skips steady times.
    pub fn fast_forward(&self) -> Option<&FastForward> {
        self.engine.as_ref()?.fast_forward.as_ref()
    }

    /// Whether the sender of any transport sprays its packets over the paths.
    pub fn sprays(&self) -> bool {
        self.transport.values().any(Transport::is_sprayed)
    }
}
