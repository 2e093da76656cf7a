//! Determinism: the same scenario and seed give the same results, whatever the engine, the threads, the windows and the
//! observers.

mod common;
mod reference;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use common::random::Ends;
use common::{PLAIN, law_of_random_scenarios, report, simulation_of};
use xoff::Execution;
use xoff::internals::host::Host;
use xoff::internals::observer::DropReason;
use xoff::internals::switch::Switch;
use xoff::units::Span;
use xoff::{Files, Report, Scenario, Simulation};

fn by_reference(simulation: &Simulation) -> Report {
    Report::new(simulation, &mut reference::run(simulation).0)
}

/// Writes all decisions of the models in words that can be compared.
fn results(report: &Report) -> String {
    let mut totals = serde_json::to_value(&report.totals).expect("totals are numbers");
    totals["events"] = 0.into();
    let Report { digest, pathologies, unfinished, queries, .. } = report;
    format!("{digest} {totals} {:?} {unfinished:?} {queries:?}", pathologies.watchdog)
}

/// Writes the values recorded over time in words that can be compared.
fn recorded(report: &Report) -> String {
    let Report { series, series_names, drops, packets, pauses, pause_flows, .. } = report;
    format!("{series:?} {series_names:?} {drops:?} {packets:?} {pauses:?} {pause_flows:?}")
}

/// Ways to carry out a run, none of which may matter.
fn executions() -> impl Iterator<Item = Execution> {
    let windows = [Span::from_nanoseconds(300), Span::from_microseconds(1), Span::MAX];
    let execution = |threads| move |longest_window| Execution { threads, longest_window };
    (1..=3).flat_map(move |threads| windows.into_iter().map(execution(threads)))
}

const SAMPLED: &str = "observe = { queues = { every = '3us' }, pools = { every = '3us' }, throughput = { every = '7us' }, \
                       marks = { every = '10us' }, drops = { every = '10us' }, windows = { every = '3us' }, rates = { every = '5us' } }";
const COUNTED: &str = "observe = { flow_throughput = { every = '4us' }, cnms = { every = '10us' }, alphas = { every = '4us' }, \
                       thresholds = { every = '6us' }, rtts = { every = '4us' }, recovery_states = { every = '5us' } }";
const ON_CHANGE: &str = "observe = { queues = { every = 'change' }, marks = { every = 'change' }, \
                         drops = { every = 'change' }, windows = { every = 'change' }, rates = { every = 'change' }, \
                         cnms = { every = 'change' }, packets = ['*'], pauses = true }";

/// Runs a scene in every way, and compares with the reference engine each time.
fn every_way_agrees(scene: &str) {
    let files = Files::from([("flows.csv".to_owned(), TRACE.to_owned())]);
    let expected = by_reference(&simulation_of(scene, &[], &files));
    assert!(expected.totals.flows_finished > 0, "something happens");
    let sampled = if scene.contains("'cioq'") { &SAMPLED.replace("pools", "inputs") } else { SAMPLED };
    for observe in ["", sampled, COUNTED, ON_CHANGE] {
        let simulation = simulation_of(&format!("{observe}\n{scene}"), &[], &files);
        let first = report(&simulation, PLAIN);
        assert_eq!(observe.is_empty(), first.series.value.is_empty());
        for execution in executions() {
            let again = report(&simulation, execution);
            assert_eq!(results(&again), results(&expected), "{execution:?} {observe}");
            assert_eq!(recorded(&again), recorded(&first), "{execution:?} {observe}");
        }
    }
    // Who watches pauses has every departure be an event.
    let series =
        |observe: &str| report(&simulation_of(&format!("{observe}\n{scene}"), &[], &files), PLAIN).series;
    let watched = sampled.replacen("{ ", "{ pauses = true, ", 1);
    assert_eq!(format!("{:?}", series(&watched)), format!("{:?}", series(sampled)));
}

const STAR: &str = "topology = { kind = 'star', hosts = 9, host_link = { rate = '10Gbps', delay = '1us' } }";
const DUMBBELL: &str = "topology = { kind = 'dumbbell', left = 3, right = 2, \
    host_link = { rate = '25Gbps', delay = '500ns' }, middle_link = { rate = '10Gbps', delay = '10us' } }";
const LEAF_SPINE: &str = "topology = { kind = 'leaf_spine', leaves = 3, spines = 2, hosts_per_leaf = 3, \
    host_link = { rate = '10Gbps', delay = '1us' }, fabric_link = { rate = '40Gbps', delay = '600ns' }, \
    links = [{ between = ['leaf0', 'spine1'], rate = '10Gbps', delay = '3us' }] }";
const FAT_TREE: &str = "topology = { kind = 'fat_tree', k = 4, hash_seed = 5, \
    host_link = { rate = '10Gbps', delay = '1us' }, fabric_link = { rate = '10Gbps', delay = '400ns' } }";
/// Two clusters of several nodes, joined by a long link, and a switch alone. Every link has a rate of its own.
const CLUSTERS: &str = "topology = { kind = 'custom', hosts = ['a', 'b', 'c', 'd', 'e'], \
    switches = ['r', 's', 't', 'u'], links = [\
    { between = ['a', 'r'], rate = '10Gbps', delay = '0ns' }, \
    { between = ['b', 'r'], rate = '3Gbps', delay = '1us' }, \
    { between = ['c', 's'], rate = '25Gbps', delay = '7ns' }, \
    { between = ['d', 't'], rate = '40Gbps', delay = '0ns' }, \
    { between = ['e', 'u'], rate = '7Gbps', delay = '200ns' }, \
    { between = ['r', 's'], rate = '10Gbps', delay = '0ns' }, \
    { between = ['s', 't'], rate = '12Gbps', delay = '2us' }, \
    { between = ['t', 'u'], rate = '10Gbps', delay = '333ns' }, \
    { between = ['r', 'u'], rate = '1Gbps', delay = '250ns' }] }";
const DCTCP: &str = "transport.dctcp = { kind = 'tcp', congestion_control = { algorithm = 'dctcp' }, \
    minimum_rto = '200us' }";
const STEADY: &str = "transport.steady = { kind = 'constant_rate', payload = '1000B', rate = '4Gbps' }";

/// Rows of `flows.csv`. Some start together, on hosts that both send and receive.
const TRACE: &str = "source,destination,size_bytes,start_ns,priority\n\
    a,d,50000,0,0\nb,d,30000,0,3\nc,a,20000,0,0\nd,a,100,1000,7\ne,b,1,1000,1\nd,e,40000,2000,2\n\
    a,b,25000,2000,0\nb,a,25000,2000,5\ne,c,60000,2500,0\nc,e,1460,40000,0\na,d,1461,400000,6\n";

fn scene(parts: &[&str]) {
    every_way_agrees(&format!("title = 'scene'\n{}", parts.join("\n")));
}

/// The key of an event names 8,192 sources. First one switch has more, then a cluster of a switch and all its hosts. All
/// begin to send at once into a small memory, so the order of simultaneous events decides who loses packets.
#[test]
fn more_simultaneous_events_than_a_key_can_name() {
    for (hosts, delay) in [(4_200, "1us"), (2_500, "0ns")] {
        let simulation = simulation_of(
            &format!(
                "topology = {{ kind = 'star', hosts = {hosts}, host_link = {{ rate = '10Gbps', delay = '{delay}' }} }}\n\
                 switch = [{{ total = '100kB', buffer = {{ policy = 'complete_sharing' }} }}]\n{STEADY}\n\
                 workload = [\
                 {{ kind = 'permutation', transport = 'steady', size = '2kB', priority = 3 }}, \
                 {{ kind = 'incast', transport = 'steady', fan_in = 600, size = '1kB', groups = 1 }}]"
            ),
            &[],
            &Files::new(),
        );
        let expected = by_reference(&simulation);
        assert!(expected.totals.packets.dropped > 0 && expected.totals.flows_finished > 0);
        for threads in [1, 2] {
            let again = report(&simulation, Execution::with_threads(threads));
            assert_eq!(again.digest, expected.digest, "{hosts} {threads}");
        }
    }
}

#[test]
fn incast_into_a_tiny_buffer_with_losses() {
    scene(&[
        STAR,
        DCTCP,
        "switch = [{ total = '60kB', marking.queue = { kind = 'threshold', threshold = '15kB' } }]",
        "workload = [{ kind = 'incast', transport = 'dctcp', fan_in = 8, size = '40kB', groups = 3, \
         every = '300us' }]",
    ]);
}

#[test]
fn queue_pairs_that_end_by_time_among_losses() {
    let transport = |name: &str, rest: &str| {
        format!("transport.{name} = {{ kind = 'roce', control_priority = 0, {rest} }}")
    };
    scene(&[
        STAR,
        &transport("back", "recovery = { kind = 'go_back_n', timeout = '300us' }"),
        &transport(
            "irn",
            "recovery = { kind = 'selective_repeat' }, congestion_control = { algorithm = 'swift' }, ecn_capable = true",
        ),
        "switch = [{ total = '60kB', marking.queue = { kind = 'threshold', threshold = '15kB' } }]",
        "workload = [\
         { kind = 'long_lived', transport = 'back', pairs = [['host1', 'host0'], ['host2', 'host0']], end = '87654321ps' }, \
         { kind = 'long_lived', transport = 'irn', pairs = [['host3', 'host0'], ['host4', 'host0']], end = '120us', \
         stagger = '10us' }]",
    ]);
}

#[test]
fn new_reno_with_delayed_acknowledgements_and_host_delay() {
    scene(&[
        DUMBBELL,
        "host = { delay = '5us', adapter_queue = '60kB' }",
        "switch = [{ total = '50kB', buffer = { policy = 'static_partition' } }]",
        "transport.reno = { kind = 'tcp', recovery = 'new_reno', acknowledge_every = 2, minimum_rto = '300us', \
         acknowledge_timeout = '20us', congestion_control = { algorithm = 'reno' } }",
        "workload = [{ kind = 'long_lived', transport = 'reno', size = '300kB', flows_per_pair = 2, \
         pairs = [['host0', 'host3'], ['host1', 'host3'], ['host2', 'host4'], ['host4', 'host0']] }]",
    ]);
}

/// A chassis whose hosts all send to two of them, which send as well. Outputs fill, inputs pause their senders, and
/// pause frames leave ahead of packets that have lined up.
fn crossbar(topology: &str, pfc: &str, switch: &str) {
    scene(&[
        topology,
        &format!("class = [{{ priority = 0, lossless = true }}]\npfc = {{ {pfc} }}"),
        &format!(
            "switch = [{{ kind = 'cioq', input = {{ buffer = '90kB', xoff = '9kB', xon = '4kB' }}, {switch} }}]"
        ),
        "transport.large = { kind = 'constant_rate', payload = '1400B', rate = '6Gbps' }",
        "transport.small = { kind = 'constant_rate', payload = '64B' }",
        "workload = [{ kind = 'incast', transport = 'large', fan_in = 5, size = '30kB', groups = 6, every = '40us', \
         receivers = ['host0', 'host1'] }, { kind = 'poisson', transport = 'small', sizes = { fixed = '3kB' }, load = 0.5, \
         of = 'host' }]",
        "stop = { at = '300us' }",
    ]);
}

#[test]
fn a_crossbar_whose_outputs_fill_beyond_long_links() {
    crossbar(STAR, "form = 'on_off'", "output = { buffer = '12kB' }");
}

#[test]
fn a_crossbar_whose_outputs_fill_beyond_short_links() {
    let short = STAR.replace("1us", "20ns");
    crossbar(
        &short,
        "pause_quanta = 60",
        "output = { buffer = '2kB' }, crossbar = { matching = 'round_robin' }",
    );
}

#[test]
fn a_crossbar_that_has_adapters_limit_their_flows() {
    scene(&[
        STAR,
        "host = { reaction_point = { timer = '20us' } }",
        "switch = [{ kind = 'cioq', input = { buffer = '900kB' }, output = { buffer = '60kB', \
         congestion_point = { sampling = 'arrival', set_point = '6kB', interval = '9kB' } } }]",
        "transport.raw = { kind = 'constant_rate', payload = '1400B' }",
        "workload = [{ kind = 'incast', transport = 'raw', fan_in = 3, size = '90kB', groups = 2, every = '400us' }]",
    ]);
}

#[test]
fn a_crossbar_between_windows() {
    scene(&[
        STAR,
        DCTCP,
        "switch = [{ kind = 'cioq', input = { buffer = '60kB', queues = 'one' }, output = { buffer = '20kB' }, \
         crossbar = { matching = 'islip', iterations = 1, speedup = '3/2' } }]",
        "workload = [{ kind = 'incast', transport = 'dctcp', fan_in = 7, size = '60kB', groups = 4, every = '100us' }]",
    ]);
}

#[test]
fn links_that_fail_come_back_and_slow_down_among_pauses() {
    let event = |at, leaf, spine, what| {
        format!("{{ at = '{at}', between = ['leaf{leaf}', 'spine{spine}'], {what} }}")
    };
    let events = [
        event("40us", 0, 0, "state = 'down', convergence = '13us'"),
        event("47us", 1, 1, "rate = '5Gbps'"),
        event("90us", 0, 0, "state = 'up', convergence = '13us'"),
        "{ at = '60us', between = ['leaf1', 'host5'], state = 'down' }".to_owned(),
        "{ at = '99us', between = ['leaf1', 'host5'], state = 'up' }".to_owned(),
    ];
    scene(&[
        LEAF_SPINE,
        STEADY,
        DCTCP,
        &format!("link_event = [{}]", events.join(", ")),
        "class = [{ priority = 0, lossless = true }, { priority = 1 }]",
        "switch = [{ total = '1MB', pfc = { xoff = { policy = 'static_threshold', threshold = '6kB' } } }]",
        "workload = [{ kind = 'incast', transport = 'steady', fan_in = 5, size = '40kB', groups = 3, every = '50us' }, \
         { kind = 'incast', transport = 'dctcp', fan_in = 5, size = '40kB', groups = 3, every = '50us', priority = 1 }]",
    ]);
}

/// A spine that has lost its link to a leaf sends packets back by the port at which they came. When the memory of such a
/// packet is released, the frame that resumes its sender leaves by this port too.
#[test]
fn a_resume_that_leaves_by_the_port_of_the_packet_it_is_about() {
    let parts = [
        "seed = 33",
        "topology = { kind = 'leaf_spine', leaves = 2, spines = 3, hosts_per_leaf = 3, \
         routing = 'adaptive_flowlet', flowlet_gap = '300ns', failed_links = [['leaf0', 'spine0']], \
         host_link = { rate = '1Gbps', delay = '1us' }, fabric_link = { rate = '1Gbps', delay = '1us' } }",
        "stop.arrivals_end = '40us'",
        "host.delay = '3us'",
        "class = [{ priority = 0, lossless = true }, { priority = 2 }, { priority = 7 }]",
        "switch = [{ total = '400MB', release = 'transmission_end', scheduler = { kind = 'strict_priority' }, \
         pfc = { xoff = { policy = 'static_threshold', threshold = '3kB' }, lossless_pool = '1MB' } }]",
        "transport.reno = { kind = 'tcp', congestion_control = { algorithm = 'reno' }, minimum_rto = '200us' }",
        "transport.roce = { kind = 'roce', payload = '4096B', control_priority = 7, \
         recovery = { kind = 'go_back_n', timeout = '9ms', nack_interval = '20us' } }",
        "workload = [\
         { kind = 'permutation', transport = 'reno', size = '7kB', priority = 2 }, \
         { kind = 'incast', transport = 'roce', fan_in = 2, size = '7kB', groups = 2, every = '20us' }]",
        "link_event = [{ at = '44us', between = ['leaf0', 'spine1'], state = 'down', convergence = '3us' }]",
    ];
    let simulation = simulation_of(&format!("title = 'scene'\n{}", parts.join("\n")), &[], &Files::new());
    let expected = by_reference(&simulation);
    assert!(expected.totals.flows_finished > 0, "something happens");
    for threads in [1, 2] {
        let again = report(&simulation, Execution::with_threads(threads));
        assert_eq!(results(&again), results(&expected), "{threads}");
    }
}

#[test]
fn hosts_that_only_count_until_some_flows_are_done() {
    scene(&[
        LEAF_SPINE,
        STEADY,
        "switch = [{ total = '60kB', marking.queue = { kind = 'threshold', threshold = '15kB' } }]",
        "workload = [{ kind = 'incast', transport = 'steady', fan_in = 1, size = '3kB', groups = 5, every = '90us' }, \
         { kind = 'long_lived', transport = 'slow', pairs = [['host0', 'host8']] }]",
        "transport.slow = { kind = 'constant_rate', payload = '1000B', rate = '20Mbps' }",
        "stop = { after_flows = 4, period = '1us' }",
    ]);
}

#[test]
fn collectives_of_several_groups_that_are_in_each_other_s_way() {
    scene(&[
        LEAF_SPINE,
        DCTCP,
        "workload = [{ kind = 'collective', transport = 'dctcp', operation = 'all_reduce', size = '80kB', iterations = 3, \
         order = 'random', group_size = 3, compute = '3us' }, { kind = 'collective', transport = 'dctcp', \
         operation = 'all_to_all', size = '90kB', iterations = 2, priority = [0, 1] }]",
    ]);
}

#[test]
fn hosts_that_only_count_until_all_has_come() {
    scene(&[
        STAR,
        "transport.raw = { kind = 'constant_rate', payload = '1000B' }",
        "workload = [{ kind = 'incast', transport = 'raw', fan_in = 7, size = '10kB', groups = 2, every = '90us' }]",
    ]);
}

#[test]
fn random_marking_jitter_and_reserves_on_a_leaf_spine_until_some_flows_are_done() {
    scene(&[
        LEAF_SPINE,
        DCTCP,
        "host = { jitter = true, delay = '1us' }",
        "switch = [{ total = '200kB', reserved_per_queue = '3kB', marking.queue = { kind = 'red', \
         minimum = '5kB', maximum = '40kB', probability = 0.2 } }, \
         { nodes = 'spine*', marking.queue = { kind = 'red', minimum = '3kB', maximum = '30kB', \
         probability = 0.3, when = 'dequeue' }, release = 'transmission_end' }]",
        "workload = [{ kind = 'poisson', transport = 'dctcp', sizes = 'google_rpc', load = 0.8, of = 'core' }]",
        "stop = { after_flows = 150, period = '30us' }",
    ]);
}

/// A packet that is marked as it leaves may be on its way to another thread before the mark is known.
#[test]
fn marks_of_departures_on_their_way_to_other_threads() {
    scene(&[
        LEAF_SPINE,
        DCTCP,
        "switch = [{ total = '120kB', marking.port = { kind = 'threshold', threshold = '12kB', when = 'dequeue' } }, \
         { nodes = 'spine*', marking.queue = { kind = 'threshold', threshold = '5kB', when = 'dequeue' } }]",
        "workload = [{ kind = 'poisson', transport = 'dctcp', sizes = 'google_rpc', load = 0.8, of = 'core' }, \
         { kind = 'incast', transport = 'dctcp', fan_in = 7, size = '60kB', groups = 3, every = '100us' }]",
        "stop = { at = '400us', period = '30us' }",
    ]);
}

/// Several flows of a host together have more to send than its adapter takes in, and none of them is ever held back.
#[test]
fn adapters_whose_packets_line_up_and_find_no_room() {
    scene(&[
        LEAF_SPINE,
        "host = { delay = '4us', adapter_queue = '18kB', small_queue = '19kB' }",
        "transport.reno = { kind = 'tcp', minimum_rto = '100us', maximum_window = '17kB', \
         congestion_control = { algorithm = 'reno' } }",
        "switch = [{ total = '300kB' }]",
        "workload = [{ kind = 'long_lived', transport = 'reno', size = '200kB', flows_per_pair = 3, \
         pairs = [['host0', 'host4'], ['host0', 'host8'], ['host1', 'host0'], ['host4', 'host2']] }]",
        "stop = { at = '844us' }",
    ]);
}

/// Flows of one host send segments of several sizes, and answer others besides. Each is held back until so many of its
/// own have left.
#[test]
fn flows_that_are_held_back_by_what_they_have_in_the_adapter() {
    for small_queue in ["1B", "9kB"] {
        scene(&[
            LEAF_SPINE,
            &format!("host = {{ small_queue = '{small_queue}', segmentation_offload = '12kB' }}"),
            DCTCP,
            "transport.fast = { kind = 'constant_rate', payload = '700B', rate = '4.5Gbps' }",
            "transport.reno = { kind = 'tcp', payload = '333B', minimum_rto = '100us', handshake = true, \
             congestion_control = { algorithm = 'reno' } }",
            "switch = [{ total = '60kB' }]",
            "workload = [{ kind = 'long_lived', transport = 'dctcp', size = '40kB', flows_per_pair = 3, \
             pairs = [['host0', 'host4'], ['host0', 'host8'], ['host4', 'host0']] }, \
             { kind = 'long_lived', transport = 'reno', size = '22222B', flows_per_pair = 2, \
             pairs = [['host0', 'host5'], ['host5', 'host0'], ['host1', 'host4']] }, \
             { kind = 'long_lived', transport = 'dctcp', size = '20kB', flows_per_pair = 11, start = '100us', \
             pairs = [['host0', 'host8'], ['host1', 'host8']] }, \
             { kind = 'long_lived', transport = 'fast', size = '20kB', pairs = [['host0', 'host4'], ['host5', 'host1']] }]",
        ]);
    }
}

/// Packets come to the adapter at the very instants at which others leave it.
#[test]
fn packets_that_come_as_others_leave() {
    scene(&[
        CLUSTERS,
        "host = { delay = '1us', adapter_queue = '8kB', small_queue = '9kB' }",
        "transport.fast = { kind = 'constant_rate', payload = '1000B', rate = '3Gbps' }",
        "switch = [{ total = '60kB' }]",
        "workload = [{ kind = 'long_lived', transport = 'fast', size = '200kB', flows_per_pair = 2, pairs = [['b', 'c']] }]",
    ]);
}

/// Ports hold about as much as their reserves. So it matters which packets have left when the next one finds its place.
#[test]
fn reserves_that_are_just_full() {
    scene(&[
        LEAF_SPINE,
        "transport.fast = { kind = 'constant_rate', payload = '1000B', rate = '4.5Gbps' }",
        "transport.small = { kind = 'constant_rate', payload = '300B', rate = '2Gbps' }",
        "switch = [{ total = '60kB', reserved_per_port = '7kB', buffer = { policy = 'dynamic_threshold', alpha = '1/64' } }]",
        "workload = [{ kind = 'incast', transport = 'fast', fan_in = 3, size = '60kB', groups = 9, every = '20us' }, \
         { kind = 'incast', transport = 'small', fan_in = 4, size = '30kB', groups = 9, every = '23us' }]",
    ]);
}

/// All nodes run in one window, so that a packet would arrive before its mark.
#[test]
fn marks_of_departures_over_short_links() {
    scene(&[
        "topology = { kind = 'star', hosts = 5, host_link = { rate = '10Gbps', delay = '100ns' } }",
        DCTCP,
        "switch = [{ total = '200kB', marking.port = { kind = 'threshold', threshold = '9kB', when = 'dequeue' } }]",
        "workload = [{ kind = 'incast', transport = 'dctcp', fan_in = 4, size = '60kB', groups = 2, every = '300us' }]",
    ]);
}

#[test]
fn eight_classes_on_a_leaf_spine_with_memory_released_at_the_end() {
    let workload = |priority| {
        format!(
            "{{ kind = 'incast', transport = 'dctcp', fan_in = 5, size = '9kB', groups = 2, every = '35us', \
             priority = {priority}, start = '{}ns' }}",
            priority * 700
        )
    };
    let workloads: Vec<String> = (0..8).map(workload).collect();
    scene(&[
        LEAF_SPINE,
        DCTCP,
        "switch = [{ total = '250kB', release = 'transmission_end', reserved_per_port = '8kB', \
         buffer = { policy = 'dynamic_threshold', alpha = '1/2' }, \
         marking.queue = { kind = 'threshold', threshold = '9kB', when = 'dequeue' } }]",
        &format!("workload = [{}]", workloads.join(", ")),
    ]);
}

/// Packets that are expelled between two arrivals are gone for every question that the second one asks: be it lossless,
/// be it for its next hop. They are gone for observers in between, too.
#[test]
fn queues_that_lose_packets_before_others_come() {
    let adaptive = [
        "topology = { kind = 'leaf_spine', leaves = 4, spines = 3, hosts_per_leaf = 4, routing = 'adaptive', \
         host_link = { rate = '100Gbps', delay = '1us' }, fabric_link = { rate = '40Gbps', delay = '1us' } }",
        "switch = [{ total = '300kB', buffer = { policy = 'occamy', alpha = '1/2', memory_bandwidth = '250Gbps' } }]",
        "transport.cubic = { kind = 'tcp', minimum_rto = '1ms', congestion_control = { algorithm = 'cubic' } }",
        "workload = [{ kind = 'poisson', transport = 'cubic', sizes = 'web_search', load = 0.5, of = 'host' }, \
         { kind = 'incast', transport = 'cubic', fan_in = 8, size = '40kB', every = '300us', groups = 20 }]",
        "stop = { at = '2ms' }",
    ];
    let lossless = [
        "topology = { kind = 'star', hosts = 5, host_link = { rate = '100Gbps', delay = '1us' }, \
         links = [{ between = ['host3', 'switch0'], rate = '1Gbps' }, { between = ['host4', 'switch0'], rate = '1Gbps' }] }",
        "switch = [{ total = '3MB', buffer = { policy = 'occamy', alpha = 2, memory_bandwidth = '12Gbps' }, \
         marking.port = { kind = 'red', minimum = '20kB', maximum = '400kB', probability = 0.3 }, \
         pfc = { xoff = { policy = 'dynamic_threshold', alpha = 1 }, lossy_pool = '400kB' } }]",
        "class = [{ priority = 0 }, { priority = 3, lossless = true }]",
        "transport.steady = { kind = 'constant_rate', payload = '1442B', rate = '100Gbps' }",
        "transport.roce = { kind = 'roce', control_priority = 3, congestion_control = { algorithm = 'dcqcn' } }",
        "workload = [{ kind = 'long_lived', transport = 'steady', pairs = [['host0', 'host3']], size = '300kB' }, \
         { kind = 'long_lived', transport = 'steady', pairs = [['host1', 'host4']], size = '250kB', start = '25us' }, \
         { kind = 'long_lived', transport = 'roce', pairs = [['host2', 'host3']], size = '100kB', start = '48us', priority = 3 }]",
        "stop = { at = '1ms' }",
    ];
    for parts in [&lossless[..], &adaptive] {
        let scene = format!("title = 'scene'\n{}", parts.join("\n"));
        let of =
            |observe: &str| report(&simulation_of(&format!("{observe}\n{scene}"), &[], &Files::new()), PLAIN);
        let plain = of("");
        assert!(plain.totals.packets.dropped_pushed_out > 0, "something is expelled");
        for every in ["1us", "300ns", "200ns"] {
            let sampled = of(&format!("observe = {{ queues = {{ every = '{every}' }} }}"));
            assert_eq!(results(&sampled), results(&plain), "queues every {every}");
        }
    }
    scene(&adaptive[..4].iter().copied().chain(["stop = { at = '500us' }"]).collect::<Vec<_>>());
}

#[test]
fn pools_with_markers_on_queue_port_and_pool() {
    scene(&[
        LEAF_SPINE,
        DCTCP,
        "host = { jitter = true }",
        "switch = [{ ports_per_pool = 2, shared_per_pool = '60kB', reserved_per_port = '6kB', \
         buffer = { policy = 'dynamic_threshold', alpha_by_priority = [4, 4, 4, '1/2', 4, 4, 4, 4] }, \
         marking.queue = { kind = 'red', minimum = '5kB', maximum = '40kB', probability = 0.2, uniform = true }, \
         marking.port = { kind = 'threshold', threshold = '20kB', when = 'dequeue' }, \
         marking.pool = { kind = 'red', minimum = '9kB', maximum = '40kB', probability = 0.3, uniform = true } }, \
         { nodes = 'spine*', chip = 'tomahawk', total = '400kB', quirks = ['bcc_ns2'], \
         marking.pool = { kind = 'bcc', round_trip = '1us', ramp = '200ns' } }]",
        "workload = [{ kind = 'poisson', transport = 'dctcp', sizes = 'google_rpc', load = 0.8, of = 'core' }, \
         { kind = 'incast', transport = 'dctcp', fan_in = 5, size = '30kB', groups = 3, every = '100us', \
         priority = 3 }]",
        "stop = { arrivals_end = '200us' }",
    ]);
}

#[test]
fn a_permutation_on_a_fat_tree_where_everything_happens_at_once() {
    scene(&[
        FAT_TREE,
        "transport.reno = { kind = 'tcp', payload = '942B', minimum_rto = '400us', \
         congestion_control = { algorithm = 'reno' } }",
        "switch = [{ total = '80kB', buffer = { policy = 'complete_sharing' } }]",
        "workload = [{ kind = 'permutation', transport = 'reno', size = '120kB' }]",
    ]);
}

#[test]
fn a_trace_over_clusters_of_several_nodes() {
    scene(&[
        CLUSTERS,
        DCTCP,
        "switch = [{ total = '40kB', marking.queue = { kind = 'threshold', threshold = '8kB' } }]",
        "workload = [{ kind = 'trace', transport = 'dctcp', file = 'flows.csv' }]",
    ]);
}

#[test]
fn long_lived_and_steady_flows_cut_off_in_the_middle() {
    scene(&[
        CLUSTERS,
        DCTCP,
        STEADY,
        "host = { jitter = true }",
        "switch = [{ total = '100kB', release = 'transmission_end', \
         marking.queue = { kind = 'threshold', threshold = '20kB' } }]",
        "workload = [\
         { kind = 'long_lived', transport = 'dctcp', pairs = [['a', 'd'], ['c', 'd'], ['e', 'a']] }, \
         { kind = 'long_lived', transport = 'steady', pairs = [['b', 'd'], ['d', 'c']], priority = 1, \
           starts_within = '300us' }, \
         { kind = 'incast', transport = 'dctcp', fan_in = 2, size = '3kB', every = '50us', priority = 2 }]",
        "stop = { at = '777us' }",
    ]);
}

#[test]
fn sources_as_fast_as_the_adapter_against_windows() {
    scene(&[
        STAR,
        DCTCP,
        STEADY,
        "transport.burst = { kind = 'constant_rate', payload = '1460B' }",
        "switch = [{ total = '150kB', buffer = { policy = 'static_partition' }, \
         marking.queue = { kind = 'threshold', threshold = '6kB' } }]",
        "workload = [\
         { kind = 'incast', transport = 'dctcp', fan_in = 4, size = '30kB', groups = 4, every = '60us' }, \
         { kind = 'permutation', transport = 'burst', size = '70kB', priority = 7 }, \
         { kind = 'long_lived', transport = 'steady', pairs = [['host1', 'host0']], size = '90kB' }]",
    ]);
}

#[test]
fn pauses_that_spread_through_three_tiers() {
    scene(&[
        "topology = { kind = 'clos3', pods = 2, tors_per_pod = 2, leaves_per_pod = 2, spines = 2, hosts_per_tor = 2, \
         host_link = { rate = '10Gbps', delay = '300ns' }, fabric_link = { rate = '10Gbps', delay = '1us' } }",
        DCTCP,
        "transport.burst = { kind = 'constant_rate', payload = '1000B' }",
        "class = [{ priority = 0 }, { priority = 3, lossless = true }]",
        "switch = [{ total = '600kB', release = 'transmission_end', pfc = { xoff = { policy = 'static_threshold', \
         threshold = '8kB' } }, scheduler = { kind = 'deficit_round_robin' } }]",
        "workload = [\
         { kind = 'incast', transport = 'burst', fan_in = 7, size = '40kB', groups = 2, every = '60us', priority = 3 }, \
         { kind = 'permutation', transport = 'dctcp', size = '70kB' }]",
    ]);
}

/// Watchdogs take both actions, and one lets queues go again and again.
#[test]
fn storms_of_slow_receivers_that_watchdogs_end() {
    for (pfc, reason) in [
        ("detection_time = '20us', watchdog = { restoration_time = '5us' }", DropReason::PfcWatchdog),
        ("detection_time = '9us', watchdog = { action = 'forward' }", DropReason::ReceiverFull),
    ] {
        let parts = [
            LEAF_SPINE,
            DCTCP,
            STEADY,
            "class = [{ priority = 0 }, { priority = 3, lossless = true }]",
            &format!("pfc = {{ pause_quanta = 300, {pfc} }}"),
            "switch = [{ total = '600kB', pfc = { xoff = { policy = 'static_threshold', threshold = '8kB' } }, \
             scheduler = { kind = 'deficit_round_robin' } }]",
            "slow_receiver = [{ hosts = ['host1'], start = '5us', end = '90us', buffer = '5kB' }, \
             { hosts = ['host1'], rate = '1Gbps', start = '90us', end = '150us', buffer = '5kB' }, \
             { hosts = ['leaf2'], rate = '3Gbps', start = '30us', end = '200us', buffer = '9kB', xon_offset = '0B' }]",
            "workload = [\
             { kind = 'incast', transport = 'steady', fan_in = 5, size = '40kB', groups = 4, every = '30us', priority = 3 }, \
             { kind = 'permutation', transport = 'steady', size = '90kB', priority = 3 }, \
             { kind = 'permutation', transport = 'dctcp', size = '70kB' }]",
        ];
        scene(&parts);
        let simulation = simulation_of(&format!("title = 'scene'\n{}", parts.join("\n")), &[], &Files::new());
        let outcome = reference::run(&simulation).0;
        let ports =
            outcome.hosts.iter().map(Host::port).chain(outcome.switches.iter().flat_map(Switch::ports));
        assert!(ports.map(|port| port.counters.dropped_data[reason as usize]).sum::<u64>() > 0, "{reason:?}");
        assert!(outcome.switches.iter().map(|switch| switch.interventions().len()).sum::<usize>() > 1);
    }
}

#[test]
fn pauses_of_ports_with_headroom_of_their_own() {
    let leaf = |name: &str, scheme: &str| {
        let at_ports = "at_ports = [{ ports = [0, 2], size = '20kB' }, { ports = [3], size = '70kB' }]";
        let xoff = "{ policy = 'dynamic_threshold', alpha = '1/32' }";
        format!(
            "{{ nodes = '{name}', pfc = {{ xoff = {xoff}, headroom = {{ scheme = {scheme}, {at_ports} }} }} }}"
        )
    };
    let leaves = [
        leaf("leaf0", "'sih'"),
        leaf("leaf1", "'dsh', insurance = '80kB'"),
        leaf("leaf2", "'oversubscribed', ratio = '1/8'"),
    ];
    scene(&[
        LEAF_SPINE,
        "transport.burst = { kind = 'constant_rate', payload = '1000B' }",
        "class = [{ priority = 0 }, { priority = 3, lossless = true }, { priority = 4, lossless = true }]",
        &format!(
            "switch = [{{ total = '900kB', pfc.headroom = {{ scheme = 'dsh' }} }}, {}]",
            leaves.join(", ")
        ),
        "workload = [\
         { kind = 'incast', transport = 'burst', fan_in = 7, size = '40kB', groups = 2, every = '60us', priority = 3 }, \
         { kind = 'permutation', transport = 'burst', size = '30kB', priority = 4 }]",
    ]);
}

#[test]
fn telemetry_and_round_trips_among_losses_on_a_leaf_spine() {
    let transport = |algorithm: &str, recovery: &str| {
        format!(
            "transport.{algorithm} = {{ kind = 'roce', congestion_control = {{ algorithm = '{algorithm}' }}, \
             recovery = {{ {recovery} }} }}"
        )
    };
    let go_back = "kind = 'go_back_n', timeout = '500us', nack_interval = '20us'";
    let selective = "kind = 'selective_repeat', timeout_low = '400us', timeout_high = '500us'";
    scene(&[
        LEAF_SPINE,
        "switch = [{ total = '60kB' }, { nodes = 'spine*', release = 'transmission_end' }]",
        &transport("hpcc", go_back),
        &transport("power_tcp", selective),
        &transport("theta_power_tcp", selective),
        &transport("swift", go_back),
        &transport("timely", selective),
        "workload = [\
         { kind = 'incast', transport = 'hpcc', fan_in = 6, size = '30kB', groups = 3, every = '50us' }, \
         { kind = 'permutation', transport = 'power_tcp', size = '60kB' }, \
         { kind = 'permutation', transport = 'theta_power_tcp', size = '20kB', start = '20us', priority = 1 }, \
         { kind = 'permutation', transport = 'swift', size = '20kB', start = '40us', priority = 2 }, \
         { kind = 'permutation', transport = 'timely', size = '20kB', start = '60us', priority = 3 }]",
    ]);
}

#[test]
fn every_way_to_balance_load_on_a_leaf_spine() {
    let selective = "recovery = { kind = 'selective_repeat', reordering = 20 }";
    for routing in ["packet_spraying", "adaptive", "flowlet", "adaptive_flowlet"] {
        let gap = if routing.ends_with("flowlet") { ", flowlet_gap = '2us'" } else { "" };
        let balanced = format!("kind = 'leaf_spine', routing = '{routing}'{gap}");
        scene(&[
            &LEAF_SPINE.replace("kind = 'leaf_spine'", &balanced),
            DCTCP,
            &format!(
                "transport.roce = {{ kind = 'roce', congestion_control = {{ algorithm = 'dcqcn' }}, {selective} }}\n\
                 transport.nscc = {{ kind = 'roce', congestion_control = {{ algorithm = 'nscc' }}, {selective} }}"
            ),
            "switch = [{ total = '900kB', marking.queue = { kind = 'threshold', threshold = '30kB' } }]",
            "workload = [\
             { kind = 'permutation', transport = 'dctcp', size = '90kB' }, \
             { kind = 'permutation', transport = 'nscc', size = '60kB', start = '10us', priority = 1 }, \
             { kind = 'incast', transport = 'roce', fan_in = 5, size = '30kB', groups = 2, every = '30us', priority = 2 }]",
        ]);
    }
}

#[test]
fn another_seed_gives_other_results() {
    let workload = "workload = [{ kind = 'permutation', transport = 'dctcp', size = '20kB' }]";
    let digest = |seed: &str| {
        let text = ["title = 'seeds'", seed, STAR, DCTCP, workload].join("\n");
        report(&simulation_of(&text, &[], &Files::new()), PLAIN).digest
    };
    assert_eq!(digest("seed = 1"), digest(""));
    assert_ne!(digest("seed = 1"), digest("seed = 2"));
}

/// A flow starts every 100 s, for an hour. Those from the 12th on start beyond the longest run.
#[test]
fn every_engine_ends_at_the_longest_run() {
    let rows = (0..36).map(|flow| format!("a,b,1000,{},0\n", flow * 100_000_000_000_u64));
    let trace = format!("source,destination,size_bytes,start_ns,priority\n{}", rows.collect::<String>());
    let workload = "workload = [{ kind = 'trace', transport = 'dctcp', file = 'flows.csv' }]";
    let text = ["title = 'an hour'", CLUSTERS, DCTCP, workload].join("\n");
    let simulation = simulation_of(&text, &[], &Files::from([("flows.csv".to_owned(), trace)]));
    let expected = by_reference(&simulation);
    assert_eq!((expected.totals.flows_finished, expected.totals.end_ns), (12, 1_125_899_906_842));
    for threads in 1..=2 {
        let again = report(&simulation, Execution::with_threads(threads));
        assert_eq!(results(&again), results(&expected));
    }
}

#[test]
fn random_scenarios_agree_with_the_reference_engine() {
    law_of_random_scenarios(Ends::ANY, |simulation| {
        let expected = results(&by_reference(simulation));
        for execution in [PLAIN, Execution { threads: 2, longest_window: Span::from_nanoseconds(700) }] {
            assert_eq!(results(&report(simulation, execution)), expected, "{execution:?}");
        }
    });
}

fn folder(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Digest of each shipped scenario, and the change by which a benchmark or a long run is cut short.
fn shipped_digests() -> BTreeMap<String, String> {
    let short = [
        ("fabric_128", "stop.arrivals_end=100us"),
        ("reno_8192", "topology.k=6"),
        ("duel_8192", "topology.k=6"),
        ("duel_8192", "workload.size=100kB"),
        ("all_reduce_64", "workload.size=128kB"),
        ("all_reduce_1024", "topology.k=4"),
        ("all_reduce_1024", "workload.size=160kB"),
        ("web_search_1024", "topology.k=4"),
        ("web_search_1024", "stop.arrivals_end=100us"),
        ("dsh_256", "stop.arrivals_end=20us"),
        ("cioq_64", "stop.at=200us"),
        ("cioq_64_steady", "stop.at=200us"),
        ("headroom/sih", "stop.arrivals_end=50us"),
        ("headroom/dsh", "stop.arrivals_end=50us"),
        ("headroom/oversubscribed", "stop.arrivals_end=50us"),
        ("shallow_buffer/bcc", "stop.arrivals_end=2ms"),
        ("shallow_buffer/conservative", "stop.arrivals_end=2ms"),
        ("shallow_buffer/standard", "stop.arrivals_end=2ms"),
    ];
    let of = |(group, path): (&str, PathBuf)| {
        let name = group.to_owned() + &path.file_stem().expect("a scenario has a name").to_string_lossy();
        let shorter: Vec<&str> = short.iter().filter(|short| short.0 == name).map(|short| short.1).collect();
        let text = std::fs::read_to_string(&path).expect("a scenario can be read");
        let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        let beside =
            |file: &str| std::fs::read_to_string(path.with_file_name(file)).expect("a file it names");
        let files =
            scenario.files().into_iter().map(|file| (file.path.clone(), beside(&file.path))).collect();
        let digest = report(&simulation_of(&text, &shorter, &files), PLAIN).digest;
        (name, [&[digest.as_str()], &shorter[..]].concat().join(" "))
    };
    let folders = [
        ("scenarios", ""),
        ("scenarios/bench", ""),
        ("scenarios/headroom", "headroom/"),
        ("scenarios/shallow_buffer", "shallow_buffer/"),
    ];
    let shipped = folders.map(|(name, group)| {
        let entries = folder(name).read_dir().expect("scenarios are shipped");
        let paths = entries.map(|entry| entry.expect("an entry can be read").path());
        let scenarios = paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
        scenarios.map(move |path| (group, path))
    });
    shipped.into_iter().flatten().map(of).collect()
}

/// A refactoring or another machine must not change results silently.
///
/// After a change that is meant to change them, `XOFF_WRITE_DIGESTS=1 cargo test -p xoff --test determinism shipped`
/// writes the file anew.
#[test]
fn shipped_scenarios_keep_their_digests() {
    let path = folder("crates/xoff/tests/golden_digests.txt");
    let mut digests = String::new();
    for (name, digest) in shipped_digests() {
        writeln!(digests, "{name} {digest}").expect("writing to a string");
    }
    if std::env::var_os("XOFF_WRITE_DIGESTS").is_some() {
        std::fs::write(&path, &digests).expect("the file can be written");
    }
    let golden = std::fs::read_to_string(&path).expect("the digests are committed");
    assert_eq!(digests, golden, "results have changed");
}
