//! Errors of the simulator as those of `xoff.errors`.

use pyo3::prelude::*;
use xoff::ScenarioError;

/// Returns the `ScenarioError` of Python for an error.
pub(crate) fn raise(py: Python<'_>, error: ScenarioError) -> PyErr {
    exception(py, "ScenarioError", error)
}

/// Returns the `InputError` of Python for an error in the arguments of a call.
pub(crate) fn raise_input(py: Python<'_>, error: ScenarioError) -> PyErr {
    exception(py, "InputError", error)
}

/// Returns the Python exception of an error, of the same kind and with the same candidates.
/// Its class is defined in Python, as abi3 before 3.12 cannot extend `ValueError`.
fn exception(py: Python<'_>, class: &str, error: ScenarioError) -> PyErr {
    let expected = error.expected();
    let arguments = (error.file, error.key, error.problem, expected, error.kind.name(), error.candidates);
    let exception = || py.import("xoff.errors")?.getattr(class)?.call1(arguments);
    exception().map_or_else(|failure| failure, PyErr::from_value)
}
