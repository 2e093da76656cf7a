//! `[topology]`: nodes, links and how packets find their way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Rate, Ratio, Span};

/// Rate and propagation delay of a full-duplex link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSettings {
    /// Bits per second in each direction.
    pub rate: Rate,
    /// Propagation only, one way.
    pub delay: Span,
    /// Share of packets that the link corrupts, so that its other end drops them; pause frames are spared.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub error_rate: Ratio,
}

/// One link by its two ends: in `custom` topologies it makes the link, elsewhere it changes it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkBetween {
    /// Names of the two nodes.
    pub between: [String; 2],
    /// Bits per second in each direction. Left out, as the topology has it.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Propagation only, one way. Left out, as the topology has it.
    #[serde(default)]
    pub delay: Option<Span>,
    /// Share of packets that the link corrupts, so that its other end drops them. Left out, as the topology has it.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub error_rate: Option<Ratio>,
}

crate::tagged! {
    /// Nodes, links and how packets find their way.
    pub enum Topology by "kind" documented by type {
        star => Star(Star),
        dumbbell => Dumbbell(Dumbbell),
        leaf_spine => LeafSpine(LeafSpine),
        clos3 => Clos3(Clos3),
        fat_tree => FatTree(FatTree),
        custom => Custom(Custom),
    }
}

/// How switches choose among shortest paths.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoutingKind {
    /// Equal-cost multipath: the hash of the five-tuple picks the next hop, the same for every packet of a flow.
    #[default]
    Ecmp,
}

/// Hosts around one switch, `switch0`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Star {
    /// Number of hosts, `host0` onwards.
    #[schemars(extend("minimum" = 1))]
    pub hosts: u32,
    /// The link of every host.
    pub host_link: LinkSettings,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
    /// Links that differ.
    #[serde(default)]
    pub links: Vec<LinkBetween>,
    /// Links that have failed, each by the names of its two nodes; routes go round them. A switch keeps the port of a failed
    /// link, with the memory that is set aside for it.
    #[serde(default)]
    pub failed_links: Vec<[String; 2]>,
}

/// Hosts `host0..` on the switch `left`, then the others on the switch `right`, joined by one link.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dumbbell {
    /// Number of hosts on the left.
    #[schemars(extend("minimum" = 1))]
    pub left: u32,
    /// Number of hosts on the right; they are numbered after those on the left.
    #[schemars(extend("minimum" = 1))]
    pub right: u32,
    /// The link of every host.
    pub host_link: LinkSettings,
    /// The link between the two switches.
    pub middle_link: LinkSettings,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
    /// Links that differ.
    #[serde(default)]
    pub links: Vec<LinkBetween>,
    /// Links that have failed, each by the names of its two nodes; routes go round them. A switch keeps the port of a failed
    /// link, with the memory that is set aside for it.
    #[serde(default)]
    pub failed_links: Vec<[String; 2]>,
}

/// `leaf0..` with hosts, each joined to every one of `spine0..`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeafSpine {
    /// Number of leaves.
    #[schemars(extend("minimum" = 1))]
    pub leaves: u32,
    /// Number of spines.
    #[schemars(extend("minimum" = 1))]
    pub spines: u32,
    /// Number of hosts on each leaf.
    #[schemars(extend("minimum" = 1))]
    pub hosts_per_leaf: u32,
    /// The link of every host.
    pub host_link: LinkSettings,
    /// The link between a leaf and a spine.
    pub fabric_link: LinkSettings,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
    /// Links that differ.
    #[serde(default)]
    pub links: Vec<LinkBetween>,
    /// Links that have failed, each by the names of its two nodes; routes go round them. A switch keeps the port of a failed
    /// link, with the memory that is set aside for it.
    #[serde(default)]
    pub failed_links: Vec<[String; 2]>,
}

/// The three-tier Clos of DCQCN's testbed (SIGCOMM 2015, figure 2): in each pod, every one of `tor0..` with hosts is joined
/// to every one of `leaf0..`, and each leaf to every one of `spine0..`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clos3 {
    /// Number of pods.
    #[schemars(extend("minimum" = 1))]
    pub pods: u32,
    /// Number of `ToRs` in each pod.
    #[schemars(extend("minimum" = 1))]
    pub tors_per_pod: u32,
    /// Number of leaves in each pod.
    #[schemars(extend("minimum" = 1))]
    pub leaves_per_pod: u32,
    /// Number of spines.
    #[schemars(extend("minimum" = 1))]
    pub spines: u32,
    /// Number of hosts on each `ToR`.
    #[schemars(extend("minimum" = 1))]
    pub hosts_per_tor: u32,
    /// The link of every host.
    pub host_link: LinkSettings,
    /// The link between a `ToR` and a leaf.
    pub fabric_link: LinkSettings,
    /// The link between a leaf and a spine. Left out, as `fabric_link`.
    #[serde(default)]
    pub spine_link: Option<LinkSettings>,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
    /// Links that differ.
    #[serde(default)]
    pub links: Vec<LinkBetween>,
    /// Links that have failed, each by the names of its two nodes; routes go round them. A switch keeps the port of a failed
    /// link, with the memory that is set aside for it.
    #[serde(default)]
    pub failed_links: Vec<[String; 2]>,
}

/// The k-ary fat tree of Al-Fares et al. (SIGCOMM 2008): k pods of k/2 leaves and k/2 spines, k^2/4 cores,
/// k/2 hosts on each leaf.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FatTree {
    /// Ports of every switch; even.
    #[schemars(extend("minimum" = 2, "multipleOf" = 2))]
    pub k: u32,
    /// The link of every host.
    pub host_link: LinkSettings,
    /// Every link between switches.
    pub fabric_link: LinkSettings,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
    /// Links that differ.
    #[serde(default)]
    pub links: Vec<LinkBetween>,
    /// Links that have failed, each by the names of its two nodes; routes go round them. A switch keeps the port of a failed
    /// link, with the memory that is set aside for it.
    #[serde(default)]
    pub failed_links: Vec<[String; 2]>,
}

/// Nodes and links by hand.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Custom {
    /// Names of the hosts; each has exactly one link.
    #[schemars(extend("minItems" = 1))]
    pub hosts: Vec<String>,
    /// Names of the switches.
    #[serde(default)]
    pub switches: Vec<String>,
    /// The links; ports are numbered in this order at each node.
    pub links: Vec<LinkBetween>,
    /// Links that have failed, each by the names of its two nodes; routes go round them. A switch keeps the port of a failed
    /// link, with the memory that is set aside for it.
    #[serde(default)]
    pub failed_links: Vec<[String; 2]>,
    /// How switches choose among shortest paths.
    #[serde(default)]
    pub routing: RoutingKind,
    /// Added to every switch's own number to seed its ECMP hash.
    #[serde(default)]
    pub hash_seed: u32,
}
