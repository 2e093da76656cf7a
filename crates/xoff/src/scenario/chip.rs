//! Switching chips by name: what `chip = "tomahawk"` stands for, from `data/chips.toml`.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use crate::kernel::units::{Bytes, Rate};
use crate::reading::from_text;

/// Family of chips in lists and explanations.
pub(super) const FAMILY: &str = "chip";

/// A switching chip.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Chip {
    /// Name in scenarios.
    pub name: String,
    /// Number of ports.
    pub ports: u32,
    /// Bits per second of each.
    pub rate: Rate,
    /// Ports of another rate, behind those in number.
    #[serde(default)]
    pub uplinks: Option<Uplinks>,
    /// All packet memory on the chip, where it is public.
    #[serde(default)]
    pub memory: Option<Bytes>,
    /// Packet memory behind that, for virtual output queues. No switch of a scenario has it.
    #[serde(default)]
    pub off_chip: Option<Bytes>,
    /// Parts of the memory with ports of their own, each with as many.
    pub mmus: u32,
    /// Unit in which memory is given out, where it is known; frames take their exact bytes unless `switch.cell` says
    /// otherwise.
    pub cell: Option<Bytes>,
    /// Whether it can mark packets.
    #[serde(default = "marks")]
    pub ecn: bool,
    /// Source of the numbers.
    pub source: String,
}

fn marks() -> bool {
    true
}

/// Ports of a chip that have another rate than most.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Uplinks {
    /// Number of them.
    pub ports: u32,
    /// Bits per second of each.
    pub rate: Rate,
}

impl Chip {
    /// Number of ports of any rate.
    pub fn all_ports(&self) -> u32 {
        self.ports + self.uplinks.map_or(0, |uplinks| uplinks.ports)
    }

    /// Memory over ports, in KiB (BCC, table 1).
    pub fn kibibytes_per_port(&self) -> Option<f64> {
        Some(self.memory?.as_f64() / 1024.0 / f64::from(self.all_ports()))
    }

    /// Memory over ports and their rate, in KiB for each Gbps (BCC, table 1).
    pub fn kibibytes_per_port_per_gbps(&self) -> Option<f64> {
        let of_uplinks = self.uplinks.map_or(0.0, |uplinks| f64::from(uplinks.ports) * uplinks.rate.as_f64());
        let gbps = (f64::from(self.ports) * self.rate.as_f64() + of_uplinks) / 1e9;
        Some(self.memory?.as_f64() / 1024.0 / gbps)
    }

    /// One line: ports, memory, and what each port has of it.
    pub fn about(&self) -> String {
        let Self { ports, rate, memory, off_chip, mmus, .. } = self;
        let uplinks = self
            .uplinks
            .map_or_else(String::new, |Uplinks { ports, rate }| format!(" and {ports} of {rate}"));
        let ecn = if self.ecn { "" } else { ", without ECN" };
        let parts = if *mmus == 1 { String::new() } else { format!(" in {mmus} MMUs") };
        let memory =
            memory.map_or_else(|| "memory not public".to_owned(), |memory| format!("{memory}{parts}"));
        let behind = off_chip.map_or_else(String::new, |size| format!(" and {size} off the chip"));
        let share = self.kibibytes_per_port_per_gbps();
        let share = share.map_or_else(String::new, |share| format!(": {share:.2} KiB per port per Gbps"));
        format!("{ports} ports of {rate}{uplinks}, {memory}{behind}{ecn}{share}.")
    }
}

/// The chips that a scenario can name.
pub fn chips() -> &'static [Chip] {
    #[derive(Deserialize)]
    struct Table {
        chip: Vec<Chip>,
    }
    static TABLE: LazyLock<Table> = LazyLock::new(|| from_text(include_str!("../../data/chips.toml")));
    &TABLE.chip
}

/// A chip as a scenario names it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedChip(pub &'static Chip);

impl<'de> Deserialize<'de> for NamedChip {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let chip = chips().iter().find(|chip| chip.name == name);
        chip.map(Self).ok_or_else(|| D::Error::custom(format!("there is no chip \"{name}\"")))
    }
}

impl Serialize for NamedChip {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.name)
    }
}

impl JsonSchema for NamedChip {
    fn schema_name() -> Cow<'static, str> {
        FAMILY.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let described = |chip: &Chip| {
            let about = format!("{} ({}).", chip.about().trim_end_matches('.'), chip.source);
            json!({ "type": "string", "const": chip.name, "description": about })
        };
        json_schema!({ "oneOf": chips().iter().map(described).collect::<Vec<_>>() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chip(name: &str) -> &'static Chip {
        chips().iter().find(|chip| chip.name == name).unwrap()
    }

    /// As the paper prints it: KB per port, and per port and Gbps, "85KB, 192KB, 384KB, 512KB" and "85KB, 19.2KB, 9.6KB,
    /// 5.12KB".
    #[test]
    fn table_1_of_bcc_follows_from_the_chips() {
        let printed = |number: f64| format!("{number:.2}");
        let row = |name| {
            let chip = chip(name);
            let shares = [chip.kibibytes_per_port(), chip.kibibytes_per_port_per_gbps()];
            let [per_port, per_gbps] = shares.map(|share| printed(share.unwrap()));
            (per_port, per_gbps)
        };
        let expected = |per_port: &str, per_gbps: &str| (per_port.to_owned(), per_gbps.to_owned());
        assert_eq!(row("bcm56538"), expected("85.33", "85.33"));
        assert_eq!(row("trident_plus"), expected("192.00", "19.20"));
        assert_eq!(row("trident_2"), expected("384.00", "9.60"));
        assert_eq!(row("tomahawk"), expected("512.00", "5.12"));
    }

    #[test]
    fn the_ports_of_a_chip_divide_evenly_among_its_mmus() {
        assert!(chips().iter().all(|chip| chip.all_ports() % chip.mmus == 0), "{:#?}", chips());
    }

    #[test]
    fn uplinks_and_want_of_ecn_are_said() {
        let about = "48 ports of 1Gbps and 2 of 10Gbps, 16MiB, without ECN: 240.94 KiB per port per Gbps.";
        assert_eq!(chip("cat4948").about(), about);
        assert_eq!(chip("triumph").all_ports(), 52);
        let about = "12 ports of 400Gbps, 32MiB in 2 MMUs and 8GiB off the chip: 6.83 KiB per port per Gbps.";
        assert_eq!(chip("jericho_2").about(), about);
        assert_eq!(chip("silicon_one_g100").about(), "32 ports of 800Gbps, memory not public.");
    }
}
