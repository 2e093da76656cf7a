//! `--set KEY=VALUE`: changes to a scenario's tables before they are read.
//! A table that names a kind, policy or algorithm, or is empty, replaces what it overrides; any other is merged key by key. The name
//! alone replaces what another kind had, and is nothing new to its own. `KEY=` leaves a key out.

use std::fmt;

use toml::{Table, Value};

use super::error::{ErrorKind, ScenarioError};
use super::parse::shortened;
use super::schema::{Node, Shape};
use super::words::{listed, nearest, one_line};

/// One `KEY=VALUE`.
struct Override {
    path: Vec<Step>,
    /// Nothing where the key is left out.
    value: Option<Value>,
}

/// An override that messages show, for a kind of file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example {
    /// Key in a table of a list.
    pub(super) key: &'static str,
    /// The key with the index of one table.
    pub(super) indexed: &'static str,
    /// Value of the key.
    pub(super) value: &'static str,
}

/// Example of an override of a scenario, or of a fluid model.
pub(super) const OF_SCENARIOS: Example =
    Example { key: "workload.load", indexed: "workload[1].load", value: "0.5" };

/// Most parts of a key, as many as TOML files may nest: `set` calls itself for each.
const MOST_STEPS: usize = 80;

/// One part of a key: `workload`, or `workload[1]`.
#[derive(Debug, PartialEq)]
struct Step {
    name: String,
    index: Option<usize>,
}

/// Keys that a table had as another kind, and that it lost when an override named its kind.
#[derive(Debug)]
pub(super) struct Replaced {
    /// Key of the kind.
    at: String,
    /// The kind now.
    kind: Value,
    /// The keys that are gone, with their values.
    had: Table,
}

/// Applies the overrides to a table at the root of a schema; those that name a kind come first, so that their order does
/// not matter. Returns what they leave out without saying so.
pub(super) fn apply(
    table: &mut Table,
    root: Node,
    overrides: &[String],
    example: Example,
) -> Result<Vec<Replaced>, ScenarioError> {
    let mut parsed = overrides.iter().map(|text| parse(text, example)).collect::<Result<Vec<_>, _>>()?;
    parsed.sort_by_key(|change| !change.names_kind(root));
    let mut replaced = Vec::new();
    for change in &parsed {
        let before = replaced.len();
        set(table, root, &change.path, change.value.as_ref(), "", &mut replaced)?;
        for one in &mut replaced[before..] {
            one.had.retain(|key, _| !parsed.iter().any(|other| other.sets_beside(change, key)));
        }
    }
    replaced.retain(|one| !one.had.is_empty());
    Ok(replaced)
}

impl fmt::Display for Replaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.as_str().unwrap_or_default();
        let had: Vec<String> = self.had.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        let (at, had) = (&self.at, had.join(", "));
        f.write_str(&one_line(&format!("{at}={kind} leaves out what the kind before had: {had}")))
    }
}

/// Returns the override that has replaced the table of a key, by naming its kind.
pub(super) fn replacing<'a>(key: &str, root: Node, overrides: &'a [String]) -> Option<&'a String> {
    let named =
        |key: &str| key.split('.').map(|step| step.split('[').next().map(str::to_owned)).collect::<Vec<_>>();
    let missing = named(key);
    overrides.iter().find(|change| {
        let (key, _) = change.split_once('=').unwrap_or((change, ""));
        let names_kind = parse(change, OF_SCENARIOS).is_ok_and(|change| change.names_kind(root));
        names_kind
            && named(key).split_last().map(|(_, table)| table) == missing.split_last().map(|(_, table)| table)
    })
}

impl Override {
    fn names_kind(&self, root: Node) -> bool {
        let Some((last, above)) = self.path.split_last() else { return false };
        let node = above.iter().try_fold(root, |node, step| node.child(&step.name));
        node.map(element).and_then(Node::tag) == Some(last.name.as_str())
    }

    /// Whether this override sets `key` in the same tables in which `other` sets its key.
    fn sets_beside(&self, other: &Self, key: &str) -> bool {
        let names = self.path.iter().map(|step| step.name.as_str());
        let above = other.path.iter().map(|step| step.name.as_str()).take(other.path.len() - 1);
        names.eq(above.chain([key]))
    }
}

/// Returns the items of a list, or the node itself.
fn element(node: Node) -> Node {
    match node.shape() {
        Shape::List(items) => items,
        _ => node,
    }
}

fn parse(text: &str, example: Example) -> Result<Override, ScenarioError> {
    let Example { key: example, indexed, value: its_value } = example;
    let (key, value) = text.split_once('=').ok_or_else(|| {
        let expected = format!("expected KEY=VALUE, such as {example}={its_value}");
        ScenarioError::at(format!("--set {text}"), "no `=`", expected).of_kind(ErrorKind::Syntax)
    })?;
    let mut is_quoted = false;
    let parts = key.trim().split(|character| {
        is_quoted ^= character == '"';
        character == '.' && !is_quoted
    });
    let path = parts.map(step).collect::<Option<Vec<_>>>().ok_or_else(|| {
        let at = format!("key \"{}\"", key.trim());
        let expected = format!("expected one such as {example} or {indexed}");
        ScenarioError::at(at, "malformed", expected).of_kind(ErrorKind::Syntax)
    })?;
    if path.len() > MOST_STEPS {
        let problem = format!("the key has {} parts", path.len());
        let expected = format!("expected at most {MOST_STEPS}, such as the two of {example}");
        return Err(ScenarioError::at(shortened(key.trim()), problem, expected).of_kind(ErrorKind::Syntax));
    }
    let value = value.trim();
    Ok(Override { path, value: (!value.is_empty()).then(|| parse_value(value)) })
}

fn step(part: &str) -> Option<Step> {
    let (name, index) = match part.split_once('[') {
        Some((name, index)) => (name, Some(index.strip_suffix(']')?.parse().ok()?)),
        None => (part, None),
    };
    let name = name.trim_matches('"');
    (!name.is_empty()).then(|| Step { name: name.to_owned(), index })
}

/// A TOML value, or else the text as it stands: `100Gbps` needs no quotes.
pub(super) fn parse_value(text: &str) -> Value {
    let parsed = format!("value = {text}").parse::<Table>().ok();
    match parsed.filter(|table| table.len() == 1).and_then(|mut table| table.remove("value")) {
        Some(value) if !value.is_datetime() => value,
        _ => Value::String(text.to_owned()),
    }
}

/// Sets one key below `table`, which stands at `node` of the schema and at the path `at`, or takes it out.
fn set(
    table: &mut Table,
    node: Node,
    path: &[Step],
    value: Option<&Value>,
    at: &str,
    replaced: &mut Vec<Replaced>,
) -> Result<(), ScenarioError> {
    let Some((step, rest)) = path.split_first() else { return Ok(()) };
    let at = if at.is_empty() { step.name.clone() } else { format!("{at}.{}", step.name) };
    let child = node.child(&step.name).unwrap_or(node);
    let is_list = matches!(child.shape(), Shape::List(_));
    let is_whole = step.index.is_none() && !(is_list && value.is_some_and(Value::is_table));
    if rest.is_empty() && is_whole {
        let Some(value) = value else {
            if table.remove(&step.name).is_none() && node.child(&step.name).is_none() {
                // There is no such key, which whoever checks them says best.
                table.insert(step.name.clone(), Value::String(String::new()));
            }
            return Ok(());
        };
        if node.tag() == Some(step.name.as_str()) && table.get(&step.name) != Some(value) {
            let mut had = std::mem::take(table);
            had.remove(&step.name);
            replaced.push(Replaced { at, kind: value.clone(), had });
        }
        merge_key(table, node, &step.name, value);
        return Ok(());
    }
    if let Some(tag) = child.tag()
        && matches!(node.shape(), Shape::Map(_))
        && !table.contains_key(&step.name)
        && rest.iter().all(|step| step.name != tag)
    {
        return Err(no_such_name(&step.name, table, child, tag, at));
    }
    let slot = table.entry(step.name.clone()).or_insert_with(|| {
        let empty = Value::Table(Table::new());
        if is_list { Value::Array(vec![empty]) } else { empty }
    });
    match (slot, step.index) {
        (Value::Array(values), index) => {
            set_in_list(values, index, element(child), rest, value, &at, replaced)
        }
        (slot, None) => set_in(slot, child, rest, value, &at, replaced),
        (_, Some(index)) => {
            let expected = format!("expected `{at}` without an index");
            Err(ScenarioError::at(format!("{at}[{index}]"), format!("`{at}` is not a list"), expected))
        }
    }
}

/// The table of this name is not there, and what is set in it does not say of which kind it is.
fn no_such_name(name: &str, table: &Table, kind: Node, tag: &str, at: String) -> ScenarioError {
    if kind.child(name).is_some() && !table.is_empty() {
        let above = at.strip_suffix(name).unwrap_or_default();
        let meant: Vec<String> = table.keys().map(|own| format!("`{above}{own}.{name}`")).collect();
        let expected = format!("expected {}", meant.join(" or "));
        return ScenarioError::at(at, "is a key of a table that has a name", expected)
            .of_kind(ErrorKind::UnknownKey);
    }
    let known = || table.keys().map(String::as_str);
    let remedy = format!("there is {}; a new one needs a `{tag}`", listed(known()));
    let error = ScenarioError::at(at, "is not in the scenario", remedy).of_kind(ErrorKind::UnknownKey);
    error.with_candidate(nearest(name, known()))
}

/// Sets in one element of a list, or in every one.
fn set_in_list(
    values: &mut [Value],
    index: Option<usize>,
    node: Node,
    rest: &[Step],
    value: Option<&Value>,
    at: &str,
    replaced: &mut Vec<Replaced>,
) -> Result<(), ScenarioError> {
    let count = values.len();
    if count == 0 {
        return Err(ScenarioError::at(
            at,
            format!("`{at}` is an empty list"),
            "expected a table in it to change",
        ));
    }
    if let Some(index) = index.filter(|index| *index >= count) {
        let expected = format!("expected an index below {count}");
        return Err(ScenarioError::at(
            format!("{at}[{index}]"),
            format!("`{at}` has {count}, counted from 0"),
            expected,
        ));
    }
    if let Some(digits) = rest.first().map(|step| &step.name).filter(|name| name.parse::<usize>().is_ok()) {
        let problem = format!("tables of `{at}` are counted in brackets");
        return Err(ScenarioError::at(
            format!("{at}.{digits}"),
            problem,
            format!("expected `{at}[{digits}]`"),
        ));
    }
    let meant = values.iter_mut().enumerate().filter(|(place, _)| index.is_none_or(|index| index == *place));
    for (place, slot) in meant {
        set_in(slot, node, rest, value, &format!("{at}[{place}]"), replaced)?;
    }
    Ok(())
}

/// Sets below `slot`, which becomes a table where it is not one; with nothing left of the path, sets `slot` itself.
fn set_in(
    slot: &mut Value,
    node: Node,
    rest: &[Step],
    value: Option<&Value>,
    at: &str,
    replaced: &mut Vec<Replaced>,
) -> Result<(), ScenarioError> {
    if rest.is_empty() {
        let Some(value) = value else {
            let expected = format!("expected a key of `{at}`, or the whole list without it");
            return Err(ScenarioError::at(at, "a table of a list cannot be left out", expected));
        };
        merge(slot, node, value);
        return Ok(());
    }
    if !slot.is_table() {
        *slot = Value::Table(Table::new());
    }
    slot.as_table_mut().map_or(Ok(()), |table| set(table, node, rest, value, at, replaced))
}

fn merge(slot: &mut Value, node: Node, value: &Value) {
    match (slot, value) {
        (Value::Table(old), Value::Table(new))
            if !new.is_empty() && node.tag().is_none_or(|tag| !new.contains_key(tag)) =>
        {
            new.iter().for_each(|(key, value)| merge_key(old, node, key, value));
        }
        (slot, value) => *slot = value.clone(),
    }
}

fn merge_key(table: &mut Table, node: Node, key: &str, value: &Value) {
    match (table.get_mut(key), node.child(key)) {
        (Some(slot), Some(child)) => merge(slot, child, value),
        _ => drop(table.insert(key.to_owned(), value.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str, overrides: &[&str]) -> Table {
        let mut table: Table = text.parse().unwrap();
        let overrides: Vec<_> = overrides.iter().map(ToString::to_string).collect();
        apply(&mut table, Node::root(), &overrides, OF_SCENARIOS).unwrap();
        table
    }

    fn equal(text: &str, overrides: &[&str], expected: &str) {
        assert_eq!(applied(text, overrides), expected.parse().unwrap(), "{overrides:?}");
    }

    const TWO: &str = "workload = [{ load = 0.1 }, { load = 0.2 }]";

    #[test]
    fn without_an_index_every_table_is_meant_and_with_one_that_table() {
        equal(TWO, &["workload.load=0.5"], "workload = [{ load = 0.5 }, { load = 0.5 }]");
        equal(TWO, &["workload[1].load=0.5"], "workload = [{ load = 0.1 }, { load = 0.5 }]");
        equal(TWO, &["workload={ load = 0.5 }"], "workload = [{ load = 0.5 }, { load = 0.5 }]");
        equal(TWO, &["workload=[{ load = 0.5 }]"], "workload = [{ load = 0.5 }]");
    }

    #[test]
    fn strings_need_no_quotes() {
        equal(
            "",
            &["host.delay=18us", "host.jitter=true", "seed = 3"],
            "seed = 3\nhost = { delay = \"18us\", jitter = true }",
        );
        equal("", &["title=a = b"], "title = \"a = b\"");
        equal("", &["title=1979-05-27"], "title = \"1979-05-27\"");
    }

    #[test]
    fn tables_that_are_not_there_are_made() {
        equal(
            "transport.dctcp = {}",
            &["transport.dctcp.congestion_control.gain=1/16"],
            "transport.dctcp.congestion_control.gain = \"1/16\"",
        );
        let kind_and_more = ["transport.reno.payload=1kB", "transport.reno.kind=tcp"];
        equal("", &kind_and_more, "transport.reno = { kind = \"tcp\", payload = \"1kB\" }");
        equal("", &["switch.total=1MB"], "[[switch]]\ntotal = \"1MB\"");
    }

    #[test]
    fn a_name_with_a_dot_is_quoted() {
        equal("", &["transport.\"a.b\".kind=tcp"], "transport.\"a.b\".kind = \"tcp\"");
    }

    #[test]
    fn a_table_that_names_its_kind_replaces_and_another_is_merged() {
        let file = "switch = [{ total = \"1MB\", buffer = { policy = \"dynamic_threshold\", alpha = 4 } }]";
        let partition = "switch = [{ total = \"1MB\", buffer = { policy = \"static_partition\" } }]";
        equal(file, &["switch.buffer.policy=static_partition"], partition);
        equal(file, &["switch.buffer={ policy = \"static_partition\" }"], partition);
        let eight = "switch = [{ total = \"1MB\", buffer = { policy = \"dynamic_threshold\", alpha = 8 } }]";
        equal(file, &["switch.buffer.alpha=8"], eight);
        equal(file, &["switch.buffer={ alpha = 8 }"], eight);
        equal(file, &["switch.buffer.alpha=8", "switch.buffer.policy=dynamic_threshold"], eight);
        let same = ["switch.buffer.policy=dynamic_threshold"];
        equal(file, &same, &file.replace(" = [{", " = [{ "));
        equal(file, &["switch.buffer={ policy = \"dynamic_threshold\" }"], &file.replace(", alpha = 4", ""));
    }

    #[test]
    fn what_another_kind_had_and_nobody_sets_is_told() {
        let file =
            "switch = [{ buffer = { policy = \"dynamic_threshold\", alpha = 4, alpha_by_priority = [1] } }]";
        let told = |overrides: &[&str]| {
            let overrides: Vec<_> = overrides.iter().map(ToString::to_string).collect();
            let replaced = apply(&mut file.parse().unwrap(), Node::root(), &overrides, OF_SCENARIOS).unwrap();
            replaced.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let gone = "switch[0].buffer.policy=abm leaves out what the kind before had: ";
        assert_eq!(
            told(&["switch.buffer.policy=abm"]),
            [format!("{gone}alpha = 4, alpha_by_priority = [1]")]
        );
        assert_eq!(
            told(&["switch.buffer.policy=abm", "switch.buffer.alpha=2"]),
            [format!("{gone}alpha_by_priority = [1]")]
        );
        let both =
            ["switch.buffer.alpha=2", "switch.buffer.policy=abm", "switch[0].buffer.alpha_by_priority="];
        assert!(told(&both).is_empty());
        assert!(told(&["switch.buffer.policy=dynamic_threshold"]).is_empty());
        assert!(
            told(&["switch.buffer={ policy = \"abm\" }"]).is_empty(),
            "whoever writes a table writes all of it"
        );
    }

    /// TCP has a recovery, too, which has no kinds.
    #[test]
    fn a_key_that_has_kinds_in_one_of_several_tables_is_replaced() {
        let file =
            "transport.a = { kind = \"roce\", recovery = { kind = \"selective_repeat\", window = \"1MB\" } }";
        let replaced = "transport.a = { kind = \"roce\", recovery = { kind = \"go_back_n\" } }";
        equal(file, &["transport.a.recovery.kind=go_back_n"], replaced);
        equal(file, &["transport.a.recovery={ kind = \"go_back_n\" }"], replaced);
        let tcp = "transport.a = { kind = \"tcp\", recovery = \"sack\" }";
        equal(
            tcp,
            &["transport.a.recovery=new_reno"],
            "transport.a = { kind = \"tcp\", recovery = \"new_reno\" }",
        );
    }

    #[test]
    fn the_kind_of_a_switch_is_a_key_like_any_other() {
        let expected = "switch = [{ total = \"1MB\", kind = \"shared_memory\" }]";
        equal("switch = [{ total = \"1MB\" }]", &["switch.kind=shared_memory"], expected);
    }

    #[test]
    fn an_empty_table_replaces_and_nothing_leaves_out() {
        let file = "seed = 1\npfc = { detection_time = \"1ms\", watchdog = { action = \"drop\" } }";
        equal(file, &["pfc={}"], "seed = 1\npfc = {}");
        equal(file, &["pfc.watchdog={}"], "seed = 1\npfc = { detection_time = \"1ms\", watchdog = {} }");
        equal(file, &["pfc.watchdog="], "seed = 1\npfc = { detection_time = \"1ms\" }");
        equal(file, &["seed=", "pfc= "], "");
        equal("", &["pfc.watchdog="], "pfc = {}");
        equal(TWO, &["workload[0].load="], "workload = [{}, { load = 0.2 }]");
        equal(TWO, &["workload.load="], "workload = [{}, {}]");
        equal(TWO, &["workload={}"], "workload = [{}, {}]");
        equal(TWO, &["workload="], "");
    }

    #[test]
    fn what_cannot_be_set_is_said() {
        let applied_to = |file: &str, change: &str| {
            let mut table: Table = file.parse().unwrap();
            apply(&mut table, Node::root(), &[change.to_owned()], OF_SCENARIOS).unwrap_err().to_string()
        };
        let problem = |change: &str| applied_to(TWO, change);
        assert_eq!(problem("seed"), "--set seed: no `=`; expected KEY=VALUE, such as workload.load=0.5");
        assert_eq!(
            problem("workload[x].load=1"),
            "key \"workload[x].load\": malformed; expected one such as workload.load or workload[1].load"
        );
        assert_eq!(
            problem("workload[2].load=1"),
            "workload[2]: `workload` has 2, counted from 0; expected an index below 2"
        );
        assert_eq!(
            problem("workload.1.load=1"),
            "workload.1: tables of `workload` are counted in brackets; expected `workload[1]`"
        );
        assert_eq!(
            problem("workload[1]="),
            "workload[1]: a table of a list cannot be left out; expected a key of `workload[1]`, or the whole list \
             without it"
        );
        assert_eq!(
            problem("host[0].delay=1"),
            "host[0]: `host` is not a list; expected `host` without an index"
        );
        assert_eq!(
            applied_to("[transport.dctcp]\nkind = \"tcp\"", "transport.dctc.payload=1kB"),
            "transport.dctc: is not in the scenario; did you mean `dctcp`? there is `dctcp`; a new one needs a `kind`"
        );
        assert_eq!(
            applied_to("[transport.dctcp]\nkind = \"tcp\"", "transport.congestion_control.algorithm=cubic"),
            "transport.congestion_control: is a key of a table that has a name; expected \
             `transport.dctcp.congestion_control`"
        );
        assert_eq!(
            problem(&format!("{}a=1", "seed.".repeat(59_999))),
            format!(
                "{}...: the key has 60000 parts; expected at most 80, such as the two of workload.load",
                "seed.".repeat(16)
            )
        );
    }
}
