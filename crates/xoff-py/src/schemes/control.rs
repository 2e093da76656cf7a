//! Congestion controls in Python.

use std::fmt;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use xoff::schemes::{
    Ack, CnpClock, CongestionControl, Echo, EchoReading, Flow, Foreign, ForeignFlow, Growth, Interval, Loss,
    LossKind, Needs, NotificationPoint, Trail, Trimmed, WindowUnit,
};
use xoff::units::{Bytes, Rate, Span, Time};

use super::Class;
use super::calls::watched;
use super::facts::{Facts, Method};
use super::faults::{Failure, whole};

/// Least time between two CNPs of a flow, as DCQCN has it by default.
const CNP_INTERVAL: Span = Span::from_microseconds(50);

/// Returns the signals of a word in `signals`.
fn needs(signals: &str) -> PyResult<Needs> {
    Ok(match signals {
        "losses" => Needs::Acknowledgements(Echo::None),
        "marks" => Needs::Acknowledgements(Echo::Exact(EchoReading::OldState)),
        "latched_marks" => Needs::Acknowledgements(Echo::Latched),
        "notifications" => {
            Needs::Cnps(NotificationPoint { interval: CNP_INTERVAL, clock: CnpClock::AfterCnp })
        }
        "delay" => Needs::Delay { echoes: false },
        "delay_and_marks" => Needs::Delay { echoes: true },
        "telemetry" => Needs::Telemetry { sent_window: false },
        other => return Err(PyValueError::new_err(format!("there are no signals \"{other}\""))),
    })
}

/// Congestion control with its settings.
pub(super) struct Control(Arc<Methods>);

struct Methods {
    class: Class,
    needs: Needs,
    on_ack: Option<Method>,
    on_loss: Option<Method>,
    on_trimmed: Option<Method>,
    on_recovered: Option<Method>,
    on_sent: Option<Method>,
    on_notification: Option<Method>,
    on_quiet: Option<Method>,
    on_timer: Option<Method>,
    on_idle: Option<Method>,
    window: Option<Method>,
    rate: Option<Method>,
    next_timer: Option<Method>,
    alpha: Option<Method>,
    threshold: Option<Method>,
}

impl Control {
    pub(super) fn new(py: Python<'_>, class: Class) -> PyResult<Self> {
        let needs = needs(&class.text(py, "signals")?)?;
        let paces = !matches!(needs, Needs::Acknowledgements(_));
        let method = |name| class.method(py, name);
        Ok(Self(Arc::new(Methods {
            needs,
            on_ack: method("on_ack")?,
            on_loss: method("on_loss")?,
            on_trimmed: method("on_trimmed")?,
            on_recovered: method("on_recovered")?,
            on_sent: method("on_sent")?,
            on_notification: method("on_notification")?,
            on_quiet: method("on_quiet")?,
            on_timer: method("on_timer")?,
            on_idle: method("on_idle")?,
            window: method("window")?,
            rate: if paces { method("rate")? } else { None },
            next_timer: if paces { method("next_timer")? } else { None },
            alpha: method("alpha")?,
            threshold: method("threshold")?,
            class,
        })))
    }
}

impl Foreign for Control {
    fn needs(&self) -> Needs {
        self.0.needs
    }

    fn start(&self, flow: &Flow) -> Box<dyn ForeignFlow> {
        Box::new(Python::attach(|py| ControlledFlow::new(py, &self.0, flow)))
    }
}

/// State of one flow. Window, rate and timer are those that Python has answered last.
struct ControlledFlow {
    methods: Arc<Methods>,
    /// The Python object; nothing once it has failed.
    object: Option<Py<PyAny>>,
    flow: (u32, u32),
    line_rate: Rate,
    /// Time of the last event.
    now: Time,
    window: Bytes,
    rate: Rate,
    timer: Time,
    /// Words of the switches in the last acknowledged packet, where the class asks for telemetry.
    trail: Option<Box<Trail>>,
}

impl fmt::Debug for ControlledFlow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {:?}", self.methods.class.name, self.flow)
    }
}

impl Clone for ControlledFlow {
    fn clone(&self) -> Self {
        let object = self.object.as_ref().and_then(|object| {
            Python::attach(|py| {
                let copied =
                    py.import("xoff.schemes.copies").and_then(|m| m.call_method1("copied", (object,)));
                match copied {
                    Ok(copied) => Some(copied.unbind()),
                    Err(error) => {
                        self.note("__deepcopy__", self.now.get(), Failure::Raised(error));
                        None
                    }
                }
            })
        });
        Self { methods: Arc::clone(&self.methods), object, trail: self.trail.clone(), ..*self }
    }
}

impl ControlledFlow {
    fn new(py: Python<'_>, methods: &Arc<Methods>, flow: &Flow) -> Self {
        let mut made = Self {
            methods: Arc::clone(methods),
            object: None,
            flow: (flow.identity.source, flow.identity.number),
            line_rate: flow.line_rate,
            now: Time::ZERO,
            window: flow.initial_window,
            rate: Rate::MAX,
            timer: Time::MAX,
            trail: None,
        };
        if methods.class.faults.is_stuck() {
            return made;
        }
        match watched(py, || made.object_of(py, flow)) {
            Ok(object) => {
                made.object = Some(object);
                made.tell_and_ask(Time::ZERO, |_| None, &Facts::default());
            }
            Err(error) => made.note("__init__", 0, Failure::Raised(error)),
        }
        made
    }

    fn object_of(&self, py: Python<'_>, flow: &Flow) -> PyResult<Py<PyAny>> {
        let bounded = |bytes: Bytes| (bytes < Bytes::MAX).then_some(bytes.get());
        let growth = match flow.growth {
            Growth::Acknowledgements => "acknowledgements",
            Growth::Bytes => "bytes",
            Growth::Segments => "segments",
        };
        let unit = match flow.window_unit {
            WindowUnit::Bytes => "bytes",
            WindowUnit::Segments => "segments",
        };
        let told = (
            flow.segment.get(),
            flow.overhead.get(),
            bounded(flow.initial_window),
            flow.initial_threshold.map(Bytes::get),
            (flow.line_rate < Rate::MAX).then_some(flow.line_rate.get()),
            flow.path.base_rtt.get(),
            flow.path.switches,
            growth,
            unit,
            flow.identity.entropy(),
        );
        let class = &self.methods.class;
        let flow = py.import(intern!(py, "xoff.schemes.flow"))?.getattr(intern!(py, "Flow"))?.call1(told)?;
        Ok(class.python.bind(py).call1((class.parameters.bind(py), flow))?.unbind())
    }

    fn note(&self, method: &'static str, now: u64, failure: Failure) {
        let class = &self.methods.class;
        class.faults.note(&class.name, method, (now, Some(self.flow)), failure);
    }

    /// Tells of an event, if the class has a method for it.
    #[inline]
    fn tell(&mut self, now: Time, method: fn(&Methods) -> Option<&Method>, facts: &Facts<'_>) {
        if method(&self.methods).is_some() {
            self.tell_and_ask(now, method, facts);
        }
    }

    /// Calls a method, if the class has it, and asks for window, rate and timer.
    fn tell_and_ask(&mut self, now: Time, method: fn(&Methods) -> Option<&Method>, facts: &Facts<'_>) {
        let Some(object) = self.object.take() else { return };
        if self.methods.class.faults.is_stuck() {
            self.timer = Time::MAX;
            return;
        }
        self.now = now;
        let methods = Arc::clone(&self.methods);
        Python::attach(|py| {
            let bound = object.bind(py);
            let told = watched(py, || {
                if let Some(method) = method(&methods) {
                    method.call(py, bound, facts).map_err(|error| (method.name, Failure::Raised(error)))?;
                }
                self.ask(py, bound, &methods)
            });
            if let Err((method, failure)) = told {
                self.note(method, now.get(), failure);
                self.timer = Time::MAX;
                return;
            }
            self.object = Some(object);
        });
    }

    /// Asks for window, rate and timer, as far as the class has them.
    #[inline]
    fn ask(
        &mut self,
        py: Python<'_>,
        object: &Bound<'_, PyAny>,
        methods: &Methods,
    ) -> Result<(), (&'static str, Failure)> {
        let answer = |method: &Method| {
            let answer = method.call(py, object, &Facts::default());
            answer.map_err(|error| (method.name, Failure::Raised(error)))
        };
        if let Some(method) = &methods.window {
            let bytes = whole(&answer(method)?, "expected a number of bytes, at least 0");
            self.window = Bytes::new(bytes.map_err(|failure| (method.name, failure))?);
        }
        if let Some(method) = &methods.rate {
            let answer = answer(method)?;
            self.rate = if answer.is_none() { Rate::MAX } else { self.rate_of(&answer, method)? };
        }
        if let Some(method) = &methods.next_timer {
            let answer = answer(method)?;
            let expected = "expected a time in picoseconds, or None";
            let time = if answer.is_none() { Ok(u64::MAX) } else { whole(&answer, expected) };
            self.timer = Time::new(time.map_err(|failure| (method.name, failure))?);
        }
        Ok(())
    }

    fn rate_of(&self, answer: &Bound<'_, PyAny>, method: &Method) -> Result<Rate, (&'static str, Failure)> {
        let line = self.line_rate.get();
        let expected = format!(
            "expected bits per second, at most the line's {line}, or None where the rate is no limit"
        );
        match whole(answer, &expected) {
            Ok(rate) if rate <= line => Ok(Rate::new(rate)),
            Ok(rate) => Err((method.name, Failure::Answered(rate.to_string(), expected))),
            Err(failure) => Err((method.name, failure)),
        }
    }

    /// Asks for a number that only observers look at.
    fn observed<T>(&self, method: fn(&Methods) -> Option<&Method>) -> Option<T>
    where
        T: for<'a, 'py> FromPyObject<'a, 'py>,
    {
        let (method, object) = (method(&self.methods)?, self.object.as_ref()?);
        Python::attach(|py| {
            let answer = watched(py, || method.call(py, object.bind(py), &Facts::default()));
            match answer {
                Ok(answer) => answer.extract::<T>().ok(),
                Err(error) => {
                    self.note(method.name, self.now.get(), Failure::Raised(error));
                    None
                }
            }
        })
    }
}

impl CongestionControl for ControlledFlow {
    type Parameters = ();

    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let mut seen: Vec<Interval> = Vec::new();
        if let Some(reading) = &ack.telemetry {
            if let Some(earlier) = &self.trail {
                seen.extend(reading.since(earlier));
            }
            self.trail = Some(Box::new(*reading.trail));
        }
        let facts = Facts {
            now: now.get(),
            newly_acked: ack.newly_acked.get(),
            echo: ack.echo,
            cumulative: ack.cumulative,
            next_sequence: ack.next_sequence,
            in_flight: ack.in_flight.get(),
            window_limited: ack.window_limited,
            rtt: ack.rtt.map(Span::get),
            timed: ack.timed.get(),
            hops: &seen,
            ..Facts::default()
        };
        self.tell(now, |methods| methods.on_ack.as_ref(), &facts);
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        let facts = Facts {
            now: now.get(),
            in_flight: loss.in_flight.get(),
            timeout: loss.kind == LossKind::Timeout,
            first_lost: loss.first_lost,
            next_sequence: loss.next_sequence,
            ..Facts::default()
        };
        self.tell(now, |methods| methods.on_loss.as_ref(), &facts);
    }

    fn on_trimmed(&mut self, now: Time, trimmed: &Trimmed) {
        let (size, in_flight) = (trimmed.payload.get(), trimmed.in_flight.get());
        let facts = Facts { now: now.get(), size, in_flight, ..Facts::default() };
        self.tell(now, |methods| methods.on_trimmed.as_ref(), &facts);
    }

    fn on_recovered(&mut self, now: Time, in_flight: Bytes) {
        let facts = Facts { now: now.get(), in_flight: in_flight.get(), ..Facts::default() };
        self.tell(now, |methods| methods.on_recovered.as_ref(), &facts);
    }

    fn on_sent(&mut self, now: Time, size: Bytes) -> bool {
        let before = self.rate;
        let facts = Facts { now: now.get(), size: size.get(), ..Facts::default() };
        self.tell(now, |methods| methods.on_sent.as_ref(), &facts);
        self.rate != before
    }

    fn on_cnp(&mut self, now: Time) {
        let facts = Facts { now: now.get(), ..Facts::default() };
        self.tell(now, |methods| methods.on_notification.as_ref(), &facts);
    }

    fn on_quiet(&mut self, rested: bool) {
        let facts = Facts { rested, ..Facts::default() };
        self.tell(self.now, |methods| methods.on_quiet.as_ref(), &facts);
    }

    fn next_timer(&self) -> Time {
        self.timer
    }

    fn on_timer(&mut self, now: Time) {
        let facts = Facts { now: now.get(), ..Facts::default() };
        self.tell(now, |methods| methods.on_timer.as_ref(), &facts);
        if self.timer <= now {
            let expected = "expected a later time than that of the timer that has just expired, or None";
            let failure = Failure::Answered(self.timer.get().to_string(), expected.to_owned());
            self.note("next_timer", now.get(), failure);
            self.timer = Time::MAX;
            self.object = None;
        }
    }

    fn on_idle(&mut self, restart_window: Bytes) {
        let facts = Facts { size: restart_window.get(), ..Facts::default() };
        self.tell(self.now, |methods| methods.on_idle.as_ref(), &facts);
    }

    fn window(&self) -> Bytes {
        self.window
    }

    fn rate(&self) -> Rate {
        self.rate
    }

    fn alpha(&self) -> Option<f64> {
        self.observed(|methods| methods.alpha.as_ref())
    }

    fn threshold(&self) -> Option<Bytes> {
        self.observed(|methods| methods.threshold.as_ref()).map(Bytes::new)
    }
}
