//! What is sampled at global instants, and the rows that samples and recorded changes become.

use super::headroom_log::HeadroomLog;
use super::pause_log::{PauseChange, PauseLog};
use crate::host::Host;
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::observer::{Accounted, DropReason, Observer, Xoff};
use crate::packet::classes_of;
use crate::port::Port;
use crate::switch::Switch;
use crate::topology::NodeId;
use crate::topology::PortId;

/// What a row tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Quantity {
    /// Bytes in a queue.
    Queue,
    /// Bits per second on the wire since the sample before.
    Throughput,
    /// Packets marked since the row before.
    Marks,
    /// Packets dropped since the row before.
    Drops,
    /// Bytes of window.
    Window,
    /// Bytes in a shared pool.
    Pool,
    /// Bits per second that a congestion control allows.
    Rate,
}

impl Quantity {
    /// All quantities in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::Queue, Self::Throughput, Self::Marks, Self::Drops, Self::Window, Self::Pool, Self::Rate];

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Throughput => "throughput",
            Self::Marks => "marks",
            Self::Drops => "drops",
            Self::Window => "window",
            Self::Pool => "pool",
            Self::Rate => "rate",
        }
    }
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub time: Time,
    /// What.
    pub quantity: Quantity,
    /// The port, the host for windows and rates, or the first port of their switch for pools.
    pub entity: u32,
    /// The traffic class, the flow's number at its host for windows and rates, or the number of a pool.
    pub part: u32,
    /// How much.
    pub value: f64,
}

/// Rows in order of time, quantity and entity.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// The rows.
    pub rows: Vec<Sample>,
}

impl Samples {
    /// Puts the rows of several threads together.
    pub fn merge(parts: impl IntoIterator<Item = Vec<Sample>>) -> Self {
        let mut rows: Vec<Sample> = parts.into_iter().flatten().collect();
        rows.sort_by_key(|row| (row.time, row.quantity, row.entity, row.part));
        Self { rows }
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
    /// Which ports, by their number; empty for windows, rates and pools.
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
    /// Bit n is set while class n is in use.
    pub classes: u8,
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
    pub(super) rows: Vec<Sample>,
}

impl<'a> Sampling<'a> {
    pub(super) fn new(sampler: &'a Sampler) -> Self {
        let before = sampler.series.iter().map(|series| vec![0; series.ports.len()]).collect();
        Self { sampler, before, rows: Vec::new() }
    }

    /// The number of series.
    pub(super) fn count(&self) -> usize {
        self.sampler.series.len()
    }

    pub(super) fn sample(&mut self, index: usize, now: Time, hosts: &[Host], switches: &[Switch]) {
        let series = &self.sampler.series[index];
        match series.quantity {
            Quantity::Window | Quantity::Rate => return self.sample_flows(series, now, hosts),
            Quantity::Pool => return self.sample_pools(series, now, switches),
            _ => {}
        }
        for host in hosts {
            let port = host.port();
            if series.ports[port.id() as usize] {
                self.sample_port(index, now, port, |priority| host.queued_of(priority));
            }
        }
        for switch in switches {
            for (number, port) in switch.ports().iter().enumerate() {
                if series.ports[port.id() as usize] {
                    let bytes = |priority| switch.queue_bytes(number as u16, priority);
                    self.sample_port(index, now, port, bytes);
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
                host.rates().for_each(|(number, rate)| push(number, rate.as_f64()));
            } else {
                host.windows().for_each(|(number, window)| push(number, window.as_f64()));
            }
        }
    }

    fn sample_pools(&mut self, series: &Series, now: Time, switches: &[Switch]) {
        for switch in switches.iter().filter_map(Switch::shared_memory) {
            let first = switch.ports()[0].id();
            for (number, used) in (0..).zip(switch.mmu().pools()) {
                if series.pools.binary_search(&(first, number)).is_ok() {
                    self.push(now, Quantity::Pool, first, number, used.as_f64());
                }
            }
        }
    }

    fn sample_port(&mut self, index: usize, now: Time, port: &Port, bytes: impl Fn(usize) -> Bytes) {
        let series = &self.sampler.series[index];
        if series.quantity == Quantity::Queue {
            for priority in classes_of(self.sampler.classes) {
                self.push(now, Quantity::Queue, port.id(), priority as u32, bytes(priority).as_f64());
            }
            return;
        }
        let counter = match series.quantity {
            Quantity::Throughput => port.wire_bytes_by(now).get(),
            Quantity::Marks => port.counters.marked,
            Quantity::Drops => port.counters.dropped(),
            Quantity::Queue | Quantity::Window | Quantity::Pool | Quantity::Rate => 0,
        };
        let before = std::mem::replace(&mut self.before[index][port.id() as usize], counter);
        if now == Time::ZERO {
            return;
        }
        let difference = (counter - before) as f64;
        let value = if series.quantity == Quantity::Throughput {
            difference * 8.0 / series.every.as_seconds()
        } else {
            difference
        };
        self.push(now, series.quantity, port.id(), 0, value);
    }

    fn push(&mut self, time: Time, quantity: Quantity, entity: u32, part: u32, value: f64) {
        self.rows.push(Sample { time, quantity, entity, part, value });
    }
}

/// Records changes of what is watched.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// Which ports are watched, by quantity; empty where none is.
    pub ports: [Vec<bool>; Quantity::ALL.len()],
    /// Which flows' windows are watched, by host; empty where none is.
    pub windows: Vec<WatchedFlows>,
    /// Which flows' rates are watched, by host; empty where none is.
    pub rates: Vec<WatchedFlows>,
    /// Whether pauses are watched.
    pub pauses: bool,
    /// Whether headroom is watched.
    pub headroom: bool,
    /// What was recorded.
    pub recorded: Recorded,
}

/// What was recorded on change.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Of queues, marks, drops, windows and rates.
    pub rows: Vec<Sample>,
    /// Of pauses.
    pub pauses: PauseLog,
    /// Of headroom.
    pub headroom: HeadroomLog,
}

impl Recorder {
    /// Whether anything is watched.
    pub fn is_watching(&self) -> bool {
        self.pauses
            || self.headroom
            || !self.windows.is_empty()
            || !self.rates.is_empty()
            || self.ports.iter().any(|ports| !ports.is_empty())
    }

    fn record_of_flow(&mut self, time: Time, quantity: Quantity, host: NodeId, flow: u32, value: f64) {
        let watched = if quantity == Quantity::Rate { &self.rates } else { &self.windows };
        if watched.get(host as usize).is_some_and(|watched| watched.contains(flow)) {
            self.recorded.rows.push(Sample { time, quantity, entity: host, part: flow, value });
        }
    }

    fn record(&mut self, time: Time, quantity: Quantity, port: PortId, priority: usize, value: f64) {
        if self.ports[quantity as usize].get(port as usize).copied().unwrap_or(false) {
            self.recorded.rows.push(Sample { time, quantity, entity: port, part: priority as u32, value });
        }
    }
}

impl Observer for Recorder {
    fn on_queue(&mut self, now: Time, port: PortId, priority: usize, bytes: Bytes) {
        self.record(now, Quantity::Queue, port, priority, bytes.as_f64());
    }
    fn on_mark(&mut self, now: Time, port: PortId, priority: usize) {
        self.record(now, Quantity::Marks, port, priority, 1.0);
    }
    fn on_drop(&mut self, now: Time, port: PortId, priority: usize, _reason: DropReason) {
        self.record(now, Quantity::Drops, port, priority, 1.0);
    }
    fn watches_pauses(&self) -> bool {
        self.pauses
    }
    fn on_xoff(&mut self, now: Time, xoff: Xoff) {
        self.recorded.pauses.xoffs.push((now, xoff));
    }
    fn watches_headroom(&self) -> bool {
        self.headroom
    }
    fn on_accounted(&mut self, now: Time, change: &Accounted) {
        self.recorded.headroom.record(now, change);
    }
    fn on_pause(&mut self, now: Time, port: PortId, priority: usize, pauses: bool) {
        if self.pauses {
            self.recorded.pauses.changes.push(PauseChange { time: now, port, priority, pauses });
        }
    }
    fn on_window(&mut self, now: Time, host: NodeId, flow: u32, window: Bytes) {
        self.record_of_flow(now, Quantity::Window, host, flow, window.as_f64());
    }
    fn on_rate(&mut self, now: Time, host: NodeId, flow: u32, rate: Rate) {
        self.record_of_flow(now, Quantity::Rate, host, flow, rate.as_f64());
    }
}
