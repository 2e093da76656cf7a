//! Buffer policies: how much of the shared pool one queue may take.
//! A policy answers a threshold; it never counts and never admits, the MMU does.
//! To add one: its file here, and one line in the list below.

use crate::kernel::units::{Bytes, Ratio};

/// What a policy may look at.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy {
    /// Size of the shared pool.
    pub shared: Bytes,
    /// Bytes of the shared pool in use, by all queues.
    pub shared_used: Bytes,
    /// Queues on the pool that a class in use may fill.
    pub queues: u64,
}

impl Occupancy {
    /// Of a pool of which nothing is in use.
    pub fn empty(shared: Bytes, queues: u64) -> Self {
        Self { shared, shared_used: Bytes::ZERO, queues }
    }
}

/// Shares packet memory: answers how many bytes of the shared pool a queue may hold before its next packet is refused.
pub trait BufferPolicy {
    /// The threshold of a queue of this class: a packet is admitted while its queue holds fewer shared bytes than this.
    fn threshold(&self, priority: usize, occupancy: &Occupancy) -> Bytes;
    /// Whether a fuller pool may raise a threshold.
    fn rises_as_the_pool_fills(&self) -> bool {
        false
    }
    /// Share of the free pool that a queue of this class may take, where the policy knows such a share.
    fn alpha(&self, _priority: usize) -> Option<Ratio> {
        None
    }
}

macro_rules! buffer_policies {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// How the shared pool is divided among queues.
            pub enum Parameters by "policy" { $($(#[$doc])* $module => $name($module::$name),)* }
        }

        impl BufferPolicy for Parameters {
            #[inline]
            fn threshold(&self, priority: usize, occupancy: &Occupancy) -> Bytes {
                match self { $(Self::$name(policy) => policy.threshold(priority, occupancy),)* }
            }
            fn rises_as_the_pool_fills(&self) -> bool {
                match self { $(Self::$name(policy) => policy.rises_as_the_pool_fills(),)* }
            }
            fn alpha(&self, priority: usize) -> Option<Ratio> {
                match self { $(Self::$name(policy) => policy.alpha(priority),)* }
            }
        }
    };
}

buffer_policies! {
    complete_sharing::CompleteSharing,
    static_partition::StaticPartition,
    dynamic_threshold::DynamicThreshold,
    static_threshold::StaticThreshold,
}

/// The recipe of CONTRIBUTING.md.
#[cfg(test)]
#[path = "../../../recipes/half_free.rs"]
pub mod recipe;
