//! Room that a switch makes by dropping packets that wait already: pushed out by an arrival, or expelled over time.

use super::egress::Egress;
use crate::agenda::{Agenda, Context};
use crate::classes::PRIORITIES;
use crate::kernel::units::{Bytes, Time};
use crate::observer::{DropReason, Observer};
use crate::port::Port;
use crate::switch::mmu::{Mmu, Placement};

impl Egress {
    /// Finds room for a packet in a full pool by dropping packets from the longest queues, one after another.
    #[cold]
    pub(super) fn place_pushing_out(
        &mut self,
        queue: usize,
        frame: Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Result<Placement, DropReason> {
        while let Some(longest) = self.memory.mmu.pushed_out(queue, frame, holds(&self.ports)) {
            let (number, priority) = (Mmu::port(longest) as u32, longest % PRIORITIES);
            self.lose_first(number, priority, false, DropReason::PushedOut, context);
            let placement = self.memory.mmu.place(queue, frame);
            if placement != Err(DropReason::PoolFull) {
                return placement;
            }
        }
        Err(DropReason::PoolFull)
    }

    /// Drops the packets that queues above their thresholds have lost by `then`, each at its own time.
    #[inline(never)]
    pub(super) fn expel(&mut self, then: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let now = context.now;
        while let Some((queue, at)) = self.memory.mmu.expelled_by(then, holds(&self.ports)) {
            context.now = at;
            let (number, priority) = (Mmu::port(queue) as u32, queue % PRIORITIES);
            if let Some(packet) = self.lose_first(number, priority, false, DropReason::PushedOut, context) {
                self.memory.mmu.on_read(at, self.memory.frame(&packet));
            }
        }
        context.now = now;
    }
}

/// Returns a test of whether a packet waits in a given queue of `ports`.
fn holds(ports: &[Port]) -> impl Fn(usize) -> bool {
    |queue| ports[Mmu::port(queue)].has_queued(queue % PRIORITIES)
}
