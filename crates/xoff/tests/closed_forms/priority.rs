//! Schedulers end to end. Strict priority: the higher class never waits for more than the packet on the wire.
//! Deficit round robin: classes that always have something to send share the wire by weight.

use xoff::Simulation;
use xoff::units::Span;

use crate::{measured, run, simulation};

/// Time of a packet of 1250 bytes on a wire at 10 Gbps.
const PACKET: Span = Span::from_microseconds(1);

fn two_classes(workload: &str) -> Simulation {
    scheduled("strict_priority'", workload)
}

fn scheduled(scheduler: &str, workload: &str) -> Simulation {
    simulation(&format!(
        "title = 'two classes'\n\
         topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
         transport.steady = {{ kind = 'constant_rate', payload = '1172B' }}\n\
         switch = [{{ buffer = {{ policy = 'complete_sharing' }}, scheduler = {{ kind = '{scheduler} }} }}]\nworkload = [{workload}]"
    ))
}

/// Bursts of 500 packets from two hosts meet at the third. The higher class is through as if it were alone, except for
/// the packet that it found on the wire. The lower one is through when the link has carried both.
#[test]
fn the_higher_class_is_served_first() {
    let burst = |sender, priority, start| {
        format!(
            "{{ kind = 'long_lived', transport = 'steady', pairs = [['host{sender}', 'host0']], \
             size = '586000B', priority = {priority}, start = '{start}' }}"
        )
    };
    for (low, high) in [(0, 1), (0, 7), (3, 4), (6, 7)] {
        let text = format!("{}, {}", burst(1, low, "0ns"), burst(2, high, "300ns"));
        let simulation = two_classes(&text);
        let outcome = run(&simulation);
        let received = |priority| {
            let mut flows = measured(&simulation, &outcome);
            let flow = flows.find(|flow| flow.flow.flow.priority == priority).expect("both classes finish");
            (flow.received, flow.ideal.received)
        };
        let (lower, higher) = (received(low), received(high));
        assert_eq!(higher.0, higher.1 + Span::from_nanoseconds(700), "waits out the packet on the wire");
        assert_eq!(lower.0, lower.1 + PACKET * 500, "waits for all of the higher class");
    }
}

/// A class that has the link to spare waits at most for the packet on the wire, at the adapter and at the switch.
#[test]
fn a_higher_class_waits_for_one_packet_at_most() {
    let simulation = two_classes(
        "{ kind = 'long_lived', transport = 'steady', pairs = [['host1', 'host0'], ['host2', 'host0']], \
         size = '2MB' }, \
         { kind = 'long_lived', transport = 'steady', pairs = [['host2', 'host0']], size = '1172B', \
         flows_per_pair = 1000, stagger = '2345678ps', priority = 5 }",
    );
    let outcome = run(&simulation);
    let flows = measured(&simulation, &outcome).filter(|flow| flow.flow.flow.priority == 5);
    let waits: Vec<Span> = flows.map(|flow| flow.received - flow.ideal.received).collect();
    assert_eq!(waits.len(), 1000);
    let longest = waits.iter().max().copied().unwrap_or_default();
    assert!(longest > PACKET && longest <= PACKET * 2, "{longest:?}");
}

/// Two classes of weights 3 and 1 have packets of one size. While both wait, three of four packets are of the first. It
/// is through after four thirds of its own time, and the other has then sent a third as much.
#[test]
fn classes_share_the_wire_by_weight() {
    let burst = |sender, priority| {
        format!(
            "{{ kind = 'long_lived', transport = 'steady', pairs = [['host{sender}', 'host0']], \
             size = '703200B', priority = {priority} }}"
        )
    };
    let scheduler = "deficit_round_robin', quantum = '1230B', weights = [1, 3, 1, 1, 1, 1, 1, 1]";
    let simulation = scheduled(scheduler, &format!("{}, {}", burst(1, 1), burst(2, 0)));
    let outcome = run(&simulation);
    let waited = |priority| {
        let mut flows = measured(&simulation, &outcome);
        let flow = flows.find(|flow| flow.flow.flow.priority == priority).expect("both classes finish");
        flow.received - flow.ideal.received
    };
    assert!(waited(1).get().abs_diff((PACKET * 200).get()) <= (PACKET * 2).get(), "{:?}", waited(1));
    assert_eq!(waited(0), PACKET * 600);
}
