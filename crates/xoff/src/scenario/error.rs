//! What is wrong with a scenario: one line that names the key and the remedy.

use std::fmt;

/// Error of a scenario that cannot be run, displayed as `FILE: KEY: what is wrong; what is expected`.
///
/// ```
/// use xoff::ScenarioError;
///
/// let error = ScenarioError::at("workload[0].load", "1.5 is above 1", "expected a number above 0, at most 1");
/// assert_eq!(
///     error.in_file("a.toml").to_string(),
///     "a.toml: workload[0].load: 1.5 is above 1; expected a number above 0, at most 1"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The file, where the scenario came from one.
    pub file: Option<String>,
    /// Path of the key, such as `workload[0].load`, or `line 3` where the text is not TOML.
    pub key: String,
    /// What is wrong.
    pub problem: String,
    /// What is expected, or what to do about it.
    pub expected: String,
}

impl ScenarioError {
    /// An error at a key; the file is added by whoever read it.
    pub fn at(key: impl Into<String>, problem: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { file: None, key: key.into(), problem: problem.into(), expected: expected.into() }
    }

    /// The same error in a file.
    #[must_use]
    pub fn in_file(self, file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..self }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(formatter, "{file}: ")?;
        }
        let line = format!("{}: {}; {}", self.key, self.problem, self.expected);
        // What the user wrote may hold line breaks; the error never does.
        formatter.write_str(&line.replace(['\n', '\r'], " "))
    }
}

impl std::error::Error for ScenarioError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_of_file_key_problem_and_remedy() {
        let error =
            ScenarioError::at("workload[0].load", "1.5 is above 1", "expected a number above 0, at most 1");
        assert_eq!(
            error.to_string(),
            "workload[0].load: 1.5 is above 1; expected a number above 0, at most 1"
        );
        assert!(error.in_file("a.toml").to_string().starts_with("a.toml: workload[0].load: "));
    }
}
