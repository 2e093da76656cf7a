//! Samples of an input buffer.

use std::collections::BTreeMap;

use super::samples::{Quantity, Sample};
use crate::classes::Classes;
use crate::kernel::units::{Bytes, Time};
use crate::topology::{NodeId, PortId};

/// Returns the rows of one input buffer: for each class in use, and by class for each flow with bytes in it.
/// `bytes` returns the bytes of a class. `packets` are (source, flow number, class, bytes) of each packet, in any
/// order.
pub(super) fn input_rows(
    now: Time,
    port: PortId,
    classes: Classes,
    bytes: impl Fn(usize) -> Bytes,
    packets: impl Iterator<Item = (NodeId, u32, u8, Bytes)>,
) -> Vec<Sample> {
    let row = |quantity, source, part, priority, value: Bytes| Sample {
        time: now,
        quantity,
        entity: port,
        part,
        source,
        priority,
        value: value.as_f64(),
    };
    let of_class = |priority| row(Quantity::Input, 0, priority as u32, 0, bytes(priority));
    let mut rows: Vec<Sample> = classes.iter().map(of_class).collect();
    let mut of_flows = BTreeMap::new();
    for (source, flow, priority, bytes) in packets {
        *of_flows.entry((source, flow, priority)).or_insert(Bytes::ZERO) += bytes;
    }
    let of_flow =
        |((source, flow, priority), bytes)| row(Quantity::InputOfFlow, source, flow, priority, bytes);
    rows.extend(of_flows.into_iter().map(of_flow));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_a_flow_and_class_are_one_row() {
        let packets = [(3, 0, 0, 1536), (2, 7, 0, 64), (3, 0, 3, 128), (3, 0, 0, 512)];
        let packets = packets
            .into_iter()
            .map(|(source, flow, priority, bytes)| (source, flow, priority, Bytes::new(bytes)));
        let bytes = |priority: usize| Bytes::new(if priority == 0 { 2112 } else { 128 });
        let rows = input_rows(Time::new(5), 9, Classes::from_mask(0b1001), bytes, packets);
        let told: Vec<_> =
            rows.iter().map(|row| (row.quantity, row.source, row.part, row.priority, row.value)).collect();
        let expected = [
            (Quantity::Input, 0, 0, 0, 2112.0),
            (Quantity::Input, 0, 3, 0, 128.0),
            (Quantity::InputOfFlow, 2, 7, 0, 64.0),
            (Quantity::InputOfFlow, 3, 0, 0, 2048.0),
            (Quantity::InputOfFlow, 3, 0, 3, 128.0),
        ];
        assert_eq!(told, expected);
    }
}
