//! Markers: whether a packet is told about congestion.
//! A marker sits on a queue (later on a port or a pool) and never knows on which.
//! To add one: its file here, and one line in the list below.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::rng::Rng;
use crate::kernel::units::Bytes;

/// What a marker may look at when a packet enters or leaves.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Bytes in the marked place without the packet itself.
    pub others: Bytes,
}

/// A marker's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Leave the packet as it is.
    None,
    /// Mark it; the switch drops it instead if it is not ECN-capable.
    Mark,
}

/// When a marker is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// As the packet enters the queue.
    #[default]
    Enqueue,
    /// As the packet leaves the queue.
    Dequeue,
}

/// Decides for each packet whether it is marked.
pub trait Marker {
    /// When this marker wants to be asked.
    fn when(&self) -> When;
    /// The answer for one packet.
    fn signal(&mut self, level: &Level, rng: &mut Rng) -> Signal;
}

macro_rules! markers {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// What marks packets.
            pub enum Parameters by "kind" { $($(#[$doc])* $module => $name($module::$name),)* }
        }

        impl Marker for Parameters {
            #[inline]
            fn when(&self) -> When {
                match self { $(Self::$name(marker) => marker.when(),)* }
            }
            #[inline]
            fn signal(&mut self, level: &Level, rng: &mut Rng) -> Signal {
                match self { $(Self::$name(marker) => marker.signal(level, rng),)* }
            }
        }
    };
}

markers! {
    threshold::Threshold,
    red::Red,
}
