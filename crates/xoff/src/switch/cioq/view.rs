//! Views of a switch with queues at inputs and outputs.

use super::{Cioq, Output};
use crate::kernel::units::{Bytes, Time};
use crate::packet::Packet;
use crate::pfc::Durations;
use crate::port::Port;
use crate::topology::NodeId;

impl Cioq {
    /// Egress ports.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Egress ports, to be changed.
    pub fn ports_mut(&mut self) -> &mut [Port] {
        &mut self.ports
    }

    /// Bytes in use at inputs and outputs, in whole units; a frame that crosses is in both.
    pub fn used(&self) -> Bytes {
        self.sizes.unit * self.used
    }

    /// The most bytes that were ever in use.
    pub fn peak(&self) -> Bytes {
        self.sizes.unit * self.peak
    }

    /// Bytes of a class that wait at an output.
    pub fn queued(&self, output: u32, priority: usize) -> Bytes {
        self.outputs[output as usize].queued[priority]
    }

    /// Bytes that a class has in the buffer of an input, in whole units.
    pub fn input_bytes(&self, input: u32, priority: usize) -> Bytes {
        self.sizes.bytes(self.inputs[input as usize].units_of(priority))
    }

    /// Packets of a class in the buffer of an input, each with the number of its output.
    pub fn packets_from(&self, input: u32, priority: usize) -> impl Iterator<Item = (u32, &Packet)> {
        let frames = self.inputs[input as usize].frames_of(&self.slots, priority);
        frames.map(|(egress, packet, _)| (egress, packet))
    }

    /// Source, flow number, class and bytes in the buffer of each packet at an input.
    /// The packets that a flow's receiver sends back count as the flow's.
    pub fn flows_at_input(&self, input: u32) -> impl Iterator<Item = (NodeId, u32, u8, Bytes)> {
        let frames = self.inputs[input as usize].frames(&self.slots);
        frames.map(|(_, packet, units)| {
            (packet.flow_ends().0, packet.flow(), packet.priority() as u8, self.sizes.bytes(units))
        })
    }

    /// Packets in the buffers of all inputs.
    pub fn packets_at_inputs(&self) -> impl Iterator<Item = &Packet> {
        self.inputs.iter().flat_map(|input| input.packets(&self.slots))
    }

    /// Packets of a class that wait for an output or at it.
    pub fn packets_to(&self, output: u32, priority: usize) -> impl Iterator<Item = &Packet> {
        let at_inputs = self.inputs.iter().flat_map(move |input| input.frames_of(&self.slots, priority));
        let at_inputs = at_inputs.filter_map(move |(egress, packet, _)| (egress == output).then_some(packet));
        at_inputs.chain(self.ports[output as usize].queued_of(priority))
    }

    /// Whether the sender of a class at the other end of a port is paused: it was told to pause, and not to resume
    /// since.
    pub fn is_off(&self, port: u32, priority: usize) -> bool {
        self.flow_control.is_off(port, priority)
    }

    /// Time for which senders have been told to pause.
    pub fn off_durations(&self, now: Time) -> Durations {
        self.flow_control.durations(now)
    }

    /// Whether every unit is accounted for, and no buffer overrun.
    pub(super) fn adds_up(&self) -> bool {
        let at_inputs = self.inputs.iter().flat_map(|input| input.frames(&self.slots));
        let at_inputs: u64 = at_inputs.map(|(_, _, units)| u64::from(units)).sum();
        let counted: u64 = self.inputs.iter().map(|input| u64::from(input.units())).sum();
        let at_outputs: u64 = self.outputs.iter().flat_map(|output| output.units).map(u64::from).sum();
        let units_of = |packet: &Packet| u64::from(self.sizes.units(packet.frame()));
        let queued: u64 = self.ports.iter().flat_map(Port::queued).map(units_of).sum();
        let of_input = self.sizes.input.max(self.sizes.internal_input * self.ranks.count as u32);
        let inputs_hold = self.inputs.iter().all(|input| input.units() <= of_input);
        let within = |output: &Output| output.units.iter().all(|&units| units <= output.limit);
        let outputs_hold = self.outputs.iter().all(within);
        at_inputs == counted
            && at_inputs + at_outputs == self.used
            && queued <= at_outputs
            && inputs_hold
            && outputs_hold
    }
}
