//! Mail between threads: whole rings of packets, which change hands between windows without being copied.

use crate::agenda::LaneId;
use crate::kernel::ring::Ring;
use crate::kernel::units::Time;
use crate::packet::{Flight, Packet};
use crate::topology::PortId;

/// Fact about a packet in flight that another thread has to know.
#[derive(Clone, Copy, Debug)]
pub(super) enum Notice {
    /// Mark on the packet that a port sent, named by the port and the packet's time of arrival.
    Mark(PortId, Time),
    /// Loss of a packet that a port sent: the packet was on its way when the link failed.
    Lost(PortId, Packet),
}

/// Packets and notices from one thread for another, from one meeting.
#[derive(Debug, Default)]
pub(super) struct Mail {
    /// Ports with the packets that they have sent, in the order of arrival. Behind the first `full` are empty rings to
    /// give back.
    packets: Vec<(PortId, Ring<Flight>)>,
    full: usize,
    /// Notices about the packets of this mail and about earlier packets.
    pub(super) notices: Vec<Notice>,
}

/// Lanes and notices that wait for another thread until the next meeting.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    /// Lanes that hold packets.
    pub(super) full: Vec<LaneId>,
    pub(super) notices: Vec<Notice>,
}

impl Mail {
    /// Takes the packets that a port has sent, and leaves an empty ring for them.
    pub(super) fn enclose(&mut self, port: PortId, sent: &mut Ring<Flight>) {
        if self.full == self.packets.len() {
            self.packets.push((port, Ring::new()));
        }
        let place = &mut self.packets[self.full];
        place.0 = port;
        std::mem::swap(&mut place.1, sent);
        self.full += 1;
    }

    /// Returns the ports and the packets that they have sent. The caller empties the rings.
    pub(super) fn take_packets(&mut self) -> &mut [(PortId, Ring<Flight>)] {
        let full = std::mem::take(&mut self.full);
        &mut self.packets[..full]
    }
}
