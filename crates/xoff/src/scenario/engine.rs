//! `[engine]`: how a run is carried out, where that changes its results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::Ratio;

/// Ways to carry out a run that change its results.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Skips times in which nothing changes but how much is sent. Left out, every packet of the run is simulated.
    #[serde(default)]
    pub fast_forward: Option<FastForward>,
}

/// Fast-forward: while all flows under way send at steady rates, time is advanced to just before the next thing that
/// changes, and bytes and counters are extrapolated. Results are approximate, and so is the digest, which begins with `~`.
/// A run that skips has one thread.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FastForward {
    /// Largest relative change of any flow's rate and window, and of any queue, from one interval to the next that still
    /// counts as steady. What changes slowly is skipped only for as long as it would change by no more than that.
    #[serde(default = "FastForward::default_tolerance")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub tolerance: Ratio,
}

impl FastForward {
    fn default_tolerance() -> Ratio {
        Ratio::new(1, 100)
    }
}
