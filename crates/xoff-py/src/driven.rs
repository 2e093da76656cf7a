//! A simulation that Python drives: it sends messages, and goes from event to event.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use xoff::Summary;
use xoff::driven::{DrivenSimulation, End, Event, Message, Send, Step};
use xoff::network::Network;
use xoff::units::{Bytes, Time};

use crate::error::raise_input;
use crate::result::RawResult;
use crate::scenario::Scenario;
use crate::schemes::Faults;
use crate::watch::Watch;

/// Kinds of events, as Python numbers them.
const DUE: u8 = 0;
const RECEIVED: u8 = 1;
const ACKNOWLEDGED: u8 = 2;

/// Kind, number, time in picoseconds and host of an event.
type Heard = (u8, u64, u64, Option<u32>);

/// A simulation under way. Times are in picoseconds.
#[pyclass(module = "xoff._xoff")]
pub(crate) struct Driven {
    /// None once it is finished. No two threads use it, and none waits.
    inner: Mutex<Option<DrivenSimulation>>,
    watch: Watch,
    /// Faults of schemes in Python, and the network whose flows they name.
    faults: Option<(Arc<Faults>, Network)>,
}

impl Driven {
    /// Returns the first fault of a scheme in Python.
    fn fault(&self, py: Python<'_>) -> Option<PyErr> {
        self.faults.as_ref().and_then(|(faults, network)| faults.take(py, Some(network)))
    }

    fn running(&mut self) -> PyResult<&mut DrivenSimulation> {
        let inner = self.inner.get_mut().map_or(None, Option::as_mut);
        inner.ok_or_else(|| PyRuntimeError::new_err("the simulation has been finished"))
    }
}

#[pymethods]
impl Driven {
    #[new]
    #[pyo3(signature = (scenario, files, progress = None))]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        files: BTreeMap<String, String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let inner = py.detach(|| DrivenSimulation::new(scenario.inner(), &files));
        let inner = inner.map_err(|error| scenario.raise(py, error))?;
        let faults = scenario.faults(py)?;
        Ok(Self { inner: Mutex::new(Some(inner)), watch: Watch::of_driver(progress), faults })
    }

    /// Number of the host of this name, which errors call `argument`. Raises InputError.
    fn host(&mut self, py: Python<'_>, argument: &str, name: &str) -> PyResult<u32> {
        self.running()?.host(argument, name).map_err(|error| raise_input(py, error))
    }

    /// Simulated time where the program stands.
    #[getter]
    fn now_ps(&mut self) -> PyResult<u64> {
        Ok(self.running()?.now().get())
    }

    /// Time from a reaction at one host to the first that the program may do anywhere else.
    #[getter]
    fn reach_ps(&mut self) -> PyResult<u64> {
        Ok(self.running()?.reach().get())
    }

    /// Whether the run has come to its end.
    #[getter]
    fn is_over(&mut self) -> PyResult<bool> {
        Ok(self.running()?.is_over())
    }

    /// Keeps no row of flows that finish from now on.
    fn forget_flows(&mut self) -> PyResult<()> {
        self.running()?.forget_flows();
        Ok(())
    }

    /// Sends a message. Raises InputError.
    #[allow(clippy::too_many_arguments)]
    fn send(
        &mut self,
        py: Python<'_>,
        source: u32,
        destination: u32,
        size: u64,
        priority: Option<u8>,
        transport: Option<&str>,
        at_ps: Option<u64>,
    ) -> PyResult<u64> {
        let (size, at) = (Bytes::new(size), at_ps.map(Time::new));
        let sent = self.running()?.send(Send { source, destination, size, priority, transport, at });
        sent.map(|message| message.0).map_err(|error| raise_input(py, error))
    }

    /// Lets the program hear when a message is whole at its receiver, or acknowledged at its sender. Raises InputError.
    fn listen(&mut self, py: Python<'_>, message: u64, at_sender: bool) -> PyResult<()> {
        let end = if at_sender { End::Sender } else { End::Receiver };
        self.running()?.listen(Message(message), end).map_err(|error| raise_input(py, error))
    }

    /// Lets the program hear that a time has come, at a host or everywhere. Raises InputError.
    fn at(&mut self, py: Python<'_>, time_ps: u64, host: Option<u32>) -> PyResult<u64> {
        let timer = self.running()?.at(Time::new(time_ps), host);
        timer.map(|timer| timer.0).map_err(|error| raise_input(py, error))
    }

    /// Goes on to the next event, without holding the GIL. Returns its kind, its number, its time and its host; nothing at
    /// `until_ps`, or without that once nothing is left to do. Raises InputError, and KeyboardInterrupt after Ctrl-C.
    fn next(&mut self, py: Python<'_>, until_ps: Option<u64>) -> PyResult<Option<Heard>> {
        let Self { inner, watch, .. } = self;
        let Ok(Some(inner)) = inner.get_mut() else {
            return Err(PyRuntimeError::new_err("the simulation has been finished"));
        };
        let until = until_ps.map_or(Time::MAX, Time::new);
        let step = py.detach(|| inner.next(until, &mut |state| watch.goes_on(state)));
        if let Some(failure) = watch.failure.take() {
            return Err(failure);
        }
        let step = step.map_err(|error| raise_input(py, error))?;
        if let Some(fault) = self.fault(py) {
            return Err(fault);
        }
        Ok(step.map(|Step { time, host, event }| {
            let (kind, number) = match event {
                Event::Due(timer) => (DUE, timer.0),
                Event::Complete(message, End::Receiver) => (RECEIVED, message.0),
                Event::Complete(message, End::Sender) => (ACKNOWLEDGED, message.0),
            };
            (kind, number, time.get(), host)
        }))
    }

    /// Ends the run and returns its results.
    fn finish(&mut self, py: Python<'_>) -> PyResult<RawResult> {
        self.running()?;
        let inner = self.inner.get_mut().map_or(None, Option::take);
        let simulation = inner.expect("it has been there a line above");
        let (report, summary) = py.detach(|| {
            let scenario = simulation.simulation().scenario().clone();
            let report = simulation.finish();
            let summary = Summary::new(&scenario, &report);
            (report, summary)
        });
        RawResult::new(py, report, &summary)
    }
}
