//! Work that is estimated before a run, against what the run does, where nothing is lost and no flow waits for the
//! network.

use xoff::Offered;

use crate::common::{PLAIN, report};
use crate::simulation;

/// Flows that come in every way, over paths of two, four and six links, acknowledged by the packet or by every second
/// packet.
const ON_A_FAT_TREE: &str = "title = 'offered'\n\
    topology = { kind = 'fat_tree', k = 4, host_link = { rate = '10Gbps', delay = '1us' }, \
    fabric_link = { rate = '10Gbps', delay = '1us' } }\n\
    switch = [{ total = '1GB', buffer = { policy = 'complete_sharing' } }]\n\
    transport.each = { kind = 'tcp', congestion_control = { algorithm = 'reno' }, minimum_rto = '1s', acknowledge_every = 1 }\n\
    transport.roce = { kind = 'roce', payload = '1000B', acknowledge_every = 2, recovery = { kind = 'go_back_n', timeout = '1s' } }\n\
    transport.raw = { kind = 'constant_rate', rate = '1Gbps' }\n";

/// Estimate of the work of one workload table, and the work of a run of it.
fn offered_and_done(workload: &str, stop: &str) -> [Offered; 2] {
    let simulation = simulation(&format!("{ON_A_FAT_TREE}workload = [{{ {workload} }}]\n{stop}"));
    let totals = report(&simulation, PLAIN).totals;
    assert_eq!(totals.packets.dropped, 0, "{workload}");
    let done = Offered {
        flows: totals.flows_started as f64,
        bytes: totals.measured.payload_delivered_bytes as f64,
        packet_hops: totals.packet_hops as f64,
    };
    [simulation.offered(), done]
}

#[test]
fn what_comes_whatever_becomes_of_it_is_counted_flow_by_flow() {
    for workload in [
        "kind = 'permutation', transport = 'each', size = '100kB'",
        "kind = 'permutation', transport = 'roce', size = '100kB'",
        "kind = 'incast', transport = 'raw', size = '5kB', fan_in = 5, receivers = ['host0'], every = '20us'",
        "kind = 'poisson', transport = 'each', sizes = 'web_search', load = 0.2, of = 'host'",
        "kind = 'collective', transport = 'roce', operation = 'all_reduce', size = '1MB', iterations = 3",
    ] {
        let [offered, done] = offered_and_done(workload, "stop = { arrivals_end = '1ms' }");
        assert_eq!(offered, done, "{workload}");
    }
}

#[test]
fn queries_ask_workers_at_the_mean_of_all_distances() {
    let query =
        "kind = 'query', transport = 'each', aggregators = ['host0', 'host9'], fan_in = 5, response = '20kB'";
    let [offered, done] =
        offered_and_done(&format!("{query}, every = '20us'"), "stop = { arrivals_end = '2ms' }");
    assert!(
        (offered.flows - done.flows).abs() < 1e-6 && (offered.bytes - done.bytes).abs() < 1e-3,
        "{offered:?} {done:?}"
    );
    assert!((offered.packet_hops / done.packet_hops - 1.0).abs() < 0.02, "{offered:?} {done:?}");
}

#[test]
fn what_has_no_end_gets_its_share_of_its_hosts_links() {
    let pairs = "pairs = [['host0', 'host15'], ['host1', 'host15'], ['host1', 'host14']]";
    for (workload, bytes) in [
        // host15 has two flows of 5 Gbps, and host1 another beside.
        (format!("kind = 'long_lived', transport = 'each', {pairs}"), 3.0 * 5e9 / 8.0 * 10e-3),
        (format!("kind = 'long_lived', transport = 'raw', {pairs}"), 3.0 * 1e9 / 8.0 * 10e-3),
        (format!("kind = 'long_lived', transport = 'raw', end = '2ms', {pairs}"), 3.0 * 1e9 / 8.0 * 2e-3),
    ] {
        let [offered, done] = offered_and_done(&workload, "stop.at = '10ms'");
        assert!((offered.bytes / bytes - 1.0).abs() < 1e-6, "{workload}: {offered:?}");
        assert!(
            (offered.packet_hops / done.packet_hops - 1.0).abs() < 0.1,
            "{workload}: {offered:?}, {done:?}"
        );
    }
}

#[test]
fn flows_too_large_for_the_time_get_their_share_as_well() {
    let workload = "kind = 'incast', transport = 'each', size = '1000GB', fan_in = 5, receivers = ['host0'], every = '1s'";
    let [offered, done] = offered_and_done(workload, "stop.at = '10ms'");
    let bytes = 10e9 / 8.0 * 10e-3;
    assert!((offered.bytes / bytes - 1.0).abs() < 1e-6, "{offered:?}");
    assert!((offered.packet_hops / done.packet_hops - 1.0).abs() < 0.15, "{offered:?}, {done:?}");
}

#[test]
fn more_flows_than_are_drawn_come_at_the_same_pace() {
    let workload = "workload = [{ kind = 'poisson', transport = 'raw', sizes = { fixed = '1kB' }, load = 0.5, of = 'host' }]";
    let of =
        |end: &str| simulation(&format!("{ON_A_FAT_TREE}{workload}\nstop.arrivals_end = '{end}'")).offered();
    let [short, long] = ["50ms", "5000ms"].map(of);
    assert!((long.flows / short.flows / 100.0 - 1.0).abs() < 0.01, "{short:?} {long:?}");
}

#[test]
fn a_number_of_flows_that_ends_the_run_is_all_that_counts() {
    let workload =
        "kind = 'incast', transport = 'raw', size = '5kB', fan_in = 5, receivers = ['host0'], every = '20us'";
    let stop = "stop = { arrivals_end = '10ms', after_flows = 100 }";
    let simulation = simulation(&format!("{ON_A_FAT_TREE}workload = [{{ {workload} }}]\n{stop}"));
    let offered = simulation.offered();
    assert_eq!((offered.flows, offered.bytes), (100.0, 500_000.0));
}
