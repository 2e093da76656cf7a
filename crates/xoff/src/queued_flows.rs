//! Flows whose packets are in a queue.

use crate::observer::QueuedFlow;
use crate::packet::Packet;

/// Number of flows that are named where a pause is explained.
pub const MOST_FLOWS: usize = 4;

/// Bytes of each flow among `packets`, the most bytes first.
pub fn by_flow<'a>(packets: impl Iterator<Item = &'a Packet>) -> Vec<QueuedFlow> {
    let mut flows: Vec<QueuedFlow> = packets.map(of_packet).collect();
    let key = |flow: &QueuedFlow| (flow.source, flow.number);
    flows.sort_unstable_by_key(key);
    flows.dedup_by(|next, flow| {
        let is_same = key(next) == key(flow);
        if is_same {
            flow.bytes += next.bytes;
        }
        is_same
    });
    flows.sort_by_key(|flow| std::cmp::Reverse(flow.bytes));
    flows
}

fn of_packet(packet: &Packet) -> QueuedFlow {
    let (source, destination) = packet.flow_ends();
    QueuedFlow { source, destination, number: packet.flow(), bytes: packet.frame() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::Bytes;
    use crate::packet::{ACKNOWLEDGEMENT, Header};

    fn packet(source: u32, destination: u32, flow: u32, flags: u8) -> Packet {
        Header { source, destination, flow, frame: 1000, flags, ..Header::default() }.into()
    }

    #[test]
    fn packets_of_a_flow_count_together_with_what_is_sent_back() {
        let packets =
            [packet(1, 2, 0, 0), packet(3, 2, 5, 0), packet(1, 2, 1, 0), packet(2, 3, 5, ACKNOWLEDGEMENT)];
        let flow =
            |source, number, bytes| QueuedFlow { source, destination: 2, number, bytes: Bytes::new(bytes) };
        assert_eq!(by_flow(packets.iter()), [flow(3, 5, 2000), flow(1, 0, 1000), flow(1, 1, 1000)]);
    }
}
