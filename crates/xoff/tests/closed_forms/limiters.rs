//! Rate limiters of an adapter that receives congestion notification messages: the rate of the flow that they name, and
//! of all others.

use xoff::internals::engine::Outcome;
use xoff::internals::packet::{Header, Packet};
use xoff::network::NodeId;
use xoff::units::{Bytes, Rate, Time};

use crate::{reference, simulation};

/// Runs flows of host 0, with one packet in the adapter at most, on a link of 10 Gb/s until a time in microseconds.
///
/// The first flow gets congestion notification messages at these times, in microseconds, with this feedback.
fn told(transport: &str, flows: u32, until: u64, cnms: &[(u64, u8)]) -> Outcome {
    let simulation = simulation(&format!(
        "topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
         host.small_queue = '1B'\n\
         transport.x = {{ {transport} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'x', pairs = [['host0', 'host1']], flows_per_pair = {flows} }}]\n\
         stop.at = '{until}us'"
    ));
    let culprit = Packet::from(Header { source: 0, destination: 1, ..Header::default() });
    // Not when something else arrives.
    let at = |microseconds| Time::new(microseconds * 1_000_000 + 1);
    let arrive = |&(when, feedback): &(u64, u8)| (at(when), 0 as NodeId, Packet::cnm(&culprit, feedback, 0));
    let cnms: Vec<_> = cnms.iter().map(arrive).collect();
    reference::run_with(&simulation, &cnms).0
}

fn sent(outcome: &Outcome) -> Bytes {
    outcome.hosts[0].port().counters.wire_bytes
}

const PACED: &str = "kind = 'constant_rate', rate = '5Gbps', catch_up = false";
const AT_ONCE: &str = "kind = 'constant_rate'";
const TCP: &str = "kind = 'tcp', congestion_control = { algorithm = 'reno' }, initial_window = 1000";
const ROCE: &str = "kind = 'roce'";

/// The largest cut leaves 65 of 128 parts until the byte counter's first cycle is over, 236 us later.
#[test]
fn a_flow_sends_at_the_rate_of_its_limiter() {
    let limit = Rate::from_gbps(10).as_f64() * 65.0 / 128.0;
    for transport in [AT_ONCE, TCP, ROCE] {
        let outcome = told(transport, 1, 200, &[(0, 63)]);
        let expected = limit * 200e-6 / 8.0;
        let found = sent(&outcome).as_f64();
        assert!((found - expected).abs() <= 3.0 * 1538.0, "{transport}: {found} and not {expected}");
        let rates: Vec<_> = outcome.hosts[0].rates_before(Time::MAX).collect();
        assert_eq!(rates, [(0, Rate::new(5_078_125_000))], "{transport}");
    }
}

/// A flow that is cut below its own rate sends at the limiter's rate, and never makes up for what it could not send.
#[test]
fn a_flow_slower_than_its_limiter_is_not_slowed() {
    let free = sent(&told(PACED, 1, 200, &[]));
    assert_eq!(sent(&told(PACED, 1, 200, &[(0, 63)])), free);
    let cut = sent(&told(PACED, 1, 200, &[(0, 63), (1, 63)])).as_f64();
    let expected = 10e9 * (65.0 / 128.0) * (65.0 / 128.0) * 200e-6 / 8.0;
    assert!((cut - expected).abs() <= 3.0 * 1538.0, "{cut} and not {expected}");
}

#[test]
fn other_flows_have_what_a_limited_one_leaves() {
    for transport in [AT_ONCE, ROCE] {
        let outcome = told(transport, 2, 200, &[(0, 63), (1, 63), (2, 63), (3, 63)]);
        let expected = 10e9 * 200e-6 / 8.0;
        assert!(
            (sent(&outcome).as_f64() - expected).abs() <= 2.0 * 1538.0,
            "{transport}: the wire is never idle"
        );
        let delivered = outcome.hosts[1].counters.data_delivered;
        assert!(delivered > 100, "{transport}: {delivered}");
    }
}

/// Five cycles of fast recovery bring the flow to 9.9 Gb/s, and a few more back to the line rate, where it needs no
/// limiter.
#[test]
fn a_limiter_goes_when_its_flow_is_at_line_rate_again() {
    for transport in [AT_ONCE, ROCE] {
        let outcome = told(transport, 1, 800, &[(0, 25)]);
        assert!(
            outcome.hosts[0].rates_before(Time::MAX).any(|(_, rate)| rate < Rate::from_gbps(10)),
            "{transport}"
        );
        let outcome = told(transport, 1, 1_500, &[(0, 25)]);
        assert!(
            outcome.hosts[0].rates_before(Time::MAX).all(|(_, rate)| rate >= Rate::from_gbps(10)),
            "{transport}"
        );
        let outcome = told(transport, 1, 1_500, &[(0, 25), (1_400, 63)]);
        assert!(
            outcome.hosts[0].rates_before(Time::MAX).any(|(_, rate)| rate < Rate::from_gbps(6)),
            "{transport}: and comes again"
        );
    }
}

#[test]
fn a_message_for_a_flow_that_is_gone_says_nothing() {
    let finite = "kind = 'constant_rate', rate = '5Gbps'";
    let simulation = simulation(&format!(
        "topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
         transport.x = {{ {finite} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'x', pairs = [['host0', 'host1']], end = '10us' }}]"
    ));
    let culprit = Packet::from(Header { source: 0, destination: 1, ..Header::default() });
    let cnm = (Time::new(20_000_001), 0, Packet::cnm(&culprit, 63, 0));
    let (outcome, _) = reference::run_with(&simulation, &[cnm]);
    let counters = outcome.hosts[0].counters;
    // A packet of 1538 bytes takes 2.4608 us at 5 Gb/s.
    assert_eq!((counters.cnms_received, counters.data_sent), (1, 5));
    let finished = outcome.hosts[0].finished();
    assert_eq!((finished.len(), finished[0].flow.size), (1, Bytes::new(5 * 1460)));
    assert_eq!(
        outcome.hosts[1].received_at(0, &xoff::internals::application::Plans::default()),
        Some(Time::new(4 * 2_460_800 + 2 * (1_230_400 + 1_000_000)))
    );
}
