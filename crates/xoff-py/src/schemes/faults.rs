//! Faults of schemes in the course of a run: what a method raised, or an answer that is none.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::intern;
use pyo3::prelude::*;
use xoff::network::Network;

/// Flow of a fault: the number of its host and its number there.
pub(super) type FlowOfHost = (u32, u32);

/// Way in which a method has failed.
pub(super) enum Failure {
    /// Exception that the method raised.
    Raised(PyErr),
    /// Answer that it may not give, and what was expected.
    Answered(String, String),
}

impl Failure {
    /// Whether a method did not return until the watcher ended it.
    fn took_too_long(&self) -> bool {
        let Self::Raised(error) = self else { return false };
        Python::attach(|py| {
            let watching = py.import(intern!(py, "xoff.schemes.watching"));
            let class = watching.and_then(|module| module.getattr(intern!(py, "TookTooLong")));
            class.is_ok_and(|class| error.is_instance(py, &class))
        })
    }
}

/// Fault of a scheme.
struct Fault {
    /// Time in picoseconds, and the flow, where the scheme has one.
    key: (u64, Option<FlowOfHost>),
    scheme: String,
    method: &'static str,
    failure: Failure,
}

/// First fault of a run. All threads note theirs up to the check that ends the run, so that it depends on none of them.
#[derive(Default)]
pub(crate) struct Faults {
    is_noted: AtomicBool,
    is_stuck: AtomicBool,
    has_schemes: AtomicBool,
    first: Mutex<Option<Fault>>,
}

impl Faults {
    /// Notes a fault, if it is the first.
    pub(super) fn note(
        &self,
        scheme: &str,
        method: &'static str,
        (now, flow): (u64, Option<FlowOfHost>),
        failure: Failure,
    ) {
        if failure.took_too_long() {
            self.is_stuck.store(true, Ordering::Relaxed);
        }
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (now, flow);
        if first.as_ref().is_none_or(|noted| key < noted.key) {
            *first = Some(Fault { key, scheme: scheme.to_owned(), method, failure });
        }
        self.is_noted.store(true, Ordering::Release);
    }

    /// Notes that a scheme in Python may cause them.
    pub(super) fn expect(&self) {
        self.has_schemes.store(true, Ordering::Relaxed);
    }

    /// Whether a scheme in Python may cause them.
    pub(crate) fn has_schemes(&self) -> bool {
        self.has_schemes.load(Ordering::Relaxed)
    }

    /// Whether there is one.
    pub(crate) fn any(&self) -> bool {
        self.is_noted.load(Ordering::Acquire)
    }

    /// Whether a method did not return, so that no other call is worth waiting for: each may take as long again.
    #[inline]
    pub(super) fn is_stuck(&self) -> bool {
        self.is_stuck.load(Ordering::Relaxed)
    }

    /// Takes the first fault out, as a `SchemeError`.
    pub(crate) fn take(&self, py: Python<'_>, network: Option<&Network>) -> Option<PyErr> {
        let fault = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.is_noted.store(false, Ordering::Release);
        self.is_stuck.store(false, Ordering::Relaxed);
        let Fault { key: (now, flow), scheme, method, failure } = fault?;
        let flow = flow.map(|(host, number)| {
            let name = network.and_then(|network| network.nodes.get(host as usize));
            let name = name.map_or_else(|| host.to_string(), |node| node.name.clone());
            format!("{name}.flow{number}")
        });
        let made = || {
            let module = py.import("xoff.schemes.faults")?;
            match failure {
                Failure::Raised(error) => module.call_method1("raised", (scheme, method, now, flow, error)),
                Failure::Answered(answer, expected) => {
                    module.call_method1("answered", (scheme, method, now, flow, answer, expected))
                }
            }
        };
        Some(made().map_or_else(|error| error, PyErr::from_value))
    }
}

/// Reads an answer as a whole number that is not negative; fractions are cut off.
pub(super) fn whole(answer: &Bound<'_, PyAny>, expected: &str) -> Result<u64, Failure> {
    if let Ok(number) = answer.extract::<u64>() {
        return Ok(number);
    }
    let number = answer.extract::<f64>().ok().filter(|number| *number >= 0.0);
    match number {
        // Above 2^63 it is no limit.
        Some(number) if number < 9.2e18 => Ok(number as u64),
        Some(_) => Ok(u64::MAX),
        None => {
            let shown =
                answer.repr().map_or_else(|_| "what cannot be shown".to_owned(), |text| text.to_string());
            Err(Failure::Answered(shown, expected.to_owned()))
        }
    }
}
