//! Switches: the life of a packet between an ingress and an egress port.
//!
//! There are two architectures. A *shared-memory* switch (`shared_memory.rs`) has queues at its egress ports, in one
//! memory. There `mmu.rs` counts bytes by egress queue, `ingress.rs` counts lossless bytes by ingress port, and
//! `pausing.rs` tells senders what follows. A *CIOQ* switch (`cioq.rs`) has queues at inputs and outputs, and a
//! crossbar between them. In both, `pause_cause.rs` finds the queue that caused a pause. Decisions are taken by the
//! algorithms in the folders, each a file that sees numbers only.

mod ample;
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
    /// Queues at inputs and outputs, with a crossbar between them.
    Cioq(Cioq),
}

impl Switch {
    /// Queues that the watchdog has let go, in order of detection.
    pub fn interventions(&self) -> &[Intervention] {
        match self {
            Self::SharedMemory(switch) => switch.interventions(),
            Self::Cioq(_) => &[],
        }
    }

    /// Takes in a packet that has arrived whole at a port.
    // Called at one place, for most of all events.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn on_arrival(
        &mut self,
        ingress: u32,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        match self {
            Self::SharedMemory(switch) => switch.on_arrival(ingress, packet, context),
            Self::Cioq(switch) => switch.on_arrival(ingress, packet, context),
        }
    }

    /// Sends the next packet of a port whose transmission has ended, and returns when the switch must hear of the new
    /// end.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn on_end_of_transmission(
        &mut self,
        port: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        match self {
            Self::SharedMemory(switch) => switch.on_end_of_transmission(port, context),
            Self::Cioq(switch) => switch.on_end_of_transmission(port, context),
        }
    }

    /// Counts departures by `now` that were no events.
    pub fn settle(&mut self, now: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        match self {
            Self::SharedMemory(switch) => switch.settle(now, context),
            Self::Cioq(switch) => switch.settle(now, context.fabric),
        }
    }

    /// Marks packets that left without an event by `now` and are still on the wire. Returns when to look again.
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

    /// Takes in a signal: a message of the fabric that has arrived over the link of a port and is no packet.
    pub fn on_signal(
        &mut self,
        port: u32,
        signal: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if let Self::Cioq(switch) = self {
            switch.on_signal(port, signal, context);
        }
    }

    /// Does what is due about pauses, and returns when something is due next.
    pub fn on_pause_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        match self {
            Self::SharedMemory(switch) => switch.on_pause_due(context),
            Self::Cioq(switch) => switch.on_pause_due(context),
        }
    }

    /// Does what is due at the crossbar, and returns when something is due next.
    pub fn on_crossbar_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        match self {
            Self::SharedMemory(_) => Time::MAX,
            Self::Cioq(switch) => switch.on_crossbar_due(context),
        }
    }
}

/// Views.
impl Switch {
    /// This switch, if it has a shared memory.
    pub fn shared_memory(&self) -> Option<&SharedMemory> {
        match self {
            Self::SharedMemory(switch) => Some(switch),
            Self::Cioq(_) => None,
        }
    }

    /// This switch, to be changed, if it has a shared memory. Links of other switches never change.
    pub fn shared_memory_mut(&mut self) -> Option<&mut SharedMemory> {
        match self {
            Self::SharedMemory(switch) => Some(switch),
            Self::Cioq(_) => None,
        }
    }

    /// This switch, if it has queues at its inputs.
    pub fn cioq(&self) -> Option<&Cioq> {
        match self {
            Self::SharedMemory(_) => None,
            Self::Cioq(switch) => Some(switch),
        }
    }

    /// Egress ports.
    pub fn ports(&self) -> &[Port] {
        match self {
            Self::SharedMemory(switch) => switch.ports(),
            Self::Cioq(switch) => switch.ports(),
        }
    }

    /// Egress ports, to be changed.
    pub fn ports_mut(&mut self) -> &mut [Port] {
        match self {
            Self::SharedMemory(switch) => switch.ports_mut(),
            Self::Cioq(switch) => switch.ports_mut(),
        }
    }

    /// Ingress accounting and pause frames, if this is a shared-memory switch with lossless classes.
    pub fn pausing(&self) -> Option<&Pausing> {
        self.shared_memory().and_then(SharedMemory::pausing)
    }

    /// Packets that are in this switch and not on a wire.
    pub fn packets_inside(&self) -> impl Iterator<Item = &Packet> {
        let at_inputs = self.cioq().into_iter().flat_map(Cioq::packets_at_inputs);
        self.ports().iter().flat_map(Port::queued).chain(at_inputs)
    }

    /// Packets that wait for an egress port, at the port itself or at inputs, class by class.
    pub fn waiting_for(&self, egress: u32) -> impl Iterator<Item = &Packet> {
        let of_class = move |priority| {
            let of_port =
                self.shared_memory().map(|switch| switch.ports()[egress as usize].queued_of(priority));
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

    /// The most bytes of packet memory that were ever in use.
    pub fn peak(&self) -> Bytes {
        match self {
            Self::SharedMemory(switch) => switch.mmu().peak(),
            Self::Cioq(switch) => switch.peak(),
        }
    }

    /// Bytes of a class in the queue of an egress port.
    pub fn queue_bytes(&self, port: u32, priority: usize) -> Bytes {
        match self {
            Self::SharedMemory(switch) => switch.mmu().queue_bytes(Mmu::queue(port, priority)),
            Self::Cioq(switch) => switch.queued(port, priority),
        }
    }

    /// Time for which this switch has told senders to pause.
    pub fn off_durations(&self, now: Time) -> Durations {
        match self {
            Self::SharedMemory(switch) => {
                switch.pausing().map(|pausing| pausing.ingress().durations(now)).unwrap_or_default()
            }
            Self::Cioq(switch) => switch.off_durations(now),
        }
    }

    /// Bytes that came in by a port and keep its sender of a class paused, by egress port and class. Empty if the
    /// sender is not paused.
    pub fn held_back(&self, ingress: u32, priority: usize) -> BTreeMap<(u32, usize), Bytes> {
        let mut held = BTreeMap::<(u32, usize), Bytes>::new();
        let mut count = |egress, packet: &Packet| {
            *held.entry((egress, packet.priority())).or_default() += packet.frame();
        };
        match self {
            Self::SharedMemory(switch) => {
                let accounting = switch.pausing().map(Pausing::ingress);
                let off = |accounting: &&Ingress| accounting.is_off(Ingress::queue(ingress, priority));
                let Some(accounting) = accounting.filter(off) else { return held };
                // A port that pauses as a whole waits for packets of any class.
                let is_port_off = accounting.is_port_off(ingress as usize);
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
