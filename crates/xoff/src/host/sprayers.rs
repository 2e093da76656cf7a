//! Entropies of the packets of flows that are sprayed.

use serde::Serialize;
use slab::Slab;

use crate::kernel::rng::Rng;
use crate::kernel::units::Time;
use crate::packet::{ECHO, EVERYTHING, Packet};
use crate::spraying::{Choice, Parameters, Spraying};

/// Stands for the place of a flow that is not sprayed.
pub(super) const NOT_SPRAYED: u32 = u32::MAX;

/// Counters of spraying at one host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SprayingCounters {
    /// Packets whose entropy was drawn.
    pub at_random: u64,
    /// Packets whose entropy had been used before.
    pub recycled: u64,
    /// Times that a flow was frozen.
    pub freezes: u64,
}

/// Sprayers of all sprayed flows of a host.
#[derive(Debug)]
pub(super) struct Sprayers {
    flows: Slab<Spraying>,
    rng: Rng,
    pub(super) counters: SprayingCounters,
}

impl Sprayers {
    /// No flow yet. `rng` is the random stream of entropies.
    pub(super) fn new(rng: Rng) -> Self {
        Self { flows: Slab::new(), rng, counters: SprayingCounters::default() }
    }

    /// Begins a flow. Returns its place.
    pub(super) fn begin(&mut self, parameters: &Parameters) -> u32 {
        self.flows.insert(parameters.start()) as u32
    }

    /// Ends the flow at this place.
    pub(super) fn end(&mut self, place: u32) {
        self.flows.try_remove(place as usize);
    }

    /// Gives a flow's next packet an entropy. A flow that is not sprayed keeps its packet as it is.
    pub(super) fn spray(&mut self, place: u32, packet: Packet) -> Packet {
        let Some(flow) = self.flows.get_mut(place as usize) else { return packet };
        let Choice { entropy, is_random } = flow.next(&mut self.rng);
        let counters = &mut self.counters;
        *if is_random { &mut counters.at_random } else { &mut counters.recycled } += 1;
        packet.with_entropy(entropy)
    }

    /// Takes an answer to one of the flow's packets. An answer to a trimmed packet tells of no good path.
    pub(super) fn on_answer(&mut self, place: u32, now: Time, answer: &Packet) {
        if !answer.is_trimmed()
            && answer.sequence() != EVERYTHING
            && let Some(flow) = self.flows.get_mut(place as usize)
        {
            flow.on_ack(now, answer.entropy(), answer.is(ECHO));
        }
    }

    /// Hears that the flow's retransmission timer has expired.
    pub(super) fn on_timeout(&mut self, place: u32, now: Time) {
        if let Some(flow) = self.flows.get_mut(place as usize) {
            self.counters.freezes += u64::from(flow.on_timeout(now));
        }
    }
}
