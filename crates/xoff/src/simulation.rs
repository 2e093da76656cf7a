//! A simulation: a scenario with its network laid out, its routes found and its traffic ready to be drawn.
//! What it accepts can be run; running it does not change it.

use crate::agenda::Fabric;
use crate::engine::{self, Arrivals, Instants, Outcome, Progress, Workshop};
use crate::host::{Host, Marking};
use crate::kernel::rng::{Purpose, stream};
use crate::kernel::units::{Bytes, Span};
use crate::observer::Silent;
use crate::packet::PRIORITIES;
use crate::port::Port;
use crate::routing::Routes;
use crate::scenario::{Scenario, ScenarioError, SwitchSettings, Transport};
use crate::switch::mmu::{Mmu, Reserve};
use crate::switch::shared_memory::SharedMemory;
use crate::topology::{Network, NodeId};
use crate::watch::Watch;
use crate::workload::{self, Files, Source};

/// Everything that decides a run, checked.
#[derive(Debug)]
pub struct Simulation {
    scenario: Scenario,
    network: Network,
    routes: Routes,
    fabric: Fabric,
    sources: Vec<Source>,
    /// Bit n is set while class n is in use.
    classes: u8,
    watch: Watch,
}

/// How a run is carried out; none of it changes its results.
#[derive(Clone, Copy, Debug)]
pub struct Execution {
    /// Number of threads.
    pub threads: usize,
    /// The longest window.
    pub longest_window: Span,
}

impl Execution {
    /// As many threads, and windows as long as they can be.
    pub fn with_threads(threads: usize) -> Self {
        Self { threads, longest_window: Span::MAX }
    }
}

impl Simulation {
    /// Lays out a scenario. `files` holds the text of every file that it names.
    pub fn new(scenario: &Scenario, files: &Files) -> Result<Self, ScenarioError> {
        let network = Network::build(&scenario.topology)?;
        let sources = workload::sources(scenario, &network, files)?;
        let classes = sources.iter().fold(0, |classes, source| classes | source.classes());
        check_switches(scenario, &network, u64::from(classes.count_ones()))?;
        if scenario.stop.at.is_some_and(|at| at > engine::LONGEST_RUN) {
            let expected = "expected at most 1125s, the longest that a run can be";
            return Err(ScenarioError::at("stop.at", "is too late", expected));
        }
        if !engine::fit(&network) {
            let problem = "links without delay join too many ports for one event order";
            return Err(ScenarioError::at("topology", problem, "expected delays above 0s, at least of some"));
        }
        Ok(Self {
            watch: Watch::new(&scenario.observe, &network, classes)?,
            routes: Routes::new(&network),
            fabric: fabric(scenario),
            scenario: scenario.clone(),
            network,
            sources,
            classes,
        })
    }

    /// What it was made from.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Nodes and links.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Next hops.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// What nodes may look up.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// All flows.
    pub fn arrivals(&self) -> Arrivals {
        Arrivals::new(self.sources.clone(), self.network.hosts)
    }

    /// All instants.
    pub fn instants(&self) -> Instants {
        Instants::new(&self.scenario.stop, &self.watch.sampler.intervals())
    }

    /// A host as it is before the run.
    pub fn host(&self, node: NodeId) -> Host {
        let port = self.ports(node).next().expect("every host has a link");
        let stream = |purpose| stream(self.scenario.seed, purpose, u64::from(node));
        let marking = Marking::new(self.scenario.host.marking.as_ref(), stream(Purpose::AdapterMarking));
        Host::new(node, port, marking, stream(Purpose::HostJitter))
    }

    /// A switch as it is before the run.
    pub fn switch(&self, node: NodeId) -> SharedMemory {
        let settings = self.scenario.switch_settings(&self.network.nodes[node as usize].name);
        let ports: Vec<Port> = self.ports(node).collect();
        let mmu = Mmu::new(
            settings.total,
            reserve(&settings),
            settings.buffer,
            ports.len() as u64,
            u64::from(self.classes.count_ones()),
        );
        let rng = stream(self.scenario.seed, Purpose::Marking, u64::from(node));
        let routes = self.routes.table(node).clone();
        SharedMemory::new(ports, routes, mmu, settings.marking.queue, settings.release, rng)
    }

    fn ports(&self, node: NodeId) -> impl Iterator<Item = Port> {
        let first = self.network.ports.first(node);
        (first..).zip(self.network.ports.of(node)).map(|(id, port)| {
            let link = self.network.links[port.link as usize];
            Port::new(id, link.rate, link.delay)
        })
    }

    /// Runs it. `progress` is asked at checks whether to go on.
    pub fn run(&self, execution: Execution, progress: &mut dyn FnMut(&Progress) -> bool) -> Outcome {
        let workshop = Workshop {
            network: &self.network,
            fabric: &self.fabric,
            arrivals: self.arrivals(),
            instants: self.instants(),
            longest_window: execution.longest_window,
            host: &|node| self.host(node),
            switch: &|node| self.switch(node),
        };
        let sampler = &self.watch.sampler;
        let threads = execution.threads.max(1);
        if self.watch.recorder.is_watching() {
            let recorders = vec![self.watch.recorder.clone(); threads];
            engine::run(&workshop, recorders, sampler, progress, |recorder| recorder.rows)
        } else {
            engine::run(&workshop, vec![Silent; threads], sampler, progress, |_| Vec::new())
        }
    }
}

fn fabric(scenario: &Scenario) -> Fabric {
    let transports: Vec<Transport> = scenario.transport.values().cloned().collect();
    let mut wire_overheads = [Bytes::ZERO; 256];
    for (place, transport) in wire_overheads.iter_mut().zip(&transports) {
        *place = transport.packet_sizes().wire_overhead;
    }
    Fabric { wire_overheads, transports, host: scenario.host.clone() }
}

fn reserve(settings: &SwitchSettings) -> Reserve {
    if settings.reserved_per_port > Bytes::ZERO {
        Reserve::PerPort(settings.reserved_per_port)
    } else {
        Reserve::PerQueue(settings.reserved_per_queue)
    }
}

fn check_switches(scenario: &Scenario, network: &Network, classes: u64) -> Result<(), ScenarioError> {
    let switches = network.hosts..network.nodes.len() as NodeId;
    let names: Vec<&str> = switches.clone().map(|node| network.nodes[node as usize].name.as_str()).collect();
    scenario.check_switch_patterns(&names)?;
    debug_assert!(classes <= PRIORITIES as u64);
    for (node, name) in switches.zip(names) {
        scenario.check_reserves(name, network.ports.of(node).len() as u64, classes)?;
        let settings = scenario.switch_settings(name);
        if settings.reserved_per_port > Bytes::ZERO && settings.reserved_per_queue > Bytes::ZERO {
            let problem = format!("{name} has both reserved_per_port and reserved_per_queue");
            return Err(ScenarioError::at("switch.reserved_per_port", problem, "expected one of them"));
        }
    }
    Ok(())
}
