//! Laws of reading and writing, over scenarios made at random from the schema itself.
//! What is added to a struct or a family is in the schema, and so in these tests.

use proptest::prelude::*;
use rand_core::Rng as _;
use toml::{Table, Value};

use super::schema::{Node, Shape};
use super::{Scenario, conform};
use crate::kernel::rng::{Purpose, Rng, stream};
use crate::reading::from_value;

/// Makes values that conform to the schema, but for a share of junk.
struct Generator {
    rng: Rng,
    /// One value in this many is junk; 0 for none.
    junk: u64,
}

impl Generator {
    fn new(seed: u64, junk: u64) -> Self {
        Self { rng: stream(seed, Purpose::Marking, 0), junk }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.rng.next_u64() % bound
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }

    fn value(&mut self, node: Node) -> Value {
        if self.junk > 0 && self.below(self.junk) == 0 {
            return self.junk();
        }
        match node.shape() {
            Shape::Quantity(kind) => Value::String(self.quantity(kind).to_owned()),
            Shape::Table => self.table(node).into(),
            Shape::Tagged(variants) => {
                let variant = self.pick(&variants);
                self.table(variant.node).into()
            }
            Shape::Map(values) => {
                let names = if node.names().is_some() { ["2.5Gbps", "100Gbps"] } else { ["a", "b"] };
                let entries = names.map(|name| (name.to_owned(), self.value(values)));
                Table::from_iter(entries).into()
            }
            Shape::List(items) => {
                let exactly = node.keyword("maxItems").and_then(serde_json::Value::as_u64);
                let count = exactly.unwrap_or_else(|| 1 + self.below(2));
                (0..count).map(|_| self.value(items)).collect::<Vec<_>>().into()
            }
            Shape::Choice(words) => self.pick(&words).text("const").unwrap_or_default().into(),
            Shape::Either(branches) => {
                let branch = self.pick(&branches);
                self.value(branch)
            }
            Shape::Plain(name) => self.plain(node, name),
        }
    }

    fn table(&mut self, node: Node) -> Table {
        let mut table = Table::new();
        for (key, child) in node.keys() {
            let value = match child.text("const") {
                Some(tag) => tag.into(),
                None if node.is_required(key) || self.below(2) == 0 => self.value(child),
                None => continue,
            };
            table.insert(key.to_owned(), value);
        }
        if self.junk > 0 && self.below(self.junk) == 0 {
            table.insert("stranger".to_owned(), self.junk());
        }
        table
    }

    fn quantity(&mut self, kind: &str) -> &'static str {
        match kind {
            "Span" => self.pick(&["1ps", "18us", "2.5 ms", "60s"]),
            "Bytes" => self.pick(&["1B", "720kB", "3MiB", "1.5GB"]),
            "Rate" => self.pick(&["1bps", "2.5Gbps", "100Gbps", "1.6Tbps"]),
            "Every" => self.pick(&["change", "10us"]),
            _ => self.pick(&["1/16", "0.5", "1", "1/3"]),
        }
    }

    fn plain(&mut self, node: Node, name: &str) -> Value {
        let bound = |keyword| node.keyword(keyword).and_then(serde_json::Value::as_i64);
        match name {
            "integer" => {
                let (least, most) = (bound("minimum").unwrap_or(0), bound("maximum").unwrap_or(1000));
                let number = least + self.below((most - least + 1) as u64).cast_signed();
                Value::Integer(number - number % bound("multipleOf").unwrap_or(1))
            }
            "number" => self.pick(&[Value::Float(0.1), Value::Float(0.9), Value::Integer(1)]),
            "boolean" => Value::Boolean(self.below(2) == 0),
            _ => self.pick(&["", "a", "leaf*", "a \"quoted\"\nname"]).into(),
        }
    }

    fn junk(&mut self) -> Value {
        self.pick(&[
            Value::Integer(-1),
            Value::Integer(i64::MAX),
            Value::Float(f64::NAN),
            Value::Float(-0.5),
            Value::Boolean(true),
            Value::from(""),
            Value::from("1Gbps"),
            Value::from("99999999999Gbps"),
            Value::from("1e3s"),
            Value::Array(vec![]),
            Value::Table(Table::new()),
        ])
    }
}

fn generated(seed: u64, junk: u64) -> Table {
    Generator::new(seed, junk).table(Node::root())
}

proptest! {
    #![proptest_config(crate::cases::cases(256))]

    #[test]
    fn a_resolved_scenario_reads_back_the_same(seed: u64) {
        let table = generated(seed, 0);
        // Bounds between keys are the one thing the generator does not heed.
        prop_assume!(conform::check(Node::root(), &table.clone().into(), "").is_ok());
        let scenario = Scenario::from_table(table).unwrap();
        let text = scenario.to_toml();
        let again = Scenario::from_table(text.parse().unwrap());
        prop_assert_eq!(again.as_ref(), Ok(&scenario), "{}", text);
        prop_assert_eq!(again.unwrap().to_toml(), text);
    }

    /// So no error is left to serde, which knows neither the key nor the words.
    #[test]
    fn what_conforms_to_the_schema_can_be_read(seed: u64, junk in 5u64..100) {
        let value = Value::from(generated(seed, junk));
        if conform::check(Node::root(), &value, "").is_ok() {
            prop_assert!(from_value::<Scenario>(value.clone()).is_ok(), "{:?}", value);
        }
    }

    #[test]
    fn whatever_is_typed_is_answered_and_never_panics(text: String, key in "[a-z.\\[\\]0-9=]{0,20}", value: String) {
        let _ = Scenario::from_toml(&text, &[]);
        let change = format!("{key}={value}");
        let table = generated(1, 0);
        if let Err(error) = Scenario::from_value(&table, &[change]) {
            prop_assert!(!error.key.is_empty() && !error.problem.is_empty() && !error.expected().is_empty());
            prop_assert!(!error.to_string().contains('\n'));
        }
    }
}

#[test]
fn most_generated_scenarios_conform() {
    let conforming = (0..200).filter(|seed| Scenario::from_table(generated(*seed, 0)).is_ok());
    assert!(conforming.count() > 20);
}
