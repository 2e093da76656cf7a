//! What threads send one another when they meet: whole rings of packets, which nobody copies.

use crate::agenda::LaneId;
use crate::kernel::ring::Ring;
use crate::kernel::units::Time;
use crate::packet::{Flight, Packet};
use crate::topology::PortId;

/// What another thread has to know of packets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Notice {
    /// The packet from this port that arrives then is marked.
    Mark(PortId, Time),
    /// A packet from this port was on its way when the link failed.
    Lost(PortId, Packet),
}

/// What one thread sends another at a time.
#[derive(Debug, Default)]
pub(super) struct Mail {
    /// Ports and what they have sent, in the order in which it arrives. Behind the first `full` are rings to give for others.
    packets: Vec<(PortId, Ring<Flight>)>,
    full: usize,
    /// What holds of these packets and of earlier ones.
    pub(super) notices: Vec<Notice>,
}

/// What one thread has for another.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    /// Ports and their rings that hold packets.
    pub(super) full: Vec<LaneId>,
    pub(super) notices: Vec<Notice>,
}

impl Mail {
    /// Takes what this port has sent, and gives an empty ring for it.
    pub(super) fn enclose(&mut self, port: PortId, sent: &mut Ring<Flight>) {
        if self.full == self.packets.len() {
            self.packets.push((port, Ring::new()));
        }
        let place = &mut self.packets[self.full];
        place.0 = port;
        std::mem::swap(&mut place.1, sent);
        self.full += 1;
    }

    /// Ports and what they have sent. The mail holds nothing of it once the caller has emptied the rings.
    pub(super) fn take_packets(&mut self) -> &mut [(PortId, Ring<Flight>)] {
        let full = std::mem::take(&mut self.full);
        &mut self.packets[..full]
    }
}
