//! Presets of DCQCN: whole sets of values, from the paper and from a code in use.
//! The values stand here alone; descriptions of the keys get theirs from this table.

use std::sync::{Arc, OnceLock};

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::{AlphaRises, Clamp, CnpClock, CutBy, HyperWhen, NotificationPoint, Parameters};
use crate::kernel::units::{Bytes, Rate, Ratio, Span};

/// Step by which an increase raises the target rate.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Fixed rate.
    By(Rate),
    /// Fraction of the link's rate, by its denominator.
    PartOfLink(u64),
}

impl Step {
    /// Returns the step on a link of the given rate.
    pub(super) fn at(self, line_rate: Rate) -> Rate {
        match self {
            Self::By(rate) => rate,
            Self::PartOfLink(parts) => Rate::new(line_rate.get() / parts),
        }
    }
}

/// In descriptions: a rate as TOML has it, or a share of the link.
impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::By(rate) => rate.serialize(serializer),
            Self::PartOfLink(parts) => serializer.collect_str(&format_args!("1/{parts} of the link")),
        }
    }
}

/// Sources of whole sets of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// The paper, as deployed (SIGCOMM 2015, section 5); `hyper_increase` and `minimum_rate`, which it does not print, are
    /// those of its authors' simulator.
    #[default]
    Paper,
    /// HPCC's simulator with the settings that its run script calls `dcqcn`, after the adapters that Mellanox sold; its receivers
    /// answer every mark, since that code marks acknowledgements.
    Mellanox,
}

/// Every value of a reaction point and a notification point, by the names of the keys.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Values {
    #[serde(serialize_with = "fraction")]
    pub(super) gain: f64,
    #[serde(serialize_with = "fraction")]
    pub(super) initial_alpha: f64,
    pub(super) alpha_period: Span,
    pub(super) alpha_rises: AlphaRises,
    pub(super) cut_by: CutBy,
    pub(super) cut_period: Span,
    pub(super) clamp_target_rate: Clamp,
    pub(super) timer: Span,
    pub(super) byte_counter: Bytes,
    pub(super) fast_recovery: u32,
    pub(super) count_first: bool,
    pub(super) additive_increase: Step,
    pub(super) hyper_increase: Step,
    pub(super) hyper_when: HyperWhen,
    pub(super) minimum_rate: Rate,
    cnp_interval: Span,
    cnp_clock: CnpClock,
}

/// Writes a number as `1/n` where it is the n-th part of 1, from 2 on.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn fraction<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let parts = 1.0 / number;
    if parts.fract() == 0.0 && parts > 1.0 {
        serializer.collect_str(&format_args!("1/{parts}"))
    } else {
        serializer.collect_str(number)
    }
}

/// Adds the value that each preset has to the description of its key.
pub(super) fn describe(schema: &mut Schema) {
    let told = |preset: Preset| serde_json::to_value(preset.values()).expect("numbers and words");
    let (paper, mellanox) = (told(Preset::Paper), told(Preset::Mellanox));
    let Some(keys) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (key, described) in keys {
        if let (Some(paper), Some(mellanox), Some(about)) =
            (paper.get(key), mellanox.get(key), described["description"].as_str())
        {
            let [paper, mellanox] = [paper, mellanox].map(written);
            described["description"] =
                format!("{about} Preset `paper`: {paper}; `mellanox`: {mellanox}.").into();
        }
    }
}

/// Returns a value as a description has it: one of TOML in backticks, any other phrase as it stands.
fn written(value: &Value) -> String {
    match value.as_str() {
        Some(phrase) if phrase.contains(' ') => phrase.to_owned(),
        Some(word) => format!("`{word}`"),
        None => format!("`{value}`"),
    }
}

/// Values of parameters and their preset, made once, so that no flow carries them.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared(OnceLock<Arc<Values>>);

/// Always equal, as the values follow from the parameters beside them.
impl PartialEq for Shared {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Preset {
    fn values(self) -> Values {
        let paper = Values {
            gain: 1.0 / 256.0,
            initial_alpha: 1.0,
            alpha_period: Span::from_microseconds(55),
            alpha_rises: AlphaRises::AtCnp,
            cut_by: CutBy::OldAlpha,
            cut_period: Span::ZERO,
            clamp_target_rate: Clamp::Always,
            timer: Span::from_microseconds(55),
            byte_counter: Bytes::new(10_000_000),
            fast_recovery: 5,
            count_first: false,
            additive_increase: Step::By(Rate::new(40_000_000)),
            hyper_increase: Step::By(Rate::new(200_000_000)),
            hyper_when: HyperWhen::BothBeyond,
            minimum_rate: Rate::new(100_000_000),
            cnp_interval: Span::from_microseconds(50),
            cnp_clock: CnpClock::AfterCnp,
        };
        match self {
            Self::Paper => paper,
            Self::Mellanox => Values {
                alpha_period: Span::from_microseconds(1),
                alpha_rises: AlphaRises::AtPeriod,
                cut_period: Span::from_microseconds(4),
                clamp_target_rate: Clamp::AfterTimeIncrease,
                timer: Span::from_microseconds(300),
                byte_counter: Bytes::ZERO,
                fast_recovery: 1,
                additive_increase: Step::PartOfLink(5_000),
                hyper_increase: Step::PartOfLink(500),
                hyper_when: HyperWhen::TimeBeyond,
                minimum_rate: Rate::from_gbps(1),
                cnp_interval: Span::ZERO,
                ..paper
            },
        }
    }
}

impl Parameters {
    /// Returns the values that every flow goes by.
    pub(super) fn values(&self) -> Arc<Values> {
        Arc::clone(self.values.0.get_or_init(|| Arc::new(self.with_preset())))
    }

    fn with_preset(&self) -> Values {
        let preset = self.preset.values();
        Values {
            gain: self.gain.map_or(preset.gain, Ratio::as_f64),
            initial_alpha: self.initial_alpha.map_or(preset.initial_alpha, Ratio::as_f64),
            alpha_period: self.alpha_period.unwrap_or(preset.alpha_period),
            alpha_rises: self.alpha_rises.unwrap_or(preset.alpha_rises),
            cut_by: self.cut_by.unwrap_or(preset.cut_by),
            cut_period: self.cut_period.unwrap_or(preset.cut_period),
            clamp_target_rate: self.clamp_target_rate.unwrap_or(preset.clamp_target_rate),
            timer: self.timer.unwrap_or(preset.timer),
            byte_counter: self.byte_counter.unwrap_or(preset.byte_counter),
            fast_recovery: self.fast_recovery.unwrap_or(preset.fast_recovery),
            count_first: self.count_first.unwrap_or(preset.count_first),
            additive_increase: self.additive_increase.map_or(preset.additive_increase, Step::By),
            hyper_increase: self.hyper_increase.map_or(preset.hyper_increase, Step::By),
            hyper_when: self.hyper_when.unwrap_or(preset.hyper_when),
            minimum_rate: self.minimum_rate.unwrap_or(preset.minimum_rate),
            cnp_interval: self.cnp_interval.unwrap_or(preset.cnp_interval),
            cnp_clock: self.cnp_clock.unwrap_or(preset.cnp_clock),
        }
    }

    /// Values that adapters can be configured with, on a link of the given rate: gain, timer, additive increase, hyper
    /// increase, least time between two CNPs.
    pub fn of_adapters(&self, line_rate: Rate) -> (f64, Span, Rate, Rate, Span) {
        let values = self.values();
        let [additive, hyper] =
            [values.additive_increase, values.hyper_increase].map(|step| step.at(line_rate));
        (values.gain, values.timer, additive, hyper, values.cnp_interval)
    }

    /// Whether a CNP raises alpha, so that a cut may go by either value.
    pub(crate) fn rises_at_cnp(&self) -> bool {
        self.values().alpha_rises == AlphaRises::AtCnp
    }

    pub(super) fn notification_point(&self) -> NotificationPoint {
        let values = self.values();
        NotificationPoint { interval: values.cnp_interval, clock: values.cnp_clock }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_described_with_the_values_of_the_presets() {
        let schema = schemars::schema_for!(Parameters).to_value();
        let about = |key: &str| schema["properties"][key]["description"].as_str().unwrap().to_owned();
        assert!(about("timer").ends_with("[T]. Preset `paper`: `55us`; `mellanox`: `300us`."));
        assert!(about("gain").ends_with("Preset `paper`: `1/256`; `mellanox`: `1/256`."));
        let increase = "Preset `paper`: `40Mbps`; `mellanox`: 1/5000 of the link.";
        assert!(about("additive_increase").ends_with(increase));
        let undescribed = |key: &&String| !about(key).contains("Preset `paper`");
        let keys = schema["properties"].as_object().unwrap().keys();
        assert_eq!(keys.filter(undescribed).collect::<Vec<_>>(), ["preset"]);
    }
}
