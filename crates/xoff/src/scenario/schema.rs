//! The JSON Schema of scenarios, made from the structs, and a way to walk it; that of fluid models likewise.
//! Reading, explaining and listing all walk this one description, so a key is described once: in its struct.
//!
//! Beside the standard keywords it has: `x-quantity` (a number with a unit, or a ratio), `x-at-least` and `x-above`
//! (a least quantity), `x-at-least-key` and `x-above-key` (the same, from a neighbouring key), `x-increasing`.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::Scenario;
use crate::fluid;
use crate::tagged;

static SCENARIO: LazyLock<Value> = LazyLock::new(of::<Scenario>);
static FLUID: LazyLock<Value> = LazyLock::new(of::<FluidModel>);

/// Fluid models as part of a schema, so that they are found and explained like keys of scenarios.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct FluidModel {
    /// A fluid model.
    fluid: fluid::Parameters,
}

/// The JSON Schema of a scenario.
pub fn schema() -> Value {
    SCENARIO.clone()
}

/// The JSON Schema of a table `fluid` with a model's parameters.
pub fn fluid_schema() -> Value {
    FLUID.clone()
}

fn of<T: JsonSchema>() -> Value {
    tagged::plain(schemars::schema_for!(T).to_value())
}

/// One place in the schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The schema it stands in.
    document: &'static Value,
    own: &'static Map<String, Value>,
    /// Target of `$ref`, or the node itself.
    referred: &'static Map<String, Value>,
}

/// Shapes of the places in a scenario.
pub(super) enum Shape {
    /// A number with a unit, or a ratio; the name of its type.
    Quantity(&'static str),
    /// A table with these keys.
    Table,
    /// A table whose tag key names one of the variants.
    Tagged(Vec<Variant>),
    /// A table of tables by names of the user's choice, or by quantities.
    Map(Node),
    /// A list.
    List(Node),
    /// One of these words.
    Choice(Vec<Node>),
    /// One of several shapes.
    Either(Vec<Node>),
    /// A whole number, a number, text, or true or false.
    Plain(&'static str),
}

/// One variant of a tagged table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variant {
    /// The tag key.
    pub(super) tag: &'static str,
    /// Value of the tag for this variant.
    pub(super) spelling: &'static str,
    /// The table, tag included.
    pub(super) node: Node,
}

/// The name of the type that a schema refers to.
fn definition(schema: &'static Map<String, Value>) -> Option<&'static str> {
    schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/$defs/"))
}

impl Node {
    /// A scenario.
    pub(super) fn root() -> Self {
        Self::at(&SCENARIO, &SCENARIO)
    }

    /// The parameters of a fluid model.
    pub(super) fn fluid() -> Self {
        Self::at(&FLUID, &FLUID["properties"]["fluid"])
    }

    /// Returns the root of another file's JSON Schema, which the process keeps from then on: there are a few such files.
    pub(super) fn of_other(schema: Value) -> Self {
        let document = &*Box::leak(Box::new(tagged::plain(schema)));
        Self::at(document, document)
    }

    /// A scheme from outside, as a variant of its family.
    pub(super) fn of_scheme(schema: &'static Value) -> Self {
        Self::at(schema, schema)
    }

    fn at(document: &'static Value, schema: &'static Value) -> Self {
        static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        let own = schema.as_object().unwrap_or(&NOTHING);
        let target = definition(own).and_then(|name| document["$defs"].get(name));
        Self { document, own, referred: target.and_then(Value::as_object).unwrap_or(own) }
    }

    /// Another place of the same document.
    fn elsewhere(self, schema: &'static Value) -> Self {
        Self::at(self.document, schema)
    }

    /// A keyword of this place, or of the type it refers to.
    pub(super) fn keyword(self, name: &str) -> Option<&'static Value> {
        self.own.get(name).or_else(|| self.referred.get(name))
    }

    pub(super) fn text(self, keyword: &str) -> Option<&'static str> {
        self.keyword(keyword).and_then(Value::as_str)
    }

    /// The description of the type, not of the key that has it.
    pub(super) fn type_description(self) -> Option<&'static str> {
        self.referred.get("description").and_then(Value::as_str)
    }

    /// The family, for the enums whose variants are listed by family.
    pub(super) fn family(self) -> Option<&'static str> {
        definition(self.own)
    }

    /// The keys of a table, in the order of its struct.
    pub(super) fn keys(self) -> impl Iterator<Item = (&'static str, Self)> {
        let properties = self.properties().into_iter().flatten();
        properties.map(move |(key, schema)| (key.as_str(), self.elsewhere(schema)))
    }

    pub(super) fn key(self, name: &str) -> Option<Self> {
        self.properties()?.get(name).map(|schema| self.elsewhere(schema))
    }

    fn properties(self) -> Option<&'static Map<String, Value>> {
        self.referred.get("properties").and_then(Value::as_object)
    }

    pub(super) fn is_required(self, key: &str) -> bool {
        let required = self.referred.get("required").and_then(Value::as_array);
        required.is_some_and(|keys| keys.iter().any(|name| name == key))
    }

    pub(super) fn shape(self) -> Shape {
        let nodes = |keyword| {
            let list = self.referred.get(keyword).and_then(Value::as_array);
            list.map(|list| list.iter().map(|schema| self.elsewhere(schema)).collect::<Vec<_>>())
        };
        if let Some(name) = self.text("x-quantity") {
            return Shape::Quantity(name);
        }
        if let Some(branches) = nodes("oneOf") {
            let variants: Vec<_> = branches.iter().filter_map(|node| node.as_variant()).collect();
            return if variants.is_empty() { Shape::Choice(branches) } else { Shape::Tagged(variants) };
        }
        if let Some(branches) = nodes("anyOf") {
            return Shape::Either(branches);
        }
        match self.text("type") {
            Some("object") => match self.referred.get("additionalProperties") {
                Some(values @ Value::Object(_)) => Shape::Map(self.elsewhere(values)),
                _ => Shape::Table,
            },
            Some("array") => Shape::List(self.elsewhere(&self.referred["items"])),
            name => Shape::Plain(name.unwrap_or("string")),
        }
    }

    /// Returns the shape of a map's names, where they are not of the user's choice.
    pub(super) fn names(self) -> Option<Self> {
        self.referred
            .get("propertyNames")
            .or_else(|| self.own.get("propertyNames"))
            .map(|schema| self.elsewhere(schema))
    }

    /// The variant of a tagged table that this node is, if it is one.
    pub(super) fn as_variant(self) -> Option<Variant> {
        self.keys().find_map(|(tag, node)| Some(Variant { tag, spelling: node.text("const")?, node: self }))
    }

    /// The tag key of a tagged table.
    pub(super) fn tag(self) -> Option<&'static str> {
        match self.shape() {
            Shape::Tagged(variants) => variants.first().map(|variant| variant.tag),
            _ => None,
        }
    }

    /// Returns the place to which `name` leads, through lists and variants; of several one that has kinds of its own,
    /// if there is one.
    pub(super) fn child(self, name: &str) -> Option<Self> {
        match self.shape() {
            Shape::Table => self.key(name),
            Shape::Tagged(variants) => {
                let mut found = variants.iter().filter_map(|variant| variant.node.key(name));
                found.clone().find(|node| node.tag().is_some()).or_else(|| found.next())
            }
            Shape::Map(values) => Some(values),
            Shape::List(items) => items.child(name),
            Shape::Either(branches) => branches.iter().find_map(|branch| branch.child(name)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_described() {
        fn visit(node: Node, path: &str) {
            let tables = match node.shape() {
                Shape::Table => vec![node],
                Shape::Tagged(variants) => variants.iter().map(|variant| variant.node).collect(),
                Shape::Map(values) | Shape::List(values) => return visit(values, path),
                Shape::Either(branches) => return branches.iter().for_each(|branch| visit(*branch, path)),
                _ => vec![],
            };
            for (key, child) in tables.iter().flat_map(|table| table.keys()) {
                let described = child.own.contains_key("description") || child.own.contains_key("const");
                assert!(described, "{path}.{key} has no doc comment");
                visit(child, &format!("{path}.{key}"));
            }
        }
        visit(Node::root(), "");
        visit(Node::fluid(), "fluid");
    }

    #[test]
    fn defaults_stand_in_the_schema() {
        let tcp = Node::root().child("transport").and_then(|node| node.child("dctcp")).unwrap();
        assert_eq!(tcp.child("payload").unwrap().text("default"), Some("1460B"));
        let total = Node::root().child("switch").and_then(|node| node.child("total")).unwrap();
        assert_eq!(total.text("default"), Some("16MB"));
    }

    #[test]
    fn a_scenario_knows_no_null() {
        assert!(!schema().to_string().contains("null"));
    }
}
