//! Errors of the simulator as `xoff.errors.ScenarioError`.

use pyo3::prelude::*;
use xoff::ScenarioError;

/// Returns the Python exception of an error, of the same kind and with the same candidates.
/// The class is defined in Python, as abi3 before 3.12 cannot extend `ValueError`.
pub(crate) fn raise(py: Python<'_>, error: ScenarioError) -> PyErr {
    let expected = error.expected();
    let arguments = (error.file, error.key, error.problem, expected, error.kind.name(), error.candidates);
    let exception = || py.import("xoff.errors")?.getattr("ScenarioError")?.call1(arguments);
    exception().map_or_else(|failure| failure, PyErr::from_value)
}
