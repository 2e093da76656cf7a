//! The receiving side of a host: flows that arrive, and their acknowledgements.

use super::{GONE, Host, NOT_SEEN, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::congestion_control::Echo;
use crate::kernel::timers::Timer;
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::packet::{ACKNOWLEDGEMENT, ECHO, ECN_CAPABLE, EVERYTHING, Packet};
use crate::scenario::{Tcp, Transport};
use crate::topology::NodeId;
use crate::transport::constant_rate::ConstantRateReceiver;
use crate::transport::tcp::{Acknowledgement, TcpReceiver};

#[derive(Debug)]
enum Receiver {
    Tcp(TcpReceiver),
    ConstantRate(ConstantRateReceiver),
}

/// Where acknowledgements of a flow go.
#[derive(Clone, Copy, Debug)]
struct ReturnAddress {
    source: NodeId,
    flow: u32,
    priority: u8,
    transport: u8,
}

impl ReturnAddress {
    fn of(packet: &Packet) -> Self {
        Self {
            source: packet.source,
            flow: packet.flow,
            priority: packet.priority() as u8,
            transport: packet.transport,
        }
    }
}

/// One flow that is arriving.
#[derive(Debug)]
pub(super) struct Reception {
    receiver: Receiver,
    back: ReturnAddress,
    timer: Timer,
}

impl Host {
    #[inline]
    pub(super) fn on_data(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let slot = self.reception_slot(packet, context);
        if slot == GONE {
            return self.acknowledge_everything(packet, context);
        }
        let reception = &mut self.receptions[slot as usize];
        match &mut reception.receiver {
            Receiver::ConstantRate(receiver) => {
                if receiver.on_data(packet) {
                    self.counters.finished += 1;
                    self.finish_reception(packet.reception, context.now);
                }
            }
            Receiver::Tcp(receiver) => {
                let received = receiver.on_data(packet);
                let back = reception.back;
                if received.pending {
                    self.arm_acknowledgement(slot as usize, packet.reception, context);
                } else {
                    reception.timer.disarm();
                }
                if received.complete {
                    self.finish_reception(packet.reception, context.now);
                }
                for acknowledgement in received.acknowledgements.into_iter().flatten() {
                    self.send_acknowledgement(&acknowledgement, back, context);
                }
            }
        }
    }

    #[inline]
    fn reception_slot(&mut self, packet: &Packet, context: &Context<'_, impl Agenda, impl Observer>) -> u32 {
        match self.reception_slots.get(packet.reception as usize) {
            Some(&slot) if slot != NOT_SEEN => slot,
            _ => self.begin_reception(packet, context),
        }
    }

    #[cold]
    fn begin_reception(&mut self, packet: &Packet, context: &Context<'_, impl Agenda, impl Observer>) -> u32 {
        let number = packet.reception as usize;
        if number >= self.reception_slots.len() {
            self.reception_slots.resize(number + 1, NOT_SEEN);
            self.received_at.resize(number + 1, Time::MAX);
        }
        let receiver = match &context.fabric.transports[packet.transport as usize] {
            Transport::Tcp(tcp) => {
                Receiver::Tcp(TcpReceiver::new(tcp.acknowledge_every, tcp.congestion_control.echo()))
            }
            Transport::ConstantRate(_) => Receiver::ConstantRate(ConstantRateReceiver::default()),
        };
        let reception = Reception { receiver, back: ReturnAddress::of(packet), timer: Timer::default() };
        let slot = self.receptions.insert(reception) as u32;
        self.reception_slots[number] = slot;
        slot
    }

    fn finish_reception(&mut self, number: u32, now: Time) {
        let slot = std::mem::replace(&mut self.reception_slots[number as usize], GONE);
        self.receptions.remove(slot as usize);
        self.received_at[number as usize] = now;
    }

    fn arm_acknowledgement(
        &mut self,
        slot: usize,
        number: u32,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) {
        let reception = &mut self.receptions[slot];
        if let Transport::Tcp(tcp) = &context.fabric.transports[reception.back.transport as usize]
            && !reception.timer.is_armed()
        {
            let deadline = context.now + tcp.acknowledge_timeout;
            self.timers.arm(&mut reception.timer, TimerKey::Reception(number), deadline);
        }
    }

    pub(super) fn on_reception_timer(
        &mut self,
        number: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let slot = self.reception_slots[number as usize];
        if slot == GONE {
            return;
        }
        let reception = &mut self.receptions[slot as usize];
        if !self.timers.expires(&mut reception.timer, TimerKey::Reception(number), time) {
            return;
        }
        if let Receiver::Tcp(receiver) = &mut reception.receiver
            && let Some(acknowledgement) = receiver.on_timer()
        {
            let back = reception.back;
            self.send_acknowledgement(&acknowledgement, back, context);
        }
    }

    /// A packet of a flow that is whole: its sender has missed the last acknowledgement.
    #[cold]
    fn acknowledge_everything(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let acknowledgement =
            Acknowledgement { next: EVERYTHING, echo: false, stamp: packet.stamp, block: None };
        self.send_acknowledgement(&acknowledgement, ReturnAddress::of(packet), context);
    }

    #[inline]
    fn send_acknowledgement(
        &mut self,
        acknowledgement: &Acknowledgement,
        back: ReturnAddress,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Transport::Tcp(tcp) = &context.fabric.transports[back.transport as usize] else { return };
        let (start, end) = acknowledgement.block.unwrap_or((acknowledgement.next, acknowledgement.next));
        let packet = Packet {
            sequence: acknowledgement.next,
            stamp: acknowledgement.stamp,
            source: self.id,
            destination: back.source,
            flow: back.flow,
            reception: (start - acknowledgement.next) as u32,
            length: (end - start) as u32,
            frame: tcp.acknowledgement.get() as u16,
            transport: back.transport,
            flags: acknowledgement_flags(tcp, acknowledgement, back.priority),
        };
        self.counters.acknowledgements_sent += 1;
        self.send(packet, context);
    }
}

/// Acknowledgements of an ECN-capable flow are ECN-capable, as Linux sends DCTCP's, lest marking drop them.
fn acknowledgement_flags(tcp: &Tcp, acknowledgement: &Acknowledgement, priority: u8) -> u8 {
    let mut flags = ACKNOWLEDGEMENT | priority;
    if tcp.congestion_control.echo() != Echo::None {
        flags |= ECN_CAPABLE;
    }
    if acknowledgement.echo {
        flags |= ECHO;
    }
    flags
}
