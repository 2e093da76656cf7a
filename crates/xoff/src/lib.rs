//! xoff: a packet-level simulator of datacenter fabrics.
//! No Python, no files, no printing: text and bytes come in, results go out.

#[macro_use]
mod tagged;
pub mod agenda;
pub mod application;
pub mod classes;
pub mod congestion_control;
pub mod diagnosis;
pub mod engine;
pub mod flow_path;
pub mod fluid;
pub mod host;
pub mod ideal;
pub mod kernel;
pub mod layout;
pub mod observer;
pub mod packet;
pub mod pause_frames;
pub mod pfc;
pub mod plan;
pub mod port;
pub mod queued_flows;
mod reading;
pub mod report;
pub mod routing;
pub mod scenario;
pub mod scheduler;
pub mod simulation;
pub mod spraying;
pub mod switch;
pub mod telemetry;
pub mod topology;
pub mod transport;
pub mod watch;
pub mod workload;

pub use engine::Progress;
pub use report::Report;
pub use scenario::{Scenario, ScenarioError};
pub use simulation::{Execution, Simulation};
pub use workload::Files;

/// Runs a scenario. `files` holds the text of every file that it names; `progress` is asked whether to go on.
pub fn run(
    scenario: &Scenario,
    files: &Files,
    threads: usize,
    progress: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Report, ScenarioError> {
    let simulation = Simulation::new(scenario, files)?;
    let mut outcome = simulation.run(Execution::with_threads(threads), progress);
    Ok(Report::new(&simulation, &mut outcome))
}
