//! Markers: algorithms that decide which packets carry a congestion mark (ECN).
//!
//! A marker sits on all queues, all ports or all shared pools of a switch. It never knows on which of the three: it
//! knows its *places* by number, sees how many bytes each holds, and keeps for each what it must remember. Most markers
//! are asked about a packet as it enters or leaves, and answer by the length that they see. A marker with an average, a
//! clock or a memory of packets follows its places besides: it hears of every arrival and departure. `markers.rs` puts
//! the markers of one switch together and asks them.
//!
//! To add one: its file here, and one line in the list below.

mod foreign;
mod queue_marker;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Rate, Ratio, Span, Time};
use crate::switch::cell::Cell;
pub use foreign::{Foreign, ForeignMarker, scheme};
pub use queue_marker::QueueMarker;

/// Length of a place, as a marker sees it when a packet enters or leaves.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Now.
    pub now: Time,
    /// Bytes in the marked place without the packet itself.
    pub others: Bytes,
    /// Bytes of the packet.
    pub frame: Bytes,
}

/// A packet that leaves a place.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// Now.
    pub now: Time,
    /// Bytes in the place until now.
    pub before: Bytes,
    /// Bytes in the queue, port or pool after the departure.
    pub after: Bytes,
}

/// A marker's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Leave the packet as it is.
    None,
    /// Mark it; the switch drops it instead if it is not ECN-capable.
    Mark,
    /// Mark it if it is ECN-capable, and leave it as it is otherwise.
    MarkIfCapable,
}

impl Signal {
    /// Marks a chosen packet, and with `marks_only` leaves it as it is where it cannot be marked.
    #[inline]
    pub fn of(is_chosen: bool, marks_only: bool) -> Self {
        match (is_chosen, marks_only) {
            (false, _) => Self::None,
            (true, false) => Self::Mark,
            (true, true) => Self::MarkIfCapable,
        }
    }

    /// Whether the switch marks the packet, or drops it because it cannot be marked.
    pub fn marks(self, is_ecn_capable: bool) -> bool {
        if is_ecn_capable { self != Self::None } else { self == Self::Mark }
    }
}

/// Moment at which a marker is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// As the packet enters the queue.
    #[default]
    Enqueue,
    /// As the packet leaves the queue.
    Dequeue,
}

/// Properties of a place that a marker may know before the run.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The pool, if the place is one.
    pub pool: Option<Pool>,
    /// Whether packets leave the place in the order of arrival, and can be dropped as they leave.
    pub drops_at_head: bool,
    /// Rate at which the place empties: that of its port, or of the fastest port of its pool.
    pub rate: Rate,
    /// The largest frame that can arrive, without rounding to cells.
    pub largest_frame: Bytes,
    /// Unit of allocation, if memory is given out in cells.
    pub cell: Option<Cell>,
    /// Whether RED counts bytes and not packets here, and each port of a pool is a place of its own.
    pub counts_bytes: bool,
}

impl Place {
    /// Place of which only the rate and the largest frame are known.
    pub fn at(rate: Rate, largest_frame: Bytes) -> Self {
        Self { pool: None, drops_at_head: false, rate, largest_frame, cell: None, counts_bytes: false }
    }

    /// Bytes of memory that a frame takes.
    fn taken_by(&self, frame: Bytes) -> Bytes {
        Cell::taken_of(self.cell, frame)
    }

    /// Rejects a place at which a marker that follows lengths would miss changes.
    fn check_followed(&self) -> Result<(), Unfit> {
        if self.pool.is_none() || !self.counts_bytes {
            return Ok(());
        }
        Err(Unfit {
            problem:
                "with `red_counts_bytes` each port by itself looks at the pool, and misses what others do"
                    .to_owned(),
            expected: "expected a marker that goes by the instantaneous length, or no such quirk",
        })
    }
}

/// A pool and the fabric around it.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// Size of the shared pool, reserves not counted.
    pub shared: Bytes,
    /// Number of the pool's ports.
    pub ports: u64,
    /// Rate of the pool's fastest port.
    pub rate: Rate,
    /// Rate of all ports of the pool together.
    pub together: Rate,
    /// Least share of the free pool that any queue may take, if the buffer policy has one.
    pub alpha: Option<Ratio>,
    /// Reserve of each queue or port.
    pub reserved: Bytes,
    /// Longest base round trip of the fabric, host delays included.
    pub round_trip: Span,
    /// Buffer for full throughput in round trips, if it is known for the congestion controls in use.
    pub lambda: Option<Ratio>,
}

/// Reason for which a marker cannot sit at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The problem.
    pub problem: String,
    /// The remedy.
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

/// Decides for each packet at the marker's places whether to mark the packet.
pub trait Marker {
    /// Settings in a scenario.
    type Parameters
    where
        Self: Sized;
    /// Moment at which the marker wants to be asked.
    fn when(parameters: &Self::Parameters) -> When
    where
        Self: Sized;
    /// Starts one marker for all of `places`.
    fn new(parameters: &Self::Parameters, places: &[Place]) -> Result<Self, Unfit>
    where
        Self: Sized;
    /// Decides about one packet of a place.
    fn signal(&mut self, place: usize, level: &Level, rng: &mut Rng) -> Signal;
    /// Lengths at which marking begins and ends at a place, if the marker is a function of the length.
    fn range(&self, _place: usize) -> Option<Range> {
        None
    }
    /// Configured lengths, averages included, at which marking begins and ends. A queue, port or pool must be able to
    /// hold them.
    fn reach(&self, place: usize) -> Option<Range> {
        self.range(place)
    }
    /// Length up to which the marker marks and remembers nothing at any place, and need not be asked.
    fn silent_up_to(&self) -> Option<Bytes> {
        None
    }
    /// Whether the bytes beside a packet alone decide, without a draw.
    fn is_threshold(&self) -> bool {
        false
    }
    /// Whether the marker has packets dropped as they leave. Other markers are asked at enqueue about packets that
    /// are not ECN-capable.
    fn drops_at_head(&self) -> bool {
        false
    }
    /// Whether packets that are not ECN-capable are dropped where they would be marked.
    fn drops_incapable(&self) -> bool {
        true
    }
    /// Whether the marker hears of every arrival and departure, beside the packets that it is asked about.
    fn follows(&self) -> bool {
        false
    }
    /// Hears of a packet that arrives, before the switch asks whether to mark the packet.
    fn on_arrival(&mut self, _place: usize, _level: &Level) {}
    /// Hears that the packet that has just arrived is dropped.
    fn on_refusal(&mut self, _place: usize) {}
    /// Hears that the packet that has waited longest is dropped; nobody asks whether to mark that packet.
    fn on_loss(&mut self, _place: usize) {}
    /// Hears of a packet that leaves.
    fn on_departure(&mut self, _place: usize, _departure: &Departure) {}
}

macro_rules! markers {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// Marker of packets.
            pub enum Parameters by "kind" in "marking" open to dyn Foreign { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// Moment at which the marker wants to be asked.
            pub fn when(&self) -> When {
                match self {
                    $(Self::$name(parameters) => $module::$name::when(parameters),)*
                    Self::Outside(outside) => outside.made().map_or(When::default(), Foreign::when),
                }
            }
            /// Starts one marker for all of `places`.
            pub fn start(&self, places: &[Place]) -> Result<AnyMarker, Unfit> {
                match self {
                    $(Self::$name(parameters) => $module::$name::new(parameters, places).map(AnyMarker::$name),)*
                    Self::Outside(outside) => match outside.made() {
                        Some(marker) => marker.start(places).map(AnyMarker::Outside),
                        None => Ok(AnyMarker::Outside(Box::new(foreign::Unknown))),
                    },
                }
            }
        }

        /// One of the markers, on all places of a kind.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum AnyMarker {
            $($name($module::$name),)*
            Outside(Box<dyn ForeignMarker>),
        }

        impl AnyMarker {
            /// See [`Marker::signal`].
            pub fn signal(&mut self, place: usize, level: &Level, rng: &mut Rng) -> Signal {
                match self {
                    $(Self::$name(marker) => marker.signal(place, level, rng),)*
                    Self::Outside(marker) => marker.signal(place, level, rng),
                }
            }
            /// See [`Marker::range`].
            pub fn range(&self, place: usize) -> Option<Range> {
                match self {
                    $(Self::$name(marker) => marker.range(place),)*
                    Self::Outside(marker) => marker.range(place),
                }
            }
            /// See [`Marker::reach`].
            pub fn reach(&self, place: usize) -> Option<Range> {
                match self {
                    $(Self::$name(marker) => marker.reach(place),)*
                    Self::Outside(marker) => marker.reach(place),
                }
            }
            /// See [`Marker::silent_up_to`].
            pub fn silent_up_to(&self) -> Option<Bytes> {
                match self {
                    $(Self::$name(marker) => marker.silent_up_to(),)*
                    Self::Outside(marker) => marker.silent_up_to(),
                }
            }
            /// See [`Marker::is_threshold`].
            pub fn is_threshold(&self) -> bool {
                match self {
                    $(Self::$name(marker) => marker.is_threshold(),)*
                    Self::Outside(marker) => marker.is_threshold(),
                }
            }
            /// See [`Marker::drops_at_head`].
            pub fn drops_at_head(&self) -> bool {
                match self {
                    $(Self::$name(marker) => marker.drops_at_head(),)*
                    Self::Outside(marker) => marker.drops_at_head(),
                }
            }
            /// See [`Marker::drops_incapable`].
            pub fn drops_incapable(&self) -> bool {
                match self {
                    $(Self::$name(marker) => marker.drops_incapable(),)*
                    Self::Outside(marker) => marker.drops_incapable(),
                }
            }
            /// See [`Marker::follows`].
            pub fn follows(&self) -> bool {
                match self {
                    $(Self::$name(marker) => marker.follows(),)*
                    Self::Outside(marker) => marker.follows(),
                }
            }
            /// See [`Marker::on_arrival`].
            pub fn on_arrival(&mut self, place: usize, level: &Level) {
                match self {
                    $(Self::$name(marker) => marker.on_arrival(place, level),)*
                    Self::Outside(marker) => marker.on_arrival(place, level),
                }
            }
            /// See [`Marker::on_refusal`].
            pub fn on_refusal(&mut self, place: usize) {
                match self {
                    $(Self::$name(marker) => marker.on_refusal(place),)*
                    Self::Outside(marker) => marker.on_refusal(place),
                }
            }
            /// See [`Marker::on_loss`].
            pub fn on_loss(&mut self, place: usize) {
                match self {
                    $(Self::$name(marker) => marker.on_loss(place),)*
                    Self::Outside(marker) => marker.on_loss(place),
                }
            }
            /// See [`Marker::on_departure`].
            pub fn on_departure(&mut self, place: usize, departure: &Departure) {
                match self {
                    $(Self::$name(marker) => marker.on_departure(place, departure),)*
                    Self::Outside(marker) => marker.on_departure(place, departure),
                }
            }
        }
    };
}

markers! {
    threshold::Threshold,
    red::Red,
    pi::Pi,
    codel::Codel,
    bcc::Bcc,
}
