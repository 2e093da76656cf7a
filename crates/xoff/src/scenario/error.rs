//! What is wrong with a scenario: one line that names file, key and remedy.

use std::fmt;

/// A scenario that cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The scenario's file, once it is known.
    pub file: Option<String>,
    /// Path of the key, such as `topology.links[3].between`.
    pub key: String,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub expected: String,
}

impl ScenarioError {
    /// An error at a key of a scenario whose file is not known yet.
    pub fn at(key: impl Into<String>, problem: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { file: None, key: key.into(), problem: problem.into(), expected: expected.into() }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(formatter, "{file}: ")?;
        }
        write!(formatter, "{}: {}; expected {}", self.key, self.problem, self.expected)
    }
}

impl std::error::Error for ScenarioError {}
