//! Markers in Python.

use std::fmt;
use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use xoff::schemes::{
    Departure, ForeignMarker, ForeignMarking, Level, Marker, Place, Rng, Signal, Unfit, When, unit_interval,
};
use xoff::units::{Bytes, Time};

use super::Class;
use super::calls::watched;
use super::facts::{Facts, Method};
use super::faults::{Failure, whole};

/// Marker with its settings, before it is on any place.
pub(super) struct Marking(Arc<Methods>);

struct Methods {
    class: Class,
    when: When,
    marks: Method,
    silent_up_to: Option<Method>,
    on_arrival: Option<Method>,
    on_departure: Option<Method>,
}

impl Marking {
    pub(super) fn new(py: Python<'_>, class: Class) -> PyResult<Self> {
        let when = if class.text(py, "when")? == "dequeue" { When::Dequeue } else { When::Enqueue };
        Ok(Self(Arc::new(Methods {
            when,
            marks: class.method(py, "marks")?.expect("the class was checked"),
            silent_up_to: class.method(py, "silent_up_to")?,
            on_arrival: class.method(py, "on_arrival")?,
            on_departure: class.method(py, "on_departure")?,
            class,
        })))
    }
}

impl ForeignMarking for Marking {
    fn when(&self) -> When {
        self.0.when
    }

    fn start(&self, places: &[Place]) -> Result<Box<dyn ForeignMarker>, Unfit> {
        let methods = &self.0;
        let made = Python::attach(|py| {
            watched(py, || {
                places.iter().map(|place| object_of(py, methods, place)).collect::<PyResult<Vec<_>>>()
            })
        });
        let objects = made.unwrap_or_else(|error| {
            methods.note("__init__", Time::ZERO, Failure::Raised(error));
            Vec::new()
        });
        let silent_up_to = silent_up_to(methods, &objects);
        Ok(Box::new(PlacedMarker { methods: Arc::clone(methods), objects, silent_up_to }))
    }
}

fn object_of(py: Python<'_>, methods: &Methods, place: &Place) -> PyResult<Py<PyAny>> {
    let told = (place.rate.get(), place.largest_frame.get());
    let place = py.import(intern!(py, "xoff.schemes.marking"))?.getattr(intern!(py, "Place"))?.call1(told)?;
    let class = &methods.class;
    Ok(class.python.bind(py).call1((class.parameters.bind(py), place))?.unbind())
}

/// Asks the object of each place for the length up to which it marks nothing. Returns the least.
fn silent_up_to(methods: &Methods, objects: &[Py<PyAny>]) -> Option<Bytes> {
    let method = methods.silent_up_to.as_ref()?;
    let answer = |py: Python<'_>, object: &Py<PyAny>| {
        let answer = watched(py, || method.call(py, object.bind(py), &Facts::default()));
        whole(&answer.map_err(Failure::Raised)?, "expected a number of bytes, at least 0")
    };
    let answers =
        Python::attach(|py| objects.iter().map(|object| answer(py, object)).collect::<Result<Vec<_>, _>>());
    match answers {
        Ok(answers) => answers.into_iter().min().map(Bytes::new),
        Err(failure) => {
            methods.note(method.name, Time::ZERO, failure);
            None
        }
    }
}

impl Methods {
    fn note(&self, method: &'static str, now: Time, failure: Failure) {
        self.class.faults.note(&self.class.name, method, (now.get(), None), failure);
    }
}

/// Marker on its places, with one object for each; none after a fault.
struct PlacedMarker {
    methods: Arc<Methods>,
    objects: Vec<Py<PyAny>>,
    /// Length up to which no place marks anything, where the class says one.
    silent_up_to: Option<Bytes>,
}

impl fmt::Debug for PlacedMarker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} on {} places", self.methods.class.name, self.objects.len())
    }
}

impl Clone for PlacedMarker {
    fn clone(&self) -> Self {
        let copied = |py: Python<'_>| {
            let copied = py.import("xoff.schemes.copies")?.getattr("copied")?;
            self.objects
                .iter()
                .map(|object| Ok(copied.call1((object,))?.unbind()))
                .collect::<PyResult<Vec<_>>>()
        };
        let objects = Python::attach(copied).unwrap_or_else(|error| {
            self.methods.note("__deepcopy__", Time::ZERO, Failure::Raised(error));
            Vec::new()
        });
        Self { methods: Arc::clone(&self.methods), objects, silent_up_to: self.silent_up_to }
    }
}

impl PlacedMarker {
    /// Calls a method of a place's object. Returns its answer as a truth value.
    fn call(
        &mut self,
        place: usize,
        now: Time,
        method: fn(&Methods) -> Option<&Method>,
        facts: &Facts<'_>,
    ) -> bool {
        let (Some(object), Some(method)) = (self.objects.get(place), method(&self.methods)) else {
            return false;
        };
        if self.methods.class.faults.is_stuck() {
            return false;
        }
        let answer = Python::attach(|py| {
            watched(py, || method.call(py, object.bind(py), facts).and_then(|answer| answer.is_truthy()))
        });
        answer.unwrap_or_else(|error| {
            self.methods.note(method.name, now, Failure::Raised(error));
            self.objects.clear();
            false
        })
    }
}

impl Marker for PlacedMarker {
    type Parameters = ();

    fn when((): &()) -> When {
        When::Enqueue
    }

    fn new((): &(), _places: &[Place]) -> Result<Self, Unfit> {
        let expected = "expected one that is made by its settings";
        Err(Unfit { problem: "is a marker in Python".to_owned(), expected })
    }

    fn signal(&mut self, place: usize, level: &Level, rng: &mut Rng) -> Signal {
        let draw = if self.methods.marks.asks_for_draw() { unit_interval(rng) } else { 0.0 };
        let (size, timed) = (level.others.get(), level.frame.get());
        let facts = Facts { now: level.now.get(), size, timed, draw, ..Facts::default() };
        let marks = self.call(place, level.now, |methods| Some(&methods.marks), &facts);
        Signal::of(marks, false)
    }

    fn silent_up_to(&self) -> Option<Bytes> {
        self.silent_up_to
    }

    fn follows(&self) -> bool {
        self.methods.on_arrival.is_some() || self.methods.on_departure.is_some()
    }

    fn on_arrival(&mut self, place: usize, level: &Level) {
        let (size, timed) = (level.others.get(), level.frame.get());
        let facts = Facts { now: level.now.get(), size, timed, ..Facts::default() };
        self.call(place, level.now, |methods| methods.on_arrival.as_ref(), &facts);
    }

    fn on_departure(&mut self, place: usize, departure: &Departure) {
        let (before, after) = (departure.before.get(), departure.after.get());
        let facts = Facts { now: departure.now.get(), before, after, ..Facts::default() };
        self.call(place, departure.now, |methods| methods.on_departure.as_ref(), &facts);
    }
}
