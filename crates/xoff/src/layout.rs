//! Layout of each switch before the run: pools, markers and buffers, from the scenario's tables.
//!
//! A scenario says little of a switch: a chip or a total memory, a buffer policy, perhaps markers and lossless classes.
//! The layout derives the rest from the network around the switch. It divides memory into pools, reserves and headroom,
//! gives every port to one pool, and computes thresholds that depend on link rates and round trips. It rejects settings
//! that cannot work on this network, and notes thresholds that never come into play. [`switches`] returns one
//! [`SwitchLayout`] for each switch, from which the run builds an empty switch.

mod cioq;
mod fabric;
mod kinds;
mod lossless;
mod marking;
mod marking_keys;
mod memory;
mod most_held;
mod notes;
mod paths;
mod pause_first;
mod pauses;
mod pools;
mod rates;
mod shapers;
pub mod telemetry;

use std::collections::BTreeSet;

use crate::classes::Classes;
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Rate, Ratio};
use crate::routing::Routes;
use crate::scenario::{
    Chip, Quirk, Release, Scenario, ScenarioError, Shaper, SwitchKind, SwitchSettings, Trimming,
};
use crate::scheduler;
use crate::switch::buffer_policy::{self, BufferPolicy};
use crate::switch::cell::Cell;
use crate::switch::markers::Markers;
use crate::switch::mmu::{Mmu, Pool, Quirks, Reserve};
use crate::switch::pausing::Pausing;
use crate::topology::{Link, Network, NodeId};
pub use cioq::{CioqLayout, POINTS_OF_A_PORT};
use fabric::Fabric;
use lossless::Lossless;
use marking::Marks;
pub use marking::{adapter_marker, check_adapter_marker};
use memory::{PoolMemory, SwitchMemory};
pub use pauses::{check_repeated_pauses, headroom_of, pause_frames_over, reaction_quanta};

/// Layout of one switch.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there are as many as the network has switches, and most are of one kind"
)]
pub enum SwitchLayout {
    /// Switch with output queues in one shared memory.
    SharedMemory(SharedMemoryLayout),
    /// Switch with queues at inputs and outputs (CIOQ).
    Cioq(CioqLayout),
}

impl SwitchLayout {
    /// Whether packets queue at the switch's inputs, too.
    pub fn has_inputs(&self) -> bool {
        matches!(self, Self::Cioq(_))
    }

    /// Number of the switch's shared pools.
    pub fn pools(&self) -> usize {
        match self {
            Self::SharedMemory(layout) => layout.pools(),
            Self::Cioq(_) => 0,
        }
    }

    /// Whether the switch's lossless classes have a pool.
    pub fn has_lossless_pool(&self) -> bool {
        matches!(self, Self::SharedMemory(layout) if layout.lossless.is_some())
    }

    /// Rate of the switch's crossbar, if it has one.
    pub fn crossbar(&self) -> Option<Rate> {
        match self {
            Self::SharedMemory(_) => None,
            Self::Cioq(layout) => Some(layout.crossbar()),
        }
    }

    /// Scheduler that picks which queue of a port sends next.
    pub fn scheduler(&self) -> &scheduler::Parameters {
        match self {
            Self::SharedMemory(layout) => &layout.scheduler,
            Self::Cioq(layout) => &layout.scheduler,
        }
    }

    /// Shaper of a port, if the port has one.
    pub fn shaper(&self, port: usize) -> Option<Shaper> {
        match self {
            Self::SharedMemory(layout) => layout.shapers[port],
            Self::Cioq(_) => None,
        }
    }

    /// Whether the switch marks packets of these classes.
    pub fn marks(&self, classes: Classes) -> bool {
        match self {
            Self::SharedMemory(layout) => layout.marks.mark(classes, layout.lossless_classes()),
            Self::Cioq(layout) => layout.marks(),
        }
    }

    /// Length of a class's queue at a port, or of the port itself, above which every packet is marked. Nothing where
    /// these lengths alone do not decide.
    pub fn all_marked_above(&self, port: u32, class: usize) -> Option<Bytes> {
        match self {
            Self::SharedMemory(layout) => layout.marks.all_marked_above(port, class),
            Self::Cioq(_) => None,
        }
    }

    /// Whether the switch drops packets of these classes that are not ECN-capable, where it would mark them.
    pub fn drops_incapable(&self, classes: Classes) -> bool {
        match self {
            Self::SharedMemory(layout) => layout.marks.drop_incapable(classes, layout.lossless_classes()),
            Self::Cioq(layout) => layout.drops_incapable(),
        }
    }

    /// Notes for the user about this switch, a line each.
    pub fn notes(&self) -> BTreeSet<String> {
        match self {
            Self::SharedMemory(layout) => layout.notes(),
            Self::Cioq(layout) => layout.notes(),
        }
    }
}

/// Layout of one shared-memory switch.
#[derive(Clone, Debug)]
pub struct SharedMemoryLayout {
    pools: Vec<Pool>,
    /// Memory of one MMU, on a chip with several.
    of_one_mmu: Option<Bytes>,
    /// Chip with memory off the chip, where that on the chip alone is the switch's.
    deep_chip: Option<&'static Chip>,
    reserve: Reserve,
    policy: buffer_policy::Parameters,
    /// Classes in use.
    classes: Classes,
    /// Number of queues of a port that share its pool.
    lossy_queues: u64,
    /// Classes of flows whose packets may be dropped.
    droppable: Classes,
    /// Classes of flows whose senders may be paused.
    pausable: Classes,
    /// Unit in which memory is given out, if packets take whole cells.
    pub cell: Option<Cell>,
    quirks: Vec<Quirk>,
    marks: Marks,
    lossless: Option<Lossless>,
    /// Moment at which a packet's memory becomes free.
    pub release: Release,
    /// Rule by which packets are trimmed, if they are.
    pub trimming: Option<Trimming>,
    /// Scheduler that picks which queue of a port sends next.
    pub scheduler: scheduler::Parameters,
    /// Shaper of each port.
    shapers: Vec<Option<Shaper>>,
    /// Rate at which memory can be read, for a policy that expels packets.
    memory_bandwidth: Option<Rate>,
}

impl SharedMemoryLayout {
    /// Number of the switch's shared pools.
    pub fn pools(&self) -> usize {
        self.pools.len()
    }

    /// Makes the switch's memory, empty.
    pub fn mmu(&self) -> Mmu {
        let ports = self.pools.iter().map(|pool| pool.ports.len()).sum();
        let threshold_with_packet = Quirk::ThresholdWithPacket.is_in(&self.quirks);
        let leaking_reserve = Quirk::LeakingReserve.is_in(&self.quirks);
        let quirks = (threshold_with_packet || leaking_reserve)
            .then(|| Quirks::new(threshold_with_packet, leaking_reserve, ports));
        Mmu::new(&self.pools, self.reserve, self.policy.clone(), self.lossy_queues)
            .with_quirks(quirks)
            .with_memory_bandwidth(self.memory_bandwidth)
    }

    /// Whether the buffer policy removes packets that are already in memory.
    pub fn pushes_out(&self) -> bool {
        self.policy.pushes_out() || self.policy.expels().is_some()
    }

    /// Whether a marker has to look at packets as they leave, and not only as they arrive.
    pub fn marks_departures(&self) -> bool {
        self.marks.look_at_departures()
    }

    /// Whether the fate of a packet depends on its own port alone, as long as the other ports do not fill the pool.
    pub fn looks_at_own_port_only(&self) -> bool {
        self.release == Release::TransmissionStart
            && self.cell.is_none()
            && self.trimming.is_none()
            && self.quirks.is_empty()
            && !self.policy.rises_as_the_pool_fills()
            && self.policy.only_answers()
            && self.marks.look_at_own_port_only()
    }

    /// Shapers of the switch's ports.
    pub fn shapers(&self) -> impl Iterator<Item = Shaper> {
        self.shapers.iter().copied().flatten()
    }

    /// Lossless classes and the rule by which the switch pauses their senders, if it has any.
    pub fn lossless(&self) -> Option<(Classes, Pausing)> {
        self.lossless.as_ref().map(|lossless| (lossless.classes, lossless.pausing()))
    }

    fn lossless_classes(&self) -> Classes {
        self.lossless.as_ref().map_or(Classes::NONE, |lossless| lossless.classes)
    }

    /// Makes the switch's markers, which draw from `rng`.
    pub fn markers(&self, rng: Rng) -> Markers {
        self.marks.markers(rng).with_lossless(self.lossless_classes())
    }

    /// Division of the switch's memory.
    pub fn memory(&self) -> SwitchMemory {
        let (reserved_per_queue, reserved_per_port) = match self.reserve {
            Reserve::PerQueue(size) => (size.get(), 0),
            Reserve::PerPort(size) => (0, size.get()),
        };
        SwitchMemory {
            classes: self.classes.iter().collect(),
            pools: self.pools.iter().map(|pool| self.memory_of(pool)).collect(),
            reserved_per_queue,
            reserved_per_port,
            lossless: self.lossless.as_ref().map(Lossless::divided),
        }
    }

    fn memory_of(&self, pool: &Pool) -> PoolMemory {
        let marked = self.marks.pool_range(pool.ports[0]);
        PoolMemory {
            ports: pool.ports.len(),
            shared: pool.shared.get(),
            marked_between: marked.map(|range| [range.none_up_to, range.all_above].map(Bytes::get)),
        }
    }
}

/// Lays out every switch, in order of its number.
///
/// `classes` are the classes in use, and `classes_of_flows` those among them that have flows.
pub fn switches(
    scenario: &Scenario,
    network: &Network,
    routes: &Routes,
    classes: Classes,
    classes_of_flows: Classes,
) -> Result<Vec<SwitchLayout>, ScenarioError> {
    let nodes = network.hosts..network.nodes.len() as NodeId;
    let names: Vec<&str> = nodes.clone().map(|node| network.nodes[node as usize].name.as_str()).collect();
    scenario.check_switch_patterns(&names)?;
    rates::check(scenario, network)?;
    shapers::check(scenario, network)?;
    let fabric = Fabric::new(scenario, network, routes, classes, classes_of_flows);
    nodes.zip(names).map(|(node, name)| switch(&Subject { scenario, name, node, fabric: &fabric })).collect()
}

/// Switch that is being laid out.
struct Subject<'a> {
    scenario: &'a Scenario,
    name: &'a str,
    node: NodeId,
    fabric: &'a Fabric<'a>,
}

impl Subject<'_> {
    /// Links of the switch, port by port, each with the node at its other end.
    fn ends(&self) -> impl Iterator<Item = (&Link, NodeId)> {
        let network = self.fabric.network;
        network.ports.of(self.node).iter().map(|port| (&network.links[port.link as usize], port.peer))
    }

    /// Links of the switch, port by port.
    fn links(&self) -> impl Iterator<Item = &Link> {
        self.ends().map(|(link, _)| link)
    }

    /// Rates at which the switch sends, port by port.
    fn rates_out(&self) -> impl Iterator<Item = Rate> {
        self.links().map(|link| link.rate_from(self.node))
    }

    /// Rates at which the switch receives, port by port.
    fn rates_in(&self) -> impl Iterator<Item = Rate> {
        self.links().map(|link| link.rate_to(self.node))
    }

    /// Rate of all ports together, each at the highest rate at which it sends during the run.
    fn rate_of_ports(&self) -> Rate {
        let rates = self.links().map(|link| self.at_their_highest(link).rate_from(self.node));
        rates.fold(Rate::new(0), Rate::saturating_add)
    }

    /// Rejects trimmed packets in a lossless class: a switch may drop their headers in turn.
    fn check_trimming(&self, trimming: &Trimming) -> Result<(), ScenarioError> {
        let priority = trimming.priority;
        if !self.scenario.lossless_classes().contains(usize::from(priority)) {
            return Ok(());
        }
        let key = self.scenario.switch_key(self.name, |table| table.trimming.is_some(), "trimming.priority");
        let problem = format!("class {priority} is lossless, and trimmed packets pause nobody");
        Err(ScenarioError::at(key, problem, "expected a lossy class"))
    }

    /// Returns a link with the highest rates that it takes during the run, link events included.
    fn at_their_highest(&self, link: &Link) -> Link {
        let nodes = &self.fabric.network.nodes;
        let names = link.ends.map(|end| nodes[end as usize].name.as_str());
        let mut highest = *link;
        for event in &self.scenario.link_event {
            let [there, back] = event.rates();
            let ways = match event.between.each_ref().map(String::as_str) {
                [one, other] if names == [one, other] => [there, back],
                [one, other] if names == [other, one] => [back, there],
                _ => continue,
            };
            for (rate, way) in highest.rates.iter_mut().zip(ways) {
                *rate = way.map_or(*rate, |way| way.max(*rate));
            }
        }
        highest
    }
}

fn switch(subject: &Subject<'_>) -> Result<SwitchLayout, ScenarioError> {
    let settings = subject.scenario.switch_settings(subject.name);
    subject.check_kind(settings.kind)?;
    match settings.kind {
        SwitchKind::SharedMemory => shared_memory(settings, subject).map(SwitchLayout::SharedMemory),
        SwitchKind::Cioq => cioq::of(settings, subject).map(SwitchLayout::Cioq),
    }
}

fn shared_memory(
    settings: SwitchSettings,
    subject: &Subject<'_>,
) -> Result<SharedMemoryLayout, ScenarioError> {
    subject.check_chip_memory(&settings.memory)?;
    let reserve = reserve(&settings, subject)?;
    let lossless = lossless::of(&settings, reserve, settings.memory.all(), subject)?;
    let lossless_memory = lossless.as_ref().map_or(Bytes::ZERO, Lossless::memory);
    let pools = pools::of(&settings, reserve, lossless_memory, subject)?;
    subject.check_quirks(&settings, reserve, &pools)?;
    let lossy_classes = subject.fabric.classes - subject.scenario.lossless_classes();
    let least_alpha = least_alpha(&settings.buffer, lossy_classes);
    let marks = marking::of(&settings, &pools, reserve, least_alpha, subject)?;
    let memory_bandwidth = settings
        .buffer
        .expels()
        .map(|expelling| expelling.memory_bandwidth.unwrap_or_else(|| subject.rate_of_ports()));
    if let Some(trimming) = &settings.trimming {
        subject.check_trimming(trimming)?;
    }
    let shapers = subject.shapers(&settings)?;
    let SwitchSettings { memory, buffer: policy, release, trimming, scheduler, quirks, .. } = settings;
    Ok(SharedMemoryLayout {
        pools,
        of_one_mmu: memory.of_one_mmu(),
        deep_chip: memory.deep_chip(),
        reserve,
        policy,
        classes: subject.fabric.classes,
        lossy_queues: subject.lossy_queues(),
        droppable: subject.fabric.classes_of_flows - subject.scenario.lossless_classes(),
        pausable: subject.fabric.classes_of_flows & subject.scenario.lossless_classes(),
        cell: memory.cell,
        quirks,
        marks,
        lossless,
        release,
        trimming,
        scheduler,
        shapers,
        memory_bandwidth,
    })
}

/// Returns the least alpha that a buffer policy has for these classes.
fn least_alpha(policy: &buffer_policy::Parameters, classes: Classes) -> Option<Ratio> {
    let alphas = classes.iter().filter_map(|class| policy.alpha(class));
    alphas.min_by(|one, other| one.as_f64().total_cmp(&other.as_f64()))
}

fn reserve(settings: &SwitchSettings, subject: &Subject<'_>) -> Result<Reserve, ScenarioError> {
    let SwitchSettings { reserved_per_port, reserved_per_queue, .. } = *settings;
    match (reserved_per_port > Bytes::ZERO, reserved_per_queue > Bytes::ZERO) {
        (true, true) => {
            let problem = format!("{} has both reserved_per_port and reserved_per_queue", subject.name);
            Err(ScenarioError::at("switch.reserved_per_port", problem, "expected one of them"))
        }
        (true, false) => Ok(Reserve::PerPort(reserved_per_port)),
        _ => Ok(Reserve::PerQueue(reserved_per_queue)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Files;
    use crate::{Scenario, Simulation};

    /// Makes four hosts at 100 Gbps around a switch, with a round trip of 80 us, under DCTCP.
    fn simulation(switch: &str) -> Result<Simulation, ScenarioError> {
        simulation_of(switch, "delay = '18us'")
    }

    fn simulation_of(switch: &str, host: &str) -> Result<Simulation, ScenarioError> {
        let text = format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '2us' }} }}\n\
             host = {{ {host} }}\n\
             transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}\n\
             workload = [{{ kind = 'permutation', transport = 'dctcp', size = '1MB' }}]\n\
             switch = [{{ {switch} }}]"
        );
        Simulation::new(&Scenario::from_toml(&text, &[])?, &Files::new())
    }

    /// Writes one workload with flows of a class.
    fn flows(class: u8) -> String {
        format!("{{ kind = 'permutation', transport = 'dctcp', size = '1MB', priority = {class} }}")
    }

    fn shared_memory(simulation: &Simulation) -> &SharedMemoryLayout {
        match simulation.layout(4) {
            SwitchLayout::SharedMemory(layout) => layout,
            SwitchLayout::Cioq(_) => panic!("a shared memory"),
        }
    }

    fn problem(switch: &str) -> String {
        simulation(switch).map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
    }

    /// Returns size and ports of each pool.
    fn pools(switch: &str) -> Vec<(u64, Vec<u32>)> {
        let simulation = simulation(switch).unwrap_or_else(|error| panic!("{error}"));
        shared_memory(&simulation).pools.iter().map(|pool| (pool.shared.get(), pool.ports.clone())).collect()
    }

    #[test]
    fn one_pool_has_all_ports_and_what_reserves_leave() {
        assert_eq!(pools(""), [(16_000_000, vec![0, 1, 2, 3])]);
        assert_eq!(pools("total = '1MB', reserved_per_port = '10kB'"), [(960_000, vec![0, 1, 2, 3])]);
    }

    /// Three classes are in use, of which the last is lossless.
    #[test]
    fn queues_of_lossless_classes_have_no_part_in_pools_and_no_reserve_there() {
        let simulation = |reserved: &str| {
            let text = format!(
                "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '2us' }} }}\n\
                 transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}\n\
                 class = [{{ priority = 0 }}, {{ priority = 1 }}, {{ priority = 3, lossless = true }}]\n\
                 workload = [{}, {}, {}]\n\
                 switch = [{{ total = '1MB', reserved_per_queue = '{reserved}', pfc = {{ lossless_pool = '100kB' }} }}]",
                flows(0),
                flows(1),
                flows(3)
            );
            Simulation::new(&Scenario::from_toml(&text, &[]).unwrap(), &Files::new()).unwrap()
        };
        let (without, with) = (simulation("0B"), simulation("10kB"));
        assert_eq!(shared_memory(&with).lossy_queues, 2);
        let shared = |simulation| shared_memory(simulation).pools[0].shared;
        assert_eq!(shared(&without) - shared(&with), Bytes::new(4 * 2 * 10_000));
    }

    #[test]
    fn pools_take_ports_in_order_and_equal_parts_of_the_total() {
        let of_three = pools("total = '1MB', ports_per_pool = 3, reserved_per_queue = '10kB'");
        assert_eq!(of_three, [(470_000, vec![0, 1, 2]), (490_000, vec![3])]);
        let of_two = pools("shared_per_pool = '3MiB', ports_per_pool = 2, reserved_per_port = '128KiB'");
        assert_eq!(of_two, [(3 << 20, vec![0, 1]), (3 << 20, vec![2, 3])]);
    }

    #[test]
    fn pools_can_be_said_one_by_one() {
        let pools = pools("total = '1MB', pools = [{ ports = [3, 0] }, { ports = [1, 2], shared = '30kB' }]");
        assert_eq!(pools, [(500_000, vec![3, 0]), (30_000, vec![1, 2])]);
    }

    /// The paper's emulation: a Tomahawk's 4 MiB for 8 ports, less 128 KiB for each, leaves 3 MiB.
    #[test]
    fn a_chip_decides_pools_and_memory_unless_overridden() {
        assert_eq!(pools("chip = 'tomahawk'"), [(4 << 20, vec![0, 1, 2, 3])]);
        let half = [(2 << 20, vec![0, 1]), (2 << 20, vec![2, 3])];
        assert_eq!(pools("chip = 'tomahawk', total = '32MiB', ports_per_pool = 2"), half);
        let pool = pools("chip = 'tomahawk', shared_per_pool = '3MB', ports_per_pool = 4");
        assert_eq!(pool, [(3_000_000, vec![0, 1, 2, 3])]);
    }

    #[test]
    fn lossless_classes_that_share_all_mmus_of_a_chip_are_noted() {
        let notes = |memory: &str, lossless: bool| {
            let text = format!(
                "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '2us' }} }}\n\
                 class = [{{ priority = 0, lossless = {lossless} }}, {{ priority = 7 }}]\n\
                 transport.roce = {{ kind = 'roce' }}\n\
                 workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB' }}]\n\
                 switch = [{{ {memory}, {} }}]",
                if lossless { "pfc = {}" } else { "" }
            );
            let simulation =
                Simulation::new(&Scenario::from_toml(&text, &[]).unwrap(), &Files::new()).unwrap();
            shared_memory(&simulation).notes()
        };
        let with = notes("chip = 'tomahawk'", true);
        assert!(with.iter().any(|note| note.contains("`total = \"4MiB\"` instead of `chip`")), "{with:?}");
        for (memory, lossless) in [
            ("chip = 'tomahawk'", false),
            ("chip = 'tomahawk', total = '4MiB'", true),
            ("chip = 'trident_2'", true),
        ] {
            assert!(notes(memory, lossless).iter().all(|note| !note.contains("MMU")), "{memory}");
        }
    }

    #[test]
    fn a_chip_must_have_the_ports() {
        let hosts = |count: u32| {
            let change = format!("topology.hosts={count}");
            let text = "title = 'ports'\n\
                topology = { kind = 'star', hosts = 4, host_link = { rate = '1Gbps', delay = '1us' } }\n\
                transport.one = { kind = 'constant_rate' }\n\
                workload = [{ kind = 'permutation', transport = 'one', size = '1kB' }]\n\
                switch = [{ total = '1MB' }, { chip = 'scorpion' }]";
            let scenario = Scenario::from_toml(text, &[change]).unwrap();
            Simulation::new(&scenario, &Files::new())
                .map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
        };
        assert_eq!(hosts(24), "accepted");
        assert_eq!(
            hosts(25),
            "switch[1].chip: switch0 has 25 ports, and the chip 24 for them; \
             expected a chip with more, or a topology that needs fewer; see `xoff list chips`"
        );
    }

    #[test]
    fn every_port_is_in_exactly_one_pool() {
        let expected = "expected each of the ports 0 to 3 in exactly one pool";
        for (pools, wrong) in [
            ("{ ports = [0, 1, 2] }", "port 3 in no pool"),
            ("{ ports = [0, 1, 2] }, { ports = [3, 1] }", "port 1 in 2 pools"),
            ("{ ports = [0, 1, 2, 3, 3] }", "port 3 in 2 pools"),
            ("{ ports = [0, 1, 2, 3, 4] }", "no port 4"),
        ] {
            let line = problem(&format!("pools = [{pools}]"));
            assert_eq!(line, format!("switch[0].pools: switch0 has {wrong}; {expected}"));
        }
    }

    #[test]
    fn what_excludes_each_other_is_refused() {
        let one = "expected one of them";
        assert_eq!(
            problem("total = '1MB', shared_per_pool = '1MB'"),
            format!("switch[0].shared_per_pool: switch0 has both total and shared_per_pool; {one}")
        );
        assert_eq!(
            problem("ports_per_pool = 4, pools = [{ ports = [0, 1, 2, 3] }]"),
            format!("switch[0].pools: switch0 has both pools and ports_per_pool; {one}")
        );
        assert_eq!(
            problem("reserved_per_port = '1kB', reserved_per_queue = '1kB'"),
            format!(
                "switch.reserved_per_port: switch0 has both reserved_per_port and reserved_per_queue; {one}"
            )
        );
    }

    #[test]
    fn headers_of_trimmed_packets_go_into_a_lossy_class() {
        let problem = |priority: u8| {
            let text = format!(
                "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '2us' }} }}\n\
                 transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}\n\
                 class = [{{ priority = 0 }}, {{ priority = 3, lossless = true }}]\n\
                 workload = [{}]\nswitch = [{{ pfc = {{}} }}, {{ trimming.priority = {priority} }}]",
                flows(0)
            );
            let simulation = Scenario::from_toml(&text, &[])
                .and_then(|scenario| Simulation::new(&scenario, &Files::new()));
            simulation.map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
        };
        assert_eq!(problem(0), "accepted");
        assert_eq!(
            problem(3),
            "switch[1].trimming.priority: class 3 is lossless, and trimmed packets pause nobody; expected a lossy class"
        );
        assert!(problem(6).starts_with("switch[1].trimming.priority: there is no class 6"), "{}", problem(6));
    }

    #[test]
    fn reserves_must_fit_into_the_memory_of_their_pool() {
        assert_eq!(problem("total = '8kB', reserved_per_queue = '2kB'"), "accepted");
        assert_eq!(
            problem("total = '8kB', reserved_per_queue = '2001B'"),
            "switch[0].total: switch0 reserves 8004B for the ports of a pool, more than its memory of 8kB; \
             expected more memory, or smaller `reserved_per_port` and `reserved_per_queue`"
        );
    }

    #[test]
    fn a_pool_must_hold_a_packet() {
        assert_eq!(problem("shared_per_pool = '1kB', reserved_per_port = '2kB'"), "accepted");
        let pools = "pools = [{ ports = [0, 1], shared = '1kB' }, { ports = [2, 3] }]";
        for (key, switch) in [
            ("shared_per_pool", "shared_per_pool = '1kB'"),
            ("total", "total = '4kB', ports_per_pool = 1"),
            ("pools", pools),
        ] {
            assert_eq!(
                problem(switch),
                format!(
                    "switch[0].{key}: switch0 has a pool of 1kB, smaller than one packet; \
                     expected at least 1518B, the largest frame of the transports"
                )
            );
        }
    }

    #[test]
    fn a_threshold_that_counts_the_packet_must_let_one_in() {
        let switch = |alpha: &str| {
            format!(
                "shared_per_pool = '10kB', quirks = ['threshold_with_packet'], \
                 buffer = {{ policy = 'dynamic_threshold', alpha = '{alpha}' }}"
            )
        };
        assert_eq!(problem(&switch("1/4")), "accepted");
        assert_eq!(
            problem(&switch("1/8")),
            "switch[0].buffer: switch0 lets class 0 have 1250B of an empty pool, less than one packet; \
             expected at least 1518B, or no quirk `threshold_with_packet`"
        );
    }

    #[test]
    fn marking_of_a_pool_ends_below_its_size() {
        let red = |maximum: &str| {
            format!(
                "total = '1MB', marking.pool = {{ kind = 'red', minimum = '1kB', maximum = '{maximum}', probability = 1 }}"
            )
        };
        assert_eq!(problem(&red("999999B")), "accepted");
        let line = "switch[0].marking.pool: on switch0, it is set to 1MB, which is not below the \
                    pool's size, 1MB; expected less, or a larger pool";
        assert_eq!(problem(&red("1MB")), line);
        assert_eq!(problem("total = '1MB', marking.pool = { kind = 'threshold', threshold = '1MB' }"), line);
    }

    /// A queue with the pool to itself may have half of it with alpha 1, and a fifth of it with 1/4. A port has a
    /// reserve besides.
    #[test]
    fn marking_of_a_queue_or_port_that_never_begins_is_noted() {
        let red = "kind = 'red', maximum = '2MB', probability = 1";
        for (switch, place, marker, most) in [
            ("buffer = { policy = 'static_threshold', threshold = '100kB' }", "queue", "threshold", 100),
            ("buffer = { policy = 'static_partition' }", "queue", "threshold", 250),
            ("buffer = { policy = 'dynamic_threshold', alpha = 1 }", "queue", "red", 500),
            ("buffer = { policy = 'dynamic_threshold', alpha = '1/4' }", "port", "averaged", 200),
            ("buffer = { policy = 'complete_sharing' }", "queue", "pi", 1000),
            (
                "buffer = { policy = 'dynamic_threshold', alpha = 1 }, reserved_per_port = '50kB'",
                "port",
                "pi",
                450,
            ),
        ] {
            let at = |bytes: u64| {
                let marker = match marker {
                    "red" => format!("{red}, gentle = true, minimum = '{bytes}B'"),
                    "averaged" => format!("{red}, weight = '1/512', minimum = '{bytes}B'"),
                    "pi" => format!("kind = 'pi', reference = '{bytes}B'"),
                    _ => format!("kind = 'threshold', threshold = '{bytes}B'"),
                };
                notes(&format!("total = '1MB', {switch}, marking.{place} = {{ {marker} }}"))
            };
            let never = |bytes: u64| format!("marks only above {}: never", Bytes::new(bytes));
            let is_never = |bytes| at(bytes).iter().any(|note| note.ends_with(&never(bytes)));
            assert!(!is_never(most * 1000 - 2), "{switch}");
            let limit = Bytes::new(most * 1000);
            let note = format!("a {place} drops packets from {limit} on, and {}", never(most * 1000 - 1));
            assert_eq!(at(most * 1000 - 1), [note], "{switch}");
        }
    }

    #[test]
    fn an_adapter_marks_before_it_drops() {
        let problem = |marking: &str| {
            let adapter = format!("adapter_queue = '100kB', marking = {{ {marking} }}");
            simulation_of("", &adapter).map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
        };
        assert_eq!(problem("kind = 'threshold', threshold = '99kB'"), "accepted");
        assert_eq!(problem("kind = 'pi', reference = '99kB'"), "accepted");
        assert_eq!(
            problem("kind = 'threshold', threshold = '100kB'"),
            "host.marking: it is set to 100kB, and packets are dropped from 100kB on; \
             expected less, or a larger host.adapter_queue"
        );
        assert_eq!(
            problem("kind = 'codel'"),
            "host.marking: codel drops what leaves a queue of a switch; expected it in marking.queue of a switch with a shared memory"
        );
    }

    #[test]
    fn a_marker_sits_where_it_can() {
        let marking = |key: &str| problem(&format!("marking.{key}"));
        assert_eq!(marking("queue = { kind = 'codel' }"), "accepted");
        assert_eq!(
            marking("port = { kind = 'codel' }"),
            "switch[0].marking.port: on switch0, codel drops what leaves a queue of a switch; \
             expected it in marking.queue of a switch with a shared memory"
        );
        assert_eq!(
            marking("queue = { kind = 'codel', target = '2ms', interval = '1ms' }"),
            "switch[0].marking.queue.interval: \"1ms\" is not above `target`, \"2ms\"; expected a value above `target`"
        );
        assert_eq!(
            marking("queue = { kind = 'pi', reference = '75kB', b = 0.1 }"),
            "switch[0].marking.queue: on switch0, `a` is 0.00001822 and `b` is 0.1, so that a long queue never raises the \
             probability; expected `a` above `b`"
        );
        assert_eq!(
            marking("pool = { kind = 'pi', reference = '75kB' }, quirks = ['bcc_ns2']"),
            "switch[0].marking.pool: on switch0, with `red_counts_bytes` each port by itself looks at the pool, and misses \
             what others do; expected a marker that goes by the instantaneous length, or no such quirk"
        );
    }

    #[test]
    fn a_chip_without_ecn_marks_nothing() {
        let marking = "marking.queue = { kind = 'threshold', threshold = '30kB' }";
        assert_eq!(problem(&format!("chip = 'triumph', {marking}")), "accepted");
        assert_eq!(
            problem(&format!("chip = 'cat4948', {marking}")),
            "switch[0].marking.queue: on switch0, the chip cat4948 marks nothing; expected a chip with ECN, or no marker"
        );
    }

    #[test]
    fn a_chip_of_unknown_memory_needs_a_total() {
        assert_eq!(
            problem("chip = 'silicon_one_g100'"),
            "switch[0].chip: switch0 is a silicon_one_g100, whose memory is not public; expected total beside it"
        );
        assert_eq!(problem("chip = 'silicon_one_g100', total = '100MB'"), "accepted");
    }

    #[test]
    fn memory_off_the_chip_is_noted() {
        let note = "jericho_2 has 8GiB off the chip besides, for virtual output queues, which are left out; total says another size";
        assert_eq!(notes("chip = 'jericho_2'"), [note]);
        assert_eq!(notes("chip = 'jericho_2', total = '6GB'"), [""; 0]);
    }

    #[test]
    fn a_switch_whose_reserves_have_all_memory_has_no_pool_to_mark() {
        let reserves = "total = '8kB', reserved_per_queue = '2kB'";
        assert_eq!(
            problem(&format!("{reserves}, marking.pool = {{ kind = 'threshold', threshold = '1kB' }}")),
            "switch[0].marking.pool: on switch0, there is no shared pool: reserves have all memory; \
             expected more memory, or smaller reserves"
        );
    }

    /// 100 Gbps, 80 us, DCTCP, alpha 4, 128 kB and four ports: K_min is higher by four ports' ramp than the paper's
    /// 1.802 MB.
    #[test]
    fn bcc_takes_its_inputs_from_the_fabric() {
        let switch = "shared_per_pool = '3MB', reserved_per_port = '128kB', \
                      buffer = { policy = 'dynamic_threshold', alpha = 4 }, marking.pool = { kind = 'bcc' }";
        let layout = shared_memory(&simulation(switch).unwrap()).clone();
        let range = layout.marks.pool_range(0).unwrap();
        assert_eq!((range.none_up_to.get(), range.all_above.get()), (2_202_000, 2_602_000));
    }

    /// The threshold of lossless classes in their own pool does not matter to this pool.
    #[test]
    fn bcc_goes_by_the_alphas_of_lossy_classes() {
        let range = |alpha: &str| {
            let text = format!(
                "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '20us' }} }}\n\
                 transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}\n\
                 class = [{{ priority = 0 }}, {{ priority = 3, lossless = true }}]\n\
                 workload = [{}, {}]\n\
                 switch = [{{ total = '16MB', reserved_per_queue = '128kB', marking.pool = {{ kind = 'bcc' }}, \
                 buffer = {{ policy = 'dynamic_threshold', alpha_by_priority = [4, 4, 4, {alpha}, 4, 4, 4, 4] }}, \
                 pfc = {{ lossy_pool = '3MB' }} }}]",
                flows(0),
                flows(3)
            );
            let simulation =
                Simulation::new(&Scenario::from_toml(&text, &[]).unwrap(), &Files::new()).unwrap();
            shared_memory(&simulation).marks.pool_range(0).unwrap()
        };
        assert_eq!(range("4"), range("'1/8'"));
    }

    #[test]
    fn bcc_that_does_not_fit_is_refused() {
        assert_eq!(
            problem("total = '1MB', marking.pool = { kind = 'bcc' }"),
            "switch[0].marking.pool: on switch0, a queue needs 1720kB of the pool (B_R), and the ports' ramp 400kB, which \
             leaves no K_min in 1MB; expected a larger pool, a larger alpha, or a smaller `round_trip`, `lambda` or `ramp`"
        );
        assert_eq!(
            problem("marking.queue = { kind = 'bcc' }"),
            "switch[0].marking.queue: on switch0, bcc sets the thresholds of a pool; expected it in marking.pool of a switch with a shared memory"
        );
        assert_eq!(
            problem("buffer = { policy = 'complete_sharing' }, marking.pool = { kind = 'bcc' }"),
            "switch[0].marking.pool: on switch0, the buffer policy has no alpha above 0; \
             expected dynamic_threshold, or `alpha`"
        );
    }

    /// BCC (APNet 2017, sections 4.2 and 4.4). With alpha 1 the pool marks a single busy port first. With five busy
    /// ports packets are dropped before a port of 720 kB marks.
    #[test]
    fn what_a_scenario_should_know_is_noted() {
        let notes = |alpha: u64, busy: &str| {
            let switch = format!(
                "shared_per_pool = '3MB', reserved_per_port = '128kB', \
                 buffer = {{ policy = 'dynamic_threshold', alpha = {alpha} }}, \
                 marking.port = {{ kind = 'threshold', threshold = '{busy}' }}, marking.pool = {{ kind = 'bcc', ports = 8 }}"
            );
            simulation(&switch).unwrap().layout(4).notes().into_iter().collect::<Vec<_>>()
        };
        let by_port =
            "marking.pool = { kind = 'bcc', ports = 8 }, quirks = ['red_counts_bytes'], ports_per_pool = 2";
        let layout = simulation(&format!("total = '9MB', {by_port}")).unwrap().layout(4).clone();
        assert_eq!(
            layout.notes().into_iter().collect::<Vec<_>>(),
            ["bcc computes minimum = 1980000B and maximum = 2780000B"]
        );
        assert_eq!(notes(4, "720kB"), ["bcc computes minimum = 1802000B and maximum = 2602000B"]);
        assert_eq!(
            notes(4, "900kB"),
            [
                "bcc computes minimum = 1802000B and maximum = 2602000B",
                "with 4 busy ports, packets are dropped before their threshold of 900kB marks any"
            ]
        );
        assert_eq!(
            notes(1, "720kB"),
            [
                "a single busy port is marked by its pool, above 608kB, before its own threshold of 720kB",
                "bcc computes minimum = 608000B and maximum = 1408000B"
            ]
        );
    }

    /// Of 1 MB a queue of class 0 may have 500 kB alone, 250 kB beside two more and 200 kB beside three. Class 1 has a
    /// quarter of the free pool, and no marker.
    #[test]
    fn the_marker_of_a_class_is_held_against_its_own_share() {
        let of = |threshold: &str| {
            let marker = format!("{{ kind = 'threshold', threshold = '{threshold}' }}");
            let text = format!(
                "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '8us' }} }}\n\
                 transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}\n\
                 workload = [{{ kind = 'permutation', transport = 'dctcp', size = '1MB', priority = [0, 1] }}]\n\
                 switch = [{{ total = '1MB', marking.queue_by_priority.0 = {marker}, \
                 buffer = {{ policy = 'dynamic_threshold', alpha_by_priority = [1, '1/4', 1, 1, 1, 1, 1, 1] }} }}]"
            );
            let scenario = Scenario::from_toml(&text, &[]).unwrap();
            let simulation = Simulation::new(&scenario, &Files::new()).unwrap();
            simulation.layout(4).notes().into_iter().collect::<Vec<_>>()
        };
        assert_eq!(of("199kB"), [""; 0]);
        let late = "packets are dropped before their threshold of";
        assert_eq!(of("260kB"), [format!("with 3 busy ports, {late} 260kB marks any")]);
        let never = "class 0: a queue drops packets from 500kB on, and marks only above 600kB: never";
        let busy = format!("with a single busy port, {late} 600kB marks any");
        assert_eq!(of("600kB"), [never.to_owned(), busy]);
    }

    fn notes(switch: &str) -> Vec<String> {
        let simulation = simulation(switch).unwrap_or_else(|error| panic!("{error}"));
        simulation.layout(4).notes().into_iter().collect()
    }

    /// Of 1 MB a queue alone may have 500 kB, two have 333 kB each and three 250 kB.
    #[test]
    fn red_is_late_where_its_minimum_is() {
        let red = |minimum: &str, maximum: &str| {
            notes(&format!(
                "total = '1MB', buffer = {{ policy = 'dynamic_threshold', alpha = 1 }}, \
                 marking.queue = {{ kind = 'red', minimum = '{minimum}', maximum = '{maximum}', probability = 0.1 }}"
            ))
        };
        assert_eq!(red("5kB", "400kB"), [""; 0]);
        assert_eq!(
            red("300kB", "400kB"),
            ["with 3 busy ports, packets are dropped before their threshold of 300kB marks any"]
        );
        assert_eq!(red("5kB", "499998B"), [""; 0]);
        let never = "a queue drops packets from 500kB on, and marks every packet only above";
        assert_eq!(red("5kB", "500kB"), [format!("{never} 500kB")]);
        assert_eq!(red("5kB", "2MB"), [format!("{never} 2MB")]);
        let by_a_mean = "marking.queue = { kind = 'red', minimum = '5kB', maximum = '2MB', probability = 1, weight = '1/512' }";
        assert_eq!(notes(&format!("total = '1MB', {by_a_mean}")), [format!("{never} 2MB")]);
    }

    /// Two classes may each have 333 kB of 1 MB, which is less than half of the port's threshold and its reserve.
    #[test]
    fn a_busy_port_may_have_one_busy_class_only() {
        let text = "topology = { kind = 'star', hosts = 4, host_link = { rate = '100Gbps', delay = '2us' } }\n\
            transport.dctcp = { kind = 'tcp', congestion_control = { algorithm = 'dctcp' } }\n\
            workload = [{ kind = 'permutation', transport = 'dctcp', size = '1MB', priority = [0, 1] }]\n\
            switch = [{ total = '1MB', marking.port = { kind = 'threshold', threshold = '600kB' } }]";
        let simulation = Simulation::new(&Scenario::from_toml(text, &[]).unwrap(), &Files::new()).unwrap();
        assert_eq!(
            simulation.layout(4).notes().into_iter().collect::<Vec<_>>(),
            ["with a single busy port, packets are dropped before their threshold of 600kB marks any"]
        );
    }
}
