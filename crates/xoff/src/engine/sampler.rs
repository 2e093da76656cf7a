//! What is sampled at global instants, and the rows that samples and recorded changes become.

use super::counts::Counts;
use super::flow_counts::FlowCounts;
use super::inputs::input_rows;
use super::port_counts::PortCounts;
use crate::classes::Classes;
use crate::host::Host;
use crate::kernel::units::{Bytes, Span, Time};
use crate::port::Port;
use crate::switch::Switch;
use crate::topology::{NodeId, PortId};

/// What a row tells of.
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
    /// Bytes of window.
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
}

impl Quantity {
    /// All quantities in the order of their numbers.
    pub const ALL: [Self; 12] = [
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
    ];

    /// The name in results.
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
        }
    }

    /// Whether samples of it count each class by itself, of those in use: where there is one, ports count all that is asked for anyway.
    pub const fn is_counted_by_class(self, classes: Classes) -> bool {
        match self {
            Self::ClassThroughput => true,
            Self::Marks | Self::Drops => classes.count() > 1,
            _ => false,
        }
    }

    /// Whether it is of flows at their hosts.
    pub const fn is_of_flows(self) -> bool {
        matches!(self, Self::Window | Self::Rate | Self::FlowThroughput | Self::Cnms)
    }
}

/// The number of the pool that a switch's lossless classes share, which no other pool has.
pub const LOSSLESS_POOL: u32 = u32::MAX;

/// One row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub time: Time,
    /// What.
    pub quantity: Quantity,
    /// The port, the host for quantities of flows, or the first port of their switch for pools.
    pub entity: u32,
    /// The traffic class, the flow's number at its host for quantities of flows and flows in input buffers, or the number of a pool.
    pub part: u32,
    /// The host whose flow is in an input buffer; 0 elsewhere.
    pub source: NodeId,
    /// The traffic class that the flow has there; 0 elsewhere.
    pub priority: u8,
    /// How much.
    pub value: f64,
}

impl Sample {
    /// Of what is no flow in an input buffer.
    pub fn new(time: Time, quantity: Quantity, entity: u32, part: u32, value: f64) -> Self {
        Self { time, quantity, entity, part, source: 0, priority: 0, value }
    }
}

/// All rows.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    rows: Vec<Sample>,
    /// Samples behind these that are as their first.
    tails: Vec<Tail>,
}

/// A sample, and how often another like it followed. What has come to rest may be sampled for long: timers that have no effect
/// any more keep a run going.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail {
    first: Vec<Sample>,
    every: Span,
    more: u64,
}

impl Tail {
    /// The samples behind the first one, up to this time.
    fn rows(&self, end: Time) -> impl Iterator<Item = Sample> {
        let repeated = (1..=self.more).map(|number| self.every * number);
        let rows = repeated
            .flat_map(|later| self.first.iter().map(move |row| Sample { time: row.time + later, ..*row }));
        rows.take_while(move |row| row.time <= end)
    }
}

impl Samples {
    /// Puts those of several threads together.
    pub(super) fn merge(rows: Vec<Vec<Sample>>, tails: Vec<Tail>) -> Self {
        Self { rows: rows.into_iter().flatten().collect(), tails }
    }

    /// How many rows are in memory.
    pub fn kept(&self) -> usize {
        self.rows.len() + self.tails.iter().map(|tail| tail.first.len()).sum::<usize>()
    }

    /// The rows up to this time, in order of time, quantity and entity.
    pub fn until(&self, end: Time) -> Vec<Sample> {
        let before = self.rows.iter().filter(|row| row.time <= end).copied();
        let mut rows: Vec<Sample> = before.chain(self.tails.iter().flat_map(|tail| tail.rows(end))).collect();
        rows.sort_by_key(|row| (row.time, row.quantity, row.entity, row.source, row.part, row.priority));
        rows
    }
}

/// Which flows of a host are watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedFlows {
    /// All of them.
    pub all: bool,
    /// Those of these numbers.
    pub numbers: Vec<u32>,
}

impl WatchedFlows {
    /// Whether this flow is watched.
    pub fn contains(&self, number: u32) -> bool {
        self.all || self.numbers.contains(&number)
    }
}

/// One quantity sampled at an interval.
#[derive(Clone, Debug)]
pub struct Series {
    /// What.
    pub quantity: Quantity,
    /// How often.
    pub every: Span,
    /// Which ports, by their number; empty for quantities of flows and pools.
    pub ports: Vec<bool>,
    /// Which flows, by host; empty for quantities of ports.
    pub flows: Vec<WatchedFlows>,
    /// Which pools, by the first port of their switch and their number, in order; empty for all else.
    pub pools: Vec<(PortId, u32)>,
}

impl Series {
    /// Of nothing as yet.
    pub fn new(quantity: Quantity, every: Span) -> Self {
        Self { quantity, every, ports: Vec::new(), flows: Vec::new(), pools: Vec::new() }
    }
}

/// Everything that is sampled.
#[derive(Clone, Debug, Default)]
pub struct Sampler {
    /// One entry for each quantity.
    pub series: Vec<Series>,
    /// Those in use.
    pub classes: Classes,
}

impl Sampler {
    /// The intervals, in the order of the series.
    pub fn intervals(&self) -> Vec<Span> {
        self.series.iter().map(|series| series.every).collect()
    }
}

/// One thread's samples and what it must remember from one to the next.
#[derive(Debug)]
pub(super) struct Sampling<'a> {
    sampler: &'a Sampler,
    /// The counter of each port at the sample before, by series.
    before: Vec<Vec<u64>>,
    rows: Vec<Sample>,
    /// The latest sample that was not like the one before, by series.
    tails: Vec<Tail>,
}

impl<'a> Sampling<'a> {
    pub(super) fn new(sampler: &'a Sampler) -> Self {
        let before = sampler.series.iter().map(|series| vec![0; series.ports.len()]).collect();
        let tail = |series: &Series| Tail { every: series.every, ..Tail::default() };
        let tails = sampler.series.iter().map(tail).collect();
        Self { sampler, before, rows: Vec::new(), tails }
    }

    /// All rows, and what they leave out at the end.
    pub(super) fn into_parts(self) -> (Vec<Sample>, Vec<Tail>) {
        (self.rows, self.tails)
    }

    /// The number of series.
    pub(super) fn count(&self) -> usize {
        self.sampler.series.len()
    }

    /// Samples one of them.
    pub(super) fn sample(
        &mut self,
        index: usize,
        now: Time,
        hosts: &[Host],
        switches: &[Switch],
        counts: Option<&mut Counts>,
    ) {
        let place = self.rows.len();
        self.take_sample(index, now, hosts, switches, counts);
        let (rows, tail) = (&mut self.rows, &mut self.tails[index]);
        let is_like = |(one, other): (&Sample, &Sample)| *one == Sample { time: one.time, ..*other };
        let (fresh, first) = (&rows[place..], &tail.first);
        if fresh.len() == first.len() && fresh.iter().zip(first).all(is_like) {
            tail.more += u64::from(!first.is_empty());
            return rows.truncate(place);
        }
        let fresh = rows.split_off(place);
        rows.extend(tail.rows(now));
        rows.extend_from_slice(&fresh);
        (tail.first, tail.more) = (fresh, 0);
    }

    fn take_sample(
        &mut self,
        index: usize,
        now: Time,
        hosts: &[Host],
        switches: &[Switch],
        counts: Option<&mut Counts>,
    ) {
        let series = &self.sampler.series[index];
        match series.quantity {
            Quantity::Window | Quantity::Rate => return self.sample_flows(series, now, hosts),
            Quantity::FlowThroughput | Quantity::Cnms => {
                let counts = counts.expect("what is sampled is counted");
                return self.sample_counts(series, now, hosts, &mut counts.flows);
            }
            Quantity::Pool => return self.sample_pools(series, now, switches),
            Quantity::Input => return self.sample_inputs(series, now, switches),
            _ => {}
        }
        let mut counts = counts.map(|counts| &mut counts.ports);
        for host in hosts {
            let port = host.port();
            if series.ports[port.id() as usize] {
                let bytes = |priority| host.queued_of(priority);
                self.sample_port(index, now, port, counts.as_deref_mut(), bytes);
            }
        }
        for switch in switches {
            for (number, port) in switch.ports().iter().enumerate() {
                if series.ports[port.id() as usize] {
                    let bytes = |priority| switch.queue_bytes(number as u16, priority);
                    self.sample_port(index, now, port, counts.as_deref_mut(), bytes);
                }
            }
        }
    }

    fn sample_flows(&mut self, series: &Series, now: Time, hosts: &[Host]) {
        for host in hosts {
            let watched = &series.flows[host.id() as usize];
            let mut push = |number, value| {
                if watched.contains(number) {
                    self.push(now, series.quantity, host.id(), number, value);
                }
            };
            if series.quantity == Quantity::Rate {
                host.rates_before(now).for_each(|(number, rate)| push(number, rate.as_f64()));
            } else {
                host.windows().for_each(|(number, window)| push(number, window.as_f64()));
            }
        }
    }

    /// What was counted of flows since the sample before; before the first there is nothing.
    fn sample_counts(&mut self, series: &Series, now: Time, hosts: &[Host], counts: &mut FlowCounts) {
        if now == Time::ZERO {
            return;
        }
        for host in hosts {
            let (of_flows, unit) = if series.quantity == Quantity::FlowThroughput {
                (counts.take_sent(now, host), 8.0 / series.every.as_seconds())
            } else {
                (counts.take_cnms(host), 1.0)
            };
            let watched = &series.flows[host.id() as usize];
            for (number, count) in of_flows.into_iter().filter(|(number, _)| watched.contains(*number)) {
                self.push(now, series.quantity, host.id(), number, count as f64 * unit);
            }
        }
    }

    fn sample_pools(&mut self, series: &Series, now: Time, switches: &[Switch]) {
        for switch in switches.iter().filter_map(Switch::shared_memory) {
            let first = switch.ports()[0].id();
            let lossless = switch.pausing().map(|pausing| (LOSSLESS_POOL, pausing.ingress().shared_used()));
            for (number, used) in (0..).zip(switch.mmu().pools()).chain(lossless) {
                if series.pools.binary_search(&(first, number)).is_ok() {
                    self.push(now, Quantity::Pool, first, number, used.as_f64());
                }
            }
        }
    }

    fn sample_inputs(&mut self, series: &Series, now: Time, switches: &[Switch]) {
        for switch in switches.iter().filter_map(Switch::cioq) {
            for (number, port) in (0..).zip(switch.ports()) {
                if series.ports[port.id() as usize] {
                    let bytes = |priority| switch.input_bytes(number, priority);
                    let flows = switch.flows_at_input(number);
                    self.rows.extend(input_rows(now, port.id(), self.sampler.classes, bytes, flows));
                }
            }
        }
    }

    fn sample_port(
        &mut self,
        index: usize,
        now: Time,
        port: &Port,
        counts: Option<&mut PortCounts>,
        bytes: impl Fn(usize) -> Bytes,
    ) {
        let Series { quantity, every, .. } = self.sampler.series[index];
        let classes = self.sampler.classes;
        if quantity == Quantity::Queue {
            for priority in classes.iter() {
                self.push(now, quantity, port.id(), priority as u32, bytes(priority).as_f64());
            }
            return;
        }
        if now == Time::ZERO {
            // Nothing has happened yet.
            return;
        }
        let per_second = |bytes: u64| bytes as f64 * 8.0 / every.as_seconds();
        if quantity.is_counted_by_class(classes) {
            let counted = counts.expect("what is sampled is counted").take(quantity, now, port);
            for priority in classes.iter() {
                let count = counted[priority];
                let is_count = quantity != Quantity::ClassThroughput;
                let value = if is_count { count as f64 } else { per_second(count) };
                self.push(now, quantity, port.id(), priority as u32, value);
            }
            return;
        }
        let counter = match quantity {
            Quantity::Throughput => port.wire_bytes_by(now).get(),
            Quantity::Marks => port.counters.marked,
            Quantity::Drops => port.counters.dropped(),
            _ => unreachable!("no quantity of ports"),
        };
        let count = counter - std::mem::replace(&mut self.before[index][port.id() as usize], counter);
        if quantity == Quantity::Throughput {
            self.push(now, quantity, port.id(), 0, per_second(count));
        } else {
            let class = classes.lowest().unwrap_or_default();
            self.push(now, quantity, port.id(), class as u32, count as f64);
        }
    }

    fn push(&mut self, time: Time, quantity: Quantity, entity: u32, part: u32, value: f64) {
        self.rows.push(Sample::new(time, quantity, entity, part, value));
    }
}
