//! The flows that a host receives: the state of each, and where it is.

use slab::Slab;

use super::{GONE, NOT_SEEN};
use crate::congestion_control::Grants;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Time};
use crate::packet::{ACKNOWLEDGEMENT, ECN_CAPABLE, Packet};
use crate::scenario::{EcnCapable, Tcp, Transport};
use crate::topology::NodeId;
use crate::transport::constant_rate::ConstantRateReceiver;
use crate::transport::roce::RoceReceiver;
use crate::transport::tcp::TcpReceiver;

/// All flows that a host receives. Where the state of one is that an application has begun, the application's channel knows.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Receptions {
    pub(super) states: Slab<Reception>,
    /// Those that are no application's.
    pub(super) flows: ReceptionSlots,
}

impl Receptions {
    pub(super) fn new() -> Self {
        Self { states: Slab::new(), flows: ReceptionSlots::default() }
    }
}

#[derive(Debug)]
pub(super) enum Receiver {
    Tcp(TcpReceiver),
    Roce(RoceReceiver),
    ConstantRate(ConstantRateReceiver),
}

impl Receiver {
    pub(super) fn received(&self) -> Bytes {
        Bytes::new(match self {
            Self::Tcp(receiver) => receiver.received(),
            Self::Roce(receiver) => receiver.received(),
            Self::ConstantRate(receiver) => receiver.received(),
        })
    }
}

/// How acknowledgements of a flow are addressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReturnAddress {
    pub(super) source: NodeId,
    pub(super) flow: u32,
    pub(super) transport: u8,
    pub(super) flags: u8,
    pub(super) frame: u16,
}

impl ReturnAddress {
    /// Acknowledgements of an ECN-capable flow are ECN-capable, as Linux sends DCTCP's, lest marking drop them, unless its
    /// transport has it otherwise.
    pub(super) fn of(packet: &Packet, transport: &Transport) -> Self {
        let only_data = matches!(transport, Transport::Tcp(Tcp { ecn_capable: EcnCapable::Data, .. }));
        let ecn_capable = if packet.is(ECN_CAPABLE) && !only_data { ECN_CAPABLE } else { 0 };
        let (priority, frame) = match transport {
            Transport::Tcp(tcp) => (packet.priority() as u8, tcp.acknowledgement),
            Transport::Roce(roce) => (roce.control_priority, roce.acknowledgement_frame()),
            Transport::ConstantRate(_) => (0, Bytes::ZERO),
        };
        Self {
            source: packet.source(),
            flow: packet.flow(),
            transport: packet.transport(),
            flags: ACKNOWLEDGEMENT | priority | ecn_capable,
            frame: frame.get() as u16,
        }
    }
}

/// What is known of flows to this host, by their numbers.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct ReceptionSlots {
    /// Where the state of each is.
    slots: Vec<u32>,
    /// When each was whole; `Time::MAX` until then.
    received_at: Vec<Time>,
}

impl ReceptionSlots {
    #[inline]
    pub(super) fn slot(&self, number: u32) -> u32 {
        self.slots.get(number as usize).copied().unwrap_or(NOT_SEEN)
    }

    pub(super) fn begin(&mut self, number: u32, slot: u32) {
        let number = number as usize;
        if number >= self.slots.len() {
            self.slots.resize(number + 1, NOT_SEEN);
            self.received_at.resize(number + 1, Time::MAX);
        }
        self.slots[number] = slot;
    }

    /// Takes the slot of one that is whole.
    pub(super) fn finish(&mut self, number: u32, now: Time) -> u32 {
        self.received_at[number as usize] = now;
        std::mem::replace(&mut self.slots[number as usize], GONE)
    }

    /// When a flow was whole.
    pub(super) fn received_at(&self, number: u32) -> Option<Time> {
        self.received_at.get(number as usize).copied().filter(|&time| time != Time::MAX)
    }
}

/// One flow that is arriving, in as few cache lines as can be.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Reception {
    pub(super) back: ReturnAddress,
    pub(super) timer: Timer,
    pub(super) receiver: Receiver,
}

impl Reception {
    /// What its flow was given and asks for, if it sends on credit, and until when more of it should have come.
    pub(super) fn credit(&mut self) -> Option<(&mut Grants, &mut Timer)> {
        match &mut self.receiver {
            Receiver::Roce(receiver) => receiver.grants().map(|grants| (grants, &mut self.timer)),
            Receiver::Tcp(_) | Receiver::ConstantRate(_) => None,
        }
    }
}
