//! Load balancing against known results: it changes nothing where links are fast enough, and several slow links are as
//! good as one fast.

use xoff::Simulation;
use xoff::internals::host::SprayingCounters;
use xoff::internals::port::Port;
use xoff::internals::switch::Switch;
use xoff::units::Rate;

use crate::{measured, run, simulation, validate};

const BALANCED: [&str; 4] = [
    "routing = 'packet_spraying'",
    "routing = 'adaptive'",
    "routing = 'flowlet'",
    "routing = 'adaptive_flowlet', flowlet_gap = '10us'",
];

/// Two leaves with four hosts each and four spines between them, whose flows begin together. A flow of `steady` fills
/// 24/25 of 25 Gbps.
fn between_leaves(routing: &str, host_rate: &str, flows: &str, rest: &str) -> Simulation {
    simulation(&format!(
        "title = 'balanced'\n\
         topology = {{ kind = 'leaf_spine', leaves = 2, spines = 4, hosts_per_leaf = 4, {routing}, \
         host_link = {{ rate = '{host_rate}', delay = '1us' }}, \
         fabric_link = {{ rate = '25Gbps', delay = '700ns' }} }}\n\
         switch = [{{ total = '1GB', buffer = {{ policy = 'complete_sharing' }} }}]\n\
         transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }}, initial_window = 100000 }}\n\
         transport.patient = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }}, initial_window = 100000, \
         duplicate_threshold = 1000 }}\n\
         transport.burst = {{ kind = 'constant_rate' }}\n\
         transport.steady = {{ kind = 'constant_rate', rate = '24Gbps' }}\n\
         workload = [{{ kind = 'long_lived', {flows} }}]\n{rest}"
    ))
}

/// Uplinks of the first leaf, one for each spine.
fn uplinks(switches: &[Switch]) -> &[Port] {
    &switches[0].ports()[4..]
}

#[test]
fn a_flow_alone_on_links_as_fast_as_its_own_takes_the_ideal_time_of_ecmp() {
    for transport in ["tcp", "burst"] {
        let flows = format!("transport = '{transport}', pairs = [['host0', 'host4']], size = '1MB'");
        let of = |routing: &str| {
            let simulation = between_leaves(routing, "25Gbps", &flows, "");
            let outcome = run(&simulation);
            let flow = measured(&simulation, &outcome).next().expect("it finishes");
            (flow.finished, flow.ideal)
        };
        let (_, by_ecmp) = of("routing = 'ecmp'");
        for routing in BALANCED {
            let (finished, ideal) = of(routing);
            assert_eq!(finished, by_ecmp.finished, "{transport}, {routing}");
            assert_eq!(ideal.finished, by_ecmp.finished, "{transport}, {routing}");
            assert_eq!(ideal.base_round_trip, by_ecmp.base_round_trip);
        }
    }
}

/// 10 MB at 100 Gbps over four links of 25 Gbps.
#[test]
fn slow_links_side_by_side_are_one_fast_one() {
    let slowdown = |routing: &str| {
        let flows = "transport = 'burst', pairs = [['host0', 'host4']], size = '10MB'";
        let simulation = between_leaves(routing, "100Gbps", flows, "");
        let outcome = run(&simulation);
        let flow = measured(&simulation, &outcome).next().expect("it finishes");
        (flow.finished.as_seconds() / flow.ideal.finished.as_seconds(), flow.ideal.bottleneck)
    };
    assert_eq!(slowdown("routing = 'ecmp'"), (1.0, Rate::from_gbps(25)));
    let (adaptive, together) = slowdown("routing = 'adaptive'");
    assert_eq!(together, Rate::from_gbps(100));
    validate("adaptive routing over four slow links, slowdown", 1.0, adaptive, 0.005);
    // At random the longest of four queues is some packets longer than the mean: 2568 of 10272, give or take 44.
    let (sprayed, _) = slowdown("routing = 'packet_spraying'");
    validate("packet spraying over four slow links, slowdown", 1.03, sprayed, 0.03);
}

/// A short last packet may overtake the one before it, so that a flow alone is done sooner than in order.
#[test]
fn nobody_is_faster_than_alone_whatever_overtakes() {
    let mut overtaken = false;
    for (size, host_rate) in (1..8).flat_map(|part| [(part, "100Gbps"), (part, "25Gbps"), (part, "10Gbps")]) {
        for (transport, packets) in [("tcp", 1), ("tcp", 3), ("burst", 2), ("roce", 1), ("patient", 40)] {
            let bytes = packets * 1460 + size * 200;
            let flows = format!("transport = '{transport}', pairs = [['host0', 'host4']], size = '{bytes}B'");
            for routing in BALANCED {
                let simulation = between_leaves(routing, host_rate, &flows, "transport.roce.kind = 'roce'");
                let outcome = run(&simulation);
                let flow = measured(&simulation, &outcome).next().expect("it finishes");
                let in_order =
                    between_leaves("routing = 'ecmp'", host_rate, &flows, "transport.roce.kind = 'roce'");
                let in_order = measured(&in_order, &run(&in_order)).next().expect("it finishes").finished;
                let told = format!("{transport}, {bytes} B, {host_rate}, {routing}");
                assert!(flow.received >= flow.ideal.received, "{told}");
                assert!(flow.finished >= flow.ideal.finished, "{told}");
                overtaken |= flow.finished < in_order;
            }
        }
    }
    assert!(overtaken);
}

/// Four flows of 24 Gbps go over four links of 25 Gbps. By their hashes several would share a link.
#[test]
fn adaptive_routing_gives_every_flow_its_rate() {
    let worst = |routing: &str| {
        let pairs =
            "pairs = [['host0', 'host4'], ['host1', 'host5'], ['host2', 'host6'], ['host3', 'host7']]";
        let flows = format!("transport = 'steady', {pairs}, size = '2MB'");
        let simulation = between_leaves(routing, "25Gbps", &flows, "");
        let outcome = run(&simulation);
        let slowdowns = measured(&simulation, &outcome)
            .map(|flow| flow.finished.as_seconds() / flow.ideal.finished.as_seconds());
        slowdowns.fold(0.0, f64::max)
    };
    assert!(worst("routing = 'ecmp'") > 1.9);
    validate("four flows of 24 Gbps over four links of 25, worst slowdown", 1.0, worst(BALANCED[1]), 0.01);
}

/// The longest of four queues is some tens of packets longer than the shortest. So a sender that waits for a thousand
/// packets takes nothing for lost.
#[test]
fn tcp_that_waits_for_more_duplicates_sends_nothing_again() {
    let fared = |transport: &str| {
        let flows = format!("transport = '{transport}', pairs = [['host0', 'host4']], size = '10MB'");
        let simulation = between_leaves("routing = 'packet_spraying'", "100Gbps", &flows, "");
        let outcome = run(&simulation);
        let flow = measured(&simulation, &outcome).next().expect("it finishes");
        (flow.flow.repairs.retransmitted.get(), flow.finished.as_seconds() / flow.ideal.finished.as_seconds())
    };
    assert!(fared("tcp").0 > 0);
    let (retransmitted, slowdown) = fared("patient");
    assert_eq!(retransmitted, 0);
    validate("TCP with a high threshold, sprayed over four slow links, slowdown", 1.03, slowdown, 0.03);
}

#[test]
fn a_flow_without_gaps_is_one_flowlet() {
    let used = |gap: &str| {
        let routing = format!("routing = 'flowlet', flowlet_gap = '{gap}'");
        let flows = "transport = 'steady', pairs = [['host0', 'host4']], size = '1MB'";
        let simulation = between_leaves(&routing, "25Gbps", flows, "");
        let outcome = run(&simulation);
        uplinks(&outcome.switches).iter().filter(|port| port.counters.packets > 0).count()
    };
    // A packet takes 513 ns at 24 Gbps.
    assert_eq!([used("520ns"), used("500ns")], [1, 4]);
}

/// A link that is down holds nothing, and still does not count as least loaded. Only packets on it, and those that
/// waited for it, are lost.
#[test]
fn adaptive_routing_goes_round_a_link_that_fails_before_routing_has_converged() {
    let dropped = |routing: &str| {
        let flows = "transport = 'steady', pairs = [['host0', 'host4']], size = '1MB'";
        let rest =
            "[[link_event]]\nat = '50us'\nbetween = ['leaf0', 'spine0']\nstate = 'down'\nconvergence = '1s'";
        let outcome = run(&between_leaves(routing, "25Gbps", flows, rest));
        outcome.switches.iter().flat_map(Switch::ports).map(|port| port.counters.dropped()).sum::<u64>()
    };
    assert!(dropped("routing = 'packet_spraying'") > 100);
    assert!(dropped("routing = 'adaptive'") <= 2);
}

/// One message between leaves with a spine for every uplink, sprayed by entropies, in switches that trim.
fn sprayed(spraying: &str, rest: &str) -> Simulation {
    simulation(&format!(
        "title = 'sprayed'\n\
         topology = {{ kind = 'leaf_spine', leaves = 2, spines = 4, hosts_per_leaf = 1, \
         host_link = {{ rate = '100Gbps', delay = '1us' }}, fabric_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         transport.uet = {{ kind = 'roce', payload = '4KiB', congestion_control = {{ algorithm = 'nscc' }}, \
         spraying = {{ {spraying} }}, \
         recovery = {{ kind = 'selective_repeat', window = '1MB', reordering = 200, timeout_low = '100us' }} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'uet', pairs = [['host0', 'host1']], size = '8MB' }}]\n{rest}"
    ))
}

#[test]
fn entropies_spread_a_message_evenly_and_change_no_time_where_nothing_waits() {
    let even = f64::from(8_000_000_u32.div_ceil(4096)) / 4.0;
    for algorithm in
        ["algorithm = 'oblivious'", "algorithm = 'reps'", "algorithm = 'oblivious', entropies = 1"]
    {
        let simulation = sprayed(algorithm, "");
        let outcome = run(&simulation);
        let flow = measured(&simulation, &outcome).next().expect("it finishes");
        let sender = &outcome.hosts[0];
        let SprayingCounters { at_random, recycled, freezes } = sender.spraying();
        assert_eq!((at_random + recycled, freezes), (sender.counters.data_sent, 0));
        // REPS draws until the first acknowledgement is there.
        assert_eq!(recycled > at_random, algorithm == "algorithm = 'reps'", "{at_random} {recycled}");
        let packets = |port: &Port| port.counters.packets as f64;
        let ports = outcome.switches[0].ports()[1..].iter().map(packets);
        let most = ports.fold(0.0, f64::max) / even;
        match algorithm {
            "algorithm = 'oblivious'" => {
                validate("oblivious spraying, most by one of four links", 1.0, most, 0.15);
            }
            // What is recycled first goes round and round.
            "algorithm = 'reps'" => assert!(most < 2.0, "{most}"),
            _ => validate("spraying of one entropy, most by one of four links", 4.0, most, 0.001),
        }
        let ideal = flow.ideal.finished.as_seconds();
        validate("a sprayed message alone, slowdown", 1.0, flow.finished.as_seconds() / ideal, 0.01);
    }
}

/// A link fails, and no switch learns of it. A sender that sprays without a memory goes on losing a quarter of its
/// packets, and waits for timeouts.
#[test]
fn recycled_entropies_lead_round_a_link_that_has_failed() {
    let lost = |algorithm: &str| {
        let failed = "[[link_event]]\nat = '100us'\nbetween = ['leaf0', 'spine1']\nstate = 'down'\n\
                      convergence = '1s'\n";
        let simulation = sprayed(algorithm, failed);
        let outcome = run(&simulation);
        let flow = measured(&simulation, &outcome).next().expect("it finishes");
        let freezes = outcome.hosts[0].spraying().freezes;
        assert_eq!(
            freezes,
            u64::from(algorithm.contains("reps") && flow.flow.repairs.timeouts > 0),
            "for 10 ms"
        );
        (flow.flow.repairs.retransmitted.get() / 4096, flow.flow.repairs.timeouts)
    };
    let (oblivious, reps) = (lost("algorithm = 'oblivious'"), lost("algorithm = 'reps'"));
    assert!(oblivious.0 > 5 * reps.0, "{oblivious:?} {reps:?}");
    assert!(oblivious.1 > 10 && reps.1 <= 2, "{oblivious:?} {reps:?}");
}
