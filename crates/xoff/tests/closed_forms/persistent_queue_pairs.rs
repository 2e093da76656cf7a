//! Persistent queue pairs: messages to a destination go one after another on one path, and each begins at the rate at
//! which the last one ended.

use xoff::Report;
use xoff::Simulation;
use xoff::internals::ideal;
use xoff::units::{Bytes, Span};

use crate::common::{PLAIN, report};
use crate::{ports, run, simulation};

const STAR: &str = "topology = { kind = 'star', hosts = 4, host_link = { rate = '100Gbps', delay = '1us' } }\n\
    switch = [{ total = '32MB', buffer = { policy = 'complete_sharing' } }]\n";

/// Times when each flow was whole, in order of number; all are of one host.
fn finishes(simulation: &Simulation) -> Vec<u64> {
    let mut rows = report(simulation, PLAIN).flows.rows;
    rows.sort_by_key(|row| row.number);
    rows.iter().map(|row| row.finish.as_nanoseconds()).collect()
}

/// Three messages of 100 packets start at once, and one to another host. The last shares the link with each of the
/// three, which go one after another.
#[test]
fn messages_to_a_destination_go_one_after_another() {
    let of = |connections: &str, to_another: &str| {
        simulation(&format!(
            "title = 'in order'\n{STAR}\
             transport.roce = {{ kind = 'roce', payload = '1000B', connections = '{connections}' }}\n\
             workload = [{{ kind = 'long_lived', transport = 'roce', size = '100kB', pairs = [\
             ['host0', 'host1'], ['host0', 'host1'], ['host0', 'host1']{to_another}] }}]"
        ))
    };
    let persistent = of("persistent", "");
    // A packet has 1062 B, and 20 more on the wire.
    let hundred = Span::from_nanoseconds(100 * 1082 * 8 / 100);
    let alone = |size| ideal::of_flow(&persistent, 0, 1, 0, Bytes::new(size), 0).finished;
    let ends = [alone(100_000), alone(100_000) + hundred, alone(100_000) + hundred * 2];
    assert_eq!(finishes(&persistent), ends.map(Span::as_nanoseconds));
    // Taking turns, the first is done only two packets before the last.
    let per_flow = finishes(&of("per_flow", ""));
    assert!(per_flow[0] > alone(290_000).as_nanoseconds(), "{per_flow:?}");
    let shared = finishes(&of("persistent", ", ['host0', 'host2']"));
    let expected = [200, 300, 400, 200].map(|packets| alone(packets * 1000).as_nanoseconds());
    for (found, expected) in shared.iter().zip(expected) {
        assert!(found.abs_diff(expected) <= 3 * 87, "{shared:?}, not {expected:?}");
    }
}

/// The first and the third message take the first queue pair, the second and the fourth the other. The two queue pairs
/// take turns at the link.
#[test]
fn messages_go_by_queue_pairs_in_turn() {
    let simulation = simulation(&format!(
        "title = 'two queue pairs'\n{STAR}\
         transport.roce = {{ kind = 'roce', payload = '1000B', connections = 'persistent', queue_pairs = 2 }}\n\
         workload = [{{ kind = 'long_lived', transport = 'roce', size = '100kB', flows_per_pair = 4, \
         pairs = [['host0', 'host1']] }}]"
    ));
    let alone = |size| ideal::of_flow(&simulation, 0, 1, 0, Bytes::new(size), 0).finished.as_nanoseconds();
    let expected = [200, 200, 400, 400].map(|packets| alone(packets * 1000));
    for (found, expected) in finishes(&simulation).into_iter().zip(expected) {
        assert!(found.abs_diff(expected) <= 3 * 87, "{found}, not {expected}");
    }
}

/// Two racks are joined by eight spines.
#[test]
fn each_queue_pair_has_a_path() {
    let uplinks = |queue_pairs: u32| {
        let simulation = simulation(&format!(
            "title = 'paths'\n\
             topology = {{ kind = 'leaf_spine', leaves = 2, spines = 8, hosts_per_leaf = 1, \
             host_link = {{ rate = '100Gbps', delay = '1us' }}, fabric_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
             switch = [{{ total = '32MB', buffer = {{ policy = 'complete_sharing' }} }}]\n\
             transport.roce = {{ kind = 'roce', connections = 'persistent', queue_pairs = {queue_pairs} }}\n\
             workload = [{{ kind = 'long_lived', transport = 'roce', size = '100kB', flows_per_pair = 64, \
             pairs = [['host0', 'host1']] }}]"
        ));
        let network = simulation.network();
        let to_spines = network.ports.first(2) + 1;
        let of_leaf = to_spines..to_spines + 8;
        let outcome = run(&simulation);
        let sent = ports(&outcome)
            .filter(|port| of_leaf.contains(&port.id()) && port.counters.wire_bytes > Bytes::new(50_000));
        sent.count()
    };
    assert_eq!(uplinks(1), 1);
    assert_eq!(uplinks(2), 2, "two of eight, with this hash");
    assert!(uplinks(64) >= 7);
}

/// TIMELY subtracts the packet's own time on the wire from its round-trip time. If it subtracted that of a full packet,
/// samples of messages of one and a half packets would rise and fall. The rate would end at its floor, a hundredth.
#[test]
fn packets_that_are_not_full_slow_no_timely_down() {
    let of = |control: &str| {
        finishes(&simulation(&format!(
            "title = 'one and a half packets'\n{STAR}\
             transport.roce = {{ kind = 'roce', payload = '4096B', connections = 'persistent' {control} }}\n\
             workload = [{{ kind = 'long_lived', transport = 'roce', size = '6144B', flows_per_pair = 200, \
             pairs = [['host0', 'host1']] }}]"
        )))
    };
    // Between the bounds all of the way, where the gradient decides.
    let timely = ", congestion_control = { algorithm = 'timely', low_rtt = '1us', minimum_rtt = '4us', segment = '1B' }";
    assert_eq!(of(timely), of(""));
}

/// An all-reduce goes between two hosts, and one link is held up for 20 us. A rank that is late sends a step while the
/// one before still goes. If both share the link, the other rank waits for twice as long, and never catches up.
#[test]
fn a_ring_that_was_disturbed_is_soon_in_step_again() {
    let bandwidths = |connections: &str| {
        let simulation = simulation(&format!(
            "title = 'a disturbed ring'\n{STAR}\
             transport.roce = {{ kind = 'roce', payload = '1000B', connections = '{connections}' }}\n\
             workload = [{{ kind = 'collective', transport = 'roce', operation = 'all_reduce', algorithm = 'ring', \
             size = '2MB', ranks = ['host0', 'host1'], iterations = 12 }}, \
             {{ kind = 'long_lived', transport = 'roce', pairs = [['host2', 'host1']], size = '250kB' }}]"
        ));
        report(&simulation, PLAIN).collectives.completion_ns
    };
    let [persistent, per_flow] = ["persistent", "per_flow"].map(bandwidths);
    let undisturbed = *persistent.last().unwrap();
    assert!(persistent[0] > undisturbed + 10_000, "it was disturbed: {persistent:?}");
    assert!(persistent[2..].iter().all(|completion| completion.abs_diff(undisturbed) < 10), "{persistent:?}");
    assert!(per_flow[10] > per_flow[1] + 5_000, "{per_flow:?}");
}

/// There are four spines, and twenty messages.
#[test]
fn messages_to_a_destination_take_one_path() {
    let uplinks = |connections: &str| {
        let simulation = simulation(&format!(
            "title = 'one path'\n\
             topology = {{ kind = 'leaf_spine', leaves = 2, spines = 4, hosts_per_leaf = 2, \
             host_link = {{ rate = '100Gbps', delay = '1us' }}, fabric_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
             transport.roce = {{ kind = 'roce', connections = '{connections}' }}\n\
             workload = [{{ kind = 'long_lived', transport = 'roce', size = '10kB', stagger = '5us', flows_per_pair = 20, \
             pairs = [['host0', 'host2']] }}]"
        ));
        let outcome = run(&simulation);
        let report = Report::new(&simulation, &mut run(&simulation));
        assert!(report.flows.rows.iter().all(|row| row.completion() >= row.ideal));
        let leaf = simulation.network().ports.of(4).iter().skip(2);
        let first = simulation.network().ports.first(4) + 2;
        let ids = (first..).zip(leaf).map(|(id, _)| id);
        ids.filter(|id| ports(&outcome).any(|port| port.id() == *id && port.counters.packets > 0)).count()
    };
    assert_eq!(uplinks("persistent"), 1);
    assert_eq!(uplinks("per_flow"), 4);
}

/// Two hosts send messages of 200 kB to a third, each twice as fast as its link takes them in. If every message begins
/// at the line rate, the queue grows by the bytes of all of them. If it begins at the rate of the one before, the queue
/// stays near where marks hold it.
#[test]
fn a_message_begins_at_the_rate_of_the_one_before() {
    let longest_queue = |connections: &str| {
        let simulation = simulation(&format!(
            "title = 'kept rates'\n\
             topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
             transport.roce = {{ kind = 'roce', connections = '{connections}', congestion_control = {{ algorithm = 'dcqcn' }} }}\n\
             switch = [{{ total = '100MB', buffer = {{ policy = 'complete_sharing' }}, \
             marking.queue = {{ kind = 'red', minimum = '5kB', maximum = '200kB', probability = 0.01 }} }}]\n\
             workload = [{{ kind = 'long_lived', transport = 'roce', size = '200kB', flows_per_pair = 100, \
             pairs = [['host0', 'host2'], ['host1', 'host2']] }}]"
        ));
        let totals = report(&simulation, PLAIN).totals;
        assert_eq!((totals.flows_finished, totals.packets.dropped), (200, 0));
        totals.buffer.peak_bytes
    };
    let (persistent, per_flow) = (longest_queue("persistent"), longest_queue("per_flow"));
    assert!(persistent < per_flow / 3, "{persistent} {per_flow}");
}

/// Runs two hosts that send 2,000 KiB each to a third in so many messages. Returns the end, the number of CNPs, and the
/// payload sent again.
fn cut_up(messages: u64, most: &str, marking: &str, rest: &str) -> (u64, u64, u64) {
    let simulation = simulation(&format!(
        "title = 'cut up'\n\
         topology = {{ kind = 'dumbbell', left = 2, right = 1, host_link = {{ rate = '40Gbps', delay = '1us' }}, \
         middle_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
         transport.roce = {{ kind = 'roce', payload = '1024B', connections = 'persistent', {rest} }}\n\
         switch = [{{ total = '4MB', marking.queue = {{ kind = 'red', minimum = '5kB', {marking} }}, \
         buffer = {{ policy = 'static_threshold', threshold = '{most}' }} }}]\n\
         workload = [{{ kind = 'long_lived', transport = 'roce', size = '{}B', flows_per_pair = {messages}, \
         pairs = [['host0', 'host2'], ['host1', 'host2']] }}]",
        (2000 << 10) / messages
    ));
    let report = report(&simulation, PLAIN);
    let end = report.flows.rows.iter().map(|row| row.finish.as_nanoseconds()).max().unwrap();
    (end, report.totals.packets.cnps_sent, report.totals.packets.retransmitted)
}

/// Congestion control, and the interval between CNPs, belong to a queue pair and not to its messages.
#[test]
fn cut_into_messages_what_a_queue_pair_carries_comes_as_fast() {
    for clock in ["after_cnp", "free_running"] {
        let control = format!("congestion_control = {{ algorithm = 'dcqcn', cnp_clock = '{clock}' }}");
        let [whole, cut, packets] = [1, 20, 2000]
            .map(|messages| cut_up(messages, "3MB", "maximum = '6kB', probability = 1", &control));
        assert!(whole.1 > 20 && whole.2 == 0, "{whole:?}");
        assert_eq!((cut, packets), (whole, whole), "{clock}");
    }
}

/// Lost packets of a message are sent again before later messages go on, at the rate of the queue pair.
#[test]
fn cut_into_messages_losses_are_repaired_as_fast() {
    for recovery in ["go_back_n", "selective_repeat"] {
        let rest =
            format!("congestion_control = {{ algorithm = 'dcqcn' }}, recovery = {{ kind = '{recovery}' }}");
        let [whole, two, many] = [1, 2, 40]
            .map(|messages| cut_up(messages, "200kB", "maximum = '200kB', probability = 0.01", &rest));
        assert!(whole.2 > 0, "{recovery}: {whole:?}");
        for cut in [two, many] {
            assert!(
                cut.0 < whole.0 * 6 / 5 && cut.2 <= whole.2 * 6 / 5 + 5,
                "{recovery}: {cut:?}, and {whole:?} as a whole"
            );
        }
    }
}

/// The path of a queue pair does not depend on the name of its transport, nor on transports that nothing uses.
#[test]
fn paths_do_not_depend_on_names_of_transports() {
    let completions = |used: &str, unused: &str| {
        let lasting = "{ kind = 'roce', connections = 'persistent' }";
        let simulation = simulation(&format!(
            "title = 'names'\n\
             topology = {{ kind = 'leaf_spine', leaves = 4, spines = 4, hosts_per_leaf = 2, \
             host_link = {{ rate = '100Gbps', delay = '1us' }}, fabric_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
             transport = {{ {used} = {lasting}{unused} }}\n\
             workload = [{{ kind = 'permutation', transport = '{used}', size = '1MB' }}]"
        ));
        finishes(&simulation)
    };
    let expected = completions("b", "");
    assert_eq!(completions("z", ""), expected);
    assert_eq!(completions("b", ", a = { kind = 'roce', connections = 'persistent' }"), expected);
}
