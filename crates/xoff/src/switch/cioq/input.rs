//! The buffer of one input: frames in virtual output queues (VOQs), counted in units of memory, of which any that is occupied can
//! be looked up by number.

use std::collections::VecDeque;

use crate::kernel::ring::Ring;
use crate::packet::{PRIORITIES, Packet};

/// Stands for no frame.
const NONE: u32 = u32::MAX;

/// A frame in the buffer.
#[derive(Clone, Copy, Debug)]
struct Stored {
    packet: Packet,
    units: u32,
    /// Its number among the occupied slots.
    position: u32,
    /// The slot of the next frame in its queue.
    next: u32,
    egress: u16,
    /// Whether the frame itself has gone on.
    is_copy: bool,
}

/// A queue of frames, linked by their slots.
#[derive(Clone, Copy, Debug)]
struct Queue {
    head: u32,
    tail: u32,
}

impl Queue {
    const EMPTY: Self = Self { head: NONE, tail: NONE };
}

/// Where a frame waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The virtual output queue.
    pub(super) voq: u32,
    /// The output that it goes to.
    pub(super) egress: u16,
    /// The rank of its class among those in use.
    pub(super) rank: usize,
}

/// The buffer of one input.
#[derive(Debug)]
pub(super) struct Input {
    outputs: usize,
    slots: Vec<Stored>,
    free: Vec<u32>,
    /// The slots in use, in no order.
    occupied: Vec<u32>,
    voqs: Vec<Queue>,
    /// By rank and output: the virtual output queues whose first frame goes there; they take turns.
    ready: Vec<Ring<u32>>,
    /// Slots of copies of frames that are on their way through the fabric, the oldest first.
    copies: VecDeque<u32>,
    /// Units in use by class.
    units: [u32; PRIORITIES],
}

impl Input {
    pub(super) fn new(outputs: usize, voqs: usize, ranks: usize) -> Self {
        Self {
            outputs,
            slots: Vec::new(),
            free: Vec::new(),
            occupied: Vec::new(),
            voqs: vec![Queue::EMPTY; voqs],
            ready: (0..outputs * ranks).map(|_| Ring::new()).collect(),
            copies: VecDeque::new(),
            units: [0; PRIORITIES],
        }
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

    /// Frames in the buffer.
    pub(super) fn count(&self) -> u32 {
        self.occupied.len() as u32
    }

    /// The frame of a number below that, with its output and its units. What has just been stored has the highest.
    pub(super) fn frame(&self, position: u32) -> (u16, &Packet, u32) {
        let Stored { egress, packet, units, .. } = &self.slots[self.occupied[position as usize] as usize];
        (*egress, packet, *units)
    }

    /// The frames that wait in the buffer or cross; copies of others are left out.
    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        let stored = self.occupied.iter().map(|&slot| &self.slots[slot as usize]);
        stored.filter(|stored| !stored.is_copy).map(|stored| &stored.packet)
    }

    /// The frames and copies in the buffer in no order, each with its output and its units.
    pub(super) fn frames(&self) -> impl Iterator<Item = (u16, &Packet, u32)> {
        self.occupied.iter().map(|&slot| {
            let Stored { egress, packet, units, .. } = &self.slots[slot as usize];
            (*egress, packet, *units)
        })
    }

    /// Takes in a frame, which gets the highest number. Returns whether its queue was empty, so that it is ready.
    #[inline]
    pub(super) fn store(&mut self, packet: Packet, units: u32, place: Place) -> bool {
        let position = self.occupied.len() as u32;
        let stored = Stored { packet, units, position, next: NONE, egress: place.egress, is_copy: false };
        let slot = if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = stored;
            slot
        } else {
            self.slots.push(stored);
            self.slots.len() as u32 - 1
        };
        self.occupied.push(slot);
        self.units[packet.priority()] += units;
        let queue = &mut self.voqs[place.voq as usize];
        let was_empty = queue.head == NONE;
        if was_empty {
            queue.head = slot;
            self.ready[place.rank * self.outputs + usize::from(place.egress)].push_back(place.voq);
        } else {
            self.slots[queue.tail as usize].next = slot;
        }
        queue.tail = slot;
        was_empty
    }

    /// Whether something of this rank waits for this output.
    #[inline]
    pub(super) fn is_ready(&self, rank: usize, output: u16) -> bool {
        !self.ready[rank * self.outputs + usize::from(output)].is_empty()
    }

    /// Takes the frame whose turn it is out of its queue, but not out of the buffer. Returns its slot, and the output of the frame
    /// behind it.
    #[inline]
    pub(super) fn take(&mut self, rank: usize, output: u16) -> (u32, Option<u16>) {
        let voq = self.ready[rank * self.outputs + usize::from(output)].take_front();
        let queue = &mut self.voqs[voq as usize];
        let slot = queue.head;
        let next = self.slots[slot as usize].next;
        queue.head = next;
        if next == NONE {
            return (slot, None);
        }
        let egress = self.slots[next as usize].egress;
        self.ready[rank * self.outputs + usize::from(egress)].push_back(voq);
        (slot, Some(egress))
    }

    /// The frame in a slot, and its units.
    #[inline]
    pub(super) fn at(&self, slot: u32) -> (&Packet, u32) {
        let stored = &self.slots[slot as usize];
        (&stored.packet, stored.units)
    }

    /// Frees the memory of a frame that has left its queue.
    #[inline]
    pub(super) fn free(&mut self, slot: u32) {
        let Stored { packet, units, position, .. } = self.slots[slot as usize];
        self.units[packet.priority()] -= units;
        self.occupied.swap_remove(position as usize);
        if let Some(&moved) = self.occupied.get(position as usize) {
            self.slots[moved as usize].position = position;
        }
        self.free.push(slot);
    }

    /// Keeps a frame that has left its queue.
    pub(super) fn retain(&mut self, slot: u32) {
        self.slots[slot as usize].is_copy = true;
        self.copies.push_back(slot);
    }

    /// Frees the memory of the oldest copy of which this holds. Returns its class and its units.
    pub(super) fn free_copy(&mut self, is_copy: impl Fn(&Packet) -> bool) -> Option<(usize, u32)> {
        let index = self.copies.iter().position(|&slot| is_copy(&self.slots[slot as usize].packet))?;
        let slot = self.copies.remove(index)?;
        let (packet, units) = self.at(slot);
        let freed = (packet.priority(), units);
        self.free(slot);
        Some(freed)
    }
}
