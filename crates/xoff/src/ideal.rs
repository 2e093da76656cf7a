//! What a flow would take alone on an idle network with an unlimited window: the exact time, in closed form.
//! With it, a slowdown is at least 1 by construction; what a flow waits for interrupts is part of it. One exception: where acknowledgements take longer than data
//! they queue, and the loss of one lets the last come earlier than it would alone.

use crate::kernel::units::{Bytes, Span, TransmissionClock};
use crate::routing::FiveTuple;
use crate::scenario::{Host, PacketSizes, Transport};
use crate::simulation::Simulation;
use crate::topology::NodeId;

/// The path of one flow and its times on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ideal {
    /// From the start to the last byte at the receiver.
    pub received: Span,
    /// From the start to the acknowledgement of the last byte, or the same where nothing is acknowledged.
    pub finished: Span,
    /// Propagation and host delays of the round trip.
    pub base_round_trip: Span,
    /// Rate of the slowest link, in bits per second.
    pub bottleneck: crate::kernel::units::Rate,
}

/// Sizes on the wire: of a full packet, of the last one and of an acknowledgement.
struct Train {
    packets: u64,
    full: Bytes,
    last: Bytes,
    /// Time between packets that the sender itself keeps.
    gap: Span,
    /// Nothing where nothing is acknowledged.
    acknowledgement: Option<Bytes>,
    /// Whether every packet is acknowledged, and not only the last.
    acknowledges_each: bool,
}

/// Times of one link: of a full packet and of the last one.
struct Stage {
    full: Span,
    last: Span,
}

/// The ideal times of one flow.
pub fn of_flow(
    simulation: &Simulation,
    source: NodeId,
    destination: NodeId,
    number: u32,
    size: Bytes,
    transport: usize,
) -> Ideal {
    let fabric = simulation.fabric();
    let train = Train::new(&fabric.transports[transport], &fabric.host, size);
    let tuple = FiveTuple::of_flow(source, destination, number);
    let there = links(simulation, source, destination, tuple);
    let back = links(simulation, destination, source, tuple.reversed());
    let in_adapter = fabric.transports[transport].is_in_adapter();
    let host_delay = if in_adapter { Span::ZERO } else { fabric.host.delay };
    let delay = |links: &[Link]| links.iter().map(|link| link.delay).sum::<Span>() + host_delay * 2;

    let mut stages: Vec<Stage> = there.iter().map(|link| link.stage(train.full, train.last)).collect();
    let received = train.time_through(&stages, train.packets) + delay(&there);
    let finished = match train.acknowledgement {
        None => received,
        Some(frame) if train.acknowledges_each => {
            stages.extend(back.iter().map(|link| link.stage(frame, frame)));
            train.time_through(&stages, train.packets) + delay(&there) + delay(&back)
        }
        Some(frame) => {
            let alone: Span = back.iter().map(|link| link.clock.transmission_time(frame)).sum();
            received + alone + delay(&back)
        }
    };
    let bottleneck = there.iter().map(|link| link.rate).min().unwrap_or_default();
    Ideal { received, finished, base_round_trip: delay(&there) + delay(&back), bottleneck }
}

struct Link {
    rate: crate::kernel::units::Rate,
    clock: TransmissionClock,
    delay: Span,
}

impl Link {
    fn stage(&self, full: Bytes, last: Bytes) -> Stage {
        Stage { full: self.clock.transmission_time(full), last: self.clock.transmission_time(last) }
    }
}

fn links(simulation: &Simulation, from: NodeId, to: NodeId, tuple: FiveTuple) -> Vec<Link> {
    let network = simulation.network();
    simulation
        .routes()
        .path(network, from, to, tuple)
        .map(|hop| {
            let link = network.links[hop.link as usize];
            Link { rate: link.rate, clock: TransmissionClock::new(link.rate), delay: link.delay }
        })
        .collect()
}

impl Train {
    fn new(transport: &Transport, host: &Host, size: Bytes) -> Self {
        let PacketSizes { payload, headers, wire_overhead } = transport.packet_sizes();
        let overhead = headers + wire_overhead;
        let packets = size.get().div_ceil(payload.get());
        let full = payload + overhead;
        let mut train = Self {
            packets,
            full,
            last: size - payload * (packets - 1) + overhead,
            gap: Span::ZERO,
            acknowledgement: None,
            acknowledges_each: false,
        };
        match transport {
            Transport::Tcp(tcp) => {
                train.acknowledgement = Some(tcp.acknowledgement + tcp.wire_overhead);
                train.acknowledges_each = tcp.acknowledge_every == 1 && host.receive_offload.is_none();
            }
            Transport::Roce(roce) => {
                train.acknowledgement = Some(roce.acknowledgement_frame() + roce.wire_overhead);
                train.acknowledges_each = roce.acknowledge_every == 1;
            }
            Transport::ConstantRate(constant) => {
                train.gap = constant.rate.map_or(Span::ZERO, |rate| rate.transmission_time(full));
            }
        }
        train
    }

    /// When the last packet is through all stages, each of which serves packets in order: the longest way through a
    /// grid of packets and stages. The rows of full packets are alike, so the way keeps to the slowest stage so far
    /// until it turns to the last packet's row.
    fn time_through(&self, stages: &[Stage], packets: u64) -> Span {
        let last_row_from = |stage: usize| stages[stage..].iter().map(|stage| stage.last).sum::<Span>();
        let mut longest = self.gap * (packets - 1) + last_row_from(0);
        if packets == 1 {
            return longest;
        }
        let (mut through, mut slowest) = (Span::ZERO, self.gap);
        for (index, stage) in stages.iter().enumerate() {
            through += stage.full;
            slowest = slowest.max(stage.full);
            longest = longest.max(through + slowest * (packets - 2) + last_row_from(index));
        }
        longest
    }
}
