//! `[[switch]]`: settings of switches by name pattern, and what they come to for one switch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::Bytes;
use crate::switch::{buffer_policy, marking};

/// Settings of the switches whose name matches; keys left out keep what an earlier table or the default says.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marking {
    /// On the length of the packet's own queue.
    #[serde(default)]
    pub queue: Option<marking::Parameters>,
}

/// One switch's settings after every matching table has been applied.
#[derive(Clone, Debug, PartialEq)]
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
