//! Presets of DCQCN: whole sets of values, named after their source.

use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// Source of the values that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// The paper, as deployed (SIGCOMM 2015, section 5). It prints neither `hyper_increase` nor `minimum_rate`; these are
    /// those of its authors' simulator.
    #[default]
    Paper,
    /// HPCC's simulator as its run script calls it `dcqcn`, after the adapters that Mellanox sold.
    Mellanox,
}

/// Values of all settings of a reaction point, none left out.
#[derive(Clone, Debug)]
pub(super) struct Values {
    pub(super) gain: f64,
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
}

/// Values computed from the parameters once and shared by all flows, so that none carries a copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared(OnceLock<Arc<Values>>);

/// Always equal, since the values follow from the parameters beside them.
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
        }
    }

    /// Values that adapters can be configured with, on a link of the given rate: gain, timer, additive increase, hyper
    /// increase, least time between two CNPs.
    pub fn of_adapters(&self, line_rate: Rate) -> (f64, Span, Rate, Rate, Span) {
        let values = self.values();
        let [additive, hyper] =
            [values.additive_increase, values.hyper_increase].map(|step| step.at(line_rate));
        (values.gain, values.timer, additive, hyper, self.notification_point().interval)
    }

    /// Whether a CNP raises alpha, so that a cut may go by either value.
    pub(crate) fn rises_at_cnp(&self) -> bool {
        self.values().alpha_rises == AlphaRises::AtCnp
    }

    pub(super) fn notification_point(&self) -> NotificationPoint {
        let interval = match self.preset {
            Preset::Paper => Span::from_microseconds(50),
            Preset::Mellanox => Span::ZERO,
        };
        NotificationPoint {
            interval: self.cnp_interval.unwrap_or(interval),
            clock: self.cnp_clock.unwrap_or(CnpClock::AfterCnp),
        }
    }
}
