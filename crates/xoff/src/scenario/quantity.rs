//! Quantities as a scenario spells them: a number and its unit in one string, `"100Gbps"`, `"1us"`, `"720kB"`, `"3MiB"`.

use std::borrow::Cow;
use std::fmt::Display;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Value;

use super::words::shown;
use super::{ClassNumber, Every};
use crate::kernel::units::{Bytes, Rate, Ratio, Span};

/// Dimension of a quantity, with its units from the smallest to the largest: a name, and its number of base units.
struct Dimension {
    what: &'static str,
    units: &'static [(&'static str, u64)],
    /// The unit that zero is written in.
    zero: &'static str,
    /// The most that may be written, such that what all ports and hops come to still fits.
    most: u64,
    example: &'static str,
}

/// The latest time that may be written, in picoseconds.
pub const MOST_PICOSECONDS: u64 = 100_000_000_000_000_000;
/// The largest size that may be written.
pub const MOST_BYTES: u64 = 1 << 48;

const TIME: Dimension = Dimension {
    what: "a time",
    units: &[("ps", 1), ("ns", 1_000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)],
    zero: "s",
    most: MOST_PICOSECONDS,
    example: "1us",
};
const SIZE: Dimension = Dimension {
    what: "a size",
    units: &[
        ("B", 1),
        ("kB", 1_000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("GiB", 1 << 30),
    ],
    zero: "B",
    most: MOST_BYTES,
    example: "720kB",
};
const RATE: Dimension = Dimension {
    what: "a rate",
    units: &[
        ("bps", 1),
        ("kbps", 1_000),
        ("Mbps", 1_000_000),
        ("Gbps", 1_000_000_000),
        ("Tbps", 1_000_000_000_000),
    ],
    zero: "bps",
    most: 1_000_000_000_000_000,
    example: "100Gbps",
};
const DIMENSIONS: [&Dimension; 3] = [&TIME, &SIZE, &RATE];

impl Dimension {
    fn unit_names(&self) -> String {
        self.units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    fn expected(&self) -> String {
        format!("{} with its unit ({}), such as \"{}\"", self.what, self.unit_names(), self.example)
    }

    /// The number of base units, or what is wrong with the text.
    fn parse(&self, text: &str) -> Result<u64, String> {
        let text = text.trim();
        let split = text.find(char::is_alphabetic).unwrap_or(text.len());
        let (number, unit) = (text[..split].trim(), text[split..].trim());
        if unit.is_empty() {
            return Err(format!("\"{text}\" has no unit"));
        }
        let Some((_, scale)) = self.units.iter().find(|(name, _)| *name == unit) else {
            let other = DIMENSIONS.iter().find(|other| other.units.iter().any(|(name, _)| *name == unit));
            return Err(match other {
                Some(other) => format!("\"{text}\" is {}, not {}", other.what, self.what),
                None => format!("\"{text}\" has an unknown unit \"{unit}\""),
            });
        };
        if number.starts_with('-') {
            return Err(format!("\"{text}\" is negative"));
        }
        match scaled(number, *scale) {
            Ok(value) if value <= self.most => Ok(value),
            Ok(_) | Err(Fault::TooLarge) => {
                Err(format!("\"{text}\" is too large: at most {}", self.write(self.most)))
            }
            Err(Fault::NoNumber) => Err(format!("\"{text}\" has no number before its unit")),
            Err(Fault::Fraction) => Err(format!("\"{text}\" is not a whole number of {}", self.units[0].0)),
        }
    }

    fn read(&self, value: &Value) -> Result<u64, String> {
        match value {
            Value::String(text) => self.parse(text),
            Value::Integer(_) | Value::Float(_) => Err(format!("{value} has no unit")),
            other => Err(format!("{} is not {}", shown(other), self.what)),
        }
    }

    fn write(&self, value: u64) -> String {
        if value == 0 {
            return format!("0{}", self.zero);
        }
        let (name, scale) =
            self.units.iter().rev().find(|(_, scale)| value.is_multiple_of(*scale)).unwrap_or(&self.units[0]);
        format!("{}{name}", value / scale)
    }
}

/// Reasons why a decimal number times a scale is not a number of base units.
#[derive(Debug, PartialEq)]
enum Fault {
    NoNumber,
    Fraction,
    TooLarge,
}

/// `number` times `scale`, where `number` may have a decimal point but the product may not.
fn scaled(number: &str, scale: u64) -> Result<u64, Fault> {
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let is_number = number.bytes().any(|digit| digit.is_ascii_digit())
        && digits.bytes().all(|digit| digit.is_ascii_digit());
    if !is_number {
        return Err(Fault::NoNumber);
    }
    if fraction.len() > 18 {
        return Err(Fault::Fraction);
    }
    let divisor = 10u128.pow(fraction.len() as u32);
    let digits = if digits.is_empty() { Ok(0) } else { digits.parse::<u128>() };
    let product =
        digits.ok().and_then(|digits| digits.checked_mul(u128::from(scale))).ok_or(Fault::TooLarge)?;
    if !product.is_multiple_of(divisor) {
        return Err(Fault::Fraction);
    }
    u64::try_from(product / divisor).map_err(|_| Fault::TooLarge)
}

/// Magnitude of a value, for comparison with others of its kind.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) enum Magnitude {
    /// Base units of a quantity.
    Units(u64),
    /// A whole number.
    Integer(i64),
    /// A number or a ratio.
    Real(f64),
}

/// Reads a value as the quantity that the schema's `x-quantity` names, or says what is wrong with it.
pub(super) fn read(kind: &str, value: &Value) -> Result<Magnitude, String> {
    match kind {
        "Bytes" => SIZE.read(value).map(Magnitude::Units),
        "Rate" => RATE.read(value).map(Magnitude::Units),
        "Every" if value.as_str() == Some("change") => Ok(Magnitude::Units(u64::MAX)),
        "Span" | "Every" => TIME.read(value).map(Magnitude::Units),
        "ClassNumber" => {
            read_class(value.as_str().unwrap_or_default()).map(|class| Magnitude::Units(class.into()))
        }
        _ => read_ratio(value).map(|ratio| Magnitude::Real(ratio.as_f64())),
    }
}

/// A value that is no quantity, in two sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoQuantity {
    /// Sentence that says what is wrong.
    pub problem: String,
    /// Sentence that says what would be right.
    pub expected: String,
}

/// Reads a size as bytes, a rate as bits per second or a time as picoseconds.
pub fn read_quantity(dimension: &str, value: &serde_json::Value) -> Result<u64, NoQuantity> {
    let dimension = match dimension {
        "size" => &SIZE,
        "rate" => &RATE,
        "time" => &TIME,
        _ => {
            return Err(NoQuantity {
                problem: format!("there is no dimension {dimension}"),
                expected: String::new(),
            });
        }
    };
    let read = Value::try_from(value).map_err(|_| not_allowed(&value.to_string()));
    let found = read.and_then(|value| match value {
        Value::String(_) | Value::Integer(_) | Value::Float(_) => dimension.read(&value),
        other => Err(not_allowed(&shown(&other))),
    });
    found.map_err(|problem| NoQuantity { problem, expected: format!("expected {}", dimension.expected()) })
}

/// Reads a number, or a fraction such as "1/16".
pub fn read_fraction(value: &serde_json::Value) -> Result<Ratio, NoQuantity> {
    let read = Value::try_from(value).map_err(|_| not_allowed(&value.to_string()));
    let found = read.and_then(|value| match value {
        Value::String(_) | Value::Integer(_) | Value::Float(_) => read_ratio(&value),
        other => Err(not_allowed(&shown(&other))),
    });
    let expected = "expected a number, or a fraction such as \"1/16\"";
    found.map_err(|problem| NoQuantity { problem, expected: expected.to_owned() })
}

fn not_allowed(shown: &str) -> String {
    format!("{shown} is not allowed")
}

fn read_ratio(value: &Value) -> Result<Ratio, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Integer(_) | Value::Float(_) => value.to_string(),
        other => return Err(format!("{} is not a number", shown(other))),
    };
    parse_ratio(&text).map_err(|problem| format!("{} {problem}", shown(value)))
}

fn parse_ratio(text: &str) -> Result<Ratio, &'static str> {
    if text.trim().starts_with('-') {
        return Err("is negative");
    }
    match text.split_once('/') {
        Some((above, below)) => match (above.trim().parse(), below.trim().parse()) {
            (Ok(above), Ok(below)) if below > 0 => Ok(Ratio::new(above, below)),
            _ => Err("is not a fraction"),
        },
        None => decimal_ratio(text.trim()).ok_or("is not a number of at most nine decimals"),
    }
}

struct QuantityVisitor(&'static Dimension);

impl Visitor<'_> for QuantityVisitor {
    type Value = u64;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0.expected())
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        self.0.parse(text).map_err(|problem| E::custom(format!("{problem}; expected {}", self.0.expected())))
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<u64, E> {
        Err(missing_unit(self.0, number))
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
        Err(missing_unit(self.0, number))
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<u64, E> {
        Err(missing_unit(self.0, number))
    }
}

fn missing_unit<E: Error>(dimension: &Dimension, number: impl Display) -> E {
    E::custom(format!("{number} has no unit; expected {}", dimension.expected()))
}

macro_rules! quantity {
    ($type:ident, $dimension:ident, $pattern:literal $(, $bound:literal: $least:literal)?) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(QuantityVisitor(&$dimension)).map(Self::new)
            }
        }
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    serializer.serialize_str(&$dimension.write(self.get()))
                } else {
                    serializer.serialize_newtype_struct(stringify!($type), &self.get())
                }
            }
        }
        impl Display for $type {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&$dimension.write(self.get()))
            }
        }
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": "string",
                    "x-quantity": stringify!($type),
                    "description": $dimension.expected(),
                    "examples": [$dimension.example],
                    "pattern": $pattern,
                    $($bound: $least)?
                })
            }
        }
    };
}

quantity!(Span, TIME, r"^[0-9_.]+ *(ps|ns|us|ms|s)$");
quantity!(Bytes, SIZE, r"^[0-9_.]+ *(B|kB|KiB|MB|MiB|GB|GiB)$");
quantity!(Rate, RATE, r"^[0-9_.]+ *(bps|kbps|Mbps|Gbps|Tbps)$", "x-above": "0bps");

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RatioVisitor)
    }
}

struct RatioVisitor;

impl Visitor<'_> for RatioVisitor {
    type Value = Ratio;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a number, or a fraction such as \"1/16\"")
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<Ratio, E> {
        self.visit_str(&number.to_string())
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<Ratio, E> {
        self.visit_str(&number.to_string())
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<Ratio, E> {
        self.visit_str(&number.to_string())
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Ratio, E> {
        parse_ratio(text).map_err(|problem| E::custom(format!("{text} {problem}")))
    }
}

fn decimal_ratio(text: &str) -> Option<Ratio> {
    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    if decimals > 9 {
        return None;
    }
    let denominator = 10u64.pow(decimals as u32);
    let numerator = scaled(text, denominator).ok()?;
    let common = greatest_common_divisor(numerator, denominator);
    Some(Ratio::new(numerator / common, denominator / common))
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            serializer.serialize_newtype_struct("Ratio", &(self.numerator(), self.denominator()))
        } else if self.denominator() == 1 {
            serializer.serialize_u64(self.numerator())
        } else {
            serializer.serialize_str(&self.to_string())
        }
    }
}

impl JsonSchema for Ratio {
    fn schema_name() -> Cow<'static, str> {
        "Ratio".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "x-quantity": "Ratio",
            "description": "a number, or a fraction such as \"1/16\"",
            "examples": [4, "1/16"],
            "anyOf": [{ "type": "number", "minimum": 0 }, { "type": "string", "pattern": r"^[0-9]+(/[1-9][0-9]*|\.[0-9]+)?$" }],
        })
    }
}

impl<'de> Deserialize<'de> for Every {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.as_str() == Some("change") {
            return Ok(Self::Change);
        }
        match TIME.read(&value) {
            Ok(0) => Err(D::Error::custom("expected a time above zero, or \"change\"")),
            Ok(span) => Ok(Self::Span(Span::new(span))),
            Err(problem) => Err(D::Error::custom(format!("{problem}, or \"change\""))),
        }
    }
}

impl Serialize for Every {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Span(span) => span.serialize(serializer),
            Self::Change => serializer.serialize_str("change"),
        }
    }
}

impl JsonSchema for Every {
    fn schema_name() -> Cow<'static, str> {
        "Every".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "x-quantity": "Every",
            "x-above": "0s",
            "description": format!("\"change\", or {}", TIME.expected()),
            "examples": ["10us", "change"],
        })
    }
}

/// The number of a class, or what is wrong with the text.
fn read_class(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [digit @ b'0'..=b'7'] => Ok(digit - b'0'),
        _ => Err(format!("\"{text}\" is no class")),
    }
}

impl<'de> Deserialize<'de> for ClassNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        read_class(&text).map(Self).map_err(D::Error::custom)
    }
}

impl Serialize for ClassNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(&self.0)
        } else {
            serializer.serialize_u8(self.0)
        }
    }
}

impl ClassNumber {
    /// Returns the schema of its spellings.
    pub(super) fn schema() -> Schema {
        json_schema!({
            "type": "string",
            "x-quantity": "ClassNumber",
            "description": "the number of a class, 0 to 7",
            "pattern": "^[0-7]$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_exactly() {
        assert_eq!(TIME.parse("1.5us"), Ok(1_500_000));
        assert_eq!(SIZE.parse("3MiB"), Ok(3 << 20));
        assert_eq!(SIZE.parse("720 kB"), Ok(720_000));
        assert_eq!(RATE.parse("2.5Gbps"), Ok(2_500_000_000));
    }

    #[test]
    fn what_is_wrong_is_said_with_the_units_that_fit() {
        let problem = |text| RATE.parse(text).unwrap_err();
        assert!(problem("100").contains("has no unit"));
        assert!(problem("1us").contains("is a time, not a rate"));
        assert!(problem("1Gb").contains("unknown unit \"Gb\""));
        assert!(problem("-1Gbps").contains("negative"));
        assert!(problem("Gbps").contains("has no number"));
        assert!(problem("99999999999Gbps").ends_with("too large: at most 1000Tbps"));
        assert!(problem("1000.001Tbps").ends_with("too large: at most 1000Tbps"));
        assert!(TIME.parse("100000.1s").unwrap_err().ends_with("too large: at most 100000s"));
        assert!(SIZE.parse("262145GiB").unwrap_err().ends_with("too large: at most 262144GiB"));
        assert!(SIZE.parse("1.5B").unwrap_err().contains("not a whole number of B"));
    }

    #[test]
    fn quantities_are_written_in_their_largest_whole_unit() {
        assert_eq!(TIME.write(1_500_000), "1500ns");
        assert_eq!(SIZE.write(3 << 20), "3MiB");
        assert_eq!(SIZE.write(0), "0B");
        assert_eq!(TIME.write(0), "0s");
        assert_eq!(RATE.write(100_000_000_000), "100Gbps");
    }

    #[test]
    fn ratios_are_read_as_fractions() {
        assert_eq!(decimal_ratio("0.5"), Some(Ratio::new(1, 2)));
        assert_eq!(decimal_ratio("4"), Some(Ratio::new(4, 1)));
        assert_eq!(parse_ratio("1/16"), Ok(Ratio::new(1, 16)));
        assert_eq!(parse_ratio("-4"), Err("is negative"));
        assert_eq!(parse_ratio("1/0"), Err("is not a fraction"));
    }
}
