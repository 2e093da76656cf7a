//! How a switch divides its memory, for whoever configures a real one like it.

use serde::Serialize;

/// The memory of a shared-memory switch; all sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SwitchMemory {
    /// Classes in use, lossless ones among them.
    pub classes: Vec<usize>,
    /// Its pools, each of lossy classes alone if a class is lossless.
    pub pools: Vec<PoolMemory>,
    /// For each lossy class of a port, beside pools.
    pub reserved_per_queue: u64,
    /// For all lossy classes of a port together, beside pools.
    pub reserved_per_port: u64,
    /// What lossless classes have, if there are any.
    pub lossless: Option<LosslessMemory>,
}

/// A shared pool, reserves not counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PoolMemory {
    /// How many ports share it.
    pub ports: usize,
    /// Its size.
    pub shared: u64,
    /// Up to what it holds no packet is marked for that, and above what all are; nothing if its marker has no such lengths.
    pub marked_between: Option<[u64; 2]>,
}

/// The memory of lossless classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LosslessMemory {
    /// Their pool, without reserves and headroom.
    pub shared: u64,
    /// For each class of a port, used before the pool.
    pub reserved: u64,
    /// How far below its pause a queue must be before its sender resumes.
    pub xon_offset: u64,
    /// All headroom together.
    pub headroom: u64,
    /// What one class of each port may have of it; of a port as a whole, where that pauses as a whole.
    pub headroom_of_ports: Vec<u64>,
}
