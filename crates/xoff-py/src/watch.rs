//! Watches a run from Python: reports progress and hears of Ctrl-C, about ten times a second.

use std::time::{Duration, Instant};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

const INTERVAL: Duration = Duration::from_millis(100);

/// Progress of a run.
#[pyclass(frozen, get_all, module = "xoff._xoff")]
pub(crate) struct Progress {
    /// Simulated time.
    now_ns: f64,
    /// End of the run, or of its arrivals, where it is known.
    end_ns: Option<f64>,
    /// Flows that have started.
    flows_started: u64,
    /// Flows that have finished.
    flows_finished: u64,
}

/// Watcher of one run.
pub(crate) struct Watch {
    progress: Option<Py<PyAny>>,
    last: Instant,
    /// Whether Ctrl-C is an error like others.
    keeps_interrupts: bool,
    /// Error that the watcher raised.
    pub(crate) failure: Option<PyErr>,
}

impl Watch {
    pub(crate) fn new(progress: Option<Py<PyAny>>) -> Self {
        Self { progress, last: Instant::now(), keeps_interrupts: false, failure: None }
    }

    /// Makes a watcher for which Ctrl-C is an error like others.
    pub(crate) fn of_driver(progress: Option<Py<PyAny>>) -> Self {
        Self { keeps_interrupts: true, ..Self::new(progress) }
    }

    /// Whether the run goes on.
    pub(crate) fn goes_on(&mut self, state: &xoff::Progress) -> bool {
        if self.last.elapsed() < INTERVAL {
            return true;
        }
        self.last = Instant::now();
        Python::attach(|py| self.ask(py, state).unwrap_or_else(|error| self.fail(py, error)))
    }

    fn ask(&self, py: Python<'_>, state: &xoff::Progress) -> PyResult<bool> {
        py.check_signals()?;
        let Some(progress) = &self.progress else { return Ok(true) };
        let nanoseconds = |time: xoff::units::Time| time.get() as f64 / 1000.0;
        let seen = Progress {
            now_ns: nanoseconds(state.now),
            end_ns: state.end.map(nanoseconds),
            flows_started: state.started,
            flows_finished: state.finished,
        };
        let answer = progress.call1(py, (seen,))?;
        Ok(!answer.extract::<bool>(py).is_ok_and(|go_on| !go_on))
    }

    fn fail(&mut self, py: Python<'_>, error: PyErr) -> bool {
        if self.keeps_interrupts || !error.is_instance_of::<PyKeyboardInterrupt>(py) {
            self.failure = Some(error);
        }
        false
    }
}
