//! Time of a flow alone, to the picosecond, which follows from its path and its packets.
//!
//! The time is computed here once more, packet by packet and link by link, so that `ideal` is not its own judge.

use xoff::Files;
use xoff::units::{Bytes, Rate, Span};

use crate::common::simulation_of;
use crate::{measured, run};

const SIZES: [u64; 8] = [1, 999, 1_460, 1_461, 2_920, 2_921, 64_000, 1_000_000];

const STAR: &str = "topology = { kind = 'star', hosts = 2, host_link = { rate = '10Gbps', delay = '1us' } }";
const LEAF_SPINE: &str = "topology = { kind = 'leaf_spine', leaves = 2, spines = 2, hosts_per_leaf = 1, \
    host_link = { rate = '25Gbps', delay = '1us' }, fabric_link = { rate = '100Gbps', delay = '700ns' } }";
/// Path with faster, slower and faster links again, at rates at which a byte is not a whole number of picoseconds.
const MIXED: &str = "topology = { kind = 'custom', hosts = ['host0', 'host1'], switches = ['r', 's', 't'], links = [\
    { between = ['host0', 'r'], rate = '25Gbps', delay = '3ns' }, \
    { between = ['r', 's'], rate = '7Gbps', delay = '2us' }, \
    { between = ['s', 't'], rate = '3Gbps', delay = '0ns' }, \
    { between = ['t', 'host1'], rate = '40Gbps', delay = '5us' }] }";

/// Path whose links have other rates the other way, some of them lower for acknowledgements than for data.
const ASYMMETRIC: &str = "topology = { kind = 'dumbbell', left = 1, right = 1, \
    host_link = { rate = '10Gbps', rate_back = '25Gbps', delay = '1us' }, \
    middle_link = { rate = '5Gbps', rate_back = '7Gbps', delay = '2us' }, \
    links = [{ between = ['right', 'host1'], rate = '3Gbps', rate_back = '40Gbps' }] }";

/// Runs flows with windows, memory and timeouts so large that nothing holds them back.
fn alone(topology: &str, transport: &str, host: &str) {
    let rows = SIZES.iter().enumerate().map(|(index, size)| {
        let (source, destination) = (index % 2, 1 - index % 2);
        format!("host{source},host{destination},{size},{},0\n", index * 20_000_000)
    });
    let trace = format!("source,destination,size_bytes,start_ns,priority\n{}", rows.collect::<String>());
    let text = format!(
        "title = 'alone'\n{topology}\nhost = {{ {host} }}\ntransport.only = {{ {transport} }}\n\
         switch = [{{ total = '1GB', buffer = {{ policy = 'complete_sharing' }} }}]\n\
         workload = [{{ kind = 'trace', transport = 'only', file = 'flows.csv' }}]"
    );
    let simulation = simulation_of(&text, &[], &Files::from([("flows.csv".to_owned(), trace)]));
    let outcome = run(&simulation);
    assert_eq!(measured(&simulation, &outcome).count(), SIZES.len());
    for flow in measured(&simulation, &outcome) {
        let size = flow.flow.flow.size;
        assert_eq!(flow.received, flow.ideal.received, "{size:?} received, {topology} {transport} {host}");
        assert_eq!(flow.finished, flow.ideal.finished, "{size:?} finished, {topology} {transport} {host}");
    }
}

fn alone_everywhere(transport: &str) {
    for topology in [STAR, LEAF_SPINE, MIXED, ASYMMETRIC] {
        for host in
            ["", "delay = '18us'", "small_queue = '1MB', delay = '1ps'", "segmentation_offload = '64kB'"]
        {
            alone(topology, transport, host);
        }
    }
}

const TCP: &str = "kind = 'tcp', congestion_control = { algorithm = 'reno' }, initial_window = 100000, \
                   minimum_rto = '15ms'";

#[test]
fn a_lone_flow_of_tcp_takes_the_ideal_time() {
    alone_everywhere(TCP);
}

/// A last packet of one byte comes so soon after the one before that their acknowledgements meet.
#[test]
fn a_lone_flow_with_delayed_acknowledgements_takes_the_ideal_time() {
    for every in [2, 3] {
        alone_everywhere(&format!("{TCP}, acknowledge_every = {every}"));
    }
}

/// Ten segments fill a sixth of this path. The first flow opens the window, and the second finds it open. For the
/// third, the connection was idle for longer than its timeout.
#[test]
fn a_flow_on_a_connection_that_was_just_used_takes_the_ideal_time() {
    let trace = "source,destination,size_bytes,start_ns,priority\n\
                 host0,host1,1000000,0,0\nhost0,host1,1000000,5000000,0\nhost0,host1,1000000,20000000,0\n";
    let text = format!(
        "title = 'persistent'\n{STAR}\nhost = {{ delay = '18us' }}\n\
         transport.only = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }}, connections = 'persistent' }}\n\
         switch = [{{ total = '1GB', buffer = {{ policy = 'complete_sharing' }} }}]\n\
         workload = [{{ kind = 'trace', transport = 'only', file = 'flows.csv' }}]"
    );
    let simulation = simulation_of(&text, &[], &Files::from([("flows.csv".to_owned(), trace.to_owned())]));
    let outcome = run(&simulation);
    let flows: Vec<_> = measured(&simulation, &outcome).collect();
    assert_eq!(flows[1].finished, flows[1].ideal.finished);
    assert!(flows[0].finished > flows[0].ideal.finished);
    assert_eq!(flows[2].finished, flows[0].finished);
}

#[test]
fn a_lone_queue_pair_takes_the_ideal_time() {
    alone_everywhere("kind = 'roce'");
    alone_everywhere("kind = 'roce', acknowledge_every = 3");
    alone_everywhere("kind = 'roce', payload = '100B', acknowledgement = '300B'");
    alone_everywhere("kind = 'roce', recovery = { kind = 'selective_repeat', window = '1MB' }");
    alone_everywhere("kind = 'roce', congestion_control = { algorithm = 'dcqcn' }");
}

/// A SYN goes there and its answer comes back before the data.
#[test]
fn a_lone_flow_that_opens_its_connection_takes_the_ideal_time() {
    alone_everywhere(&format!("{TCP}, handshake = true"));
    alone_everywhere(&format!("{TCP}, handshake = true, timestamps = false, acknowledge_every = 3"));
    alone_everywhere(&format!("{TCP}, handshake = true, payload = '100B', acknowledgement = '300B'"));
}

#[test]
fn acknowledgements_larger_than_data_set_the_pace() {
    alone_everywhere(&format!("{TCP}, payload = '100B', acknowledgement = '300B'"));
    alone_everywhere(&format!("{TCP}, payload = '64B', headers = '0B', wire_overhead = '0B'"));
    for every in [2, 3, 7] {
        let roce = format!(
            "kind = 'roce', payload = '100B', acknowledgement = '1500B', acknowledge_every = {every}"
        );
        for topology in [STAR, LEAF_SPINE, MIXED, ASYMMETRIC] {
            alone(topology, &roce, "");
        }
    }
}

#[test]
fn a_lone_constant_rate_flow_takes_the_ideal_time() {
    alone_everywhere("kind = 'constant_rate'");
    alone_everywhere("kind = 'constant_rate', rate = '2Gbps'");
    alone_everywhere("kind = 'constant_rate', rate = '5Gbps'");
    alone_everywhere("kind = 'constant_rate', rate = '90Gbps', payload = '300B'");
}

/// Time when the last bit of the last packet is through. Each packet leaves each link after itself and after the packet
/// before it.
fn packet_by_packet(wires: &[u64], rates: &[Rate], delay: Span) -> Span {
    let mut free = vec![Span::ZERO; rates.len()];
    let mut last = Span::ZERO;
    for &wire in wires {
        last = Span::ZERO;
        for (free, rate) in free.iter_mut().zip(rates) {
            last = last.max(*free) + rate.transmission_time(Bytes::new(wire));
            *free = last;
        }
    }
    last + delay
}

#[test]
fn the_ideal_time_is_that_of_every_packet_on_every_link() {
    let text = format!(
        "title = 'ideal'\n{MIXED}\nhost.delay = '4us'\ntransport.only = {{ {TCP} }}\n\
         workload = [{{ kind = 'permutation', transport = 'only', size = '1B' }}]"
    );
    let simulation = crate::simulation(&text);
    let there = [25, 7, 3, 40].map(Rate::from_gbps);
    let back = [40, 3, 7, 25].map(Rate::from_gbps);
    let delay = Span::from_nanoseconds(3 + 2_000 + 5_000 + 8_000);
    for size in [1, 1_460, 1_461, 40_000, 64_000, 1_000_000_u64] {
        let payloads = (0..size.div_ceil(1_460)).map(|packet| (size - packet * 1_460).min(1_460));
        let wires: Vec<u64> = payloads.map(|payload| payload + 58 + 20).collect();
        let ideal = xoff::internals::ideal::of_flow(&simulation, 0, 1, 0, Bytes::new(size), 0);
        assert_eq!(ideal.received, packet_by_packet(&wires, &there, delay), "{size}");
        if wires.len() == 1 {
            let acknowledged = packet_by_packet(&[84], &back, delay);
            assert_eq!(ideal.finished, ideal.received + acknowledged, "{size}");
        }
        assert_eq!(ideal.base_round_trip, delay * 2);
        assert_eq!(ideal.bottleneck, Rate::from_gbps(3));
    }
}
