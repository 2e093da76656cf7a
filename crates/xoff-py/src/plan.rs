//! The formulas of planning, as JSON.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;
use xoff::kernel::units::{Bytes, Rate, Span};
use xoff::plan::headroom::{Headroom, Link, PUBLISHED_REACTION_QUANTA};

/// The parts of the headroom of one class of one port, in bytes, as the papers count them.
#[pyfunction]
pub(crate) fn published_headroom(rate_bps: u64, delay_ns: u64, largest_bytes: u64) -> PyResult<String> {
    if rate_bps == 0 {
        return Err(PyValueError::new_err("a link of rate 0 carries nothing"));
    }
    let link = Link {
        rate: Rate::new(rate_bps),
        delay: Span::from_nanoseconds(delay_ns),
        largest: Bytes::new(largest_bytes),
        reaction_quanta: PUBLISHED_REACTION_QUANTA,
        pool_may_be_full: false,
    };
    let parts = Headroom::of(&link).published();
    let Headroom { wait, propagation, reaction, response, last_propagation, .. } = parts;
    let parts = json!({
        "wait_bytes": wait.get(), "propagation_bytes": propagation.get(), "reaction_bytes": reaction.get(),
        "response_bytes": response.get(), "last_propagation_bytes": last_propagation.get(),
        "total_bytes": parts.total().get(),
    });
    Ok(parts.to_string())
}
