//! `--set KEY=VALUE` for files that are not scenarios, such as plans: the same rules, with the file's own JSON Schema.

use toml::{Table, Value};

use super::error::ScenarioError;
use super::overrides::{self, Example};
use super::parse::read_table;
use super::schema::Node;

const OF_PLANS: Example = Example { key: "ports.rate", indexed: "ports[1].rate", value: "100Gbps" };

/// JSON Schema of a kind of file, as `--set` walks it.
#[derive(Clone, Copy, Debug)]
pub struct FileSchema(Node);

impl FileSchema {
    /// Takes a JSON Schema, which the process keeps from then on: make one for each kind of file, not for each file.
    pub fn new(schema: serde_json::Value) -> Self {
        Self(Node::of_other(schema))
    }

    /// Reads a file's text as TOML and makes each of the `KEY=VALUE` changes.
    pub fn changed(self, text: &str, changes: &[String]) -> Result<Table, ScenarioError> {
        let mut table = read_table(text)?;
        overrides::apply(&mut table, self.0, changes, OF_PLANS)?;
        table.iter_mut().for_each(|(_, value)| dates_as_text(value));
        Ok(table)
    }
}

/// Reads a file's text as TOML. Dates and times are text.
pub fn document(text: &str) -> Result<Table, ScenarioError> {
    let mut table = read_table(text)?;
    table.iter_mut().for_each(|(_, value)| dates_as_text(value));
    Ok(table)
}

/// Reads a value as `--set` takes it: TOML, or else the text as it stands. Dates and times are text.
pub fn value(text: &str) -> Value {
    let mut value = overrides::parse_value(text);
    dates_as_text(&mut value);
    value
}

/// Puts text in the place of dates and times, which no file of xoff has.
fn dates_as_text(value: &mut Value) {
    match value {
        Value::Datetime(moment) => *value = Value::String(moment.to_string()),
        Value::Array(values) => values.iter_mut().for_each(dates_as_text),
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| dates_as_text(value)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// As Pydantic describes a list of tables and a table that depends on its `scheme`.
    fn plan() -> FileSchema {
        FileSchema::new(json!({
            "type": "object",
            "properties": {
                "ports": { "type": "array", "items": { "$ref": "#/$defs/Ports" } },
                "congestion": {
                    "anyOf": [
                        {
                            "discriminator": { "propertyName": "scheme" },
                            "oneOf": [{ "$ref": "#/$defs/Dctcp" }, { "$ref": "#/$defs/Hpcc" }],
                        },
                        { "type": "null" },
                    ],
                },
            },
            "$defs": {
                "Ports": { "type": "object", "properties": { "rate": { "type": "string" } } },
                "Dctcp": {
                    "type": "object",
                    "properties": { "scheme": { "const": "dctcp" }, "gain": { "type": "number" } },
                },
                "Hpcc": {
                    "type": "object",
                    "properties": { "scheme": { "const": "hpcc" }, "stages": { "type": "integer" } },
                },
            },
        }))
    }

    fn changed(text: &str, changes: &[&str]) -> Table {
        let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
        plan().changed(text, &changes).unwrap()
    }

    #[test]
    fn a_list_without_an_index_means_all_its_tables() {
        let text = "ports = [{ rate = \"1Gbps\" }, {}]";
        let both = "ports = [{ rate = \"2Gbps\" }, { rate = \"2Gbps\" }]";
        assert_eq!(changed(text, &["ports.rate=2Gbps"]), both.parse().unwrap());
        let one = "ports = [{ rate = \"1Gbps\" }, { rate = \"2Gbps\" }]";
        assert_eq!(changed(text, &["ports[1].rate=2Gbps"]), one.parse().unwrap());
    }

    #[test]
    fn another_scheme_begins_its_table_anew_whatever_the_order() {
        let text = "congestion = { scheme = \"dctcp\", gain = 0.1 }";
        let hpcc = "congestion = { scheme = \"hpcc\", stages = 5 }";
        assert_eq!(changed(text, &["congestion.stages=5", "congestion.scheme=hpcc"]), hpcc.parse().unwrap());
        assert_eq!(changed(text, &["congestion.scheme=dctcp"]), text.parse().unwrap());
    }

    #[test]
    fn a_document_nests_as_deeply_as_toml_allows_and_no_deeper() {
        let nested = [
            |depth| format!("x = {}{}", "[".repeat(depth), "]".repeat(depth)),
            |depth| format!("x = {}1{}", "{ a = ".repeat(depth), " }".repeat(depth)),
            |depth| format!("{} = 1", vec!["a"; depth].join(".")),
            |depth| format!("[{}]", vec!["a"; depth].join(".")),
        ];
        for text in nested {
            assert!(document(&text(70)).is_ok());
            let refused = document(&text(100_000)).unwrap_err();
            assert_eq!((refused.key.as_str(), &refused.problem[..20]), ("line 1", "is nested too deeply"));
        }
    }

    #[test]
    fn what_is_no_toml_value_is_text() {
        assert_eq!(value("100Gbps"), Value::String("100Gbps".to_owned()));
        assert_eq!(value("[1, 2]"), Value::Array(vec![1.into(), 2.into()]));
    }
}
