//! Buffer policies: how many bytes of the shared pool one queue may take.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::kernel::units::{Bytes, Rate, Ratio, Span};
use crate::tagged::outside::{Family, Scheme};

/// Occupancy of a pool, as a policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy {
    /// Size of the shared pool.
    pub shared: Bytes,
    /// Bytes of the shared pool in use, by all queues.
    pub shared_used: Bytes,
    /// Queues on the pool that a class in use may fill.
    pub queues: u64,
    /// Drain rates and congested queues, where the policy follows them.
    pub followed: Followed,
}

impl Occupancy {
    /// Occupancy of an empty pool.
    pub fn empty(shared: Bytes, queues: u64) -> Self {
        Self { shared, shared_used: Bytes::ZERO, queues, followed: Followed::NOTHING }
    }

    /// Bytes of the shared pool that are not in use.
    #[inline]
    pub fn free(&self) -> Bytes {
        self.shared.saturating_sub(self.shared_used)
    }
}

/// Facts that only a policy that follows queues learns. Other policies see those of an empty pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Followed {
    /// Share of the time with packets in the asking queue for which the port has lately served the queue [mu / b].
    pub drain_rate: Ratio,
    /// Congested queues of the asking queue's class on the pool, at least one [n].
    pub congested: u64,
    /// Bytes of a flow before the packet that asks for room.
    pub offset: u64,
}

impl Followed {
    /// Facts about an empty pool.
    pub const NOTHING: Self = Self { drain_rate: Ratio::new(1, 1), congested: 1, offset: 0 };
}

/// Way in which a policy follows queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Following {
    /// Time between two looks at drain rates and congested queues.
    pub every: Span,
    /// Share of a queue's threshold from which the queue is congested.
    pub congested_from: Ratio,
}

/// Way in which a policy expels packets from queues above their threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expelling {
    /// Rate at which memory can be read, by ports and to expel; by default the rate of all ports together.
    pub memory_bandwidth: Option<Rate>,
    /// Bytes of memory bandwidth that can be saved up.
    pub burst: Bytes,
}

/// Shares packet memory: answers how many bytes of the shared pool a queue may hold before its next packet is refused.
pub trait BufferPolicy: Send + Sync {
    /// Threshold of a queue of this class: a packet is admitted while its queue holds fewer shared bytes.
    fn threshold(&self, priority: usize, occupancy: &Occupancy) -> Bytes;
    /// Whether a fuller pool may raise a threshold.
    fn rises_as_the_pool_fills(&self) -> bool {
        false
    }
    /// Way in which the policy follows queues, if it does. [`Occupancy::followed`] then tells of them; no other
    /// policy pays for that.
    fn follows(&self) -> Option<Following> {
        None
    }
    /// Whether a packet that finds the pool full pushes out the first packets of the longest queue, perhaps its own
    /// queue.
    fn pushes_out(&self) -> bool {
        false
    }
    /// Way in which the policy expels packets from queues above their threshold, if it does.
    fn expels(&self) -> Option<Expelling> {
        None
    }
    /// Whether the policy only answers thresholds, and asks for nothing but how full the pool is.
    fn only_answers(&self) -> bool {
        self.follows().is_none() && !self.pushes_out() && self.expels().is_none()
    }
    /// Share of the free pool that a queue of this class may take, if the policy has one.
    fn alpha(&self, _priority: usize) -> Option<Ratio> {
        None
    }
}

/// Returns a policy as a scheme for [`Schemes`](crate::schemes::Schemes); the policy is its own settings.
pub fn scheme<T: BufferPolicy + DeserializeOwned + Serialize + JsonSchema + 'static>(name: &str) -> Scheme {
    Scheme::of::<T, dyn BufferPolicy>(Family::BufferPolicy, name, |policy| Arc::new(policy))
}

macro_rules! buffer_policies {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// Policy that divides the shared pool among queues.
            pub enum Parameters by "policy" in "buffer_policy" open to dyn BufferPolicy { $($(#[$doc])* $module => $name($module::$name),)* }
        }

        impl BufferPolicy for Parameters {
            #[inline]
            fn threshold(&self, priority: usize, occupancy: &Occupancy) -> Bytes {
                match self {
                    $(Self::$name(policy) => policy.threshold(priority, occupancy),)*
                    Self::Outside(outside) => {
                        outside.made().map_or(Bytes::MAX, |policy| policy.threshold(priority, occupancy))
                    }
                }
            }
            fn rises_as_the_pool_fills(&self) -> bool {
                match self {
                    $(Self::$name(policy) => policy.rises_as_the_pool_fills(),)*
                    Self::Outside(outside) => outside.made().is_some_and(BufferPolicy::rises_as_the_pool_fills),
                }
            }
            fn follows(&self) -> Option<Following> {
                match self {
                    $(Self::$name(policy) => policy.follows(),)*
                    Self::Outside(outside) => outside.made().and_then(BufferPolicy::follows),
                }
            }
            fn pushes_out(&self) -> bool {
                match self {
                    $(Self::$name(policy) => policy.pushes_out(),)*
                    Self::Outside(outside) => outside.made().is_some_and(BufferPolicy::pushes_out),
                }
            }
            fn expels(&self) -> Option<Expelling> {
                match self {
                    $(Self::$name(policy) => policy.expels(),)*
                    Self::Outside(outside) => outside.made().and_then(BufferPolicy::expels),
                }
            }
            fn alpha(&self, priority: usize) -> Option<Ratio> {
                match self {
                    $(Self::$name(policy) => policy.alpha(priority),)*
                    Self::Outside(outside) => outside.made().and_then(|policy| policy.alpha(priority)),
                }
            }
        }
    };
}

buffer_policies! {
    complete_sharing::CompleteSharing,
    static_partition::StaticPartition,
    dynamic_threshold::DynamicThreshold,
    static_threshold::StaticThreshold,
    abm::Abm,
    longest_queue_drop::LongestQueueDrop,
    occamy::Occamy,
}

/// The recipe of CONTRIBUTING.md.
#[cfg(test)]
#[path = "../../recipes/half_free.rs"]
pub mod recipe;
