//! Holds a TOML table against the schema, before it becomes a `Scenario`.
//! Doing this first, and not inside of serde, is what gives every error the whole path of its key and plain words.

use std::num::IntErrorKind;

use serde_json::Value as Json;
use toml::{Table, Value};

use super::error::{ErrorKind, ScenarioError};
use super::quantity::{self, Magnitude};
use super::schema::{Node, Shape, Variant};
use super::words::{bounds, bounds_with_most, choices, listed, most, nearest, shown, takes, what};
use crate::tagged::outside::{self, Family, Found, Refusal, Schemes};

/// Ways in which a number is outside its range.
#[derive(Clone, Copy, PartialEq)]
enum Outside {
    NotANumber,
    TooSmall,
    TooLarge,
    NotAMultiple,
}

impl Outside {
    /// Returns the predicate of the sentence.
    fn said(self) -> &'static str {
        match self {
            Self::NotANumber => "is not a number",
            Self::TooSmall => "is too small",
            Self::TooLarge => "is too large",
            Self::NotAMultiple => "does not divide evenly",
        }
    }
}

type Checked = Result<(), ScenarioError>;

/// The first thing in which `value` departs from the schema at `node`; `at` is the path of its key.
pub(super) fn check(node: Node, value: &Value, at: &str) -> Checked {
    match (node.shape(), value) {
        (Shape::Quantity(kind), _) => quantity(node, kind, value, at),
        (Shape::Table, Value::Table(table)) => check_table(node, table, at, &[]),
        (Shape::Tagged(variants), Value::Table(table)) => {
            let Some(chosen) = choose(node, &variants, table, at)? else { return Ok(()) };
            check_table(chosen.node, table, at, &variants)
        }
        (Shape::Map(values), Value::Table(table)) => {
            node.names().map_or(Ok(()), |names| check_names(names, table, at))?;
            table.iter().try_for_each(|(name, value)| check(values, value, &join(at, name)))
        }
        (Shape::List(items), Value::Array(values)) => check_list(node, items, values, at),
        (Shape::Choice(words), Value::String(word)) => {
            let words = || words.iter().filter_map(|node| node.text("const"));
            if words().any(|known| known == word) {
                return Ok(());
            }
            let problem = format!("unknown value \"{word}\"");
            let error = ScenarioError::at(at, problem, format!("expected {}", takes(node)));
            Err(error.of_unknown_name(nearest(word, words())))
        }
        (Shape::Either(branches), _) => match branches.iter().find(|branch| fits(**branch, value)) {
            Some(branch) => check(*branch, value, at),
            None => Err(wrong_type(node, value, at)),
        },
        (Shape::Plain(name), _) => plain(node, name, value, at),
        _ => Err(wrong_type(node, value, at)),
    }
}

fn join(at: &str, key: &str) -> String {
    if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") }
}

fn wrong_type(node: Node, value: &Value, at: &str) -> ScenarioError {
    ScenarioError::at(at, format!("{} does not fit", shown(value)), format!("expected {}", takes(node)))
        .of_kind(ErrorKind::WrongType)
}

/// Whether a value has the TOML type of a branch, whatever it holds.
fn fits(node: Node, value: &Value) -> bool {
    match node.shape() {
        Shape::Table | Shape::Tagged(_) | Shape::Map(_) => value.is_table(),
        Shape::List(_) => value.is_array(),
        Shape::Plain("integer") => value.is_integer(),
        _ => value.is_str(),
    }
}

/// Returns the variant that a table names; nothing where it is a scheme from a file that nobody has looked into.
fn choose(
    node: Node,
    variants: &[Variant],
    table: &Table,
    at: &str,
) -> Result<Option<Variant>, ScenarioError> {
    let tag = variants[0].tag;
    let key = join(at, tag);
    let family = node.family().and_then(Family::named);
    let outside = family.map(Schemes::names_at_hand).unwrap_or_default();
    let known = || variants.iter().map(|variant| variant.spelling).chain(outside.iter().map(String::as_str));
    let expected = || format!("expected {}", choices(known()));
    match table.get(tag) {
        None => Err(ScenarioError::missing(key, expected())),
        Some(Value::String(name)) => {
            if let Some(variant) = variants.iter().find(|variant| variant.spelling == name) {
                return Ok(Some(*variant));
            }
            let found = family.map_or(Ok(Found::Nothing), |family| outside::find(family, name));
            match found {
                Ok(Found::Scheme(scheme)) => Ok(Node::of_scheme(scheme.schema()).as_variant()),
                Ok(Found::Unknown) => Ok(None),
                Ok(Found::Nothing) => {
                    let error = ScenarioError::at(key, format!("unknown {tag} \"{name}\""), expected());
                    Err(error.of_unknown_name(nearest(name, known())))
                }
                Err(Refusal { problem, expected }) => Err(ScenarioError::at(key, problem, expected)),
            }
        }
        Some(other) => {
            let error = ScenarioError::at(key, format!("{} does not fit", shown(other)), expected());
            Err(error.of_kind(ErrorKind::WrongType))
        }
    }
}

/// `siblings` are the variants of a tagged table, among which an unknown key may have its home.
fn check_table(node: Node, table: &Table, at: &str, siblings: &[Variant]) -> Checked {
    if let Some(key) = table.keys().find(|key| node.key(key).is_none()) {
        return Err(unknown_key(node, key, at, siblings));
    }
    for (key, value) in table {
        node.key(key).map_or(Ok(()), |child| check(child, value, &join(at, key)))?;
    }
    let missing = node.keys().find(|(key, _)| node.is_required(key) && !table.contains_key(*key));
    if let Some((key, child)) = missing {
        let about = child.text("description").map_or_else(|| takes(child), super::explain::phrase);
        let expected = format!("expected {about} ({})", takes(child));
        return Err(ScenarioError::missing(join(at, key), expected));
    }
    node.keys().try_for_each(|(key, child)| check_against_neighbour(node, key, child, table, at))
}

/// Names that are quantities: each is one, and none is there twice in other words.
fn check_names(names: Node, table: &Table, at: &str) -> Checked {
    let mut known: Vec<(Option<Magnitude>, &str)> = Vec::new();
    for name in table.keys() {
        let value = Value::String(name.clone());
        check(names, &value, &join(at, name))?;
        let magnitude = magnitude(names, &value);
        if let Some((_, other)) = known.iter().find(|(found, _)| *found == magnitude) {
            let problem = format!("the same as `{other}`");
            return Err(ScenarioError::at(join(at, name), problem, "expected one of them"));
        }
        known.push((magnitude, name));
    }
    Ok(())
}

fn unknown_key(node: Node, key: &str, at: &str, siblings: &[Variant]) -> ScenarioError {
    let known = || node.keys().map(|(key, _)| key);
    let home = siblings.iter().find(|variant| variant.node.key(key).is_some());
    let (elsewhere, meant) = match home {
        Some(variant) => (format!("it belongs to {} = \"{}\"; ", variant.tag, variant.spelling), None),
        None => match place_of(node, key, at) {
            Some(place) if place == key => (format!("it is `{key}`, outside of all tables; "), None),
            Some(place) => (format!("it is `{place}`; "), None),
            None => (String::new(), nearest(key, known())),
        },
    };
    let remedy = format!("{elsewhere}known keys: {}", listed(known()));
    let error = ScenarioError::at(join(at, key), format!("unknown key `{key}`"), remedy);
    error.of_kind(ErrorKind::UnknownKey).with_candidate(meant)
}

/// Returns the place of an unknown key that another table has: one inside the table at `at`, or one around it.
fn place_of(node: Node, key: &str, at: &str) -> Option<String> {
    if let Some((inner, _)) = node.keys().find(|(_, inner)| knows(*inner, key)) {
        return Some(join(&join(at, inner), key));
    }
    let mut around = vec![(Node::root(), "")];
    for (end, _) in at.match_indices('.') {
        let (outer, begin) = *around.last()?;
        let name = at[begin.len()..end].trim_start_matches('.').split('[').next()?;
        around.push((outer.child(name)?, &at[..end]));
    }
    let (_, place) = around.into_iter().rev().find(|(outer, _)| knows(*outer, key))?;
    Some(join(place, key))
}

/// Whether a table, or those of a list, may have this key.
fn knows(node: Node, key: &str) -> bool {
    match node.shape() {
        Shape::Table => node.key(key).is_some(),
        Shape::Tagged(variants) => variants.iter().any(|variant| variant.node.key(key).is_some()),
        Shape::List(items) => knows(items, key),
        _ => false,
    }
}

fn check_list(node: Node, items: Node, values: &[Value], at: &str) -> Checked {
    let limit = |keyword| node.keyword(keyword).and_then(Json::as_u64);
    let count = values.len() as u64;
    if limit("minItems").is_some_and(|least| count < least)
        || limit("maxItems").is_some_and(|most| count > most)
    {
        let expected = format!("expected {}", takes(node));
        let error = ScenarioError::at(at, format!("a list of {count}"), expected);
        return Err(error.of_kind(ErrorKind::OutOfRange));
    }
    let each = values.iter().enumerate();
    each.clone().try_for_each(|(index, value)| check(items, value, &format!("{at}[{index}]")))?;
    if node.keyword("x-increasing").is_some() {
        let magnitudes: Vec<_> = values.iter().filter_map(|value| magnitude(items, value)).collect();
        if !magnitudes.is_sorted_by(|before, after| before < after) {
            let all = values.iter().map(shown).collect::<Vec<_>>().join(", ");
            return Err(ScenarioError::at(
                at,
                format!("{all} do not increase"),
                "expected each above the one before",
            ));
        }
    }
    Ok(())
}

fn quantity(node: Node, kind: &str, value: &Value, at: &str) -> Checked {
    let magnitude = quantity::read(kind, value).map_err(|problem| {
        ScenarioError::at(at, problem, format!("expected {}", what(node))).of_kind(ErrorKind::WrongType)
    })?;
    check_range(node, magnitude, value, at)
}

fn plain(node: Node, name: &str, value: &Value, at: &str) -> Checked {
    match (name, value) {
        ("string", Value::String(_)) | ("boolean", Value::Boolean(_)) => Ok(()),
        ("integer" | "number", _) => match magnitude(node, value) {
            Some(magnitude) => check_range(node, magnitude, value, at),
            None => Err(beyond_toml(node, value, at).unwrap_or_else(|| wrong_type(node, value, at))),
        },
        _ => Err(wrong_type(node, value, at)),
    }
}

/// Returns the error of a whole number beyond those of TOML, which is read as text.
fn beyond_toml(node: Node, value: &Value, at: &str) -> Option<ScenarioError> {
    most(node)?;
    let outside = match value.as_str()?.parse::<i64>().err()?.kind() {
        IntErrorKind::PosOverflow => Outside::TooLarge,
        IntErrorKind::NegOverflow => Outside::TooSmall,
        _ => return None,
    };
    Some(out_of_range(node, value, outside, at))
}

fn out_of_range(node: Node, value: &Value, outside: Outside, at: &str) -> ScenarioError {
    let bounds = if outside == Outside::TooLarge { bounds_with_most(node) } else { bounds(node) };
    let problem = format!("{} {}", shown(value), outside.said());
    ScenarioError::at(at, problem, format!("expected a value {bounds}")).of_kind(ErrorKind::OutOfRange)
}

/// Returns the number behind a value, to compare with the bounds of its key.
fn magnitude(node: Node, value: &Value) -> Option<Magnitude> {
    match (node.shape(), value) {
        (Shape::Quantity(kind), _) => quantity::read(kind, value).ok(),
        (Shape::Plain("integer"), Value::Integer(number)) => Some(Magnitude::Integer(*number)),
        (Shape::Plain("number"), Value::Integer(number)) => Some(Magnitude::Real(*number as f64)),
        (Shape::Plain("number"), Value::Float(number)) => Some(Magnitude::Real(*number)),
        _ => None,
    }
}

fn check_range(node: Node, found: Magnitude, value: &Value, at: &str) -> Checked {
    let bound = |keyword| {
        let bound = node.keyword(keyword)?;
        match (bound, found) {
            (Json::String(text), _) => magnitude(node, &Value::String(text.clone())),
            (Json::Number(number), Magnitude::Integer(_)) => number.as_i64().map(Magnitude::Integer),
            (Json::Number(number), _) => number.as_f64().map(Magnitude::Real),
            _ => None,
        }
    };
    // Written with `is_none_or` and not as the opposite comparison, so that NaN is outside.
    let large_enough = bound("minimum").is_none_or(|least| found >= least)
        && bound("x-at-least").is_none_or(|least| found >= least)
        && bound("exclusiveMinimum").is_none_or(|least| found > least)
        && bound("x-above").is_none_or(|least| found > least);
    let small_enough = bound("maximum").is_none_or(|most| found <= most)
        && bound("exclusiveMaximum").is_none_or(|most| found < most)
        && most(node).is_none_or(|most| found <= Magnitude::Integer(most));
    let outside = match (large_enough, small_enough) {
        (false, false) => Outside::NotANumber,
        (false, true) => Outside::TooSmall,
        (true, false) => Outside::TooLarge,
        (true, true) if !is_multiple(node, found) => Outside::NotAMultiple,
        (true, true) => return Ok(()),
    };
    Err(out_of_range(node, value, outside, at))
}

fn is_multiple(node: Node, found: Magnitude) -> bool {
    match (node.keyword("multipleOf").and_then(Json::as_i64), found) {
        (Some(factor), Magnitude::Integer(number)) => number % factor == 0,
        _ => true,
    }
}

/// `x-above-key` and `x-at-least-key`: a key bounded by another of the same table, set or default.
fn check_against_neighbour(node: Node, key: &str, child: Node, table: &Table, at: &str) -> Checked {
    for (keyword, words) in [("x-above-key", "above"), ("x-at-least-key", "at least")] {
        let Some(other) = child.text(keyword) else { continue };
        let (Some(value), Some(bound)) = (effective(node, key, table), effective(node, other, table)) else {
            continue;
        };
        let (found, least) = (magnitude(child, &value), magnitude(child, &bound));
        if found < least || (keyword == "x-above-key" && found == least) {
            let problem = format!("{} is not {words} `{other}`, {}", shown(&value), shown(&bound));
            return Err(ScenarioError::at(
                join(at, key),
                problem,
                format!("expected a value {}", bounds(child)),
            ));
        }
    }
    Ok(())
}

fn effective(node: Node, key: &str, table: &Table) -> Option<Value> {
    let default = || node.key(key)?.keyword("default").and_then(|default| Value::try_from(default).ok());
    table.get(key).cloned().or_else(default)
}
