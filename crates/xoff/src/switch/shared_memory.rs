//! Shared-memory switch: output queues in one packet memory, in three kinds that differ in how a packet passes.
//!
//! Every kind takes the same steps (`steps.rs`). It **routes** a packet to an egress port, **marks** it if queues are long,
//! and **admits** it to memory or drops it. Then it **queues** or **transmits** it, and counts it out at the **end of its
//! transmission**. What is asked at each step depends on the classes in use, which are known as the switch is built. So the
//! kind is chosen then, once:
//!
//! - `lined_up.rs`: all packets leave a port in the order of arrival, and departures are no events;
//! - `queued.rs`: lossy classes wait in queues that a scheduler serves;
//! - `lossless.rs`: lossless classes are admitted by their ingress port, which pauses the sender; lossy ones go beside them.
//!
//! Below them are the parts that they share: `egress.rs` (ports with their memory), `memory.rs` (MMU and markers),
//! `making_room.rs`, `shaped.rs`, `watchdog.rs` and `links.rs`.

mod egress;
mod lined_up;
mod links;
mod lossless;
mod making_room;
mod memory;
mod queued;
mod shaped;
mod steps;
mod watchdog;

use super::cell::Cell;
use super::markers::Markers;
use super::mmu::Mmu;
use super::pausing::Pausing;
use crate::agenda::{Agenda, Context};
use crate::classes::Classes;
use crate::kernel::units::{Rate, Span, Time};
use crate::observer::{DropReason, Observer};
use crate::packet::Packet;
use crate::pfc::{Intervention, Reactions, WatchdogTimes};
use crate::port::Port;
use crate::routing::{LoadBalancer, SwitchRoutes};
use crate::scenario::{Release, Trimming, WatchdogAction};
use egress::Egress;
pub use lined_up::LinedUp;
pub use lossless::Lossless;
use memory::Memory;
pub use queued::Queued;
pub use steps::Steps;
use watchdog::PortWatchdog;

/// Pieces from which a shared-memory switch is built.
#[derive(Debug)]
pub struct Parts {
    /// Egress ports.
    pub ports: Vec<Port>,
    /// Next hops by destination.
    pub routes: SwitchRoutes,
    /// Packet memory, empty.
    pub mmu: Mmu,
    /// Markers on queues, ports and pools.
    pub markers: Markers,
    /// Moment at which a packet's memory is free again.
    pub release: Release,
    /// Unit of allocation; without one, a packet takes the bytes of its frame.
    pub cell: Option<Cell>,
    /// Settings of trimming, where packets without room are trimmed.
    pub trimming: Option<Trimming>,
    /// Chooses among next hops, where ECMP does not.
    pub load_balancer: Option<LoadBalancer>,
    /// Whether packets carry entropies, which ECMP hashes.
    pub sprays: bool,
    /// Pieces that only lossless classes need.
    pub lossless: Option<LosslessParts>,
    /// The class of all packets, where they line up: they leave in the order of arrival and nothing looks at departures.
    pub lines_up: Option<usize>,
}

/// Further pieces that a switch with lossless classes is built from.
#[derive(Debug)]
pub struct LosslessParts {
    /// The lossless classes.
    pub classes: Classes,
    /// Ingress accounting and the pause frames of the switch.
    pub pausing: Pausing,
    /// Reactions of the switch's ports to pause frames that arrive.
    pub reactions: Reactions,
    /// Watchdog over paused queues, and its action.
    pub watchdog: Option<(WatchdogTimes, WatchdogAction)>,
}

/// A switch with output queues in one shared memory.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there are as many as the network has switches, and most are of one kind"
)]
pub enum SharedMemory {
    /// Packets of one class leave in the order of arrival, and departures are no events.
    LinedUp(LinedUp),
    /// Lossy classes wait in queues.
    Queued(Queued),
    /// Lossless classes pause their senders.
    Lossless(Lossless),
}

impl SharedMemory {
    /// Builds a switch with empty queues, of the kind that its classes need.
    pub fn new(parts: Parts) -> Self {
        let Parts { ports, routes, mmu, markers, release, cell, trimming, load_balancer, .. } = parts;
        let count = ports.len();
        let memory = Memory::new(mmu, markers, cell, release, count);
        if let Some(class) = parts.lines_up {
            return Self::LinedUp(LinedUp::new(ports, memory, routes, class));
        }
        let queued = Queued::new(ports, memory, routes, load_balancer, parts.sprays, trimming);
        match parts.lossless {
            None => Self::Queued(queued),
            Some(LosslessParts { classes, pausing, reactions, watchdog }) => {
                let watchdog = watchdog.map(|(times, action)| PortWatchdog::new(times, action, count));
                Self::Lossless(Lossless::new(queued, classes, pausing, reactions, watchdog))
            }
        }
    }

    /// Counts what has happened by `now` and was no event: departures that lined up, and packets expelled.
    #[cold]
    pub fn settle(&mut self, now: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        match self {
            Self::LinedUp(switch) => switch.settle(now, context),
            Self::Queued(switch) | Self::Lossless(Lossless { queued: switch, .. }) => {
                switch.settle(now, context);
            }
        }
    }

    /// Marks packets whose departure by `now` was no event on their way, before they arrive. Returns when to look again.
    pub fn mark_departed(
        &mut self,
        now: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        match self {
            Self::LinedUp(switch) => switch.mark_departed(now, context),
            Self::Queued(_) | Self::Lossless(_) => Time::MAX,
        }
    }
}

/// Hands each event to the kind of the switch. An engine that runs one switch for long looks up its kind once instead.
impl Steps for SharedMemory {
    fn count_ports(&self) -> usize {
        self.ports().len()
    }

    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn on_arrival(
        &mut self,
        ingress: u32,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        match self {
            Self::LinedUp(switch) => switch.on_arrival(packet, context),
            Self::Queued(switch) => switch.on_arrival(ingress, packet, context),
            Self::Lossless(switch) => switch.on_arrival_beside_others(ingress, packet, context),
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn on_end_of_transmission(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        match self {
            Self::LinedUp(_) => Time::MAX,
            Self::Queued(switch) => switch.on_end_of_transmission(number, context),
            Self::Lossless(switch) => switch.on_end_beside_others(number, context),
        }
    }

    fn on_pause_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        match self {
            Self::LinedUp(_) | Self::Queued(_) => Time::MAX,
            Self::Lossless(switch) => switch.on_pause_due(context),
        }
    }
}

/// Links that fail, come back or get another rate. Packets do not line up in networks that have such links.
impl SharedMemory {
    /// Takes a port down whose link fails: packets that arrive for it are dropped from now on.
    /// [`SharedMemory::lose_queued`] drops those that wait already.
    pub fn on_link_down(&mut self, number: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        match self {
            Self::LinedUp(_) => unreachable!("{LINKS_STAY}"),
            Self::Queued(switch) => switch.egress.ports[number as usize].take_down(context),
            Self::Lossless(switch) => switch.on_link_down(number, context),
        }
    }

    /// Drops the packets that wait for a link that has failed.
    pub fn lose_queued(&mut self, number: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        match self {
            Self::LinedUp(_) => unreachable!("{LINKS_STAY}"),
            Self::Queued(switch) => switch.lose_queued(number, context),
            Self::Lossless(switch) => switch.lose_queued(number, context),
        }
    }

    /// Drops a packet that was on the wire of a port as its link failed.
    pub fn lose(
        &mut self,
        number: u32,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.egress_mut().lose(number, packet, DropReason::LinkDown, context);
    }

    /// Brings a port up whose link works again.
    pub fn on_link_up(&mut self, number: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        match self {
            Self::LinedUp(_) => unreachable!("{LINKS_STAY}"),
            Self::Queued(switch) => switch.egress.ports[number as usize].bring_up(),
            Self::Lossless(switch) => switch.on_link_up(number, context),
        }
    }

    /// Gives the link of a port another rate, with the reaction time to pause frames and the pause quanta of both ends.
    pub fn on_link_rate(
        &mut self,
        number: u32,
        rate: Rate,
        pace: [Span; 3],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        match self {
            Self::LinedUp(_) => unreachable!("{LINKS_STAY}"),
            Self::Queued(switch) => switch.egress.ports[number as usize].set_rate(rate, context.now),
            Self::Lossless(switch) => switch.on_link_rate(number, rate, pace, context),
        }
    }

    /// Replaces the routes.
    pub fn reroute(&mut self, routes: SwitchRoutes) {
        match self {
            Self::LinedUp(_) => unreachable!("{LINKS_STAY}"),
            Self::Queued(switch) | Self::Lossless(Lossless { queued: switch, .. }) => switch.routes = routes,
        }
    }
}

const LINKS_STAY: &str = "packets line up only where links stay as they are";

/// Views.
impl SharedMemory {
    fn egress(&self) -> &Egress {
        match self {
            Self::LinedUp(switch) => &switch.egress,
            Self::Queued(switch) | Self::Lossless(Lossless { queued: switch, .. }) => &switch.egress,
        }
    }

    fn egress_mut(&mut self) -> &mut Egress {
        match self {
            Self::LinedUp(switch) => &mut switch.egress,
            Self::Queued(switch) | Self::Lossless(Lossless { queued: switch, .. }) => &mut switch.egress,
        }
    }

    fn lossless(&self) -> Option<&Lossless> {
        match self {
            Self::Lossless(switch) => Some(switch),
            Self::LinedUp(_) | Self::Queued(_) => None,
        }
    }

    /// Egress ports.
    pub fn ports(&self) -> &[Port] {
        &self.egress().ports
    }

    /// Egress ports, to be changed.
    pub fn ports_mut(&mut self) -> &mut [Port] {
        &mut self.egress_mut().ports
    }

    /// Packet memory.
    pub fn mmu(&self) -> &Mmu {
        &self.egress().memory.mmu
    }

    /// Ingress accounting and pause frames, where a class is lossless.
    pub fn pausing(&self) -> Option<&Pausing> {
        self.lossless().map(|switch| &switch.pausing)
    }

    /// Queues that the watchdog has let go, in order of detection.
    pub fn interventions(&self) -> &[Intervention] {
        let watchdog = self.lossless().and_then(|switch| switch.watchdog.as_ref());
        watchdog.map_or(&[], |watchdog| watchdog.interventions())
    }

    /// Lossless packets of some classes that came in by a port and have not left, each with the number of its egress port.
    pub fn packets_from(&self, ingress: u32, classes: Classes) -> impl Iterator<Item = (u32, &Packet)> {
        self.lossless().into_iter().flat_map(move |switch| switch.packets_from(ingress, classes))
    }
}
