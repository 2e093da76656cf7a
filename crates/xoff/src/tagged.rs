//! Tables that name their kind: `{ kind = "red", minimum = ... }` becomes the variant `Red` with its own keys.
//! The schema of such an enum lists each variant with all its keys, so that whatever reads the schema sees one table.

pub(crate) mod outside;

use schemars::Schema;
use serde_json::{Map, Value, json};

/// Declares an enum that is read from a table whose tag key names the variant.
///
/// Each variant is described by the head of its file in the named folder (`in "marking"`), or, where the list says
/// `documented by type`, by the doc comment of its settings. A family that is `open to` a trait has one variant more, for
/// schemes from outside of this crate.
#[macro_export]
#[doc(hidden)]
macro_rules! tagged {
    ($(#[doc = $doc:literal])* pub enum $enum:ident by $tag:literal documented by type {
        $($spelling:ident => $name:ident($settings:ty),)*
    }) => {
        $crate::tagged! { @declare [$($doc)*] $enum $tag [] $($spelling $name [$settings] [None])* }
    };
    ($(#[doc = $doc:literal])* pub enum $enum:ident by $tag:literal in $folder:literal $(open to $outside:ty)? {
        $($spelling:ident => $name:ident($settings:ty),)*
    }) => {
        $crate::tagged! { @declare [$($doc)*] $enum $tag [$($outside)?]
            $($spelling $name [$settings] [Some(include_str!(concat!($folder, "/", stringify!($spelling), ".rs")))])* }
    };
    (@declare [$($doc:literal)*] $enum:ident $tag:literal [$($outside:ty)?]
        $($spelling:ident $name:ident [$settings:ty] [$source:expr])*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize)]
        #[serde(tag = $tag, rename_all = "snake_case")]
        #[allow(missing_docs)]
        pub enum $enum {
            $($name($settings),)*
            $(
                /// Scheme from outside of this crate.
                #[serde(untagged)]
                Outside($crate::tagged::outside::Outside<$outside>),
            )?
        }

        impl $enum {
            /// The spellings of the tag, in the order of the list.
            pub const NAMES: &[&str] = &[$(stringify!($spelling)),*];
            /// The spelling of this variant's tag.
            pub fn spelling(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => stringify!($spelling),)*
                    $(Self::Outside(outside) => <$crate::tagged::outside::Outside<$outside>>::name(outside),)?
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $enum {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut table = serde_json::Map::deserialize(deserializer)?;
                let tag = table.remove($tag);
                $(
                    let name = tag.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
                    if !Self::NAMES.contains(&name) {
                        let family = $crate::tagged::family(module_path!());
                        let read = <$crate::tagged::outside::Outside<$outside>>::read(family, name, &table);
                        if let Some(outside) = read.map_err(serde::de::Error::custom)? {
                            return Ok(Self::Outside(outside));
                        }
                    }
                )?
                let settings = serde_json::Value::Object(table);
                match tag.as_ref().and_then(serde_json::Value::as_str) {
                    $(Some(stringify!($spelling)) => serde_json::from_value(settings).map(Self::$name),)*
                    _ => Err(serde::de::Error::custom(format_args!("expected `{}`, one of {:?}", $tag, Self::NAMES))),
                }
                .map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $enum {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $crate::tagged::family(module_path!()).into()
            }
            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($enum)).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let variants = vec![$({
                    let settings = <$settings as schemars::JsonSchema>::json_schema(generator);
                    $crate::tagged::variant($tag, stringify!($spelling), $source, &settings)
                },)*];
                $crate::tagged::schema(concat!($($doc, "\n"),*), variants)
            }
        }
    };
}

/// The family an enum belongs to: the last part of its module's path.
pub(crate) fn family(module_path: &'static str) -> &'static str {
    module_path.rsplit("::").next().unwrap_or(module_path)
}

/// The `//!` lines a file begins with.
fn head(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(str::trim).collect::<Vec<_>>().join("\n")
}

/// The schema of one variant: the keys of its settings, and before them the tag.
pub(crate) fn variant(tag: &str, spelling: &str, source: Option<&str>, settings: &Schema) -> Value {
    let settings = settings.as_value();
    let about = source.map_or_else(|| settings["description"].clone(), |source| head(source).into());
    let mut properties = Map::new();
    properties.insert(tag.to_owned(), json!({ "type": "string", "const": spelling }));
    properties.extend(settings["properties"].as_object().cloned().unwrap_or_default());
    let mut required = vec![json!(tag)];
    required.extend(settings["required"].as_array().cloned().unwrap_or_default());
    let mut variant = json!({
        "description": about,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if let Some(key) = settings.get(ONLY_AT) {
        variant[ONLY_AT] = key.clone();
    }
    variant
}

/// In the schema of a variant the only key that takes it, where not all do that take the others.
pub(crate) const ONLY_AT: &str = "x-only-at";

/// The schema of an enum of such variants.
pub(crate) fn schema(about: &str, variants: Vec<Value>) -> Schema {
    let mut schema = Schema::default();
    let lines = about.lines().map(str::trim).collect::<Vec<_>>();
    schema.insert("description".to_owned(), lines.join("\n").into());
    schema.insert("oneOf".to_owned(), Value::Array(variants));
    schema
}

/// Returns a schema without null: a key that is optional may be left out.
pub(crate) fn plain(schema: Value) -> Value {
    let mut schema = without_null(schema);
    optional_keys(&mut schema);
    schema
}

/// TOML has no null: what is null is left out.
pub(crate) fn without_null(mut value: Value) -> Value {
    match &mut value {
        Value::Object(object) => {
            object.retain(|_, value| !value.is_null());
            object.values_mut().for_each(|value| *value = without_null(value.take()));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| *value = without_null(value.take())),
        _ => {}
    }
    value
}

/// An optional key is one that may be left out, not one that may be null.
fn optional_keys(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                let first = types.iter().find(|name| *name != "null").cloned();
                object.insert("type".to_owned(), first.unwrap_or_default());
            }
            if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
                branches.retain(|branch| branch["type"] != "null");
                if let [only] = &branches[..] {
                    let only = only.as_object().cloned().unwrap_or_default();
                    object.shift_remove("anyOf");
                    object.extend(only);
                }
            }
            object.values_mut().for_each(optional_keys);
        }
        Value::Array(values) => values.iter_mut().for_each(optional_keys),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_described_by_its_head() {
        assert_eq!(head("//! One.\n//! Two.\n\nuse a;\n//! Three."), "One.\nTwo.");
    }

    #[test]
    fn a_family_is_named_after_its_folder() {
        assert_eq!(family("xoff::switch::buffer_policy"), "buffer_policy");
    }
}
