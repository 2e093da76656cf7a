//! States of the flows that a host sends, and the index of flows by number.

use std::mem::offset_of;
use std::ops::{Index, IndexMut};

use slab::Slab;

use super::adapter::{Adapter, Sent};
use super::flow::{Flow, Repairs, UnfinishedFlow};
use super::limiters::NO_LIMITER;
use super::pending::Pending;
use super::queue_pair::QueuePair;
use super::{GONE, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::kernel::prefetch::{prefetch, prefetch_all};
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Rate, Time};
use crate::observer::Observer;
use crate::packet::{ECN_CAPABLE, Header, LAST, Packet, WINDOW_REDUCED};
use crate::scenario::Tcp;
use crate::topology::NodeId;
use crate::transport::Transmit;
use crate::transport::constant_rate::ConstantRateSender;
use crate::transport::roce::RoceSender;
use crate::transport::tcp::{Handshake, TcpSender};

/// All flows that a host sends, in one cache line: the index, and the states of those under way.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Sendings {
    /// Slot of each flow of this host, by the flow's number.
    slots: Vec<u32>,
    states: Slab<Sending>,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Sendings>() == 64);

impl Sendings {
    pub(super) fn new() -> Self {
        Self { slots: Vec::new(), states: Slab::new() }
    }

    /// The number of the next flow to start.
    pub(super) fn next_number(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Takes in the flow with the next number. Returns its slot.
    pub(super) fn begin(&mut self, sending: Sending) -> usize {
        let slot = self.states.insert(sending);
        self.slots.push(slot as u32);
        slot
    }

    /// Takes out a flow that is done.
    pub(super) fn end(&mut self, slot: usize) -> Sending {
        let sending = self.states.remove(slot);
        self.slots[sending.number() as usize] = GONE;
        sending
    }

    /// Slot of a flow, by its number, unless the flow is done.
    #[inline]
    pub(super) fn slot(&self, number: u32) -> Option<usize> {
        let slot = self.slots[number as usize];
        (slot != GONE).then_some(slot as usize)
    }

    /// Prefetches the index.
    pub(super) fn prefetch_index(&self) {
        prefetch(self.slots.as_ptr());
    }

    /// Prefetches the state of a flow.
    pub(super) fn prefetch_flow(&self, number: u32) {
        // A pause frame or CNM has no flow, and any number.
        let slot = self.slots.get(number as usize).copied().unwrap_or(GONE);
        if let Some(sending) = self.states.get(slot as usize) {
            prefetch_all(sending);
        }
    }

    /// Flow in a slot, if there is one.
    pub(super) fn get(&self, slot: usize) -> Option<&Sending> {
        self.states.get(slot)
    }

    /// The flows under way, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Sending> {
        self.states.iter_mut().map(|(_, sending)| sending)
    }

    /// The flows under way.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Sending> {
        self.states.iter().map(|(_, sending)| sending)
    }
}

impl Index<usize> for Sendings {
    type Output = Sending;

    #[inline]
    fn index(&self, slot: usize) -> &Sending {
        &self.states[slot]
    }
}

impl IndexMut<usize> for Sendings {
    #[inline]
    fn index_mut(&mut self, slot: usize) -> &mut Sending {
        &mut self.states[slot]
    }
}

#[derive(Debug)]
pub(super) enum Sender {
    Tcp(TcpSender),
    Handshake(Handshake),
    QueuePair(QueuePair),
    ConstantRate(ConstantRateSender),
}

/// One flow under way. The first cache line has all but the sender, which begins the next.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Sending {
    pub(super) flow: Flow,
    /// Retransmission timer, or the next packet of constant rate.
    pub(super) timer: Timer,
    /// Bytes of this flow waiting in the adapter.
    pub(super) queued: Bytes,
    /// Place of the flow's limiter, or [`NO_LIMITER`].
    pub(super) limiter: u32,
    /// Bytes that headers add to every packet's payload.
    pub(super) headers: u16,
    /// Flags of every packet.
    pub(super) flags: u8,
    pub(super) held_back: bool,
    pub(super) sender: Sender,
    /// Number of the flow's persistent connection among the connections to its destination.
    pub(super) connection: Option<u32>,
}

const _: () = assert!(offset_of!(Sending, sender) == 64);
const _: () = assert!(size_of::<Sending>() <= 9 * 64, "every flow under way has one");

impl Sending {
    pub(super) fn number(&self) -> u32 {
        self.flow.number
    }

    pub(super) fn size(&self) -> Bytes {
        self.flow.size
    }

    #[inline]
    pub(super) fn queue_pair(&mut self) -> Option<&mut QueuePair> {
        match &mut self.sender {
            Sender::QueuePair(pair) => Some(pair),
            Sender::Tcp(_) | Sender::Handshake(_) | Sender::ConstantRate(_) => None,
        }
    }

    pub(super) fn window(&self) -> Option<Bytes> {
        match &self.sender {
            Sender::Tcp(sender) => Some(sender.window()),
            Sender::Handshake(handshake) => Some(handshake.window()),
            Sender::QueuePair(pair) => pair.sender.window(),
            Sender::ConstantRate(_) => None,
        }
    }

    pub(super) fn tcp(&self) -> Option<&TcpSender> {
        match &self.sender {
            Sender::Tcp(sender) => Some(sender),
            Sender::Handshake(_) | Sender::QueuePair(_) | Sender::ConstantRate(_) => None,
        }
    }

    pub(super) fn rate_at(&self, now: Time) -> Option<Rate> {
        match &self.sender {
            Sender::QueuePair(pair) => Some(pair.sender.rate_at(now)),
            Sender::Tcp(_) | Sender::Handshake(_) | Sender::ConstantRate(_) => None,
        }
    }

    pub(super) fn priority(&self) -> usize {
        self.flow.priority.into()
    }

    pub(super) fn so_far(&self) -> UnfinishedFlow {
        UnfinishedFlow { flow: self.flow, repairs: self.repairs() }
    }

    pub(super) fn repairs(&self) -> Repairs {
        match &self.sender {
            Sender::Tcp(sender) => Repairs {
                retransmitted: sender.retransmitted,
                timeouts: sender.timeouts,
                recoveries: sender.recoveries,
                probes: sender.probes,
                spurious: sender.spurious,
            },
            Sender::QueuePair(pair) => {
                let RoceSender { retransmitted, timeouts, .. } = pair.sender;
                Repairs { retransmitted, timeouts, ..Repairs::default() }
            }
            Sender::Handshake(handshake) => Repairs { timeouts: handshake.timeouts(), ..Repairs::default() },
            Sender::ConstantRate(_) => Repairs::default(),
        }
    }

    /// Whether the adapter limits the flow's rate.
    #[inline]
    pub(super) fn is_limited(&self) -> bool {
        self.limiter != NO_LIMITER
    }

    pub(super) fn waits_in_adapter(&self) -> bool {
        self.queued > Bytes::ZERO
    }

    fn key(&self) -> TimerKey {
        TimerKey::Sending(self.flow.number)
    }

    #[inline]
    pub(super) fn poll_transmit(&mut self, now: Time) -> Transmit {
        if let Sender::Tcp(sender) = &mut self.sender {
            return sender.poll_transmit(now);
        }
        self.poll_other(now)
    }

    /// Polls a sender other than TCP's, apart from that so that it costs TCP nothing.
    #[cold]
    fn poll_other(&mut self, now: Time) -> Transmit {
        match &mut self.sender {
            Sender::Handshake(handshake) => handshake.poll_transmit(),
            Sender::ConstantRate(sender) => {
                let transmit = sender.poll_transmit(now);
                self.flow.size = sender.size();
                transmit
            }
            Sender::Tcp(_) | Sender::QueuePair(_) => Transmit::Idle,
        }
    }

    #[inline]
    pub(super) fn send(
        &mut self,
        packet: Packet,
        adapter: &mut Adapter,
        pending: &mut Pending,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Sent {
        let sent = adapter.send(packet, pending, context);
        if sent != Sent::Elsewhere {
            self.queued += packet.frame();
        }
        sent
    }

    pub(super) fn wait_until(&mut self, time: Time, pending: &mut Pending) {
        let key = self.key();
        pending.arm(&mut self.timer, key, time);
    }

    pub(super) fn hold_back(&mut self) {
        self.held_back = true;
        if let Sender::Tcp(sender) = &mut self.sender {
            sender.on_held_back();
        }
    }

    /// Counts out a frame of the flow that has left the adapter. Returns whether that lets the flow go on after it was
    /// held back.
    #[inline]
    pub(super) fn on_left_adapter(&mut self, frame: Bytes, small_queue: Bytes) -> bool {
        self.queued -= frame;
        let goes_on = self.held_back && self.queued < small_queue;
        self.held_back &= !goes_on;
        goes_on
    }

    #[inline]
    pub(super) fn arm_retransmission(
        &mut self,
        pending: &mut Pending,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) {
        let timeout = match &mut self.sender {
            Sender::Tcp(sender) => Some(sender.until_due(context.now)),
            Sender::QueuePair(pair) => pair.sender.timeout(),
            Sender::Handshake(handshake) => Some(handshake.timeout()),
            Sender::ConstantRate(_) => None,
        };
        if let Some(timeout) = timeout {
            let key = self.key();
            pending.arm(&mut self.timer, key, context.now + timeout);
        }
    }

    /// Arms the retransmission timer after sending. Returns whether the flow is done: all is sent, and nothing will be
    /// acknowledged.
    #[inline]
    pub(super) fn is_done_after_sending(
        &mut self,
        pending: &mut Pending,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        let is_waiting = match &self.sender {
            Sender::Tcp(sender) => sender.is_waiting(),
            Sender::Handshake(handshake) => handshake.is_waiting(),
            Sender::ConstantRate(sender) => return sender.is_done(),
            Sender::QueuePair(_) => return false,
        };
        if is_waiting && !self.timer.is_armed() {
            self.arm_retransmission(pending, context);
        }
        false
    }

    /// Gives packets the headers and ECN bits of data, once the connection is open.
    pub(super) fn send_data(&mut self, settings: &Tcp) {
        self.headers = settings.headers.get() as u16;
        self.flags |= if settings.congestion_control.needs().marks() { ECN_CAPABLE } else { 0 };
    }

    /// Ends the flow after one more segment or packet at most. A sender of constant rate knows by itself when it ends.
    pub(super) fn end(&mut self) {
        match &mut self.sender {
            Sender::Tcp(sender) => self.flow.size = sender.end(),
            Sender::Handshake(handshake) => self.flow.size = handshake.end(),
            Sender::QueuePair(pair) => self.flow.size = pair.sender.end(),
            Sender::ConstantRate(_) => {}
        }
    }

    #[inline]
    pub(super) fn packet(
        &self,
        source: NodeId,
        sequence: u64,
        length: u32,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Packet {
        let mut flags = self.flags;
        if sequence + u64::from(length) == self.flow.size.get() {
            flags |= LAST;
        }
        if let Sender::Tcp(sender) = &self.sender
            && sender.tells_of_reduction(sequence)
        {
            flags |= WINDOW_REDUCED;
        }
        Header {
            sequence,
            stamp: context.now.get(),
            source,
            destination: self.flow.destination,
            flow: self.flow.number,
            reception: self.flow.reception,
            length,
            frame: length as u16 + self.headers,
            transport: self.flow.transport,
            flags,
        }
        .into()
    }
}
