//! Start of every test: the text of a scenario, or many random ones.

mod cases;
pub(crate) mod random;

use std::any::type_name;
use std::fs;
use std::path::{Path, PathBuf};

use cases::SEED;
pub(crate) use cases::cases;
use proptest::test_runner::{Config, TestError, TestRunner};
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
/// See [`law_of_random_texts`] for the cases.
pub(crate) fn law_of_random_scenarios<Law: Fn(&Simulation)>(ends: &'static [Ends], law: Law) {
    law_of_some_random_scenarios(1_000, ends, law);
}

/// Holds a law against so many random scenarios that end in one of these ways, or in nightly tests 20 times as many.
pub(crate) fn law_of_some_random_scenarios<Law: Fn(&Simulation)>(
    number: u32,
    ends: &'static [Ends],
    law: Law,
) {
    let name = type_name::<Law>();
    law_of_random_texts(name, number, ends, |text| law(&simulation_of(text, &[], &random::files())));
}

/// Holds a law of a name against the texts of so many random scenarios.
///
/// Every run draws equal scenarios. `XOFF_NIGHTLY=1` draws 20 times as many, and others in every run. `XOFF_SEED=NUMBER`
/// draws those of that seed. A scenario that breaks the law is kept in `tests/kept`, and tried first from then on.
pub(crate) fn law_of_random_texts(name: &str, number: u32, ends: &'static [Ends], law: impl Fn(&str)) {
    let kept = Kept::of(name);
    kept.texts().for_each(|text| law(&text));
    let config = Config { failure_persistence: None, ..cases(number) };
    let checked = TestRunner::new(config).run(&random::scenario(ends), |text| {
        law(&text);
        Ok(())
    });
    let Err(error) = checked else { return };
    if let TestError::Fail(_, text) = &error
        && *SEED != 0
    {
        let path = kept.keep(text);
        panic!("{error}\nXOFF_SEED={} drew it, and it is kept in {}", *SEED, path.display());
    }
    panic!("{error}")
}

/// Files of scenarios that have broken one law.
struct Kept {
    folder: PathBuf,
    law: String,
}

impl Kept {
    /// Takes the law's name, or the path of its closure.
    fn of(closure: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept");
        Self { folder, law: closure.trim_end_matches("::{{closure}}").replace("::", ".") }
    }

    fn path(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{}.{number}.toml", self.law))
    }

    fn texts(&self) -> impl Iterator<Item = String> {
        (0..).map_while(|number| fs::read_to_string(self.path(number)).ok())
    }

    fn keep(&self, text: &str) -> PathBuf {
        let path = self.path(self.texts().count());
        fs::create_dir_all(&self.folder).expect("the folder of kept scenarios can be made");
        fs::write(&path, text).expect("a scenario can be kept");
        path
    }
}
