//! An egress port: eight queues, a strict-priority pick and the start of a link.
//! An idle port needs no event: a transmission starts at once, and its end is an event only when something waits.

use crate::agenda::{Agenda, Context};
use crate::kernel::ring::Ring;
use crate::kernel::units::{Bytes, Rate, Span, Time, TransmissionClock};
use crate::observer::{DropReason, Observer};
use crate::packet::{ACKNOWLEDGEMENT, ECN_CAPABLE, PRIORITIES, Packet};
use crate::topology::PortId;

/// What a port has done since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct PortCounters {
    /// Packets put on the wire.
    pub packets: u64,
    /// Bytes put on the wire, preambles and gaps included.
    pub wire_bytes: Bytes,
    /// Packets marked.
    pub marked: u64,
    /// Data packets dropped, by reason.
    pub dropped_data: [u64; DropReason::ALL.len()],
    /// Acknowledgements dropped, by reason.
    pub dropped_acknowledgements: [u64; DropReason::ALL.len()],
}

impl PortCounters {
    /// Counts a dropped packet.
    #[cold]
    pub fn count_drop(&mut self, packet: &Packet, reason: DropReason) {
        let counters = if packet.is(ACKNOWLEDGEMENT) {
            &mut self.dropped_acknowledgements
        } else {
            &mut self.dropped_data
        };
        counters[reason as usize] += 1;
    }

    /// Packets dropped, of any kind and for any reason.
    pub fn dropped(&self) -> u64 {
        self.dropped_data.iter().chain(&self.dropped_acknowledgements).sum()
    }
}

/// One egress port of a switch or an adapter. What every packet touches is in its first cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Port {
    busy_until: Time,
    clock: TransmissionClock,
    delay: Span,
    id: PortId,
    /// Bit n is set while queue n holds a packet.
    ready: u8,
    /// What it has done.
    pub counters: PortCounters,
    queues: [Ring<Packet>; PRIORITIES],
}

impl Port {
    /// A port at the start of a link.
    pub fn new(id: PortId, rate: Rate, delay: Span) -> Self {
        Self {
            busy_until: Time::ZERO,
            clock: TransmissionClock::new(rate),
            delay,
            id,
            ready: 0,
            counters: PortCounters::default(),
            queues: std::array::from_fn(|_| Ring::new()),
        }
    }

    /// Its index in the whole network.
    pub fn id(&self) -> PortId {
        self.id
    }

    /// Bytes put on the wire by now, of a packet under way only those that have left.
    pub fn wire_bytes_by(&self, now: Time) -> Bytes {
        let still_to_go = if self.busy_until > now { self.busy_until.since(now) } else { Span::ZERO };
        self.counters.wire_bytes - self.clock.bytes_in(still_to_go)
    }

    /// The time that `wire` bytes take on its link.
    pub fn transmission_time(&self, wire: Bytes) -> Span {
        self.clock.transmission_time(wire)
    }

    /// Whether a packet that comes now would start at once.
    #[inline]
    pub fn is_idle(&self, now: Time) -> bool {
        self.ready == 0 && self.busy_until <= now
    }

    /// Packets waiting, queue by queue.
    pub fn queued(&self) -> impl Iterator<Item = &Packet> {
        self.queues.iter().flat_map(Ring::iter)
    }

    /// Adds a packet to its queue behind a transmission that is under way.
    #[inline]
    pub fn enqueue(&mut self, packet: Packet, agenda: &mut impl Agenda) {
        if self.ready == 0 {
            agenda.end_of_transmission(self.id, self.busy_until);
        }
        let priority = packet.priority();
        self.ready |= 1 << priority;
        self.queues[priority].push_back(packet);
    }

    /// Takes the next packet: strict priority, the highest class first.
    #[inline]
    pub fn dequeue(&mut self) -> Option<Packet> {
        if self.ready == 0 {
            return None;
        }
        let priority = self.ready.ilog2() as usize;
        let queue = &mut self.queues[priority];
        let packet = queue.take_front();
        if queue.is_empty() {
            self.ready &= !(1 << priority);
        }
        Some(packet)
    }

    /// Marks a packet that enters or leaves a queue of this port, if it can be marked. Marks on acknowledgements have no
    /// effect and are not counted.
    pub fn mark(
        &mut self,
        packet: &mut Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        if !packet.is(ECN_CAPABLE) {
            return false;
        }
        if !packet.is(ACKNOWLEDGEMENT) {
            self.counters.marked += 1;
            context.observer.on_mark(context.now, self.id, packet.priority());
        }
        packet.mark();
        true
    }

    /// Puts a packet on the wire, which must be free.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn transmit(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        debug_assert!(self.busy_until <= context.now, "one packet at a time");
        let wire = context.fabric.wire(&packet);
        self.busy_until = context.now + self.clock.transmission_time(wire);
        self.counters.packets += 1;
        self.counters.wire_bytes += wire;
        context.agenda.deliver(self.id, self.busy_until + self.delay, packet);
    }

    /// When the end of the transmission under way must be heard of: `Time::MAX` if nothing waits for it.
    #[inline]
    pub fn next_end(&self) -> Time {
        if self.ready == 0 { Time::MAX } else { self.busy_until }
    }

    /// When the transmission under way ends, or the last one ended.
    #[inline]
    pub fn busy_until(&self) -> Time {
        self.busy_until
    }
}
