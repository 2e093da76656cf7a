//! Congestion points (QCN) at the buffers of inputs and outputs, which send a CNM to the source that they blame.
//! The CNM of an input leaves by the input's own port. That of an output crosses the crossbar like any other packet.

use super::Cioq;
use super::input::Input;
use crate::agenda::{Agenda, Context};
use crate::classes::PRIORITIES;
use crate::kernel::room::Room;
use crate::kernel::timers::Timer;
use crate::observer::{DropReason, Observer};
use crate::packet::{ACKNOWLEDGEMENT, Packet};
use crate::switch::congestion_point::{CongestionPoint, Feedback, Frames};
use crate::topology::NodeId;

/// Congestion points of one switch.
#[derive(Debug, Default)]
pub struct CongestionPoints {
    /// Congestion points of inputs, by port and class; empty if inputs have none.
    pub inputs: Vec<Option<CongestionPoint>>,
    /// Congestion points of outputs, by port and class; empty if outputs have none.
    pub outputs: Vec<Option<CongestionPoint>>,
    /// Timers that sample while a sender is paused, by port and class; empty if inputs have no congestion points.
    pub keep_alives: Vec<Timer>,
}

/// Counters of the CNMs of one switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CnmCounters {
    /// CNMs made by the congestion points of the switch's inputs.
    pub of_inputs: u64,
    /// CNMs made by the congestion points of the switch's outputs.
    pub of_outputs: u64,
    /// CNMs that have crossed the switch's crossbar.
    pub crossed: u64,
}

/// Occupancy of a full buffer in the units in which credits tell the congestion of a way.
const FULL: u32 = 1 << 16;

/// Frames of a class in the buffer of an input.
struct OfInput<'a> {
    switch: &'a Cioq,
    input: &'a Input,
    priority: usize,
}

impl OfInput<'_> {
    /// Frame at a position, with its output and units.
    fn frame(&self, position: u32) -> (u32, &Packet, u32) {
        self.input.frame(&self.switch.slots, self.priority, position)
    }
}

impl Frames for OfInput<'_> {
    fn count(&self) -> u32 {
        self.input.count(self.priority)
    }
    fn units(&self, position: u32) -> u32 {
        self.frame(position).2
    }
    fn largest(&self) -> u32 {
        self.switch.sizes.largest
    }
    fn is_data(&self, position: u32) -> bool {
        !self.frame(position).1.is(ACKNOWLEDGEMENT)
    }
    fn path_congestion(&self, position: u32) -> u32 {
        let (output, packet, _) = self.frame(position);
        self.switch.path_congestion(output, packet.destination())
    }
}

/// The one frame that has just arrived at an output.
struct Arrived<'a>(&'a Packet);

impl Frames for Arrived<'_> {
    fn count(&self) -> u32 {
        1
    }
    fn units(&self, _position: u32) -> u32 {
        1
    }
    fn largest(&self) -> u32 {
        1
    }
    fn is_data(&self, _position: u32) -> bool {
        !self.0.is(ACKNOWLEDGEMENT)
    }
    fn path_congestion(&self, _position: u32) -> u32 {
        0
    }
}

fn number(port: u32, priority: usize) -> usize {
    port as usize * PRIORITIES + priority
}

impl Cioq {
    /// Has the congestion point of an input take note of a packet that has arrived as the last of its frames.
    #[inline]
    pub(super) fn measure_input(
        &mut self,
        input: u32,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(Some(point)) = self.points.inputs.get_mut(number(input, packet.priority())) else { return };
        let units = self.inputs[input as usize].units_of(packet.priority());
        let occupancy = self.sizes.bytes(units);
        if let Some(feedback) = point.on_arrival(packet.frame(), occupancy) {
            self.blame(input, packet.priority(), true, feedback, context);
        }
    }

    /// Chooses the source that is told of the congestion of a class at an input, and sends it a CNM.
    #[cold]
    fn blame(
        &mut self,
        input: u32,
        priority: usize,
        has_arrived: bool,
        feedback: Feedback,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(mut point) = self.points.inputs[number(input, priority)].take() else { return };
        let frames = OfInput { switch: self, input: &self.inputs[input as usize], priority };
        let arrived = has_arrived.then(|| frames.count() - 1);
        let culprit = point.culprit(arrived, &frames).map(|position| *frames.frame(position).1);
        if let Some(culprit) = culprit {
            self.counters.of_inputs += 1;
            self.send_cnm(input, &cnm(&culprit, feedback, &point), context);
        }
        self.points.inputs[number(input, priority)] = Some(point);
    }

    /// Puts a CNM into the buffer of an output, past the crossbar.
    fn send_cnm(&mut self, output: u32, cnm: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let units = self.sizes.units(cnm.frame());
        let buffer = &mut self.outputs[output as usize];
        if !buffer.has_room(cnm.priority(), units) {
            let held = self.sizes.bytes(buffer.units[cnm.priority()]);
            let room = Room { held, limit: self.sizes.bytes(buffer.limit) };
            return self.ports[output as usize].drop(cnm, DropReason::PoolFull, Some(room), context);
        }
        buffer.units[cnm.priority()] += units;
        let has_room = buffer.has_room(cnm.priority(), self.sizes.largest);
        self.crossbar.set_room(self.ranks.rank[cnm.priority()], output, has_room);
        self.count_in(units, context);
        if self.marking.is_some() {
            self.tell_output(output, cnm, context.now);
        }
        self.emit(output, *cnm, units, context);
    }

    /// Has the congestion point of an output take note of a packet that is counted there.
    #[inline]
    pub(super) fn measure_output(
        &mut self,
        output: u32,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let priority = packet.priority();
        let Some(Some(point)) = self.points.outputs.get_mut(number(output, priority)) else { return };
        let units = self.outputs[output as usize].units[priority];
        let occupancy = self.sizes.bytes(units);
        let Some(feedback) = point.on_arrival(packet.frame(), occupancy) else { return };
        if point.culprit(Some(0), &Arrived(packet)).is_some() {
            let cnm = cnm(packet, feedback, point);
            self.counters.of_outputs += 1;
            // It crosses from the port's own input, where no pause can hold it back.
            self.receive(output, cnm, false, context);
        }
    }

    /// Starts the clock, if there is one, that samples an input while the sender of a class is paused.
    #[cold]
    pub(super) fn keep_alive(
        &mut self,
        input: u32,
        priority: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let index = number(input, priority);
        let point = self.points.inputs.get(index).and_then(Option::as_ref);
        let Some(period) = point.and_then(CongestionPoint::keep_alive) else { return };
        let due = context.now + period;
        self.keep_alives.arm(&mut self.points.keep_alives[index], (input, priority as u8), due);
        context.agenda.crossbar_due(self.ports[0].id(), due);
    }

    /// Samples the inputs whose clock is due.
    #[inline]
    pub(super) fn measure_paused_inputs(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        while self.keep_alives.next() == context.now {
            let Some((time, key)) = self.keep_alives.pop() else { break };
            let (input, priority) = (key.0, usize::from(key.1));
            let index = number(input, priority);
            let expires = self.keep_alives.expires(&mut self.points.keep_alives[index], key, time);
            if expires && self.flow_control.is_off(input, priority) {
                let units = self.inputs[input as usize].units_of(priority);
                let occupancy = self.sizes.bytes(units);
                let feedback = self.points.inputs[index].as_mut().and_then(|point| point.on_clock(occupancy));
                if let Some(feedback) = feedback {
                    self.blame(input, priority, false, feedback, context);
                }
                self.keep_alive(input, priority, context);
            }
        }
    }

    /// Occupancy of an output, in parts of 65536.
    pub(super) fn congestion_at(&self, output: u32) -> u32 {
        let buffer = &self.outputs[output as usize];
        let whole = u64::from(buffer.limit) * self.ranks.count as u64;
        let used = u64::from(buffer.units.iter().sum::<u32>());
        (used * u64::from(FULL) / whole) as u32
    }

    /// Occupancy of the fullest buffer on the way of a frame that waits for an output, in parts of 65536.
    /// Towards another switch of the fabric, the output itself does not count: all that goes there waits for it.
    pub(super) fn path_congestion(&self, output: u32, destination: NodeId) -> u32 {
        if self.is_internal(output) {
            self.congestion_to[destination as usize]
        } else {
            self.congestion_at(output)
        }
    }
}

fn cnm(culprit: &Packet, feedback: Feedback, point: &CongestionPoint) -> Packet {
    let priority = point.cnm_priority().unwrap_or(culprit.priority() as u8);
    Packet::cnm(culprit, feedback.get(), priority)
}
