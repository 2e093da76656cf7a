//! Cause of a pause: the queue that holds most of the bytes for which a switch pauses a sender, and whose packets are in it.
//! A switch looks for it at the instant of its decision, and only where somebody observes pauses.

use super::mmu::Mmu;
use crate::classes::PRIORITIES;
use crate::kernel::units::Bytes;
use crate::observer::{PauseReason, QueuedFlow, Xoff};
use crate::packet::Packet;
use crate::port::Port;
use crate::queued_flows::MOST_FLOWS;

/// Finds the queue that holds most of the packets `from` a sender, which are given with the numbers of their egress ports.
/// Of several queues that hold as much, the first is the cause. `flows_to` lists the flows in the queue of a port and class.
#[cold]
pub(super) fn find<'a>(
    ports: &[Port],
    (ingress, priority): (u32, usize),
    reason: PauseReason,
    from: impl Iterator<Item = (u32, &'a Packet)>,
    flows_to: impl Fn(u32, usize) -> Vec<QueuedFlow>,
) -> Xoff {
    let mut held = vec![Bytes::ZERO; ports.len() * PRIORITIES];
    for (egress, packet) in from {
        held[Mmu::queue(egress, packet.priority())] += packet.frame();
    }
    // `max_by_key` returns the last.
    let most = (0..held.len()).rev().max_by_key(|&queue| held[queue]).unwrap_or_default();
    let (egress, cause_priority) = (most / PRIORITIES, most % PRIORITIES);
    let mut flows = flows_to(egress as u32, cause_priority);
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
