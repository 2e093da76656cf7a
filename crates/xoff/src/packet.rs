//! The packet: a small header that is copied from ring to ring.

use crate::kernel::units::{Bytes, Time};
use crate::routing::FiveTuple;
use crate::topology::NodeId;

/// Traffic classes of a port.
pub const PRIORITIES: usize = 8;

/// The acknowledgement of a receiver that has everything, whatever the flow's size.
pub const EVERYTHING: u64 = u64::MAX;

/// One data packet or acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Packet {
    /// Data: first byte of the payload. Acknowledgement: first byte not yet received.
    pub sequence: u64,
    /// When the sender sent it, in picoseconds; an acknowledgement gives it back.
    pub stamp: u64,
    /// Host that sent this packet.
    pub source: NodeId,
    /// Host that it is for.
    pub destination: NodeId,
    /// Number of the flow at the host that sends its data.
    pub flow: u32,
    /// Data: number of the flow at the host that receives its data.
    /// Acknowledgement: start of a received block, counted from `sequence`.
    pub reception: u32,
    /// Data: payload bytes. Acknowledgement: length of a received block, 0 for none.
    pub length: u32,
    /// Bytes that buffers count.
    pub frame: u16,
    /// Index of the transport in the scenario's tables.
    pub transport: u8,
    /// The bits below, and the priority in the lowest three.
    pub flags: u8,
}

const PRIORITY_MASK: u8 = 0b0000_0111;
/// An acknowledgement, not data.
pub const ACKNOWLEDGEMENT: u8 = 0b0000_1000;
/// The last data packet of its flow.
pub const LAST: u8 = 0b0001_0000;
/// ECN-capable (ECT).
pub const ECN_CAPABLE: u8 = 0b0010_0000;
/// Congestion Experienced (CE).
pub const MARKED: u8 = 0b0100_0000;
/// The receiver's echo of a mark (ECE).
pub const ECHO: u8 = 0b1000_0000;

impl Packet {
    /// Whether all of these flag bits are set.
    #[inline]
    pub const fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
    /// Traffic class, 0 to 7.
    #[inline]
    pub const fn priority(&self) -> usize {
        (self.flags & PRIORITY_MASK) as usize
    }
    /// What switches hash to choose among next hops.
    #[inline]
    pub fn five_tuple(&self) -> FiveTuple {
        if self.is(ACKNOWLEDGEMENT) {
            FiveTuple::of_flow(self.destination, self.source, self.flow).reversed()
        } else {
            FiveTuple::of_flow(self.source, self.destination, self.flow)
        }
    }
    /// Bytes that buffers count.
    #[inline]
    pub const fn frame(&self) -> Bytes {
        Bytes::new(self.frame as u64)
    }
}

/// A packet and when it gets where it is going.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flight {
    /// When its last bit arrives.
    pub arrives: Time,
    /// The packet.
    pub packet: Packet,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_forty_bytes() {
        assert_eq!(size_of::<Packet>(), 40);
        assert_eq!(size_of::<Flight>(), 48);
    }
}
