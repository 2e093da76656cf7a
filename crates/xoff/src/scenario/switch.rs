//! `[[switch]]`: settings of switches by name pattern, and what they come to for one switch.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chip::NamedChip;
use super::cioq::{CioqSettings, InputTable, InternalTable, OutputTable};
use super::words::nearest;
use super::{ClassNumber, Pausing, PausingTable, Scenario, ScenarioError, pattern};
use crate::kernel::units::{Bytes, Rate};
use crate::scheduler;
use crate::switch::buffer_policy::{self, dynamic_threshold::DynamicThreshold};
use crate::switch::cell::Cell;
use crate::switch::congestion_point;
use crate::switch::marking;
use crate::switch::matching;

/// Settings of the switches whose name matches; keys left out keep what an earlier table or the default says.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchTable {
    /// Switches that the table is for: a name, or a pattern such as `leaf*` or `leaf[0-3]`.
    #[serde(default = "every_node")]
    pub nodes: String,
    /// Architecture of the switch.
    #[serde(default)]
    #[schemars(extend("default" = SwitchKind::default()))]
    pub kind: Option<SwitchKind>,
    /// The chip it is built on, which decides memory and pools; what this table says besides goes over it.
    #[serde(default)]
    pub chip: Option<NamedChip>,
    /// Packet memory of the whole switch, reserves included; pools have equal parts of it.
    #[serde(default)]
    #[schemars(extend("default" = Memory::DEFAULT_TOTAL))]
    pub total: Option<Bytes>,
    /// Size of each shared pool, to which reserves are added; instead of `total`.
    #[serde(default)]
    pub shared_per_pool: Option<Bytes>,
    /// Ports of each pool, taken in order of their numbers. Left out, one pool has all ports. Lossless classes share one memory
    /// on all ports, whatever pools the others have.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    pub ports_per_pool: Option<u32>,
    /// The pools one by one; instead of `ports_per_pool`.
    #[serde(default)]
    #[schemars(extend("minItems" = 1))]
    pub pools: Option<Vec<PoolTable>>,
    /// Unit in which packet memory is given out: a frame takes whole cells, and telemetry tells the length of queues
    /// in cells. Left out, a frame takes its exact bytes, as the papers count, whatever the chip.
    #[serde(default)]
    pub cell: Option<Cell>,
    /// Bytes set aside for each queue in use, used before the shared pool.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().reserved_per_queue))]
    pub reserved_per_queue: Option<Bytes>,
    /// Bytes set aside for all queues of a port together, used before the shared pool.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().reserved_per_port))]
    pub reserved_per_port: Option<Bytes>,
    /// Policy that divides a shared pool among queues.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().buffer))]
    pub buffer: Option<buffer_policy::Parameters>,
    /// Markers of packets; every marker that is set is asked, and one yes marks.
    #[serde(default)]
    pub marking: Option<Marking>,
    /// Moment at which a packet's memory is free again.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().release))]
    pub release: Option<Release>,
    /// Trimming of data packets that have no room: the switch cuts off the payload and sends the header on. The
    /// receiver answers it at once, so that nobody waits for a timeout. Only packets of RoCE with selective repeat in
    /// lossy classes are trimmed. Headers that have no room are dropped, and so is what the buffer policy pushes out.
    /// Left out, nothing is trimmed.
    #[serde(default)]
    pub trimming: Option<Trimming>,
    /// Scheduler of a port's queues.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().scheduler))]
    pub scheduler: Option<scheduler::Parameters>,
    /// Token-bucket shapers of egress ports, by the node at the other end of a port's link: its name, or a pattern such as
    /// `host*`. A port without one sends as fast as its link.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, Shaper>")]
    pub shapers: BTreeMap<String, Shaper>,
    /// Thresholds at which senders of lossless classes are paused, and the memory for packets that come after that.
    #[serde(default)]
    pub pfc: Option<PausingTable>,
    /// Whether it writes telemetry into the packets that have room for it.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().telemetry))]
    pub telemetry: Option<bool>,
    /// Seed of its ECMP hash. Left out, the topology's `hash_seed` plus the switch's own number. Switches of two tiers with the same seed
    /// choose alike, and leave paths unused (hash polarisation).
    #[serde(default)]
    pub hash_seed: Option<u32>,
    /// Departures of published code from its paper that are wanted here.
    #[serde(default)]
    pub quirks: Option<Vec<Quirk>>,
    /// Bytes in which the buffers of inputs and outputs are counted; a frame takes whole units. Only for `kind = "cioq"`.
    #[serde(default)]
    #[schemars(extend("default" = CioqSettings::default().unit, "x-at-least" = "1B"))]
    pub unit: Option<Bytes>,
    /// The buffer of every input. Only for `kind = "cioq"`.
    #[serde(default)]
    pub input: Option<InputTable>,
    /// The buffer of every output. Only for `kind = "cioq"`.
    #[serde(default)]
    pub output: Option<OutputTable>,
    /// The buffers of ports whose links have credits. Only for `kind = "cioq"`.
    #[serde(default)]
    pub internal: Option<InternalTable>,
    /// Whether inputs keep a copy of every packet that goes on over a link with credits until it has come out of the
    /// fabric. Outputs then tell inputs of packets that have. Only for `kind = "cioq"`.
    #[serde(default)]
    #[schemars(extend("default" = CioqSettings::default().reliable_delivery))]
    pub reliable_delivery: Option<bool>,
    /// Matching of inputs to outputs, and its speed. Only for `kind = "cioq"`.
    #[serde(default)]
    #[schemars(extend("default" = CioqSettings::default().crossbar))]
    pub crossbar: Option<matching::Parameters>,
}

impl SwitchTable {
    /// Whether it is about this switch.
    pub fn matches(&self, node: &str) -> bool {
        pattern::matches(&self.nodes, node)
    }
}

fn every_node() -> String {
    "*".to_owned()
}

/// Architecture of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SwitchKind {
    /// Output queues in one shared memory.
    #[default]
    SharedMemory,
    /// Queues at inputs and outputs, and a crossbar between them (combined input- and output-queued).
    Cioq,
}

/// One shared pool.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoolTable {
    /// Numbers of the ports whose packets it holds; every port of the switch belongs to exactly one pool.
    #[schemars(extend("minItems" = 1))]
    pub ports: Vec<u32>,
    /// Size of the pool, to which reserves are added. Left out, as `shared_per_pool` or `total` has it.
    #[serde(default)]
    pub shared: Option<Bytes>,
}

/// A departure of published code from its paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quirk {
    /// All of the following, which is how BCC's ns-2 code departs from BCC's paper.
    BccNs2,
    /// A packet is refused if its whole queue, reserve included, and itself together exceed the threshold.
    ThresholdWithPacket,
    /// The counter of a reserve adds a packet's whole queue and takes away the packet alone. It grows until one
    /// packet of a burst is kept in the reserve.
    LeakingReserve,
    /// RED that spaces its marks counts the bytes of each port by itself, in packets of the largest frame, and marks a
    /// smaller packet less often.
    RedCountsBytes,
}

impl Quirk {
    /// Whether a list asks for this one, by itself or with all.
    pub fn is_in(self, quirks: &[Self]) -> bool {
        quirks.iter().any(|quirk| *quirk == self || *quirk == Self::BccNs2)
    }
}

/// Moments at which a packet's memory is free again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// Start of transmission: the packet's first bit leaves.
    #[default]
    TransmissionStart,
    /// End of transmission: the packet's last bit has left.
    TransmissionEnd,
}

/// Trimming of packets (NDP, SIGCOMM 2017; Ultra Ethernet; `SAI_PACKET_TRIM`).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Trimming {
    /// Frame of a header that goes on, no smaller than Ethernet has it. Smaller packets are dropped.
    #[schemars(extend("x-at-least" = "64B"))]
    pub size: Bytes,
    /// Traffic class into which it goes, 0 to 7, which is lossy: one that goes before data, so that it is there soon, and has room.
    #[schemars(extend("maximum" = 7))]
    pub priority: u8,
}

impl Default for Trimming {
    fn default() -> Self {
        Self { size: Bytes::new(64), priority: 6 }
    }
}

/// Token bucket that limits what an egress port sends, while its link may be faster (Linux `tbf`). A packet leaves once the
/// bucket has tokens for its frame, without preamble and gap, and takes them. Until then it waits at the head of its queue.
/// Telemetry, slowdowns, loads and `at_rate` still go by the rate of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shaper {
    /// Rate at which the bucket fills [R].
    pub rate: Rate,
    /// Bytes for which the bucket has tokens when it is full, at least one frame of every transport [B]. With hardly more
    /// than one frame, packets leave one by one, each its length over the rate after the other.
    pub burst: Bytes,
}

/// Markers of packets in a switch.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marking {
    /// On the length of the packet's own queue.
    #[serde(default)]
    pub queue: Option<marking::Parameters>,
    /// Marker of the queues of single classes, by class; each replaces `queue`, also a `queue` in `at_rate`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, marking::Parameters>", extend("propertyNames" = ClassNumber::schema()))]
    pub queue_by_priority: BTreeMap<ClassNumber, marking::Parameters>,
    /// On the length of all queues of its egress port together.
    #[serde(default)]
    pub port: Option<marking::Parameters>,
    /// On the bytes in the shared pool of its egress port; what is in reserves does not count. Packets of lossless classes, which
    /// have memory of their own, are not in it and not marked by it.
    #[serde(default)]
    pub pool: Option<marking::Parameters>,
    /// At ports whose link has this rate, key by key; of a link with a rate each way, the one at which the port sends.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, PortMarking>", extend("propertyNames" = { "$ref": "#/$defs/Rate" }))]
    pub at_rate: BTreeMap<Rate, PortMarking>,
}

impl Marking {
    /// The classes that are marked by themselves, each with its key.
    pub(super) fn classes(&self) -> impl Iterator<Item = (String, u8)> {
        let at_rates =
            self.at_rate.iter().map(|(rate, at)| (format!("at_rate.{rate}."), &at.queue_by_priority));
        [(String::new(), &self.queue_by_priority)].into_iter().chain(at_rates).flat_map(
            |(at, by_priority)| {
                by_priority.keys().map(move |class| (format!("{at}queue_by_priority.{}", class.0), class.0))
            },
        )
    }
}

/// Markers of packets at the ports of one rate. A key that is left out is as for all ports.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PortMarking {
    /// On the length of the packet's own queue.
    #[serde(default)]
    pub queue: Option<marking::Parameters>,
    /// Marker of the queues of each class by itself, in place of all other markers of queues.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, marking::Parameters>", extend("propertyNames" = ClassNumber::schema()))]
    pub queue_by_priority: BTreeMap<ClassNumber, marking::Parameters>,
    /// On the length of all queues of its egress port together.
    #[serde(default)]
    pub port: Option<marking::Parameters>,
}

/// One switch's settings after every matching table has been applied.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchSettings {
    /// Architecture of the switch.
    pub kind: SwitchKind,
    /// Settings of the queues, where they are at inputs and outputs.
    pub cioq: CioqSettings,
    /// Packet memory.
    pub memory: Memory,
    /// Bytes set aside for each queue in use.
    pub reserved_per_queue: Bytes,
    /// Bytes set aside for all queues of a port together.
    pub reserved_per_port: Bytes,
    /// Policy that divides a shared pool among queues.
    pub buffer: buffer_policy::Parameters,
    /// Markers of packets.
    pub marking: Marking,
    /// Moment at which a packet's memory is free again.
    pub release: Release,
    /// Trimming of packets, if they are trimmed.
    pub trimming: Option<Trimming>,
    /// Scheduler of a port's queues.
    pub scheduler: scheduler::Parameters,
    /// Shapers of ports, by the name or pattern of the node at the other end.
    pub shapers: BTreeMap<String, Shaper>,
    /// Pausing of senders of lossless classes, if there is any.
    pub pfc: Option<Pausing>,
    /// Whether it writes telemetry.
    pub telemetry: bool,
    /// Seed of its ECMP hash, where one is set.
    pub hash_seed: Option<u32>,
    /// Departures of published code from its paper.
    pub quirks: Vec<Quirk>,
}

/// Packet memory of a switch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// The chip.
    pub chip: Option<NamedChip>,
    /// All memory, reserves included.
    pub total: Option<Bytes>,
    /// Size of each shared pool, without reserves.
    pub shared_per_pool: Option<Bytes>,
    /// Ports of each pool.
    pub ports_per_pool: Option<u32>,
    /// The pools one by one.
    pub pools: Option<Vec<PoolTable>>,
    /// Unit in which memory is given out.
    pub cell: Option<Cell>,
}

impl Memory {
    /// All memory of a switch of which nothing is said.
    pub const DEFAULT_TOTAL: Bytes = Bytes::new(16_000_000);

    /// Returns the memory that a frame takes.
    pub fn taken_by(&self, frame: Bytes) -> Bytes {
        Cell::taken_of(self.cell, frame)
    }
}

impl Default for SwitchSettings {
    fn default() -> Self {
        Self {
            kind: SwitchKind::default(),
            cioq: CioqSettings::default(),
            memory: Memory::default(),
            reserved_per_queue: Bytes::ZERO,
            reserved_per_port: Bytes::ZERO,
            buffer: buffer_policy::Parameters::DynamicThreshold(DynamicThreshold::default()),
            marking: Marking::default(),
            release: Release::default(),
            trimming: None,
            scheduler: scheduler::Parameters::default(),
            shapers: BTreeMap::new(),
            pfc: None,
            telemetry: true,
            hash_seed: None,
            quirks: Vec::new(),
        }
    }
}

impl SwitchSettings {
    /// One table that says all of it, but what is about `kind = "cioq"` alone.
    pub fn table(self, nodes: String) -> SwitchTable {
        let Self { memory, pfc, .. } = self;
        SwitchTable {
            nodes,
            kind: Some(self.kind),
            chip: memory.chip,
            total: memory.total,
            shared_per_pool: memory.shared_per_pool,
            ports_per_pool: memory.ports_per_pool,
            pools: memory.pools,
            cell: memory.cell,
            reserved_per_queue: Some(self.reserved_per_queue),
            reserved_per_port: Some(self.reserved_per_port),
            buffer: Some(self.buffer),
            marking: Some(self.marking),
            release: Some(self.release),
            trimming: self.trimming,
            scheduler: Some(self.scheduler),
            shapers: self.shapers,
            pfc: pfc.map(Pausing::table),
            telemetry: Some(self.telemetry),
            hash_seed: self.hash_seed,
            quirks: Some(self.quirks),
            unit: None,
            input: None,
            output: None,
            internal: None,
            reliable_delivery: None,
            crossbar: None,
        }
    }

    /// Puts the settings of one table over these, key by key. A chip stands for all that it decides.
    fn apply(&mut self, table: &SwitchTable) {
        fn put<T: Clone>(setting: &mut T, said: Option<&T>) {
            if let Some(said) = said {
                *setting = said.clone();
            }
        }
        fn put_some<T: Clone>(setting: &mut Option<T>, said: Option<&T>) {
            *setting = said.or(setting.as_ref()).cloned();
        }
        let memory = &mut self.memory;
        if table.chip.is_some() {
            *memory = Memory { chip: table.chip, ..Memory::default() };
        }
        put_some(&mut memory.total, table.total.as_ref());
        put_some(&mut memory.shared_per_pool, table.shared_per_pool.as_ref());
        put_some(&mut memory.ports_per_pool, table.ports_per_pool.as_ref());
        put_some(&mut memory.pools, table.pools.as_ref());
        put_some(&mut memory.cell, table.cell.as_ref());
        put(&mut self.reserved_per_queue, table.reserved_per_queue.as_ref());
        put(&mut self.reserved_per_port, table.reserved_per_port.as_ref());
        put(&mut self.buffer, table.buffer.as_ref());
        put(&mut self.release, table.release.as_ref());
        put_some(&mut self.trimming, table.trimming.as_ref());
        put(&mut self.scheduler, table.scheduler.as_ref());
        self.shapers.extend(table.shapers.clone());
        put(&mut self.telemetry, table.telemetry.as_ref());
        put_some(&mut self.hash_seed, table.hash_seed.as_ref());
        put(&mut self.quirks, table.quirks.as_ref());
        if let Some(table) = &table.pfc {
            self.pfc.get_or_insert_default().apply(table);
        }
        put(&mut self.kind, table.kind.as_ref());
        put(&mut self.cioq.unit, table.unit.as_ref());
        put(&mut self.cioq.crossbar, table.crossbar.as_ref());
        put(&mut self.cioq.reliable_delivery, table.reliable_delivery.as_ref());
        if let Some(InternalTable { input, output }) = &table.internal {
            put(&mut self.cioq.internal.input, input.as_ref());
            put(&mut self.cioq.internal.output, output.as_ref());
        }
        if let Some(InputTable { buffer, xoff, xon, queues, congestion_point, marking }) = &table.input {
            put_some(&mut self.cioq.input.marking, marking.as_ref());
            put_some(&mut self.cioq.input.congestion_point, congestion_point.as_ref());
            put(&mut self.cioq.input.buffer, buffer.as_ref());
            put_some(&mut self.cioq.input.xoff, xoff.as_ref());
            put_some(&mut self.cioq.input.xon, xon.as_ref());
            put(&mut self.cioq.input.queues, queues.as_ref());
        }
        if let Some(OutputTable { buffer, congestion_point, marking }) = &table.output {
            put_some(&mut self.cioq.output.marking, marking.as_ref());
            put_some(&mut self.cioq.output.congestion_point, congestion_point.as_ref());
            put(&mut self.cioq.output.buffer, buffer.as_ref());
        }
        if let Some(marking) = &table.marking {
            put_some(&mut self.marking.queue, marking.queue.as_ref());
            put_some(&mut self.marking.port, marking.port.as_ref());
            put_some(&mut self.marking.pool, marking.pool.as_ref());
            self.marking.queue_by_priority.extend(marking.queue_by_priority.clone());
            for (rate, PortMarking { queue, queue_by_priority, port }) in &marking.at_rate {
                let at_rate = self.marking.at_rate.entry(*rate).or_default();
                put_some(&mut at_rate.queue, queue.as_ref());
                at_rate.queue_by_priority.extend(queue_by_priority.clone());
                put_some(&mut at_rate.port, port.as_ref());
            }
        }
    }
}

impl Scenario {
    /// Returns the settings of one switch, to which all matching tables come; the later wins, key by key.
    pub fn switch_settings(&self, node: &str) -> SwitchSettings {
        let mut settings = SwitchSettings::default();
        for table in self.switch.iter().filter(|table| table.matches(node)) {
            settings.apply(table);
        }
        settings
    }

    /// The congestion points of all tables, each with its key.
    pub fn congestion_points(&self) -> impl Iterator<Item = (String, &congestion_point::Parameters)> {
        self.switch.iter().enumerate().flat_map(|(index, SwitchTable { input, output, .. })| {
            let of_inputs = input.as_ref().and_then(|table| table.congestion_point.as_ref());
            let of_outputs = output.as_ref().and_then(|table| table.congestion_point.as_ref());
            [("input", of_inputs), ("output", of_outputs)].into_iter().filter_map(move |(side, point)| {
                Some((format!("switch[{index}].{side}.congestion_point"), point?))
            })
        })
    }

    /// Refuses a table that matches none of the switches' names.
    pub fn check_switch_patterns(&self, names: &[&str]) -> Result<(), ScenarioError> {
        for (index, table) in self.switch.iter().enumerate() {
            if !names.iter().any(|name| pattern::matches(&table.nodes, name)) {
                let problem = format!("no switch matches \"{}\"", table.nodes);
                let remedy = match (names.first(), names.last()) {
                    (Some(first), Some(last)) => format!("the switches are \"{first}\" to \"{last}\""),
                    _ => "the topology has no switches".to_owned(),
                };
                let error = ScenarioError::at(format!("switch[{index}].nodes"), problem, remedy);
                return Err(error.of_unknown_name(nearest(&table.nodes, names.iter().copied())));
            }
        }
        Ok(())
    }

    /// The key that decides a setting of one switch: that of the last matching table which says something about it.
    pub fn switch_key(&self, node: &str, says: impl Fn(&SwitchTable) -> bool, key: &str) -> String {
        let deciding = self.switch.iter().rposition(|table| table.matches(node) && says(table));
        deciding.map_or_else(|| format!("switch.{key}"), |index| format!("switch[{index}].{key}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(switch: &str) -> Scenario {
        let text = format!(
            r#"
            topology = {{ kind = "star", hosts = 4, host_link = {{ rate = "10Gbps", delay = "1us" }} }}
            transport.one = {{ kind = "constant_rate" }}
            workload = [{{ kind = "permutation", transport = "one", size = "1kB" }}]
            {switch}"#
        );
        Scenario::from_toml(&text, &[]).unwrap()
    }

    #[test]
    fn a_switch_of_which_nothing_is_said_has_the_defaults() {
        let settings = scenario("").switch_settings("switch0");
        assert_eq!(settings, SwitchSettings::default());
    }

    #[test]
    fn settings_as_a_table_are_the_same_settings() {
        for table in [
            "",
            r#"chip = "tomahawk""#,
            r#"shared_per_pool = "3MB"
            ports_per_pool = 8
            cell = { size = "208B" }
            release = "transmission_end"
            hash_seed = 3
            telemetry = false
            scheduler = { kind = "deficit_round_robin", weights = [1, 1, 1, 15, 15, 1, 1, 1], strict = [7] }
            shapers."host[0-1]" = { rate = "50Mbps", burst = "1600B" }
            marking.pool = { kind = "threshold", threshold = "1MB" }
            marking.queue_by_priority.3 = { kind = "red", minimum = "1kB", maximum = "2kB", probability = 0.2 }
            [switch.pfc]
            xoff = { policy = "static_threshold", threshold = "50kB" }
            xon_offset = "2kB"
            headroom = { scheme = "dsh" }
            lossless_pool = "1MB""#,
        ] {
            let settings = scenario(&format!("[[switch]]\n{table}")).switch_settings("switch0");
            let mut again = SwitchSettings::default();
            again.apply(&settings.clone().table("*".into()));
            assert_eq!(again, settings);
        }
    }

    #[test]
    fn the_later_table_wins_key_by_key() {
        let scenario = scenario(
            r#"
            [[switch]]
            total = "1MB"
            reserved_per_port = "2kB"
            buffer = { policy = "dynamic_threshold", alpha = 4 }
            marking.queue = { kind = "threshold", threshold = "10kB", when = "dequeue" }
            [[switch]]
            nodes = "leaf*"
            total = "2MB"
            buffer = { policy = "dynamic_threshold" }
            [switch.marking]
            queue = { kind = "threshold", threshold = "20kB" }
            "#,
        );
        let (leaf, spine) = (scenario.switch_settings("leaf0"), scenario.switch_settings("spine0"));
        let totals = [&leaf, &spine].map(|settings| settings.memory.total.map(Bytes::get));
        assert_eq!(totals, [Some(2_000_000), Some(1_000_000)]);
        assert_eq!(leaf.reserved_per_port, Bytes::new(2_000));
        assert_eq!(leaf.buffer, SwitchSettings::default().buffer);
        let threshold = |settings: &SwitchSettings| match &settings.marking.queue {
            Some(marking::Parameters::Threshold(marker)) => (marker.threshold.get(), marker.when),
            _ => panic!("a threshold"),
        };
        assert_eq!(threshold(&leaf), (20_000, marking::When::Enqueue));
        assert_eq!(threshold(&spine), (10_000, marking::When::Dequeue));
    }

    #[test]
    fn pausing_is_overridden_key_by_key() {
        let scenario = scenario(
            r#"
            [[switch]]
            pfc = { headroom = { scheme = "dsh" }, xoff = { policy = "static_threshold", threshold = "50kB" }, lossy_pool = "1MB" }
            [[switch]]
            nodes = "leaf*"
            pfc = { xon_offset = "20kB", lossless_pool = "2MB" }
            [[switch]]
            nodes = "spine*"
            total = "4MB"
            "#,
        );
        let [leaf, spine] = ["leaf0", "spine0"].map(|name| scenario.switch_settings(name).pfc.unwrap());
        assert_eq!(leaf.headroom, spine.headroom);
        assert_eq!(leaf.xoff, spine.xoff);
        assert_ne!(leaf.xoff, Pausing::default().xoff);
        assert_eq!((leaf.xon_offset, spine.xon_offset), (Some(Bytes::new(20_000)), None));
        assert_eq!((leaf.lossless_pool, leaf.lossy_pool), (Some(Bytes::new(2_000_000)), None));
        assert_eq!((spine.lossless_pool, spine.lossy_pool), (None, Some(Bytes::new(1_000_000))));
    }

    #[test]
    fn the_marking_of_a_rate_is_overridden_key_by_key() {
        let scenario = scenario(
            r#"
            [[switch]]
            [switch.marking.at_rate.10Gbps]
            queue = { kind = "threshold", threshold = "10kB" }
            port = { kind = "threshold", threshold = "20kB" }
            [[switch]]
            nodes = "leaf*"
            marking.at_rate."10000Mbps".port = { kind = "pi", reference = "30kB" }
            marking.at_rate.1Gbps.queue = { kind = "codel" }
            "#,
        );
        let spelling = |set: &Option<marking::Parameters>| set.as_ref().map(marking::Parameters::spelling);
        let markers = |node| {
            let at_rate = scenario.switch_settings(node).marking.at_rate;
            at_rate
                .iter()
                .map(|(rate, at)| (rate.get() / 1_000_000_000, spelling(&at.queue), spelling(&at.port)))
                .collect::<Vec<_>>()
        };
        assert_eq!(markers("leaf0"), [(1, Some("codel"), None), (10, Some("threshold"), Some("pi"))]);
        assert_eq!(markers("spine0"), [(10, Some("threshold"), Some("threshold"))]);
    }

    #[test]
    fn the_marking_of_a_class_is_overridden_class_by_class() {
        let scenario = scenario(
            r#"
            [[switch]]
            marking.queue_by_priority = { 1.kind = "codel", 3 = { kind = "threshold", threshold = "10kB" } }
            marking.at_rate.10Gbps.queue_by_priority.3.kind = "codel"
            [[switch]]
            nodes = "leaf*"
            marking.queue_by_priority.3 = { kind = "pi", reference = "30kB" }
            marking.at_rate.10Gbps.queue_by_priority.5 = { kind = "pi", reference = "30kB" }
            "#,
        );
        let markers = |node| {
            let marking = scenario.switch_settings(node).marking;
            let ten = &marking.at_rate[&Rate::from_gbps(10)];
            [&marking.queue_by_priority, &ten.queue_by_priority].map(|by_priority| {
                by_priority.iter().map(|(class, marker)| (class.0, marker.spelling())).collect::<Vec<_>>()
            })
        };
        assert_eq!(markers("leaf0"), [[(1, "codel"), (3, "pi")], [(3, "codel"), (5, "pi")]]);
        assert_eq!(markers("spine0"), [vec![(1, "codel"), (3, "threshold")], vec![(3, "codel")]]);
    }

    #[test]
    fn shapers_are_overridden_pattern_by_pattern() {
        let scenario = scenario(
            r#"
            [[switch]]
            shapers."host[0-1]" = { rate = "50Mbps", burst = "1600B" }
            shapers.host2 = { rate = "10Mbps", burst = "1600B" }
            [[switch]]
            nodes = "leaf*"
            shapers.host2 = { rate = "1Gbps", burst = "3kB" }
            "#,
        );
        let rates = |node| {
            let shapers = scenario.switch_settings(node).shapers;
            shapers.values().map(|shaper| shaper.rate.get() / 1_000_000).collect::<Vec<_>>()
        };
        assert_eq!(rates("leaf0"), [1000, 50]);
        assert_eq!(rates("spine0"), [10, 50]);
    }

    #[test]
    fn a_chip_stands_for_the_memory_it_decides() {
        let scenario = scenario(
            r#"
            [[switch]]
            total = "1MB"
            marking.pool = { kind = "bcc" }
            [[switch]]
            nodes = "leaf*"
            chip = "tomahawk"
            ports_per_pool = 4
            [[switch]]
            nodes = "leaf1"
            total = "2MB"
            "#,
        );
        let memory = |node| {
            let Memory { chip, total, ports_per_pool, .. } = scenario.switch_settings(node).memory;
            (chip.map(|chip| chip.0.mmus), total.map(Bytes::get), ports_per_pool)
        };
        assert_eq!(memory("spine0"), (None, Some(1_000_000), None));
        assert_eq!(memory("leaf0"), (Some(4), None, Some(4)));
        assert_eq!(memory("leaf1"), (Some(4), Some(2_000_000), Some(4)));
        assert!(scenario.switch_settings("leaf1").marking.pool.is_some());
    }

    #[test]
    fn a_pattern_must_match_a_switch() {
        let scenario = scenario("switch = [{ nodes = \"*\" }, { nodes = \"leave*\" }]");
        assert_eq!(scenario.check_switch_patterns(&["leaf0", "leave1"]), Ok(()));
        assert_eq!(
            scenario.check_switch_patterns(&["leaf0", "leaf1"]).unwrap_err().to_string(),
            "switch[1].nodes: no switch matches \"leave*\"; did you mean \"leaf0\"? the switches are \"leaf0\" to \"leaf1\""
        );
    }
}
