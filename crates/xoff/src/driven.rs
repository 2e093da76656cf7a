//! Driven simulation: a program sends messages while the simulation runs, hears where and when they are complete, and
//! reacts there and then.
//!
//! The program stands in one of two places. Between steps, or when a time has come that it asked for without a host,
//! every host has run up to [`DrivenSimulation::now`], and the program may send from any. In reaction to an event at a
//! host it stands at that host: what it sends from there starts at that instant, as exactly as the steps of a job do.
//! Other hosts may be ahead by up to [`DrivenSimulation::reach`], about the time in which news gets from one host to
//! the next switch and on. The program acts there no sooner than that. All this happens on one thread.

mod messages;

use std::collections::BTreeMap;

use crate::engine::{DrivenRun, LONGEST_RUN, Progress, Reached, Stop};
use crate::host::{Flow, FlowStart, Happened, Reception};
use crate::kernel::units::{Bytes, Span, Time};
use crate::report::Report;
use crate::scenario::{ErrorKind, MOST_BYTES, Scenario, ScenarioError, Workload};
use crate::simulation::Simulation;
use crate::topology::{NodeId, nearest};
use crate::workload::Files;
use messages::Messages;
pub use messages::{End, Message};

/// Number of a time that the program has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timer(pub u64);

/// Message that a program sends.
#[derive(Clone, Copy, Debug)]
pub struct Send<'a> {
    /// Sending host.
    pub source: NodeId,
    /// Receiving host.
    pub destination: NodeId,
    /// Bytes of the message.
    pub size: Bytes,
    /// Traffic class; none for the first class of the workload.
    pub priority: Option<u8>,
    /// Name of the transport of a driven workload; none for the first such workload.
    pub transport: Option<&'a str>,
    /// Time at which the message starts; none for now.
    pub at: Option<Time>,
}

impl Send<'_> {
    /// Returns a message of `size` from one host to another, which starts now, in the first class of the first driven
    /// workload.
    pub fn new(source: NodeId, destination: NodeId, size: Bytes) -> Self {
        Self { source, destination, size, priority: None, transport: None, at: None }
    }
}

/// Event to which the program may react.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Time of the event.
    pub time: Time,
    /// Host where the event happened; none for a time that was asked for without a host.
    pub host: Option<NodeId>,
    /// The event.
    pub event: Event,
}

/// Kind of event to which the program may react.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A message is whole at its receiver, or acknowledged at its sender.
    Complete(Message, End),
    /// A time has come that the program asked for.
    Due(Timer),
}

/// Place where the program stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Everywhere: every host has run up to now.
    Everywhere,
    /// A host where something has just happened.
    At(NodeId),
}

/// Thing that the program has planned.
#[derive(Clone, Copy, Debug)]
enum Plan {
    /// A flow to start, with its source and the place of its message.
    Begin(NodeId, FlowStart, u32),
    /// A time of which the program wants to hear.
    Tell,
}

/// Workload whose flows the program sends.
#[derive(Debug)]
struct DrivenWorkload {
    position: u16,
    transport: u8,
    transport_name: String,
    classes: Vec<u8>,
}

/// Simulation that a program drives, of a scenario with a workload of kind `driven`.
///
/// ```
/// use xoff::driven::{DrivenSimulation, End, Event, Send};
/// use xoff::units::{Bytes, Time};
/// use xoff::{Files, Scenario};
///
/// let text = r#"
/// topology = { kind = "star", hosts = 3, host_link = { rate = "10Gbps", delay = "1us" } }
/// transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
/// workload = [{ kind = "driven", transport = "tcp" }]
/// "#;
/// let mut simulation = DrivenSimulation::new(&Scenario::from_toml(text, &[])?, &Files::new())?;
///
/// // Host 0 sends to host 1, which answers as soon as it has all.
/// let question = simulation.send(Send::new(0, 1, Bytes::new(1_000)))?;
/// simulation.listen(question, End::Receiver)?;
/// while let Some(step) = simulation.next(Time::MAX, &mut |_progress| true)? {
///     assert_eq!((step.host, step.event), (Some(1), Event::Complete(question, End::Receiver)));
///     simulation.send(Send::new(1, 0, Bytes::new(1_000_000)))?;
/// }
/// let report = simulation.finish();
/// assert_eq!(report.flows.rows[0].received, report.flows.rows[1].start);
/// # Ok::<(), xoff::ScenarioError>(())
/// ```
pub struct DrivenSimulation {
    simulation: Simulation,
    run: Box<dyn DrivenRun>,
    workloads: Vec<DrivenWorkload>,
    now: Time,
    place: Place,
    /// Time until which the program has let the run go on.
    until: Time,
    reach: Span,
    is_over: bool,
    /// Number of the next plan.
    number: u64,
    /// Plans for times at which every host has run up to there, by time and number.
    planned: BTreeMap<(Time, u64), Plan>,
    /// Plans of hosts, by their number.
    at_hosts: BTreeMap<u64, Plan>,
    messages: Messages,
}

impl DrivenSimulation {
    /// Lays out a scenario that has a workload of kind `driven`. `files` holds the text of every file that it names.
    pub fn new(scenario: &Scenario, files: &Files) -> Result<Self, ScenarioError> {
        let simulation = Simulation::new(scenario, files)?;
        let driven = scenario.workload.iter().enumerate().filter_map(|(position, workload)| {
            let Workload::Driven(settings) = workload else { return None };
            let transport = scenario.transport.keys().position(|name| *name == settings.transport)?;
            Some(DrivenWorkload {
                position: position as u16,
                transport: transport as u8,
                transport_name: settings.transport.clone(),
                classes: settings.priority.all().to_vec(),
            })
        });
        let workloads: Vec<DrivenWorkload> = driven.collect();
        if workloads.is_empty() {
            let names: Vec<&str> = scenario.transport.keys().map(String::as_str).collect();
            let name = names.first().unwrap_or(&"tcp");
            let expected =
                format!("expected a table [[workload]] with kind = \"driven\" and transport = \"{name}\"");
            let problem = "none is driven, so no message can be sent";
            return Err(ScenarioError::at("workload", problem, expected));
        }
        let run = simulation.driven();
        Ok(Self {
            reach: run.reach(),
            run,
            simulation,
            workloads,
            now: Time::ZERO,
            place: Place::Everywhere,
            until: Time::ZERO,
            is_over: false,
            number: 0,
            planned: BTreeMap::new(),
            at_hosts: BTreeMap::new(),
            messages: Messages::default(),
        })
    }

    /// The scenario, laid out.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Simulated time, at the place where the program stands.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Time from a reaction at one host to the first that the program may do anywhere else.
    pub fn reach(&self) -> Span {
        self.reach
    }

    /// Whether the run has come to its end, so that nothing more can be sent.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Number of messages under way of which an end is not done.
    pub fn messages_under_way(&self) -> usize {
        self.messages.len()
    }

    /// Finds the host of this name. `argument` is the name of the argument that errors name.
    pub fn host(&self, argument: &str, name: &str) -> Result<NodeId, ScenarioError> {
        self.simulation.network().names().host(argument, name)
    }

    /// Keeps no row of flows that finish from now on, so that memory does not grow with them. They are still counted.
    pub fn forget_flows(&mut self) {
        self.run.forget_flows();
    }

    /// Sends a message, which starts now or later.
    pub fn send(&mut self, send: Send<'_>) -> Result<Message, ScenarioError> {
        let Send { source, destination, size, .. } = send;
        self.check_host("source", source)?;
        self.check_host("destination", destination)?;
        let name = |host: NodeId| self.simulation.network().nodes[host as usize].name.as_str();
        if source == destination {
            let problem = format!("\"{}\" would send to itself", name(source));
            return Err(ScenarioError::at("destination", problem, "expected another host"));
        }
        if size == Bytes::ZERO || size.get() > MOST_BYTES {
            let problem = format!("a message of {} bytes", size.get());
            let expected = format!("expected at least 1 byte and at most {MOST_BYTES}");
            return Err(ScenarioError::at("size", problem, expected).of_kind(ErrorKind::OutOfRange));
        }
        let workload = self.workload(send.transport)?;
        let priority = match send.priority {
            None => workload.classes[0],
            Some(class) if workload.classes.contains(&class) => class,
            Some(class) => {
                let key = format!("workload[{}].priority", workload.position);
                let problem =
                    format!("{class} is none of the classes in {key}, which are {:?}", workload.classes);
                let expected = format!("expected one of those, or {class} among them");
                return Err(ScenarioError::at("priority", problem, expected).of_kind(ErrorKind::OutOfRange));
            }
        };
        let (transport, workload) = (workload.transport, workload.position);
        let start = self.time("at", send.at, Some(source))?;
        let [adapter, destination] = self.simulation.network().adapters_between(source, destination);
        let flow = Flow { start, number: 0, destination, reception: 0, size, priority, transport, workload };
        let flow = FlowStart { flow, end: Time::MAX };
        let message = self.messages.add(start);
        let plan = Plan::Begin(adapter, flow, message.place());
        match self.place {
            Place::Everywhere if start == self.now => self.announce(adapter, flow, message.place()),
            Place::At(host) if host == source && start == self.now => {
                self.begin(adapter, flow, message.place());
            }
            Place::At(host) if host == source => self.plan_at(host, start, plan),
            _ => self.plan(start, plan),
        }
        Ok(message)
    }

    /// Lets the program hear when a message is whole at its receiver, or acknowledged at its sender. That must be asked
    /// before the message starts, or at the instant at which it does.
    pub fn listen(&mut self, message: Message, end: End) -> Result<(), ScenarioError> {
        self.messages.listen(message, end, self.now)
    }

    /// Lets the program hear at a host that a time has come, or without a host, when every host has run up to it.
    pub fn at(&mut self, time: Time, host: Option<NodeId>) -> Result<Timer, ScenarioError> {
        if let Some(host) = host {
            self.check_host("host", host)?;
        }
        let time = self.time("time", Some(time), host)?;
        let timer = Timer(self.number);
        match host {
            Some(host) => self.plan_at(host, time, Plan::Tell),
            None => self.plan(time, Plan::Tell),
        }
        Ok(timer)
    }

    /// Goes on to the next event to which the program may react, or until `until`, of which nothing happens yet. Returns
    /// nothing there, or with `Time::MAX` once nothing is left to do.
    pub fn next(
        &mut self,
        until: Time,
        progress: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Option<Step>, ScenarioError> {
        let least = self.least_until();
        if until < least {
            let problem = format!("{} is past", in_words(until));
            let expected = format!("expected {} or later", in_words(least));
            return Err(ScenarioError::at("until", problem, expected).of_kind(ErrorKind::OutOfRange));
        }
        self.until = until;
        while !self.is_over {
            let planned = self.planned.first_key_value().map_or(Time::MAX, |(&(time, _), _)| time);
            let messages = &mut self.messages;
            match self.run.go_on(until.min(planned), &mut |happened| messages.hears(happened), progress) {
                Reached::Stop(Stop { time, host, happened }) => {
                    (self.now, self.place) = (time, Place::At(host));
                    if let Some(event) = self.event(happened) {
                        return Ok(Some(Step { time, host: Some(host), event }));
                    }
                }
                Reached::Until(time) if planned < until => {
                    debug_assert_eq!(time, planned);
                    (self.now, self.place) = (planned, Place::Everywhere);
                    let ((time, number), plan) = self.planned.pop_first().expect("its time has come");
                    match plan {
                        Plan::Begin(source, start, place) => self.announce(source, start, place),
                        Plan::Tell => {
                            return Ok(Some(Step { time, host: None, event: Event::Due(Timer(number)) }));
                        }
                    }
                }
                Reached::Until(time) => {
                    (self.now, self.place) = (self.now.max(time), Place::Everywhere);
                    return Ok(None);
                }
                Reached::End(time) => {
                    (self.now, self.place, self.is_over) = (time, Place::Everywhere, true);
                }
            }
        }
        Ok(None)
    }

    /// Ends the run now, and reports it. In reaction to an event at a host, other hosts may be ahead; then the run ends
    /// as soon as every host has run up to one time.
    pub fn finish(mut self) -> Report {
        if self.place != Place::Everywhere {
            let clean = self.least_until();
            while let Ok(Some(_)) = self.next(clean, &mut |_| true) {}
        }
        let mut outcome = self.run.finish(self.now);
        Report::new(&self.simulation, &mut outcome)
    }

    fn check_host(&self, argument: &str, host: NodeId) -> Result<(), ScenarioError> {
        let hosts = self.simulation.network().fabric_hosts();
        if host < hosts {
            return Ok(());
        }
        let problem = format!("there is no host with number {host}");
        Err(ScenarioError::at(argument, problem, format!("expected at most {}", hosts - 1)))
    }

    /// Returns the least time that no host has passed.
    fn least_until(&self) -> Time {
        if self.place == Place::Everywhere { self.now } else { self.until.min(self.now + self.reach) }
    }

    fn workload(&self, transport: Option<&str>) -> Result<&DrivenWorkload, ScenarioError> {
        let Some(name) = transport else { return Ok(&self.workloads[0]) };
        self.workloads.iter().find(|workload| workload.transport_name == name).ok_or_else(|| {
            let problem = format!("no driven workload has \"{name}\"");
            let names: Vec<&str> = self.workloads.iter().map(|workload| &*workload.transport_name).collect();
            ScenarioError::at("transport", problem, format!("expected one of {}", names.join(", ")))
                .of_unknown_name(nearest(name, names))
        })
    }

    /// Checks a time at which the program wants to do something at a host, or everywhere.
    fn time(&self, argument: &str, time: Option<Time>, host: Option<NodeId>) -> Result<Time, ScenarioError> {
        let refuse = |problem: String, expected: String| {
            Err(ScenarioError::at(argument, problem, expected).of_kind(ErrorKind::OutOfRange))
        };
        if self.is_over {
            return refuse(
                format!("the run is over since {}", in_words(self.now)),
                "expected a later stop.at, or less before it".to_owned(),
            );
        }
        let asked = time.unwrap_or(self.now);
        if asked < self.now {
            return refuse(
                format!("{} is past", in_words(asked)),
                format!("expected {}, which is now, or later", in_words(self.now)),
            );
        }
        if asked > Time::ZERO + LONGEST_RUN {
            return refuse(format!("{} is too late", in_words(asked)), "expected at most 1125s".to_owned());
        }
        let Place::At(here) = self.place else { return Ok(asked) };
        if host != Some(here) && asked < self.now + self.reach {
            let name = |host: NodeId| self.simulation.network().nodes[host as usize].name.as_str();
            let elsewhere = host.map_or("every host", name);
            return refuse(
                format!(
                    "{elsewhere} may be ahead of {} by {}, so nothing can begin there at {}",
                    name(here),
                    in_words(Time::ZERO + self.reach),
                    in_words(asked)
                ),
                format!("expected {} or later, or {} itself", in_words(self.now + self.reach), name(here)),
            );
        }
        Ok(asked)
    }

    fn plan(&mut self, time: Time, plan: Plan) {
        self.planned.insert((time, self.number), plan);
        self.number += 1;
    }

    fn plan_at(&mut self, host: NodeId, time: Time, plan: Plan) {
        self.at_hosts.insert(self.number, plan);
        self.run.wake(host, time, self.number);
        self.number += 1;
    }

    /// Returns the event of which the program hears, and does what the program has planned.
    fn event(&mut self, happened: Happened) -> Option<Event> {
        match happened {
            Happened::Received(reception) => self.messages.end(reception, End::Receiver),
            Happened::Sent(reception) => self.messages.end(reception, End::Sender),
            Happened::Due(number) => match self.at_hosts.remove(&number)? {
                Plan::Tell => Some(Event::Due(Timer(number))),
                Plan::Begin(source, start, place) => {
                    self.begin(source, start, place);
                    None
                }
            },
        }
    }

    /// Numbers a flow that starts now.
    fn numbered(&mut self, mut start: FlowStart, place: u32) -> FlowStart {
        let destination = start.flow.destination;
        let number = self.run.take_reception(destination);
        self.messages.start(place, Reception { destination, number });
        start.flow.reception = number;
        start
    }

    fn announce(&mut self, source: NodeId, start: FlowStart, place: u32) {
        let start = self.numbered(start, place);
        self.run.announce(source, start);
    }

    fn begin(&mut self, source: NodeId, start: FlowStart, place: u32) {
        let start = self.numbered(start, place);
        self.run.begin(source, start);
    }
}

/// Writes a time in microseconds.
fn in_words(time: Time) -> String {
    format!("{} us", time.get() as f64 / 1e6)
}
