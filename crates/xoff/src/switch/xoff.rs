//! What a switch has of a sender that it tells to pause: which queue holds most of it, and whose packets are in there.
//! Looked for at that instant only, and only where somebody wants to know.

use super::cioq::Cioq;
use super::ingress::Ingress;
use super::mmu::Mmu;
use super::pausing::Pausing;
use super::shared_memory::SharedMemory;
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::Bytes;
use crate::observer::{PauseReason, QueuedFlow, Xoff};
use crate::packet::Packet;
use crate::port::Port;
use crate::queued_flows::{MOST_FLOWS, by_flow};

/// What a shared-memory switch has of a class that came in by a port, or of all where the port pauses as a whole.
#[cold]
pub(super) fn of_shared_memory(switch: &SharedMemory, ingress: u16, priority: usize) -> Xoff {
    let accounting = switch.pausing().map(Pausing::ingress);
    let queue = Ingress::queue(ingress, priority);
    let reason = accounting.map_or(PauseReason::Threshold, |accounting| accounting.reason(queue));
    let classes = if reason == PauseReason::Port { Classes::ALL } else { Classes::only(priority) };
    let from = switch.packets_from(ingress, classes);
    find(switch.ports(), ingress, priority, reason, from, |egress, class| {
        by_flow(switch.packets_to(egress, class))
    })
}

/// What an input- and output-queued switch has of a class that came in by a port.
#[cold]
pub(super) fn of_cioq(switch: &Cioq, ingress: u16, priority: usize) -> Xoff {
    let from = switch.packets_from(ingress, priority);
    find(switch.ports(), ingress, priority, PauseReason::Threshold, from, |egress, class| {
        by_flow(switch.packets_to(egress, class))
    })
}

fn find<'a>(
    ports: &[Port],
    ingress: u16,
    priority: usize,
    reason: PauseReason,
    from: impl Iterator<Item = (u16, &'a Packet)>,
    flows_to: impl Fn(u16, usize) -> Vec<QueuedFlow>,
) -> Xoff {
    let mut held = vec![Bytes::ZERO; ports.len() * PRIORITIES];
    for (egress, packet) in from {
        held[Mmu::queue(egress, packet.priority())] += packet.frame();
    }
    // Of several that hold as much, the first.
    let most = (0..held.len()).rev().max_by_key(|&queue| held[queue]).unwrap_or_default();
    let (egress, cause_priority) = (most / PRIORITIES, most % PRIORITIES);
    let mut flows = flows_to(egress as u16, cause_priority);
    let queue_bytes = flows.iter().map(|flow| flow.bytes).sum();
    let flow_count = flows.len() as u32;
    flows.truncate(MOST_FLOWS);
    Xoff {
        port: ports[ingress as usize].id(),
        priority,
        reason,
        bytes: held.iter().copied().sum(),
        egress: ports[egress].id(),
        cause_priority,
        egress_bytes: held[most],
        queue_bytes,
        flows,
        flow_count,
    }
}
