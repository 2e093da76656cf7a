//! Recorder: the observer of a run that records changes, or counts for samples.

use super::counts::{Counting, Counts};
use super::headroom_log::HeadroomLog;
use super::packet_log::{PacketEvent, PacketLog};
use super::pause_log::{PauseChange, PauseLog};
use super::sampler::WatchedFlows;
use super::samples::{Quantity, Sample};
use crate::kernel::units::{Bytes, Rate, Time};
use crate::observer::{Accounted, Dropped, Observer, Release, Xoff};
use crate::packet::Packet;
use crate::topology::{NodeId, PortId};

/// Observer that records changes of watched ports and flows.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// Whether each port is watched, by quantity; empty where no port is watched.
    pub ports: [Vec<bool>; Quantity::ALL.len()],
    /// Watched flows of each host, by quantity; empty where no flow is watched.
    pub flows: [Vec<WatchedFlows>; Quantity::ALL.len()],
    /// Counts of flows and classes, for samples.
    pub counts: Counts,
    /// Whether pauses are watched.
    pub pauses: bool,
    /// Whether headroom is watched.
    pub headroom: bool,
    /// Log of the packets of watched flows.
    pub packets: PacketLog,
    /// Records so far.
    pub recorded: Recorded,
}

/// Records of one thread.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Rows of all quantities but drops, pauses and headroom.
    pub rows: Vec<Sample>,
    /// Dropped packets, in order of time and port.
    pub drops: Vec<(Time, Dropped)>,
    /// Log of pauses.
    pub pauses: PauseLog,
    /// Log of headroom.
    pub headroom: HeadroomLog,
    /// Steps of watched packets.
    pub packets: Vec<PacketEvent>,
}

impl Recorder {
    /// Whether the recorder has anything to watch.
    pub fn is_watching(&self) -> bool {
        self.pauses
            || self.headroom
            || self.counts.is_counting()
            || self.packets.is_watching()
            || self.flows.iter().any(|flows| !flows.is_empty())
            || self.ports.iter().any(|ports| !ports.is_empty())
    }

    /// Returns the records of the run.
    pub fn into_recorded(self) -> Recorded {
        Recorded { packets: self.packets.into_events(), ..self.recorded }
    }

    fn record_of_flow(&mut self, time: Time, quantity: Quantity, host: NodeId, flow: u32, value: f64) {
        let watched = self.flows[quantity as usize].get(host as usize);
        if watched.is_some_and(|watched| watched.contains(flow)) {
            self.recorded.rows.push(Sample::new(time, quantity, host, flow, value));
        }
    }

    fn watches(&self, quantity: Quantity, port: PortId) -> bool {
        self.ports[quantity as usize].get(port as usize).copied().unwrap_or(false)
    }

    fn record(&mut self, time: Time, quantity: Quantity, port: PortId, priority: usize, value: f64) {
        if self.watches(quantity, port) {
            self.recorded.rows.push(Sample::new(time, quantity, port, priority as u32, value));
        }
    }
}

impl Observer for Recorder {
    fn on_queue(&mut self, now: Time, port: PortId, priority: usize, bytes: Bytes) {
        self.record(now, Quantity::Queue, port, priority, bytes.as_f64());
    }
    fn on_mark(&mut self, now: Time, port: PortId, priority: usize) {
        self.counts.ports.add(Quantity::Marks, port, priority, 1);
        self.record(now, Quantity::Marks, port, priority, 1.0);
    }
    fn on_drop(&mut self, now: Time, dropped: &Dropped) {
        let (port, priority) = (dropped.port, dropped.packet.priority());
        self.counts.ports.add(Quantity::Drops, port, priority, 1);
        self.record(now, Quantity::Drops, port, priority, 1.0);
        if self.watches(Quantity::Drops, port) {
            self.recorded.drops.push((now, *dropped));
        }
        self.packets.on_drop(now, dropped);
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
    fn watches_rates(&self) -> bool {
        !self.flows[Quantity::Rate as usize].is_empty()
    }
    fn on_rate(&mut self, now: Time, host: NodeId, flow: u32, rate: Rate) {
        self.record_of_flow(now, Quantity::Rate, host, flow, rate.as_f64());
    }
    fn on_released(&mut self, now: Time, host: NodeId, flow: u32, release: Release) {
        self.packets.on_released(now, host, flow, release);
    }
    fn on_waiting(&mut self, now: Time, host: NodeId, flow: u32) {
        self.packets.on_waiting(now, host, flow);
    }
    fn on_handed(&mut self, now: Time, packet: &Packet, retransmission: bool) {
        self.packets.on_handed(now, packet, retransmission);
    }
    fn on_crossed(&mut self, now: Time, packet: &Packet) {
        self.packets.on_crossed(now, packet);
    }
    fn on_sent(&mut self, now: Time, port: PortId, packet: &Packet, wire: Bytes, ends: Time) {
        self.counts.ports.on_sent(port, packet.priority(), wire, ends);
        self.packets.on_sent(now, port, packet, ends);
    }
    fn on_received(&mut self, now: Time, packet: &Packet) {
        self.packets.on_received(now, packet);
    }
    fn on_flow_sent(&mut self, host: NodeId, flow: u32, wire: Bytes, ends: Time) {
        self.counts.flows.on_sent(host, flow, wire, ends);
    }
    fn on_cnm(&mut self, now: Time, host: NodeId, flow: u32, feedback: u8) {
        self.counts.flows.on_cnm(host, flow);
        self.record_of_flow(now, Quantity::Cnms, host, flow, feedback.into());
    }
}

impl Counting for Recorder {
    fn recorded(&self) -> u64 {
        let Recorded { rows, drops, pauses, headroom, packets: _ } = &self.recorded;
        let of_pauses = size_of_val(&*pauses.xoffs) + size_of_val(&*pauses.changes);
        let of_headroom = size_of_val(&*headroom.peaks) + size_of_val(&*headroom.off_times);
        let of_packets = self.packets.recorded();
        (size_of_val(&**rows) + size_of_val(&**drops) + of_pauses + of_headroom + of_packets) as u64
    }
    fn end_recording(&mut self) {
        let (recorded, packets) = (std::mem::take(&mut self.recorded), self.packets.ended());
        *self = Self { packets, recorded, ..Self::default() };
    }
    fn counts(&mut self) -> Option<&mut Counts> {
        Some(&mut self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_stays_when_recording_ends() {
        let mut recorder = Recorder { pauses: true, ..Recorder::default() };
        recorder.on_pause(Time::new(70), 3, 0, true);
        let recorded = recorder.recorded();
        assert_eq!(recorded, size_of::<PauseChange>() as u64);
        recorder.end_recording();
        recorder.on_pause(Time::new(80), 3, 0, false);
        assert_eq!(recorder.recorded(), recorded);
        assert!(!recorder.is_watching());
    }

    #[test]
    fn a_cnm_is_a_row_with_its_feedback() {
        let mut recorder = Recorder::default();
        recorder.flows[Quantity::Cnms as usize] = vec![WatchedFlows { all: false, numbers: vec![2] }];
        recorder.on_cnm(Time::new(70), 0, 2, 63);
        recorder.on_cnm(Time::new(80), 0, 1, 5);
        let row = Sample {
            time: Time::new(70),
            quantity: Quantity::Cnms,
            entity: 0,
            part: 2,
            source: 0,
            priority: 0,
            value: 63.0,
        };
        assert_eq!(recorder.recorded.rows, [row], "of the flow that is watched");
    }
}
