//! Recorded pauses, against the counts of ports and switches; and deadlocks, which are found where there are some.

use xoff::Execution;
use xoff::internals::diagnosis::Diagnosis;
use xoff::internals::engine::PauseChange;
use xoff::internals::observer::{PauseReason, Xoff};
use xoff::internals::port::Port;
use xoff::units::{Bytes, Span, Time};
use xoff::{Report, Simulation};

use crate::common::random::{self, Ends};
use crate::law_of_watched_random_scenarios;
use crate::{ports, run, simulation};

/// Makes the same simulation with its pauses observed.
fn observed(simulation: &Simulation) -> Simulation {
    let mut scenario = simulation.scenario().clone();
    scenario.observe.pauses = true;
    Simulation::new(&scenario, &random::files()).expect("it was accepted before")
}

/// Time that a port was paused by its changes, up to the end.
fn paused(changes: &[PauseChange], port: &Port, end: Time) -> Span {
    let mut total = Span::ZERO;
    for class in 0..8 {
        let of_class = changes.iter().filter(|change| (change.port, change.priority) == (port.id(), class));
        let mut since = None;
        for change in of_class {
            match since.take() {
                None if change.pauses => since = Some(change.time),
                Some(start) if !change.pauses => total += change.time.since(start),
                _ => panic!("a class pauses and resumes in turn"),
            }
        }
        total += since.map_or(Span::ZERO, |start| end.max(start).since(start));
    }
    total
}

#[test]
fn intervals_add_up_to_what_ports_have_counted() {
    law_of_watched_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let simulation = observed(simulation);
        let mut outcome = run(&simulation);
        let report = Report::new(&simulation, &mut outcome);
        let end = outcome.end.unwrap_or(Time::new(report.totals.end_ns * 1000));
        for port in ports(&outcome) {
            assert_eq!(paused(&outcome.pauses.changes, port, end), port.paused_by(end), "port {}", port.id());
        }
        let begun = outcome.pauses.changes.iter().filter(|change| change.pauses).count();
        assert_eq!(report.pauses.pause_id.len(), begun);
        let told_again = !simulation.scenario().link_event.is_empty();
        assert!(told_again || begun <= outcome.pauses.xoffs.len(), "every pause was decided");
    });
}

#[test]
fn what_a_pause_is_for_is_what_the_switch_has_of_its_sender() {
    law_of_watched_random_scenarios(&[Ends::Drained], |simulation| {
        for (_, xoff) in &run(&observed(simulation)).pauses.xoffs {
            let named: Bytes = xoff.flows.iter().map(|flow| flow.bytes).sum();
            assert!(xoff.egress_bytes <= xoff.bytes && xoff.egress_bytes <= xoff.queue_bytes, "{xoff:?}");
            assert!(named <= xoff.queue_bytes, "{xoff:?}");
            assert_eq!(named == xoff.queue_bytes, xoff.flow_count <= 4, "{xoff:?}");
        }
    });
}

const LOSSLESS: &str = "class = [{ priority = 0, lossless = true }]\n\
    transport.blocks = { kind = 'constant_rate', payload = '942B', wire_overhead = '0B' }";
const LINK: &str = "rate = '10Gbps', delay = '1us'";

/// Two hosts send frames of 1000 bytes, 800 ns each, to a third. Of every two that arrive, one leaves.
#[test]
fn the_cause_of_a_pause_is_the_queue_of_the_receiver() {
    let simulation = simulation(&format!(
        "title = 'two to one'\n{LOSSLESS}\nobserve.pauses = true\n\
         topology = {{ kind = 'star', hosts = 3, host_link = {{ {LINK} }} }}\n\
         switch = [{{ total = '1MB', pfc = {{ xoff = {{ policy = 'static_threshold', threshold = '3kB' }} }} }}]\n\
         workload = [{{ kind = 'long_lived', transport = 'blocks', pairs = [['host0', 'host2'], ['host1', 'host2']], \
         size = '94200B' }}]"
    ));
    let mut outcome = run(&simulation);
    let report = Report::new(&simulation, &mut outcome);
    let (time, Xoff { reason, bytes, egress, egress_bytes, queue_bytes, flows, .. }) =
        &outcome.pauses.xoffs[0];
    assert_eq!(time.get() % 800_000, 200_000, "the first frame arrives at 1.8 us");
    assert_eq!((*reason, bytes.get(), egress_bytes.get()), (PauseReason::Threshold, 3000, 3000));
    let to_receiver = simulation.network().ports.first(3) + 2;
    assert_eq!((*egress, flows.len(), flows[0].destination), (to_receiver, 2, 2));
    assert_eq!(flows[0].bytes + flows[1].bytes, *queue_bytes);
    assert_eq!(report.pauses.pause_id.len(), outcome.pauses.xoffs.len(), "each is sent and takes effect");
    // The pause frame of 84 bytes at 10 Gbps, the link, and the 67 quanta of IEEE 802.3.
    let transit = 67_200 + 1_000_000 + 67 * 51_200;
    assert_eq!(outcome.pauses.changes[0].time.get(), time.get() + transit, "the wire to host1 is free");
    assert_eq!(report.pathologies.deadlock, []);
}

/// Two hosts send class 3 to a slow host, and class 0 to another. Class 3 pauses first, and 16 kB of it stay. A packet
/// of class 0 then pauses their ports as a whole, when each has more than 2 x 10 kB. The cause is the queue where most
/// of that waits.
#[test]
fn a_port_that_pauses_as_a_whole_names_one_queue_for_all_its_classes() {
    let simulation = simulation(&format!(
        "title = 'port'\nobserve.pauses = true\n\
         class = [{{ priority = 0, lossless = true }}, {{ priority = 3, lossless = true }}, {{ priority = 7 }}]\n\
         transport.blocks = {{ kind = 'constant_rate', payload = '942B', wire_overhead = '0B' }}\n\
         topology = {{ kind = 'star', hosts = 4, host_link = {{ {LINK} }}, \
         links = [{{ between = ['host2', 'switch0'], rate = '1Gbps' }}] }}\n\
         switch = [{{ total = '1MB', pfc = {{ xoff = {{ policy = 'static_threshold', threshold = '10kB' }}, \
         headroom = {{ scheme = 'dsh' }} }} }}]\n\
         workload = [\n\
         {{ kind = 'long_lived', transport = 'blocks', pairs = [['host0', 'host2'], ['host1', 'host2']], size = '94200B', \
         priority = 3 }},\n\
         {{ kind = 'long_lived', transport = 'blocks', pairs = [['host0', 'host3'], ['host1', 'host3']], size = '94200B' }}]"
    ));
    let mut outcome = run(&simulation);
    let report = Report::new(&simulation, &mut outcome);
    let pauses = &report.pauses;
    let name = |index: u32| report.series_names[index as usize].as_str();
    let of_port = |row: &usize| {
        name(pauses.paused_port[*row]) == "host0.port0" && pauses.reason[*row] == PauseReason::Port as u8
    };
    let rows: Vec<usize> = (0..pauses.pause_id.len()).filter(of_port).collect();
    let classes: Vec<u8> = rows.iter().map(|&row| pauses.priority[row]).collect();
    assert_eq!(classes, [1, 2, 4, 5, 6, 7], "classes 0 and 3 were paused before");
    for row in rows {
        assert_eq!((name(pauses.egress_port[row]), pauses.cause_priority[row]), ("switch0.port2", 3));
        assert_eq!((pauses.ingress_bytes[row], pauses.egress_bytes[row]), (21_000, 16_000));
    }
}

/// Five switches in a ring with a host each, every one of which sends two hops on.
///
/// Every link of the ring has to carry twice its rate, and every switch holds packets from the one before behind those
/// that it may not send itself. Two more hosts are on one of the switches, and have nothing to do with that.
fn ring(form: &str, cut: &str, rest: &str) -> Simulation {
    let each = |text: fn(usize) -> String| (0..5).map(text).collect::<Vec<_>>().join(", ");
    let links = [
        each(|at| format!("{{ between = ['h{at}', 's{at}'], {LINK} }}")),
        each(|at| format!("{{ between = ['s{at}', 's{}'], {LINK} }}", (at + 1) % 5)),
    ];
    simulation(&format!(
        "title = 'ring'\n{LOSSLESS}\npfc.form = '{form}'\n\
         topology = {{ kind = 'custom', hosts = [{}, 'x', 'y'], switches = [{}], links = [{}, \
         {{ between = ['x', 's0'], {LINK} }}, {{ between = ['y', 's0'], {LINK} }}] }}\n\
         switch = [{{ total = '1MB', pfc = {{ xoff = {{ policy = 'static_threshold', threshold = '20kB' }} }} }}]\n\
         workload = [{{ kind = 'long_lived', transport = 'blocks', size = '1MB', pairs = [{}] }}{rest}]",
        each(|at| format!("'h{at}'")),
        each(|at| format!("'s{at}'")),
        links.join(", "),
        each(|at| format!("['h{at}', 'h{}']", (at + 2) % 5)).replace(cut, ""),
    ))
}

#[test]
fn a_ring_in_which_everyone_waits_is_a_deadlock_and_ends_the_run() {
    for form in ["quanta", "on_off"] {
        let simulation = ring(form, "no pair", "");
        let mut outcome = run(&simulation);
        let report = Report::new(&simulation, &mut outcome);
        let cycle: Vec<&str> = report.pathologies.deadlock.iter().map(|stuck| stuck.port.as_str()).collect();
        assert_eq!(cycle, ["s0.port1", "s1.port2", "s2.port2", "s3.port2", "s4.port2"], "{form}");
        assert!(report.pathologies.deadlock.iter().all(|stuck| stuck.queue_bytes > 0 && stuck.since_ns > 0));
        assert_eq!(report.totals.flows_unfinished, 5);
        // Pauses are said for ever, or else leave nothing to do.
        assert!(report.pathologies.stood_still, "{form}");
        assert!(report.totals.end_ns < 20_000_000, "{}", report.totals.end_ns);
        let again = Report::new(&simulation, &mut simulation.run(Execution::with_threads(3), &mut |_| true));
        assert_eq!((again.digest, again.totals.end_ns), (report.digest, report.totals.end_ns));
    }
}

#[test]
fn a_deadlock_ends_nothing_that_is_still_to_start() {
    let late = ", { kind = 'long_lived', transport = 'blocks', size = '30kB', pairs = [['x', 'y']], start = '40ms' }";
    let simulation = ring("quanta", "no pair", late);
    let report = Report::new(&simulation, &mut run(&simulation));
    assert_eq!((report.totals.flows_started, report.totals.flows_finished), (6, 1));
    assert!(report.pathologies.stood_still && report.totals.end_ns > 40_000_000);
}

#[test]
fn a_ring_that_is_not_closed_is_no_deadlock() {
    let simulation = ring("quanta", ", ['h4', 'h1']", "");
    let report = Report::new(&simulation, &mut run(&simulation));
    assert_eq!((report.pathologies.deadlock, report.totals.flows_unfinished), (vec![], 0));
    assert!(report.totals.pfc.pause_frames > 0);
}

#[test]
fn a_pause_without_a_break_is_a_storm_from_the_detection_time_on() {
    let simulation = ring("quanta", "no pair", "");
    let outcome = run(&simulation);
    let end = outcome.end.expect("it is ended");
    let storms =
        |detection_time| Diagnosis::new(simulation.network(), &outcome, end, detection_time).storms.len();
    // Five hosts and five links of the ring are paused until the end.
    assert_eq!([storms(Span::from_milliseconds(4)), storms(Span::from_milliseconds(200))], [10, 0]);
}
