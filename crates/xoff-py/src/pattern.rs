//! Name patterns, as scenarios have them.

use pyo3::prelude::*;
use xoff::network::pattern;

/// Whether a pattern is that of a name.
#[pyfunction]
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    pattern::matches(pattern, name)
}
