//! `recovery` of a RoCE transport: how it finds and repairs losses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Bytes, Span};

crate::tagged! {
    /// Ways in which RoCE finds and repairs losses.
    pub enum RoceRecovery by "kind" documented by type {
        go_back_n => GoBackN(GoBackN),
        selective_repeat => SelectiveRepeat(SelectiveRepeat),
    }
}

impl Default for RoceRecovery {
    fn default() -> Self {
        Self::GoBackN(GoBackN::default())
    }
}

/// The receiver drops what comes out of order and names the missing packet in a NACK; the sender starts again from there.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GoBackN {
    /// Least time from one NACK of a packet to the next of the same packet.
    pub nack_interval: Span,
    /// Retransmission timeout (4.096 us times two to the power of 14, as adapters are usually set).
    #[schemars(extend("x-above" = "0s"))]
    pub timeout: Span,
}

impl Default for GoBackN {
    fn default() -> Self {
        Self { nack_interval: Span::from_microseconds(500), timeout: Span::from_nanoseconds(4_096 << 14) }
    }
}

/// The receiver keeps what comes out of order and tells of it in NACKs; the sender repairs the gaps (IRN, SIGCOMM 2018). A timeout
/// repairs the first packet that is missing, and all gaps again.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SelectiveRepeat {
    /// Most bytes from the first that has not arrived to the last that is sent, whether those between have arrived or
    /// not. It is the bandwidth-delay product of the fabric [BDP-FC]. Where packets take several paths it is several
    /// of that, so that a late or lost packet does not stop those on other paths.
    #[schemars(extend("x-at-least" = "1B"))]
    pub window: Bytes,
    /// Retransmission timeout while few packets are in flight [`RTO_low`].
    #[schemars(extend("x-above" = "0s"))]
    pub timeout_low: Span,
    /// Retransmission timeout otherwise [`RTO_high`].
    #[schemars(extend("x-at-least-key" = "timeout_low"))]
    pub timeout_high: Span,
    /// Fewer packets than this are few [N].
    pub few_packets: u32,
    /// Packets behind a missing one that may arrive, beyond the first, before it counts as lost. IRN has none;
    /// packets that several paths bring out of order (`topology.routing`) need some.
    pub reordering: u32,
    /// Whether flows of lossless classes have timeouts too. IRN has none while PFC is on: there a packet is late and not lost.
    pub timeouts_with_pfc: bool,
}

impl Default for SelectiveRepeat {
    fn default() -> Self {
        Self {
            window: Bytes::new(100_000),
            timeout_low: Span::from_microseconds(100),
            timeout_high: Span::from_microseconds(320),
            few_packets: 3,
            reordering: 0,
            timeouts_with_pfc: false,
        }
    }
}
