//! Buffer policies in Python.

use pyo3::intern;
use pyo3::prelude::*;
use xoff::schemes::{BufferPolicy, Occupancy};
use xoff::units::Bytes;

use super::Class;
use super::calls::watched;
use super::facts::{Facts, Method};
use super::faults::{Failure, whole};

/// Buffer policy with its settings. One object answers for all switches, and keeps no state.
pub(super) struct Policy {
    class: Class,
    object: Py<PyAny>,
    threshold: Method,
    /// Whether the class says that a fuller pool never raises a threshold.
    falls: bool,
}

impl Policy {
    pub(super) fn new(py: Python<'_>, class: Class) -> PyResult<Self> {
        let object = watched(py, || class.python.bind(py).call1((class.parameters.bind(py),)))?;
        object.setattr(intern!(py, "_is_made"), true)?;
        let object = object.unbind();
        let threshold = class.method(py, "threshold")?.expect("the class was checked");
        let falls = class.python.bind(py).getattr(intern!(py, "falls"))?.is_truthy()?;
        Ok(Self { class, object, threshold, falls })
    }

    fn note(&self, failure: Failure) -> Bytes {
        self.class.faults.note(&self.class.name, self.threshold.name, (u64::MAX, None), failure);
        Bytes::MAX
    }
}

impl BufferPolicy for Policy {
    fn threshold(&self, priority: usize, occupancy: &Occupancy) -> Bytes {
        let facts = Facts {
            priority: priority as u64,
            shared: occupancy.shared.get(),
            used: occupancy.shared_used.get(),
            queues: occupancy.queues,
            ..Facts::default()
        };
        if self.class.faults.any() {
            return Bytes::MAX;
        }
        Python::attach(|py| {
            let answer = watched(py, || self.threshold.call(py, self.object.bind(py), &facts));
            match answer {
                Ok(answer) => match whole(&answer, "expected a number of bytes, at least 0") {
                    Ok(bytes) => Bytes::new(bytes),
                    Err(failure) => self.note(failure),
                },
                Err(error) => self.note(Failure::Raised(error)),
            }
        })
    }

    fn rises_as_the_pool_fills(&self) -> bool {
        !self.falls
    }
}
