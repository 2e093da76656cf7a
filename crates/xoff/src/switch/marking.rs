//! Markers: whether a packet is told about congestion.
//! A marker sits on all queues, all ports or all pools of a switch and never knows on which of the three: it knows its
//! places by number, and keeps for each what it must remember.
//! Most are asked and answer. Those with an average, a clock or a memory of packets follow their places besides, and hear of
//! what comes and goes; nobody else pays for that.
//! To add one: its file here, and one line in the list below.

mod queue_marker;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Rate, Ratio, Span, Time};
use crate::switch::cell::Cell;
pub use queue_marker::QueueMarker;

/// What a marker may look at when a packet enters or leaves.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// The instant.
    pub now: Time,
    /// Bytes in the marked place without the packet itself.
    pub others: Bytes,
    /// Bytes of the packet.
    pub frame: Bytes,
}

/// A packet that leaves a place.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The instant.
    pub now: Time,
    /// Bytes in the place until now.
    pub before: Bytes,
    /// Bytes in it from now on.
    pub after: Bytes,
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
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The pool it sits on; nothing on a queue or a port.
    pub pool: Option<Pool>,
    /// Whether packets leave it as they came, one by one, and can be dropped as they do.
    pub drops_at_head: bool,
    /// Rate at which it empties: that of its port, or of its pool's fastest.
    pub rate: Rate,
    /// The largest frame that can come, as it is on the wire.
    pub largest_frame: Bytes,
    /// What memory is given out in, if not in bytes.
    pub cell: Option<Cell>,
    /// Whether RED counts its bytes and not its packets, and each port of a pool is a place of its own.
    pub counts_bytes: bool,
}

impl Place {
    /// A place that empties at this rate, of which nothing else is known.
    pub fn at(rate: Rate, largest_frame: Bytes) -> Self {
        Self { pool: None, drops_at_head: false, rate, largest_frame, cell: None, counts_bytes: false }
    }

    /// What a frame takes of the memory in which levels are.
    fn taken_by(&self, frame: Bytes) -> Bytes {
        Cell::taken_of(self.cell, frame)
    }

    /// Refuses a place of which a marker that follows lengths would miss changes.
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
    /// Ports on it.
    pub ports: u64,
    /// Rate of its fastest port.
    pub rate: Rate,
    /// Rate of all its ports together.
    pub together: Rate,
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
    /// When it wants to be asked.
    fn when(parameters: &Self::Parameters) -> When;
    /// The marker of these places.
    fn new(parameters: &Self::Parameters, places: &[Place]) -> Result<Self, Unfit>;
    /// The answer for one packet of a place.
    fn signal(&mut self, place: usize, level: &Level, rng: &mut Rng) -> Signal;
    /// Where marking begins and ends at a place, for markers that are a function of the length.
    fn range(&self, _place: usize) -> Option<Range> {
        None
    }
    /// Where it is set to begin and end, be it by a mean: a place that never holds so much makes no sense of it.
    fn reach(&self, place: usize) -> Option<Range> {
        self.range(place)
    }
    /// Length up to which it marks nothing at any place and has nothing to remember, so that it need not be asked.
    fn silent_up_to(&self) -> Option<Bytes> {
        None
    }
    /// Whether nothing but the bytes beside a packet decides, and no draw.
    fn is_threshold(&self) -> bool {
        false
    }
    /// Whether it has packets dropped as they leave. Others are asked at enqueue about packets that are not ECN-capable.
    fn drops_at_head(&self) -> bool {
        false
    }
    /// Whether it hears of every packet that comes and goes, beside those that it is asked about.
    fn follows(&self) -> bool {
        false
    }
    /// A packet comes, before the marker is asked about it.
    fn on_arrival(&mut self, _place: usize, _level: &Level) {}
    /// The packet that has just come is not taken in.
    fn on_refusal(&mut self, _place: usize) {}
    /// The packet that has waited longest is lost, and the marker is not asked about it.
    fn on_loss(&mut self, _place: usize) {}
    /// A packet leaves.
    fn on_departure(&mut self, _place: usize, _departure: &Departure) {}
}

macro_rules! markers {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// What marks packets.
            pub enum Parameters by "kind" in "marking" { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// When the marker wants to be asked.
            pub fn when(&self) -> When {
                match self { $(Self::$name(parameters) => $module::$name::when(parameters),)* }
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
            /// See [`Marker::reach`].
            pub fn reach(&self, place: usize) -> Option<Range> {
                match self { $(Self::$name(marker) => marker.reach(place),)* }
            }
            /// See [`Marker::silent_up_to`].
            pub fn silent_up_to(&self) -> Option<Bytes> {
                match self { $(Self::$name(marker) => marker.silent_up_to(),)* }
            }
            /// See [`Marker::is_threshold`].
            pub fn is_threshold(&self) -> bool {
                match self { $(Self::$name(marker) => marker.is_threshold(),)* }
            }
            /// See [`Marker::drops_at_head`].
            pub fn drops_at_head(&self) -> bool {
                match self { $(Self::$name(marker) => marker.drops_at_head(),)* }
            }
            /// See [`Marker::follows`].
            pub fn follows(&self) -> bool {
                match self { $(Self::$name(marker) => marker.follows(),)* }
            }
            /// See [`Marker::on_arrival`].
            pub fn on_arrival(&mut self, place: usize, level: &Level) {
                match self { $(Self::$name(marker) => marker.on_arrival(place, level),)* }
            }
            /// See [`Marker::on_refusal`].
            pub fn on_refusal(&mut self, place: usize) {
                match self { $(Self::$name(marker) => marker.on_refusal(place),)* }
            }
            /// See [`Marker::on_loss`].
            pub fn on_loss(&mut self, place: usize) {
                match self { $(Self::$name(marker) => marker.on_loss(place),)* }
            }
            /// See [`Marker::on_departure`].
            pub fn on_departure(&mut self, place: usize, departure: &Departure) {
                match self { $(Self::$name(marker) => marker.on_departure(place, departure),)* }
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
