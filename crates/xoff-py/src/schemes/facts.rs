//! Facts that methods of a scheme ask for by the names of their parameters.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyTuple};
use xoff::schemes::Interval;

macro_rules! facts {
    ($($name:ident => $variant:ident),* $(,)?) => {
        /// Fact of an event, by the name of the parameter that asks for it.
        #[derive(Clone, Copy, Debug)]
        pub(super) enum Fact { $($variant,)* }

        impl Fact {
            fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($name) => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

facts! {
    now => Now,
    newly_acked => NewlyAcked,
    echo => Echo,
    cumulative => Cumulative,
    next_sequence => NextSequence,
    in_flight => InFlight,
    window_limited => WindowLimited,
    rtt => RoundTrip,
    timed => Timed,
    hops => Hops,
    timeout => Timeout,
    first_lost => FirstLost,
    payload => Payload,
    size => Size,
    restart_window => RestartWindow,
    rested => Rested,
    priority => Priority,
    shared => Shared,
    used => Used,
    free => Free,
    queues => Queues,
    length => Length,
    frame => Frame,
    draw => Draw,
    before => Before,
    after => After,
}

/// Facts of one event; each event sets those that it has.
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts<'a> {
    /// Whole numbers, by what events call them. Names that no event has together share a field.
    pub(super) now: u64,
    pub(super) newly_acked: u64,
    pub(super) cumulative: u64,
    pub(super) next_sequence: u64,
    pub(super) in_flight: u64,
    pub(super) timed: u64,
    pub(super) first_lost: u64,
    pub(super) size: u64,
    pub(super) priority: u64,
    pub(super) shared: u64,
    pub(super) used: u64,
    pub(super) queues: u64,
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) echo: bool,
    pub(super) window_limited: bool,
    pub(super) timeout: bool,
    pub(super) rested: bool,
    pub(super) rtt: Option<u64>,
    pub(super) draw: f64,
    pub(super) hops: &'a [Interval],
}

impl Facts<'_> {
    #[inline]
    fn get<'py>(&self, py: Python<'py>, fact: Fact) -> PyResult<Bound<'py, PyAny>> {
        let number = |value: u64| -> PyResult<Bound<'py, PyAny>> {
            let Ok(value): Result<Bound<'py, PyInt>, _> = value.into_pyobject(py);
            Ok(value.into_any())
        };
        let truth = |value: bool| Ok(PyBool::new(py, value).to_owned().into_any());
        match fact {
            Fact::Now => number(self.now),
            Fact::NewlyAcked => number(self.newly_acked),
            Fact::Echo => truth(self.echo),
            Fact::Cumulative => number(self.cumulative),
            Fact::NextSequence => number(self.next_sequence),
            Fact::InFlight => number(self.in_flight),
            Fact::WindowLimited => truth(self.window_limited),
            Fact::RoundTrip => match self.rtt {
                Some(rtt) => number(rtt),
                None => Ok(py.None().into_bound(py)),
            },
            Fact::Timed | Fact::Frame => number(self.timed),
            Fact::Hops => self.hops(py),
            Fact::Timeout => truth(self.timeout),
            Fact::FirstLost => number(self.first_lost),
            Fact::Payload | Fact::Size | Fact::RestartWindow | Fact::Length => number(self.size),
            Fact::Rested => truth(self.rested),
            Fact::Priority => number(self.priority),
            Fact::Shared => number(self.shared),
            Fact::Used => number(self.used),
            Fact::Free => number(self.shared.saturating_sub(self.used)),
            Fact::Queues => number(self.queues),
            Fact::Draw => Ok(self.draw.into_pyobject(py)?.into_any()),
            Fact::Before => number(self.before),
            Fact::After => number(self.after),
        }
    }

    /// One tuple for each port: rate, time, bytes sent, and the queue before and now.
    fn hops<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let each = self.hops.iter().map(|hop| {
            (hop.rate.get(), hop.span.get(), hop.sent.get(), hop.queue_before.get(), hop.queue.get())
        });
        let each = each.map(|hop| hop.into_pyobject(py)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(py, each)?.into_any())
    }
}

/// Method of a scheme's class.
pub(super) struct Method {
    /// Name of the method.
    pub(super) name: &'static str,
    function: Py<PyAny>,
    facts: Vec<Fact>,
}

impl Method {
    /// Takes a function and the names of its parameters.
    pub(super) fn new(name: &'static str, found: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (function, names): (Py<PyAny>, Vec<String>) = found.extract()?;
        let fact = |name: &String| {
            Fact::named(name).ok_or_else(|| PyTypeError::new_err(format!("there is no fact `{name}`")))
        };
        Ok(Self { name, function, facts: names.iter().map(fact).collect::<PyResult<_>>()? })
    }

    /// Whether the method asks for a random number.
    pub(super) fn asks_for_draw(&self) -> bool {
        self.facts.iter().any(|fact| matches!(fact, Fact::Draw))
    }

    /// Calls the method of an object with the facts that it asks for.
    #[inline]
    #[allow(clippy::many_single_char_names)] // they are parameters of Python
    pub(super) fn call<'py>(
        &self,
        py: Python<'py>,
        object: &Bound<'py, PyAny>,
        facts: &Facts<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = self.function.bind(py);
        let get = |fact| facts.get(py, fact);
        match self.facts[..] {
            [] => function.call1((object,)),
            [a] => function.call1((object, get(a)?)),
            [a, b] => function.call1((object, get(a)?, get(b)?)),
            [a, b, c] => function.call1((object, get(a)?, get(b)?, get(c)?)),
            [a, b, c, d] => function.call1((object, get(a)?, get(b)?, get(c)?, get(d)?)),
            [a, b, c, d, e] => function.call1((object, get(a)?, get(b)?, get(c)?, get(d)?, get(e)?)),
            [a, b, c, d, e, f] => {
                function.call1((object, get(a)?, get(b)?, get(c)?, get(d)?, get(e)?, get(f)?))
            }
            _ => {
                let mut all = vec![object.clone()];
                for &fact in &self.facts {
                    all.push(get(fact)?);
                }
                function.call1(PyTuple::new(py, all)?)
            }
        }
    }
}
