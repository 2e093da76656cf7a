//! Floor of a run: the time in which this machine moves packets from link to link, and does nothing else.
//!
//! A record says which packets cross which links in single microseconds of the run, from the flows that were under way
//! and the rates at which they finished. Its replay takes 40 bytes from the ring of the link that a packet has crossed,
//! appends them to the ring of its next link, and counts. At a host it also reads and writes a line of its flow. There
//! is no time, no order of events, no route, no queue, no decision and no transport.

use std::hint::black_box;

use xoff::network::{NodeId, PortId, ports_of};
use xoff::{Report, Simulation};

use crate::cpu_seconds;

/// Most instants of a run that are recorded, and most packet-hops of all of them.
const MOST_INSTANTS: u32 = 16;
const MOST_HOPS: usize = 1 << 20;
/// Times that the packet-hops of one instant are replayed one after another, for flows outlast a microsecond.
const REPEATED: usize = 8;
/// Least packet-hops of a replay.
const REPLAYED: usize = 1 << 22;

/// Links and flows that the replay in cache is folded onto, and its packet-hops: 150 KB in all.
const FOLDED: u32 = 64;
const FOLDED_SLOTS: u32 = 16;
const FOLDED_HOPS: usize = 1 << 13;

/// Number of no flow.
const NO_FLOW: u32 = u32::MAX;

/// Packet that comes from one link and goes to the next.
#[derive(Clone, Copy, Debug)]
struct Hop {
    from: PortId,
    to: PortId,
    /// Flow whose host the packet has reached, or [`NO_FLOW`] at a switch.
    flow: u32,
}

/// Packets of one flow that come from one link in a microsecond.
#[derive(Clone, Copy, Debug)]
struct Burst {
    node: NodeId,
    packets: u32,
    hop: Hop,
}

/// Flow of the run. Times are in ns.
#[derive(Clone, Copy, Debug)]
struct Flow {
    ends: [NodeId; 2],
    transport: u8,
    number: u32,
    bytes: u64,
    start: u64,
    finish: u64,
}

/// Packet-hops of some microseconds of a run, and the memory that they touch.
#[derive(Debug)]
pub struct Floor {
    instants: Vec<Vec<Hop>>,
    links: Vec<Link>,
    slots: Vec<[u64; 5]>,
    flows: Vec<[u64; 8]>,
}

/// Ring of the packets on a link, in a cache line of its own.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Link {
    first: u32,
    mask: u32,
    head: u32,
    tail: u32,
    packets: u64,
}

impl Floor {
    /// Records a run. Returns nothing where no flow has moved a byte.
    pub fn of(simulation: &Simulation, report: &Report) -> Option<Self> {
        let flows = flows_of(report);
        let (mut recorded, mut all) = (Vec::new(), 0);
        for instant in instants(&flows) {
            if all < MOST_HOPS {
                let active = flows.iter().filter(|flow| (flow.start..flow.finish).contains(&instant));
                recorded.push(hops(simulation, report, &flows, active));
                all += recorded.last().map_or(0, Vec::len);
            }
        }
        (all > 0).then(|| Self::over(recorded, report.ports.port.len()))
    }

    /// Returns the replay of the same packet-hops within memory that every cache holds.
    pub fn in_cache(&self) -> Self {
        let fold = |hop: &Hop| Hop {
            from: hop.from % FOLDED,
            to: hop.to % FOLDED,
            flow: if hop.flow == NO_FLOW { NO_FLOW } else { hop.flow % FOLDED },
        };
        let hops = self.instants.iter().flatten().take(FOLDED_HOPS).map(fold).collect();
        let mut folded = Self::over(vec![hops], FOLDED as usize);
        for (first, link) in (0..).step_by(FOLDED_SLOTS as usize).zip(&mut folded.links) {
            *link = Link { first, mask: FOLDED_SLOTS - 1, ..Link::default() };
        }
        folded.slots.truncate((FOLDED * FOLDED_SLOTS) as usize);
        folded.slots.resize((FOLDED * FOLDED_SLOTS) as usize, [1; 5]);
        folded
    }

    /// Lays out rings, the smallest that hold the most packets that come from each link in a microsecond.
    fn over(instants: Vec<Vec<Hop>>, links: usize) -> Self {
        let mut most = vec![0_u32; links];
        for hops in &instants {
            let mut packets = vec![0_u32; links];
            for hop in hops {
                packets[hop.from as usize] += 1;
                most[hop.from as usize] = most[hop.from as usize].max(packets[hop.from as usize]);
            }
        }
        let mut first = 0;
        let rings = most.iter().map(|&most| {
            let slots = (most + 1).next_power_of_two();
            first += slots;
            Link { first: first - slots, mask: slots - 1, ..Link::default() }
        });
        let links = rings.collect();
        let flows = instants.iter().flatten().filter(|hop| hop.flow != NO_FLOW);
        let flows = flows.map(|hop| hop.flow as usize + 1).max().unwrap_or_default();
        Self { instants, links, slots: vec![[1; 5]; first as usize], flows: vec![[0; 8]; flows] }
    }

    /// Bytes of rings, links and flows, without the record itself.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.links) + size_of_val(&*self.slots) + size_of_val(&*self.flows)
    }

    /// Replays the record and returns the CPU time of a packet-hop, in ns.
    pub fn replay(&mut self) -> f64 {
        let mut ready = false;
        loop {
            let (start, mut replayed) = (cpu_seconds(), 0);
            while replayed < REPLAYED {
                for hops in &self.instants {
                    for _ in 0..REPEATED {
                        pass(hops, &mut self.links, &mut self.slots, &mut self.flows);
                    }
                    replayed += hops.len() * REPEATED;
                }
            }
            let seconds = cpu_seconds() - start;
            // The first time brings memory in that the run has put out of the cache.
            if ready {
                return seconds * 1e9 / replayed as f64;
            }
            ready = true;
        }
    }
}

/// Moves every packet of a record once.
#[inline(never)]
fn pass(hops: &[Hop], links: &mut [Link], slots: &mut [[u64; 5]], flows: &mut [[u64; 8]]) {
    for hop in hops {
        let from = &mut links[hop.from as usize];
        let packet = slots[(from.first + (from.head & from.mask)) as usize];
        from.head = from.head.wrapping_add(1);
        let to = &mut links[hop.to as usize];
        slots[(to.first + (to.tail & to.mask)) as usize] = packet;
        to.tail = to.tail.wrapping_add(1);
        to.packets += 1;
        if hop.flow != NO_FLOW {
            flows[hop.flow as usize][0] += packet[0];
        }
    }
    black_box(&*slots);
}

/// Returns the place of a number among evenly spread ones, 0 to 1, however many there are.
fn spread(number: u32) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    (f64::from(number) + 0.5) * GOLDEN % 1.0
}

/// Lists the flows of a run.
fn flows_of(report: &Report) -> Vec<Flow> {
    let finished = report.flows.rows.iter().map(|row| Flow {
        ends: [row.source, row.destination],
        transport: row.transport,
        number: row.number,
        bytes: row.size.get(),
        start: row.start.as_nanoseconds(),
        finish: row.finish.as_nanoseconds(),
    });
    let others = &report.unfinished;
    let unfinished = (0..others.source.len()).map(|index| Flow {
        ends: [others.source[index], others.destination[index]],
        transport: others.transport[index],
        number: others.number[index],
        bytes: others.received_bytes[index],
        start: others.start_ns[index],
        finish: report.totals.end_ns,
    });
    finished.chain(unfinished).collect()
}

/// Chooses instants at which bytes are under way: the middle of the lives of flows, drawn by their bytes.
fn instants(flows: &[Flow]) -> Vec<u64> {
    let all: u64 = flows.iter().map(|flow| flow.bytes).sum();
    let middle = |number: u32| {
        let mut left = (spread(number) * all as f64) as u64;
        let flow = flows.iter().find(|flow| {
            let is_it = left < flow.bytes;
            left = left.saturating_sub(flow.bytes);
            is_it
        });
        flow.map(|flow| flow.start.midpoint(flow.finish))
    };
    (0..MOST_INSTANTS).filter_map(middle).collect()
}

/// Lists the packet-hops of a microsecond, node by node, and at each node link by link in turn.
fn hops<'a>(
    simulation: &Simulation,
    report: &Report,
    all: &[Flow],
    active: impl Iterator<Item = &'a Flow>,
) -> Vec<Hop> {
    let packets = &report.totals.packets;
    let bytes: u64 = all.iter().map(|flow| flow.bytes).sum();
    let bytes_per_packet = bytes as f64 / packets.delivered.max(1) as f64;
    let answers = packets.acknowledgements_sent as f64 / packets.sent.max(1) as f64;

    let mut bursts = Vec::new();
    for (number, flow) in (0_u32..).zip(active) {
        let there = ports_of(simulation, flow.ends, flow.transport, flow.number);
        let back = ports_of(simulation, [flow.ends[1], flow.ends[0]], flow.transport, flow.number);
        let data = flow.bytes as f64 * 1000.0 / (flow.finish - flow.start) as f64 / bytes_per_packet;
        // Flows of less than a packet in a microsecond have one in some of them.
        let [data, answers] = [data, data * answers].map(|packets| (packets + spread(number)) as u32);
        let back = if answers > 0 { &back[..] } else { &[] };
        let links: Vec<PortId> = there.iter().chain(back).copied().collect();
        for (place, &from) in links.iter().enumerate() {
            let reaches_host = place + 1 == there.len() || place + 1 == links.len();
            let hop = Hop {
                from,
                to: links[(place + 1) % links.len()],
                flow: if reaches_host { number } else { NO_FLOW },
            };
            let node = report.ports.device[report.ports.peer[from as usize] as usize];
            bursts.push(Burst { node, packets: if place < there.len() { data } else { answers }, hop });
        }
    }
    bursts.sort_by_key(|burst| (burst.node, burst.hop.from));
    let mut hops = Vec::new();
    for at_node in bursts.chunk_by(|one, other| one.node == other.node) {
        let most = at_node.iter().map(|burst| burst.packets).max().unwrap_or_default();
        for turn in 0..most {
            hops.extend(at_node.iter().filter(|burst| burst.packets > turn).map(|burst| burst.hop));
        }
    }
    hops
}
