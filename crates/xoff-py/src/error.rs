//! Errors of the simulator as `xoff.errors.ScenarioError`.

use pyo3::prelude::*;
use xoff::ScenarioError;

/// The Python exception; the class is Python's own, as abi3 before 3.12 cannot extend `ValueError`.
pub(crate) fn raise(py: Python<'_>, error: ScenarioError) -> PyErr {
    let arguments = (error.file, error.key, error.problem, error.expected);
    let exception = || py.import("xoff.errors")?.getattr("ScenarioError")?.call1(arguments);
    exception().map_or_else(|failure| failure, PyErr::from_value)
}
