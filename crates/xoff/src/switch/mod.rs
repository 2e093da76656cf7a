//! Switches: what happens to a packet between an ingress and an egress port.

pub mod buffer_policy;
pub mod marking;
