//! Errors of scenarios: the kind of mistake, its key and the names that may be meant, and the sentence made from them.

use std::fmt;

use super::words::one_line;

/// Error of a scenario that cannot be run, displayed as `FILE: KEY: what is wrong; what is expected`.
/// Code decides by kind, key and candidates; the sentences are for people.
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
    /// File that the scenario was read from, if any.
    pub file: Option<String>,
    /// Path of the key, such as `workload[0].load`, or `line 3` where the text is not TOML.
    pub key: String,
    /// Kind of mistake.
    pub kind: ErrorKind,
    /// Names that may be meant instead, the nearest first; empty where none is near.
    pub candidates: Vec<String>,
    /// Sentence that says what is wrong.
    pub problem: String,
    /// Sentence that says what would be right, without the candidates.
    remedy: Box<str>,
}

/// Kinds of mistakes in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A text that is not TOML.
    Syntax,
    /// A required key that is not set.
    MissingKey,
    /// A key that its table does not have.
    UnknownKey,
    /// A word or a name that the key does not take.
    UnknownName,
    /// A name that `xoff explain` does not know.
    Unexplained,
    /// A value that cannot be read as what the key takes.
    WrongType,
    /// A value outside its range.
    OutOfRange,
    /// Any other mistake, such as values that do not fit together.
    Other,
}

impl ErrorKind {
    /// Returns the kind's name in snake case, as Python has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::MissingKey => "missing_key",
            Self::UnknownKey => "unknown_key",
            Self::UnknownName => "unknown_name",
            Self::Unexplained => "unexplained",
            Self::WrongType => "wrong_type",
            Self::OutOfRange => "out_of_range",
            Self::Other => "other",
        }
    }
}

impl ScenarioError {
    /// Returns an error at a key, of no kind in particular; the reader of the file adds the file.
    pub fn at(key: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            file: None,
            key: key.into(),
            kind: ErrorKind::Other,
            candidates: Vec::new(),
            problem: problem.into(),
            remedy: remedy.into().into_boxed_str(),
        }
    }

    /// Returns the error of a required key that is not set.
    pub fn missing(key: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::at(key, "missing", remedy).of_kind(ErrorKind::MissingKey)
    }

    /// Returns the error as one of a kind.
    #[must_use]
    pub fn of_kind(self, kind: ErrorKind) -> Self {
        Self { kind, ..self }
    }

    /// Returns the error as one of an unknown name, for which `meant` may be meant.
    #[must_use]
    pub fn of_unknown_name(self, meant: Option<&str>) -> Self {
        self.of_kind(ErrorKind::UnknownName).with_candidate(meant)
    }

    /// Returns the error with a name that may be meant.
    #[must_use]
    pub fn with_candidate(self, meant: Option<&str>) -> Self {
        Self { candidates: meant.map(str::to_owned).into_iter().collect(), ..self }
    }

    /// Returns the error with something else to do, said first.
    #[must_use]
    pub(super) fn with_remedy_first(self, remedy: &str) -> Self {
        Self { remedy: format!("{remedy}; {}", self.expected()).into(), candidates: Vec::new(), ..self }
    }

    /// Returns the error of a missing key with the change that has replaced its table.
    #[must_use]
    pub(super) fn replaced_by(self, change: &str) -> Self {
        Self { problem: format!("{}, as {change} replaces the table", self.problem), ..self }
    }

    /// Returns the error with the file that it is about.
    #[must_use]
    pub fn in_file(self, file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..self }
    }

    /// Returns the sentence that says what would be right; candidates come first.
    pub fn expected(&self) -> String {
        let quote = match self.kind {
            ErrorKind::UnknownKey | ErrorKind::Unexplained => '`',
            _ => '"',
        };
        match self.candidates.first() {
            Some(name) => format!("did you mean {quote}{name}{quote}? {}", self.remedy),
            None => self.remedy.to_string(),
        }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(formatter, "{file}: ")?;
        }
        let line = format!("{}: {}; {}", self.key, self.problem, self.expected());
        formatter.write_str(&one_line(&line))
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

    #[test]
    fn an_error_shows_what_a_terminal_would_obey() {
        let error = ScenarioError::at("title", "\"a\tb\n\u{1b}[2J\0\" is no name", "expected one");
        assert_eq!(error.to_string(), "title: \"a b \\u{1b}[2J\\u{0}\" is no name; expected one");
    }

    #[test]
    fn a_candidate_is_a_value_and_comes_first_in_the_sentence() {
        let error = ScenarioError::at("switch.alfa", "unknown key `alfa`", "known keys: `alpha`")
            .of_kind(ErrorKind::UnknownKey)
            .with_candidate(Some("alpha"));
        assert_eq!(error.candidates, ["alpha"]);
        assert_eq!(error.expected(), "did you mean `alpha`? known keys: `alpha`");
        let first = error.with_remedy_first("left out, `switch` is empty");
        assert_eq!(
            first.expected(),
            "left out, `switch` is empty; did you mean `alpha`? known keys: `alpha`"
        );
    }
}
