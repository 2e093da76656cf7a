//! What every test starts from: the text of a scenario.

pub(crate) mod random;

use std::path::PathBuf;

use xoff::kernel::units::Span;
use xoff::simulation::Execution;
use xoff::{Files, Report, Scenario, Simulation};

/// A simulation of the scenario in `text`, with these overrides.
pub(crate) fn simulation(text: &str, overrides: &[&str]) -> Simulation {
    simulation_of(text, overrides, &Files::new())
}

/// The same with the files that it names.
pub(crate) fn simulation_of(text: &str, overrides: &[&str], files: &Files) -> Simulation {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    let scenario = Scenario::from_toml(text, &overrides).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Simulation::new(&scenario, files).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs a simulation to its end.
pub(crate) fn report(simulation: &Simulation, execution: Execution) -> Report {
    Report::new(simulation, &simulation.run(execution, &mut |_| true))
}

/// One thread and windows as long as they can be.
pub(crate) const PLAIN: Execution = Execution { threads: 1, longest_window: Span::MAX };

/// A folder of the repository.
pub(crate) fn folder(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
