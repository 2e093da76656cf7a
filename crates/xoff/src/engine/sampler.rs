//! The sampler: at global instants it reads ports, flows and pools, and appends a row for each that is watched.

use std::sync::Arc;

use super::counts::Counts;
use super::flow_counts::FlowCounts;
use super::inputs::input_rows;
use super::port_counts::PortCounts;
use super::samples::{LOSSLESS_POOL, Quantity, Sample, Tail};
use crate::classes::Classes;
use crate::host::{Host, TcpState};
use crate::kernel::units::{Bytes, Span, Time};
use crate::port::Port;
use crate::switch::Switch;
use crate::topology::PortId;

/// Flows of one host that are watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedFlows {
    /// Whether all flows of the host are watched.
    pub all: bool,
    /// Numbers of watched flows at this host.
    pub numbers: Vec<u32>,
}

impl WatchedFlows {
    /// Whether the flow of this number is watched.
    pub fn contains(&self, number: u32) -> bool {
        self.all || self.numbers.contains(&number)
    }
}

/// One quantity sampled at an interval.
#[derive(Clone, Debug)]
pub struct Series {
    /// Quantity to sample.
    pub quantity: Quantity,
    /// Interval between samples.
    pub every: Span,
    /// Whether each port is sampled, by its number; empty for quantities of flows and pools.
    pub ports: Vec<bool>,
    /// Sampled flows of each host; empty for quantities of ports.
    pub flows: Vec<WatchedFlows>,
    /// Sampled pools in ascending order, as (first port of the switch, number of the pool); empty for other
    /// quantities.
    pub pools: Vec<(PortId, u32)>,
}

impl Series {
    /// Returns a series that samples nothing yet.
    pub fn new(quantity: Quantity, every: Span) -> Self {
        Self { quantity, every, ports: Vec::new(), flows: Vec::new(), pools: Vec::new() }
    }
}

/// Everything that a run samples.
#[derive(Clone, Debug, Default)]
pub struct Sampler {
    /// Series of samples, one for each quantity and interval.
    pub series: Vec<Series>,
    /// Traffic classes in use.
    pub classes: Classes,
}

impl Sampler {
    /// Returns the intervals in the order of the series.
    pub fn intervals(&self) -> Vec<Span> {
        self.series.iter().map(|series| series.every).collect()
    }
}

/// Samples that one thread has taken, and the thread's memory from one sample to the next.
#[derive(Debug)]
pub(super) struct Sampling {
    sampler: Arc<Sampler>,
    /// Value of each port's counter at the previous sample, by series.
    before: Vec<Vec<u64>>,
    rows: Vec<Sample>,
    /// Latest distinct sample of each series.
    tails: Vec<Tail>,
    /// Time skipped so far, by which the times of rows are ahead of the network's clock.
    pub(super) skipped: Span,
}

impl Sampling {
    pub(super) fn new(sampler: Arc<Sampler>) -> Self {
        let before = sampler.series.iter().map(|series| vec![0; series.ports.len()]).collect();
        let tails = sampler.series.iter().map(|series| Tail::new(series.every)).collect();
        Self { sampler, before, rows: Vec::new(), tails, skipped: Span::ZERO }
    }

    /// Returns the rows, and the repeated samples at the end of each series.
    pub(super) fn into_parts(self) -> (Vec<Sample>, Vec<Tail>) {
        (self.rows, self.tails)
    }

    /// Returns the memory that the samples so far take once each is a row, in bytes.
    pub(super) fn recorded(&self) -> u64 {
        let repeated = self.tails.iter().map(Tail::repeated).fold(0, u64::saturating_add);
        repeated.saturating_add(self.rows.len() as u64).saturating_mul(size_of::<Sample>() as u64)
    }

    /// Returns the number of series.
    pub(super) fn count(&self) -> usize {
        self.sampler.series.len()
    }

    /// Takes a sample of one series.
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
        if tail.repeats(&rows[place..]) {
            return rows.truncate(place);
        }
        let fresh = rows.split_off(place);
        rows.extend(tail.rows(now + self.skipped));
        rows.extend_from_slice(&fresh);
        tail.restart(fresh);
    }

    fn take_sample(
        &mut self,
        index: usize,
        now: Time,
        hosts: &[Host],
        switches: &[Switch],
        counts: Option<&mut Counts>,
    ) {
        let sampler = Arc::clone(&self.sampler);
        let series = &sampler.series[index];
        match series.quantity {
            Quantity::Window | Quantity::Rate => return self.sample_flows(series, now, hosts),
            Quantity::Alpha | Quantity::Threshold | Quantity::Rtt | Quantity::RecoveryState => {
                return self.sample_tcp(series, now, hosts);
            }
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
                    let bytes = |priority| switch.queue_bytes(number as u32, priority);
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

    /// Samples senders of TCP. A flow without a value has no row, such as a threshold before the first reduction.
    fn sample_tcp(&mut self, series: &Series, now: Time, hosts: &[Host]) {
        let value = |state: &TcpState| match series.quantity {
            Quantity::Alpha => state.alpha,
            Quantity::Threshold => state.threshold.map(Bytes::as_f64),
            Quantity::Rtt => state.round_trip.map(|round_trip| round_trip.get() as f64 / 1e3),
            Quantity::RecoveryState => Some(state.recovery.into()),
            _ => unreachable!("no quantity of TCP"),
        };
        for host in hosts {
            let watched = &series.flows[host.id() as usize];
            for (number, state) in host.tcp_states().filter(|(number, _)| watched.contains(*number)) {
                if let Some(value) = value(&state) {
                    self.push(now, series.quantity, host.id(), number, value);
                }
            }
        }
    }

    /// Samples bytes sent or CNMs received by each flow since the previous sample. The first instant has no rows.
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
                    self.rows.extend(input_rows(
                        now + self.skipped,
                        port.id(),
                        self.sampler.classes,
                        bytes,
                        flows,
                    ));
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
        self.rows.push(Sample::new(time + self.skipped, quantity, entity, part, value));
    }
}
