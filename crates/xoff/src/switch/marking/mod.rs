//! Markers: whether a packet is told about congestion.
//! A marker sits on all queues, all ports or all pools of a switch and never knows on which of the three: it knows its
//! places by number, and keeps for each what it must remember.
//! To add one: its file here, and one line in the list below.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Rate, Ratio, Span};

/// What a marker may look at when a packet enters or leaves.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Bytes in the marked place without the packet itself.
    pub others: Bytes,
    /// Bytes of the packet.
    pub frame: Bytes,
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

/// What a marker may know of a place before anything runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// The pool it sits on; nothing on a queue or a port.
    pub pool: Option<Pool>,
    /// The packet in whose bytes RED counts, where it counts bytes and not packets.
    pub counted_packet: Option<Bytes>,
}

/// A pool and the fabric around it.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// Size of the shared pool, reserves not counted.
    pub shared: Bytes,
    /// Ports on it.
    pub ports: u64,
    /// Rate of its fastest port.
    pub rate: Rate,
    /// Least share of the free pool that any queue may take; nothing where the buffer policy knows no such share.
    pub alpha: Option<Ratio>,
    /// Reserve of each queue or port.
    pub reserved: Bytes,
    /// Longest base round trip of the fabric, host delays included.
    pub round_trip: Span,
    /// Buffer for full throughput in round trips, where it is known of the congestion controls.
    pub lambda: Option<Ratio>,
}

/// Why a marker cannot sit where it is put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// What is wrong.
    pub problem: String,
    /// What is expected.
    pub expected: &'static str,
}

/// Lengths between which a marker's answer changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Bytes up to which no packet is marked.
    pub none_up_to: Bytes,
    /// Bytes above which every packet is marked.
    pub all_above: Bytes,
}

/// Decides for each packet of its places whether it is marked.
pub trait Marker: Sized {
    /// What can be set of it.
    type Parameters;
    /// The marker of these places.
    fn new(parameters: &Self::Parameters, places: &[Place]) -> Result<Self, Unfit>;
    /// The answer for one packet of a place.
    fn signal(&mut self, place: usize, level: &Level, rng: &mut Rng) -> Signal;
    /// Where marking begins and ends at a place, for markers that are a function of the length.
    fn range(&self, place: usize) -> Option<Range>;
    /// Length up to which it marks nothing at any place and has nothing to remember, so that it need not be asked.
    fn silent_up_to(&self) -> Option<Bytes> {
        None
    }
}

macro_rules! markers {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// What marks packets.
            pub enum Parameters by "kind" { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// When the marker wants to be asked.
            pub fn when(&self) -> When {
                match self { $(Self::$name(parameters) => parameters.when,)* }
            }
            /// The marker of these places.
            pub fn start(&self, places: &[Place]) -> Result<AnyMarker, Unfit> {
                match self {
                    $(Self::$name(parameters) => $module::$name::new(parameters, places).map(AnyMarker::$name),)*
                }
            }
        }

        /// One of the markers, on all places of a kind.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum AnyMarker { $($name($module::$name),)* }

        impl AnyMarker {
            /// See [`Marker::signal`].
            pub fn signal(&mut self, place: usize, level: &Level, rng: &mut Rng) -> Signal {
                match self { $(Self::$name(marker) => marker.signal(place, level, rng),)* }
            }
            /// See [`Marker::range`].
            pub fn range(&self, place: usize) -> Option<Range> {
                match self { $(Self::$name(marker) => marker.range(place),)* }
            }
            /// See [`Marker::silent_up_to`].
            pub fn silent_up_to(&self) -> Option<Bytes> {
                match self { $(Self::$name(marker) => marker.silent_up_to(),)* }
            }
        }
    };
}

markers! {
    threshold::Threshold,
    red::Red,
    bcc::Bcc,
}
