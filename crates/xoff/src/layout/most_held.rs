//! The most that a queue or a port can hold: what it holds where it has its pool to itself.

use crate::kernel::units::Bytes;
use crate::packet::classes_of;
use crate::switch::buffer_policy::{self, BufferPolicy, Occupancy};
use crate::switch::mmu::{Pool, Reserve};

/// The most bytes beside which one more packet is let in.
#[derive(Clone, Copy, Debug)]
pub(super) struct MostHeld {
    /// By any queue of a port.
    pub(super) queue: Bytes,
    /// By all its queues.
    pub(super) port: Bytes,
}

impl MostHeld {
    /// On a pool whose queues are of these classes, at least one, and none of them lossless.
    pub(super) fn of(pool: &Pool, policy: &buffer_policy::Parameters, reserve: Reserve, classes: u8) -> Self {
        let used = u64::from(classes.count_ones());
        let most_of = |class| reserve.size() + most_shared(pool, policy, class, used);
        let all_queues = classes_of(classes).map(most_of).sum::<Bytes>();
        Self {
            queue: classes_of(classes).map(most_of).max().unwrap_or(Bytes::MAX),
            port: all_queues.min(pool.shared + reserve.of_ports(1, used)),
        }
    }
}

/// The most shared bytes beside which one more packet of a class is let in.
fn most_shared(pool: &Pool, policy: &buffer_policy::Parameters, class: usize, classes: u64) -> Bytes {
    let lets_in = |bytes: u64| {
        let occupancy = Occupancy {
            shared: pool.shared,
            shared_used: Bytes::new(bytes),
            queues: pool.ports.len() as u64 * classes,
        };
        bytes < pool.shared.get() && Bytes::new(bytes) < policy.threshold(class, &occupancy)
    };
    // A fuller pool never raises a threshold.
    let (mut inside, mut outside) = (0, pool.shared.get());
    while outside - inside > 1 {
        let middle = inside.midpoint(outside);
        *if lets_in(middle) { &mut inside } else { &mut outside } = middle;
    }
    Bytes::new(inside)
}
