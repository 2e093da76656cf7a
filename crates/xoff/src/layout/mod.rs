//! What the scenario's tables come to for each switch: its pools and its markers, checked against the network.

mod fabric;
mod marking;
mod pools;

use crate::kernel::rng::Rng;
use crate::kernel::units::Bytes;
use crate::packet::PRIORITIES;
use crate::routing::Routes;
use crate::scenario::{Quirk, Release, Scenario, ScenarioError, SwitchSettings};
use crate::switch::buffer_policy;
use crate::switch::markers::Markers;
use crate::switch::mmu::{Mmu, Pool, Quirks, Reserve};
use crate::topology::{Network, NodeId};
use fabric::Fabric;
use marking::Marks;

/// One switch before the run.
#[derive(Clone, Debug)]
pub struct SwitchLayout {
    pools: Vec<Pool>,
    reserve: Reserve,
    policy: buffer_policy::Parameters,
    classes: u64,
    quirks: Vec<Quirk>,
    marks: Marks,
    /// When a packet's memory is free again.
    pub release: Release,
}

impl SwitchLayout {
    /// Its memory, empty.
    pub fn mmu(&self) -> Mmu {
        let ports = self.pools.iter().map(|pool| pool.ports.len()).sum();
        let threshold_with_packet = Quirk::ThresholdWithPacket.is_in(&self.quirks);
        let leaking_reserve = Quirk::LeakingReserve.is_in(&self.quirks);
        let quirks = (threshold_with_packet || leaking_reserve)
            .then(|| Quirks::new(threshold_with_packet, leaking_reserve, ports));
        Mmu::new(&self.pools, self.reserve, self.policy.clone(), self.classes).with_quirks(quirks)
    }

    /// Its markers, which draw from `rng`.
    pub fn markers(&self, rng: Rng) -> Markers {
        self.marks.markers(rng)
    }
}

/// Every switch in order of its number. Bit n of `classes` is set while class n is in use.
pub fn switches(
    scenario: &Scenario,
    network: &Network,
    routes: &Routes,
    classes: u8,
) -> Result<Vec<SwitchLayout>, ScenarioError> {
    let nodes = network.hosts..network.nodes.len() as NodeId;
    let names: Vec<&str> = nodes.clone().map(|node| network.nodes[node as usize].name.as_str()).collect();
    scenario.check_switch_patterns(&names)?;
    let fabric = Fabric::new(scenario, network, routes, classes);
    nodes.zip(names).map(|(node, name)| switch(&Subject { scenario, name, node, fabric: &fabric })).collect()
}

/// The switch that is laid out.
struct Subject<'a> {
    scenario: &'a Scenario,
    name: &'a str,
    node: NodeId,
    fabric: &'a Fabric<'a>,
}

fn switch(subject: &Subject<'_>) -> Result<SwitchLayout, ScenarioError> {
    let settings = subject.scenario.switch_settings(subject.name);
    let reserve = reserve(&settings, subject)?;
    let classes = u64::from(subject.fabric.classes.count_ones());
    debug_assert!(classes <= PRIORITIES as u64);
    let pools = pools::of(&settings, reserve, classes, subject)?;
    let marks = marking::of(&settings, &pools, reserve, subject)?;
    let SwitchSettings { buffer: policy, release, quirks, .. } = settings;
    Ok(SwitchLayout { pools, reserve, policy, classes, quirks, marks, release })
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
