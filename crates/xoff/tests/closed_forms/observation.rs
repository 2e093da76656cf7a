//! Samples, which show the last state before them.

use std::cell::Cell;
use std::collections::BTreeMap;

use xoff::internals::engine::{LOSSLESS_POOL, Outcome, Quantity, Sample};
use xoff::internals::observer::DropReason;
use xoff::internals::port::Port;
use xoff::internals::scenario::{Host, Observe, ObserveOf};
use xoff::internals::switch::Switch;
use xoff::settings::Every;
use xoff::units::{Bytes, Rate, Span, Time};
use xoff::{Execution, Report, ScenarioError, Simulation};

use crate::common::random::{self, Ends};
use crate::common::{PLAIN, law_of_some_random_scenarios};
use crate::law_of_watched_random_scenarios;
use crate::{ports, run, simulation};

/// Makes the same simulation with other observations, which `ask` adds for everything and at this interval.
fn observing(
    simulation: &Simulation,
    every: Every,
    ask: impl FnOnce(&mut Observe, Option<ObserveOf>),
) -> Result<Simulation, ScenarioError> {
    let mut scenario = simulation.scenario().clone();
    ask(&mut scenario.observe, Some(ObserveOf { every, of: vec!["*".to_owned()] }));
    Simulation::new(&scenario, &random::files())
}

fn nanoseconds(between: u64) -> Every {
    Every::Span(Span::from_nanoseconds(between))
}

/// Samples of the switches and the rates of a simulation.
fn rows(simulation: &Simulation, every: Every) -> Vec<Sample> {
    let observed = observing(simulation, every, |observe, asked| {
        (observe.queues, observe.marks, observe.drops) = (asked.clone(), asked.clone(), asked.clone());
        observe.rates = asked;
    });
    run(&observed.expect("it was accepted before")).samples.until(Time::MAX)
}

#[test]
fn samples_are_what_changes_add_up_to() {
    law_of_watched_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let mut changes = rows(simulation, Every::Change).into_iter().peekable();
        let is_level = |row: &Sample| matches!(row.quantity, Quantity::Queue | Quantity::Rate);
        let (mut levels, mut counts) = (BTreeMap::new(), BTreeMap::new());
        for sample in rows(simulation, nanoseconds(12_700)) {
            while let Some(change) = changes.next_if(|change| change.time < sample.time) {
                if is_level(&change) {
                    levels.insert((change.quantity, change.entity, change.part), change.value);
                } else {
                    *counts.entry((change.quantity, change.entity, change.part)).or_insert(0.0) +=
                        change.value;
                }
            }
            let expected = if is_level(&sample) {
                levels.get(&(sample.quantity, sample.entity, sample.part)).copied()
            } else {
                counts.remove(&(sample.quantity, sample.entity, sample.part))
            };
            assert!((sample.value - expected.unwrap_or(0.0)).abs() < f64::EPSILON, "{sample:?} {expected:?}");
        }
    });
}

/// A packet under way counts as far as it has left, so that no sample exceeds what the link carries.
#[test]
fn no_throughput_is_above_the_rate_of_its_link() {
    law_of_watched_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let every = Span::from_nanoseconds(3_100);
        let observed = observing(simulation, Every::Span(every), |observe, asked| observe.throughput = asked);
        let simulation = observed.expect("it was accepted before");
        let network = simulation.network();
        let later =
            simulation.scenario().link_event.iter().flat_map(|event| [event.rate, event.rate_back]).flatten();
        let fastest_later = later.map(Rate::as_f64).fold(0.0, f64::max);
        let rates: Vec<f64> = (0..network.ports.count() as u32)
            .map(|port| network.rate_of(port).as_f64().max(fastest_later))
            .collect();
        let one_byte = 8.0 / every.as_seconds();
        for sample in run(&simulation).samples.until(Time::MAX) {
            assert!(sample.value <= rates[sample.entity as usize] + one_byte, "{sample:?}");
        }
    });
}

/// Samples of three packets of 1 us each, one every 5 us, with this observation.
fn three_packets(observe: &str) -> Vec<Sample> {
    let text = [
        "title = 'three packets'",
        "topology = { kind = 'star', hosts = 2, host_link = { rate = '10Gbps', delay = '1us' } }",
        "transport.steady = { kind = 'constant_rate', payload = '1000B', headers = '230B', wire_overhead = '20B', rate = '2Gbps' }",
        "workload = [{ kind = 'long_lived', transport = 'steady', pairs = [['host0', 'host1']], size = '3kB' }]",
        "switch = [{ total = '100kB' }]",
        "stop = { at = '20us' }",
        observe,
    ];
    run(&simulation(&text.join("\n"))).samples.until(Time::MAX)
}

/// The second packet leaves from 5 to 6 us, the third from 10 to 11 us, across the end of an interval.
#[test]
fn a_flows_throughput_is_what_has_left_its_adapter() {
    let rows = three_packets("observe.flow_throughput = { every = '1500ns' }");
    let shares: Vec<f64> = rows.iter().map(|row| (row.value / 10e9 * 12.0).round() / 12.0).collect();
    let (whole, half) = (2.0 / 3.0, 1.0 / 3.0);
    let over = 0.0;
    let expected = [whole, 0.0, 0.0, whole, 0.0, 0.0, half, half, over];
    assert!(
        shares.iter().zip(expected).all(|(share, expected)| (share - expected).abs() < 1e-9),
        "{shares:?}"
    );
    let times: Vec<u64> = rows.iter().map(|row| row.time.as_nanoseconds()).collect();
    assert_eq!(
        times,
        (1..=9).map(|interval| interval * 1_500).collect::<Vec<_>>(),
        "from the start until it is over"
    );
}

#[test]
fn where_nothing_decides_a_flows_rate_it_is_that_of_the_link() {
    for (every, rows) in [("change", 1), ("4us", 2)] {
        let rates = three_packets(&format!("observe.rates = {{ every = '{every}' }}"));
        let values: Vec<f64> = rates.iter().map(|row| row.value).collect();
        assert_eq!(values, vec![10e9; rows], "{every}");
    }
}

/// Two hosts send to a third. Nothing is reserved, and no threshold is reached.
#[test]
fn what_lossless_classes_share_is_a_pool_of_its_own() {
    let text = "
        title = 'lossless pool'
        class = [{ priority = 0, lossless = true }]
        topology = { kind = 'star', hosts = 3, host_link = { rate = '10Gbps', delay = '1us' } }
        transport.steady = { kind = 'constant_rate', payload = '1000B' }
        workload = [{ kind = 'incast', transport = 'steady', fan_in = 2, size = '30kB', receivers = ['host0'], groups = 1, every = '1ms' }]
        switch = [{ total = '1MB', pfc = { reserved = '0B', xoff = { policy = 'static_threshold', threshold = '200kB' } } }]
        observe.queues = { every = '1us', of = ['switch0.port0'] }
        observe.pools = { every = '1us' }";
    let rows = run(&simulation(text)).samples.until(Time::MAX);
    let of = |quantity, part| rows.iter().filter(move |row| row.quantity == quantity && row.part == part);
    let queue: Vec<f64> = of(Quantity::Queue, 0).map(|row| row.value).collect();
    let pool: Vec<f64> = of(Quantity::Pool, LOSSLESS_POOL).map(|row| row.value).collect();
    assert!(queue.iter().copied().fold(0.0, f64::max) > 25e3, "{queue:?}");
    assert_eq!(pool, queue);
    assert!(of(Quantity::Pool, 0).all(|row| row.value == 0.0));
}

/// Throughputs of classes add up to that of the port, except for pause frames, which have no class.
#[test]
fn throughputs_of_classes_add_up_to_that_of_their_port() {
    law_of_watched_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let observed = observing(simulation, nanoseconds(31_700), |observe, asked| {
            (observe.throughput, observe.class_throughput) = (asked.clone(), asked);
        });
        let outcome = run(&observed.expect("it was accepted before"));
        let pauses: Vec<bool> = ports(&outcome)
            .map(|port| port.counters.pause_frames + port.counters.resume_frames > 0)
            .collect();
        let (mut of_ports, mut of_classes) = (BTreeMap::new(), BTreeMap::new());
        for Sample { time, quantity, entity, value, .. } in outcome.samples.until(Time::MAX) {
            let sums = if quantity == Quantity::Throughput { &mut of_ports } else { &mut of_classes };
            *sums.entry((time, entity)).or_insert(0.0) += value;
        }
        assert_eq!(of_ports.len(), of_classes.len());
        for (at, sum) in of_classes {
            let (of_port, almost) = (of_ports[&at], 1e-9 * of_ports[&at]);
            let is_all = (sum - of_port).abs() <= almost;
            assert!(is_all || pauses[at.1 as usize] && sum < of_port, "{at:?}: {sum} of {of_port}");
        }
    });
}

/// The flows of a host that sends only data add up to its port. Elsewhere acknowledgements are missing.
#[test]
fn throughputs_of_flows_add_up_to_that_of_their_adapter() {
    law_of_watched_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let observed = observing(simulation, nanoseconds(3_100), |observe, asked| {
            (observe.throughput, observe.flow_throughput) = (asked.clone(), asked);
        });
        let simulation = observed.expect("it was accepted before");
        let network = simulation.network();
        let outcome = run(&simulation);
        let mut of_flows = BTreeMap::new();
        for sample in
            outcome.samples.until(Time::MAX).iter().filter(|row| row.quantity == Quantity::FlowThroughput)
        {
            *of_flows.entry((sample.time, network.ports.first(sample.entity))).or_insert(0.0) += sample.value;
        }
        for sample in
            outcome.samples.until(Time::MAX).iter().filter(|row| row.quantity == Quantity::Throughput)
        {
            let Some(host) = outcome.hosts.iter().find(|host| host.port().id() == sample.entity) else {
                continue;
            };
            let sum = of_flows.remove(&(sample.time, sample.entity)).unwrap_or(0.0);
            assert!(sum <= sample.value + 1.0, "{sample:?} {sum}");
            let only_data =
                host.counters.acknowledgements_sent == 0 && host.port().counters.pause_frames == 0;
            assert!(!only_data || sum >= sample.value - 1.0, "{sample:?} {sum}");
        }
    });
}

#[test]
fn flows_in_an_input_buffer_add_up_to_its_classes() {
    let looked_into = Cell::new(0);
    law_of_watched_random_scenarios(&[Ends::InTheMiddle], |simulation| {
        let observed = observing(simulation, nanoseconds(3_100), |observe, asked| observe.inputs = asked);
        let Ok(simulation) = observed else { return };
        let mut sums = BTreeMap::new();
        for sample in run(&simulation).samples.until(Time::MAX) {
            let is_of_class = sample.quantity == Quantity::Input;
            let (class, sign) = if is_of_class { (sample.part, 1.0) } else { (sample.priority.into(), -1.0) };
            *sums.entry((sample.time, sample.entity, class)).or_insert(0.0) += sign * sample.value;
            looked_into.set(looked_into.get() + u32::from(!is_of_class));
        }
        assert!(sums.values().all(|sum: &f64| sum.abs() < f64::EPSILON), "{sums:?}");
    });
    assert!(looked_into.get() > 0, "some scenarios have input buffers with something in them");
}

const NONE: u64 = u64::MAX;

/// Congestion notification messages do not come from a transport, and are not followed.
#[test]
fn packets_go_from_port_to_port_and_are_those_that_ports_have_sent_and_dropped() {
    let (ends, left) = ([Cell::new(0_u64), Cell::new(0_u64)], Cell::new(0));
    law_of_watched_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let observed =
            observing(simulation, Every::Change, |observe, _| observe.packets = vec!["*".to_owned()]);
        let simulation = observed.expect("it was accepted before");
        let mut outcome = run(&simulation);
        let report = Report::new(&simulation, &mut outcome);
        let packets = &report.packets;
        let (mut sent, mut dropped, mut waiting) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for row in 0..packets.packet.len() {
            let [arrived, started, ended, reached, received] = [
                packets.arrived_ps[row],
                packets.started_ps[row],
                packets.ended_ps[row],
                packets.reached_ps[row],
                packets.received_ps[row],
            ];
            let Host { delay, jitter, .. } = &simulation.scenario().host;
            if packets.handed_ps[row] != NONE && !jitter {
                let crossing = arrived - packets.handed_ps[row];
                assert!(crossing == 0 || crossing == delay.get(), "row {row}: {crossing}");
            }
            let goes_on = packets.packet.get(row + 1) == Some(&packets.packet[row]);
            let is_dropped = packets.drop_reason[row] != u8::MAX;
            if goes_on {
                assert_eq!(packets.arrived_ps[row + 1], reached, "row {row}");
                assert_eq!(packets.hop[row + 1], packets.hop[row] + 1);
            }
            if started != NONE {
                assert!(arrived <= started && started < ended && ended <= reached, "row {row}");
                *sent.entry(packets.port[row]).or_insert(0) += 1;
            }
            if received != NONE {
                assert!(reached <= received && !goes_on && !is_dropped, "row {row}");
                ends[0].set(ends[0].get() + 1);
            }
            if is_dropped {
                assert!(!goes_on, "row {row}");
                *dropped.entry(packets.port[row]).or_insert(0) += 1;
                ends[1].set(ends[1].get() + 1);
            }
            if started == NONE && !is_dropped {
                assert!(!goes_on, "row {row}");
                *waiting.entry(packets.port[row]).or_insert(0) += 1;
            }
            let is_over = goes_on || is_dropped || received != NONE;
            assert!(is_over || outcome.end.is_some(), "row {row} of a run that has drained");
        }
        let cnms = outcome.switches.iter().filter_map(Switch::cioq).map(|switch| switch.counters);
        let cnms: u64 = cnms.map(|counters| counters.of_inputs + counters.of_outputs).sum();
        let trimmed: u64 =
            ports(&outcome).map(|port| port.counters.dropped_data[DropReason::Trimmed as usize]).sum();
        if cnms + trimmed == 0 {
            for port in ports(&outcome) {
                assert_eq!(
                    sent.get(&port.id()).copied().unwrap_or(0),
                    port.counters.packets,
                    "{}",
                    port.id()
                );
                assert_eq!(dropped.get(&port.id()).copied().unwrap_or(0), port.counters.dropped());
            }
            for switch in &outcome.switches {
                let waiting = |port: &Port| waiting.get(&port.id()).copied().unwrap_or(0);
                let inside = switch.packets_inside().count();
                assert_eq!(switch.ports().iter().map(waiting).sum::<usize>(), inside);
                left.set(left.get() + inside);
            }
        }
    });
    assert!(ends.iter().all(|count| count.get() > 100) && left.get() > 100, "{ends:?} {left:?}");
}

/// Records and digest of a run of an observed simulation, and the time at which recording ended.
fn recorded(simulation: &Simulation, execution: Execution) -> (Outcome, String) {
    let mut outcome = simulation.run(execution, &mut |_| true);
    let digest = Report::new(simulation, &mut outcome).digest;
    (outcome, digest)
}

/// A run records up to one and the same instant whatever its threads and windows, all that it would record up to there
/// without a bound, and nothing else. Its results are those of a run that records nothing.
#[test]
fn records_end_when_they_have_taken_their_memory() {
    let (ended, whole) = (Cell::new(0), Cell::new(0));
    law_of_some_random_scenarios(60, Ends::ANY, |simulation| {
        let bounded = |memory: u64| {
            let bound = |observe: &mut Observe, asked: Option<ObserveOf>| {
                observe.memory = Bytes::new(memory);
                (observe.queues, observe.rates) = (asked.clone(), asked);
                observe.drops = Some(ObserveOf { every: Every::Change, of: vec!["*".to_owned()] });
                (observe.pauses, observe.headroom, observe.packets) = (true, true, vec!["*".to_owned()]);
            };
            observing(simulation, nanoseconds(9_000), bound)
        };
        let (all, digest) = recorded(&bounded(1_000_000_000).expect("it was accepted before"), PLAIN);
        assert_eq!((all.recorded_until, &digest), (None, &recorded(simulation, PLAIN).1));
        // Samples that are sure to be larger are refused.
        let Ok(small) = bounded(30_000) else { return };
        let (some, of_bounded) = recorded(&small, PLAIN);
        assert_eq!(of_bounded, digest);
        let until = some.recorded_until.unwrap_or(Time::MAX);
        let rows: Vec<Sample> = all.samples.until(Time::MAX);
        let before = rows.partition_point(|row| row.time < until);
        assert_eq!(some.samples.until(Time::MAX), rows[..before]);
        assert_eq!(some.drops, all.drops[..all.drops.partition_point(|drop| drop.0 < until)]);
        assert_eq!(some.packets, all.packets[..all.packets.partition_point(|step| step.time < until)]);
        let changes = &all.pauses.changes;
        assert_eq!(some.pauses.changes, changes[..changes.partition_point(|change| change.time < until)]);
        let (otherwise, _) = recorded(&small, Execution { threads: 3, longest_window: Span::new(100_000) });
        assert_eq!(otherwise.recorded_until, some.recorded_until);
        assert_eq!(otherwise.samples.until(Time::MAX), some.samples.until(Time::MAX));
        let steps =
            |outcome: &Outcome| outcome.packets.iter().map(|of| (of.time, of.step)).collect::<Vec<_>>();
        assert_eq!(steps(&otherwise), steps(&some));
        let count = if some.recorded_until.is_some() { &ended } else { &whole };
        count.set(count.get() + 1);
    });
    assert!(ended.get() > 10 && whole.get() > 10, "{ended:?} {whole:?}");
}

/// A timeout that doubles again and again makes time run for as long as a run may last, with a sample each 10 us.
#[test]
fn a_straggler_does_not_fill_the_memory() {
    let text = "topology = { kind = 'star', hosts = 3, host_link = { rate = '10Gbps', delay = '1us', error_rate = 0.9 } }\n\
                switch = [{ total = '1MB' }]\n\
                transport.tcp = { kind = 'tcp', congestion_control = { algorithm = 'reno' } }\n\
                workload = [{ kind = 'long_lived', transport = 'tcp', pairs = [['host1', 'host0']], size = '15kB' }]";
    let observed =
        simulation(&format!("{text}\nobserve = {{ memory = '1MB', queues = {{ every = '10us' }} }}"));
    let (outcome, digest) = recorded(&observed, PLAIN);
    assert_eq!(digest, recorded(&simulation(text), PLAIN).1);
    // Six queues have a row of 32 B each at every sample. The one after 1 MB is not taken.
    let until = outcome.recorded_until.expect("records end");
    assert_eq!(until, Time::ZERO + Span::from_microseconds(10) * (1_000_000 / (6 * 32) + 1));
    assert_eq!(outcome.samples.until(Time::MAX).len(), 6 * (1_000_000 / (6 * 32) + 1));
}

/// The flow is done in microseconds, but its retransmission timer runs on for 16 ms.
#[test]
fn what_has_come_to_rest_takes_no_memory() {
    let text = "topology = { kind = 'star', hosts = 2, host_link = { rate = '10Gbps', delay = '1us' } }\n\
                transport.roce = { kind = 'roce' }\nclass = [{ priority = 0, lossless = true }, { priority = 7 }]\n\
                switch = [{ total = '4MB', pfc = { xoff = { policy = 'static_threshold', threshold = '100kB' } } }]\n\
                workload = [{ kind = 'long_lived', transport = 'roce', pairs = [['host0', 'host1']], size = '20kB' }]\n\
                observe.queues = { every = '1us', of = ['*'] }";
    let samples = run(&simulation(text)).samples;
    assert!(samples.kept() < 300, "{} rows of four ports and two classes in some 20 us", samples.kept());
    let rows = samples.until(Time::ZERO + Span::from_microseconds(40));
    assert_eq!(rows.len(), 41 * 4 * 2, "all of them are told");
    assert!(samples.until(Time::MAX).len() > 10_000, "and there are many more");
}
