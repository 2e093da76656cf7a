//! TOML as Python values, and `--set KEY=VALUE` for files that are not scenarios.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xoff::settings;

use crate::error::raise;
use crate::typed::typed;

/// JSON Schema of a kind of file, as `--set` walks it.
#[pyclass(frozen, module = "xoff._xoff")]
pub(crate) struct FileSchema(settings::FileSchema);

#[pymethods]
impl FileSchema {
    /// Takes the schema as JSON. The process keeps it: make one for each kind of file, not for each file.
    #[new]
    fn new(schema: &str) -> PyResult<Self> {
        let schema =
            serde_json::from_str(schema).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self(settings::FileSchema::new(schema)))
    }

    /// Reads a file's text and makes each of the `KEY=VALUE` changes. Raises ScenarioError.
    fn changed<'py>(&self, py: Python<'py>, text: &str, changes: Vec<String>) -> PyResult<Bound<'py, PyAny>> {
        let table = self.0.changed(text, &changes).map_err(|error| raise(py, error))?;
        typed(py, &table)
    }
}

/// Reads a file's text as TOML. Raises ScenarioError.
#[pyfunction]
pub(crate) fn toml<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let table = settings::document(text).map_err(|error| raise(py, error))?;
    typed(py, &table)
}

/// A value as `--set` takes it: TOML, or else the text as it stands.
#[pyfunction]
pub(crate) fn value<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    typed(py, &settings::value(text))
}
