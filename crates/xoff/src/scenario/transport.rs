//! `[transport.NAME]`: how flows are cut into packets, acknowledged and controlled.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RoceRecovery, presets};
use crate::congestion_control::{self, Echo, Granting, Growth, Needs, WindowUnit};
use crate::kernel::units::{Bytes, Rate, Span};
use crate::spraying;

crate::tagged! {
    /// Transports, which cut flows into packets, acknowledge and control them.
    pub enum Transport by "kind" documented by type {
        tcp => Tcp(Tcp),
        roce => Roce(Roce),
        constant_rate => ConstantRate(ConstantRate),
    }
}

/// Sizes of a transport's data packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketSizes {
    /// Application bytes of a full packet.
    pub payload: Bytes,
    /// Bytes that every frame adds to its payload.
    pub headers: Bytes,
    /// Bytes on the wire beyond the frame.
    pub wire_overhead: Bytes,
}

impl Transport {
    /// The sizes of its data packets.
    pub fn packet_sizes(&self) -> PacketSizes {
        match self {
            Self::Roce(roce) => PacketSizes {
                payload: roce.payload,
                headers: roce.packet_headers(),
                wire_overhead: roce.wire_overhead,
            },
            Self::Tcp(Tcp { payload, headers, wire_overhead, .. })
            | Self::ConstantRate(ConstantRate { payload, headers, wire_overhead, .. }) => {
                PacketSizes { payload: *payload, headers: *headers, wire_overhead: *wire_overhead }
            }
        }
    }

    /// From the smallest frame it sends to the largest.
    pub fn frames(&self) -> RangeInclusive<Bytes> {
        let PacketSizes { payload, headers, .. } = self.packet_sizes();
        let (least, most) = (headers.saturating_add(Bytes::new(1)), payload.saturating_add(headers));
        match self {
            Self::Tcp(tcp) => least.min(tcp.acknowledgement)..=most.max(tcp.acknowledgement),
            Self::Roce(roce) => {
                let acknowledgement = roce.acknowledgement_frame();
                let cnp = if roce.cnp == Bytes::ZERO { acknowledgement } else { roce.cnp };
                let credit = self.granting().map_or(cnp, |granting| granting.frame);
                let others = [acknowledgement, cnp, credit];
                others.into_iter().fold(least, Bytes::min)..=others.into_iter().fold(most, Bytes::max)
            }
            Self::ConstantRate(_) => least..=most,
        }
    }

    /// The largest frame it sends.
    pub fn largest_frame(&self) -> Bytes {
        *self.frames().end()
    }

    /// Returns the algorithm that decides windows or rates, if there is one.
    pub fn congestion_control(&self) -> Option<&congestion_control::Parameters> {
        match self {
            Self::Tcp(tcp) => Some(&tcp.congestion_control),
            Self::Roce(roce) => roce.congestion_control.as_ref(),
            Self::ConstantRate(_) => None,
        }
    }

    /// Whether switches may mark its data packets.
    pub fn is_ecn_capable(&self) -> bool {
        let by_marks = self.goes_by_marks().is_some();
        match self {
            Self::Roce(roce) => roce.ecn_capable.unwrap_or(by_marks),
            Self::Tcp(_) | Self::ConstantRate(_) => by_marks,
        }
    }

    /// Returns how receivers give flows credit, if they do.
    pub fn granting(&self) -> Option<Granting> {
        self.congestion_control().and_then(congestion_control::Parameters::granting)
    }

    /// Of how many packets one is acknowledged; nothing where none is.
    pub fn acknowledge_every(&self) -> Option<u32> {
        match self {
            Self::Tcp(tcp) => Some(tcp.acknowledge_every),
            Self::Roce(roce) => Some(roce.acknowledge_every),
            Self::ConstantRate(_) => None,
        }
    }

    /// Bytes that every data frame has for telemetry.
    pub fn telemetry(&self) -> Bytes {
        match self {
            Self::Roce(roce) => roce.telemetry_in_frame(),
            Self::Tcp(_) | Self::ConstantRate(_) => Bytes::ZERO,
        }
    }

    /// The longest that it waits before it first sends something again, if it ever does.
    pub fn first_timeout(&self) -> Option<Span> {
        match self {
            Self::Tcp(tcp) => Some(tcp.minimum_rto.max(tcp.initial_rto.unwrap_or_default())),
            Self::Roce(roce) => Some(roce.first_timeout()),
            Self::ConstantRate(_) => None,
        }
    }

    /// Whether nothing of a lossless class is sent again after a time.
    pub fn relies_on_pfc(&self) -> bool {
        matches!(self, Self::Roce(Roce { recovery: RoceRecovery::SelectiveRepeat(recovery), .. }) if !recovery.timeouts_with_pfc)
    }

    /// Returns the name in scenarios of an algorithm that goes by marks, if one does.
    pub fn goes_by_marks(&self) -> Option<&'static str> {
        let control = self.congestion_control().filter(|control| control.needs().marks());
        let spraying = self.spraying().filter(|spraying| spraying.reads_marks());
        control.map(congestion_control::Parameters::spelling).or(spraying.map(spraying::Parameters::spelling))
    }

    /// Returns how senders choose paths packet by packet, if they do.
    pub fn spraying(&self) -> Option<&spraying::Parameters> {
        match self {
            Self::Roce(roce) => roce.spraying.as_ref(),
            Self::Tcp(_) | Self::ConstantRate(_) => None,
        }
    }

    /// Whether they do.
    pub fn is_sprayed(&self) -> bool {
        self.spraying().is_some()
    }

    /// Whether its receivers ask for what they miss packet by packet, so that switches may trim its data.
    pub fn understands_trimming(&self) -> bool {
        matches!(self, Self::Roce(Roce { recovery: RoceRecovery::SelectiveRepeat(_), .. }))
    }

    /// The classes of what its receivers send back, where these are not the flow's own, each with the key that says it.
    pub fn control_priorities(&self) -> impl Iterator<Item = (&'static str, u8)> {
        let roce = match self {
            Self::Roce(roce) => Some(roce),
            Self::Tcp(_) | Self::ConstantRate(_) => None,
        };
        let of_acknowledgements = roce.map(|roce| ("control_priority", roce.control_priority));
        let of_cnps = roce.and_then(|roce| Some(("cnp_priority", roce.cnp_priority?)));
        of_acknowledgements.into_iter().chain(of_cnps)
    }

    /// Whether the adapter carries it out, so that no delay of the host concerns it.
    pub fn is_in_adapter(&self) -> bool {
        matches!(self, Self::Roce(_))
    }

    /// Whether marks are answered by CNPs that are packets.
    pub fn sends_cnps(&self) -> bool {
        matches!(self, Self::Roce(roce) if roce.needs().has_cnps() && !roce.flags_cnps())
    }

    /// Whether the answer to a marked packet has a CNP as a flag.
    pub fn flags_cnps(&self) -> bool {
        matches!(self, Self::Roce(roce) if roce.flags_cnps())
    }
}

/// A byte stream with acknowledgements, retransmission and a congestion control.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = presets::describe)]
#[allow(clippy::struct_excessive_bools)] // each is a key of its own
pub struct Tcp {
    /// Source of the values that are left out.
    #[serde(default)]
    pub preset: Preset,
    /// Application bytes of a full segment.
    #[serde(default = "default_payload")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub payload: Bytes,
    /// Bytes that every data frame adds to its payload: Ethernet 14 + IP 20 + TCP 20 + FCS 4.
    /// Short frames are not padded to Ethernet's 64.
    #[serde(default = "default_headers")]
    pub headers: Bytes,
    /// Preamble and gap: bytes on the wire beyond the frame.
    #[serde(default = "default_wire_overhead")]
    pub wire_overhead: Bytes,
    /// Frame of an acknowledgement.
    #[serde(default = "default_acknowledgement")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub acknowledgement: Bytes,
    /// Algorithm that decides the window.
    pub congestion_control: congestion_control::Parameters,
    /// Detection and repair of losses.
    #[serde(default)]
    pub recovery: Recovery,
    /// Window from which a loss reduces.
    #[serde(default)]
    pub loss_reduces: LossReduces,
    /// Time over which a reduction takes effect.
    #[serde(default)]
    pub reduction: Reduces,
    /// Whether a flow that hears nothing for two smoothed round-trip times sends a segment to find out (RFC 8985, section
    /// 7). The loss of a tail is then repaired without a timeout. Takes effect with recovery by SACK or RACK alone.
    #[serde(default)]
    pub tail_loss_probe: bool,
    /// Whether a timeout is taken back that turns out to have been too early (F-RTO, RFC 5682).
    #[serde(default)]
    pub f_rto: bool,
    /// Amount by which an acknowledgement of several segments lets the window grow. Left out, `segments` where the host
    /// has `receive_offload`, else `acknowledgements`.
    #[serde(default)]
    pub growth: Option<Growth>,
    /// Unit in which the window grows and shrinks.
    #[serde(default)]
    pub window_unit: WindowUnit,
    /// Duplicate acknowledgements, or segments that have arrived beyond one that has not, that make a loss (RFC 5681; RFC 6675's
    /// `DupThresh`; Linux's `net.ipv4.tcp_reordering`). More where packets come by several ways (`topology.routing`).
    #[serde(default = "default_duplicate_threshold")]
    #[schemars(extend("minimum" = 1))]
    pub duplicate_threshold: u32,
    /// Whether flows between two hosts share connections.
    #[serde(default)]
    pub connections: Connections,
    /// First window, in segments (RFC 6928).
    #[serde(default = "default_initial_window")]
    #[schemars(extend("minimum" = 1))]
    pub initial_window: u32,
    /// Largest window. Left out, there is none.
    #[serde(default)]
    #[schemars(extend("x-at-least-key" = "payload"))]
    pub maximum_window: Option<Bytes>,
    /// Slow-start threshold before the first reduction [ssthresh]. Left out, slow start lasts until then.
    #[serde(default)]
    #[schemars(extend("x-at-least-key" = "payload"))]
    pub initial_threshold: Option<Bytes>,
    /// Least retransmission timeout.
    #[serde(default = "default_minimum_rto")]
    #[schemars(extend("x-above" = "0s"))]
    pub minimum_rto: Span,
    /// Part of the retransmission timeout that is at least `minimum_rto`.
    #[serde(default)]
    pub rto_floor: RtoFloor,
    /// Tick of the sender's clock (RFC 6298, section 2) [G]: timers expire on whole ticks, and probes and reordering timers wait
    /// for two more, as in Linux. At `0s` time is continuous.
    #[serde(default)]
    pub clock_granularity: Span,
    /// Retransmission timeout before the first round-trip sample. Left out, the minimum.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub initial_rto: Option<Span>,
    /// Largest retransmission timeout after back-off.
    #[serde(default = "default_maximum_rto")]
    #[schemars(extend("x-at-least-key" = "minimum_rto"))]
    pub maximum_rto: Span,
    /// In-order segments per acknowledgement: 1 acknowledges each, 2 is the usual delayed acknowledgement.
    #[serde(default = "default_acknowledge_every")]
    #[schemars(extend("minimum" = 1))]
    pub acknowledge_every: u32,
    /// Segments at the start of a flow that are each acknowledged at once, as delayed acknowledgements would slow the
    /// start (Linux: about 16).
    #[serde(default)]
    pub quick_acknowledgements: u32,
    /// Whether marks hurry acknowledgements (Linux since 4.18), as the sender's window may be very small. DCTCP's receiver
    /// acknowledges a packet at once whose mark differs from the last one's, after what was pending. That of RFC 3168
    /// acknowledges the first marked packet and the next at once. Both do so with a packet whose sender has reduced its window.
    #[serde(default)]
    pub quick_echo: bool,
    /// A delayed acknowledgement waits no longer than this; that of a flow's last segment, which pushes, does not wait.
    #[serde(default = "default_acknowledge_timeout")]
    #[schemars(extend("x-above" = "0s"))]
    pub acknowledge_timeout: Span,
    /// Whether every acknowledgement gives a round-trip sample, by the timestamp option (RFC 7323), whose 12 bytes are not
    /// added to the headers. Without it one segment at a time is timed, none that is sent again gives a sample, and a
    /// back-off lasts until the next sample (Karn; RFC 6298, sections 3 and 5).
    #[serde(default = "default_true")]
    pub timestamps: bool,
    /// Whether a persistent connection that was idle for longer than its retransmission timeout restarts from the initial
    /// window (RFC 5681, section 4.1).
    #[serde(default = "default_true")]
    pub slow_start_restart: bool,
    /// Window with which such a connection restarts.
    #[serde(default)]
    pub idle_restart: IdleRestart,
    /// Whether a connection is opened by its first flow: a SYN and its answer, each a frame of the size of an
    /// acknowledgement, go before the data. Otherwise all connections are open.
    #[serde(default)]
    pub handshake: bool,
    /// Packets that are ECN-capable, if the congestion control goes by marks.
    #[serde(default)]
    pub ecn_capable: EcnCapable,
}

fn default_true() -> bool {
    true
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
fn default_duplicate_threshold() -> u32 {
    3
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

/// Sources of whole sets of TCP's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = presets::list)]
pub enum Preset {
    /// TCP as simulators of papers have it: each key at its default.
    #[default]
    Paper,
    /// Linux 6.1
    Linux,
}

/// Packets that are ECN-capable, of a transport whose congestion control goes by marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EcnCapable {
    /// All, as Linux sends DCTCP's, lest marking drop acknowledgements.
    #[default]
    All,
    /// Data only, so that SYNs and acknowledgements are dropped where they would be marked (RFC 3168, section 6.1.4).
    Data,
}

/// Connections that flows run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Connections {
    /// A new one for each flow.
    #[default]
    PerFlow,
    /// The first free one to its destination, with the congestion control's state and the round-trip estimate that the
    /// flow before left; a new one where none is free. Switches hash each flow for itself all the same.
    Persistent,
}

/// Queue pairs that flows run on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueuePairs {
    /// A new one for each flow, beside those before.
    #[default]
    PerFlow,
    /// One to each destination for each class, or as many as `queue_pairs` says, on which flows are sent one after another in the order in which they start. It keeps its
    /// path and the state of its congestion control. Differs: flows recover losses each for itself, so that a loss in one does
    /// not hold back the next.
    Persistent,
}

/// Ways in which TCP finds and repairs losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// Selective acknowledgements (RFC 2018, RFC 6675).
    #[default]
    Sack,
    /// Selective acknowledgements and times of transmission (RFC 8985), as Linux does.
    Rack,
    /// Duplicate and partial acknowledgements (RFC 6582).
    NewReno,
    /// Duplicate acknowledgements alone: the first acknowledgement of new data ends a recovery (RFC 5681, section 3.2).
    Reno,
}

impl Recovery {
    /// Whether it goes by blocks of selective acknowledgements.
    pub fn reads_blocks(self) -> bool {
        matches!(self, Self::Sack | Self::Rack)
    }
}

/// Windows from which a loss reduces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LossReduces {
    /// Bytes sent and not acknowledged (RFC 5681, section 3.1, equation 4).
    #[default]
    FlightSize,
    /// The congestion window (Linux).
    Window,
}

/// Times over which a reduction of the window takes effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reduces {
    /// At once (RFC 5681; RFC 6675).
    #[default]
    AtOnce,
    /// Over the round trip that follows, in proportion to what arrives (RFC 6937), during which the window does not grow.
    /// An echo begins one, too (Linux's CWR state). Recoveries without blocks keep their rule.
    Proportionally,
}

/// Windows with which a connection restarts that was idle for longer than its retransmission timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdleRestart {
    /// The initial window, or the last if that is smaller (RFC 5681, section 4.1).
    #[default]
    InitialWindow,
    /// The last window, halved for each timeout that has passed, and not below the initial one (RFC 2861; Linux).
    Halving,
}

/// Parts of the retransmission timeout that are at least the minimum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RtoFloor {
    /// The whole of it (RFC 6298, section 2.4).
    #[default]
    Timeout,
    /// The part for its variation, which is added to the smoothed round-trip time (Linux).
    Variation,
}

/// Messages on queue pairs (RoCE v2), which the adapter sends packet by packet.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Roce {
    /// Application bytes of a full packet [path MTU].
    #[serde(default = "default_roce_payload")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub payload: Bytes,
    /// Bytes that every data frame adds to its payload: Ethernet 14 + IP 20 + UDP 8 + BTH 12 + ICRC 4 + FCS 4.
    /// Short frames are not padded to Ethernet's 64.
    #[serde(default = "default_roce_headers")]
    pub headers: Bytes,
    /// Preamble and gap: bytes on the wire beyond the frame.
    #[serde(default = "default_wire_overhead")]
    pub wire_overhead: Bytes,
    /// Frame of an ACK or a NACK: headers and an AETH of 4.
    #[serde(default = "default_roce_acknowledgement")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub acknowledgement: Bytes,
    /// Frame of a CNP: headers and 16 reserved. With `0B` no CNP is sent: the ACK or NACK of a marked packet carries it as a
    /// flag, as in HPCC's code. A marked packet without its own answer brings no CNP. That needs `cnp_interval = "0s"`, and no
    /// `cnp_priority`, `host.cnp_delay` or `host.cnp_spacing`.
    #[serde(default = "default_cnp")]
    pub cnp: Bytes,
    /// Traffic class of ACKs and NACKs, and of CNPs unless `cnp_priority` says otherwise, 0 to 7.
    #[serde(default = "default_control_priority")]
    #[schemars(extend("maximum" = 7))]
    pub control_priority: u8,
    /// Traffic class of CNPs, 0 to 7. Left out, that of ACKs.
    #[serde(default)]
    #[schemars(extend("maximum" = 7))]
    pub cnp_priority: Option<u8>,
    /// Decides the rate, the window or both. Left out, every queue pair sends as fast as the link.
    #[serde(default)]
    pub congestion_control: Option<congestion_control::Parameters>,
    /// Whether its data packets are ECN-capable (ECT). Others are dropped where they would be marked, those of lossless classes apart. Left
    /// out, they are if the congestion control goes by marks; one that does not takes no notice of them.
    #[serde(default)]
    pub ecn_capable: Option<bool>,
    /// Largest window: most bytes in flight from the first that is not acknowledged, whatever the congestion control says, such as the
    /// bandwidth-delay product (DCQCN+win and TIMELY+win of HPCC, SIGCOMM 2019). Left out, there is none.
    #[serde(default)]
    #[schemars(extend("x-at-least-key" = "payload"))]
    pub maximum_window: Option<Bytes>,
    /// Bytes that every data packet, and every ACK or NACK of one, has for what switches write, on all of its way and whatever
    /// they write. Only with a congestion control that needs telemetry. Left out, 42 B there: a count of 2 and 5 hops of 8.
    #[serde(default)]
    pub telemetry: Option<Bytes>,
    /// Detection and repair of losses.
    #[serde(default)]
    pub recovery: RoceRecovery,
    /// By which of all paths each packet goes, where switches route by ECMP: senders give it an entropy, which switches hash for the
    /// source port. CNPs of a flow take one path. Left out, all packets of it do.
    #[serde(default)]
    pub spraying: Option<spraying::Parameters>,
    /// Whether flows between two hosts share queue pairs.
    #[serde(default)]
    pub connections: QueuePairs,
    /// Queue pairs from one host to another for each class, with `connections = "persistent"`
    /// (`NCCL_IB_QPS_PER_CONNECTION`). Each has a path and a congestion control of its own. Flows go by them in turn,
    /// by their numbers at their source. Of flows that go to several hosts by turns, some queue pairs to one host may
    /// stay unused: collectives divide parts for that (`flows_per_part`).
    #[serde(default = "one_queue_pair")]
    #[schemars(extend("minimum" = 1, "maximum" = 128))]
    pub queue_pairs: u8,
    /// In-order packets per ACK. The last packet of a message is always acknowledged. Mark and entropy of the last packet are those
    /// that an ACK brings back.
    #[serde(default = "default_acknowledge_every")]
    #[schemars(extend("minimum" = 1))]
    pub acknowledge_every: u32,
}

impl Roce {
    /// Returns the signals that the congestion control must hear of.
    pub fn needs(&self) -> Needs {
        let needs = self.congestion_control.as_ref().map(congestion_control::Parameters::needs);
        needs.unwrap_or(Needs::Acknowledgements(Echo::None))
    }

    /// Whether the answer to a marked packet has a CNP as a flag.
    pub fn flags_cnps(&self) -> bool {
        self.cnp == Bytes::ZERO && self.needs().has_cnps()
    }

    /// Whether acknowledgements tell if their packet was marked.
    pub fn echoes_marks(&self) -> bool {
        self.flags_cnps()
            || self.needs().reads_echoes()
            || self.spraying.as_ref().is_some_and(spraying::Parameters::reads_marks)
    }

    /// Bytes that every data frame adds to its payload, those for telemetry included.
    pub fn packet_headers(&self) -> Bytes {
        self.headers + self.telemetry_in_frame()
    }

    /// Returns the bytes that a queue pair may have in flight whatever its congestion control says, if there is such
    /// a limit.
    pub fn most_in_flight(&self) -> Option<Bytes> {
        let of_recovery = match &self.recovery {
            RoceRecovery::SelectiveRepeat(settings) => Some(settings.window),
            RoceRecovery::GoBackN(_) => None,
        };
        of_recovery.into_iter().chain(self.maximum_window).min()
    }

    /// The longest that it waits before it first sends something again.
    pub fn first_timeout(&self) -> Span {
        match &self.recovery {
            RoceRecovery::GoBackN(settings) => settings.timeout,
            RoceRecovery::SelectiveRepeat(settings) => settings.timeout_high,
        }
    }

    /// Frame of an ACK or a NACK, with the telemetry that it takes back.
    pub fn acknowledgement_frame(&self) -> Bytes {
        self.acknowledgement + self.telemetry_in_frame()
    }

    fn telemetry_in_frame(&self) -> Bytes {
        match self.needs() {
            Needs::Telemetry { .. } => self.telemetry.unwrap_or(DEFAULT_TELEMETRY),
            Needs::Acknowledgements(_) | Needs::Cnps(_) | Needs::Delay { .. } | Needs::Credit => Bytes::ZERO,
        }
    }
}

/// As HPCC's code has it.
const DEFAULT_TELEMETRY: Bytes = Bytes::new(42);

fn default_roce_payload() -> Bytes {
    Bytes::new(1024)
}
fn default_roce_headers() -> Bytes {
    Bytes::new(62)
}
fn default_roce_acknowledgement() -> Bytes {
    Bytes::new(66)
}
fn default_cnp() -> Bytes {
    Bytes::new(78)
}
fn default_control_priority() -> u8 {
    7
}
fn one_queue_pair() -> u8 {
    1
}

/// Packets at a fixed rate, never acknowledged and never retransmitted.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantRate {
    /// Application bytes of a full packet.
    #[serde(default = "default_payload")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub payload: Bytes,
    /// Bytes that every frame adds to its payload. Short frames are not padded to Ethernet's 64.
    #[serde(default = "default_headers")]
    pub headers: Bytes,
    /// Preamble and gap: bytes on the wire beyond the frame.
    #[serde(default = "default_wire_overhead")]
    pub wire_overhead: Bytes,
    /// Rate of each flow on the wire. Left out, all packets are handed to the adapter at once.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Whether a flow sends faster after the adapter has held it back, until it has sent what its rate comes to. Otherwise
    /// that time is lost.
    #[serde(default = "default_true")]
    pub catch_up: bool,
}
