//! The markers of one switch: on every queue, on every port, on every pool. All that are set are asked about each
//! packet, whatever the others say, so that none changes what another draws; one yes marks.

use super::marking::{AnyMarker, Level, Signal, When};
use super::mmu::Mmu;
use crate::kernel::rng::Rng;
use crate::kernel::units::Bytes;

/// Markers on the places of one kind.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// One for each place; none where places of this kind are not marked.
    pub markers: Vec<AnyMarker>,
    /// When they are asked.
    pub when: When,
}

/// Every marker of one switch.
#[derive(Clone, Debug)]
pub struct Markers {
    queues: Placed,
    ports: Placed,
    pools: Placed,
    /// Which of `pools` is asked about the packets of each port.
    pool_of: Vec<u16>,
    any_at_dequeue: bool,
    rng: Rng,
}

/// A packet as markers see it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The index of its queue.
    pub queue: usize,
    /// Its bytes.
    pub frame: Bytes,
    /// Whether it can be marked.
    pub is_ecn_capable: bool,
}

impl Markers {
    /// Markers on the bytes of queues and of ports, and on the shared bytes of pools; `pool_of` says which of the last
    /// is asked about the packets of each port. All draw from `rng`.
    pub fn new(queues: Placed, ports: Placed, pools: Placed, pool_of: Vec<u16>, rng: Rng) -> Self {
        let looks = |placed: &Placed| placed.when == When::Dequeue && !placed.markers.is_empty();
        let any_at_dequeue = looks(&queues) || looks(&ports) || looks(&pools);
        Self { queues, ports, pools, pool_of, any_at_dequeue, rng }
    }

    /// Whether a packet that enters is marked. Markers that look at dequeue are asked here about packets that they would
    /// have to drop: memory that is taken is not given up half-way.
    #[inline]
    pub fn at_enqueue(&mut self, packet: Candidate, mmu: &Mmu) -> bool {
        let is_asked = |when| when == When::Enqueue || !packet.is_ecn_capable;
        self.ask(packet, mmu, Bytes::ZERO, is_asked)
    }

    /// Whether a packet that leaves is marked; `held` are those of its bytes that memory still counts.
    #[inline]
    pub fn at_dequeue(&mut self, packet: Candidate, mmu: &Mmu, held: Bytes) -> bool {
        self.any_at_dequeue
            && packet.is_ecn_capable
            && self.ask(packet, mmu, held, |when| when == When::Dequeue)
    }

    #[inline]
    fn ask(&mut self, packet: Candidate, mmu: &Mmu, held: Bytes, is_asked: impl Fn(When) -> bool) -> bool {
        let Candidate { queue, frame, .. } = packet;
        let Self { queues, ports, pools, pool_of, rng, .. } = self;
        let mut marks = false;
        if let Some(marker) = queues.markers.get_mut(queue)
            && is_asked(queues.when)
        {
            marks |= says_yes(marker, mmu.queue_bytes(queue) - held, frame, rng);
        }
        let port = Mmu::port(queue);
        if let Some(marker) = ports.markers.get_mut(port)
            && is_asked(ports.when)
        {
            marks |= says_yes(marker, mmu.port_bytes(port) - held, frame, rng);
        }
        if !pools.markers.is_empty() && is_asked(pools.when) {
            let marker = &mut pools.markers[pool_of[port] as usize];
            marks |= says_yes(marker, mmu.shared_beside(queue, held), frame, rng);
        }
        marks
    }
}

#[inline]
fn says_yes(marker: &mut AnyMarker, others: Bytes, frame: Bytes, rng: &mut Rng) -> bool {
    marker.signal(&Level { others, frame }, rng) == Signal::Mark
}
