//! Presets of TCP: whole sets of values, written as TOML, for keys that a scenario leaves out.

use std::sync::LazyLock;

use schemars::Schema;
use serde_json::Value as Json;
use toml::{Table, Value};

static LINUX: LazyLock<Table> =
    LazyLock::new(|| include_str!("presets/linux.toml").parse().expect("a table, which the tests read"));

/// Keys of a transport that hold the settings of single algorithms.
const OF_ALGORITHMS: &str = "congestion_control";

/// Returns the values that a preset sets, unless it leaves all defaults.
fn values(preset: &str) -> Option<&'static Table> {
    (preset == "linux").then(|| &*LINUX)
}

/// Sets the keys that the presets of a scenario's transports set and the scenario does not.
pub(super) fn fill(scenario: &mut Table) {
    let Some(Value::Table(transports)) = scenario.get_mut("transport") else { return };
    for (_, transport) in transports.iter_mut() {
        let Value::Table(transport) = transport else { continue };
        let preset = transport.get("preset").and_then(Value::as_str).and_then(values);
        if transport.get("kind").and_then(Value::as_str) == Some("tcp")
            && let Some(preset) = preset
        {
            fill_transport(transport, preset);
        }
    }
}

fn fill_transport(transport: &mut Table, preset: &Table) {
    for (key, value) in preset.iter().filter(|(key, _)| *key != OF_ALGORITHMS) {
        transport.entry(key).or_insert_with(|| value.clone());
    }
    let Some(Value::Table(control)) = transport.get_mut(OF_ALGORITHMS) else { return };
    let algorithm = control.get("algorithm").and_then(Value::as_str).unwrap_or_default();
    let settings = preset.get(OF_ALGORITHMS).and_then(|algorithms| algorithms.get(algorithm));
    for (key, value) in settings.and_then(Value::as_table).into_iter().flatten() {
        control.entry(key).or_insert_with(|| value.clone());
    }
}

/// Adds the value that the preset has to the description of each key of TCP.
pub(super) fn describe(schema: &mut Schema) {
    let Some(keys) = schema.get_mut("properties").and_then(Json::as_object_mut) else { return };
    for (key, described) in keys {
        let value = LINUX.get(key).filter(|value| !value.is_table());
        if let (Some(value), Some(about)) = (value, described["description"].as_str()) {
            described["description"] = format!("{about} Preset `linux`: {}.", written(value)).into();
        }
    }
}

/// Adds all that the preset sets to its description.
pub(super) fn list(schema: &mut Schema) {
    let is_linux = |one: &&mut Json| one["const"] == "linux";
    let variants = schema.get_mut("oneOf").and_then(Json::as_array_mut).into_iter().flatten();
    for linux in variants.filter(is_linux) {
        let keys = LINUX.iter().filter(|(_, value)| !value.is_table()).map(|(key, value)| set(key, value));
        let of_algorithms = LINUX[OF_ALGORITHMS].as_table().into_iter().flatten();
        let of_algorithms = of_algorithms.flat_map(|(algorithm, settings)| {
            let settings = settings.as_table().into_iter().flatten();
            settings.map(move |(key, value)| format!("{} of {algorithm}", set(key, value)))
        });
        let all: Vec<String> = keys.chain(of_algorithms).collect();
        linux["description"] = format!("Linux 6.1, unless a key says otherwise: {}.", all.join(", ")).into();
    }
}

/// Returns a key with its value, as TOML has them.
fn set(key: &str, value: &Value) -> String {
    format!("`{key} = {value}`")
}

/// Returns a value as a description has it.
fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| format!("`{value}`"), |word| format!("`{word}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use crate::congestion_control::{Growth, Parameters};
    use crate::kernel::units::Span;
    use crate::scenario::{Recovery, Tcp, Transport};

    fn tcp(transport: &str) -> Tcp {
        let text = format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '1us' }} }}
            transport.t = {{ kind = 'tcp', {transport} }}
            workload = [{{ kind = 'permutation', transport = 't', size = '100kB' }}]"
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Scenario::from_toml(&scenario.to_toml(), &[]).as_ref(), Ok(&scenario));
        match scenario.transport.into_values().next() {
            Some(Transport::Tcp(tcp)) => tcp,
            other => panic!("{other:?}"),
        }
    }

    const DCTCP: &str = "congestion_control = { algorithm = 'dctcp' }";

    #[test]
    fn the_preset_sets_what_is_left_out() {
        let linux = tcp(&format!("preset = 'linux', {DCTCP}"));
        assert_eq!(linux.recovery, Recovery::Rack);
        assert_eq!(linux.growth, Some(Growth::Segments));
        let Parameters::Dctcp(dctcp) = &linux.congestion_control else { panic!("dctcp") };
        assert!(dctcp.halves_on_every_loss);
    }

    #[test]
    fn a_value_of_the_scenario_goes_before_the_preset() {
        let text = "preset = 'linux', minimum_rto = '10ms',
            congestion_control = { algorithm = 'dctcp', halves_on_every_loss = false }";
        let linux = tcp(&text.replace('\n', " "));
        assert_eq!(linux.minimum_rto, Span::from_milliseconds(10));
        let Parameters::Dctcp(dctcp) = &linux.congestion_control else { panic!("dctcp") };
        assert!(!dctcp.halves_on_every_loss);
    }

    #[test]
    fn the_preset_is_explained_by_all_that_it_sets() {
        let schema = crate::scenario::schema().to_string();
        for said in ["`recovery = \\\"rack\\\"`", "`halves_on_every_loss = true` of dctcp"] {
            assert!(schema.contains(said), "{said}");
        }
    }

    /// Descriptions of algorithms' keys name the preset's values by hand, as algorithms know no transport.
    #[test]
    fn descriptions_of_algorithms_name_the_values_that_the_preset_sets() {
        let schema = crate::scenario::schema().to_string();
        for (_, settings) in LINUX[OF_ALGORITHMS].as_table().expect("algorithms") {
            for (key, value) in settings.as_table().expect("keys") {
                let named = format!("TCP's preset `linux`: {}.", written(value));
                let described = schema.split(&format!("\"{key}\":{{")).nth(1).expect(key);
                assert!(described.split('}').next().is_some_and(|text| text.contains(&named)), "{key}");
            }
        }
    }

    #[test]
    fn the_paper_preset_leaves_the_defaults() {
        assert_eq!(tcp(&format!("preset = 'paper', {DCTCP}")), tcp(DCTCP));
    }
}
