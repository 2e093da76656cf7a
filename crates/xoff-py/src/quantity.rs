//! Quantities as scenarios spell them, for files of other kinds.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xoff::settings::{NoQuantity, read_fraction, read_quantity};

fn read(json: &str) -> PyResult<serde_json::Value> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns the error as `xoff.errors.InputError`, which names neither file nor key.
fn raise(py: Python<'_>, error: NoQuantity) -> PyErr {
    let arguments = (None::<String>, "", error.problem, error.expected, "wrong_type");
    let exception = || py.import("xoff.errors")?.getattr("InputError")?.call1(arguments);
    exception().map_or_else(|failure| failure, PyErr::from_value)
}

/// Returns the base units of a size (B), a rate (bit/s) or a time (ps), given as JSON. Raises InputError.
#[pyfunction]
pub(crate) fn quantity(py: Python<'_>, dimension: &str, json: &str) -> PyResult<u64> {
    read_quantity(dimension, &read(json)?).map_err(|error| raise(py, error))
}

/// Returns numerator and denominator of a ratio, given as JSON. Raises InputError.
#[pyfunction]
pub(crate) fn ratio(py: Python<'_>, json: &str) -> PyResult<(u64, u64)> {
    let ratio = read_fraction(&read(json)?).map_err(|error| raise(py, error))?;
    Ok((ratio.numerator(), ratio.denominator()))
}
