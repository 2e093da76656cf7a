//! Division of a switch's memory, for tools that configure a real switch like it.

use serde::Serialize;

/// Memory of a shared-memory switch; all sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SwitchMemory {
    /// Classes in use, lossless ones among them.
    pub classes: Vec<usize>,
    /// Shared pools, each of lossy classes alone if a class is lossless.
    pub pools: Vec<PoolMemory>,
    /// Reserve of each lossy class of a port in bytes, outside all pools.
    pub reserved_per_queue: u64,
    /// Bytes for all lossy classes of a port together, beside pools.
    pub reserved_per_port: u64,
    /// Memory of lossless classes, if there are any.
    pub lossless: Option<LosslessMemory>,
}

/// A shared pool, reserves not counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PoolMemory {
    /// Number of ports that share the pool.
    pub ports: usize,
    /// Bytes of the pool.
    pub shared: u64,
    /// Bytes held up to which no packet is marked, and above which every packet is; `None` if its marker has no such
    /// lengths.
    pub marked_between: Option<[u64; 2]>,
}

/// Memory of lossless classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LosslessMemory {
    /// Bytes of the pool of lossless classes, without reserves and headroom.
    pub shared: u64,
    /// Bytes for each class of a port, used before the pool.
    pub reserved: u64,
    /// Bytes below a queue's pause threshold at which the queue lets its sender resume.
    pub xon_offset: u64,
    /// Bytes of all headroom together.
    pub headroom: u64,
    /// Bytes of headroom that one class of each port may have; or a port as a whole, where ports pause as a whole.
    pub headroom_of_ports: Vec<u64>,
}
