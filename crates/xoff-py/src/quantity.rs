//! Quantities as scenarios spell them, for files of other kinds.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use xoff::units::{Bytes, Rate, Ratio, Span};

fn read<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    let value: serde_json::Value = serde_json::from_str(json).map_err(refusal)?;
    serde_json::from_value(value).map_err(refusal)
}

fn refusal(error: serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Base units of a size (B), a rate (bit/s) or a time (ps), given as JSON.
#[pyfunction]
pub(crate) fn quantity(dimension: &str, json: &str) -> PyResult<u64> {
    match dimension {
        "size" => read::<Bytes>(json).map(Bytes::get),
        "rate" => read::<Rate>(json).map(Rate::get),
        "time" => read::<Span>(json).map(Span::get),
        _ => Err(PyValueError::new_err(format!("{dimension} is no dimension of quantities"))),
    }
}

/// Numerator and denominator of a ratio, given as JSON.
#[pyfunction]
pub(crate) fn ratio(json: &str) -> PyResult<(u64, u64)> {
    read::<Ratio>(json).map(|ratio| (ratio.numerator(), ratio.denominator()))
}
