//! Buffer of one input: frames in virtual output queues (VOQs), counted in units of memory.
//! Congestion points draw frames by number, so each frame has one. The frames of all inputs of a switch lie in one
//! slab, in which each takes the slot that was freed last. So a frame that crosses soon is where the cache has just
//! been.

use std::collections::VecDeque;

use slab::Slab;

use crate::classes::PRIORITIES;
use crate::kernel::units::Bytes;
use crate::packet::Packet;

/// Stands for no frame, and for no queue.
const NONE: u32 = u32::MAX;

/// A frame in a buffer, in a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Stored {
    packet: Packet,
    units: u32,
    /// Number of the frame among the frames of its input and class.
    position: u32,
    /// Slot of the next frame in the same queue.
    next: u32,
    egress: u32,
    /// Whether this is a copy of a frame that has gone on.
    is_copy: bool,
    /// Whether a pause can hold back frames of this frame's sender and class.
    is_pausable: bool,
}

/// Frames in the buffers of all inputs, by slot.
#[derive(Debug, Default)]
pub(super) struct Slots(Slab<Stored>);

impl Slots {
    fn get(&self, slot: u32) -> &Stored {
        &self.0[slot as usize]
    }

    fn get_mut(&mut self, slot: u32) -> &mut Stored {
        &mut self.0[slot as usize]
    }

    /// Frame in a slot, with its units.
    #[inline]
    pub(super) fn at(&self, slot: u32) -> (&Packet, u32) {
        let stored = self.get(slot);
        (&stored.packet, stored.units)
    }

    /// Frame in a slot.
    pub(super) fn packet_mut(&mut self, slot: u32) -> &mut Packet {
        &mut self.get_mut(slot).packet
    }
}

/// A linked queue of indices: of frames by their slots, or of ready queues by their numbers.
#[derive(Clone, Copy, Debug)]
struct Queue {
    head: u32,
    tail: u32,
}

impl Queue {
    const EMPTY: Self = Self { head: NONE, tail: NONE };

    fn is_empty(self) -> bool {
        self.head == NONE
    }

    /// Adds an entry. Returns the one before it, if there is one.
    #[inline]
    fn push(&mut self, entry: u32) -> Option<u32> {
        let before = (!self.is_empty()).then_some(self.tail);
        if before.is_none() {
            self.head = entry;
        }
        self.tail = entry;
        before
    }
}

/// A virtual output queue.
#[derive(Clone, Copy, Debug)]
struct Voq {
    frames: Queue,
    bytes: u64,
    /// Next queue that is ready for the same output.
    next_ready: u32,
}

/// Place in which a frame waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Virtual output queue.
    pub(super) voq: u32,
    /// Output to which the frame goes.
    pub(super) egress: u32,
    /// Rank of the frame's class among the classes in use.
    pub(super) rank: usize,
    /// Whether the frame came from a sender that pauses for its class.
    pub(super) is_pausable: bool,
}

/// Buffer of one input.
#[derive(Debug)]
pub(super) struct Input {
    outputs: usize,
    /// Slots of the input's frames by class, in no order.
    occupied: [Vec<u32>; PRIORITIES],
    voqs: Box<[Voq]>,
    /// Virtual output queues whose first frame goes to an output, by rank and output; they take turns.
    ready: Box<[Queue]>,
    /// Slots of copies of frames that are on their way through the fabric, the oldest first.
    copies: VecDeque<u32>,
    /// Units in use by class.
    units: [u32; PRIORITIES],
    /// Units of frames that no pause holds back.
    not_pausable: u32,
}

impl Input {
    pub(super) fn new(outputs: usize, voqs: usize, ranks: usize) -> Self {
        Self {
            outputs,
            occupied: Default::default(),
            voqs: vec![Voq { frames: Queue::EMPTY, bytes: 0, next_ready: NONE }; voqs].into(),
            ready: vec![Queue::EMPTY; outputs * ranks].into(),
            copies: VecDeque::new(),
            units: [0; PRIORITIES],
            not_pausable: 0,
        }
    }

    /// Bytes of the frames in a virtual output queue.
    pub(super) fn bytes_of(&self, voq: u32) -> Bytes {
        Bytes::new(self.voqs[voq as usize].bytes)
    }

    /// Number of a virtual output queue among those of all inputs, if this is the input of `port`.
    pub(super) fn number_among_all(&self, port: u32, voq: u32) -> usize {
        port as usize * self.voqs.len() + voq as usize
    }

    /// Units in use by a class.
    #[inline]
    pub(super) fn units_of(&self, priority: usize) -> u32 {
        self.units[priority]
    }

    /// Units in use.
    pub(super) fn units(&self) -> u32 {
        self.units.iter().sum()
    }

    /// Units in use by frames that no pause holds back.
    pub(super) fn units_not_pausable(&self) -> u32 {
        self.not_pausable
    }

    /// Frames of a class in the buffer.
    pub(super) fn count(&self, priority: usize) -> u32 {
        self.occupied[priority].len() as u32
    }

    /// Frame of a class by its number, with its output and its units. The frame stored last has the highest number.
    pub(super) fn frame<'a>(
        &self,
        slots: &'a Slots,
        priority: usize,
        position: u32,
    ) -> (u32, &'a Packet, u32) {
        let Stored { egress, packet, units, .. } = slots.get(self.occupied[priority][position as usize]);
        (*egress, packet, *units)
    }

    /// Frames that wait in the buffer or cross, without copies of others.
    pub(super) fn packets<'a>(&'a self, slots: &'a Slots) -> impl Iterator<Item = &'a Packet> {
        let stored = self.occupied.iter().flatten().map(|&slot| slots.get(slot));
        stored.filter(|stored| !stored.is_copy).map(|stored| &stored.packet)
    }

    /// Frames and copies of a class in the buffer in no order, each with its output and its units.
    pub(super) fn frames_of<'a>(
        &'a self,
        slots: &'a Slots,
        priority: usize,
    ) -> impl Iterator<Item = (u32, &'a Packet, u32)> {
        (0..self.count(priority)).map(move |position| self.frame(slots, priority, position))
    }

    /// Frames and copies of all classes in the buffer in no order, each with its output and its units.
    pub(super) fn frames<'a>(&'a self, slots: &'a Slots) -> impl Iterator<Item = (u32, &'a Packet, u32)> {
        (0..PRIORITIES).flat_map(move |priority| self.frames_of(slots, priority))
    }

    /// Stores a frame, which gets the highest number. Returns whether its queue was empty, so that it is ready.
    #[inline]
    pub(super) fn store(&mut self, slots: &mut Slots, packet: Packet, units: u32, place: Place) -> bool {
        let Place { voq, egress, rank, is_pausable } = place;
        let priority = packet.priority();
        let stored = Stored {
            packet,
            units,
            position: self.count(priority),
            next: NONE,
            egress,
            is_copy: false,
            is_pausable,
        };
        let slot = slots.0.insert(stored) as u32;
        self.occupied[priority].push(slot);
        self.units[priority] += units;
        self.not_pausable += if is_pausable { 0 } else { units };
        let queue = &mut self.voqs[voq as usize];
        queue.bytes += packet.frame().get();
        let before = queue.frames.push(slot);
        match before {
            Some(before) => slots.get_mut(before).next = slot,
            None => self.make_ready(rank, egress, voq),
        }
        before.is_none()
    }

    /// Makes a queue ready for the output of its first frame.
    #[inline]
    fn make_ready(&mut self, rank: usize, output: u32, voq: u32) {
        self.voqs[voq as usize].next_ready = NONE;
        if let Some(before) = self.ready[rank * self.outputs + output as usize].push(voq) {
            self.voqs[before as usize].next_ready = voq;
        }
    }

    /// Whether a frame of this rank waits for this output.
    #[inline]
    pub(super) fn is_ready(&self, rank: usize, output: u32) -> bool {
        !self.ready[rank * self.outputs + output as usize].is_empty()
    }

    /// Takes the frame whose turn it is out of its queue, but not out of the buffer. Returns the queue, the frame's
    /// slot, and the output of the frame behind it.
    #[inline]
    pub(super) fn take(&mut self, slots: &Slots, rank: usize, output: u32) -> (u32, u32, Option<u32>) {
        let ready = &mut self.ready[rank * self.outputs + output as usize];
        let number = ready.head;
        let voq = &mut self.voqs[number as usize];
        ready.head = voq.next_ready;
        let slot = voq.frames.head;
        let &Stored { next, packet, .. } = slots.get(slot);
        voq.frames.head = next;
        voq.bytes -= packet.frame().get();
        if next == NONE {
            return (number, slot, None);
        }
        let egress = slots.get(next).egress;
        self.make_ready(rank, egress, number);
        (number, slot, Some(egress))
    }

    /// Frees the memory of a frame that has left its queue.
    #[inline]
    pub(super) fn free(&mut self, slots: &mut Slots, slot: u32) {
        let Stored { packet, units, position, is_pausable, .. } = slots.0.remove(slot as usize);
        self.units[packet.priority()] -= units;
        self.not_pausable -= if is_pausable { 0 } else { units };
        let occupied = &mut self.occupied[packet.priority()];
        occupied.swap_remove(position as usize);
        if let Some(&moved) = occupied.get(position as usize) {
            slots.get_mut(moved).position = position;
        }
    }

    /// Keeps a copy of a frame that has left its queue.
    pub(super) fn retain(&mut self, slots: &mut Slots, slot: u32) {
        slots.get_mut(slot).is_copy = true;
        self.copies.push_back(slot);
    }

    /// Frees the memory of the oldest copy that a predicate selects. Returns its class and its units.
    pub(super) fn free_copy(
        &mut self,
        slots: &mut Slots,
        is_copy: impl Fn(&Packet) -> bool,
    ) -> Option<(usize, u32)> {
        let index = self.copies.iter().position(|&slot| is_copy(&slots.get(slot).packet))?;
        let slot = self.copies.remove(index)?;
        let (packet, units) = slots.at(slot);
        let freed = (packet.priority(), units);
        self.free(slots, slot);
        Some(freed)
    }
}
