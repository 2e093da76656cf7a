//! Purposes of queue disciplines: to hold a delay, to hold a length, to let bursts pass.

use xoff::internals::engine::Quantity;
use xoff::units::Span;

use crate::common::{PLAIN, report};
use crate::{mean, recorded, run, simulation, validate};

const PACKET: f64 = 1500.0;

/// Writes long flows of `senders` hosts at 10 Gbps to one at 1 Gbps, with a round trip of 1 ms and this marker on every
/// queue.
fn long_flows(senders: u32, algorithm: &str, marker: &str, release: &str) -> String {
    let pairs: Vec<String> = (1..=senders).map(|sender| format!("['host{sender}', 'host0']")).collect();
    format!(
        "title = 'a queue under a discipline'\n\
         topology = {{ kind = 'star', hosts = {}, host_link = {{ rate = '10Gbps', delay = '246us' }}, \
         links = [{{ between = ['host0', 'switch0'], rate = '1Gbps' }}] }}\n\
         switch = [{{ total = '4MB', buffer = {{ policy = 'complete_sharing' }}, release = '{release}', \
         marking.queue = {{ {marker} }} }}]\n\
         transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = '{algorithm}' }}, payload = '1442B', \
         headers = '58B', wire_overhead = '0B', acknowledgement = '64B', acknowledge_every = 1, minimum_rto = '10ms' }}\n\
         workload = [{{ kind = 'long_lived', transport = 'tcp', pairs = [{}] }}]\n\
         stop.at = '3s'\nobserve.queues = {{ every = '100us', of = ['switch0.port0'] }}",
        senders + 1,
        pairs.join(", "),
    )
}

/// Packets in the queue to the receiver, sample by sample.
fn queue(text: &str) -> Vec<f64> {
    let simulation = simulation(text);
    let warm_up = Span::from_milliseconds(500);
    let queue = recorded(&simulation, &run(&simulation), Quantity::Queue, "switch0.port0", warm_up);
    queue.into_iter().map(|bytes| bytes / PACKET).collect()
}

/// Highest point of each tooth of a saw, which ends where the queue falls below half of its mean.
fn peaks(queue: &[f64]) -> Vec<f64> {
    let middle = mean(queue);
    let (mut peaks, mut peak) = (Vec::new(), 0.0_f64);
    for &packets in queue {
        if packets > middle {
            peak = peak.max(packets);
        } else if packets < middle / 2.0 && peak > 0.0 {
            peaks.push(peak);
            peak = 0.0;
        }
    }
    peaks
}

/// A packet that cannot be marked is admitted while no more than K are before it. So an overloaded port holds K packets
/// and one, or one less. Two senders at 100 Gbps overload a port of 1 Gbps and one of 10 Gbps.
#[test]
fn ports_of_different_rates_hold_thresholds_of_their_own() {
    let simulation = simulation(
        "title = 'thresholds by rate'\n\
         topology = { kind = 'star', hosts = 4, host_link = { rate = '100Gbps', delay = '1us' }, \
         links = [{ between = ['host0', 'switch0'], rate = '1Gbps' }, { between = ['host1', 'switch0'], rate = '10Gbps' }] }\n\
         switch = [{ total = '4MB', marking.queue = { kind = 'threshold', threshold = '30kB' }, \
         marking.at_rate.10Gbps.queue = { kind = 'threshold', threshold = '97500B' } }]\n\
         transport.steady = { kind = 'constant_rate', payload = '1442B', rate = '17Gbps' }\n\
         workload = [{ kind = 'long_lived', transport = 'steady', pairs = [['host2', 'host0'], ['host3', 'host1']] }]\n\
         stop.at = '2ms'\nobserve.queues = { every = '100ns', of = ['switch0.*'] }",
    );
    let outcome = run(&simulation);
    for (port, threshold) in [("switch0.port0", 20.0), ("switch0.port1", 65.0)] {
        let queue = recorded(&simulation, &outcome, Quantity::Queue, port, Span::from_milliseconds(1));
        let lengths: Vec<f64> = queue.iter().map(|bytes| bytes / PACKET).collect();
        assert!(
            lengths.iter().all(|&length| (threshold..=threshold + 1.0).contains(&length)),
            "{port}: {lengths:?}"
        );
    }
}

/// Twenty packets come 123.04 ns apart and leave a shaper of 50 Mb/s, where a byte takes 160 ns, as tokens come. How long
/// each has waited is known, and those that have waited longer than the threshold are marked. Packets of Reno, which cannot
/// be, pass. CoDel's own interval never ends.
#[test]
fn a_threshold_in_time_marks_all_that_have_waited_longer() {
    let waited = |packet: u64| 160_000 * (1514 * (packet + 1) - 1600) - 123_040 * packet;
    for threshold in [Span::ZERO, Span::new(waited(7) - 1), Span::new(waited(7)), Span::new(waited(19))] {
        for algorithm in ["dctcp", "reno"] {
            let simulation = simulation(&format!(
                "title = 'a threshold in time'\n\
                 topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
                 transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = '{algorithm}' }}, headers = '54B', \
                 wire_overhead = '24B', initial_window = 20, minimum_rto = '1s' }}\n\
                 workload = [{{ kind = 'long_lived', transport = 'tcp', size = '29200B', pairs = [['host0', 'host1']] }}]\n\
                 switch = [{{ shapers.host1 = {{ rate = '50Mbps', burst = '1600B' }}, \
                 marking.queue = {{ kind = 'codel', target = '1s', interval = '10s', ce_threshold = '{}ps' }} }}]",
                threshold.get()
            ));
            let outcome = run(&simulation);
            let port = &outcome.switches[0].ports()[1];
            let longer = (1..20).filter(|packet| waited(*packet) > threshold.get()).count() as u64;
            assert_eq!(port.counters.packets, 20);
            assert_eq!(port.counters.marked, if algorithm == "dctcp" { longer } else { 0 }, "{threshold:?}");
        }
    }
}

/// One Reno flow adds a packet to the queue each round. Once the queue holds the target's 25 packets (300 us), the
/// interval of 5 ms runs, in which it grows by about four more. The drop is noticed a round later, and then the window
/// is halved.
#[test]
fn codel_lets_a_greedy_flow_have_the_target_and_no_more() {
    let codel = "kind = 'codel', target = '300us', interval = '5ms'";
    for (algorithm, release) in
        [("reno", "transmission_start"), ("reno", "transmission_end"), ("ecn_star", "transmission_start")]
    {
        let peaks = peaks(&queue(&long_flows(1, algorithm, codel, release)));
        let round = 1e-3 + 27.0 * 12e-6;
        let expected = 25.0 + 5e-3 / round + 1.0;
        let what = format!("CoDel, {algorithm}, {release}: mean peak of {} teeth, in packets", peaks.len());
        validate(&what, expected, mean(&peaks), 0.05 * expected);
    }
}

/// The controller integrates the distance from the reference. As long as its probability is neither 0 nor 1, the
/// samples have the reference for their mean. Gains follow the paper's rule, for 10 flows, 83,333 packets a second and
/// 1.6 ms.
#[test]
fn pi_holds_the_reference() {
    let (flows, capacity, round, sample) = (10.0, 83_333.0, 1.6e-3, 1e-3);
    let zero = 2.0 * flows / (round * round * capacity);
    let plant = f64::powi(round * capacity, 3) / f64::powi(2.0 * flows, 2);
    let gain = zero * (1.0 + (zero * round).powi(2)).sqrt() / plant;
    let (a, b) = (gain * (1.0 / zero + sample / 2.0), gain * (1.0 / zero - sample / 2.0));
    let pi = format!("kind = 'pi', reference = '75kB', a = {a}, b = {b}, interval = '1ms'");
    for algorithm in ["reno", "ecn_star"] {
        let queue = queue(&long_flows(10, algorithm, &pi, "transmission_start"));
        validate(&format!("PI, {algorithm}: mean length, in packets"), 50.0, mean(&queue), 0.05 * 50.0);
    }
}

/// Eight senders answer at once every millisecond: a burst of up to 160 kB, which is gone after an eighth of the time.
#[test]
fn red_on_an_average_lets_bursts_pass() {
    let marked = |weight: &str| {
        let simulation = simulation(&format!(
            "title = 'bursts'\n\
             topology = {{ kind = 'star', hosts = 9, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
             switch = [{{ total = '4MB', marking.queue = {{ kind = 'red', minimum = '30kB', maximum = '90kB', \
             probability = 0.1{weight} }} }}]\n\
             transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'ecn_star' }}, initial_window = 20 }}\n\
             workload = [{{ kind = 'incast', transport = 'tcp', fan_in = 8, size = '20kB', every = '1ms', groups = 100 }}]"
        ));
        report(&simulation, PLAIN).totals.packets.marked
    };
    assert_eq!(marked(", weight = '1/512'"), 0);
    assert!(marked("") > 1_000, "{}", marked(""));
}

/// Two flows of 40 Gbps go into a port of 10 Gbps that drops from 300 kB on. They have about 100 segments each, which
/// RFC 9438 and RFC 5681 let grow by one or less in a round. So it takes thousands of packets to lose one.
#[test]
fn a_full_queue_costs_flows_few_packets() {
    for algorithm in ["reno", "cubic"] {
        let simulation = simulation(&format!(
            "title = 'drop tail'\n\
             topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '40Gbps', delay = '5us' }}, \
             links = [{{ between = ['host2', 'switch0'], rate = '10Gbps' }}] }}\n\
             switch = [{{ total = '300kB', buffer = {{ policy = 'complete_sharing' }} }}]\n\
             transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = '{algorithm}' }} }}\n\
             workload = [{{ kind = 'long_lived', transport = 'tcp', pairs = [['host0', 'host2'], ['host1', 'host2']], \
             stagger = '3ms' }}]\nstop.at = '300ms'"
        ));
        let packets = report(&simulation, PLAIN).totals.packets;
        let lost = packets.dropped as f64 / packets.sent as f64;
        assert!(lost < 0.005, "{algorithm} loses {lost} of its packets");
    }
}
