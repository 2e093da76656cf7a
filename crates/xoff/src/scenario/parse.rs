//! From text or tables to a `Scenario` and back.

use toml::{Table, Value};

use super::schema::Node;
use super::{Scenario, ScenarioError, conform, overrides};

impl Scenario {
    /// Reads a scenario file's text, with the `KEY=VALUE` overrides applied.
    pub fn from_toml(text: &str, overrides: &[String]) -> Result<Self, ScenarioError> {
        let table = text.parse::<Table>().map_err(|error| syntax_error(text, &error))?;
        Self::from_value(table, overrides)
    }

    /// Reads a scenario that is already a table, with the `KEY=VALUE` overrides applied.
    pub fn from_value(mut table: Table, overrides: &[String]) -> Result<Self, ScenarioError> {
        overrides::apply(&mut table, overrides)?;
        let value = Value::Table(table);
        conform::check(Node::root(), &value, "")?;
        let scenario: Self = serde_path_to_error::deserialize(value).map_err(|error| {
            // What conforms to the schema is readable; only a schema that says less than its type leads here.
            ScenarioError::at(
                error.path().to_string(),
                error.inner().message(),
                "see `xoff explain` for this key",
            )
        })?;
        scenario.validate()?;
        Ok(scenario)
    }

    /// The scenario as a file with every default filled in, which reads back as the same scenario.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("what was read from TOML can be written as TOML")
    }
}

fn syntax_error(text: &str, error: &toml::de::Error) -> ScenarioError {
    let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let problem = error.message().lines().collect::<Vec<_>>().join(", ");
    ScenarioError::at(format!("line {line}"), problem, "expected TOML, such as key = \"value\"")
}
