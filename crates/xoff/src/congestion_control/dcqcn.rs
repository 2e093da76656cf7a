//! DCQCN: switches mark, receivers answer marks with CNPs, senders set a rate (Zhu et al., SIGCOMM 2015, sections 3.1 and 3.2).
//! A flow starts at line rate. A congestion notification packet (CNP) cuts its rate by half of alpha, a running
//! estimate of congestion. Without CNPs alpha falls, and a timer and a byte counter raise the rate in three stages.
//! Fast recovery halves the distance to the target rate, the rate before the cut. Additive increase then raises the
//! target by a fixed step, and hyper increase by a larger one.
//! The switch's part, the congestion point, is `marking = { kind = "red" }` on the queue. The keys below cover where
//! adapters and published code depart from the paper, with presets for whole sets.
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

/// Settings of DCQCN. The preset gives the value of each key that is left out.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Source of the values that are left out.
    pub preset: Preset,
    /// Weight of the newest period in alpha, above 0 and at most 1 [g]. Preset `paper`: 1/256; `mellanox`: 1/256.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: Option<Ratio>,
    /// Alpha at the first CNP, 0 to 1. Preset `paper`: 1; `mellanox`: 1.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub initial_alpha: Option<Ratio>,
    /// Time without a CNP after which alpha falls; with `alpha_rises = "at_period"` time from one update of alpha to
    /// the next [K]. Preset `paper`: 55 us; `mellanox`: 1 us.
    #[schemars(extend("x-above" = "0s"))]
    pub alpha_period: Option<Span>,
    /// Event at which alpha rises. Preset `paper`: `at_cnp`; `mellanox`: `at_period`.
    pub alpha_rises: Option<AlphaRises>,
    /// Value of alpha by which a CNP cuts: before or after the CNP raised it. Cuts on a clock take alpha as it is at
    /// the tick. Only with `alpha_rises = "at_cnp"`. Preset `paper`: `old_alpha`; `mellanox`: `old_alpha`.
    pub cut_by: Option<CutBy>,
    /// Period of a clock that allows one cut at a tick, if a CNP has come since the tick before; the first CNP starts
    /// it. `0s` cuts at every CNP. Preset `paper`: 0; `mellanox`: 4 us.
    pub cut_period: Option<Span>,
    /// Cuts that lower the target rate to the current rate [clamp target rate]. Preset `paper`: `always`; `mellanox`:
    /// `after_time_increase`.
    pub clamp_target_rate: Option<Clamp>,
    /// Time from one increase by the timer to the next [T]. Preset `paper`: 55 us; `mellanox`: 300 us.
    #[schemars(extend("x-above" = "0s"))]
    pub timer: Option<Span>,
    /// Bytes sent from one increase by the byte counter to the next [B]; `0B` switches the counter off. Preset `paper`:
    /// 10 MB; `mellanox`: 0.
    pub byte_counter: Option<Bytes>,
    /// Increases by the timer, or by the byte counter, that are fast recovery [F]. Preset `paper`: 5; `mellanox`: 1.
    pub fast_recovery: Option<u32>,
    /// Whether an increase is counted before its number decides its stage, which leaves one fewer in fast recovery.
    /// Preset `paper`: false; `mellanox`: false.
    pub count_first: Option<bool>,
    /// Step by which an additive increase raises the target rate [`R_AI`]. Preset `paper`: 40 Mb/s; `mellanox`: 1/5000
    /// of the link.
    pub additive_increase: Option<Rate>,
    /// Step by which a hyper increase raises the target rate [`R_HAI`]. Preset `paper`: 200 Mb/s; `mellanox`: 1/500 of
    /// the link.
    pub hyper_increase: Option<Rate>,
    /// Condition of hyper increases. Preset `paper`: `both_beyond`; `mellanox`: `time_beyond`.
    pub hyper_when: Option<HyperWhen>,
    /// Least rate to which cuts lower a flow. Preset `paper`: 100 Mb/s; `mellanox`: 1 Gb/s.
    #[schemars(extend("x-above" = "0bps"))]
    pub minimum_rate: Option<Rate>,
    /// Least time from one CNP of a flow to the next [N]; `0s` answers every marked packet. Preset `paper`: 50 us;
    /// `mellanox`: 0, since the code that it comes from marks acknowledgements instead.
    pub cnp_interval: Option<Span>,
    /// Clock by which the receiver checks whether a flow was marked in the interval. Preset `paper`: `after_cnp`;
    /// `mellanox`: `after_cnp`.
    pub cnp_clock: Option<CnpClock>,
    #[serde(skip)]
    values: Shared,
}

/// Event at which alpha rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlphaRises {
    /// Every CNP, which also restarts the period after which alpha falls.
    AtCnp,
    /// The end of every period in which a CNP came.
    AtPeriod,
}

/// Value of alpha by which a cut goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CutBy {
    /// Alpha before the CNP raised it.
    OldAlpha,
    /// Alpha after the CNP raised it.
    NewAlpha,
}

/// Cuts that lower the target rate to the current rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Clamp {
    /// Every cut (equation 1).
    Always,
    /// A cut after which the timer has brought an increase since the cut before.
    AfterTimeIncrease,
    /// A cut after which the byte counter has brought an increase since the cut before.
    AfterByteIncrease,
    /// A cut after which the timer or the byte counter has brought an increase since the cut before.
    AfterIncrease,
}

/// Condition of hyper increases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HyperWhen {
    /// Timer and byte counter are both beyond fast recovery. The step grows with the smaller number of increases beyond
    /// it.
    BothBeyond,
    /// The timer has brought one increase more than fast recovery. The step is always the same.
    TimeBeyond,
}
