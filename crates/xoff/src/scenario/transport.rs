//! `[transport.NAME]`: how flows are cut into packets, acknowledged and controlled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::congestion_control;
use crate::kernel::units::{Bytes, Rate, Span};

crate::tagged! {
    /// How flows are cut into packets, acknowledged and controlled.
    pub enum Transport by "kind" documented by type {
        tcp => Tcp(Tcp),
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
            Self::Tcp(Tcp { payload, headers, wire_overhead, .. })
            | Self::ConstantRate(ConstantRate { payload, headers, wire_overhead, .. }) => {
                PacketSizes { payload: *payload, headers: *headers, wire_overhead: *wire_overhead }
            }
        }
    }
}

/// A byte stream with acknowledgements, retransmission and a congestion control.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// Application bytes of a full segment.
    #[serde(default = "default_payload")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub payload: Bytes,
    /// Bytes that every data frame adds to its payload: Ethernet 14 + IP 20 + TCP 20 + FCS 4.
    #[serde(default = "default_headers")]
    pub headers: Bytes,
    /// Preamble and gap: bytes on the wire beyond the frame.
    #[serde(default = "default_wire_overhead")]
    pub wire_overhead: Bytes,
    /// Frame of an acknowledgement.
    #[serde(default = "default_acknowledgement")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub acknowledgement: Bytes,
    /// Decides the window.
    pub congestion_control: congestion_control::Parameters,
    /// How losses are found and repaired.
    #[serde(default)]
    pub recovery: Recovery,
    /// First window, in segments (RFC 6928).
    #[serde(default = "default_initial_window")]
    #[schemars(extend("minimum" = 1))]
    pub initial_window: u32,
    /// Largest window. Left out, there is none.
    #[serde(default)]
    #[schemars(extend("x-at-least-key" = "payload"))]
    pub maximum_window: Option<Bytes>,
    /// Least retransmission timeout.
    #[serde(default = "default_minimum_rto")]
    #[schemars(extend("x-above" = "0s"))]
    pub minimum_rto: Span,
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
    /// A delayed acknowledgement waits no longer than this.
    #[serde(default = "default_acknowledge_timeout")]
    #[schemars(extend("x-above" = "0s"))]
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
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantRate {
    /// Application bytes of a full packet.
    #[serde(default = "default_payload")]
    #[schemars(extend("x-at-least" = "1B"))]
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
