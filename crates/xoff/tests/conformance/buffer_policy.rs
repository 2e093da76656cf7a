//! Laws of every buffer policy, alone and with the memory that asks it.

use std::collections::VecDeque;

use proptest::prelude::*;
use xoff::internals::classes::PRIORITIES;
use xoff::internals::switch::buffer_policy::{BufferPolicy, Occupancy, Parameters};
use xoff::internals::switch::mmu::{Mmu, Pool, Quirks, Reserve};
use xoff::units::Bytes;

use crate::cases::cases;
use crate::settings;

const PORTS: u64 = 4;
const MOST_FRAME: u64 = 9018;

fn any_policy() -> impl Strategy<Value = (&'static str, Parameters)> {
    proptest::sample::select(Parameters::NAMES)
        .prop_flat_map(|name| (Just(name), settings::of("buffer_policy", name)))
}

fn any_reserve() -> impl Strategy<Value = Reserve> {
    let size = prop_oneof![Just(0), 0..20_000u64].prop_map(Bytes::new);
    (size, any::<bool>()).prop_map(
        |(size, per_port)| {
            if per_port { Reserve::PerPort(size) } else { Reserve::PerQueue(size) }
        },
    )
}

/// Draws one pool with all ports, or an odd and an even one. Their shared bytes together are `shared` or a little less.
fn any_pools(shared: u64) -> impl Strategy<Value = Vec<Pool>> {
    let pool =
        move |parts: u64, ports: &[u32]| Pool { shared: Bytes::new(shared / parts), ports: ports.to_vec() };
    prop_oneof![Just(vec![pool(1, &[0, 1, 2, 3])]), Just(vec![pool(2, &[1, 3]), pool(2, &[0, 2])])]
}

/// Draws none, or any departure of published code.
fn any_quirks() -> impl Strategy<Value = Option<(bool, bool)>> {
    prop_oneof![Just(None), any::<(bool, bool)>().prop_map(Some)]
}

/// Arrival of a packet for a queue, or departure of one that is there.
#[derive(Clone, Copy, Debug)]
struct Operation {
    port: u32,
    frame: u64,
    leaves: bool,
}

fn any_operation() -> impl Strategy<Value = Operation> {
    (0..PORTS as u32, 64..MOST_FRAME, proptest::bool::weighted(0.3))
        .prop_map(|(port, frame, leaves)| Operation { port, frame, leaves })
}

proptest! {
    #![proptest_config(cases(1000))]

    /// Memory honours every threshold: it never holds more than it has, and gives back what it took. In debug builds it
    /// checks its own invariants after every packet.
    #[test]
    fn memory_is_never_overfull(
        (_name, policy) in any_policy(),
        pools in (0..2_000_000u64).prop_flat_map(any_pools),
        reserve in any_reserve(),
        quirks in any_quirks(),
        operations in proptest::collection::vec(any_operation(), 1..400),
    ) {
        let quirks = quirks.map(|(with_packet, leaking)| Quirks::new(with_packet, leaking, PORTS as usize));
        let mut mmu = Mmu::new(&pools, reserve, policy, 1).with_quirks(quirks);
        let mut queues: [VecDeque<Bytes>; PORTS as usize] = Default::default();
        for Operation { port, frame, leaves } in operations {
            let (number, packets) = (Mmu::queue(port, PRIORITIES - 1), &mut queues[port as usize]);
            if !leaves {
                if mmu.admit(number, Bytes::new(frame)).is_ok() {
                    packets.push_back(Bytes::new(frame));
                }
            } else if let Some(frame) = packets.pop_front() {
                mmu.remove(number, frame);
            }
            for (used, pool) in mmu.pools().zip(&pools) {
                prop_assert!(used <= pool.shared);
            }
            let reserved = mmu.used() - mmu.pools().sum::<Bytes>();
            prop_assert!(reserved <= reserve.of_ports(PORTS, 1));
            prop_assert_eq!(mmu.queue_bytes(number), packets.iter().copied().sum::<Bytes>());
        }
        for (port, packets) in queues.iter().enumerate() {
            for &frame in packets {
                mmu.remove(Mmu::queue(port as u32, PRIORITIES - 1), frame);
            }
        }
        prop_assert_eq!(mmu.used(), Bytes::ZERO);
        prop_assert_eq!(mmu.pools().sum::<Bytes>(), Bytes::ZERO);
    }

    /// A queue that was admitted is at most a packet above its threshold, in the pool as the packet found it.
    #[test]
    fn a_queue_stops_at_its_threshold((_name, policy) in any_policy(), total in 400_000..2_000_000u64) {
        let pools = [Pool { shared: Bytes::new(total), ports: (0..PORTS as u32).collect() }];
        let mut mmu = Mmu::new(&pools, Reserve::PerQueue(Bytes::ZERO), policy.clone(), 1);
        let (queue, frame) = (Mmu::queue(0, 0), Bytes::new(1000));
        loop {
            let occupancy =
                Occupancy { shared_used: mmu.used(), ..Occupancy::empty(Bytes::new(total), PORTS) };
            let below = mmu.queue_bytes(queue) < policy.threshold(0, &occupancy);
            let fits = mmu.used() + frame <= Bytes::new(total);
            let admitted = mmu.admit(queue, frame).is_ok();
            prop_assert_eq!(admitted, below && fits);
            if !admitted {
                break;
            }
        }
    }

    /// The alpha that a policy answers is the share of the free pool that its threshold leaves a queue. Markers and pauses
    /// rely on it.
    #[test]
    fn an_alpha_is_the_threshold_s_share_of_the_free_pool(
        (_name, policy) in any_policy(),
        shared in 1..20_000_000u64,
        share in 0..=1000u64,
        queues in 1..512u64,
        priority in 0..PRIORITIES,
    ) {
        let empty = Occupancy::empty(Bytes::new(shared), queues);
        let occupancy = Occupancy { shared_used: Bytes::new(shared * share / 1000), ..empty };
        if let Some(alpha) = policy.alpha(priority) {
            prop_assert_eq!(policy.threshold(priority, &occupancy), alpha.of(occupancy.free()));
        }
    }

    /// A fuller pool never raises a threshold, unless the policy says that it may.
    #[test]
    fn a_fuller_pool_never_raises_a_threshold(
        (_name, policy) in any_policy(),
        shared in 1..20_000_000u64,
        shares in (0..=1000u64, 0..=1000u64),
        queues in 1..512u64,
        priority in 0..PRIORITIES,
    ) {
        if !policy.rises_as_the_pool_fills() {
            let used = |share: u64| Bytes::new(shared * share / 1000);
            let threshold = |shared_used| {
                policy.threshold(priority, &Occupancy { shared_used, ..Occupancy::empty(Bytes::new(shared), queues) })
            };
            let (less, more) = (used(shares.0.min(shares.1)), used(shares.0.max(shares.1)));
            prop_assert!(threshold(less) >= threshold(more));
        }
    }
}
