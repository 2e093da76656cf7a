//! Packets in flight at the end of a run, counted one by one.

use std::iter::Sum;
use std::ops::Add;

use crate::packet::{ACKNOWLEDGEMENT, Packet};

/// Number of packets in flight, by kind: in queues, inside hosts and on wires. Frames between the two ends of one link,
/// such as pause frames, do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InFlight {
    /// Data packets, with their payload.
    pub data: u64,
    /// Headers of trimmed packets.
    pub headers: u64,
    /// Acknowledgements of any kind, CNPs and packets of credit included.
    pub acknowledgements: u64,
    /// Congestion notification messages (CNMs).
    pub cnms: u64,
}

impl InFlight {
    /// Counts packets by kind.
    pub fn of<'a>(packets: impl IntoIterator<Item = &'a Packet>) -> Self {
        let mut counts = Self::default();
        for packet in packets.into_iter().filter(|packet| packet.control().is_none()) {
            let count = if packet.is_cnm() {
                &mut counts.cnms
            } else if packet.is_header() {
                &mut counts.headers
            } else if packet.is(ACKNOWLEDGEMENT) {
                &mut counts.acknowledgements
            } else {
                &mut counts.data
            };
            *count += 1;
        }
        counts
    }
}

impl Add for InFlight {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            data: self.data + other.data,
            headers: self.headers + other.headers,
            acknowledgements: self.acknowledgements + other.acknowledgements,
            cnms: self.cnms + other.cnms,
        }
    }
}

impl Sum for InFlight {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}
