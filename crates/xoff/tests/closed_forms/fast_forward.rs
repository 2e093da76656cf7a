//! Runs that skip steady times, against runs of every packet.

use xoff::units::{Bytes, Span, Time};
use xoff::{Execution, Files, Report, Simulation};

use crate::common::random::{Ends, files};
use crate::common::{PLAIN, law_of_random_texts, report, simulation_of};

const FORWARD: &str = "engine = { fast_forward = {} }\n";

/// Returns the reports of a scenario: of every packet, and with fast-forward.
fn both(text: &str) -> [Report; 2] {
    [text.to_owned(), format!("{FORWARD}{text}")]
        .map(|text| report(&simulation_of(&text, &[], &files()), PLAIN))
}

fn skipped(report: &Report) -> Span {
    Span::from_nanoseconds(report.totals.fast_forward.expect("it may skip").skipped_ns)
}

/// Asserts that all flows are there once, with their bytes, and take as long as in the full run within `tolerance`.
fn flows_agree([full, skipping]: &[Report; 2], tolerance: f64) {
    let rows = |report: &Report| report.flows.rows.clone();
    let (full_rows, rows) = (rows(full), rows(skipping));
    assert_eq!(full_rows.len(), rows.len(), "each flow finishes once");
    for (one, other) in full_rows.iter().zip(&rows) {
        assert_eq!((one.source, one.number, one.size), (other.source, other.number, other.size));
        let [full, skipping] = [one, other].map(|row| row.completion().get() as f64);
        assert!((skipping / full - 1.0).abs() <= tolerance, "{full} {skipping}");
    }
    let delivered = |report: &Report| report.totals.measured.payload_delivered_bytes;
    assert_eq!(delivered(full), delivered(skipping), "bytes delivered");
    assert_eq!(full.totals.packets.sent, skipping.totals.packets.sent, "packets sent");
    assert_eq!(full.totals.packets.delivered, skipping.totals.packets.delivered, "packets delivered");
}

const ROCE: &str = "class = [{ priority = 3, lossless = true }, { priority = 7 }]
    switch = [{ total = '16MB', pfc = { xoff = { policy = 'dynamic_threshold', alpha = 1 } } }]
    transport.x = { kind = 'roce', payload = '4096B', connections = 'persistent', congestion_control = { algorithm = 'dcqcn' } }";

fn star(hosts: u32) -> String {
    format!(
        "topology = {{ kind = 'star', hosts = {hosts}, host_link = {{ rate = '100Gbps', delay = '1us' }} }}"
    )
}

fn ring() -> String {
    let workload = "kind = 'collective', transport = 'x', priority = 3, operation = 'all_reduce', algorithm = 'ring', \
                    size = '40MB', iterations = 2, compute = '300us'";
    format!("{}\n{ROCE}\nworkload = [{{ {workload} }}]", star(4))
}

#[test]
fn a_ring_takes_as_long_as_with_every_packet() {
    let reports = both(&ring());
    flows_agree(&reports, 5e-3);
    let [full, skipping] = reports;
    let took = |report: &Report| {
        report.collectives.completion_ns.iter().map(|&took| took as f64).collect::<Vec<_>>()
    };
    for (full, skipping) in took(&full).iter().zip(took(&skipping)) {
        assert!((skipping / full - 1.0).abs() < 5e-3, "{full} {skipping}");
    }
    assert!(skipped(&skipping) > Span::from_nanoseconds(full.totals.end_ns * 3 / 4), "{:?}", skipping.totals);
    assert!(skipping.totals.events * 4 < full.totals.events);
    let bytes = |report: &Report| report.ports.wire_bytes.iter().sum::<u64>() as f64;
    assert!((bytes(&skipping) / bytes(&full) - 1.0).abs() < 1e-2, "of all ports");
}

#[test]
fn the_digest_is_marked_as_approximate_and_does_not_depend_on_threads_and_windows() {
    let simulation = simulation_of(&format!("{FORWARD}{}", ring()), &[], &Files::new());
    let expected = report(&simulation, PLAIN).digest;
    assert!(expected.starts_with('~'));
    for (threads, nanoseconds) in [(1, 300), (2, 1_000_000), (3, 700)] {
        let execution = Execution { threads, longest_window: Span::from_nanoseconds(nanoseconds) };
        assert_eq!(report(&simulation, execution).digest, expected, "{execution:?}");
    }
}

/// Two long flows of TCP, each alone on its links, and short ones that arrive in between.
fn arrivals(more: &str) -> String {
    format!(
        "{}\ntransport.x = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}
         switch = [{{ marking = {{ queue = {{ kind = 'threshold', threshold = '100kB' }} }} }}]
         workload = [{{ kind = 'long_lived', transport = 'x', pairs = [['host0', 'host1'], ['host2', 'host3']], size = '60MB' }},
                     {{ kind = 'incast', transport = 'x', fan_in = 2, receivers = ['host5'], senders = ['host4', 'host6'],
                        size = '20kB', groups = 3, start = '500us', every = '1ms' }}]\n{more}",
        star(7)
    )
}

#[test]
fn arrivals_and_samples_keep_their_times() {
    let reports = both(&arrivals("observe = { throughput = { every = '1ms', of = ['host0.*'] } }"));
    flows_agree(&reports, 1e-2);
    let [full, skipping] = reports;
    for (one, other) in full.flows.rows.iter().zip(&skipping.flows.rows) {
        assert_eq!(one.start, other.start);
    }
    let until = skipping.series.time_ns.len().min(full.series.time_ns.len());
    assert!(until >= 4);
    assert_eq!(full.series.time_ns[..until], skipping.series.time_ns[..until]);
    assert!(skipped(&skipping) > Span::from_milliseconds(2), "{:?}", skipping.totals.fast_forward);
}

#[test]
fn links_change_and_runs_end_at_their_times() {
    let more = "link_event = [{ at = '2ms', between = ['host1', 'switch0'], rate = '50Gbps' }]\nstop = { at = '5ms' }";
    let text = arrivals(more).replace("'60MB'", "'600MB'").replace("'host1', 'switch0'", "'leaf0', 'spine0'");
    let text = text.replace(
        &star(7),
        "topology = { kind = 'leaf_spine', leaves = 2, spines = 1, hosts_per_leaf = 4, \
         host_link = { rate = '100Gbps', delay = '1us' }, fabric_link = { rate = '400Gbps', delay = '1us' } }",
    );
    let text = text.replace("['host0', 'host1'], ['host2', 'host3']", "['host0', 'host5']");
    let text =
        text.replace("['host5'], senders = ['host4', 'host6']", "['host1'], senders = ['host2', 'host3']");
    let [full, skipping] = both(&text);
    assert_eq!(full.totals.end_ns, skipping.totals.end_ns);
    let [one, other] = [&full, &skipping].map(|report| report.unfinished.received_bytes[0] as f64);
    assert!((other / one - 1.0).abs() < 2e-2, "{one} {other}");
    assert!(skipped(&skipping) > Span::from_milliseconds(1), "{:?}", skipping.totals.fast_forward);
}

#[test]
fn a_run_that_skips_nothing_says_why() {
    let because = |text: &str| {
        let report = report(&simulation_of(&format!("{FORWARD}{text}"), &[], &Files::new()), PLAIN);
        let told = report.totals.fast_forward.expect("it is told");
        assert_eq!((told.skips, told.skipped_ns), (0, 0));
        told.because.expect("it says why")
    };
    let watched = arrivals("observe = { drops = { every = 'change' } }").replace("'60MB'", "'1MB'");
    assert_eq!(because(&watched), "[observe] records single packets or changes");
    let sampled = arrivals("observe = { queues = { every = '5us' } }").replace("'60MB'", "'1MB'");
    assert_eq!(because(&sampled), "a flow, a sample or another planned event was always due soon");
}

#[test]
fn a_run_that_skips_nothing_is_the_full_run() {
    let text = arrivals("observe = { queues = { every = '5us' } }").replace("'60MB'", "'1MB'");
    let [full, skipping] = both(&text);
    assert_eq!(format!("~{}", full.digest), skipping.digest);
}

/// Flows of any scenario end once each, with all their bytes.
#[test]
fn every_flow_of_a_random_scenario_finishes_once() {
    law_of_random_texts("every_flow_of_a_random_scenario_finishes_once", 100, &[Ends::Drained], |text| {
        let simulations =
            [text.to_owned(), format!("{FORWARD}{text}")].map(|text| simulation_of(&text, &[], &files()));
        let [full, skipping] =
            simulations.each_ref().map(|simulation: &Simulation| report(simulation, PLAIN));
        let told = skipping.totals.fast_forward.expect("it is told");
        if told.skips == 0 {
            assert_eq!(format!("~{}", full.digest), skipping.digest);
            return;
        }
        let sizes = |report: &Report| {
            let sizes = report.flows.rows.iter().map(|row| (row.source, row.destination, row.size));
            let mut sizes: Vec<_> = sizes.collect();
            sizes.sort_unstable();
            sizes
        };
        assert_eq!(sizes(&full), sizes(&skipping));
        let is_in_order = |report: &Report| {
            report
                .flows
                .rows
                .iter()
                .all(|row| Time::ZERO <= row.start && row.start < row.received && row.size > Bytes::ZERO)
        };
        assert!(is_in_order(&skipping));
    });
}
