//! Most bytes that a queue or a port can hold, which it does when it has its pool to itself.

use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::Bytes;
use crate::switch::buffer_policy::{self, BufferPolicy, Occupancy};
use crate::switch::mmu::{Pool, Reserve};

/// Most bytes that a queue or port may hold for one more packet to be admitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct MostHeld {
    /// Most bytes of a queue of each class; zero for classes that are not in use.
    pub(super) queues: [Bytes; PRIORITIES],
    /// Most bytes of all queues of a port together.
    pub(super) port: Bytes,
}

impl MostHeld {
    /// Computes the most bytes on a pool whose queues are of `classes`: at least one class, all of them lossy.
    pub(super) fn of(
        pool: &Pool,
        policy: &buffer_policy::Parameters,
        reserve: Reserve,
        classes: Classes,
    ) -> Self {
        let used = u64::from(classes.count());
        let empty = Occupancy::empty(pool.shared, pool.ports.len() as u64 * used);
        let most_of = |class| reserve.size() + most_shared(policy, class, &empty);
        let mut queues = [Bytes::ZERO; PRIORITIES];
        classes.iter().for_each(|class| queues[class] = most_of(class));
        Self { queues, port: queues.into_iter().sum::<Bytes>().min(pool.shared + reserve.of_ports(1, used)) }
    }
}

/// Returns the most bytes that one more queue of a class may hold in a pool, beside what others hold, for another
/// packet of it to be admitted.
pub(super) fn most_shared(policy: &buffer_policy::Parameters, class: usize, beside: &Occupancy) -> Bytes {
    let lets_in = |bytes: u64| {
        let bytes = Bytes::new(bytes);
        let shared_used = beside.shared_used + bytes;
        shared_used < beside.shared && bytes < policy.threshold(class, &Occupancy { shared_used, ..*beside })
    };
    // A fuller pool never raises a threshold.
    let (mut inside, mut outside) = (0, beside.shared.get());
    while outside - inside > 1 {
        let middle = inside.midpoint(outside);
        *if lets_in(middle) { &mut inside } else { &mut outside } = middle;
    }
    Bytes::new(inside)
}
