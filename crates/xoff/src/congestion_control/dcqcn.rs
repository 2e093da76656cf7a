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
#[schemars(transform = presets::describe)]
pub struct Parameters {
    /// Source of the values that are left out.
    pub preset: Preset,
    /// Weight of the newest period in alpha, above 0 and at most 1 [g].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: Option<Ratio>,
    /// Alpha at the first CNP, 0 to 1.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub initial_alpha: Option<Ratio>,
    /// Time without a CNP after which alpha falls; with `alpha_rises = "at_period"` time from one update of alpha to
    /// the next [K].
    #[schemars(extend("x-above" = "0s"))]
    pub alpha_period: Option<Span>,
    /// Event at which alpha rises.
    pub alpha_rises: Option<AlphaRises>,
    /// Value of alpha by which a CNP cuts: before or after the CNP raised it. Cuts on a clock take alpha as it is at
    /// the tick. Only with `alpha_rises = "at_cnp"`.
    pub cut_by: Option<CutBy>,
    /// Period of a clock that allows one cut at a tick, if a CNP has come since the tick before; the first CNP starts
    /// it. `0s` cuts at every CNP.
    pub cut_period: Option<Span>,
    /// Cuts that lower the target rate to the current rate [clamp target rate].
    pub clamp_target_rate: Option<Clamp>,
    /// Time from one increase by the timer to the next [T].
    #[schemars(extend("x-above" = "0s"))]
    pub timer: Option<Span>,
    /// Bytes sent from one increase by the byte counter to the next [B]; `0B` switches the counter off.
    pub byte_counter: Option<Bytes>,
    /// Increases by the timer, or by the byte counter, that are fast recovery [F].
    pub fast_recovery: Option<u32>,
    /// Whether an increase is counted before its number decides its stage, which leaves one fewer in fast recovery.
    pub count_first: Option<bool>,
    /// Step by which an additive increase raises the target rate [`R_AI`].
    pub additive_increase: Option<Rate>,
    /// Step by which a hyper increase raises the target rate [`R_HAI`].
    pub hyper_increase: Option<Rate>,
    /// Condition of hyper increases.
    pub hyper_when: Option<HyperWhen>,
    /// Least rate to which cuts lower a flow.
    #[schemars(extend("x-above" = "0bps"))]
    pub minimum_rate: Option<Rate>,
    /// Least time from one CNP of a flow to the next [N]; `0s` answers every marked packet.
    pub cnp_interval: Option<Span>,
    /// Clock by which the receiver checks whether a flow was marked in the interval.
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
