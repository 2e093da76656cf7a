//! Simulation: a scenario with its network laid out, its routes found and its traffic ready to be drawn.
//!
//! A simulation that was made can be run, and running it does not change it. So one simulation can be run several
//! times, with other threads or windows, and gives the same results.

mod checks;
mod fast_forward;
mod link_events;
mod offered;
mod shortcuts;
mod slow_receivers;

use std::sync::Arc;

use crate::agenda::Fabric;
use crate::application::Plans;
use crate::classes::Classes;
use crate::congestion_control::Path;
use crate::engine::sources::Equipment;
use crate::engine::{
    self, Arrivals, DrivenRun, Instants, LinkEvents, Outcome, Progress, Recorded, Recorder, Sampler, Workshop,
};
use crate::host::{Applications, Host};
use crate::kernel::rng::{self, Purpose, stream};
use crate::kernel::units::{Bytes, Rate, Span};
use crate::layout::{self, POINTS_OF_A_PORT, SwitchLayout};
use crate::observer::Silent;
use crate::packet::NO_TRANSPORT;
use crate::pfc::{Reactions, WatchdogTimes};
use crate::plan::headroom::{PAUSE_FRAME, QUANTUM};
use crate::port::{LinkErrors, Port, Shaper};
use crate::routing::{Lengths, LoadBalancer, ParallelPaths, Routes, SharedTuples};
use crate::scenario::{
    self, PauseForm, Pfc, QueuePairs, Scenario, ScenarioError, Transport, WatchdogAction, Workload,
};
use crate::scheduler;
use crate::switch::Switch;
use crate::switch::cioq::Cioq;
use crate::switch::markers::Placed;
use crate::switch::marking::QueueMarker;
use crate::switch::shared_memory::{LosslessParts, Parts, SharedMemory};
use crate::telemetry::{MOST_HOPS, Records};
use crate::topology::{Network, NodeId, PortId};
use crate::watch::Watch;
use crate::workload::{self, Files, Source};
use link_events::Course;
pub use offered::Offered;
use slow_receivers::SlowTimes;

/// Scenario checked and laid out, which decides everything about a run.
///
/// ```
/// # let text = r#"
/// # topology = { kind = "star", hosts = 4, host_link = { rate = "100Gbps", delay = "1us" } }
/// # transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
/// # workload = [{ kind = "permutation", transport = "tcp", size = "100kB" }]
/// # "#;
/// use xoff::{Execution, Files, Report, Scenario, Simulation};
///
/// let simulation = Simulation::new(&Scenario::from_toml(text, &[])?, &Files::new())?;
/// assert_eq!(simulation.scenario().seed, 1);
///
/// // Running it does not change it.
/// let mut outcome = simulation.run(Execution::with_threads(1), &mut |_| true);
/// let report = Report::new(&simulation, &mut outcome);
/// assert_eq!(report.totals.flows_finished, 4);
/// # Ok::<(), xoff::ScenarioError>(())
/// ```
#[derive(Debug)]
pub struct Simulation {
    scenario: Scenario,
    network: Arc<Network>,
    routes: Routes,
    /// Parallel links between hosts; none where every flow has one path.
    parallel_paths: Option<ParallelPaths>,
    fabric: Arc<Fabric>,
    sources: Vec<Source>,
    switches: Vec<SwitchLayout>,
    /// Classes in use.
    classes: Classes,
    /// Link rates that switches write into packets; none where no packet carries telemetry.
    telemetry_rates: Vec<Rate>,
    /// Whether packets are stamped with the time when they leave adapters.
    traces: bool,
    link_events: LinkEvents,
    slow_times: SlowTimes,
    watch: Watch,
}

/// Way in which a run is carried out, which does not change its results.
///
/// ```
/// use xoff::Execution;
/// use xoff::units::Span;
///
/// let execution = Execution::with_threads(2);
/// assert_eq!(execution.longest_window, Span::MAX);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Execution {
    /// Number of threads.
    pub threads: usize,
    /// Longest window.
    pub longest_window: Span,
}

impl Execution {
    /// Runs with `threads` threads, and with windows as long as they can be.
    pub fn with_threads(threads: usize) -> Self {
        Self { threads, longest_window: Span::MAX }
    }
}

impl Simulation {
    /// Lays out a scenario. `files` holds the text of every file that it names.
    pub fn new(scenario: &Scenario, files: &Files) -> Result<Self, ScenarioError> {
        let network = Network::build(&scenario.topology, scenario.scale_up.as_ref())?
            .with_hash_seeds(|switch| scenario.switch_settings(switch).hash_seed);
        checks::check_sizes(scenario, &network)?;
        let sources = workload::sources(scenario, &network, files)?;
        let plans = workload::plans(&sources)?;
        checks::check_after_flows(scenario, &sources, &plans)?;
        let classes_of_flows = sources.iter().map(Source::classes).collect();
        let classes = classes_of_flows | classes_of_control(scenario);
        let routes = Routes::new(&network).with(&network, &scenario.route)?;
        let switches = layout::switches(scenario, &network, &routes, classes, classes_of_flows)?;
        let course = Course::new(scenario, &network, &switches)?;
        let routes_over_time: Vec<&Routes> =
            std::iter::once(&routes).chain(course.later_routes.iter().map(AsRef::as_ref)).collect();
        let longest_paths =
            |inside| layout::telemetry::longest_path_of_each(scenario, &network, &routes_over_time, inside);
        let (longest_paths, longest_paths_inside) = (longest_paths(false), longest_paths(true));
        let later_rates = course.events.rates().map(|(_, rate)| rate);
        let telemetry_rates = layout::telemetry::rates(scenario, &network, &longest_paths, later_rates)?;
        let slow_times = slow_receivers::lay_out(scenario, &network)?;
        checks::check(scenario, &network, &switches)?;
        let has_parallel_paths = scenario.balances_load() || scenario.sprays();
        let has_slow_receivers = !slow_times.is_empty();
        let traces = longest_paths.iter().any(|path| *path != Path::default());
        let lengths = if traces { Lengths::new(&network, &routes) } else { Lengths::default() };
        Ok(Self {
            watch: watch(scenario, &network, &switches, classes)?,
            parallel_paths: has_parallel_paths.then(|| ParallelPaths::new(&network)),
            routes,
            traces,
            fabric: Arc::new(Fabric {
                has_slow_receivers,
                servers: network.servers,
                longest_paths_inside,
                ..fabric(scenario, longest_paths, lengths, plans)
            }),
            telemetry_rates,
            link_events: course.events,
            slow_times,
            scenario: scenario.clone(),
            network: Arc::new(network),
            sources,
            switches,
            classes,
        })
    }

    /// Scenario from which the simulation was made.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Sources of flows, in order of the workloads.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Layouts of the switches, in order of their numbers.
    pub(crate) fn switches(&self) -> &[SwitchLayout] {
        &self.switches
    }

    /// Changes of links in the course of the run.
    pub fn link_events(&self) -> &LinkEvents {
        &self.link_events
    }

    /// Nodes and links.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Forwarding tables.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Facts that nodes look up.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// Makes the stream of all flows that start.
    pub fn arrivals(&self) -> Arrivals {
        Arrivals::new(self.sources.clone(), &self.network)
    }

    /// Makes the global instants of the run.
    pub fn instants(&self) -> Instants {
        let Scenario { stop, measure, .. } = &self.scenario;
        Instants::new(stop, measure, &self.watch.sampler.intervals(), self.link_events.clone())
    }

    /// Makes the empty records of telemetry.
    pub fn records(&self) -> Arc<Records> {
        let longest = self.fabric.longest_paths.iter().map(|path| path.switches as usize).max();
        // A packet that is rerouted on its way may come by more switches than any path has.
        let switches = if self.link_events.is_empty() { longest.unwrap_or_default() } else { MOST_HOPS };
        let has_sent_windows = layout::telemetry::reads_sent_windows(&self.scenario);
        Records::new(self.telemetry_rates.clone(), switches, has_sent_windows)
    }

    /// Makes a host as it is before the run.
    pub fn host(&self, node: NodeId) -> Host {
        self.host_over(node, Span::ZERO)
    }

    /// Makes a host, where links to hosts are longer by `longer`.
    fn host_over(&self, node: NodeId, longer: Span) -> Host {
        let scheduler = &self.scenario.host.scheduler;
        let port = self.ports(node, scheduler, longer).next().expect("every host has a link");
        let stream = |purpose| stream(self.scenario.seed, purpose, self.network.number(node));
        let Placed { marker, when } = layout::adapter_marker(&self.scenario, port.rate())
            .expect("markers of adapters have been checked");
        let marker = marker.map(|marker| QueueMarker::new(marker, when, stream(Purpose::AdapterMarking)));
        let applications = Applications::new(node, &self.fabric.plans, |purpose, plan| {
            let workload = self.fabric.plans.all()[plan].workload() as u64;
            rng::stream(self.scenario.seed, purpose, workload << NodeId::BITS | u64::from(node))
        });
        let rate = self.network.rate_to_host(node);
        let host = Host::new(node, port, marker, self.reactions(node), stream(Purpose::HostJitter))
            .receiving_at(rate)
            .with_applications(applications, &self.fabric.plans);
        let host = if self.scenario.sprays() { host.with_spraying(stream(Purpose::Spraying)) } else { host };
        match self.slow_times.get(&node) {
            Some(slow_times) => {
                let frames = layout::pause_frames_over(&self.scenario.pfc, std::iter::once(rate));
                host.with_slow_times(slow_times.clone(), rate, frames.start())
            }
            None => host,
        }
    }

    /// Makes a switch as it is before the run.
    pub fn switch(&self, node: NodeId) -> Switch {
        self.switch_over(node, Span::ZERO, None)
    }

    /// Makes a switch, where links to hosts are longer by `longer`. Packets line up if all are of class `lines_up`.
    fn switch_over(&self, node: NodeId, longer: Span, lines_up: Option<usize>) -> Switch {
        let layout = self.layout(node);
        let routes = self.routes.table(node).clone();
        let ports = self.ports(node, layout.scheduler(), longer).collect();
        let reactions = self.reactions(node);
        let layout = match layout {
            SwitchLayout::SharedMemory(layout) => layout,
            SwitchLayout::Cioq(layout) => {
                let seed = self.scenario.seed;
                let of_point = |port, point| {
                    let number = self.network.port_number(port) * POINTS_OF_A_PORT + point;
                    stream(seed, Purpose::CongestionPoint, number)
                };
                let of_markers = [Purpose::Marking, Purpose::OutputMarking]
                    .map(|purpose| stream(seed, purpose, self.network.number(node)));
                let parts = layout.parts(ports, reactions, routes, of_point, of_markers);
                return Switch::Cioq(Cioq::new(parts).with_fifo(lines_up));
            }
        };
        let rng = stream(self.scenario.seed, Purpose::Marking, self.network.number(node));
        let lossless = layout.lossless().map(|(classes, pausing)| {
            let watchdog = self.watchdog();
            LosslessParts { classes, pausing, reactions, watchdog }
        });
        Switch::SharedMemory(SharedMemory::new(Parts {
            ports,
            routes,
            mmu: layout.mmu(),
            markers: layout.markers(rng),
            release: layout.release,
            cell: layout.cell,
            trimming: layout.trimming.clone(),
            load_balancer: self.load_balancer(node),
            sprays: self.scenario.sprays(),
            lossless,
            lines_up,
        }))
    }

    /// Returns the parallel links between hosts, if packets of one flow of this transport may take several.
    pub fn parallel_paths(&self, transport: u8) -> Option<&ParallelPaths> {
        let are_several = self.scenario.balances_load() || self.fabric.shared_tuples.is_sprayed(transport);
        self.parallel_paths.as_ref().filter(|_| are_several)
    }

    /// Makes the load balancer of a switch; none for ECMP.
    fn load_balancer(&self, node: NodeId) -> Option<LoadBalancer> {
        let rng = stream(self.scenario.seed, Purpose::LoadBalancing, self.network.number(node));
        LoadBalancer::new(&self.scenario.topology.routing(), rng)
    }

    /// Times and action of the watchdog that every switch has, if the scenario has one.
    fn watchdog(&self) -> Option<(WatchdogTimes, WatchdogAction)> {
        let Pfc { detection_time, watchdog, .. } = self.scenario.pfc;
        watchdog.map(|watchdog| {
            let restoration = watchdog.restoration_after(detection_time);
            (WatchdogTimes { detection: detection_time, restoration }, watchdog.action)
        })
    }

    /// Layout of a switch.
    pub fn layout(&self, node: NodeId) -> &SwitchLayout {
        &self.switches[(node - self.network.hosts) as usize]
    }

    fn ports<'a>(
        &'a self,
        node: NodeId,
        scheduler: &'a scheduler::Parameters,
        longer: Span,
    ) -> impl Iterator<Item = Port> + 'a {
        let first = self.network.ports.first(node);
        (first..).zip(self.network.ports.of(node)).map(move |(id, port)| {
            let link = self.network.links[port.link as usize];
            let beyond = if self.network.is_host(port.peer) { longer } else { Span::ZERO };
            let port = Port::new(id, link.rate_from(node), link.delay + beyond, scheduler);
            let port = if self.traces { port.with_traces(self.network.is_host(node)) } else { port };
            let port = match self.shaper(id) {
                Some(scenario::Shaper { rate, burst }) => port.with_shaper(Shaper::new(rate, burst)),
                None => port,
            };
            if !link.corrupts() {
                return port;
            }
            let rng = stream(self.scenario.seed, Purpose::LinkErrors, self.network.port_number(id));
            port.with_link_errors(LinkErrors::new(link.error_rate, rng))
        })
    }

    /// Shaper of a port, if the port has one.
    fn shaper(&self, port: PortId) -> Option<scenario::Shaper> {
        let (node, number) = self.network.ports.place(port);
        if self.network.is_host(node) { None } else { self.layout(node).shaper(number as usize) }
    }

    fn reactions(&self, node: NodeId) -> Reactions {
        let ports = self.network.ports.of(node).iter().map(|port| {
            let rate = self.network.links[port.link as usize].rate_from(node);
            (reaction_time(&self.scenario, rate), rate.transmission_time(QUANTUM))
        });
        Reactions::new(ports, self.scenario.pfc.form == PauseForm::OnOff)
    }

    /// Returns the shortest time from the start of a pause frame to its effect at a port, which it pauses.
    pub fn pause_transit(&self, paused: PortId) -> Span {
        let pausing = self.network.ports.other_end(paused);
        // Either port may change its rate in the course of the run.
        let rates = |port: PortId| {
            let later = self.link_events.rates().filter(move |(changed, _)| *changed == port);
            later.map(|(_, rate)| rate).chain([self.network.rate_of(port)])
        };
        let shortest = |times: &mut dyn Iterator<Item = Span>| times.min().unwrap_or(Span::ZERO);
        let (node, number) = self.network.ports.place(paused);
        let link = self.network.ports.of(node)[number as usize].link;
        self.network.links[link as usize].delay
            + shortest(&mut rates(pausing).map(|rate| rate.transmission_time(PAUSE_FRAME)))
            + shortest(&mut rates(paused).map(|rate| reaction_time(&self.scenario, rate)))
    }

    /// Returns which nodes have a crossbar.
    fn crossbars(&self) -> Vec<bool> {
        let of_switches = self.switches.iter().map(SwitchLayout::has_inputs);
        std::iter::repeat_n(false, self.network.hosts as usize).chain(of_switches).collect()
    }

    /// Longest pause that a watchdog, a slow receiver or a shaper may cause, without any cycle of pauses.
    fn longest_pause(&self) -> Span {
        let Pfc { detection_time, watchdog, .. } = self.scenario.pfc;
        let of_watchdog =
            watchdog.map(|watchdog| detection_time + watchdog.restoration_after(detection_time));
        let of_receivers = slow_receivers::longest_pause(&self.slow_times);
        let largest = self.scenario.largest_frame();
        let ports = 0..self.network.ports.count() as PortId;
        let of_shapers = ports.filter_map(|port| Some(self.shaper(port)?.rate.transmission_time(largest)));
        of_watchdog.into_iter().chain(of_receivers).chain(of_shapers).max().unwrap_or_default()
    }

    /// Hands `act` the parts of a run. A program may drive it.
    fn with_workshop<T>(
        &self,
        execution: Execution,
        is_driven: bool,
        act: impl FnOnce(&Workshop<'_>, &Arc<Sampler>) -> T,
    ) -> T {
        let (crossbars, shortcuts) = (self.crossbars(), self.shortcuts());
        let only_arrivals = shortcuts.only_arrivals();
        let workshop = Workshop {
            network: &self.network,
            fabric: &shortcuts.fabric,
            records: self.records(),
            arrivals: self.arrivals(),
            instants: self.instants(),
            longest_pause: self.longest_pause(),
            longest_window: execution.longest_window,
            most_recorded: self.watch.is_watching().then_some(self.scenario.observe.memory.get()),
            host: &|node| {
                let host = shortcuts.host(node);
                if is_driven { host.driven() } else { host }
            },
            switch: &|node| shortcuts.switch(node),
            equipment: Equipment {
                pauses: self.scenario.has_lossless_class(),
                crossbars: &crossbars,
                only_arrivals: &only_arrivals,
            },
            hosts_only_count: shortcuts.hosts_only_count,
            fast_forward: self.fast_forward(),
        };
        act(&workshop, &Arc::new(self.watch.sampler.clone()))
    }

    /// Runs the simulation. `progress` is called at checks, and ends the run by returning false.
    pub fn run(&self, execution: Execution, progress: &mut dyn FnMut(&Progress) -> bool) -> Outcome {
        let threads = if self.scenario.fast_forward().is_some() { 1 } else { execution.threads.max(1) };
        self.with_workshop(execution, false, |workshop, sampler| {
            if self.watch.recorder.is_watching() {
                let recorders = vec![self.watch.recorder.clone(); threads];
                engine::run(workshop, recorders, sampler, progress, Recorder::into_recorded)
            } else {
                engine::run(workshop, vec![Silent; threads], sampler, progress, |_| Recorded::default())
            }
        })
    }

    /// Rejects a scenario with a driven workload, for a run that no program drives.
    pub fn check_undriven(&self) -> Result<(), ScenarioError> {
        let is_driven = |workload: &Workload| matches!(workload, Workload::Driven(_));
        let Some(index) = self.scenario.workload.iter().position(is_driven) else { return Ok(()) };
        let problem = "is \"driven\", and no program drives this run";
        let expected = "expected xoff.Simulation in Python, or the C interface; see docs/guide/driving.md";
        Err(ScenarioError::at(format!("workload[{index}].kind"), problem, expected))
    }

    /// Begins a run that a program steps through, on one thread.
    pub(crate) fn driven(&self) -> Box<dyn DrivenRun> {
        self.with_workshop(Execution::with_threads(1), true, |workshop, sampler| {
            if self.watch.recorder.is_watching() {
                workshop.driven(self.watch.recorder.clone(), sampler, Recorder::into_recorded)
            } else {
                workshop.driven(Silent, sampler, |_| Recorded::default())
            }
        })
    }
}

/// Prepares the recording of a run whose flows and control packets have these classes.
fn watch(
    scenario: &Scenario,
    network: &Network,
    switches: &[SwitchLayout],
    classes: Classes,
) -> Result<Watch, ScenarioError> {
    let pools: Vec<Vec<u32>> = switches.iter().map(pools).collect();
    let has_inputs: Vec<bool> = switches.iter().map(SwitchLayout::has_inputs).collect();
    Watch::new(
        &scenario.observe,
        network,
        &pools,
        &has_inputs,
        classes | classes_of_messages(scenario),
        scenario.stop.at.or(scenario.stop.arrivals_end),
    )
}

/// Returns the numbers of a switch's shared pools.
fn pools(layout: &SwitchLayout) -> Vec<u32> {
    let lossless = layout.has_lossless_pool().then_some(engine::LOSSLESS_POOL);
    (0..layout.pools() as u32).chain(lossless).collect()
}

/// Time from the arrival of a pause frame to its effect.
fn reaction_time(scenario: &Scenario, rate: Rate) -> Span {
    let quanta = layout::reaction_quanta(&scenario.pfc, rate);
    rate.transmission_time(QUANTUM * u64::from(quanta))
}

/// Classes of the packets that receivers send back, of congestion notification messages and of trimmed packets.
fn classes_of_control(scenario: &Scenario) -> Classes {
    let used = scenario.workload.iter().filter_map(|workload| scenario.transport.get(workload.transport()));
    let of_control: Classes = used.flat_map(Transport::control_priorities).map(|(_, class)| class).collect();
    let trimming = scenario.switch.iter().filter_map(|table| table.trimming.as_ref());
    let of_trimmed: Classes = trimming.map(|trimming| trimming.priority).collect();
    of_control | of_trimmed | classes_of_messages(scenario)
}

/// Classes of congestion notification messages.
fn classes_of_messages(scenario: &Scenario) -> Classes {
    scenario.congestion_points().filter_map(|(_, point)| point.settings().cnm_priority).collect()
}

/// Bytes that every Ethernet frame adds on the wire.
const PREAMBLE_AND_GAP: Bytes = Bytes::new(20);

fn fabric(scenario: &Scenario, longest_paths: Vec<Path>, lengths: Lengths, plans: Plans) -> Fabric {
    let transports: Vec<Transport> = scenario.transport.values().cloned().collect();
    let mut wire_overheads = [Bytes::ZERO; 256];
    for (place, transport) in wire_overheads.iter_mut().zip(&transports) {
        *place = transport.packet_sizes().wire_overhead;
    }
    wire_overheads[usize::from(NO_TRANSPORT)] = PREAMBLE_AND_GAP;
    let (lossless, host) = (scenario.lossless_classes(), scenario.host.clone());
    let inbound_delay = host.delay;
    let mut persistent: Vec<(u8, u8)> = Vec::new();
    for name in scenario.workload.iter().map(Workload::transport) {
        let found = (0..).zip(&scenario.transport).find(|(_, (known, _))| *known == name);
        if let Some((index, (_, Transport::Roce(roce)))) = found
            && roce.connections == QueuePairs::Persistent
            && persistent.iter().all(|&(known, _)| known != index)
        {
            persistent.push((index, roce.queue_pairs));
        }
    }
    let sprayed = (0..).zip(&transports).filter(|(_, transport)| transport.is_sprayed());
    let sprayed = sprayed.map(|(index, _)| index);
    Fabric {
        shared_tuples: SharedTuples::of(persistent.into_iter()).with_sprayed(sprayed),
        transports,
        wire_overheads,
        longest_paths_inside: Vec::new(),
        longest_paths,
        lengths,
        lossless,
        hands_up_together: host.hands_up_together(),
        host,
        inbound_delay,
        has_slow_receivers: false,
        plans,
        servers: None,
        seed: scenario.seed,
    }
}
