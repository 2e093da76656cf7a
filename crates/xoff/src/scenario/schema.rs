//! JSON Schema
use serde_json::Value;
use std::sync::LazyLock;
static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(super::Scenario).to_value());

/// The JSON Schema of a scenario.
pub fn schema() -> Value {
    SCHEMA.clone()
}
#[cfg(test)]
mod tests {
    #[test]
    fn dump() {
        std::fs::write("/tmp/schema.json", serde_json::to_string_pretty(&super::schema()).unwrap()).unwrap();
    }
}
