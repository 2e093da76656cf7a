//! Signals between switches of one fabric: credits for room in a buffer, and deliveries of packets that have come out.
//! Signals take the delay of their link and none of its rate.

use crate::packet::{ACKNOWLEDGEMENT, Header, NO_TRANSPORT, Packet};
use crate::topology::NodeId;

/// A message between the two ends of a link with credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// Room that a frame has left in the buffer at the other end of the link.
    Credit(Credit),
    /// Delivery of a packet at the output of the fabric, whose copy at the input may go.
    Delivery(Delivery),
}

/// Room that a frame has left in a buffer, and the congestion on its further way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Credit {
    /// Class of the frame.
    pub(super) priority: usize,
    /// Units of the buffer that the frame has left.
    pub(super) units: u32,
    /// Host to which the frame goes.
    pub(super) destination: NodeId,
    /// Occupancy of the fullest buffer on the frame's further way, in parts of 65536.
    pub(super) congestion: u32,
}

/// Packet that has come to the output of the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delivery {
    pub(super) source: NodeId,
    pub(super) destination: NodeId,
    pub(super) flow: u32,
    pub(super) sequence: u64,
    pub(super) is_acknowledgement: bool,
}

impl Delivery {
    pub(super) fn of(packet: &Packet) -> Self {
        Self {
            source: packet.source(),
            destination: packet.destination(),
            flow: packet.flow(),
            sequence: packet.sequence(),
            is_acknowledgement: packet.is(ACKNOWLEDGEMENT),
        }
    }
}

/// Bit that tells a delivery from a credit.
const DELIVERY: u32 = 1;

impl From<Signal> for Packet {
    fn from(signal: Signal) -> Self {
        let header = match signal {
            Signal::Credit(credit) => Header {
                sequence: credit.congestion.into(),
                destination: credit.destination,
                length: credit.units,
                flags: credit.priority as u8,
                ..Header::default()
            },
            // It goes back, to the host whose packet it was.
            Signal::Delivery(delivery) => Header {
                sequence: delivery.sequence,
                source: delivery.destination,
                destination: delivery.source,
                flow: delivery.flow,
                reception: DELIVERY,
                flags: if delivery.is_acknowledgement { ACKNOWLEDGEMENT } else { 0 },
                ..Header::default()
            },
        };
        Header { transport: NO_TRANSPORT, ..header }.into()
    }
}

impl From<&Packet> for Signal {
    fn from(packet: &Packet) -> Self {
        if packet.reception() == DELIVERY {
            return Self::Delivery(Delivery {
                source: packet.destination(),
                destination: packet.source(),
                flow: packet.flow(),
                sequence: packet.sequence(),
                is_acknowledgement: packet.is(ACKNOWLEDGEMENT),
            });
        }
        Self::Credit(Credit {
            priority: packet.priority(),
            units: packet.length() as u32,
            destination: packet.destination(),
            congestion: packet.sequence() as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_says_what_it_was_told() {
        let credit = Credit { priority: 7, units: 24, destination: 9, congestion: 65_536 };
        let packet = Header {
            source: 3,
            destination: 4,
            flow: 5,
            sequence: 1 << 40,
            flags: ACKNOWLEDGEMENT,
            ..Header::default()
        };
        for signal in [Signal::Credit(credit), Signal::Delivery(Delivery::of(&packet.into()))] {
            assert_eq!(Signal::from(&Packet::from(signal)), signal);
        }
    }
}
