//! States of the flows that a host receives, and the index of flows by number.

use slab::Slab;

use super::{GONE, NOT_SEEN};
use crate::congestion_control::Grants;
use crate::kernel::prefetch::{prefetch, prefetch_all};
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Time};
use crate::packet::{ACKNOWLEDGEMENT, ECN_CAPABLE, Packet};
use crate::scenario::{EcnCapable, Tcp, Transport};
use crate::topology::NodeId;
use crate::transport::constant_rate::ConstantRateReceiver;
use crate::transport::roce::RoceReceiver;
use crate::transport::tcp::TcpReceiver;

/// All flows that a host receives. Flows that an application has begun are in the index of the application's channel.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Receptions {
    pub(super) states: Slab<Reception>,
    /// Index of the flows that belong to no application.
    pub(super) flows: ReceptionSlots,
}

impl Receptions {
    pub(super) fn new() -> Self {
        Self { states: Slab::new(), flows: ReceptionSlots::default() }
    }

    /// Prefetches the state of a flow that belongs to no application.
    pub(super) fn prefetch_flow(&self, number: u32) {
        if let Some(reception) = self.states.get(self.flows.slot(number) as usize) {
            prefetch_all(reception);
        }
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

/// Address of what goes back to the sender of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReturnAddress {
    pub(super) source: NodeId,
    pub(super) flow: u32,
    pub(super) transport: u8,
    pub(super) flags: u8,
    pub(super) frame: u16,
}

impl ReturnAddress {
    /// The address of what answers `packet`. Acknowledgements of an ECN-capable flow are ECN-capable unless its
    /// transport has it otherwise: Linux sends DCTCP's so, lest marking drop them.
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

/// Index of the flows to this host, by the number of each flow there.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct ReceptionSlots {
    /// Slot of each flow's state.
    slots: Vec<u32>,
    /// Time at which each flow was whole; `Time::MAX` until then.
    received_at: Vec<Time>,
}

impl ReceptionSlots {
    #[inline]
    pub(super) fn slot(&self, number: u32) -> u32 {
        self.slots.get(number as usize).copied().unwrap_or(NOT_SEEN)
    }

    /// Prefetches the first slots.
    pub(super) fn prefetch(&self) {
        prefetch(self.slots.as_ptr());
    }

    pub(super) fn begin(&mut self, number: u32, slot: u32) {
        let number = number as usize;
        if number >= self.slots.len() {
            self.slots.resize(number + 1, NOT_SEEN);
            self.received_at.resize(number + 1, Time::MAX);
        }
        self.slots[number] = slot;
    }

    /// Notes that a flow is whole. Returns the slot of its state.
    pub(super) fn finish(&mut self, number: u32, now: Time) -> u32 {
        self.received_at[number as usize] = now;
        std::mem::replace(&mut self.slots[number as usize], GONE)
    }

    /// Writes every time as `reported` has it.
    pub(super) fn report_times(&mut self, reported: impl Fn(Time) -> Time) {
        self.received_at.iter_mut().for_each(|at| *at = reported(*at));
    }

    /// Time at which a flow was whole, if it is.
    pub(super) fn received_at(&self, number: u32) -> Option<Time> {
        self.received_at.get(number as usize).copied().filter(|&time| time != Time::MAX)
    }
}

/// One flow that is arriving, in as few cache lines as possible.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Reception {
    pub(super) back: ReturnAddress,
    pub(super) timer: Timer,
    pub(super) receiver: Receiver,
}

impl Reception {
    /// Credit of a flow that sends on credit: what it was given and asks for, and the timer until more of it should
    /// have come.
    pub(super) fn credit(&mut self) -> Option<(&mut Grants, &mut Timer)> {
        match &mut self.receiver {
            Receiver::Roce(receiver) => receiver.grants().map(|grants| (grants, &mut self.timer)),
            Receiver::Tcp(_) | Receiver::ConstantRate(_) => None,
        }
    }
}
