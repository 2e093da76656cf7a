//! Quantities as a scenario spells them: a number and its unit in one string, `"100Gbps"`, `"1us"`, `"720kB"`, `"3MiB"`.

use std::borrow::Cow;
use std::fmt::Display;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Every;
use crate::kernel::units::{Bytes, Rate, Ratio, Span};

/// What a quantity measures, with its units from the smallest to the largest: a name and how many base units it is.
struct Dimension {
    what: &'static str,
    units: &'static [(&'static str, u64)],
    example: &'static str,
}

const TIME: Dimension = Dimension {
    what: "a time",
    units: &[("ps", 1), ("ns", 1_000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)],
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

    fn parse(&self, text: &str) -> Result<u64, String> {
        let text = text.trim();
        let split = text.find(|character: char| character.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = (text[..split].trim(), text[split..].trim());
        if unit.is_empty() {
            return Err(format!("\"{text}\" has no unit; expected {}", self.expected()));
        }
        let Some((_, scale)) = self.units.iter().find(|(name, _)| *name == unit) else {
            let other = DIMENSIONS.iter().find(|other| other.units.iter().any(|(name, _)| *name == unit));
            return Err(match other {
                Some(other) => format!("\"{text}\" is {}; expected {}", other.what, self.expected()),
                None => format!("\"{text}\" has an unknown unit \"{unit}\"; expected {}", self.expected()),
            });
        };
        scaled(number, *scale).ok_or_else(|| match number.strip_prefix('-') {
            Some(_) => format!("\"{text}\" is negative; expected {}", self.expected()),
            None => format!(
                "\"{text}\" is not a whole number of {}; expected {}",
                self.units[0].0,
                self.expected()
            ),
        })
    }

    fn write(&self, value: u64) -> String {
        let (name, scale) = self
            .units
            .iter()
            .rev()
            .find(|(_, scale)| value >= *scale && value.is_multiple_of(*scale))
            .unwrap_or(&self.units[0]);
        format!("{}{name}", value / scale)
    }
}

/// `number` times `scale`, where `number` may have a decimal point; nothing if it is not exactly a whole number.
fn scaled(number: &str, scale: u64) -> Option<u64> {
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || fraction.len() > 18 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let divisor = 10u128.pow(fraction.len() as u32);
    let product = digits.parse::<u128>().ok()?.checked_mul(u128::from(scale))?;
    if !product.is_multiple_of(divisor) {
        return None;
    }
    u64::try_from(product / divisor).ok()
}

struct QuantityVisitor(&'static Dimension);

impl Visitor<'_> for QuantityVisitor {
    type Value = u64;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0.expected())
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        self.0.parse(text).map_err(E::custom)
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
    ($type:ident, $dimension:ident, $pattern:literal) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(QuantityVisitor(&$dimension)).map(Self::new)
            }
        }
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&$dimension.write(self.get()))
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
                    "description": $dimension.expected(),
                    "examples": [$dimension.example],
                    "pattern": $pattern,
                })
            }
        }
    };
}

quantity!(Span, TIME, r"^[0-9_.]+ *(ps|ns|us|ms|s)$");
quantity!(Bytes, SIZE, r"^[0-9_.]+ *(B|kB|KiB|MB|MiB|GB|GiB)$");
quantity!(Rate, RATE, r"^[0-9_.]+ *(bps|kbps|Mbps|Gbps|Tbps)$");

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
        let number =
            u64::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))?;
        Ok(Ratio::new(number, 1))
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<Ratio, E> {
        Ok(Ratio::new(number, 1))
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<Ratio, E> {
        decimal_ratio(&number.to_string()).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Ratio, E> {
        let ratio = match text.split_once('/') {
            Some((above, below)) => match (above.trim().parse(), below.trim().parse()) {
                (Ok(above), Ok(below)) if below > 0 => Some(Ratio::new(above, below)),
                _ => None,
            },
            None => decimal_ratio(text.trim()),
        };
        ratio.ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

fn decimal_ratio(text: &str) -> Option<Ratio> {
    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    if decimals > 9 {
        return None;
    }
    let denominator = 10u64.pow(decimals as u32);
    let numerator = scaled(text, denominator)?;
    let common = greatest_common_divisor(numerator, denominator);
    Some(Ratio::new(numerator / common, denominator / common))
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

impl Serialize for Ratio {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.denominator() == 1 {
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
            "description": "a number, or a fraction such as \"1/16\"",
            "examples": [4, "1/16"],
            "anyOf": [{ "type": "number", "minimum": 0 }, { "type": "string", "pattern": r"^[0-9]+(/[1-9][0-9]*|\.[0-9]+)?$" }],
        })
    }
}

impl<'de> Deserialize<'de> for Every {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "change" {
            return Ok(Self::Change);
        }
        match TIME.parse(&text) {
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
            "description": format!("{}, or \"change\"", TIME.expected()),
            "examples": ["10us", "change"],
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
        assert!(problem("1us").contains("is a time; expected a rate"));
        assert!(problem("1Gb").contains("unknown unit \"Gb\""));
        assert!(problem("-1Gbps").contains("negative"));
        assert!(SIZE.parse("1.5B").unwrap_err().contains("not a whole number of B"));
    }

    #[test]
    fn quantities_are_written_in_their_largest_whole_unit() {
        assert_eq!(TIME.write(1_500_000), "1500ns");
        assert_eq!(SIZE.write(3 << 20), "3MiB");
        assert_eq!(SIZE.write(0), "0B");
        assert_eq!(RATE.write(100_000_000_000), "100Gbps");
    }

    #[test]
    fn ratios_are_read_as_fractions() {
        assert_eq!(decimal_ratio("0.5"), Some(Ratio::new(1, 2)));
        assert_eq!(decimal_ratio("4"), Some(Ratio::new(4, 1)));
        assert_eq!(decimal_ratio("-4"), None);
    }
}
