//! DCQCN: switches mark, receivers answer marks with CNPs, senders set a rate (SIGCOMM 2015, sections 3.1 and 3.2).
//! The switch's part, the congestion point, is `marking = { kind = "red" }` on the queue. The reaction point follows the
//! paper; what the adapters sold and the codes in use do otherwise is in the keys below, with presets for whole sets.
//! Left out: the reset of the target rate to an eighth that one code took over from QCN (802.1Qau).

mod notification_point;
mod presets;
mod reaction_point;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Bytes, Rate, Ratio, Span};
pub use notification_point::{CnpClock, Marks, NotificationPoint};
pub use presets::Preset;
use presets::Shared;
pub use reaction_point::Dcqcn;

/// What can be set of DCQCN. What is left out is as the preset has it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Where values come from that are left out.
    pub preset: Preset,
    /// Weight of the newest period in alpha, above 0 and at most 1 [g]. Preset `paper`: 1/256; `mellanox`: 1/256.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: Option<Ratio>,
    /// Alpha at the first CNP, 0 to 1. Preset `paper`: 1; `mellanox`: 1.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub initial_alpha: Option<Ratio>,
    /// Time without a CNP after which alpha falls, or at which it is updated either way [K]. Preset `paper`: 55 us;
    /// `mellanox`: 1 us.
    #[schemars(extend("x-above" = "0s"))]
    pub alpha_period: Option<Span>,
    /// When alpha rises. Preset `paper`: `at_cnp`; `mellanox`: `at_period`.
    pub alpha_rises: Option<AlphaRises>,
    /// Whether a cut takes alpha as it was before the CNP raised it, or after; cuts on a clock take it as it is then. Only where
    /// alpha rises at CNPs. Preset `paper`: `old_alpha`; `mellanox`: `old_alpha`.
    pub cut_by: Option<CutBy>,
    /// Cuts happen at the ticks of a clock of this period, which the first CNP starts, where a CNP has come since the tick before;
    /// `0s` cuts at every CNP. Preset `paper`: 0; `mellanox`: 4 us.
    pub cut_period: Option<Span>,
    /// When a cut lowers the target rate to the current rate [clamp target rate]. Preset `paper`: `always`; `mellanox`:
    /// `after_time_increase`.
    pub clamp_target_rate: Option<Clamp>,
    /// Time from one increase to the next [T]. Preset `paper`: 55 us; `mellanox`: 300 us.
    #[schemars(extend("x-above" = "0s"))]
    pub timer: Option<Span>,
    /// Bytes sent from one increase to the next [B]; `0B` counts none. Preset `paper`: 10 MB; `mellanox`: 0.
    pub byte_counter: Option<Bytes>,
    /// Increases of either kind that are fast recovery [F]. Preset `paper`: 5; `mellanox`: 1.
    pub fast_recovery: Option<u32>,
    /// Whether an increase is counted before it is told from its number which kind it is: that makes one fewer of fast
    /// recovery. Preset `paper`: false; `mellanox`: false.
    pub count_first: Option<bool>,
    /// Added to the target rate by an increase after fast recovery [`R_AI`]. Preset `paper`: 40 Mb/s; `mellanox`: 1/5000 of
    /// the link.
    pub additive_increase: Option<Rate>,
    /// Added to the target rate by a hyper increase [`R_HAI`]. Preset `paper`: 200 Mb/s; `mellanox`: 1/500 of the link.
    pub hyper_increase: Option<Rate>,
    /// When increases are hyper increases. Preset `paper`: `both_beyond`; `mellanox`: `time_beyond`.
    pub hyper_when: Option<HyperWhen>,
    /// The least rate. Preset `paper`: 100 Mb/s; `mellanox`: 1 Gb/s.
    #[schemars(extend("x-above" = "0bps"))]
    pub minimum_rate: Option<Rate>,
    /// Least time from one CNP of a flow to the next [N]; `0s` answers every marked packet. Preset `paper`: 50 us;
    /// `mellanox`: 0, since the code that has it marks acknowledgements.
    pub cnp_interval: Option<Span>,
    /// When the receiver looks whether a flow was marked in the interval. Preset `paper`: `after_cnp`; `mellanox`:
    /// `after_cnp`.
    pub cnp_clock: Option<CnpClock>,
    #[serde(skip)]
    values: Shared,
}

/// When alpha rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlphaRises {
    /// At every CNP, which also restarts the period after which it falls.
    AtCnp,
    /// At the end of every period in which a CNP came.
    AtPeriod,
}

/// Which alpha a cut takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CutBy {
    /// As it was before the CNP.
    OldAlpha,
    /// As the CNP has raised it.
    NewAlpha,
}

/// When a cut lowers the target rate to the current rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Clamp {
    /// At every cut (equation 1).
    Always,
    /// If the timer has brought an increase since the last cut.
    AfterTimeIncrease,
    /// If the byte counter has.
    AfterByteIncrease,
    /// If either has.
    AfterIncrease,
}

/// When increases are hyper increases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HyperWhen {
    /// Once timer and byte counter are both beyond fast recovery; the more so, the further.
    BothBeyond,
    /// Once the timer has brought one more than fast recovery; always by the same.
    TimeBeyond,
}
