//! Marking: what cannot be marked is dropped instead, and counted so.

use xoff::Report;
use xoff::engine::Quantity;
use xoff::kernel::units::Span;

use crate::common::{PLAIN, report};
use crate::{most, recorded, run, simulation};

/// Three senders against one link with a threshold at 30 kB.
fn overload(algorithm: &str, when: &str) -> Report {
    let simulation = simulation(&scenario(algorithm, when));
    report(&simulation, PLAIN)
}

fn scenario(algorithm: &str, when: &str) -> String {
    format!(
        "title = 'marking'\n\
         topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
         switch = [{{ total = '2MB', marking.queue = {{ kind = 'threshold', threshold = '30kB', when = '{when}' }} }}]\n\
         transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = '{algorithm}' }}, payload = '1442B' }}\n\
         workload = [{{ kind = 'long_lived', transport = 'tcp', size = '2MB', \
         pairs = [['host1', 'host0'], ['host2', 'host0'], ['host3', 'host0']] }}]\n\
         observe.queues = {{ every = 'change', of = ['switch0.port0'] }}"
    )
}

#[test]
fn what_is_ecn_capable_is_marked_and_what_is_not_is_dropped() {
    for when in ["enqueue", "dequeue"] {
        let capable = overload("dctcp", when).totals.packets;
        assert!(capable.marked > 0, "{when}");
        assert_eq!((capable.dropped, capable.dropped_not_ecn_capable), (0, 0), "{when}");
        let incapable = overload("reno", when).totals.packets;
        assert_eq!(incapable.marked, 0, "{when}");
        assert!(incapable.dropped_not_ecn_capable > 0, "{when}");
        assert_eq!(incapable.dropped, incapable.dropped_not_ecn_capable, "{when}");
    }
}

/// Two pools of two ports each, pool marking only. The first pool is overloaded by what cannot be marked: the marker keeps
/// it one packet above its threshold, over both ports together, and drops nothing in the other.
#[test]
fn a_pool_is_marked_by_its_own_shared_bytes() {
    let simulation = simulation(
        "title = 'pools'\n\
         topology = { kind = 'star', hosts = 8, host_link = { rate = '10Gbps', delay = '1us' } }\n\
         switch = [{ ports_per_pool = 4, shared_per_pool = '1MB', reserved_per_port = '3kB', \
         marking.pool = { kind = 'threshold', threshold = '90kB' } }]\n\
         transport.steady = { kind = 'constant_rate', payload = '1442B', rate = '9Gbps' }\n\
         workload = [{ kind = 'long_lived', transport = 'steady', size = '1MB', pairs = [['host1', 'host0'], \
         ['host4', 'host0'], ['host5', 'host2'], ['host6', 'host2'], ['host3', 'host7']] }]\n\
         observe.queues = { every = 'change', of = ['switch0.*'] }",
    );
    let outcome = run(&simulation);
    let most_of = |port: &str| most(&recorded(&simulation, &outcome, Quantity::Queue, port, Span::ZERO));
    let drops = |port: usize| outcome.switches[0].ports()[port].counters.dropped();
    assert!(drops(0) > 0 && drops(2) > 0 && drops(7) == 0);
    // Both ports have two packets in their reserves beside what they share.
    let shared = outcome.switches[0].mmu().peak().get();
    assert_eq!(shared, 90_000 + 1_500 + 2 * 2 * 1_500);
    assert!(most_of("switch0.port0") > 40_000.0 && most_of("switch0.port2") > 40_000.0);
}

/// Strictly above the threshold, the packet itself not counted: one packet more than the threshold waits at most.
#[test]
fn a_queue_of_what_cannot_be_marked_ends_one_packet_above_the_threshold() {
    let simulation = simulation(&scenario("reno", "enqueue"));
    let queue = recorded(&simulation, &run(&simulation), Quantity::Queue, "switch0.port0", Span::ZERO);
    assert!((most(&queue) - 31_500.0).abs() < f64::EPSILON, "{}", most(&queue));
}
