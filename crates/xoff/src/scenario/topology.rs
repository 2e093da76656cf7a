//! `[topology]`: nodes, links and how packets find their way.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Rate, Ratio, Span};

/// Ways in which the receiving end of a link keeps the sending end from overrunning its buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowControl {
    /// Priority flow control, for classes that are lossless; none for others.
    #[default]
    Pause,
    /// A frame is sent only once the other end has granted the room for it; only between switches of kind `cioq`.
    Credits,
}

/// Rates and propagation delay of a full-duplex link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSettings {
    /// Bits per second in each direction; beside `rate_back`, only of what a host sends, of what goes up between tiers of
    /// switches, or of what goes from left to right.
    pub rate: Rate,
    /// Bits per second the other way: to a host, down, or from right to left. Left out, as `rate`.
    #[serde(default)]
    pub rate_back: Option<Rate>,
    /// Propagation only, one way.
    pub delay: Span,
    /// Share of packets that the link corrupts, so that its other end drops them; pause frames are spared.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub error_rate: Ratio,
    /// Flow control of the link.
    #[serde(default)]
    pub flow_control: FlowControl,
}

impl LinkSettings {
    /// Rates from the first end to the second, and back.
    pub fn rates(&self) -> [Rate; 2] {
        [self.rate, self.rate_back.unwrap_or(self.rate)]
    }
}

/// A full-duplex link inside a fabric: its flow control is credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InternalLink {
    /// Bits per second in each direction; beside `rate_back`, only from a line card to its element, or from the element of
    /// the lower number to the other.
    pub rate: Rate,
    /// Bits per second the other way. Left out, as `rate`.
    #[serde(default)]
    pub rate_back: Option<Rate>,
    /// Propagation only, one way. 10 ns are two metres of backplane.
    #[serde(default = "InternalLink::default_delay")]
    pub delay: Span,
    /// Share of packets that the link corrupts, so that its other end drops them.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub error_rate: Ratio,
}

impl InternalLink {
    /// Rates from the first end to the second, and back.
    pub fn rates(&self) -> [Rate; 2] {
        [self.rate, self.rate_back.unwrap_or(self.rate)]
    }

    /// One without errors and with the usual delay.
    pub fn at(rate: Rate) -> Self {
        Self { rate, rate_back: None, delay: Self::default_delay(), error_rate: Ratio::default() }
    }

    fn default_delay() -> Span {
        Span::from_nanoseconds(10)
    }
}

/// One link by its two ends: in `custom` topologies it makes the link, elsewhere it changes it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkBetween {
    /// Names of the two nodes.
    pub between: [String; 2],
    /// Bits per second in each direction; beside `rate_back`, only from the first of the two nodes to the second. Left out,
    /// as the topology has it.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Bits per second from the second of the two nodes to the first. Left out, as `rate`, or as the topology has it
    /// where that is left out, too.
    #[serde(default)]
    pub rate_back: Option<Rate>,
    /// Propagation only, one way. Left out, as the topology has it.
    #[serde(default)]
    pub delay: Option<Span>,
    /// Share of packets that the link corrupts, so that its other end drops them. Left out, as the topology has it.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub error_rate: Option<Ratio>,
    /// Flow control of the link. Left out, as the topology has it.
    #[serde(default)]
    pub flow_control: Option<FlowControl>,
}

crate::tagged! {
    /// Nodes, links and how packets find their way.
    pub enum Topology by "kind" documented by type {
        star => Star(Star),
        dumbbell => Dumbbell(Dumbbell),
        leaf_spine => LeafSpine(LeafSpine),
        clos3 => Clos3(Clos3),
        fat_tree => FatTree(FatTree),
        fabric => Fabric(Fabric),
        custom => Custom(Custom),
    }
}

/// Ways in which switches choose among shortest paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoutingKind {
    /// Equal-cost multipath: the hash of the five-tuple picks the next hop, the same for every packet of a flow.
    #[default]
    Ecmp,
    /// Every packet takes any next hop, at random (Dixit et al., INFOCOM 2013).
    PacketSpraying,
    /// Every packet takes the next hop whose port holds the fewest bytes, as adaptive routing of switches for RoCE does.
    Adaptive,
    /// Packets of a flow that follow one another within `flowlet_gap` take the same next hop, and those behind a longer gap any, at
    /// random (`LetFlow`, NSDI 2017).
    Flowlet,
    /// Flowlets, too, of which each takes the next hop whose port holds the fewest bytes as it begins.
    AdaptiveFlowlet,
}

impl RoutingKind {
    /// Whether packets of a flow may take several paths, at a time or one after another.
    pub fn balances_load(self) -> bool {
        self != Self::Ecmp
    }

    /// Whether packets of a flow may take several paths at a time.
    pub fn is_by_packet(self) -> bool {
        matches!(self, Self::PacketSpraying | Self::Adaptive)
    }

    /// Whether gaps between packets count.
    pub fn is_by_flowlet(self) -> bool {
        matches!(self, Self::Flowlet | Self::AdaptiveFlowlet)
    }
}

/// As a scenario says it.
impl fmt::Display for RoutingKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(formatter)
    }
}

/// Choice of switches among shortest paths, whatever the topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Routing {
    /// Way of the choice.
    pub kind: RoutingKind,
    /// The gap that ends a flowlet, where they go by flowlets.
    pub flowlet_gap: Option<Span>,
    /// Added to every switch's own number to seed its ECMP hash.
    pub hash_seed: u32,
}

impl Topology {
    /// Returns how the switches choose among shortest paths.
    pub fn routing(&self) -> Routing {
        macro_rules! of {
            ($($kind:ident)*) => {
                match self {
                    $(Self::$kind(said) => Routing {
                        kind: said.routing,
                        flowlet_gap: said.flowlet_gap,
                        hash_seed: said.hash_seed,
                    },)*
                }
            };
        }
        of!(Star Dumbbell LeafSpine Clos3 FatTree Fabric Custom)
    }
}

/// Declares the settings of a kind of topology: its own keys, then groups of keys that are the same for every kind, in their order.
macro_rules! kind {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* } with $($group:ident)*) => {
        kind! { @fields [$(#[$about])* $name] [$($own)*] $($group)* }
    };
    (@fields [$(#[$about:meta])* $name:ident] [$($fields:tt)*]) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($fields)* }
    };
    (@fields $head:tt [$($before:tt)*] routing $($group:ident)*) => {
        kind! {
            @fields $head [
                $($before)*
                /// Choice of switches among shortest paths.
                #[serde(default)]
                pub routing: RoutingKind,
                /// The gap between two packets of a flow that ends a flowlet, with routing by flowlets only. Left out, 500us, as CONGA's (SIGCOMM 2014).
                #[serde(default)]
                #[schemars(extend("x-above" = "0s"))]
                pub flowlet_gap: Option<Span>,
                /// Added to every switch's own number to seed its ECMP hash.
                #[serde(default)]
                pub hash_seed: u32,
            ] $($group)*
        }
    };
    (@fields $head:tt [$($before:tt)*] links $($group:ident)*) => {
        kind! {
            @fields $head [
                $($before)*
                /// Links that differ.
                #[serde(default)]
                pub links: Vec<LinkBetween>,
            ] $($group)*
        }
    };
    (@fields $head:tt [$($before:tt)*] failures $($group:ident)*) => {
        kind! {
            @fields $head [
                $($before)*
                /// Links that have failed, each by the names of its two nodes; routes go round them. A switch keeps the port of a failed
                /// link, with the memory that is set aside for it.
                #[serde(default)]
                pub failed_links: Vec<[String; 2]>,
            ] $($group)*
        }
    };
}

kind! {
    /// Hosts around one switch, `switch0`.
    pub struct Star {
        /// Number of hosts, `host0` onwards.
        #[schemars(extend("minimum" = 1))]
        pub hosts: u32,
        /// The link of every host. Its `rate` is from the host.
        pub host_link: LinkSettings,
    } with routing links failures
}

kind! {
    /// Hosts `host0..` on the switch `left`, then the others on the switch `right`, joined by one link.
    pub struct Dumbbell {
        /// Number of hosts on the left.
        #[schemars(extend("minimum" = 1))]
        pub left: u32,
        /// Number of hosts on the right; they are numbered after those on the left.
        #[schemars(extend("minimum" = 1))]
        pub right: u32,
        /// The link of every host. Its `rate` is from the host.
        pub host_link: LinkSettings,
        /// The link between the two switches. Its `rate` is from `left` to `right`.
        pub middle_link: LinkSettings,
    } with routing links failures
}

kind! {
    /// `leaf0..` with hosts, each joined to every one of `spine0..`.
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
        /// The link of every host. Its `rate` is from the host.
        pub host_link: LinkSettings,
        /// The link between a leaf and a spine. Its `rate` is from the leaf.
        pub fabric_link: LinkSettings,
    } with routing links failures
}

kind! {
    /// The three-tier Clos of DCQCN's testbed (SIGCOMM 2015, figure 2): in each pod, every one of `tor0..` with hosts is joined
    /// to every one of `leaf0..`, and each leaf to every one of `spine0..`.
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
        /// The link of every host. Its `rate` is from the host.
        pub host_link: LinkSettings,
        /// The link between a `ToR` and a leaf. Its `rate` is from the `ToR`.
        pub fabric_link: LinkSettings,
        /// The link between a leaf and a spine. Its `rate` is from the leaf. Left out, as `fabric_link`.
        #[serde(default)]
        pub spine_link: Option<LinkSettings>,
    } with routing links failures
}

kind! {
    /// The k-ary fat tree of Al-Fares et al. (SIGCOMM 2008): k pods of k/2 leaves and k/2 spines, k^2/4 cores,
    /// k/2 hosts on each leaf; or with fewer pods, and another number of hosts.
    pub struct FatTree {
        /// Ports of every switch; even. Half of them lead up, in leaves and spines.
        #[schemars(extend("minimum" = 2, "multipleOf" = 2))]
        pub k: u32,
        /// Pods that there are, of the `k` for which cores have ports. Left out, all.
        #[serde(default)]
        #[schemars(extend("minimum" = 1))]
        pub pods: Option<u32>,
        /// Hosts on each leaf. Left out, half of `k`.
        #[serde(default)]
        #[schemars(extend("minimum" = 1))]
        pub hosts_per_leaf: Option<u32>,
        /// The link of every host. Its `rate` is from the host.
        pub host_link: LinkSettings,
        /// Every link between switches. Its `rate` is from the lower tier.
        pub fabric_link: LinkSettings,
    } with routing links failures
}

kind! {
    /// A multi-stage switch with internal blocking (QCN occupancy sampling, section V, figure 8): supernodes of Ethernet ports, in
    /// each of which one of `element0..` joins the line cards `card0..`, one for every host; elements are joined to each other.
    pub struct Fabric {
        /// Number of supernodes, each a rack.
        #[serde(default = "two_supernodes")]
        #[schemars(extend("minimum" = 1))]
        pub supernodes: u32,
        /// Number of Ethernet ports of each supernode; every one has a line card and a host.
        #[schemars(extend("minimum" = 1))]
        pub ports_per_supernode: u32,
        /// The link of every host: an Ethernet port of the fabric. Its `rate` is from the host.
        pub host_link: LinkSettings,
        /// The link between a line card and its element. Left out, it has twice the rates of `host_link`, so that within a supernode
        /// nothing blocks.
        #[serde(default)]
        pub card_link: Option<InternalLink>,
        /// The link between two elements; every two are joined. Left out, it has the paper's 2.5 Gbps, a quarter of a port's.
        #[serde(default = "supernode_link")]
        pub supernode_link: InternalLink,
    } with routing links failures
}

fn two_supernodes() -> u32 {
    2
}

fn supernode_link() -> InternalLink {
    InternalLink::at(Rate::new(2_500_000_000))
}

kind! {
    /// Nodes and links by hand.
    pub struct Custom {
        /// Names of the hosts; each has exactly one link.
        #[schemars(extend("minItems" = 1))]
        pub hosts: Vec<String>,
        /// Names of the switches.
        #[serde(default)]
        pub switches: Vec<String>,
        /// The links; ports are numbered in this order at each node.
        pub links: Vec<LinkBetween>,
    } with failures routing
}
