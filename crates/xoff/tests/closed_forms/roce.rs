//! RoCE against closed forms: go-back-N on a link that corrupts packets, and DCQCN's shares of a bottleneck.

use xoff::Simulation;
use xoff::internals::engine::Quantity;
use xoff::internals::host::HostCounters;
use xoff::units::Time;

use crate::{measured, ports, run, simulation, validate};

/// Goodput of the only flow, over the most payload that the link carries.
fn goodput(simulation: &Simulation) -> f64 {
    let outcome = run(simulation);
    let flow = measured(simulation, &outcome).next().expect("it finishes");
    flow.flow.flow.size.as_f64() * 8.0 / flow.finished.as_seconds() / (RATE * PAYLOAD / WIRE)
}

/// Two hosts at 40 Gb/s, 5 us apart, by way of a switch.
fn corrupted(error_rate: f64, recovery: &str) -> Simulation {
    simulation(&format!(
        "title = 'errors'\n\
         topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '40Gbps', delay = '2500ns' }}, \
         links = [{{ between = ['host1', 'switch0'], error_rate = {error_rate} }}] }}\n\
         transport.roce = {{ kind = 'roce', {recovery} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'roce', pairs = [['host1', 'host0']], size = '500MB' }}]"
    ))
}

/// Bits on the wire for each packet, and payload bits among them.
const WIRE: f64 = (1024.0 + 62.0 + 20.0) * 8.0;
const PAYLOAD: f64 = 1024.0 * 8.0;
const RATE: f64 = 40e9;

/// Packets from a loss to the first one sent again. The packet after the lost one takes its way there, and the NACK its
/// way back. The packet under way and the one behind it go first.
fn wasted_by_a_loss() -> f64 {
    let packet = WIRE / RATE;
    let nack = (66.0 + 20.0) * 8.0 / RATE;
    let round_trip = 2.0 * packet + 2.0 * nack + 4.0 * 2.5e-6;
    1.0 + round_trip / packet + 1.5
}

/// If the packet that is sent again is lost too, or the NACK, the receiver names the packet again only after 500 us.
#[test]
fn each_loss_wastes_a_round_trip_under_go_back_n() {
    for error_rate in [1e-4, 1e-3, 3e-3] {
        let again = 2.0 * error_rate * 500e-6 / (WIRE / RATE);
        let per_packet = 1.0 + error_rate * (wasted_by_a_loss() + again);
        let measured = goodput(&corrupted(error_rate, ""));
        let what = format!("go-back-N, error rate {error_rate}: share of the goodput without errors");
        validate(&what, 1.0 / per_packet, measured, 0.02);
    }
}

/// At 40 Gb/s a packet takes 221.2 ns. The one under way at 100 us is number 453, the one behind it is made, and one
/// more goes.
#[test]
fn a_queue_pair_that_ends_sends_one_more_packet() {
    let simulation = simulation(
        "title = 'end'\n\
         topology = { kind = 'star', hosts = 2, host_link = { rate = '40Gbps', delay = '2500ns' } }\n\
         transport.roce = { kind = 'roce' }\n\
         workload = [{ kind = 'long_lived', transport = 'roce', pairs = [['host1', 'host0']], end = '100us' }]",
    );
    let outcome = run(&simulation);
    let flow = measured(&simulation, &outcome).next().expect("it finishes");
    assert_eq!(flow.flow.flow.size.get(), (453 + 1 + 1) * 1024);
    assert_eq!(outcome.hosts.iter().map(|host| host.counters.data_delivered).sum::<u64>(), 455);
}

/// There are twenty packets a round trip, with or without a congestion control. The link holds forty-eight.
#[test]
fn a_largest_window_is_sent_once_a_round_trip() {
    let (packet, nack) = (WIRE / RATE, (66.0 + 20.0) * 8.0 / RATE);
    let round_trip = 2.0 * packet + 2.0 * nack + 4.0 * 2.5e-6;
    for control in [
        "",
        "congestion_control = { algorithm = 'dcqcn' }, ",
        "congestion_control = { algorithm = 'timely' }, ",
    ] {
        let goodput = goodput(&corrupted(0.0, &format!("{control}maximum_window = '20480B'")));
        let what = format!("RoCE with a window of 20 packets, {control}share of the goodput without");
        validate(&what, 20.0 * packet / round_trip, goodput, 0.001);
    }
}

/// A loss costs one packet. A packet that was sent again and lost again waits for its timeout, which stops the flow at
/// the end of the window.
#[test]
fn selective_repeat_loses_little_but_what_is_lost() {
    let selective = "recovery = { kind = 'selective_repeat', window = '10MB', timeout_high = '400us' }";
    let what = "selective repeat, error rate 1e-3: share of the goodput without errors";
    validate(what, 1.0 - 1e-3, goodput(&corrupted(1e-3, selective)), 0.005);
}

/// Queues of 64 windows last longer than any timeout of IRN.
#[test]
fn with_pfc_selective_repeat_sends_nothing_twice() {
    let outcome = run(&simulation(
        "topology = { kind = 'star', hosts = 65, host_link = { rate = '1Gbps', delay = '1us' } }\n\
         class = [{ priority = 3, lossless = true }, { priority = 7 }]\n\
         switch = [{ total = '4MB', pfc = {} }]\n\
         transport.irn = { kind = 'roce', recovery = { kind = 'selective_repeat' } }\n\
         workload = [{ kind = 'incast', transport = 'irn', fan_in = 64, size = '200kB', receivers = ['host0'], groups = 1, \
         every = '1ms', priority = 3 }]",
    ));
    let sum =
        |count: fn(&HostCounters) -> u64| outcome.hosts.iter().map(|host| count(&host.counters)).sum::<u64>();
    assert_eq!(sum(|counters| counters.finished), 64);
    assert_eq!(sum(|counters| counters.timeouts), 0);
    assert_eq!(sum(|counters| counters.data_sent), 64 * 200_000_u64.div_ceil(1024));
}

/// 291 packets wait when a flow of one window joins three others. Its first acknowledgement comes after 262 us, later
/// than the timeout for few packets, and earlier than that for many.
#[test]
fn a_window_waits_for_the_longer_timeout_of_selective_repeat() {
    let outcome = run(&simulation(
        "topology = { kind = 'star', hosts = 5, host_link = { rate = '10Gbps', delay = '1us' } }\n\
         switch = [{ total = '16MB', buffer = { policy = 'complete_sharing' } }]\n\
         transport.irn = { kind = 'roce', recovery = { kind = 'selective_repeat', window = '100kB', timeout_low = '100us', \
         timeout_high = '320us' } }\n\
         workload = [\
         { kind = 'long_lived', transport = 'irn', size = '1MB', \
         pairs = [['host1', 'host0'], ['host2', 'host0'], ['host3', 'host0']] }, \
         { kind = 'long_lived', transport = 'irn', size = '99kB', pairs = [['host4', 'host0']], start = '500us' }]",
    ));
    let timeouts = outcome.hosts.iter().map(|host| host.counters.timeouts).sum::<u64>();
    let sent = outcome.hosts.iter().map(|host| host.counters.data_retransmitted).sum::<u64>();
    assert_eq!((timeouts, sent), (0, 0));
}

/// Payload of each of several long flows that share 40 Gb/s, over the last 20 of 60 ms, as shares of the link.
fn shares(flows: usize, preset: &str) -> Vec<f64> {
    let pairs: Vec<String> = (1..=flows).map(|host| format!("['host{host}', 'host0']")).collect();
    let at = |milliseconds: u64| {
        let simulation = simulation(&format!(
            "title = 'shares'\n\
             topology = {{ kind = 'star', hosts = {}, host_link = {{ rate = '40Gbps', delay = '1500ns' }} }}\n\
             switch = [{{ total = '12MB', buffer = {{ policy = 'complete_sharing' }}, marking.queue = {{ kind = 'red', \
             minimum = '5kB', maximum = '200kB', probability = 0.01 }} }}]\n\
             transport.roce = {{ kind = 'roce', congestion_control = {{ algorithm = 'dcqcn', preset = '{preset}' }} }}\n\
             workload = [{{ kind = 'long_lived', transport = 'roce', pairs = [{}] }}]\n\
             stop.at = '{milliseconds}ms'",
            flows + 1,
            pairs.join(", ")
        ));
        let outcome = run(&simulation);
        let sent = outcome.hosts[1..].iter().map(|host| host.port().wire_bytes_by(Time::MAX).as_f64());
        sent.collect::<Vec<_>>()
    };
    let (before, after) = (at(40), at(60));
    before.iter().zip(after).map(|(before, after)| (after - before) * 8.0 / 20e-3 / RATE).collect()
}

/// Figure 8 of the paper shows equal shares.
#[test]
fn dcqcn_shares_a_bottleneck_equally() {
    for flows in [2, 4, 10] {
        let shares = shares(flows, "paper");
        let (sum, squares) =
            shares.iter().fold((0.0, 0.0), |(sum, squares), share| (sum + share, squares + share * share));
        let jain = sum * sum / (squares * flows as f64);
        validate(&format!("DCQCN, {flows} flows: Jain's index"), 1.0, jain, 0.03);
        validate(&format!("DCQCN, {flows} flows: share of the link"), 1.0, sum, 0.07);
    }
}

/// At their least rates, 100 Mb/s each, the queue pairs of a host would send faster than its link.
#[test]
fn timers_of_queue_pairs_that_wait_for_their_turn_are_no_events() {
    let outcome = run(&simulation(
        "topology = { kind = 'star', hosts = 3, host_link = { rate = '10Gbps', delay = '1us' } }\n\
         class = [{ priority = 3, lossless = true }, { priority = 7 }]\n\
         switch = [{ total = '4MB', pfc = {}, marking.queue = { kind = 'threshold', threshold = '10kB' } }]\n\
         transport.roce = { kind = 'roce', congestion_control = { algorithm = 'dcqcn' } }\n\
         workload = [{ kind = 'long_lived', transport = 'roce', pairs = [['host0', 'host2'], ['host1', 'host2']], flows_per_pair = 1000, \
         size = '20kB', priority = 3 }]",
    ));
    assert_eq!(outcome.hosts[0].counters.finished, 1000);
    let hops: u64 = ports(&outcome).map(|port| port.counters.packets).sum();
    let events_per_hop = outcome.events as f64 / hops as f64;
    assert!(events_per_hop < 2.5, "{events_per_hop}");
}

/// Gb/s of its wire that an adapter gives to two classes with so many queue pairs each. The second class has more
/// weight.
fn shares_of_classes(weight: u64, pairs: usize, congestion_control: &str) -> [f64; 2] {
    let workload = |receiver, priority| {
        let pairs = vec![format!("['host1', '{receiver}']"); pairs].join(", ");
        format!("{{ kind = 'long_lived', transport = 'roce', pairs = [{pairs}], priority = {priority} }}")
    };
    let simulation = simulation(&format!(
        "title = 'weights'\n\
         topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         host.scheduler = {{ kind = 'deficit_round_robin', weights = [1, {weight}, 1, 1, 1, 1, 1, 1] }}\n\
         transport.roce = {{ kind = 'roce', control_priority = 7{congestion_control} }}\n\
         workload = [{}, {}]\n\
         stop.at = '2ms'",
        workload("host0", 0),
        workload("host2", 1)
    ));
    let outcome = run(&simulation);
    let ports = outcome.switches[0].ports();
    [0, 2].map(|port: usize| ports[port].wire_bytes_by(Time::MAX).as_f64() * 8.0 / 2e-3 / 1e9)
}

/// The number of a class's queue pairs does not matter, although an adapter holds no more than one packet of each
/// class.
#[test]
fn classes_share_an_adapter_by_weight() {
    for (weight, pairs) in [(1, 1), (4, 1), (4, 5), (9, 3)] {
        for congestion_control in ["", ", congestion_control = { algorithm = 'timely' }"] {
            let shares = shares_of_classes(weight, pairs, congestion_control);
            let what = format!("{weight} to 1, {pairs} queue pairs each{congestion_control}: Gb/s");
            let sum = shares[0] + shares[1];
            assert!(sum > 99.0, "{what}: {shares:?}");
            validate(&what, sum * weight as f64 / (weight + 1) as f64, shares[1], 0.01);
        }
    }
}

/// A flow of class 4 keeps the only packet of class 3 in the adapter for 4 ms.
#[test]
fn the_timer_of_a_packet_that_has_not_left_runs_in_vain() {
    for recovery in ["kind = 'go_back_n', timeout = '1ms'", "kind = 'selective_repeat'"] {
        let simulation = simulation(&format!(
            "title = 'behind a higher class'\n\
             topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
             transport.roce = {{ kind = 'roce', recovery = {{ {recovery} }} }}\n\
             switch = [{{ total = '12MB' }}]\n\
             workload = [\
             {{ kind = 'long_lived', transport = 'roce', pairs = [['host0', 'host1']], size = '50MB', priority = 4 }}, \
             {{ kind = 'long_lived', transport = 'roce', pairs = [['host0', 'host2']], size = '1MB', start = '10us', priority = 3 }}]"
        ));
        let outcome = run(&simulation);
        let finished = measured(&simulation, &outcome);
        let timeouts: Vec<u32> = finished.map(|flow| flow.flow.repairs.timeouts).collect();
        assert_eq!(timeouts, [0, 0], "{recovery}");
    }
}

/// Nine flows are answered before the tenth, whose CNP leaves 45 us late. Its next one leaves 50 us later all the same.
#[test]
fn cnps_of_a_flow_keep_their_distance_although_the_engine_is_busy() {
    let pairs: Vec<String> = (1..10).map(|host| format!("['host{host}', 'host0']")).collect();
    let simulation = simulation(&format!(
        "title = 'a busy engine'\n\
         topology = {{ kind = 'star', hosts = 11, host_link = {{ rate = '40Gbps', delay = '1us' }} }}\n\
         class = [{{ priority = 3, lossless = true }}, {{ priority = 7 }}]\n\
         switch = [{{ total = '12MB', pfc = {{}}, marking.queue = {{ kind = 'threshold', threshold = '1kB' }} }}]\n\
         host.cnp_spacing = '5us'\n\
         transport.d = {{ kind = 'roce', congestion_control = {{ algorithm = 'dcqcn', preset = 'paper' }} }}\n\
         workload = [\
         {{ kind = 'long_lived', transport = 'd', pairs = [{}], size = '12kB', priority = 3 }}, \
         {{ kind = 'long_lived', transport = 'd', pairs = [['host10', 'host0']], start = '2us', priority = 3 }}]\n\
         observe.rates = {{ every = 'change', of = ['host10'] }}\n\
         stop.at = '300us'",
        pairs.join(", ")
    ));
    let outcome = run(&simulation);
    let rates: Vec<(f64, f64)> = (outcome.samples.until(Time::MAX).iter())
        .filter(|row| row.quantity == Quantity::Rate)
        .map(|row| (row.time.as_nanoseconds() as f64 / 1e3, row.value))
        .collect();
    let cuts: Vec<f64> =
        rates.windows(2).filter(|pair| pair[1].1 < pair[0].1).map(|pair| pair[1].0).collect();
    assert!(cuts.len() >= 2 && cuts[0] > 45.0, "{cuts:?}");
    assert!(cuts.windows(2).all(|pair| pair[1] - pair[0] > 49.999), "{cuts:?}");
}
