//! Closed forms: results that can be computed by hand, which the simulator must match to the picosecond or within a
//! stated tolerance.

#[path = "../common/accounts.rs"]
mod accounts;
#[path = "../common/mod.rs"]
mod common;
#[path = "../reference/mod.rs"]
mod reference;

mod any_run;
mod buffer_policies;
mod cells;
mod coexistence;
mod collectives;
mod congestion_points;
mod crossbar_marking;
mod dctcp;
mod driven;
mod drops;
mod ecn;
mod ecn_star;
mod fast_forward;
mod headroom;
mod host_bursts;
mod jobs;
mod limiters;
mod link_events;
mod load_balancing;
mod lone_flow;
mod measured_time;
mod mixed_ports;
mod observation;
mod offered;
mod one_queue;
mod outside;
mod pauses;
mod persistent_queue_pairs;
mod pfc;
mod priority;
mod queue_disciplines;
mod receiver_credit;
mod roce;
mod shapers;
mod slow_receivers;
mod telemetry;
mod trimming;

use accounts::ports;
use common::random::Ends;
use common::{PLAIN, law_of_some_random_scenarios, simulation_of};
use xoff::internals::engine::{Outcome, Quantity};
use xoff::internals::host::{FinishedFlow, Host};
use xoff::internals::ideal::{self, Ideal};
use xoff::network::NodeId;
use xoff::units::{Span, Time};
use xoff::{Files, Simulation};

fn simulation(text: &str) -> Simulation {
    simulation_of(text, &[], &Files::new())
}

/// Holds a law against fewer random scenarios than usual, for laws that run a scenario several times or for longer.
fn law_of_watched_random_scenarios<Law: Fn(&Simulation)>(ends: &'static [Ends], law: Law) {
    law_of_some_random_scenarios(400, ends, law);
}

fn run(simulation: &Simulation) -> Outcome {
    simulation.run(PLAIN, &mut |_| true)
}

/// Finished flow beside the time that it would have taken alone.
struct Measured<'a> {
    source: NodeId,
    flow: &'a FinishedFlow,
    received: Span,
    finished: Span,
    ideal: Ideal,
}

/// Finished flows of a run.
fn measured<'a>(simulation: &'a Simulation, outcome: &'a Outcome) -> impl Iterator<Item = Measured<'a>> {
    let of_host = |host: &'a Host| host.finished().iter().map(|flow| (host.id(), flow));
    outcome.hosts.iter().flat_map(of_host).filter_map(|(source, flow)| {
        let start = &flow.flow;
        let received_at = outcome.hosts[start.destination as usize]
            .received_at(start.reception, &simulation.fabric().plans)?;
        let received = received_at.since(start.start);
        let finished = if flow.finish == Time::MAX { received } else { flow.finish.since(start.start) };
        let transport = start.transport as usize;
        let ideal =
            ideal::of_flow(simulation, source, start.destination, start.number, start.size, transport);
        Some(Measured { source, flow, received, finished, ideal })
    })
}

/// Values that were recorded of one port after the warm-up.
fn recorded(
    simulation: &Simulation,
    outcome: &Outcome,
    quantity: Quantity,
    port: &str,
    warm_up: Span,
) -> Vec<f64> {
    let position = xoff::network::port_names(simulation.network()).position(|name| name == port);
    let port = position.expect("the port exists") as u32;
    let from = Time::ZERO + warm_up;
    let rows = outcome.samples.until(Time::MAX).into_iter();
    let rows = rows.filter(|row| row.quantity == quantity && row.entity == port && row.time >= from);
    rows.map(|row| row.value).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Holds a measured value against the expected one and shows both: `--nocapture` prints the table of what is proved.
#[allow(clippy::print_stdout)]
fn validate(what: &str, expected: f64, measured: f64, tolerance: f64) {
    println!("{what} | expected {expected:.4} +- {tolerance:.4} | measured {measured:.4}");
    assert!(
        (measured - expected).abs() <= tolerance,
        "{what}: {measured}, expected {expected} +- {tolerance}"
    );
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
