//! Rows of a run's observations: which quantity each tells of, its value, and how rows of all threads come together.
//! Samplers, recorders and counters write them; none of these is known here.

use crate::classes::Classes;
use crate::kernel::units::{Span, Time};
use crate::topology::NodeId;

/// Quantity that a row tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Quantity {
    /// Bytes in a queue.
    Queue,
    /// Bits per second on the wire since the sample before.
    Throughput,
    /// Bits per second of a class on the wire since the sample before.
    ClassThroughput,
    /// Packets marked since the row before.
    Marks,
    /// Packets dropped since the row before.
    Drops,
    /// Bytes of a flow's window.
    Window,
    /// Bytes in a shared pool.
    Pool,
    /// Bits per second that a flow may send.
    Rate,
    /// Bits per second that a flow put on the wire since the sample before, preamble and gap included.
    FlowThroughput,
    /// On change a CNM's quantised feedback, 1 to 63; at an interval CNMs received since the sample before.
    Cnms,
    /// Bytes of a class in the input buffer of a port.
    Input,
    /// Bytes of a flow in the input buffer of a port.
    InputOfFlow,
    /// Running share of marked bytes of a flow of TCP.
    Alpha,
    /// Slow-start threshold of a flow of TCP, in bytes.
    Threshold,
    /// Smoothed round-trip time of a flow of TCP, in nanoseconds.
    Rtt,
    /// Number of the state in which a flow of TCP repairs losses.
    RecoveryState,
}

impl Quantity {
    /// All quantities in the order of their numbers.
    pub const ALL: [Self; 16] = [
        Self::Queue,
        Self::Throughput,
        Self::ClassThroughput,
        Self::Marks,
        Self::Drops,
        Self::Window,
        Self::Pool,
        Self::Rate,
        Self::FlowThroughput,
        Self::Cnms,
        Self::Input,
        Self::InputOfFlow,
        Self::Alpha,
        Self::Threshold,
        Self::Rtt,
        Self::RecoveryState,
    ];

    /// Returns the name of the quantity in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Throughput => "throughput",
            Self::ClassThroughput => "class_throughput",
            Self::Marks => "marks",
            Self::Drops => "drops",
            Self::Window => "window",
            Self::Pool => "pool",
            Self::Rate => "rate",
            Self::FlowThroughput => "flow_throughput",
            Self::Cnms => "cnms",
            Self::Input => "input",
            Self::InputOfFlow => "input_of_flow",
            Self::Alpha => "alpha",
            Self::Threshold => "threshold",
            Self::Rtt => "rtt",
            Self::RecoveryState => "recovery_state",
        }
    }

    /// Whether samples need a count for each of `classes`. The counters of a port suffice where one class is in use.
    pub const fn is_counted_by_class(self, classes: Classes) -> bool {
        match self {
            Self::ClassThroughput => true,
            Self::Marks | Self::Drops => classes.count() > 1,
            _ => false,
        }
    }

    /// Whether flows at their hosts have this quantity.
    pub const fn is_of_flows(self) -> bool {
        matches!(self, Self::Window | Self::Rate | Self::FlowThroughput | Self::Cnms) || self.is_of_tcp()
    }

    /// Whether senders of TCP alone have this quantity, which is sampled and not recorded on change.
    pub const fn is_of_tcp(self) -> bool {
        matches!(self, Self::Alpha | Self::Threshold | Self::Rtt | Self::RecoveryState)
    }
}

/// Number of the pool that all lossless classes of a switch share; no other pool has this number.
pub const LOSSLESS_POOL: u32 = u32::MAX;

/// One row of observations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Instant of the sample or of the change.
    pub time: Time,
    /// Quantity observed.
    pub quantity: Quantity,
    /// Number of the port, of the host for a quantity of flows, or of the switch's first port for a pool.
    pub entity: u32,
    /// The traffic class of a port, the number of a flow at its host, or the number of a pool.
    pub part: u32,
    /// The host whose flow is in an input buffer; 0 elsewhere.
    pub source: NodeId,
    /// The traffic class of a flow in an input buffer; 0 elsewhere.
    pub priority: u8,
    /// Value in the unit of the quantity.
    pub value: f64,
}

impl Sample {
    /// Returns a row of anything but a flow in an input buffer.
    pub fn new(time: Time, quantity: Quantity, entity: u32, part: u32, value: f64) -> Self {
        Self { time, quantity, entity, part, source: 0, priority: 0, value }
    }
}

/// All rows of a run.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    rows: Vec<Sample>,
    /// Repeated samples at the end of each series, which are not kept as rows.
    tails: Vec<Tail>,
}

/// The latest distinct sample of a series, and how often it was repeated.
/// A network at rest may be sampled for long, because timers without effect keep a run going; repetitions cost no memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail {
    first: Vec<Sample>,
    every: Span,
    more: u64,
}

impl Tail {
    /// Returns the empty tail of a series that is sampled at the interval `every`.
    pub(super) fn new(every: Span) -> Self {
        Self { first: Vec::new(), every, more: 0 }
    }

    /// Counts a sample that differs from the latest sample in its time alone. Returns whether it does.
    pub(super) fn repeats(&mut self, fresh: &[Sample]) -> bool {
        let is_like = |(one, other): (&Sample, &Sample)| *one == Sample { time: one.time, ..*other };
        let repeats = fresh.len() == self.first.len() && fresh.iter().zip(&self.first).all(is_like);
        self.more += u64::from(repeats && !self.first.is_empty());
        repeats
    }

    /// Returns the number of rows that the repetitions stand for.
    pub(super) fn repeated(&self) -> u64 {
        self.more.saturating_mul(self.first.len() as u64)
    }

    /// Restarts the tail with a sample that differs from the latest sample.
    pub(super) fn restart(&mut self, fresh: Vec<Sample>) {
        (self.first, self.more) = (fresh, 0);
    }

    /// Returns the repetitions of the latest sample up to `end`.
    pub(super) fn rows(&self, end: Time) -> impl Iterator<Item = Sample> {
        let repeated = (1..=self.more).map(|number| self.every * number);
        let rows = repeated
            .flat_map(|later| self.first.iter().map(move |row| Sample { time: row.time + later, ..*row }));
        rows.take_while(move |row| row.time <= end)
    }
}

impl Samples {
    /// Joins the rows and tails of all threads.
    pub(super) fn merge(rows: Vec<Vec<Sample>>, tails: Vec<Tail>) -> Self {
        Self { rows: rows.into_iter().flatten().collect(), tails }
    }

    /// Returns the number of rows in memory.
    pub fn kept(&self) -> usize {
        self.rows.len() + self.tails.iter().map(|tail| tail.first.len()).sum::<usize>()
    }

    /// Returns the rows up to `end`, in order of time, quantity and entity.
    pub fn until(&self, end: Time) -> Vec<Sample> {
        let before = self.rows.iter().filter(|row| row.time <= end).copied();
        let mut rows: Vec<Sample> = before.chain(self.tails.iter().flat_map(|tail| tail.rows(end))).collect();
        rows.sort_by_key(|row| (row.time, row.quantity, row.entity, row.source, row.part, row.priority));
        rows
    }
}
