//! Marking of packets that are not ECN-capable: they are dropped instead, and counted so.

use xoff::Report;
use xoff::internals::engine::Quantity;
use xoff::units::{Span, Time};

use crate::common::{PLAIN, report};
use crate::{most, recorded, run, simulation};

/// Place where three flows of 2 MB meet.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Queue in front of the link to their receiver, in the switch. They come from three senders.
    Switch,
    /// Queue in front of the link of their one sender, whose stack holds nothing back.
    Adapter,
}

impl Place {
    const ALL: [Self; 2] = [Self::Switch, Self::Adapter];

    /// Port that has the queue.
    fn port(self) -> &'static str {
        match self {
            Self::Switch => "switch0.port0",
            Self::Adapter => "host1.port0",
        }
    }

    /// Writes a threshold of 30 kB for that queue.
    fn scenario(self, algorithm: &str, when: &str) -> String {
        let marking = format!("{{ kind = 'threshold', threshold = '30kB', when = '{when}' }}");
        let (tables, pairs) = match self {
            Self::Switch => (
                format!("switch = [{{ total = '2MB', marking.queue = {marking} }}]"),
                "pairs = [['host1', 'host0'], ['host2', 'host0'], ['host3', 'host0']]",
            ),
            Self::Adapter => (
                format!("host = {{ small_queue = '2MB', marking = {marking} }}"),
                "pairs = [['host1', 'host0']], flows_per_pair = 3",
            ),
        };
        format!(
            "title = 'marking'\n\
             topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n{tables}\n\
             transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = '{algorithm}' }}, payload = '1442B' }}\n\
             workload = [{{ kind = 'long_lived', transport = 'tcp', size = '2MB', {pairs} }}]\n\
             observe.queues = {{ every = 'change', of = ['{}'] }}",
            self.port()
        )
    }

    fn report(self, algorithm: &str, when: &str) -> Report {
        report(&simulation(&self.scenario(algorithm, when)), PLAIN)
    }
}

#[test]
fn what_is_ecn_capable_is_marked_and_what_is_not_is_dropped() {
    for (place, when) in Place::ALL.into_iter().flat_map(|place| [(place, "enqueue"), (place, "dequeue")]) {
        let capable = place.report("dctcp", when).totals.packets;
        assert!(capable.marked > 0, "{place:?} {when}");
        assert_eq!((capable.dropped, capable.dropped_not_ecn_capable), (0, 0), "{place:?} {when}");
        let incapable = place.report("reno", when).totals.packets;
        assert_eq!(incapable.marked, 0, "{place:?} {when}");
        assert!(incapable.dropped_not_ecn_capable > 0, "{place:?} {when}");
        assert_eq!(incapable.dropped, incapable.dropped_not_ecn_capable, "{place:?} {when}");
    }
}

/// A marker that drops nothing changes nothing for packets that it cannot mark, and marks others as ever.
#[test]
fn what_only_marks_leaves_packets_alone_that_cannot_be_marked() {
    let of = |algorithm, marks_only| {
        let text = Place::Switch.scenario(algorithm, "enqueue");
        text.replace("'30kB'", if marks_only { "'30kB', marks_only = true" } else { "'30kB'" })
    };
    let without = of("reno", false).replace("threshold = '30kB'", "threshold = '3MB'");
    let digest = |text: &str| report(&simulation(text), PLAIN).digest;
    assert_eq!(digest(&of("reno", true)), digest(&without));
    assert_eq!(digest(&of("dctcp", true)), digest(&of("dctcp", false)));
    let red = |text: String| text.replace("kind = 'threshold', threshold = ", RED);
    assert_eq!(digest(&red(of("reno", true))), digest(&without));
}

const RED: &str = "kind = 'red', probability = 0.5, minimum = '10kB', maximum = ";

/// Two flows fill the queue to host1, through which acknowledgements of what host1 sends come back.
#[test]
fn acknowledgements_are_dropped_where_only_data_is_ecn_capable() {
    let packets = |ecn_capable: &str| {
        let simulation = simulation(&format!(
            "title = 'acknowledgements'\n\
             topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
             switch = [{{ total = '2MB', marking.queue = {{ kind = 'threshold', threshold = '30kB' }} }}]\n\
             transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }}, \
             ecn_capable = '{ecn_capable}' }}\n\
             workload = [{{ kind = 'long_lived', transport = 'tcp', size = '2MB', \
             pairs = [['host2', 'host1'], ['host3', 'host1'], ['host1', 'host0']] }}]"
        ));
        report(&simulation, PLAIN).totals.packets
    };
    let all = packets("all");
    assert!(all.marked > 0);
    assert_eq!((all.dropped, all.acknowledgements_dropped), (0, 0));
    let data = packets("data");
    assert!(data.marked > 0 && data.acknowledgements_dropped > 0);
    assert_eq!(data.dropped, 0);
}

/// Two pools of two ports each, with marking by the pool only. Packets that are not ECN-capable overload the first
/// pool. Its marker holds it one packet above the threshold, over both ports together, and drops nothing in the other
/// pool.
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
         observe.pools = { every = '1us' }",
    );
    let outcome = run(&simulation);
    let drops = |port: usize| outcome.switches[0].ports()[port].counters.dropped();
    assert!(drops(0) > 0 && drops(2) > 0 && drops(7) == 0);
    // Both ports have two packets in their reserves beside what they share.
    assert_eq!(outcome.switches[0].peak().get(), 90_000 + 1_500 + 2 * 2 * 1_500);
    let rows = outcome.samples.until(Time::MAX);
    let samples = || rows.iter().filter(|row| row.quantity == Quantity::Pool);
    let most_of =
        |pool| most(&samples().filter(|row| row.part == pool).map(|row| row.value).collect::<Vec<_>>());
    assert!((most_of(0) - 91_500.0).abs() < f64::EPSILON && most_of(1).abs() < f64::EPSILON);
    let names = report(&simulation, PLAIN).series_names;
    assert!(["switch0.pool0", "switch0.pool1"].iter().all(|name| names.iter().any(|known| known == name)));
}

/// Packets strictly above the threshold are dropped, the packet itself not counted. So the queue holds at most one
/// packet more than the threshold.
#[test]
fn a_queue_of_what_cannot_be_marked_ends_one_packet_above_the_threshold() {
    for place in Place::ALL {
        let simulation = simulation(&place.scenario("reno", "enqueue"));
        let queue = recorded(&simulation, &run(&simulation), Quantity::Queue, place.port(), Span::ZERO);
        assert!((most(&queue) - 31_500.0).abs() < f64::EPSILON, "{place:?} {}", most(&queue));
    }
}
