//! From changes to a fluid model.

use toml::{Table, Value};

use super::overrides::OF_SCENARIOS;
use super::parse::conforming;
use super::schema::Node;
use super::{ScenarioError, overrides};
use crate::fluid::{Parameters, dcqcn};
use crate::kernel::units::Bytes;

/// Numbers that a run may record, and remember: 80 MB each, of which tables and plots take a multiple.
const MOST_NUMBERS: u64 = 10_000_000;

impl Parameters {
    /// A fluid model with the `KEY=VALUE` changes to its defaults.
    pub fn with_changes(model: &str, changes: &[String]) -> Result<Self, ScenarioError> {
        let mut table = Table::new();
        table.insert("model".to_owned(), model.into());
        overrides::apply(&mut table, Node::fluid(), changes, OF_SCENARIOS)?;
        if table.get("model").and_then(Value::as_str) != Some(model) {
            let problem = format!("\"{model}\" is chosen already");
            return Err(ScenarioError::at("model", problem, "expected other keys"));
        }
        let parameters: Self = conforming(table, Node::fluid())?;
        parameters.validate()?;
        Ok(parameters)
    }

    fn validate(&self) -> Result<(), ScenarioError> {
        let too_many = |key: &str, numbers: u64, words: &str, remedy: &str| {
            let problem = format!("{numbers} numbers {words}");
            let expected = format!("expected at most {MOST_NUMBERS}, {remedy}");
            if numbers > MOST_NUMBERS { Err(ScenarioError::at(key, problem, expected)) } else { Ok(()) }
        };
        let recorded = self.recorded_numbers();
        too_many("every", recorded, "would be recorded", "by a longer `every` or a shorter `duration`")?;
        let remembered = self.remembered_numbers();
        too_many(
            "step",
            remembered,
            "of the past would be remembered",
            "by a longer `step` or a shorter delay",
        )?;
        match self {
            Self::Dcqcn(parameters) => increases_are_steps_apart(parameters),
            Self::Dctcp(_) => Ok(()),
        }
    }
}

/// Increases that are less than a step apart make the integration swing by itself.
fn increases_are_steps_apart(parameters: &dcqcn::Parameters) -> Result<(), ScenarioError> {
    let least = parameters.rate.as_f64() / 8.0 * parameters.integration.step.as_seconds();
    let counter = parameters.byte_counter;
    if counter == Bytes::ZERO || counter.as_f64() >= least {
        return Ok(());
    }
    let problem = format!("{} B pass within a `step` at `rate`", counter.get());
    let expected = format!("expected 0B, or at least {} B", least.ceil());
    Err(ScenarioError::at("byte_counter", problem, expected))
}
