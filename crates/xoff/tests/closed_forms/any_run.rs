//! Laws of every run: nothing gets lost without a count, and no flow is faster than alone.

use std::cell::Cell;

use xoff::internals::application::collective::Iteration;
use xoff::internals::application::job::Part;
use xoff::internals::application::query::Query;
use xoff::internals::engine::Outcome;
use xoff::internals::host::Flow;
use xoff::internals::scenario::Transport;
use xoff::units::{Bytes, Span, Time};
use xoff::{Execution, Report, Simulation};

use crate::accounts::{
    dropped, every_packet_is_accounted_for, every_record_is_some_packets, memory_holds_what_its_queues_hold,
    no_lossless_packet_is_dropped, nothing_is_left,
};
use crate::common::random::Ends;
use crate::common::{PLAIN, law_of_random_scenarios, law_of_some_random_scenarios};
use crate::{law_of_watched_random_scenarios, measured, reference, run};

#[test]
fn every_packet_sent_is_delivered_dropped_or_inside() {
    law_of_random_scenarios(Ends::ANY, |simulation| {
        let (outcome, on_wires) = reference::run(simulation);
        every_packet_is_accounted_for(&outcome);
        every_record_is_some_packets(&outcome, &on_wires);
        no_lossless_packet_is_dropped(simulation, &outcome);
        memory_holds_what_its_queues_hold(&outcome);
    });
}

/// The engine counts packets in flight on wires, wherever its threads and shortcuts keep them, and the report has the sum
/// of all places. Threads divide racks, so a packet may be between two of them at the end.
#[test]
fn what_was_sent_was_delivered_or_dropped_or_is_in_flight() {
    let in_flight = Cell::new(0);
    law_of_watched_random_scenarios(&[Ends::InTheMiddle, Ends::AfterFlows], |simulation| {
        for execution in [PLAIN, Execution { threads: 3, longest_window: Span::from_nanoseconds(700) }] {
            let mut outcome = simulation.run(execution, &mut |_| true);
            every_packet_is_accounted_for(&outcome);
            let packets = Report::new(simulation, &mut outcome).totals.packets;
            assert_eq!(packets.sent, packets.delivered + packets.dropped + packets.in_flight);
            in_flight.set(in_flight.get() + packets.in_flight);
        }
    });
    assert!(in_flight.get() > 0, "some are cut off");
}

/// Flows of a simulation as they are drawn.
fn announced(simulation: &Simulation) -> Vec<Flow> {
    let mut flows = Vec::new();
    simulation.arrivals().announce_until(Time::MAX, |_, start| flows.push(start.flow));
    flows
}

/// Number of flows of collectives, each of which is complete.
fn parts_of_collectives(simulation: &Simulation, outcome: &Outcome) -> usize {
    let plans = &simulation.fabric().plans;
    let collectives = (0..plans.all().len()).filter_map(|number| Some((number, plans.collective(number)?)));
    let parts = collectives.map(|(number, plan)| {
        for host in &plan.ranks {
            let rank = outcome.hosts[*host as usize].applications().rank(number).unwrap();
            assert_eq!(rank.iterations().len(), plan.iterations as usize, "every collective begins");
            let is_complete =
                |iteration: &Iteration| iteration.start <= iteration.finish && iteration.finish < Time::MAX;
            assert!(rank.iterations().iter().all(is_complete), "every collective ends");
        }
        let parts = plan.parts().count();
        plan.iterations as usize * parts * plan.flows_per_part as usize
    });
    parts.sum()
}

/// Number of flows of jobs, each of which is complete.
fn flows_of_jobs(simulation: &Simulation, outcome: &Outcome) -> usize {
    let plans = &simulation.fabric().plans;
    let jobs = (0..plans.all().len()).filter_map(|number| Some((number, plans.job(number)?)));
    let flows = jobs.map(|(number, plan)| {
        let parts = || outcome.hosts.iter().filter_map(|host| host.applications().part(number));
        let flows = plan.flows() as usize;
        let others = u64::from(plan.operations()) - plan.flows();
        assert_eq!(parts().map(Part::computed).sum::<u64>(), others, "every computation of a job ends");
        assert_eq!(parts().map(Part::begun).sum::<u64>(), flows as u64, "every flow of a job begins");
        assert_eq!(parts().map(Part::received).sum::<u64>(), flows as u64, "every flow of a job ends");
        flows
    });
    flows.sum()
}

/// Flows of applications: a request and a response for each worker of a query, the parts of collectives, and all flows
/// of a job.
fn of_applications(simulation: &Simulation, outcome: &Outcome) -> Vec<Flow> {
    let plans = &simulation.fabric().plans;
    let mut expected = parts_of_collectives(simulation, outcome) + flows_of_jobs(simulation, outcome);
    for (plan, aggregator) in outcome.hosts.iter().flat_map(|host| host.applications().aggregators()) {
        let begun = aggregator.queries();
        assert!(begun.iter().all(Query::is_complete), "every query ends");
        expected += 2 * begun.len() * plans.query(plan).unwrap().fan_in as usize;
    }
    let finished = measured(simulation, outcome).map(|measured| measured.flow.flow);
    let flows: Vec<Flow> = finished.filter(|flow| plans.arrival(flow.reception).is_some()).collect();
    assert_eq!(flows.len(), expected, "as many as the plans have");
    flows
}

/// A flow of TCP or RoCE finishes whatever is lost. A flow without acknowledgements finishes only if nothing is lost.
fn every_flow_finishes(simulation: &Simulation, outcome: &Outcome) {
    let mut flows = announced(simulation);
    flows.extend(of_applications(simulation, outcome));
    let started: u64 = outcome.hosts.iter().map(|host| host.counters.started).sum();
    assert_eq!(started, flows.len() as u64, "every flow starts");

    let is_repaired = |flow: &Flow| {
        !matches!(simulation.fabric().transports[flow.transport as usize], Transport::ConstantRate(_))
    };
    let finished: Vec<_> = measured(simulation, outcome).map(|measured| measured.flow).collect();
    let repaired = finished.iter().filter(|finished| is_repaired(&finished.flow)).count();
    let expected = flows.iter().filter(|flow| is_repaired(flow)).count();
    assert_eq!(repaired, expected, "every flow of TCP and RoCE finishes");
    let data_dropped = dropped(outcome, |port| port.dropped_data.iter().sum());
    assert!((flows.len() - finished.len()) as u64 <= data_dropped, "each other one has lost something");

    let delivered: Bytes = outcome.hosts.iter().map(|host| host.counters.payload_delivered).sum();
    let needed: Bytes = finished.iter().map(|finished| finished.flow.size).sum();
    let plans = &simulation.fabric().plans;
    let received = |flow: &Flow| outcome.hosts[flow.destination as usize].received_at(flow.reception, plans);
    let unfinished = flows.iter().filter(|flow| received(flow).is_none()).map(|flow| flow.size);
    let sent = needed
        + unfinished.sum::<Bytes>()
        + finished.iter().map(|finished| finished.repairs.retransmitted).sum();
    assert!(needed <= delivered && delivered <= sent, "{needed:?} {delivered:?} {sent:?}");
    let goodput: Bytes = outcome.hosts.iter().map(|host| host.counters.goodput()).sum();
    assert!(needed <= goodput && goodput <= delivered, "{needed:?} {goodput:?} {delivered:?}");
    if finished.len() == flows.len() {
        assert_eq!(goodput, needed, "each byte counts once");
    }
    if data_dropped == 0 {
        assert_eq!(delivered, sent, "what is sent and not dropped is delivered");
    }
}

#[test]
fn a_drained_run_leaves_nothing_behind() {
    law_of_random_scenarios(&[Ends::Drained], |simulation| {
        let outcome = run(simulation);
        nothing_is_left(&outcome);
        every_flow_finishes(simulation, &outcome);
    });
}

/// In addition, every byte that receivers hand on has arrived.
#[test]
fn whatever_starts_is_a_row_of_the_finished_or_the_unfinished() {
    let unfinished = Cell::new(0);
    law_of_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let mut outcome = run(simulation);
        let report = Report::new(simulation, &mut outcome);
        assert_eq!(report.unfinished.number.len() as u64, report.totals.flows_unfinished);
        let whole: u64 = report.flows.rows.iter().map(|row| row.size.get()).sum();
        let in_part: u64 = report.unfinished.received_bytes.iter().sum();
        let goodput: Bytes = outcome.hosts.iter().map(|host| host.counters.goodput()).sum();
        assert!(Bytes::new(whole + in_part) <= goodput, "{whole} and {in_part} of {goodput:?}");
        unfinished.set(unfinished.get() + report.unfinished.number.len());
    });
    assert!(unfinished.get() > 0, "some are cut off");
}

/// Nor does the way matter in which the run was carried out, although packets line up before they leave.
#[test]
fn no_link_carries_more_than_its_rate() {
    let full = Cell::new(0);
    law_of_some_random_scenarios(150, Ends::ANY, |simulation| {
        let of = |mut outcome: Outcome| Report::new(simulation, &mut outcome).ports.utilization;
        let (utilization, slowly) = (of(run(simulation)), of(reference::run(simulation).0));
        assert!(utilization.iter().all(|share| (0.0..=1.0).contains(share)), "{utilization:?}");
        assert_eq!(utilization, slowly);
        full.set(full.get() + utilization.iter().filter(|share| **share > 0.9).count());
    });
    assert!(full.get() > 0, "some links are busy nearly all the time");
}

/// Acknowledgements that are larger than data queue, and the last one waits less if an earlier one is lost. Links that
/// change may be faster than those by which a flow alone is measured.
#[test]
fn no_flow_is_faster_than_alone() {
    law_of_random_scenarios(Ends::ANY, |simulation| {
        if !simulation.scenario().link_event.is_empty() {
            return;
        }
        let outcome = run(simulation);
        let lost = dropped(&outcome, |port| port.dropped_acknowledgements.iter().sum());
        for flow in measured(simulation, &outcome) {
            assert!(flow.received >= flow.ideal.received, "{:?}", flow.flow);
            assert!(flow.finished >= flow.ideal.finished || lost > 0, "{:?}", flow.flow);
        }
    });
}
