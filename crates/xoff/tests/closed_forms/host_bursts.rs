//! Effects of TSO, GRO and interrupt moderation: on a flow alone, to the picosecond, and on the threshold that a switch
//! needs.
//!
//! The threshold is held against the testbed of BCC (APNet 2017, figure 1; baiwei0427/BCC-APNet-Latex,
//! `data/throughput_ecn_threshold.m`).

use xoff::Simulation;
use xoff::internals::engine::{Outcome, Quantity};
use xoff::units::Bytes;
use xoff::units::{Rate, Span};

use crate::{Measured, mean, measured, recorded, run, simulation};

/// Time that the first packet waits for an interrupt, unless 32 have come.
const WAIT: Span = Span::from_microseconds(100);

/// Runs one flow between hosts that are interrupted every 32 packets or 100 us.
fn interrupted(size: &str, receive_offload: &str) -> (Simulation, Outcome) {
    let simulation = simulation(&format!(
        "title = 'interrupts'\n\
         topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
         host = {{ small_queue = '1MB', interrupt_moderation = {{ time = '100us', packets = 32 }}{receive_offload} }}\n\
         transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }}, initial_window = 1000 }}\n\
         workload = [{{ kind = 'long_lived', transport = 'tcp', size = '{size}', pairs = [['host0', 'host1']] }}]"
    ));
    let outcome = run(&simulation);
    (simulation, outcome)
}

fn the_flow<'a>(simulation: &'a Simulation, outcome: &'a Outcome) -> Measured<'a> {
    measured(simulation, outcome).next().expect("one flow")
}

#[test]
fn a_packet_alone_waits_as_long_as_it_may_on_both_ways() {
    let (simulation, outcome) = interrupted("1460B", "");
    let flow = the_flow(&simulation, &outcome);
    assert_eq!(flow.received, flow.ideal.received + WAIT);
    assert_eq!(flow.finished, flow.ideal.finished + WAIT * 2);
}

/// Of 64 packets the 32nd and the last interrupt the receiver at once. The first acknowledgement waits at the sender,
/// and the others come meanwhile.
#[test]
fn an_interrupt_is_acknowledged_once_if_its_segments_join() {
    let packets_before_the_last_interrupt = Rate::from_gbps(10).transmission_time(Bytes::new(1538)) * 32;
    for (receive_offload, acknowledgements) in
        [(", receive_offload = '64kB'", 2), (", receive_offload = '23360B'", 4)]
    {
        let (simulation, outcome) = interrupted("93440B", receive_offload);
        let flow = the_flow(&simulation, &outcome);
        assert_eq!(outcome.hosts[1].counters.acknowledgements_sent, acknowledgements);
        assert_eq!(flow.received, flow.ideal.received);
        assert_eq!(flow.finished + packets_before_the_last_interrupt, flow.ideal.finished + WAIT);
    }
}

/// Runs one flow of 64 packets or another size between hosts with these keys, over links of 10 Gb/s.
fn polled(size: &str, host: &str) -> (Simulation, Outcome) {
    let simulation = simulation(&format!(
        "title = 'polls'\n\
         topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
         host = {{ small_queue = '1MB', {host} }}\n\
         transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }}, initial_window = 1000 }}\n\
         workload = [{{ kind = 'long_lived', transport = 'tcp', size = '{size}', pairs = [['host0', 'host1']] }}]"
    ));
    let outcome = run(&simulation);
    (simulation, outcome)
}

#[test]
fn a_packet_that_finds_hosts_idle_never_waits_for_a_poll() {
    let (simulation, outcome) = polled("1460B", "poll_time = '10us', receive_offload = '64kB'");
    let flow = the_flow(&simulation, &outcome);
    assert_eq!((flow.received, flow.finished), (flow.ideal.received, flow.ideal.finished));
}

/// The first of 64 packets is polled alone. Eight or nine come in each poll of 10 us, 1230.4 ns apart, and the next
/// poll brings them. The last comes 77.5152 us after the first, and is there with the poll after 80 us: the ninth.
#[test]
fn what_comes_during_a_poll_is_acknowledged_once_if_its_segments_join() {
    let waits = Span::from_microseconds(80) - Span::new(63 * 1_230_400);
    for (receive_offload, acknowledgements) in [(", receive_offload = '64kB'", 9), ("", 64)] {
        let (simulation, outcome) = polled("93440B", &format!("poll_time = '10us'{receive_offload}"));
        let flow = the_flow(&simulation, &outcome);
        assert_eq!(outcome.hosts[1].counters.acknowledgements_sent, acknowledgements);
        assert_eq!(flow.received, flow.ideal.received + waits);
        assert!(flow.finished >= flow.ideal.finished + waits);
    }
}

#[test]
fn without_a_poll_that_takes_time_nothing_joins() {
    let (simulation, outcome) = polled("93440B", "receive_offload = '64kB'");
    let flow = the_flow(&simulation, &outcome);
    assert_eq!(outcome.hosts[1].counters.acknowledgements_sent, 64);
    assert_eq!((flow.received, flow.finished), (flow.ideal.received, flow.ideal.finished));
}

/// Share of its link that the receiver gets, with 16 flows from two senders, a round trip of 30 us and this threshold.
fn share_of_the_link(algorithm: &str, threshold_kb: u32, bursts: &str) -> f64 {
    let simulation = simulation(&format!(
        "title = 'BCC, Figure 1'\n\
         topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         host = {{ delay = '6500ns', jitter = true{bursts} }}\n\
         switch = [{{ total = '16MB', buffer = {{ policy = 'complete_sharing' }}, \
         marking.queue = {{ kind = 'threshold', threshold = '{threshold_kb}kB' }} }}]\n\
         transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = '{algorithm}' }} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'tcp', flows_per_pair = 8, stagger = '10us', \
         pairs = [['host1', 'host0'], ['host2', 'host0']] }}]\n\
         stop.at = '50ms'\nobserve.throughput = {{ every = '1ms', of = ['switch0.port0'] }}"
    ));
    let outcome = run(&simulation);
    let warm_up = Span::from_milliseconds(10);
    let throughput = recorded(&simulation, &outcome, Quantity::Throughput, "switch0.port0", warm_up);
    mean(&throughput) / 1e11
}

/// 375 kB are in flight on the empty path.
#[test]
fn without_bursts_the_threshold_of_theory_is_enough() {
    assert!(share_of_the_link("dctcp", 94, "") >= 0.99);
    assert!(share_of_the_link("ecn_star", 375, "") >= 0.99);
}

#[test]
fn bursts_need_more_threshold_and_halving_needs_most() {
    let bursts =
        ", segmentation_offload = '64kB', receive_offload = '64kB', interrupt_moderation = { time = '20us' }";
    let shares = |algorithm| [50, 100, 250].map(|threshold| share_of_the_link(algorithm, threshold, bursts));
    let (dctcp, ecn_star) = (shares("dctcp"), shares("ecn_star"));
    assert!((0.75..0.95).contains(&(dctcp[1] / dctcp[2])), "{dctcp:?}");
    assert!(dctcp.is_sorted() && ecn_star.is_sorted(), "{dctcp:?} {ecn_star:?}");
    assert!(ecn_star.iter().zip(&dctcp).all(|(ecn_star, dctcp)| ecn_star <= dctcp), "{ecn_star:?} {dctcp:?}");
}
