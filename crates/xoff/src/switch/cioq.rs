//! Combined input- and output-queued switch (CIOQ): buffers at inputs and at outputs, and a crossbar between them.
//!
//! The methods follow a frame's life: **receive**, **route**, **store** in a virtual output queue (VOQ) of its input,
//! **match**, **cross**, **queue** at the output, **transmit**. `input.rs` is the buffer of an input. `crossbar.rs`
//! says who crosses when, as an algorithm of `switch/matching/` pairs inputs with outputs. `flow_control.rs` says when
//! senders pause. `congestion.rs` asks the congestion points of inputs and outputs, and `marking.rs` their markers.
//! `internal.rs` is about links with credits, which make several switches one fabric. `fifo.rs` makes departures no
//! events where outputs send in the order of arrival.
//!
//! Frames cross whole; cells exist only as the units in which buffers count. No frame begins to cross to an output that
//! has no room for the largest one.

mod congestion;
mod crossbar;
mod fifo;
mod flow_control;
mod input;
mod internal;
mod marking;
mod signal;
mod view;

use super::marking::When;
use super::matching;
use super::pause_cause;
use crate::agenda::{Agenda, Context};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::room::Room;
use crate::kernel::timers::Timers;
use crate::kernel::units::{Bytes, Rate, Time};
use crate::observer::{DropReason, Observer, PauseReason};
use crate::packet::{ECN_CAPABLE, Packet};
use crate::pause_frames::{self, PauseFrames, PfcRequest};
use crate::pfc::Reactions;
use crate::port::Port;
use crate::queued_flows::by_flow;
use crate::routing::SwitchRoutes;
pub use congestion::{CnmCounters, CongestionPoints};
use crossbar::{Crossbar, Transfer};
pub use flow_control::Thresholds;
use input::{Input, Place, Slots};
use internal::Credits;
pub use internal::Downstream;
pub use marking::Marking;

/// Virtual output queues: the other frames of an input behind which a frame waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voqs {
    /// Frames for the same output.
    PerOutput,
    /// Frames for the same host.
    PerDestination,
    /// All frames.
    One,
}

/// Sizes of a switch, in units of its memory.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// Bytes of a unit.
    pub unit: Bytes,
    /// Units of the largest frame.
    pub largest: u32,
    /// Units of the buffer of each input.
    pub input: u32,
    /// Units of an input's buffer for all frames together that no pause holds back: those of lossy classes, and CNMs
    /// of outputs.
    pub lossy: u32,
    /// Units of the buffer of each output that each class may have.
    pub output: u32,
    /// Units of the buffer of an input on a link with credits that each class may have.
    pub internal_input: u32,
    /// Units of the buffer of an output on a link with credits that each class may have.
    pub internal_output: u32,
}

/// Pieces from which a CIOQ switch is built.
#[derive(Debug)]
pub struct Parts {
    /// Egress ports.
    pub ports: Vec<Port>,
    /// Next hops by destination.
    pub routes: SwitchRoutes,
    /// Reactions of the switch's ports to pause frames.
    pub reactions: Reactions,
    /// Classes in use.
    pub classes: Classes,
    /// Lossless classes.
    pub lossless: Classes,
    /// Sizes of the switch's buffers.
    pub sizes: Sizes,
    /// Thresholds at which senders of lossless classes pause and resume.
    pub thresholds: Thresholds,
    /// Pause frames that tell senders to pause or resume; `None` if no class is lossless.
    pub pause_frames: Option<PauseFrames>,
    /// Virtual output queues of each input.
    pub voqs: Voqs,
    /// Number of hosts in the network.
    pub hosts: u32,
    /// Rate of the crossbar.
    pub crossbar: Rate,
    /// Algorithm that pairs inputs with outputs.
    pub matching: matching::Parameters,
    /// Buffers at the other ends of links with credits, by port; `None` for a link without credits.
    pub downstream: Vec<Option<Downstream>>,
    /// Whether inputs keep copies of packets until the output of the fabric tells that they have come out.
    pub reliable_delivery: bool,
    /// Congestion points of inputs and outputs.
    pub congestion_points: CongestionPoints,
    /// Markers of inputs and outputs.
    pub marking: Marking,
}

/// Queues at inputs and outputs, and a crossbar between them.
#[derive(Debug)]
pub struct Cioq {
    ports: Vec<Port>,
    routes: SwitchRoutes,
    reactions: Reactions,
    pause_frames: Option<PauseFrames>,
    lossless: Classes,
    ranks: Ranks,
    sizes: Sizes,
    voqs: Voqs,
    inputs: Vec<Input>,
    /// Frames in the buffers of all inputs.
    slots: Slots,
    flow_control: flow_control::Inputs,
    crossbar: Crossbar,
    outputs: Vec<Output>,
    /// Credits of each port whose link has credits.
    credits: Vec<Option<Credits>>,
    reliable_delivery: bool,
    /// The class of all packets, if they line up at outputs: they leave in the order of arrival.
    fifo: Option<usize>,
    /// Last known occupancy of the fullest buffer beyond the next switch on the way to each host, in parts of 65536.
    congestion_to: Vec<u32>,
    points: CongestionPoints,
    marking: Option<Box<Marking>>,
    keep_alives: Timers<(u32, u8)>,
    /// Counters of CNMs.
    pub counters: CnmCounters,
    /// Inputs and outputs of new pairs, with the ranks of the frames that cross; empty between matchings.
    pairs: Vec<(u32, u32, usize)>,
    /// Units in use at inputs and outputs; a frame that crosses is in both.
    used: u64,
    peak: u64,
}

/// Buffer of one output.
#[derive(Clone, Copy, Debug, Default)]
struct Output {
    /// Units by class, including the units of frames that still cross.
    units: [u32; PRIORITIES],
    /// Bytes that wait, by class.
    queued: [Bytes; PRIORITIES],
    /// Units that each class may have.
    limit: u32,
}

impl Output {
    /// Whether an output has room for `units` more of a class.
    #[inline]
    fn has_room(&self, priority: usize, units: u32) -> bool {
        self.units[priority] + units <= self.limit
    }
}

/// Classes in use, the highest first.
#[derive(Clone, Debug)]
struct Ranks {
    rank: [usize; PRIORITIES],
    count: usize,
}

impl Ranks {
    fn of(classes: Classes) -> Self {
        let mut ranks = Self { rank: [0; PRIORITIES], count: 0 };
        for priority in classes.iter().rev() {
            ranks.rank[priority] = ranks.count;
            ranks.count += 1;
        }
        ranks
    }
}

impl Cioq {
    /// A switch with empty queues.
    pub fn new(parts: Parts) -> Self {
        let Parts { ports, routes, reactions, classes, lossless, sizes, thresholds, downstream, .. } = parts;
        let marking = parts.marking;
        let has_markers = marking.inputs.is_some() || marking.outputs.is_some();
        let (count, ranks) = (ports.len(), Ranks::of(classes));
        let voqs = match parts.voqs {
            Voqs::PerOutput => count,
            Voqs::PerDestination => parts.hosts as usize,
            Voqs::One => 1,
        };
        Self {
            routes,
            reactions,
            pause_frames: parts.pause_frames,
            lossless,
            inputs: (0..count).map(|_| Input::new(count, voqs * ranks.count, ranks.count)).collect(),
            slots: Slots::default(),
            flow_control: flow_control::Inputs::new(thresholds, count),
            crossbar: Crossbar::new(parts.crossbar, &parts.matching, count, ranks.count),
            outputs: downstream.iter().map(|downstream| sizes.output_behind(downstream.as_ref())).collect(),
            credits: downstream.into_iter().map(|downstream| downstream.map(Credits::new)).collect(),
            reliable_delivery: parts.reliable_delivery,
            fifo: None,
            congestion_to: vec![0; parts.hosts as usize],
            points: parts.congestion_points,
            marking: has_markers.then(|| Box::new(marking)),
            keep_alives: Timers::default(),
            counters: CnmCounters::default(),
            pairs: Vec::with_capacity(count),
            ports,
            ranks,
            sizes,
            voqs: parts.voqs,
            used: 0,
            peak: 0,
        }
    }

    /// Takes in a packet that has arrived whole at a port, or hands a pause frame to the reactions of that port.
    pub fn on_arrival(
        &mut self,
        ingress: u32,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if let Some(control) = packet.control() {
            return pause_frames::on_arrival(ingress, control, &mut self.reactions, &self.ports, context);
        }
        let is_pausable = self.is_lossless(packet.priority());
        self.receive(ingress, packet, is_pausable, context);
    }

    /// Routes a packet, marks it, and stores it in its input if that has room. A pause can hold its sender back if
    /// `is_pausable`.
    fn receive(
        &mut self,
        ingress: u32,
        mut packet: Packet,
        is_pausable: bool,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let egress = self
            .routes
            .port(packet.destination(), || packet.sprayed_five_tuple(&context.fabric.shared_tuples));
        let units = self.sizes.units(packet.frame());
        let place = self.place(egress, &packet, is_pausable);
        let marks = self.marking.is_some()
            && self.marks_at_input(ingress, place.voq, &packet, When::Enqueue, context.now);
        if marks && !packet.is(ECN_CAPABLE) && !self.is_lossless(packet.priority()) {
            return self.ports[egress as usize].drop(&packet, DropReason::NotEcnCapable, None, context);
        }
        match self.admit(ingress, packet.priority(), units, is_pausable) {
            Ok(()) => {
                if marks {
                    self.ports[egress as usize].mark(&mut packet, context);
                }
                self.store(ingress, packet, units, place, context);
            }
            Err((reason, held, limit)) => {
                let room = Room { held: self.sizes.bytes(held), limit: self.sizes.bytes(limit) };
                self.ports[egress as usize].drop(&packet, reason, Some(room), context);
            }
        }
    }

    /// Admits a packet to the buffer of its input, or returns the reason to drop it, the units held and their limit.
    fn admit(
        &self,
        ingress: u32,
        priority: usize,
        units: u32,
        is_pausable: bool,
    ) -> Result<(), (DropReason, u32, u32)> {
        let input = &self.inputs[ingress as usize];
        if self.is_internal(ingress) {
            let fits = input.units_of(priority) + units <= self.sizes.internal_input;
            debug_assert!(fits, "whoever sends it had a credit");
            return Ok(());
        }
        let (reason, held, limit) = if is_pausable {
            (DropReason::HeadroomFull, input.units(), self.sizes.input)
        } else {
            (DropReason::PoolFull, input.units_not_pausable(), self.sizes.lossy)
        };
        if held + units <= limit { Ok(()) } else { Err((reason, held, limit)) }
    }

    /// Finds the virtual output queue of a frame for an output.
    fn place(&self, egress: u32, packet: &Packet, is_pausable: bool) -> Place {
        let rank = self.ranks.rank[packet.priority()];
        let order = match self.voqs {
            Voqs::PerOutput => egress,
            Voqs::PerDestination => packet.destination(),
            Voqs::One => 0,
        };
        Place { voq: order * self.ranks.count as u32 + rank as u32, egress, rank, is_pausable }
    }

    /// Puts a frame into the buffer of an input, and has it cross at once if it can.
    fn store(
        &mut self,
        ingress: u32,
        packet: Packet,
        units: u32,
        place: Place,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Place { egress, rank, .. } = place;
        self.count_in(units, context);
        let input = &mut self.inputs[ingress as usize];
        let is_first = input.store(&mut self.slots, packet, units, place);
        if is_first {
            self.crossbar.request(rank, ingress, egress, true);
        }
        self.control_flow(ingress, packet.priority(), context);
        self.measure_input(ingress, &packet, context);
        if is_first && self.crossbar.is_free(rank, ingress, egress) {
            self.cross_now(context);
        }
    }

    /// Runs the crossbar, once everything else that happens now has happened.
    fn cross_now(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let is_last = context.agenda.is_last_of(context.now);
        let due = if is_last { self.on_crossbar_due(context) } else { context.now };
        context.agenda.crossbar_due(self.ports[0].id(), due);
    }

    /// Runs the crossbar: takes frames that have crossed to their outputs, and has others begin to cross. Measures
    /// paused inputs whose time has come. Returns when something is due next.
    pub fn on_crossbar_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        self.measure_paused_inputs(context);
        while let Some(transfer) = self.crossbar.take_crossed(context.now) {
            self.on_crossed(transfer, context);
        }
        let Self { crossbar, pairs, .. } = self;
        crossbar.pair(|input, output, rank| pairs.push((input, output, rank)));
        for number in 0..self.pairs.len() {
            let (input, output, rank) = self.pairs[number];
            self.begin_to_cross(input, output, rank, context);
        }
        self.pairs.clear();
        debug_assert!(self.adds_up());
        self.crossbar.next_end().min(self.keep_alives.next())
    }

    /// Begins to cross the frame of this rank whose turn it is, and takes room for it at the output.
    fn begin_to_cross(
        &mut self,
        input: u32,
        output: u32,
        rank: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Self { crossbar, inputs, slots, .. } = self;
        let buffer = &mut inputs[input as usize];
        let (voq, slot, next) = buffer.take(slots, rank, output);
        if !buffer.is_ready(rank, output) {
            crossbar.request(rank, input, output, false);
        }
        if let Some(next) = next.filter(|&next| next != output) {
            crossbar.request(rank, input, next, true);
        }
        if self.marking.is_some() {
            self.mark_leaving_input(input, output, (voq, slot), context);
        }
        let Self { crossbar, slots, outputs, .. } = self;
        let (packet, units) = slots.at(slot);
        let (priority, frame) = (packet.priority(), packet.frame());
        outputs[output as usize].units[priority] += units;
        crossbar.begin(context.now, frame, Transfer { input, output, slot });
        let has_room = self.has_room(output, priority, context);
        self.crossbar.set_room(rank, output, has_room);
        if !has_room {
            self.expect_room(output, context);
        }
        self.count_in(units, context);
    }

    /// Takes a frame that has crossed to its output out of the input.
    fn on_crossed(&mut self, transfer: Transfer, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Transfer { input, output, slot } = transfer;
        let keeps_copy = self.reliable_delivery && !self.is_internal(input) && self.is_internal(output);
        let buffer = &mut self.inputs[input as usize];
        let (&(mut packet), units) = self.slots.at(slot);
        if keeps_copy {
            buffer.retain(&mut self.slots, slot);
        } else {
            buffer.free(&mut self.slots, slot);
            self.used -= u64::from(units);
            self.control_flow(input, packet.priority(), context);
        }
        self.counters.crossed += u64::from(packet.is_cnm());
        if self.is_internal(input) {
            self.on_left_internal_input(input, output, &packet, units, context);
        }
        if self.marking.is_some() && !self.mark_entering_output(output, &mut packet, units, context) {
            return;
        }
        self.measure_output(output, &packet, context);
        self.emit(output, packet, units, context);
    }

    /// Transmits a frame that is counted at its output, or has it wait there.
    fn emit(
        &mut self,
        output: u32,
        packet: Packet,
        units: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let number = output as usize;
        if self.ports[number].starts_at_once(packet.priority(), context.now) {
            self.transmit(output, packet, units, context);
        } else if self.fifo.is_some() {
            self.line_up(output, packet, context);
        } else {
            self.ports[number].enqueue(packet, context.agenda);
            self.outputs[number].queued[packet.priority()] += packet.frame();
            self.report_queue(output, packet.priority(), context);
        }
    }

    /// Sends the next frame of a port whose transmission has ended, and returns when the switch must hear of the new
    /// end.
    pub fn on_end_of_transmission(
        &mut self,
        output: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        if self.fifo.is_some() {
            return self.on_end_in_line(output, context);
        }
        let number = output as usize;
        if !self.ports[number].send_pause_frame(context)
            && let Some(packet) = self.ports[number].dequeue()
        {
            self.outputs[number].queued[packet.priority()] -= packet.frame();
            self.report_queue(output, packet.priority(), context);
            let units = self.sizes.units(packet.frame());
            self.transmit(output, packet, units, context);
        }
        self.ports[number].next_end()
    }

    fn transmit(
        &mut self,
        output: u32,
        mut packet: Packet,
        units: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.marking.is_some() {
            self.mark_leaving_output(output, &mut packet, context);
        }
        self.free_output(output, packet.priority(), units, context);
        let (port, buffer) = (&mut self.ports[output as usize], &self.outputs[output as usize]);
        port.transmit(packet, |_| buffer.queued.iter().copied().sum(), context);
        if let Some(credits) = &mut self.credits[output as usize] {
            credits.spend(&packet, port, context);
        }
    }

    /// Frees the memory of a frame that leaves an output, for which other frames may wait.
    #[inline]
    fn free_output(
        &mut self,
        output: u32,
        priority: usize,
        units: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.outputs[output as usize].units[priority] -= units;
        self.used -= u64::from(units);
        let rank = self.ranks.rank[priority];
        let has_room = self.has_room(output, priority, context);
        let had_no_room = self.crossbar.set_room(rank, output, has_room);
        if had_no_room && self.crossbar.is_awaited(rank, output) {
            context.agenda.crossbar_due(self.ports[0].id(), context.now);
        }
    }
}

impl Sizes {
    fn output_behind(&self, downstream: Option<&Downstream>) -> Output {
        let limit = if downstream.is_some() { self.internal_output } else { self.output };
        Output { limit, ..Output::default() }
    }

    /// Units that a frame takes.
    #[inline]
    pub fn units(&self, frame: Bytes) -> u32 {
        frame.get().div_ceil(self.unit.get()) as u32
    }

    /// Bytes of `units` units of memory.
    #[inline]
    pub fn bytes(&self, units: u32) -> Bytes {
        self.unit * u64::from(units)
    }
}

impl Cioq {
    fn is_lossless(&self, priority: usize) -> bool {
        self.lossless.contains(priority)
    }

    fn count_in(&mut self, units: u32, context: &Context<'_, impl Agenda, impl Observer>) {
        self.used += u64::from(units);
        if self.used > self.peak {
            self.settle(context.now, context.fabric);
            self.peak = self.peak.max(self.used);
        }
    }

    fn report_queue(
        &self,
        output: u32,
        priority: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let number = output as usize;
        let bytes = self.outputs[number].queued[priority];
        context.observer.on_queue(context.now, self.ports[number].id(), priority, bytes);
    }

    /// Pauses or resumes the sender at the other end of an input, by the units that its class holds there.
    #[inline]
    fn control_flow(
        &mut self,
        input: u32,
        priority: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if !self.is_lossless(priority) || self.is_internal(input) {
            return;
        }
        let Some(pause_frames) = &mut self.pause_frames else { return };
        let units = self.inputs[input as usize].units_of(priority);
        let request = self.flow_control.update(context.now, input, priority, units);
        if request == PfcRequest::NOTHING {
            return;
        }
        pause_frames.tell(request, input, &mut self.ports, context);
        if !request.pause.is_empty() {
            self.keep_alive(input, priority, context);
        }
        if !request.pause.is_empty() && context.observer.watches_pauses() {
            let from = self.packets_from(input, priority);
            let sender = (input, priority);
            let cause =
                pause_cause::find(&self.ports, sender, PauseReason::Threshold, from, |egress, class| {
                    by_flow(self.packets_to(egress, class))
                });
            context.observer.on_xoff(context.now, cause);
        }
    }

    /// Does what is due about pauses, and returns when something is due next.
    pub fn on_pause_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        let Self { ports, reactions, pause_frames, .. } = self;
        pause_frames::on_due(reactions, pause_frames.as_mut(), ports, context)
    }
}
