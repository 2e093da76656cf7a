//! Start of every test: the text of a scenario, or many random ones.

mod cases;
pub(crate) mod random;

use cases::cases;
use proptest::test_runner::{Config, TestRng, TestRunner};
use random::Ends;
use xoff::Execution;
use xoff::units::Span;
use xoff::{Files, Report, Scenario, Simulation};

/// Execution with one thread, and windows as long as they can be.
pub(crate) const PLAIN: Execution = Execution { threads: 1, longest_window: Span::MAX };

/// Makes the simulation of the scenario in `text`, with these overrides and the files that it names.
pub(crate) fn simulation_of(text: &str, overrides: &[&str], files: &Files) -> Simulation {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    let scenario = Scenario::from_toml(text, &overrides).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Simulation::new(&scenario, files).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs a simulation to its end.
pub(crate) fn report(simulation: &Simulation, execution: Execution) -> Report {
    Report::new(simulation, &mut simulation.run(execution, &mut |_| true))
}

/// Holds a law against random scenarios that end in one of these ways, and shows the smallest that breaks it.
///
/// The scenarios are the same in every run. `XOFF_NIGHTLY=1` tries 20 times as many.
pub(crate) fn law_of_random_scenarios(ends: &'static [Ends], law: impl Fn(&Simulation)) {
    law_of_some_random_scenarios(1_000, ends, law);
}

/// Holds a law against so many random scenarios that end in one of these ways, or in nightly tests 20 times as many.
pub(crate) fn law_of_some_random_scenarios(number: u32, ends: &'static [Ends], law: impl Fn(&Simulation)) {
    let config = Config { failure_persistence: None, ..Config::with_cases(cases(number)) };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let checked = TestRunner::new_with_rng(config, rng).run(&random::scenario(ends), |text| {
        law(&simulation_of(&text, &[], &random::files()));
        Ok(())
    });
    checked.unwrap_or_else(|error| panic!("{error}"));
}
