//! Tables as the structs that hold them. All go through one kind of value, so that reading a struct is compiled once.

use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// A table, or what else a key takes, as its type.
pub(crate) fn from_value<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {
    serde_json::to_value(value).and_then(serde_json::from_value)
}

/// The text of a table as a struct, where both are our own.
pub(crate) fn from_text<T: DeserializeOwned>(text: &str) -> T {
    let table = text.parse::<Table>().unwrap_or_else(|error| panic!("{error}"));
    from_value(table.into()).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}
