//! Keys set in tables that a scenario leaves out: `switch.buffer.alpha=2` where there is no `buffer`.
//! Such a table begins as it is by default, so that the key that names its kind need not be set as well.

use toml::{Table, Value};

use super::error::{ErrorKind, ScenarioError};
use super::explain::written;
use super::overrides::OF_SCENARIOS;
use super::schema::Node;
use super::{Scenario, overrides};

/// A table that the scenario leaves out, with its default as TOML.
struct Begun {
    place: String,
    default: String,
}

/// Reads a table with its overrides, which may set keys of tables that are left out.
pub(super) fn read(table: &Table, overrides: &[String]) -> Result<Scenario, ScenarioError> {
    let mut begun: Vec<Begun> = Vec::new();
    loop {
        let defaults = begun.iter().map(|Begun { place, default }| format!("{place}={default}"));
        let changes: Vec<String> = defaults.chain(overrides.iter().cloned()).collect();
        let mut changed = table.clone();
        overrides::apply(&mut changed, Node::root(), &changes, OF_SCENARIOS)?;
        match Scenario::from_table(changed) {
            Ok(scenario) => return Ok(scenario),
            Err(error) => begun.push(beginning(error, table, overrides, &begun)?),
        }
    }
}

/// Returns the table that has to begin before a missing key is there, or else the error.
fn beginning(
    error: ScenarioError,
    table: &Table,
    overrides: &[String],
    begun: &[Begun],
) -> Result<Begun, ScenarioError> {
    let (place, key) = error.key.rsplit_once('.').unwrap_or_default();
    let before = begun.iter().find(|one| one.place == place);
    match (error.kind, before) {
        (ErrorKind::MissingKey, None) => {
            if let Some(change) = overrides::replacing(&error.key, Node::root(), overrides) {
                return Err(error.replaced_by(change));
            }
            let default = default(place, key).filter(|_| !is_written(table, place));
            default.map(|default| Begun { place: place.to_owned(), default }).ok_or(error)
        }
        (ErrorKind::UnknownKey, Some(Begun { place, default })) => {
            Err(error.with_remedy_first(&format!("left out, `{place}` is {default}")))
        }
        _ => Err(error),
    }
}

/// Returns a table's default as TOML, if it has this key.
fn default(place: &str, key: &str) -> Option<String> {
    let node = steps(place).try_fold(Node::root(), Node::child)?;
    node.keyword("default")?.get(key)?;
    written(node)
}

/// Whether a table stands in the scenario; in a list, in any of its tables, as these go one over another.
fn is_written(table: &Table, place: &str) -> bool {
    fn leads(value: &Value, mut rest: std::vec::IntoIter<&str>) -> bool {
        match (value, rest.clone().next()) {
            (_, None) => true,
            (Value::Array(values), _) => values.iter().any(|value| leads(value, rest.clone())),
            (Value::Table(table), Some(name)) => {
                rest.next();
                table.get(name).is_some_and(|value| leads(value, rest))
            }
            _ => false,
        }
    }
    leads(&Value::Table(table.clone()), steps(place).collect::<Vec<_>>().into_iter())
}

/// The names on a path, without indices.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split('.').map(|step| step.split('[').next().unwrap_or(step))
}
