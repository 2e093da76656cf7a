//! Observers: who is told of every change. The silent one is compiled away.

use crate::kernel::units::{Bytes, Rate, Time};
use crate::topology::NodeId;
use crate::topology::PortId;

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DropReason {
    /// Its queue had reached the buffer policy's threshold.
    Threshold,
    /// The shared pool had no room for it.
    PoolFull,
    /// It would have been marked but is not ECN-capable.
    NotEcnCapable,
    /// The adapter's queue was full.
    AdapterFull,
    /// It came after a pause, and the headroom had no room for it.
    HeadroomFull,
    /// The link has corrupted it.
    LinkError,
}

impl DropReason {
    /// All reasons, in the order of their counters.
    pub const ALL: [Self; 6] = [
        Self::Threshold,
        Self::PoolFull,
        Self::NotEcnCapable,
        Self::AdapterFull,
        Self::HeadroomFull,
        Self::LinkError,
    ];

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::PoolFull => "pool_full",
            Self::NotEcnCapable => "not_ecn_capable",
            Self::AdapterFull => "adapter_full",
            Self::HeadroomFull => "headroom_full",
            Self::LinkError => "link_error",
        }
    }
}

/// Hears of changes as they happen. Every event has an empty default.
pub trait Observer {
    /// A queue of a port now holds this many bytes.
    fn on_queue(&mut self, _now: Time, _port: PortId, _priority: usize, _bytes: Bytes) {}
    /// A packet was marked at a port.
    fn on_mark(&mut self, _now: Time, _port: PortId, _priority: usize) {}
    /// A packet was dropped at a port.
    fn on_drop(&mut self, _now: Time, _port: PortId, _priority: usize, _reason: DropReason) {}
    /// A flow's window is now this large.
    fn on_window(&mut self, _now: Time, _host: NodeId, _flow: u32, _window: Bytes) {}
    /// A flow may now send at this rate.
    fn on_rate(&mut self, _now: Time, _host: NodeId, _flow: u32, _rate: Rate) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
