//! Collectives on a star, where ranks in a ring or in pairs do not share links: a step takes as long as one of its
//! parts alone.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use xoff::Files;
use xoff::internals::ideal;
use xoff::network::NodeId;
use xoff::units::{Bytes, Span};
use xoff::{Report, Simulation};

use crate::common::{PLAIN, cases, report, simulation_of};
use crate::simulation;

const RANKS: u64 = 8;
const SIZE: u64 = 1_600_000;
const COMPUTE: Span = Span::from_microseconds(7);

/// Runs three collectives with these keys. Also returns the time that a flow of one of their senders takes alone, by
/// its size.
fn run(keys: &str) -> (Report, impl Fn(u64) -> Span + use<>) {
    run_again(3, keys)
}

/// Runs `iterations` collectives with these keys, as `run` does.
fn run_again(iterations: u32, keys: &str) -> (Report, impl Fn(u64) -> Span + use<>) {
    let simulation = simulation(&format!(
        "title = 'collectives'\ntopology = {{ kind = 'star', hosts = {RANKS}, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         host = {{ delay = '300ns' }}\ntransport.raw = {{ kind = 'constant_rate', payload = '1000B' }}\n\
         switch = [{{ total = '20MB', buffer = {{ policy = 'complete_sharing' }} }}]\n\
         workload = [{{ kind = 'collective', transport = 'raw', size = '{SIZE}B', iterations = {iterations}, compute = '7us', \
         start = '2us', {keys} }}]"
    ));
    let report = report(&simulation, PLAIN);
    (report, move |size| alone_in(&simulation, 0, 1, size))
}

/// Each collective takes as long as the others, and begins when all ranks have computed.
fn takes(keys: &str, groups: usize, steps: &[u64]) {
    let (report, alone) = run(keys);
    let expected: Span = steps.iter().map(|size| alone(*size)).fold(Span::ZERO, |sum, step| sum + step);
    let found = &report.collectives;
    assert_eq!(found.iteration, [0, 1, 2].repeat(groups), "{keys}");
    let starts = (0..3).map(|iteration| Span::from_microseconds(2) + (expected + COMPUTE) * iteration);
    let starts: Vec<u64> = starts.map(|start| start.get() / 1000).collect();
    let expected_starts = starts.repeat(groups);
    assert_eq!(found.start_ns, expected_starts, "{keys}");
    for completion in &found.completion_ns {
        assert!(
            completion.abs_diff(expected.get() / 1000) <= 1,
            "{keys}: {completion}, expected {expected:?}"
        );
    }
    let totals = &report.totals.collectives[0];
    assert_eq!(
        (totals.started, totals.finished, totals.unfinished),
        (3 * groups as u64, 3 * groups as u64, 0)
    );
}

#[test]
fn a_step_takes_as_long_as_one_of_its_parts_alone() {
    let part = SIZE / RANKS;
    let halves = [SIZE / 2, SIZE / 4, SIZE / 8];
    let doubled = [halves, [SIZE / 8, SIZE / 4, SIZE / 2]].concat();
    takes("operation = 'all_reduce'", 1, &[part; 14]);
    takes("operation = 'reduce_scatter'", 1, &[part; 7]);
    takes("operation = 'all_gather', order = 'random'", 1, &[part; 7]);
    takes("operation = 'all_reduce', group_size = 4", 2, &[SIZE / 4; 6]);
    takes("operation = 'all_to_all', algorithm = 'pairwise'", 1, &[part; 7]);
    takes("operation = 'all_reduce', algorithm = 'halving_doubling'", 1, &doubled);
    takes("operation = 'all_gather', algorithm = 'halving_doubling', group_size = 2", 4, &[SIZE / 2]);
}

/// In a ring the bus bandwidth is that of one part, whatever the operation.
#[test]
fn bus_bandwidth_is_that_of_a_link() {
    for operation in ["all_reduce", "reduce_scatter", "all_gather"] {
        let (report, alone) = run(&format!("operation = '{operation}'"));
        let part = SIZE / RANKS;
        let expected = part as f64 * 8.0 / alone(part).as_seconds() / 1e9;
        for bandwidth in &report.collectives.bus_bandwidth_gbps {
            assert!(
                (bandwidth / expected - 1.0).abs() < 1e-9,
                "{operation}: {bandwidth}, expected {expected}"
            );
        }
    }
}

/// The link to the rank that most is for is busy from the first packet to the last: every sender begins with another
/// receiver, and in each slot one of them sends to rank 0.
#[test]
fn an_uneven_all_to_all_takes_as_long_as_the_link_of_the_rank_that_most_is_for() {
    let unit = SIZE / 16;
    for (shares, most) in
        [("9, 1, 1, 1, 1, 1, 1, 1", 9), ("2, 2, 2, 2, 2, 2, 2, 2", 2), ("16, 0, 0, 0, 0, 0, 0, 0", 16)]
    {
        let (report, alone) = run_again(1, &format!("operation = 'all_to_all', shares = [{shares}]"));
        let bytes = (RANKS - 1) * most * unit;
        let (completion, expected) = (report.collectives.completion_ns[0], alone(bytes).get() / 1000);
        assert!(completion.abs_diff(expected) <= 1, "{shares}: {completion}, expected {expected}");
        let bandwidth = bytes as f64 * 8.0 / alone(bytes).as_seconds() / 1e9;
        let found = report.collectives.bus_bandwidth_gbps[0];
        assert!((found / bandwidth - 1.0).abs() < 1e-4, "{shares}: {found}, expected {bandwidth}");
        assert_eq!(report.totals.collectives[0].size_bytes, SIZE);
    }
}

/// The straggler has the part of its neighbour by the time it begins. It computes for longer than its own part takes.
#[test]
fn a_pair_is_late_by_what_its_straggler_is() {
    let straggler = "stragglers = [{ ranks = ['host3'], late = '1ms', compute = '500us' }]";
    let (report, alone) = run(&format!("operation = 'all_gather', group_size = 2, {straggler}"));
    let part = alone(SIZE / 2);
    let found = &report.collectives;
    for (place, (&group, &iteration)) in found.group.iter().zip(&found.iteration).enumerate() {
        let (late, computing) = if group == 1 {
            (Span::from_microseconds(1_000), COMPUTE + Span::from_microseconds(500))
        } else {
            (Span::ZERO, COMPUTE + part)
        };
        let expected =
            (Span::from_microseconds(2) + late + computing * u64::from(iteration) + part).get() / 1000;
        let finish = found.finish_ns[place];
        assert!(finish.abs_diff(expected) <= 1, "{group} {iteration}: {finish}, expected {expected}");
    }
    assert_eq!(found.start_ns[3], 2_000, "the other one begins in time");
}

/// Runs two all to alls of six ranks by a matrix, in servers of two if the algorithm goes by servers. Returns the bytes
/// of all flows from one host to another.
fn sent(algorithm: &str, matrix: &[Vec<u32>]) -> BTreeMap<(NodeId, NodeId), u64> {
    let servers = if algorithm == "hierarchical" {
        "scale_up = { hosts_per_server = 2, link = { rate = '900Gbps', delay = '50ns' } }\n"
    } else {
        ""
    };
    let rows = matrix.iter().map(|row| row.iter().map(u32::to_string).collect::<Vec<_>>().join(",") + "\n");
    let simulation = simulation_of(
        &format!(
            "title = 'matrix'\ntopology = {{ kind = 'star', hosts = 6, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
             {servers}transport.raw = {{ kind = 'constant_rate' }}\n\
             switch = [{{ total = '10MB', buffer = {{ policy = 'complete_sharing' }} }}]\n\
             workload = [{{ kind = 'collective', transport = 'raw', operation = 'all_to_all', iterations = 2, \
             algorithm = '{algorithm}', matrix = 'bytes.csv' }}]"
        ),
        &[],
        &Files::from([("bytes.csv".to_owned(), rows.collect())]),
    );
    let report = report(&simulation, PLAIN);
    assert_eq!(report.totals.collectives[0].finished, 2);
    assert_eq!(report.collectives.flows, [report.totals.flows_started / 2; 2]);
    let mut sent = BTreeMap::new();
    for row in &report.flows.rows {
        let host = |adapter| simulation.network().servers.map_or(adapter, |servers| servers.host_of(adapter));
        *sent.entry((host(row.source), host(row.destination))).or_default() += row.size.get();
    }
    sent
}

proptest! {
    #![proptest_config(cases(60))]

    /// Each rank sends what its row says, to the byte. Where servers hand on, each sends its own row and hands on what
    /// its server has for its place elsewhere.
    #[test]
    fn ranks_send_what_the_matrix_says(matrix in vec(vec(prop_oneof![Just(0), 1..9_u32, 1..20_000_u32], 6), 6)) {
        prop_assume!((0..6).any(|from| (0..6).any(|to| from != to && matrix[from][to] > 0)));
        let asked = |from: usize, to: usize| u64::from(matrix[from][to]);
        let mut direct = BTreeMap::new();
        let mut handed_on = BTreeMap::new();
        for (from, to) in (0..6).flat_map(|from| (0..6).map(move |to| (from, to))) {
            let neighbour = from ^ 1;
            let bytes = if to == neighbour {
                (0..3).map(|server| asked(from, 2 * server + to % 2)).sum()
            } else if to != from && to % 2 == from % 2 {
                asked(from, to) + asked(neighbour, to)
            } else {
                0
            };
            for (found, bytes) in [(&mut direct, if from == to { 0 } else { asked(from, to) }), (&mut handed_on, bytes)] {
                if bytes > 0 {
                    found.insert((from as NodeId, to as NodeId), 2 * bytes);
                }
            }
        }
        prop_assert_eq!(&sent("direct", &matrix), &direct);
        prop_assert_eq!(&sent("pairwise", &matrix), &direct);
        prop_assert_eq!(&sent("hierarchical", &matrix), &handed_on);
    }
}

/// Hosts in two servers of four, which send as fast as they can, and a fabric of one switch.
fn in_servers(algorithm: &str) -> Simulation {
    simulation(&format!(
        "title = 'servers'\n\
         topology = {{ kind = 'star', hosts = {RANKS}, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         scale_up = {{ hosts_per_server = 4, stride = 2, link = {{ rate = '900Gbps', delay = '50ns' }} }}\n\
         host = {{ delay = '300ns' }}\ntransport.raw = {{ kind = 'constant_rate', payload = '1000B' }}\n\
         switch = [{{ total = '10MB', buffer = {{ policy = 'complete_sharing' }} }}]\n\
         workload = [{{ kind = 'collective', transport = 'raw', size = '{SIZE}B', operation = 'all_reduce', \
         algorithm = '{algorithm}' }}]"
    ))
}

/// Time that `size` bytes take from one host to another while nobody else sends.
fn alone_in(simulation: &Simulation, source: NodeId, destination: NodeId, size: u64) -> Span {
    let [source, destination] = simulation.network().adapters_between(source, destination);
    ideal::of_flow(simulation, source, destination, 0, Bytes::new(size), 0).received
}

/// Each of 14 steps takes as long as the share of one of four rings between two servers. Inside, three rings share a
/// link nine times as fast.
#[test]
fn rings_through_servers_are_as_fast_as_their_adapters_together() {
    let simulation = in_servers("rings");
    let found = report(&simulation, PLAIN).collectives.completion_ns[0];
    let expected = (alone_in(&simulation, 0, 1, SIZE / RANKS / 4) * (2 * (RANKS - 1))).get() / 1000;
    assert!(found.abs_diff(expected) <= 1, "{found}, expected {expected}");
}

/// Of two servers of four, each adapter inside sends three parts of a quarter side by side. Rings of two outside have
/// one rank of each server. Traffic between servers does not go inside, and no rank waits for another.
#[test]
fn what_servers_sum_up_inside_goes_round_outside_in_parts() {
    let simulation = in_servers("hierarchical");
    let report = report(&simulation, PLAIN);
    let network = simulation.network();
    let alone = |source, destination, size| alone_in(&simulation, source, destination, size);
    // The packets of the three follow one another on the link of their source.
    let inside = alone(0, 2, 3 * SIZE / 4);
    let around = alone(0, 1, SIZE / RANKS);
    let expected = (inside + around + around + inside).get() / 1000;
    let found = report.collectives.completion_ns[0];
    assert!(found.abs_diff(expected) <= 1, "{found}, expected {expected}");
    let of_link = |name: &str| {
        let node = network.names().find(name).unwrap();
        report.ports.packets[network.ports.first(node) as usize]
    };
    assert_eq!(of_link("host3"), 2 * SIZE / RANKS / 1000);
    assert_eq!(of_link("host3/scale_up"), 2 * 3 * SIZE / 4 / 1000);
}
