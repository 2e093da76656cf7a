//! Schemes written in Python: asks Python for the class of a name, and calls its methods in the course of a run.
//!
//! A method gets the facts that its parameters name, each a whole number, a truth value or `None`. So a call makes no
//! object that the method does not ask for. After each event the scheme's window, rate and timer are asked for once,
//! and kept until the next.

mod calls;
mod control;
mod facts;
mod faults;
mod marker;
mod policy;

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::{Map, Value};
use xoff::schemes::{BufferPolicy, Family, Finder, Foreign, ForeignMarking, Made, Refusal, Scheme};

pub(crate) use calls::scheme_calls;
use facts::Method;
pub(crate) use faults::Faults;

/// Finder that asks a Python function: `find(family, name)` returns a `Described`, or None.
pub(crate) struct PythonFinder {
    pub(crate) find: Py<PyAny>,
    pub(crate) faults: Arc<Faults>,
}

impl Finder for PythonFinder {
    fn find(&self, family: Family, name: &str) -> Result<Option<Scheme>, Refusal> {
        Python::attach(|py| {
            let found =
                self.find.bind(py).call1((family.name(), name)).map_err(|error| refusal(py, &error))?;
            if found.is_none() {
                return Ok(None);
            }
            scheme(&found, family, name, &self.faults).map(Some).map_err(|error| refusal(py, &error))
        })
    }
}

/// Returns what Python has described as a scheme of the simulator.
fn scheme(
    described: &Bound<'_, PyAny>,
    family: Family,
    name: &str,
    faults: &Arc<Faults>,
) -> PyResult<Scheme> {
    faults.expect();
    let schema: String = described.getattr("schema")?.extract()?;
    let schema = serde_json::from_str(&schema).unwrap_or_default();
    let (described, faults) = (described.clone().unbind(), Arc::clone(faults));
    let name_of_class = name.to_owned();
    let made = move |settings: Map<String, Value>| {
        Python::attach(|py| {
            let class = || Class::new(described.bind(py), &settings, &name_of_class, &faults);
            class().map_err(|error| refusal(py, &error))
        })
    };
    Ok(match family {
        Family::CongestionControl => Scheme::new::<dyn Foreign>(family, name, &schema, move |settings| {
            let (complete, class) = made(settings)?;
            let control =
                Python::attach(|py| control::Control::new(py, class).map_err(|error| refusal(py, &error)))?;
            Ok::<Made<dyn Foreign>, _>((complete, Arc::new(control)))
        }),
        Family::BufferPolicy => Scheme::new::<dyn BufferPolicy>(family, name, &schema, move |settings| {
            let (complete, class) = made(settings)?;
            let policy =
                Python::attach(|py| policy::Policy::new(py, class).map_err(|error| refusal(py, &error)))?;
            Ok::<Made<dyn BufferPolicy>, _>((complete, Arc::new(policy)))
        }),
        Family::Marking => Scheme::new::<dyn ForeignMarking>(family, name, &schema, move |settings| {
            let (complete, class) = made(settings)?;
            let marking =
                Python::attach(|py| marker::Marking::new(py, class).map_err(|error| refusal(py, &error)))?;
            Ok::<Made<dyn ForeignMarking>, _>((complete, Arc::new(marking)))
        }),
    })
}

/// Class of a scheme with its settings.
pub(crate) struct Class {
    /// Name in scenarios.
    name: String,
    /// The class in Python.
    python: Py<PyAny>,
    parameters: Py<PyAny>,
    methods: Py<PyDict>,
    faults: Arc<Faults>,
}

impl Class {
    /// Has Python turn the settings of a scenario into the class's parameters. Returns the complete settings, too.
    fn new(
        described: &Bound<'_, PyAny>,
        settings: &Map<String, Value>,
        name: &str,
        faults: &Arc<Faults>,
    ) -> PyResult<(Map<String, Value>, Self)> {
        let settings = serde_json::to_string(settings).expect("settings are plain values");
        let (complete, parameters): (String, Py<PyAny>) =
            described.call_method1("read", (settings,))?.extract()?;
        let complete = serde_json::from_str(&complete).unwrap_or_default();
        let class = Self {
            name: name.to_owned(),
            python: described.getattr("cls")?.unbind(),
            parameters,
            methods: described.getattr("methods")?.cast_into::<PyDict>()?.unbind(),
            faults: Arc::clone(faults),
        };
        Ok((complete, class))
    }

    /// Returns a method with the facts that it asks for, if the class has the method.
    fn method(&self, py: Python<'_>, name: &'static str) -> PyResult<Option<Method>> {
        match self.methods.bind(py).get_item(name)? {
            Some(found) => Method::new(name, &found).map(Some),
            None => Ok(None),
        }
    }

    /// Returns an attribute of the class as text.
    fn text(&self, py: Python<'_>, attribute: &str) -> PyResult<String> {
        Ok(self.python.bind(py).getattr(attribute)?.cast_into::<PyString>()?.to_string())
    }
}

/// Returns problem and remedy of a Python error: those of an `InputError`, or else its own words.
fn refusal(py: Python<'_>, error: &PyErr) -> Refusal {
    let value = error.value(py);
    let text = |name: &str| value.getattr(name).and_then(|text| text.extract::<String>()).ok();
    match (text("problem"), text("expected")) {
        (Some(problem), Some(expected)) => Refusal { problem, expected },
        _ => Refusal { problem: error.to_string(), expected: "expected a class that can be made".to_owned() },
    }
}

/// Describes a scheme and its keys, given family, name and JSON Schema, as `explain` does.
#[pyfunction]
pub(crate) fn explain_scheme(family: &str, name: &str, schema: &str) -> String {
    let Some(family) = Family::named(family) else { return "[]".to_owned() };
    let schema = serde_json::from_str(schema).unwrap_or_default();
    let refuse = |_| Err(Refusal { problem: String::new(), expected: String::new() });
    let scheme = Scheme::new::<dyn BufferPolicy>(family, name, &schema, refuse);
    serde_json::to_string(&xoff::catalogue::explain_scheme(&scheme)).expect("plain text")
}
