//! Switches: what happens to a packet between an ingress and an egress port.
//! `shared_memory.rs` and `cioq/` tell the packet's life in the two kinds of switch. In a shared memory, `mmu.rs` counts by egress
//! port and `ingress.rs` by ingress port, and `pausing.rs` decides by that when senders pause. `pause_cause.rs` says why; the families in the
//! folders decide.

pub mod buffer_policy;
pub mod cell;
pub mod cioq;
pub mod congestion_point;
pub mod headroom;
pub mod ingress;
pub mod markers;
pub mod marking;
pub mod matching;
pub mod mmu;
mod pause_cause;
pub mod pausing;
pub mod shared_memory;

use std::collections::BTreeMap;

use crate::agenda::{Agenda, Context};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::{Bytes, Time};
use crate::observer::Observer;
use crate::packet::Packet;
use crate::pfc::{Durations, Intervention};
use crate::port::Port;
use cioq::Cioq;
use ingress::Ingress;
use mmu::Mmu;
use pausing::Pausing;
use shared_memory::{SharedMemory, Steps};

/// A switch of either kind.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there are as many as the network has switches, and most are of one kind"
)]
pub enum Switch {
    /// Output queues in one shared memory.
    SharedMemory(SharedMemory),
    /// Queues at inputs and outputs.
    Cioq(Cioq),
}

impl Switch {
    /// What its watchdog has done, in order of detection.
    pub fn interventions(&self) -> &[Intervention] {
        match self {
            Self::SharedMemory(switch) => switch.interventions(),
            Self::Cioq(_) => &[],
        }
    }

    /// A packet has arrived whole at a port.
    // Called at one place, for most of all events.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn on_arrival(
        &mut self,
        ingress: u16,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        match self {
            Self::SharedMemory(switch) => switch.on_arrival(ingress, packet, context),
            Self::Cioq(switch) => switch.on_arrival(ingress, packet, context),
        }
    }

    /// The transmission on a port has ended and something waits for that.
    /// Returns when the end of the next one must be heard of.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn on_end_of_transmission(
        &mut self,
        port: u16,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        match self {
            Self::SharedMemory(switch) => switch.on_end_of_transmission(port, context),
            Self::Cioq(switch) => switch.on_end_of_transmission(port, context),
        }
    }

    /// Counts what has left by now and was no event.
    pub fn settle(&mut self, now: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        match self {
            Self::SharedMemory(switch) => switch.settle(now, context),
            Self::Cioq(switch) => switch.settle(now, context.fabric),
        }
    }

    /// See [`SharedMemory::mark_departed`].
    pub fn mark_departed(
        &mut self,
        now: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        match self {
            Self::SharedMemory(switch) => switch.mark_departed(now, context),
            Self::Cioq(_) => Time::MAX,
        }
    }

    /// A message besides all packets has arrived over the link of a port.
    pub fn on_signal(
        &mut self,
        port: u16,
        signal: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if let Self::Cioq(switch) = self {
            switch.on_signal(port, signal, context);
        }
    }

    /// Something about pauses is due. Returns when something is next.
    pub fn on_pause_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        match self {
            Self::SharedMemory(switch) => switch.on_pause_due(context),
            Self::Cioq(switch) => switch.on_pause_due(context),
        }
    }

    /// Something about the crossbar is due. Returns when something is next.
    pub fn on_crossbar_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        match self {
            Self::SharedMemory(_) => Time::MAX,
            Self::Cioq(switch) => switch.on_crossbar_due(context),
        }
    }
}

/// What others may see of it.
impl Switch {
    /// It, where it is a shared-memory switch.
    pub fn shared_memory(&self) -> Option<&SharedMemory> {
        match self {
            Self::SharedMemory(switch) => Some(switch),
            Self::Cioq(_) => None,
        }
    }

    /// The same, to change it. Links of switches with queues at their inputs stay as they are.
    pub fn shared_memory_mut(&mut self) -> Option<&mut SharedMemory> {
        match self {
            Self::SharedMemory(switch) => Some(switch),
            Self::Cioq(_) => None,
        }
    }

    /// It, where it has queues at its inputs.
    pub fn cioq(&self) -> Option<&Cioq> {
        match self {
            Self::SharedMemory(_) => None,
            Self::Cioq(switch) => Some(switch),
        }
    }

    /// Its egress ports.
    pub fn ports(&self) -> &[Port] {
        match self {
            Self::SharedMemory(switch) => switch.ports(),
            Self::Cioq(switch) => switch.ports(),
        }
    }

    /// The same.
    pub fn ports_mut(&mut self) -> &mut [Port] {
        match self {
            Self::SharedMemory(switch) => switch.ports_mut(),
            Self::Cioq(switch) => switch.ports_mut(),
        }
    }

    /// How it pauses senders of lossless classes, where that goes by a shared memory.
    pub fn pausing(&self) -> Option<&Pausing> {
        self.shared_memory().and_then(SharedMemory::pausing)
    }

    /// Packets that are in this switch and not on a wire.
    pub fn packets_inside(&self) -> impl Iterator<Item = &Packet> {
        let at_inputs = self.cioq().into_iter().flat_map(Cioq::packets_at_inputs);
        self.ports().iter().flat_map(Port::queued).chain(at_inputs)
    }

    /// The packets that wait for an egress port, at it or at inputs, class by class.
    pub fn waiting_for(&self, egress: u16) -> impl Iterator<Item = &Packet> {
        let of_class = move |priority| {
            let of_port =
                self.shared_memory().map(|switch| switch.ports()[usize::from(egress)].queued_of(priority));
            let of_cioq = self.cioq().map(|switch| switch.packets_to(egress, priority));
            of_port.into_iter().flatten().chain(of_cioq.into_iter().flatten())
        };
        (0..PRIORITIES).flat_map(of_class)
    }

    /// Bytes of packet memory in use.
    pub fn used(&self) -> Bytes {
        match self {
            Self::SharedMemory(switch) => switch.mmu().used(),
            Self::Cioq(switch) => switch.used(),
        }
    }

    /// The most bytes of packet memory that were in use.
    pub fn peak(&self) -> Bytes {
        match self {
            Self::SharedMemory(switch) => switch.mmu().peak(),
            Self::Cioq(switch) => switch.peak(),
        }
    }

    /// Bytes of a class in the queue of an egress port.
    pub fn queue_bytes(&self, port: u16, priority: usize) -> Bytes {
        match self {
            Self::SharedMemory(switch) => switch.mmu().queue_bytes(Mmu::queue(port, priority)),
            Self::Cioq(switch) => switch.queued(port, priority),
        }
    }

    /// For how long it has told senders to pause.
    pub fn off_durations(&self, now: Time) -> Durations {
        match self {
            Self::SharedMemory(switch) => {
                switch.pausing().map(|pausing| pausing.ingress().durations(now)).unwrap_or_default()
            }
            Self::Cioq(switch) => switch.off_durations(now),
        }
    }

    /// Bytes that came in by a port whose sender of a class was told to pause, by egress port and class; none where it was not.
    pub fn held_back(&self, ingress: u16, priority: usize) -> BTreeMap<(u16, usize), Bytes> {
        let mut held = BTreeMap::<(u16, usize), Bytes>::new();
        let mut count = |egress, packet: &Packet| {
            *held.entry((egress, packet.priority())).or_default() += packet.frame();
        };
        match self {
            Self::SharedMemory(switch) => {
                let accounting = switch.pausing().map(Pausing::ingress);
                let off = |accounting: &&Ingress| accounting.is_off(Ingress::queue(ingress, priority));
                let Some(accounting) = accounting.filter(off) else { return held };
                // A port that pauses as a whole waits for packets of any class.
                let is_port_off = accounting.is_port_off(ingress.into());
                let classes = if is_port_off { Classes::ALL } else { Classes::only(priority) };
                let packets = switch.packets_from(ingress, classes);
                packets.for_each(|(egress, packet)| count(egress, packet));
            }
            Self::Cioq(switch) if switch.is_off(ingress, priority) => {
                let packets = switch.packets_from(ingress, priority);
                packets.for_each(|(egress, packet)| count(egress, packet));
            }
            Self::Cioq(_) => {}
        }
        held
    }
}
