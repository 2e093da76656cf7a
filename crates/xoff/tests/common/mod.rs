//! Start of every test: the text of a scenario, or many random ones.

mod cases;
pub(crate) mod random;

use cases::cases;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
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
/// The scenarios are the same in every run. `XOFF_NIGHTLY=1` tries 20 times as many, and `XOFF_SEED=NUMBER` draws others.
pub(crate) fn law_of_random_scenarios(ends: &'static [Ends], law: impl Fn(&Simulation)) {
    law_of_some_random_scenarios(1_000, ends, law);
}

/// Holds a law against so many random scenarios that end in one of these ways, or in nightly tests 20 times as many.
pub(crate) fn law_of_some_random_scenarios(number: u32, ends: &'static [Ends], law: impl Fn(&Simulation)) {
    law_of_random_texts(number, ends, |text| law(&simulation_of(text, &[], &random::files())));
}

/// Holds a law against the texts of so many random scenarios, or in nightly tests 20 times as many.
pub(crate) fn law_of_random_texts(number: u32, ends: &'static [Ends], law: impl Fn(&str)) {
    let config = Config { failure_persistence: None, ..Config::with_cases(cases(number)) };
    let rng = drawing(config.rng_algorithm);
    let checked = TestRunner::new_with_rng(config, rng).run(&random::scenario(ends), |text| {
        law(&text);
        Ok(())
    });
    checked.unwrap_or_else(|error| panic!("{error}"));
}

/// Returns the random numbers by which scenarios are drawn: the same in every run, unless `XOFF_SEED` names a seed.
fn drawing(algorithm: RngAlgorithm) -> TestRng {
    let Ok(seed) = std::env::var("XOFF_SEED") else { return TestRng::deterministic_rng(algorithm) };
    let seed: u64 = seed.parse().expect("XOFF_SEED is a whole number");
    let words = [seed; 4].map(u64::to_le_bytes);
    TestRng::from_seed(algorithm, words.as_flattened())
}
