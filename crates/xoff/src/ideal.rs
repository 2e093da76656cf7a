//! Ideal time of a flow: alone on an idle network with an unlimited window, exactly and in closed form.
//! A slowdown is then at least 1 by construction. Waiting for interrupts or polls is part of it.
//!
//! One exception: acknowledgements queue where they take longer than data, and the loss of one lets the last come
//! earlier than it would alone. Links whose rate changes in the course of a run count with the rate of the start.
//!
//! Left out: the handshake of a persistent connection, which many flows share.

use crate::flow_path::{Stage, stages};
use crate::kernel::units::{Bytes, Rate, Span};
use crate::routing::FiveTuple;
use crate::scenario::{Connections, Host, PacketSizes, Transport};
use crate::simulation::Simulation;
use crate::topology::NodeId;

/// Ideal times of one flow, and its path's base round trip and bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ideal {
    /// Time from the start to the last byte at the receiver.
    pub received: Span,
    /// Time from the start to the acknowledgement of the last byte; `received` where nothing is acknowledged.
    pub finished: Span,
    /// Propagation and host delays of the round trip.
    pub base_round_trip: Span,
    /// Rate of the slowest link, in bits per second.
    pub bottleneck: Rate,
}

/// Packets of one flow: their number, frames and acknowledgements.
struct Train {
    packets: u64,
    full: Bytes,
    last: Bytes,
    /// Time between packets that the sender itself keeps.
    gap: Span,
    /// Frame of an acknowledgement; nothing where nothing is acknowledged.
    acknowledgement: Option<Bytes>,
    /// Packets for each acknowledgement, besides the last packet's; nothing where interrupts or polls decide
    /// when to acknowledge.
    acknowledge_every: Option<u64>,
    /// Frame of a SYN and of its answer, which go before the data.
    handshake: Option<Bytes>,
}

/// Times of one stage, for a full packet and for the last one.
struct Times {
    full: Span,
    last: Span,
    /// Times of several parallel links together, where the stage has several.
    together: Option<[Span; 2]>,
}

impl Times {
    fn of(stage: &Stage, [full, last]: [Bytes; 2]) -> Self {
        let together = stage.share_of(full).zip(stage.share_of(last)).map(|(full, last)| [full, last]);
        Self { full: stage.time_of(full), last: stage.time_of(last), together }
    }
}

/// Packets and paths of a flow on an idle network.
struct Alone {
    train: Train,
    there: Vec<Stage>,
    back: Vec<Stage>,
    /// Delay at each end of either path.
    host_delay: Span,
}

/// Returns the ideal times of one flow. `number` is its number at its source, `transport` the transport's index in the scenario.
pub fn of_flow(
    simulation: &Simulation,
    source: NodeId,
    destination: NodeId,
    number: u32,
    size: Bytes,
    transport: usize,
) -> Ideal {
    let Alone { train, there, back, host_delay } =
        alone(simulation, [source, destination], number, size, transport);
    train.alone_on(&there, &back, host_delay)
}

/// Returns the time from the first bit of a full packet to the last bit of its acknowledgement, on an idle network.
/// Nothing where nothing is acknowledged.
pub(crate) fn round_trip(simulation: &Simulation, ends: [NodeId; 2], transport: usize) -> Option<Span> {
    let size = simulation.fabric().transports[transport].packet_sizes().payload;
    let Alone { train, there, back, host_delay } = alone(simulation, ends, 0, size, transport);
    let takes =
        |path: &[Stage], frame| path.iter().map(|stage| stage.time_of(frame) + stage.delay()).sum::<Span>();
    let acknowledgement = train.acknowledgement?;
    Some(takes(&there, train.full) + takes(&back, acknowledgement) + host_delay * 4)
}

fn alone(
    simulation: &Simulation,
    [source, destination]: [NodeId; 2],
    number: u32,
    size: Bytes,
    transport: usize,
) -> Alone {
    let fabric = simulation.fabric();
    let number = fabric.shared_tuples.number(transport as u8, number);
    let parallel_paths = simulation.parallel_paths(transport as u8);
    let transport = &fabric.transports[transport];
    let train = Train::new(transport, &fabric.host, size);
    let tuple = FiveTuple::of_flow(source, destination, number);
    let (network, wire_overhead) = (simulation.network(), transport.packet_sizes().wire_overhead);
    let path = |from, to, tuple| match parallel_paths {
        None => {
            let path = simulation.routes().path(network, from, to, tuple);
            stages(network, path, wire_overhead, |node| simulation.layout(node).crossbar())
        }
        Some(paths) => {
            let links = paths.by_hop(network, simulation.routes(), from, to);
            links.map(|links| Stage::side_by_side(&links, wire_overhead)).collect()
        }
    };
    let host_delay = if transport.is_in_adapter() { Span::ZERO } else { fabric.host.delay };
    let (there, back) = (path(source, destination, tuple), path(destination, source, tuple.reversed()));
    Alone { train, there, back, host_delay }
}

impl Train {
    fn new(transport: &Transport, host: &Host, size: Bytes) -> Self {
        let PacketSizes { payload, headers, wire_overhead } = transport.packet_sizes();
        let packets = size.get().div_ceil(payload.get());
        let full = payload + headers;
        let mut train = Self {
            packets,
            full,
            last: size - payload * (packets - 1) + headers,
            gap: Span::ZERO,
            acknowledgement: None,
            acknowledge_every: None,
            handshake: None,
        };
        match transport {
            Transport::Tcp(tcp) => {
                train.acknowledgement = Some(tcp.acknowledgement);
                let joins = host.receive_offload.is_some() && host.hands_up_together();
                train.acknowledge_every = (!joins).then_some(tcp.acknowledge_every.into());
                let opens = tcp.handshake && tcp.connections == Connections::PerFlow;
                train.handshake = opens.then_some(tcp.acknowledgement);
            }
            Transport::Roce(roce) => {
                train.acknowledgement = Some(roce.acknowledgement_frame());
                train.acknowledge_every = Some(roce.acknowledge_every.into());
            }
            Transport::ConstantRate(constant) => {
                let wire = full + wire_overhead;
                train.gap = constant.rate.map_or(Span::ZERO, |rate| rate.transmission_time(wire));
            }
        }
        train
    }

    /// Returns the times on a path there and one back. Each end of either path costs `host_delay`.
    fn alone_on(&self, there: &[Stage], back: &[Stage], host_delay: Span) -> Ideal {
        let delay = |path: &[Stage]| path.iter().map(Stage::delay).sum::<Span>() + host_delay * 2;
        let base_round_trip = delay(there) + delay(back);
        let alone = |path: &[Stage], frame| path.iter().map(|stage| stage.time_of(frame)).sum::<Span>();
        let opened = self
            .handshake
            .map_or(Span::ZERO, |frame| alone(there, frame) + alone(back, frame) + base_round_trip);
        let mut all: Vec<Times> =
            there.iter().map(|stage| Times::of(stage, [self.full, self.last])).collect();
        let received = opened + self.time_through(&all, self.packets) + delay(there);
        let finished = match self.acknowledgement {
            None => received,
            Some(frame) if self.acknowledge_every == Some(1) => {
                all.extend(back.iter().map(|stage| Times::of(stage, [frame, frame])));
                opened + self.time_through(&all, self.packets) + base_round_trip
            }
            Some(frame) => {
                let in_order = all.iter().all(|stage| stage.together.is_none());
                let full: Vec<Times> =
                    there.iter().map(|stage| Times::of(stage, [self.full, self.full])).collect();
                let slowest = back.iter().map(|stage| stage.time_of(frame)).max().unwrap_or_default();
                let behind = self.acknowledged_before().filter(|_| in_order).map(|(packets, follow)| {
                    opened + self.time_through(&full, packets) + delay(there) + slowest * follow
                });
                behind.fold(received, Span::max) + alone(back, frame) + delay(back)
            }
        };
        let bottleneck = there.iter().map(Stage::rate).min().unwrap_or_default();
        Ideal { received, finished, base_round_trip, bottleneck }
    }

    /// Returns two packets whose acknowledgements may delay the last packet's, each with the number of
    /// acknowledgements after it. They are the first and the last one before it. Acknowledgements come evenly, so
    /// that none between them makes it wait longer.
    fn acknowledged_before(&self) -> impl Iterator<Item = (u64, u64)> {
        let every = self.acknowledge_every.unwrap_or(self.packets);
        let before = (self.packets - 1) / every;
        [1, before]
            .into_iter()
            .filter(move |_| before > 0)
            .map(move |number| (number * every, before + 1 - number))
    }

    /// Returns the time when all packets are through all stages, each of which serves packets in order.
    /// It is the longest way through a grid of packets and stages. The rows of full packets are alike, so the way keeps
    /// to the slowest stage so far until it turns to the last packet's row.
    /// Behind parallel links the last packet may be ahead of others. There the bounds are: no packet comes earlier than
    /// alone, and all of them take the links' time together.
    fn time_through(&self, stages: &[Times], packets: u64) -> Span {
        let last_row_from = |stage: usize| stages[stage..].iter().map(|stage| stage.last).sum::<Span>();
        let mut longest = self.gap * (packets - 1) + last_row_from(0);
        if packets == 1 {
            return longest;
        }
        let (mut through, mut slowest, mut in_order) = (Span::ZERO, self.gap, true);
        let mut last_arrives = self.gap * (packets - 1);
        for (index, stage) in stages.iter().enumerate() {
            in_order &= stage.together.is_none();
            let [full, last] = stage.together.unwrap_or([stage.full, stage.last]);
            if !in_order {
                let all = full * (packets - 1) + last;
                longest = longest.max(through.min(last_arrives) + all + last_row_from(index + 1));
            }
            if stage.together.is_none() {
                slowest = slowest.max(stage.full);
            }
            through += stage.full;
            if in_order {
                let turned = through + slowest * (packets - 2);
                longest = longest.max(turned + last_row_from(index));
                last_arrives = last_arrives.max(turned);
            }
            last_arrives += stage.last;
        }
        longest.max(through + slowest * (packets - 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of 1522 B, and a last one of `last`, that 64 B acknowledge.
    fn train(packets: u64, last: u64, acknowledgement: Option<u64>) -> Train {
        Train {
            packets,
            full: Bytes::new(1522),
            last: Bytes::new(last),
            gap: Span::ZERO,
            acknowledgement: acknowledgement.map(Bytes::new),
            acknowledge_every: None,
            handshake: None,
        }
    }

    /// Received and finished, in tenths of a nanosecond, through a switch with ports of 10 Gbps and 50 ns.
    fn through_a_crossbar(gbps: u64, train: &Train) -> [u64; 2] {
        let link = Stage::link(Rate::from_gbps(10), Span::from_nanoseconds(50), Bytes::new(20));
        let path = [link, Stage::crossbar(Rate::from_gbps(gbps)), link];
        let Ideal { received, finished, .. } = train.alone_on(&path, &path, Span::ZERO);
        [received, finished].map(|time| time.get() / 100)
    }

    /// A link takes 1233.6 ns for a full frame and 67.2 ns for 64 B, a crossbar of 20 Gbps 608.8 ns and 25.6 ns.
    #[test]
    fn a_crossbar_is_one_more_stage_that_stores_and_forwards() {
        assert_eq!(through_a_crossbar(20, &train(1, 1522, None)), [31_760, 31_760]);
        assert_eq!(through_a_crossbar(20, &train(2, 1522, None)), [44_096, 44_096]);
        assert_eq!(through_a_crossbar(20, &train(1, 1522, Some(64))), [31_760, 34_360]);
        // The short frame waits at the output until the full one has left at 3076 ns.
        assert_eq!(through_a_crossbar(20, &train(2, 64, None)), [32_432, 32_432]);
    }

    /// 64 B cross two links and a crossbar in 260 ns, and as long back: 520 ns before all else.
    #[test]
    fn a_handshake_goes_before_all_else() {
        let opened = Train { handshake: Some(Bytes::new(64)), ..train(2, 1522, Some(64)) };
        assert_eq!(through_a_crossbar(20, &opened), [44_096 + 5_200, 46_696 + 5_200]);
    }

    /// At 5 Gbps it takes 2435.2 ns for each frame: the links wait for it.
    #[test]
    fn a_crossbar_slower_than_the_links_sets_the_pace() {
        assert_eq!(through_a_crossbar(5, &train(3, 1522, None)), [98_728, 98_728]);
    }
}
