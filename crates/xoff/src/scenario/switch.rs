//! `[[switch]]`: settings of switches by name pattern, and what they come to for one switch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::did_you_mean;
use super::{Scenario, ScenarioError, pattern};
use crate::kernel::units::{Bytes, Ratio};
use crate::scheduler;
use crate::switch::buffer_policy::{self, dynamic_threshold::DynamicThreshold};
use crate::switch::marking;

/// Settings of the switches whose name matches; keys left out keep what an earlier table or the default says.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchTable {
    /// Which switches: a name, or a pattern such as `leaf*`.
    #[serde(default = "every_node")]
    pub nodes: String,
    /// Architecture of the switch.
    #[serde(default)]
    #[schemars(extend("default" = SwitchKind::default()))]
    pub kind: Option<SwitchKind>,
    /// Packet memory of the whole switch.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().total))]
    pub total: Option<Bytes>,
    /// Bytes set aside for each queue in use, used before the shared pool.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().reserved_per_queue))]
    pub reserved_per_queue: Option<Bytes>,
    /// Bytes set aside for all queues of a port together, used before the shared pool.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().reserved_per_port))]
    pub reserved_per_port: Option<Bytes>,
    /// How the shared pool is divided among queues.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().buffer))]
    pub buffer: Option<buffer_policy::Parameters>,
    /// What marks packets; every marker that is set is asked, and one yes marks.
    #[serde(default)]
    pub marking: Option<Marking>,
    /// When a packet's memory is free again.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().release))]
    pub release: Option<Release>,
    /// Which queue of a port sends next.
    #[serde(default)]
    #[schemars(extend("default" = SwitchSettings::default().scheduler))]
    pub scheduler: Option<scheduler::Parameters>,
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
}

/// When a packet's memory is free again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// When its first bit leaves.
    #[default]
    TransmissionStart,
    /// When its last bit has left.
    TransmissionEnd,
}

/// What marks packets in a switch.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Marking {
    /// On the length of the packet's own queue.
    #[serde(default)]
    pub queue: Option<marking::Parameters>,
}

/// One switch's settings after every matching table has been applied.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchSettings {
    /// Packet memory of the whole switch.
    pub total: Bytes,
    /// Bytes set aside for each queue in use.
    pub reserved_per_queue: Bytes,
    /// Bytes set aside for all queues of a port together.
    pub reserved_per_port: Bytes,
    /// How the shared pool is divided among queues.
    pub buffer: buffer_policy::Parameters,
    /// What marks packets.
    pub marking: Marking,
    /// When a packet's memory is free again.
    pub release: Release,
    /// Which queue of a port sends next.
    pub scheduler: scheduler::Parameters,
}

impl Default for SwitchSettings {
    fn default() -> Self {
        Self {
            total: Bytes::new(16_000_000),
            reserved_per_queue: Bytes::ZERO,
            reserved_per_port: Bytes::ZERO,
            buffer: buffer_policy::Parameters::DynamicThreshold(DynamicThreshold { alpha: Ratio::new(1, 1) }),
            marking: Marking::default(),
            release: Release::default(),
            scheduler: scheduler::Parameters::default(),
        }
    }
}

impl SwitchSettings {
    /// These settings with what one table says put over them, key by key.
    fn apply(&mut self, table: &SwitchTable) {
        fn put<T: Clone>(setting: &mut T, said: Option<&T>) {
            if let Some(said) = said {
                *setting = said.clone();
            }
        }
        put(&mut self.total, table.total.as_ref());
        put(&mut self.reserved_per_queue, table.reserved_per_queue.as_ref());
        put(&mut self.reserved_per_port, table.reserved_per_port.as_ref());
        put(&mut self.buffer, table.buffer.as_ref());
        put(&mut self.release, table.release.as_ref());
        put(&mut self.scheduler, table.scheduler.as_ref());
        if let Some(queue) = table.marking.as_ref().and_then(|marking| marking.queue.as_ref()) {
            self.marking.queue = Some(queue.clone());
        }
    }
}

impl Scenario {
    /// What all matching tables come to for one switch; the later wins, key by key.
    pub fn switch_settings(&self, node: &str) -> SwitchSettings {
        let mut settings = SwitchSettings::default();
        for table in self.switch.iter().filter(|table| pattern::matches(&table.nodes, node)) {
            settings.apply(table);
        }
        settings
    }

    /// Refuses a table that matches none of the switches' names.
    pub fn check_switch_patterns(&self, names: &[&str]) -> Result<(), ScenarioError> {
        for (index, table) in self.switch.iter().enumerate() {
            if !names.iter().any(|name| pattern::matches(&table.nodes, name)) {
                let problem = format!("no switch matches \"{}\"", table.nodes);
                let meant = did_you_mean(&table.nodes, names.iter().copied(), '"');
                let expected = match (names.first(), names.last()) {
                    (Some(first), Some(last)) => format!("{meant}the switches are \"{first}\" to \"{last}\""),
                    _ => "the topology has no switches".to_owned(),
                };
                return Err(ScenarioError::at(format!("switch[{index}].nodes"), problem, expected));
            }
        }
        Ok(())
    }

    /// The key that decides a setting of one switch: that of the last matching table which says something about it.
    pub(super) fn switch_key(&self, node: &str, says: impl Fn(&SwitchTable) -> bool, key: &str) -> String {
        let deciding =
            self.switch.iter().rposition(|table| pattern::matches(&table.nodes, node) && says(table));
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
        assert_eq!(settings.total, Bytes::new(16_000_000));
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
        assert_eq!((leaf.total, spine.total), (Bytes::new(2_000_000), Bytes::new(1_000_000)));
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
    fn a_pattern_must_match_a_switch() {
        let scenario = scenario("switch = [{ nodes = \"*\" }, { nodes = \"leave*\" }]");
        assert_eq!(scenario.check_switch_patterns(&["leaf0", "leave1"]), Ok(()));
        assert_eq!(
            scenario.check_switch_patterns(&["leaf0", "leaf1"]).unwrap_err().to_string(),
            "switch[1].nodes: no switch matches \"leave*\"; did you mean \"leaf0\"? the switches are \"leaf0\" to \"leaf1\""
        );
    }
}
