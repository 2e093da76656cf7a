//! Congestion controls by delay or telemetry, against the claims of their papers.

use xoff::Simulation;
use xoff::internals::engine::Quantity;
use xoff::units::{Span, Time};

use crate::{mean, measured, most, recorded, run, simulation, validate};

/// Hosts at 100 Gb/s around a switch, with a round trip of 8 us, and endless flows from the others to `host0`.
fn senders(algorithm: &str, flows: usize, rest: &str) -> Simulation {
    let pairs: Vec<String> = (1..=flows).map(|host| format!("['host{host}', 'host0']")).collect();
    simulation(&format!(
        "title = 'senders'\n\
         topology = {{ kind = 'star', hosts = {}, host_link = {{ rate = '100Gbps', delay = '2us' }} }}\n\
         transport.roce = {{ kind = 'roce', control_priority = 0, congestion_control = {{ algorithm = '{algorithm}' }} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'roce', pairs = [{}] }}]\n{rest}",
        flows + 1,
        pairs.join(", ")
    ))
}

/// Shares of the bottleneck over the second half of so many milliseconds, flow by flow.
fn shares(algorithm: &str, flows: usize, milliseconds: u64) -> Vec<f64> {
    let sent_by = |microseconds: u64| {
        let outcome = run(&senders(algorithm, flows, &format!("stop.at = '{microseconds}us'")));
        let hosts = outcome.hosts[1..].iter();
        hosts.map(|host| host.port().wire_bytes_by(Time::MAX).as_f64()).collect::<Vec<_>>()
    };
    let (half, whole) = (sent_by(milliseconds * 500), sent_by(milliseconds * 1000));
    let seconds = milliseconds as f64 * 0.5e-3;
    half.iter().zip(whole).map(|(half, whole)| (whole - half) * 8.0 / seconds / 100e9).collect()
}

/// Share of a link at which each aims. HPCC aims at 0.95, the others at all of it.
const AIMS: [(&str, f64); 6] = [
    ("hpcc", 0.95),
    ("power_tcp", 1.0),
    ("theta_power_tcp", 1.0),
    ("swift", 1.0),
    ("nscc", 1.0),
    ("timely", 1.0),
];

#[test]
fn a_lone_flow_fills_its_link() {
    for (algorithm, aim) in AIMS {
        validate(&format!("{algorithm}, one flow: share"), aim, shares(algorithm, 1, 4)[0], 0.01);
    }
}

/// TIMELY has no point at which it settles ("ECN or Delay", CoNEXT 2016). HPCC is slow: its flows add 80 bytes each
/// round trip. One more packet in the queue that they measure takes away much more.
#[test]
fn flows_share_their_bottleneck_evenly() {
    for (algorithm, aim) in &AIMS[..5] {
        for flows in [2, 8] {
            let shares = shares(algorithm, flows, 20);
            let (sum, squares) = shares
                .iter()
                .fold((0.0, 0.0), |(sum, squares), share| (sum + share, squares + share * share));
            validate(&format!("{algorithm}, {flows} flows: share of the link"), *aim, sum, 0.03);
            let jain = sum * sum / (squares * flows as f64);
            validate(&format!("{algorithm}, {flows} flows: Jain's index"), 1.0, jain, 0.025);
        }
    }
}

/// Queue of so many flows' bottleneck behind such a switch, from `from` until 20 ms.
fn queue_of(algorithm: &str, flows: usize, switch: &str, from: Span) -> Vec<f64> {
    let rest = format!(
        "switch = [{{ {switch} }}]\nstop.at = '20ms'\n\
         observe.queues = {{ every = '1us', of = ['switch0.port0'] }}"
    );
    let simulation = senders(algorithm, flows, &rest);
    let outcome = run(&simulation);
    recorded(&simulation, &outcome, Quantity::Queue, "switch0.port0", from)
}

/// Longest queue of eight flows' bottleneck in the last 15 of 20 ms.
fn settled_queue(algorithm: &str, marking: &str) -> f64 {
    most(&queue_of(algorithm, 8, marking, Span::from_milliseconds(5)))
}

/// Figure 11 of HPCC claims this. DCQCN is marked between 100 and 400 kB, as HPCC's authors mark it at this rate.
#[test]
fn hpcc_leaves_no_queue_once_an_incast_has_settled() {
    let marking = "marking.queue = { kind = 'red', minimum = '100kB', maximum = '400kB', probability = 0.2 }";
    let (hpcc, dcqcn) = (settled_queue("hpcc", ""), settled_queue("dcqcn", marking));
    validate("HPCC, eight flows: longest queue in kB once settled", 0.0, hpcc / 1e3, 15.0);
    assert!(hpcc < dcqcn / 5.0, "{hpcc} under HPCC and {dcqcn} under DCQCN");
}

/// By equation 7 a queue of the sum of what the flows add, beta each, stays where nothing else disturbs it: four
/// fiftieths of the bandwidth-delay product. Algorithm 1 remembers the window once a round trip, which is up to a round
/// trip too late. So the queue swings, and with so small a beta it runs empty.
#[test]
fn power_tcp_settles_where_it_remembers_the_window_of_every_packet() {
    let measured_of = |old_window: &str| {
        let flows = (1..=4).map(|host| {
            format!(
                "{{ kind = 'long_lived', transport = 'roce', start = '{}us', pairs = [['host{host}', 'host0']] }}",
                377 * host
            )
        });
        let simulation = simulation(&format!(
            "title = 'senders'\n\
             topology = {{ kind = 'star', hosts = 5, host_link = {{ rate = '100Gbps', delay = '2us' }} }}\n\
             transport.roce = {{ kind = 'roce', congestion_control = {{ algorithm = 'power_tcp', \
             expected_flows = 50, old_window = '{old_window}' }} }}\n\
             workload = [{}]\nstop.at = '10ms'\n\
             observe.queues = {{ every = '1us', of = ['switch0.port0'] }}\n\
             observe.throughput = {{ every = '1ms', of = ['switch0.port0'] }}",
            flows.collect::<Vec<_>>().join(", ")
        ));
        let outcome = run(&simulation);
        let of =
            |quantity| recorded(&simulation, &outcome, quantity, "switch0.port0", Span::from_milliseconds(4));
        (mean(&of(Quantity::Throughput)) / 1e9, most(&of(Quantity::Queue)) / 1e3)
    };
    let (throughput, queue) = measured_of("sent");
    validate("PowerTCP, four flows, windows of packets: Gb/s", 100.0, throughput, 0.1);
    assert!(queue < 2.0 * 8.2, "{queue} kB");
    let (throughput, queue) = measured_of("round_trip");
    assert!(throughput < 98.0 && queue > 100.0, "{throughput} Gb/s, {queue} kB");
}

/// Data grows by 42 bytes for telemetry, and its acknowledgements too. A lone packet takes exactly the time of these
/// bytes more.
#[test]
fn telemetry_takes_room_in_frames() {
    for (algorithm, added) in [("hpcc", 42), ("timely", 0)] {
        let simulation = simulation(&format!(
            "title = 'one packet'\n\
             topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
             transport.roce = {{ kind = 'roce', congestion_control = {{ algorithm = '{algorithm}' }} }}\n\
             workload = [{{ kind = 'long_lived', transport = 'roce', pairs = [['host0', 'host1']], size = '1000B' }}]"
        ));
        let outcome = run(&simulation);
        let flow = measured(&simulation, &outcome).next().expect("it finishes");
        let (packet, acknowledgement) = (1000 + 62 + added + 20, 66 + added + 20);
        let expected = Span::from_microseconds(4) + Span::new(2 * 80 * (packet + acknowledgement));
        assert_eq!((flow.finished, flow.ideal.finished), (expected, expected), "{algorithm}");
    }
}

/// Microseconds that two flows of Swift wait in the queue of `host0`, once their windows have settled.
fn wait_under_swift(senders: [&str; 2]) -> f64 {
    let simulation = simulation(&format!(
        "title = 'paths'\n\
         topology = {{ kind = 'leaf_spine', leaves = 2, spines = 1, hosts_per_leaf = 3, \
         host_link = {{ rate = '100Gbps', delay = '1us' }}, fabric_link = {{ rate = '400Gbps', delay = '1us' }} }}\n\
         transport.roce = {{ kind = 'roce', control_priority = 0, congestion_control = {{ algorithm = 'swift', \
         base_target = '20us', target_per_switch = '3us', target_range = '0s' }} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'roce', pairs = [['{}', 'host0'], ['{}', 'host0']] }}]\n\
         stop.at = '10ms'\n\
         observe.queues = {{ every = '1us', of = ['leaf0.port0'] }}",
        senders[0], senders[1]
    ));
    let outcome = run(&simulation);
    let queue = recorded(&simulation, &outcome, Quantity::Queue, "leaf0.port0", Span::from_milliseconds(2));
    // 1086 B of frame are 1106 on the wire, of 80 ps each.
    mean(&queue) * 1106.0 / 1086.0 * 80e-6
}

/// The target is 20 us and 3 us for each switch, less 2 us for each link and the time of 1106 B and 86 B on it.
#[test]
fn swift_lets_queues_grow_with_the_switches_of_a_flow_s_own_path() {
    let on_links = |at_100: f64, at_400: f64| (at_100 + at_400 / 4.0) * (1106.0 + 86.0) * 80e-6;
    let near = 20.0 + 3.0 - 4.0 - on_links(2.0, 0.0);
    let far = 20.0 + 9.0 - 8.0 - on_links(2.0, 2.0);
    validate("Swift, past one switch: wait in us", near, wait_under_swift(["host1", "host2"]), 0.5);
    validate("Swift, past three switches: wait in us", far, wait_under_swift(["host3", "host4"]), 0.5);
}

/// Base round trips that flows of NSCC wait in the queue of `host0`, once their windows have settled, on a link of 100
/// Gb/s with such a switch.
fn wait_under_nscc(flows: usize, switch: &str) -> (f64, f64) {
    let queue = queue_of("nscc", flows, switch, Span::from_milliseconds(10));
    // 1086 B of frame are 1106 on the wire, of 80 ps each.
    let base_rtt = 8.0 + 2.0 * 80e-6 * (1106.0 + 86.0);
    let waits = |bytes: f64| bytes * 1106.0 / 1086.0 * 80e-6 / base_rtt;
    (waits(mean(&queue)), waits(most(&queue)))
}

/// Without marks, two flows have their largest windows, of one and a half bandwidth-delay products each, headers apart.
/// One of the three is on the way, and two wait.
#[test]
fn nscc_without_marks_has_its_largest_windows() {
    let (mean, _) = wait_under_nscc(2, "");
    validate("NSCC, two flows, no marks: wait in base round trips", 3.0 * 1106.0 / 1024.0 - 1.0, mean, 0.05);
}

/// Marking begins below the target. Windows that are marked below it stay as they are, except for their increase in
/// each round trip, and those above it are cut. So the queue takes as long as the target, which is the base round trip.
#[test]
fn nscc_with_marks_holds_the_queue_at_its_target() {
    for flows in [2, 8, 16] {
        for threshold in [20, 80] {
            let marking = format!("marking.queue = {{ kind = 'threshold', threshold = '{threshold}kB' }}");
            let (mean, most) = wait_under_nscc(flows, &marking);
            validate(
                &format!("NSCC, {flows} flows, {threshold} kB: wait in base round trips"),
                1.0,
                mean,
                0.05,
            );
            assert!(most < 1.1, "{most}");
        }
    }
}
