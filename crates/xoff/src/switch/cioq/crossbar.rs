//! Crossbar: idle inputs and outputs, the requests between them, and the frames that cross.

use std::collections::VecDeque;

use crate::kernel::bit_set::BitSet;
use crate::kernel::units::{Bytes, Rate, Time, TransmissionClock};
use crate::switch::matching;

/// A frame on its way from an input to an output.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Transfer {
    pub(super) input: u32,
    pub(super) output: u32,
    /// Slot of the frame in the input's buffer.
    pub(super) slot: u32,
}

/// Crossbar of one switch. It moves whole frames, one at a time from each input and to each output.
#[derive(Debug)]
pub(super) struct Crossbar {
    clock: TransmissionClock,
    matching: matching::Algorithm,
    ports: usize,
    /// Inputs that have a frame for an output, by rank and output.
    requests: Vec<BitSet>,
    /// Outputs for which an input has a frame, by rank and input.
    wants: Vec<BitSet>,
    /// Outputs for which any input has a frame, by rank.
    wanted: Vec<BitSet>,
    /// Outputs that have room for a frame, by rank.
    room: Vec<BitSet>,
    idle_inputs: BitSet,
    idle_outputs: BitSet,
    /// Inputs and outputs that have changed since the matching before. That one left no other possible pair if it was
    /// maximal.
    changed_inputs: BitSet,
    changed_outputs: BitSet,
    was_maximal: bool,
    /// Frame that crosses to each output.
    transfers: Vec<Transfer>,
    /// Times at which crossing frames arrive, each with its output, in order.
    ends: VecDeque<(Time, u32)>,
}

impl Crossbar {
    /// Idle crossbar of this rate with `ports` inputs and outputs, for `ranks` classes.
    pub(super) fn new(rate: Rate, matching: &matching::Parameters, ports: usize, ranks: usize) -> Self {
        Self {
            clock: TransmissionClock::new(rate),
            matching: matching.start(ports),
            ports,
            requests: vec![BitSet::EMPTY; ports * ranks],
            wants: vec![BitSet::EMPTY; ports * ranks],
            wanted: vec![BitSet::EMPTY; ranks],
            room: vec![BitSet::below(ports); ranks],
            idle_inputs: BitSet::below(ports),
            idle_outputs: BitSet::below(ports),
            changed_inputs: BitSet::EMPTY,
            changed_outputs: BitSet::EMPTY,
            was_maximal: true,
            transfers: vec![Transfer::default(); ports],
            ends: VecDeque::with_capacity(ports),
        }
    }

    /// Takes note whether an input has a frame of this rank for an output.
    #[inline]
    pub(super) fn request(&mut self, rank: usize, input: u32, output: u32, is_ready: bool) {
        let inputs = &mut self.requests[rank * self.ports + output as usize];
        inputs.set(input, is_ready);
        let is_wanted = !inputs.is_empty();
        self.wanted[rank].set(output, is_wanted);
        self.wants[rank * self.ports + input as usize].set(output, is_ready);
        self.changed_inputs.set(input, true);
    }

    /// Takes note whether an output has room for a frame of this rank. Returns whether it had none before.
    #[inline]
    pub(super) fn set_room(&mut self, rank: usize, output: u32, has_room: bool) -> bool {
        let had_none = !self.room[rank].contains(output);
        if has_room == had_none {
            self.room[rank].set(output, has_room);
            self.changed_outputs.set(output, true);
        }
        had_none
    }

    /// Whether an output has room for a frame of this rank.
    #[inline]
    pub(super) fn has_room(&self, rank: usize, output: u32) -> bool {
        self.room[rank].contains(output)
    }

    /// Whether a frame of this rank could cross now.
    #[inline]
    pub(super) fn is_free(&self, rank: usize, input: u32, output: u32) -> bool {
        self.idle_inputs.contains(input)
            && self.idle_outputs.contains(output)
            && self.room[rank].contains(output)
    }

    /// Whether a frame of this rank waits for an output that could take it now.
    #[inline]
    pub(super) fn is_awaited(&self, rank: usize, output: u32) -> bool {
        self.idle_outputs.contains(output)
            && self.wanted[rank].contains(output)
            && self.room[rank].contains(output)
    }

    /// Pairs idle inputs with idle outputs that have room.
    #[inline]
    pub(super) fn pair(&mut self, mut tell: impl FnMut(u32, u32, usize)) {
        let outputs = self.worth_asking();
        (self.changed_inputs, self.changed_outputs) = (BitSet::EMPTY, BitSet::EMPTY);
        if outputs.is_empty() {
            return;
        }
        let Self { matching, ports, requests, room, idle_inputs, was_maximal, .. } = self;
        *was_maximal = if room.len() == 1 {
            // There is room for the only class at every output that is worth asking.
            let of_output = |output: u32| requests[output as usize];
            matching.pair(*idle_inputs, outputs, of_output, |input, output| tell(input, output, 0))
        } else {
            let requests_of = |rank: usize, output: u32| {
                if room[rank].contains(output) {
                    requests[rank * *ports + output as usize]
                } else {
                    BitSet::EMPTY
                }
            };
            let ranks = 0..room.len();
            let of_any =
                |output| ranks.clone().fold(BitSet::EMPTY, |all, rank| all.or(requests_of(rank, output)));
            matching.pair(*idle_inputs, outputs, of_any, |input, output| {
                // The highest class that asks.
                let rank = ranks.clone().find(|&rank| requests_of(rank, output).contains(input));
                tell(input, output, rank.unwrap_or_default());
            })
        };
    }

    /// Idle outputs with room that an idle input could want, except outputs for which nothing has changed.
    #[inline]
    fn worth_asking(&self) -> BitSet {
        let changed_inputs = self.changed_inputs.and(self.idle_inputs);
        let mut worth_asking = BitSet::EMPTY;
        for (rank, (wanted, room)) in self.wanted.iter().zip(&self.room).enumerate() {
            let mut outputs = wanted.and(*room);
            if self.was_maximal {
                let wants = |input: u32| self.wants[rank * self.ports + input as usize];
                let changed = changed_inputs.members().map(wants).fold(self.changed_outputs, BitSet::or);
                outputs = outputs.and(changed);
            }
            worth_asking = worth_asking.or(outputs);
        }
        worth_asking.and(self.idle_outputs)
    }

    /// Begins to move a frame across.
    #[inline]
    pub(super) fn begin(&mut self, now: Time, frame: Bytes, transfer: Transfer) {
        let Transfer { input, output, .. } = transfer;
        debug_assert!(
            self.idle_inputs.contains(input) && self.idle_outputs.contains(output),
            "one at a time"
        );
        self.idle_inputs.set(input, false);
        self.idle_outputs.set(output, false);
        self.transfers[output as usize] = transfer;
        let end = (now + self.clock.transmission_time(frame), output);
        if self.ends.back().is_none_or(|&last| last <= end) {
            self.ends.push_back(end);
        } else {
            // Only shorter frames overtake, so that the search seldom goes on.
            let later = self.ends.iter().rev().take_while(|&&other| other > end).count();
            self.ends.insert(self.ends.len() - later, end);
        }
    }

    /// Takes a frame that has crossed by now; of several, the frame for the lowest output.
    #[inline]
    pub(super) fn take_crossed(&mut self, now: Time) -> Option<Transfer> {
        let &(end, output) = self.ends.front()?;
        if end > now {
            return None;
        }
        self.ends.pop_front();
        let transfer = self.transfers[output as usize];
        self.idle_inputs.set(transfer.input, true);
        self.idle_outputs.set(output, true);
        self.changed_inputs.set(transfer.input, true);
        self.changed_outputs.set(output, true);
        Some(transfer)
    }

    /// Time at which the next frame has crossed; `Time::MAX` for never.
    #[inline]
    pub(super) fn next_end(&self) -> Time {
        self.ends.front().map_or(Time::MAX, |&(end, _)| end)
    }
}
