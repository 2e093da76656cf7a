//! Explanations of keys, algorithms and other names of a scenario, read from the schema and so from the structs'
//! comments.

use std::collections::BTreeSet;
use std::mem::take;
use std::sync::LazyLock;

use serde::Serialize;

use super::chip;
use super::error::{ErrorKind, ScenarioError};
use super::schema::{Node, Shape, Variant};
use super::words::{nearest, takes};
use crate::tagged::ONLY_AT;
use crate::tagged::outside::Scheme;

/// Explanation of one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The key's path (`switch.buffer.alpha`), or the name of an algorithm, a policy, a marker, a kind.
    pub name: String,
    /// Path of the key; for another name that of the key that takes it.
    pub path: String,
    /// The family of an algorithm or kind, such as `buffer_policy`.
    pub family: Option<String>,
    /// The kinds or algorithms that have this key; empty where the key does not depend on one.
    pub of: Vec<String>,
    /// Description.
    pub about: String,
    /// The paper's symbol.
    pub symbol: Option<String>,
    /// The paper or standard it comes from.
    pub source: Option<String>,
    /// Type, unit and range of the value.
    pub takes: String,
    /// The default, as TOML.
    pub default: Option<String>,
    /// Whether a scenario must set the key.
    pub required: bool,
    /// The words a key takes, where they are a fixed list.
    pub choices: Vec<Choice>,
    /// The keys of a table or an algorithm.
    pub keys: Vec<Self>,
}

/// One of the words that a key takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// The word.
    pub name: String,
    /// Meaning of the word.
    pub about: String,
}

/// One line of a list of algorithms and kinds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listing {
    /// The family: `topology`, `buffer_policy`, `congestion_control` and so on.
    pub family: String,
    /// Name in scenarios.
    pub name: String,
    /// One sentence.
    pub about: String,
    /// The paper or standard it comes from.
    pub source: Option<String>,
}

/// Every key of a scenario and every name that a key takes, in the order of the scenario file.
pub fn keys() -> &'static [Explanation] {
    &CATALOGUE
}

/// Every algorithm, policy, marker, topology, transport and workload, family by family.
pub fn list() -> Vec<Listing> {
    let names = CATALOGUE.iter().filter_map(|entry| {
        let family = entry.family.clone().filter(|family| family != chip::FAMILY)?;
        Some(Listing {
            family,
            name: entry.name.clone(),
            about: sentence(&entry.about).to_owned(),
            source: entry.source.clone(),
        })
    });
    names.chain(words_of_routing()).collect()
}

/// Ways to balance load: algorithms without a table of their own.
fn words_of_routing() -> impl Iterator<Item = Listing> {
    let key = CATALOGUE.iter().find(|entry| entry.name == ROUTING_KEY).expect("networks have it");
    key.choices.iter().map(|Choice { name, about }| Listing {
        family: ROUTING.to_owned(),
        name: name.clone(),
        about: sentence(about).to_owned(),
        source: source(about),
    })
}

/// The family of words that are no algorithm and no kind, but only what a key may be set to.
const VALUE: &str = "value";
/// Key whose values are algorithms without a table of their own.
const ROUTING_KEY: &str = "topology.routing";
/// The family of these algorithms.
const ROUTING: &str = "routing";

/// Explains a key by its path or the end of it, an algorithm or kind, or another word that a key takes. Returns
/// several where the name is not unique.
pub fn explain(name: &str) -> Result<Vec<Explanation>, ScenarioError> {
    let path = without_indices(name.trim());
    let all = &*CATALOGUE;
    let matching = |wanted: &dyn Fn(&Explanation) -> bool| -> Vec<_> {
        all.iter().filter(|entry| wanted(entry)).cloned().collect()
    };
    let exact = matching(&|entry| entry.family.is_none() && entry.name == path);
    if !exact.is_empty() {
        return Ok(exact);
    }
    let unnamed = without_user_names(&path);
    let end = format!(".{path}");
    let mut found = matching(&|entry| entry.family.is_some() && entry.name == path);
    found.extend(matching(&|entry| {
        entry.family.is_none() && (entry.name == unnamed || entry.name.ends_with(&end))
    }));
    found.extend(values(all, &path));
    found = without_repetitions(found);
    if found.is_empty() {
        return Err(unknown_key(all, name, &unnamed).unwrap_or_else(|| {
            let names =
                all.iter().flat_map(|entry| [Some(entry.name.as_str()), entry.name.rsplit('.').next()]);
            let words = all.iter().flat_map(|entry| entry.choices.iter().map(|choice| choice.name.as_str()));
            let error = ScenarioError::at(name, NOTHING, "see `xoff list`").of_kind(ErrorKind::Unexplained);
            error.with_candidate(nearest(&path, names.flatten().chain(words)))
        }));
    }
    Ok(found)
}

const NOTHING: &str = "no key, no algorithm and no value has this name";

/// Explains a scheme from outside: first the scheme, then each of its keys.
pub fn explain_scheme(scheme: &Scheme) -> Vec<Explanation> {
    let family = scheme.family();
    let Some(variant) = Node::of_scheme(scheme.schema()).as_variant() else { return Vec::new() };
    let tag = CATALOGUE.iter().find(|entry| entry.family.as_deref() == Some(family.name()));
    let path = tag.map_or("", |entry| entry.path.rsplit_once('.').map_or("", |(path, _)| path));
    let own = explain_variant(variant.node, &variant, path);
    let mut entries = vec![Explanation { family: Some(family.name().to_owned()), ..own }];
    visit_keys(variant.node, path, Some(variant.spelling), Some(variant.tag), &mut entries);
    entries
}

/// Returns the error of a path whose table is known and has no such key; the nearest of the table's keys is its candidate.
fn unknown_key(all: &[Explanation], name: &str, path: &str) -> Option<ScenarioError> {
    let (table, key) = path.rsplit_once('.')?;
    let of_table = |entry: &Explanation| {
        let (its_table, its_key) = entry.name.rsplit_once('.')?;
        (entry.family.is_none() && its_table == table).then(|| its_key.to_owned())
    };
    let keys: BTreeSet<String> = all.iter().filter_map(of_table).collect();
    if keys.is_empty() {
        return None;
    }
    let keys = || keys.iter().map(String::as_str);
    let meant = nearest(key, keys()).map(|key| format!("{table}.{key}"));
    let remedy = format!("`{table}` has {}", keys().collect::<Vec<_>>().join(", "));
    let error = ScenarioError::at(name, NOTHING, remedy).of_kind(ErrorKind::UnknownKey);
    Some(error.with_candidate(meant.as_deref()))
}

/// This word at the keys that take it, but for those at which it is the name of an algorithm or a kind.
fn values(all: &[Explanation], word: &str) -> Vec<Explanation> {
    let end = |entry: &Explanation| entry.path.rsplit('.').next().map(str::to_owned);
    let named = |entry: &&Explanation| entry.family.is_some() && entry.name == word;
    let has_name = |key: &Explanation| all.iter().filter(named).any(|other| end(other) == end(key));
    let choice_of = |key: &Explanation| key.choices.iter().find(|choice| choice.name == word).cloned();
    let keys = all.iter().filter(|entry| entry.family.is_none() && !has_name(entry));
    keys.filter_map(|key| {
        let Choice { name, about } = choice_of(key)?;
        Some(Explanation {
            name,
            family: Some(if key.path == ROUTING_KEY { ROUTING } else { VALUE }.to_owned()),
            source: source(&about),
            about,
            symbol: None,
            default: None,
            required: false,
            choices: Vec::new(),
            keys: Vec::new(),
            ..key.clone()
        })
    })
    .collect()
}

/// A type that stands at several places is explained at the first.
fn without_repetitions(found: Vec<Explanation>) -> Vec<Explanation> {
    let mut told: Vec<Explanation> = Vec::new();
    for entry in found {
        let same = |other: &Explanation| {
            *other == Explanation { name: other.name.clone(), path: other.path.clone(), ..entry.clone() }
        };
        if !told.iter().any(same) {
            told.push(entry);
        }
    }
    told
}

/// `workload[1].load` as `workload.load`.
fn without_indices(path: &str) -> String {
    path.split('.').map(|part| part.split('[').next().unwrap_or(part)).collect::<Vec<_>>().join(".")
}

/// `transport.dctcp.payload` as `transport.payload`: what the user named is not part of a key's path.
fn without_user_names(path: &str) -> String {
    let mut kept = Vec::new();
    let mut node = Some(Node::root());
    for part in path.split('.') {
        match node.map(Node::shape) {
            Some(Shape::Map(values)) if values.child(part).is_none() => node = Some(values),
            Some(Shape::Map(values)) => {
                kept.push(part);
                node = values.child(part);
            }
            _ => {
                kept.push(part);
                node = node.and_then(|node| node.child(part));
            }
        }
    }
    kept.join(".")
}

/// Everything that can be explained, in the order of the scenario file.
static CATALOGUE: LazyLock<Vec<Explanation>> = LazyLock::new(|| {
    let mut entries = Vec::new();
    visit_inside(Node::root(), "", None, &mut entries);
    visit_inside(Node::fluid(), "fluid", None, &mut entries);
    let mut merged: Vec<Explanation> = Vec::new();
    let mut owners: Vec<Vec<String>> = Vec::new();
    for mut entry in entries {
        let of = take(&mut entry.of);
        let same = |other: &Explanation| {
            *other == entry
                || (other.family.is_some() && (&other.family, &other.name) == (&entry.family, &entry.name))
        };
        if let Some(place) = merged.iter().position(same) {
            owners[place].extend(of.into_iter().filter(|name| !name.is_empty()));
        } else {
            merged.push(entry);
            owners.push(of);
        }
    }
    for (entry, mut of) in merged.iter_mut().zip(owners) {
        let mut told = BTreeSet::new();
        of.retain(|name| told.insert(name.clone()));
        entry.of = of;
    }
    merged
});

/// Adds what can be written inside of a place; `of` is the kind or algorithm it belongs to.
fn visit_inside(node: Node, path: &str, of: Option<&str>, entries: &mut Vec<Explanation>) {
    match node.shape() {
        Shape::Table => visit_keys(node, path, of, None, entries),
        Shape::Tagged(mut variants) => {
            variants.retain(|variant| variant.node.text(ONLY_AT).is_none_or(|key| path.ends_with(key)));
            entries.push(explain_tag(node, &variants, path, of));
            for variant in &variants {
                entries.push(explain_variant(node, variant, path));
            }
            for variant in &variants {
                visit_keys(variant.node, path, Some(variant.spelling), Some(variant.tag), entries);
            }
        }
        Shape::Map(values) | Shape::List(values) => visit_inside(values, path, of, entries),
        Shape::Either(branches) => branches.iter().for_each(|node| visit_inside(*node, path, of, entries)),
        Shape::Choice(words) if node.family() == Some(chip::FAMILY) => {
            entries.extend(words.iter().map(|word| explain_word(*word, path)));
        }
        _ => {}
    }
}

/// A word that has a name of its own, such as a chip.
fn explain_word(word: Node, path: &str) -> Explanation {
    let name = word.text("const").unwrap_or_default().to_owned();
    Explanation { name, family: Some(chip::FAMILY.to_owned()), ..explain_key(word, path, None) }
}

fn visit_keys(table: Node, path: &str, of: Option<&str>, tag: Option<&str>, entries: &mut Vec<Explanation>) {
    for (key, node) in table.keys().filter(|(key, _)| Some(*key) != tag) {
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let mut explanation = explain_key(node, &path, of);
        explanation.required = table.is_required(key);
        entries.push(explanation);
        visit_inside(node, &path, of, entries);
    }
}

fn explain_key(node: Node, path: &str, of: Option<&str>) -> Explanation {
    let (about, symbol) = described(node);
    let choices = words(node).iter().filter_map(|word| choice(word.text("const")?, *word)).collect();
    Explanation {
        name: path.to_owned(),
        path: path.to_owned(),
        family: None,
        of: of.map(str::to_owned).into_iter().collect(),
        source: source(&about),
        about,
        symbol,
        takes: takes(node),
        default: written(node),
        required: false,
        choices,
        keys: match node.shape() {
            Shape::Table => keys_of(node, path, None),
            Shape::List(items) if matches!(items.shape(), Shape::Table) => keys_of(items, path, None),
            _ => Vec::new(),
        },
    }
}

/// The words that a key takes, by itself or in a list.
fn words(node: Node) -> Vec<Node> {
    match node.shape() {
        Shape::Choice(words) => words,
        Shape::List(items) => words(items),
        _ => Vec::new(),
    }
}

fn explain_tag(node: Node, variants: &[Variant], path: &str, of: Option<&str>) -> Explanation {
    let tag = variants.first().map_or("kind", |variant| variant.tag);
    let path = format!("{path}.{tag}");
    let choices = variants.iter().filter_map(|variant| choice(variant.spelling, variant.node)).collect();
    let about = node.type_description().unwrap_or_default().to_owned();
    let words = super::words::choices(variants.iter().map(|variant| variant.spelling));
    let described =
        Explanation { about, takes: words, default: None, choices, ..explain_key(node, &path, of) };
    Explanation { required: true, keys: Vec::new(), ..described }
}

fn explain_variant(family: Node, variant: &Variant, path: &str) -> Explanation {
    Explanation {
        name: variant.spelling.to_owned(),
        path: format!("{path}.{}", variant.tag),
        family: family.family().map(str::to_owned),
        takes: format!("{} = \"{}\"", variant.tag, variant.spelling),
        keys: keys_of(variant.node, path, Some(variant.tag)),
        ..explain_key(variant.node, path, None)
    }
}

/// The keys of a table without what is inside of them.
fn keys_of(table: Node, path: &str, tag: Option<&str>) -> Vec<Explanation> {
    let keys = table.keys().filter(|(key, _)| Some(*key) != tag);
    let explained = keys.map(|(key, node)| {
        let required = table.is_required(key);
        Explanation { required, keys: Vec::new(), ..explain_key(node, &format!("{path}.{key}"), None) }
    });
    explained.collect()
}

fn choice(name: &str, node: Node) -> Option<Choice> {
    let about = node.text("description")?;
    Some(Choice { name: name.to_owned(), about: sentence(&one_line(about)).to_owned() })
}

/// A place's description without the symbol, which stands in brackets before a full stop or a semicolon, and the symbol.
fn described(node: Node) -> (String, Option<String>) {
    let text = one_line(node.text("description").unwrap_or_default());
    let bracketed = text.find("].").into_iter().chain(text.find("];")).min().and_then(|end| {
        let (about, symbol) = text[..end].rsplit_once(" [")?;
        Some((format!("{about}{}", &text[end + 1..]), symbol.replace('`', "")))
    });
    bracketed.map_or((text, None), |(about, symbol)| (about, Some(symbol)))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A default as TOML; that of a table of plain keys is told key by key.
pub(super) fn written(node: Node) -> Option<String> {
    let value = toml::Value::try_from(node.keyword("default")?).ok()?;
    let is_told = !value.is_table() || matches!(node.shape(), Shape::Tagged(_));
    is_told.then(|| value.to_string())
}

/// The first sentence of a text; full stops within brackets do not end one.
fn sentence(text: &str) -> &str {
    let mut depth = 0;
    for (index, character) in text.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '.' if depth == 0 && text[index + 1..].starts_with(' ') => {
                let next = text[index + 2..].chars().next();
                if next.is_some_and(|next| next.is_uppercase() || next == '`') {
                    return &text[..=index];
                }
            }
            _ => {}
        }
    }
    text
}

/// A description's first sentence as part of another: `Name of the transport.` as `name of the transport`.
pub(super) fn phrase(description: &str) -> String {
    let text = one_line(description);
    let sentence = sentence(&text).trim_end_matches('.');
    let bare = sentence.split(" [").next().unwrap_or(sentence);
    let mut characters = bare.chars();
    let first = characters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    first + characters.as_str()
}

/// The first bracket that holds a year or an RFC.
fn source(text: &str) -> Option<String> {
    let brackets = text.split('(').skip(1).filter_map(|rest| rest.split(')').next());
    let is_source = |text: &&str| {
        let year = text.as_bytes().windows(4).any(|digits| digits.iter().all(u8::is_ascii_digit));
        year || text.contains("RFC ")
    };
    brackets.into_iter().find(is_source).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::{Topology, Transport, Workload};
    use super::*;

    fn only(name: &str) -> Explanation {
        let found = explain(name).unwrap();
        assert_eq!(found.len(), 1, "{found:#?}");
        found[0].clone()
    }

    #[test]
    fn a_key_is_explained_with_unit_default_and_symbol() {
        let alphas = explain("switch[0].buffer.alpha").unwrap();
        let alpha = &alphas[0];
        assert_eq!(alpha.name, "switch.buffer.alpha");
        assert_eq!(alpha.of, ["dynamic_threshold"]);
        assert_eq!(alpha.symbol.as_deref(), Some("alpha"));
        assert_eq!(alpha.default.as_deref(), Some("1"));
        assert_eq!(alpha.takes, "a number, or a fraction such as \"1/16\", above 0");
        let gains = explain("transport.dctcp.congestion_control.gain").unwrap();
        let gain = gains.into_iter().find(|gain| gain.of == ["dctcp"]).unwrap();
        assert_eq!((gain.symbol.as_deref(), gain.default.as_deref()), (Some("g"), Some("\"1/16\"")));
        let counter = only("congestion_control.byte_counter");
        assert_eq!(counter.symbol.as_deref(), Some("B"));
        assert!(counter.about.starts_with("Bytes sent from one increase by the byte counter to the next;"));
        assert_eq!(only("congestion_control.fast_recovery").symbol.as_deref(), Some("F"));
        let total = only("switch.total");
        assert_eq!(total.default.as_deref(), Some("\"16MB\""));
        assert!(!total.required);
        let buffer = only("switch.buffer");
        assert_eq!(buffer.default.as_deref(), Some("{ policy = \"dynamic_threshold\", alpha = 1 }"));
        assert!(only("topology.leaves").required);
    }

    #[test]
    fn tables_of_a_list_are_explained_with_their_keys() {
        let keys: Vec<String> = only("link_event").keys.into_iter().map(|key| key.name).collect();
        assert_eq!(keys[..2], ["link_event.at", "link_event.between"]);
        let rate = only("slow_receiver.rate");
        assert_eq!(rate.symbol, None);
    }

    #[test]
    fn a_key_that_several_kinds_share_is_explained_once() {
        let of = ["poisson", "long_lived", "incast", "permutation", "query", "collective"];
        let priorities = explain("workload.priority").unwrap();
        assert_eq!(
            priorities.iter().map(|priority| &*priority.of).collect::<Vec<_>>(),
            [&of[..], &["driven"]]
        );
        let gains = explain("congestion_control.gain").unwrap();
        assert!(gains.iter().any(|gain| gain.of == ["power_tcp", "theta_power_tcp"]), "each once");
    }

    #[test]
    fn an_algorithm_is_explained_from_the_head_of_its_file() {
        let found = explain("dctcp").unwrap();
        let families: Vec<_> = found.iter().map(|found| found.family.as_deref()).collect();
        assert_eq!(families, [Some("congestion_control"), Some("fluid")]);
        let dctcp = &found[0];
        assert_eq!(dctcp.path, "transport.congestion_control.algorithm");
        assert_eq!(dctcp.source.as_deref(), Some("Alizadeh et al., SIGCOMM 2010; RFC 8257"));
        assert!(dctcp.about.starts_with("DCTCP: cuts the window"));
        assert!(only("cubic").about.contains("Left out: "));
        let keys: Vec<_> = dctcp.keys.iter().map(|key| key.name.as_str()).collect();
        let expected = ["gain", "initial_alpha", "estimate", "halves_on_every_loss", "echo"]
            .map(|key| format!("transport.congestion_control.{key}"));
        assert_eq!(keys, expected);
    }

    #[test]
    fn what_only_one_key_takes_is_explained_there() {
        let bcc = only("bcc");
        assert_eq!(bcc.path, "switch.marking.pool.kind");
        assert!(bcc.keys.iter().all(|key| key.name.starts_with("switch.marking.pool.")), "{:#?}", bcc.keys);
        assert!(explain("host.marking.lambda").is_err());
        let of_queues = only("switch.marking.queue.kind");
        assert!(of_queues.choices.iter().all(|choice| choice.name != "bcc"));
    }

    #[test]
    fn a_tag_is_explained_by_what_it_chooses_among() {
        let policy = only("switch.buffer.policy");
        assert!(policy.takes.starts_with("\"complete_sharing\" or \"static_partition\" or "));
        assert_eq!(policy.choices.len(), crate::switch::buffer_policy::Parameters::NAMES.len());
        assert!(policy.required);
    }

    #[test]
    fn the_end_of_a_path_is_enough() {
        assert_eq!(only("minimum_rto").name, "transport.minimum_rto");
        assert_eq!(only("segmentation_offload").name, "host.segmentation_offload");
        let threshold: Vec<_> = explain("threshold").unwrap().into_iter().map(|found| found.path).collect();
        assert_eq!(
            threshold,
            [
                "switch.marking.queue.kind",
                "switch.buffer.threshold",
                "switch.marking.queue.threshold",
                "fluid.threshold"
            ]
        );
    }

    #[test]
    fn a_chip_is_explained_by_what_it_has() {
        let tomahawk = only("tomahawk");
        assert_eq!((tomahawk.path.as_str(), tomahawk.family.as_deref()), ("switch.chip", Some("chip")));
        assert!(
            tomahawk.about.starts_with("32 ports of 100Gbps, 16MiB in 4 MMUs: 5.12 KiB per port per Gbps")
        );
        assert_eq!(only("switch.chip").choices.len(), super::super::chips().len());
    }

    #[test]
    fn a_word_is_explained_where_a_key_takes_it() {
        let ring = only("ring");
        assert_eq!((ring.path.as_str(), ring.family.as_deref()), ("workload.algorithm", Some("value")));
        assert_eq!(ring.of, ["collective"]);
        assert!(ring.about.starts_with("Every rank sends to the next one"), "{}", ring.about);
        let paths = |name| explain(name).unwrap().into_iter().map(|found| found.path).collect::<Vec<_>>();
        assert_eq!(paths("drop"), ["pfc.watchdog.action"]);
        assert_eq!(explain("ringg").unwrap_err().to_string().matches("`ring`").count(), 1);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let problem = |name| explain(name).unwrap_err().to_string();
        let nothing = "no key, no algorithm and no value has this name";
        assert_eq!(problem("dctpc"), format!("dctpc: {nothing}; did you mean `dctcp`? see `xoff list`"));
        assert_eq!(
            problem("switch.bufer.alpha"),
            format!("switch.bufer.alpha: {nothing}; did you mean `switch.buffer.alpha`? see `xoff list`")
        );
        assert_eq!(
            problem("transport.mine.recovery.nack"),
            format!(
                "transport.mine.recovery.nack: {nothing}; did you mean `transport.recovery.nack_interval`? \
                 `transport.recovery` has few_packets, kind, nack_interval, reordering, timeout, timeout_high, timeout_low, \
                 timeouts_with_pfc, window"
            )
        );
    }

    #[test]
    fn everything_is_listed_by_family_with_one_sentence() {
        let list = list();
        let of = |family: &str| {
            let names = list.iter().filter(|listing| listing.family == family);
            names.map(|listing| listing.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(of("topology"), Topology::NAMES);
        assert_eq!(of("buffer_policy"), crate::switch::buffer_policy::Parameters::NAMES);
        assert_eq!(of("marking"), crate::switch::marking::Parameters::NAMES);
        assert_eq!(of("transport"), Transport::NAMES);
        assert_eq!(of("congestion_control"), crate::congestion_control::Parameters::NAMES);
        assert_eq!(of("workload"), Workload::NAMES);
        assert_eq!(of("routing"), ["ecmp", "packet_spraying", "adaptive", "flowlet", "adaptive_flowlet"]);
        assert!(list.iter().all(|listing| listing.about.ends_with('.') && !listing.about.contains('\n')));
    }

    #[test]
    fn everything_that_is_listed_is_explained_by_its_bare_name() {
        for Listing { name, family, .. } in list() {
            let found = explain(&name).unwrap();
            let is_it = |entry: &Explanation| entry.name == name && entry.family.as_ref() == Some(&family);
            assert!(found.iter().any(is_it), "{family} {name}");
        }
    }

    #[test]
    fn a_sentence_ends_at_a_stop_outside_of_brackets() {
        assert_eq!(sentence("One (Trans. Comm. 1978). Two."), "One (Trans. Comm. 1978).");
        assert_eq!(phrase("Name of it [K_min]. Left out, none."), "name of it");
        assert_eq!(source("RED (DCQCN, SIGCOMM 2015). Left (1993)."), Some("DCQCN, SIGCOMM 2015".to_owned()));
    }
}
