//! Words of errors: what a place takes, what a value is, which name was meant.

use serde_json::Value as Json;
use toml::Value;

use super::schema::{Node, Shape};

/// Whether text stays on its line in tables, figures and other programs' files: no ends of lines, no control characters,
/// nothing that XML forbids.
pub(crate) fn is_line(text: &str) -> bool {
    let ends =
        |one: char| one.is_control() || matches!(one, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    !text.contains(ends)
}

/// Returns text as one line, as messages show what a user wrote: white space as spaces, and escapes for what a terminal
/// may obey.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            one if one.is_whitespace() => line.push(' '),
            one if is_line(one.encode_utf8(&mut [0; 4])) => line.push(one),
            one => line.extend(one.escape_unicode()),
        }
    }
    line
}

/// Says what a place in a scenario takes, such as `a whole number, at least 1`.
pub(super) fn takes(node: Node) -> String {
    let (what, bounds) = (what(node), bounds(node));
    if bounds.is_empty() { what } else { format!("{what}, {bounds}") }
}

/// Says what a place takes, without the range.
pub(super) fn what(node: Node) -> String {
    match node.shape() {
        Shape::Quantity(_) => node.type_description().unwrap_or("a quantity").to_owned(),
        Shape::Table => {
            format!("a table with {}", listed(node.keys().map(|(key, _)| key)))
        }
        Shape::Tagged(variants) => {
            let tag = variants.first().map_or("kind", |variant| variant.tag);
            format!("a table with {tag} = {}", choices(variants.iter().map(|variant| variant.spelling)))
        }
        Shape::Map(_) => node
            .names()
            .map_or_else(|| "tables by name".to_owned(), |names| format!("tables by {}", what(names))),
        Shape::List(items) => list(node, items),
        Shape::Choice(branches) => choices(branches.iter().filter_map(|branch| branch.text("const"))),
        Shape::Either(branches) => {
            branches.iter().map(|branch| takes(*branch)).collect::<Vec<_>>().join(", or ")
        }
        Shape::Plain(name) => plain(name).to_owned(),
    }
}

fn plain(type_name: &str) -> &'static str {
    match type_name {
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        _ => "text in quotes",
    }
}

fn list(node: Node, items: Node) -> String {
    let least = node.keyword("minItems").and_then(Json::as_u64);
    let most = node.keyword("maxItems").and_then(Json::as_u64);
    let each = takes(items);
    match (least, most) {
        (Some(least), Some(most)) if least == most => format!("a list of {least}, each {each}"),
        (Some(least), _) => format!("a list of at least {least}, each {each}"),
        _ => format!("a list, each {each}"),
    }
}

/// The range of a place, such as `above 0 and at most 1`; empty where anything goes.
pub(super) fn bounds(node: Node) -> String {
    let bound = |keyword: &str, words: &str, quote: &str| {
        let bound = node.keyword(keyword)?;
        let bound = bound.as_str().map_or_else(|| bound.to_string(), str::to_owned);
        Some(format!("{words} {quote}{bound}{quote}"))
    };
    let all = [
        bound("exclusiveMinimum", "above", ""),
        bound("minimum", "at least", ""),
        bound("x-above", "above", ""),
        bound("x-at-least", "at least", ""),
        bound("x-above-key", "above", "`"),
        bound("x-at-least-key", "at least", "`"),
        bound("maximum", "at most", ""),
        bound("exclusiveMaximum", "below", ""),
        bound("multipleOf", "a multiple of", ""),
        node.keyword("x-increasing").map(|_| "each above the one before".to_owned()),
    ];
    all.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// Says the range of a place with the most that it can hold, where nothing else bounds it above.
pub(super) fn bounds_with_most(node: Node) -> String {
    let bounds = bounds(node);
    let is_bounded = ["maximum", "exclusiveMaximum"].iter().any(|keyword| node.keyword(keyword).is_some());
    match most(node) {
        Some(most) if !is_bounded => format!("{bounds} and at most {most}"),
        _ => bounds,
    }
}

/// The greatest whole number that a place can hold and TOML can write.
pub(super) fn most(node: Node) -> Option<i64> {
    match node.text("format")? {
        "uint8" => Some(u8::MAX.into()),
        "uint16" => Some(u16::MAX.into()),
        "uint32" => Some(u32::MAX.into()),
        "uint64" => Some(i64::MAX),
        _ => None,
    }
}

/// A value as an error shows it.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Table(_) => "a table".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => format!("\"{text}\""),
        other => other.to_string(),
    }
}

/// Names in backticks, joined by commas.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Values in quotes, joined as alternatives.
pub(super) fn choices<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" or ")
}

/// The name most like `word`, if any is like it at all.
pub(super) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Whatever begins with the same letter is like a name of one.
    let names = names.filter(|name| 2 * name.len() >= word.len());
    let near =
        names.map(|name| (strsim::jaro_winkler(word, name), name)).filter(|(likeness, _)| *likeness > 0.7);
    // The first of equals, so that the order of the schema decides.
    let best = near.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &[&str]) -> Node {
        path.iter().fold(Node::root(), |node, name| node.child(name).unwrap())
    }

    #[test]
    fn a_letter_is_near_no_word() {
        assert_eq!(nearest("abm", ["a", "g"].into_iter()), None);
        assert_eq!(nearest("alpa", ["a", "alpha"].into_iter()), Some("alpha"));
    }

    #[test]
    fn what_a_key_takes_is_said_in_one_phrase() {
        assert_eq!(takes(at(&["workload", "load"])), "a number, above 0 and at most 1");
        let class = "a whole number, at least 0 and at most 7";
        let classes = format!("{class}, or a list of at least 1, each {class}");
        assert_eq!(takes(at(&["workload", "priority"])), classes);
        assert_eq!(takes(at(&["topology", "k"])), "a whole number, at least 2 and a multiple of 2");
        assert_eq!(takes(at(&["host", "jitter"])), "true or false");
        assert_eq!(
            takes(at(&["switch", "buffer", "alpha"])),
            "a number, or a fraction such as \"1/16\", above 0"
        );
        assert_eq!(takes(at(&["workload", "of"])), "\"core\" or \"host\" or \"senders\" or \"receivers\"");
        assert_eq!(takes(at(&["workload", "sizes"])), "text in quotes, or a table with `fixed`");
    }

    #[test]
    fn the_nearest_name_is_found_and_a_stranger_is_not() {
        let names = ["policy", "alpha", "minimum"];
        assert_eq!(nearest("alfa", names.into_iter()), Some("alpha"));
        assert_eq!(nearest("zzz", names.into_iter()), None);
    }
}
