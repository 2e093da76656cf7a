//! Random settings of an algorithm, as its part of the schema allows them.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

static SCHEMA: LazyLock<Value> = LazyLock::new(xoff::catalogue::schema);

/// Steps of a random ratio or size; a size is at most this many kilobytes.
const STEPS: u64 = 1000;

/// Draws settings of the algorithm of this name. Each optional key is left out half of the time.
pub(crate) fn of<P: DeserializeOwned + std::fmt::Debug>(
    family: &str,
    name: &str,
) -> impl Strategy<Value = P> + use<P> {
    let (variant, tag) = variant(family, name);
    let keys = variant["properties"].as_object().unwrap().len();
    let name = name.to_owned();
    proptest::collection::vec((any_draw(), any::<bool>()), keys).prop_map(move |draws| {
        let table = table(&variant, &tag, &draws);
        serde_json::from_value(table.clone())
            .unwrap_or_else(|error| panic!("{name} refuses {table}: {error}"))
    })
}

fn any_draw() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), 0..=STEPS, Just(STEPS)]
}

/// Returns the schema of one algorithm, and the key that names it.
fn variant(family: &str, name: &str) -> (Value, String) {
    let variants = SCHEMA["$defs"][family]["oneOf"].as_array().expect("a family of the schema");
    let named = variants.iter().find_map(|variant| {
        let tag = variant["properties"].as_object()?.iter().find(|(_, key)| key["const"] == name)?.0;
        Some((variant.clone(), tag.clone()))
    });
    named.expect("the schema has every algorithm of the list")
}

fn table(variant: &Value, tag: &str, draws: &[(u64, bool)]) -> Value {
    let mut table = Map::new();
    let keys = variant["properties"].as_object().unwrap();
    for ((key, schema), &(draw, keep_default)) in keys.iter().zip(draws) {
        if key == tag {
            table.insert(key.clone(), schema["const"].clone());
        } else if is_required(variant, key) || !keep_default {
            table.insert(key.clone(), value(schema, &table, draw));
        }
    }
    table.into()
}

fn is_required(variant: &Value, key: &str) -> bool {
    variant["required"].as_array().is_some_and(|keys| keys.iter().any(|name| name == key))
}

/// Draws a value that this key takes. `before` holds the keys above it, to which a bound may refer.
fn value(schema: &Value, before: &Map<String, Value>, draw: u64) -> Value {
    // What may be left out is one of its kind or nothing.
    let either = schema.get("anyOf").map_or(schema, |branches| &branches[0]);
    let path = either.get("$ref").and_then(Value::as_str).map_or("", |path| &path[1..]);
    let kind = if path.is_empty() { either } else { SCHEMA.pointer(path).unwrap() };
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    // An exclusive bound is a step away.
    let above =
        ["exclusiveMinimum", "x-at-least", "x-above"].iter().any(|keyword| schema.get(keyword).is_some());
    let least = u64::from(above);
    match kind.get("x-quantity").and_then(Value::as_str) {
        Some("Bytes") => format!("{}kB", base(schema, before) + draw.max(least)).into(),
        Some("Span") => format!("{}us", draw.max(least)).into(),
        Some("Rate") => format!("{}Mbps", draw.max(1)).into(),
        Some("Ratio") => {
            let below = bound("exclusiveMaximum").map(|most| most * STEPS - 1);
            let most = below.unwrap_or_else(|| bound("maximum").unwrap_or(8) * STEPS);
            format!("{}/{STEPS}", (draw * most / STEPS).max(least)).into()
        }
        Some(other) => panic!("draw a {other} here"),
        None => plain(kind, draw, least),
    }
}

/// Returns the least value of a key that must lie above another key.
fn base(schema: &Value, before: &Map<String, Value>) -> u64 {
    let neighbour = ["x-above-key", "x-at-least-key"].iter().find_map(|keyword| schema[keyword].as_str());
    let size = neighbour.and_then(|key| before[key].as_str()?.strip_suffix("kB")?.parse::<u64>().ok());
    size.map_or(0, |size| size + 1)
}

fn plain(kind: &Value, draw: u64, least: u64) -> Value {
    if let Some(words) = kind["oneOf"].as_array() {
        return words[draw as usize % words.len()]["const"].clone();
    }
    match kind["type"].as_str().or_else(|| kind["type"][0].as_str()) {
        Some("array") => {
            let count = kind["minItems"].as_u64().unwrap_or(1);
            (0..count).map(|place| value(&kind["items"], &Map::new(), (draw + place) % STEPS)).collect()
        }
        Some("object") => {
            let keys = kind["properties"].as_object().unwrap();
            keys.iter().map(|(key, schema)| (key.clone(), value(schema, &Map::new(), draw))).collect()
        }
        Some("boolean") => (draw % 2 == 1).into(),
        Some("integer") => {
            let most = kind["maximum"].as_u64().unwrap_or(u64::MAX);
            kind["minimum"].as_u64().unwrap_or(0).max(draw.max(least)).min(most).into()
        }
        Some("number") => {
            let most = kind["maximum"].as_f64().unwrap_or(8.0);
            json!(draw.max(least) as f64 / STEPS as f64 * most)
        }
        _ => panic!("draw a value of {kind} here"),
    }
}
