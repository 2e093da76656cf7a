//! `[measure]` and `[observe]`: what results are of, how they are grouped, and what is recorded over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Bytes, Span, Time};

/// Measured time, and grouping of results.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Begin of the measured time; flows that start before warm the network up. Completion times are of the flows,
    /// queries and collectives that start in the measured time. Goodputs are of bytes received in it, and statistics
    /// of `observed` of values recorded in it. Packets, pauses and the tables of `[observe]` are of the whole run.
    #[serde(default)]
    pub start: Span,
    /// End of the measured time. Flows that start from here on keep the load up while those before finish. Left out,
    /// the end of the run.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub end: Option<Span>,
    /// Flow sizes at which small ends and medium ends.
    #[serde(default = "default_size_classes")]
    #[schemars(extend("x-increasing" = true))]
    pub size_classes: [Bytes; 2],
}

fn default_size_classes() -> [Bytes; 2] {
    [Bytes::new(100 * 1024), Bytes::new(10 * 1024 * 1024)]
}

impl Default for Measure {
    fn default() -> Self {
        Self { start: Span::ZERO, end: None, size_classes: default_size_classes() }
    }
}

impl Measure {
    /// Returns begin and end of the measured time; `Time::MAX` where nothing but the run ends it.
    pub fn time(&self) -> [Time; 2] {
        [Time::ZERO + self.start, self.end.map_or(Time::MAX, |end| Time::ZERO + end)]
    }

    /// Whether what starts then counts.
    pub fn counts(&self, start: Time) -> bool {
        let [from, until] = self.time();
        (from..until).contains(&start)
    }
}

/// Records over time.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Observe {
    /// Memory that all records of a run may take together, while it lasts. Once they are larger, recording ends and the run
    /// goes on. The tables made of them take about as much again.
    #[schemars(extend("x-at-least" = "1B"))]
    pub memory: Bytes,
    /// Bytes in each queue of the named ports.
    pub queues: Option<ObserveOf>,
    /// Bytes in each shared pool of the named switches, what is in reserves not counted: `leaf0.pool0`, and `leaf0.lossless_pool` of lossless classes, without headroom.
    pub pools: Option<ObserveOf>,
    /// Bits per second sent by the named ports.
    pub throughput: Option<ObserveOf>,
    /// Bits per second of each traffic class sent by the named ports, pause frames apart.
    pub class_throughput: Option<ObserveOf>,
    /// Packets of each traffic class marked at the named ports, or at an input on their way there.
    pub marks: Option<ObserveOf>,
    /// Pauses (PFC): sender and receiver, time, duration and cause of each.
    pub pauses: bool,
    /// Local maxima of each switch's headroom in use, and what came and went while senders were told to pause.
    pub headroom: bool,
    /// Packets of each traffic class dropped at the named ports; on change each of them, with why and whose (`drops.parquet`).
    pub drops: Option<ObserveOf>,
    /// Flows of which every packet is recorded at every port that it comes to, with its acknowledgements (`packets.parquet`): of
    /// all of a host (`host0`), or one (`host0.flow3`). `xoff why` records those that it asks about by itself.
    pub packets: Vec<String>,
    /// Window in bytes of the flows of the named hosts.
    pub windows: Option<ObserveOf>,
    /// Running share of marked bytes that the DCTCP of each flow of the named hosts keeps [alpha].
    pub alphas: Option<ObserveOf>,
    /// Slow-start threshold in bytes of the TCP flows of the named hosts, each from its first reduction on [ssthresh].
    pub thresholds: Option<ObserveOf>,
    /// Smoothed round-trip time in nanoseconds of the TCP flows of the named hosts, each from its first sample on [SRTT].
    pub rtts: Option<ObserveOf>,
    /// State in which each TCP flow of the named hosts repairs losses, by its number in Linux: 0 open, 2 reducing after an echo [CWR], 3 recovery, 4 loss.
    pub recovery_states: Option<ObserveOf>,
    /// Bits per second that congestion controls and rate limiters (QCN) allow the flows of the named hosts; where they decide
    /// none, those of the link.
    pub rates: Option<ObserveOf>,
    /// Bits per second that each flow of the named hosts puts on the wire at its adapter's exit, preamble and gap included.
    pub flow_throughput: Option<ObserveOf>,
    /// Congestion notification messages (QCN) that reach the named hosts, by flow: on change each with its quantised feedback,
    /// 1 to 63, at an interval how many.
    pub cnms: Option<ObserveOf>,
    /// Bytes in the input buffers of the named ports of cioq switches, by class and by flow, in whole units.
    pub inputs: Option<ObserveOf>,
}

impl Default for Observe {
    fn default() -> Self {
        Self {
            memory: Bytes::new(1_000_000_000),
            pauses: false,
            headroom: false,
            packets: Vec::new(),
            queues: None,
            pools: None,
            throughput: None,
            class_throughput: None,
            marks: None,
            drops: None,
            windows: None,
            alphas: None,
            thresholds: None,
            rtts: None,
            recovery_states: None,
            rates: None,
            flow_throughput: None,
            cnms: None,
            inputs: None,
        }
    }
}

/// Places and times of a record.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObserveOf {
    /// A time between samples, or `"change"` to record every change of queues, windows and rates, and each mark, drop and
    /// CNM. Other quantities have no record of changes.
    pub every: Every,
    /// Names or patterns: ports (`leaf0.port3`, `leaf0.*`), pools (`leaf0.pool1`), or for what is of flows hosts and flows
    /// (`host0`, `host0.flow3`).
    #[serde(default = "every_name")]
    #[schemars(extend("minItems" = 1))]
    pub of: Vec<String>,
}

fn every_name() -> Vec<String> {
    vec!["*".to_owned()]
}

/// Times of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// Record at multiples of this time.
    Span(Span),
    /// At every change.
    Change,
}
