//! xoff: a packet-level simulator of datacenter fabrics.
//!
//! A [`Scenario`] is read from TOML text, [`run`] simulates it, and the [`Report`] holds what came of it as columns of
//! numbers. There is no Python here, no file, no clock and no printing: the caller hands over text and takes numbers.
//!
//! ```
//! use xoff::{Files, Scenario};
//!
//! // Two hosts at one switch; a file lists the flows.
//! let text = r#"
//! topology = { kind = "star", hosts = 2, host_link = { rate = "10Gbps", delay = "1us" } }
//! transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
//! workload = [{ kind = "trace", transport = "tcp", file = "flows.csv" }]
//! "#;
//! let flows = "source,destination,size_bytes,start_ns,priority\nhost0,host1,1000000,0,0\n";
//! let files = Files::from([("flows.csv".to_owned(), flows.to_owned())]);
//!
//! let scenario = Scenario::from_toml(text, &[])?;
//! let report = xoff::run(&scenario, &files, 1, &mut |_progress| true)?;
//!
//! let flow = &report.flows.rows[0];
//! assert_eq!(flow.size.get(), 1_000_000);
//! // No flow is faster than alone on an idle network with an unlimited window.
//! assert!(flow.finish.since(flow.start) >= flow.ideal);
//! # Ok::<(), xoff::ScenarioError>(())
//! ```
//!
//! [`Simulation`] is a scenario laid out: it can be run several times, and asked about its network before.

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
pub use kernel::units;
pub use report::Report;
pub use scenario::{Scenario, ScenarioError};
pub use simulation::{Execution, Simulation};
pub use workload::Files;

/// Runs a scenario on so many threads.
///
/// `files` holds the text of every file that the scenario names, by the path written there. `progress` is called at
/// checks, every 100 us of simulated time by default, and returns whether to go on. The number of threads changes no result:
///
/// ```
/// use xoff::{Files, Scenario};
///
/// let text = r#"
/// topology = { kind = "star", hosts = 4, host_link = { rate = "100Gbps", delay = "1us" } }
/// transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
/// workload = [{ kind = "permutation", transport = "tcp", size = "100kB" }]
/// "#;
/// let scenario = Scenario::from_toml(text, &[])?;
/// let digest = |threads| xoff::run(&scenario, &Files::new(), threads, &mut |_| true).map(|report| report.digest);
/// assert_eq!(digest(1)?, digest(2)?);
/// # Ok::<(), xoff::ScenarioError>(())
/// ```
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
