//! Switches: what happens to a packet between an ingress and an egress port.
//! `shared_memory.rs` tells the packet's life; `mmu.rs` counts; the families in the folders decide.

pub mod buffer_policy;
pub mod markers;
pub mod marking;
pub mod mmu;
pub mod shared_memory;
