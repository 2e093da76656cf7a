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

/// Strictly above the threshold, the packet itself not counted: one packet more than the threshold waits at most.
#[test]
fn a_queue_of_what_cannot_be_marked_ends_one_packet_above_the_threshold() {
    let simulation = simulation(&scenario("reno", "enqueue"));
    let queue = recorded(&simulation, &run(&simulation), Quantity::Queue, "switch0.port0", Span::ZERO);
    assert!((most(&queue) - 31_500.0).abs() < f64::EPSILON, "{}", most(&queue));
}
