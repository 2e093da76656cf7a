//! Switches: what happens to a packet between an ingress and an egress port.
//! `shared_memory.rs` tells the packet's life; `mmu.rs` counts by egress port and `ingress.rs` by ingress port;
//! `pausing.rs` tells senders, and `xoff.rs` why; the families in the folders decide.

pub mod buffer_policy;
pub mod congestion_point;
pub mod headroom;
pub mod ingress;
pub mod markers;
pub mod marking;
pub mod mmu;
pub mod pausing;
pub mod shared_memory;
mod xoff;
