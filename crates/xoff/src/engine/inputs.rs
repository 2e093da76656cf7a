//! What is sampled of an input buffer.

use std::collections::BTreeMap;

use super::sampler::{Quantity, Sample};
use crate::kernel::units::{Bytes, Time};
use crate::packet::PRIORITIES;
use crate::topology::{NodeId, PortId};

/// Rows of the input buffer of a port: of each class in use, and of each flow that has bytes in it.
/// `bytes` says what a class has; `frames` are the source, flow number and bytes of each frame, in any order.
pub fn input_rows(
    now: Time,
    port: PortId,
    classes: u8,
    bytes: impl Fn(usize) -> Bytes,
    frames: impl Iterator<Item = (NodeId, u32, Bytes)>,
) -> Vec<Sample> {
    let row = |quantity, source, part, value: Bytes| Sample {
        time: now,
        quantity,
        entity: port,
        part,
        source,
        value: value.as_f64(),
    };
    let in_use = (0..PRIORITIES).filter(|priority| classes & (1 << priority) != 0);
    let mut rows: Vec<Sample> =
        in_use.map(|priority| row(Quantity::Input, 0, priority as u32, bytes(priority))).collect();
    let mut of_flows = BTreeMap::new();
    for (source, flow, frame) in frames {
        *of_flows.entry((source, flow)).or_insert(Bytes::ZERO) += frame;
    }
    rows.extend(
        of_flows.into_iter().map(|((source, flow), bytes)| row(Quantity::InputOfFlow, source, flow, bytes)),
    );
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_a_flow_are_one_row() {
        let frames = [(3, 0, 1500), (2, 7, 64), (3, 0, 500)];
        let frames = frames.map(|(source, flow, bytes)| (source, flow, Bytes::new(bytes)));
        let bytes = |priority: usize| Bytes::new(if priority == 0 { 2064 } else { 0 });
        let rows = input_rows(Time::new(5), 9, 0b1001, bytes, frames.into_iter());
        let told: Vec<_> = rows.iter().map(|row| (row.quantity, row.source, row.part, row.value)).collect();
        let expected = [
            (Quantity::Input, 0, 0, 2064.0),
            (Quantity::Input, 0, 3, 0.0),
            (Quantity::InputOfFlow, 2, 7, 64.0),
            (Quantity::InputOfFlow, 3, 0, 2000.0),
        ];
        assert_eq!(told, expected);
    }
}
