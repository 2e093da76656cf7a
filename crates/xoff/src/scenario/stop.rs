//! `[stop]`: what ends the run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::Span;

/// Conditions that end the run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// No flow starts from here on; what has started is drained.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub arrivals_end: Option<Span>,
    /// Ends at the first check at which this many flows have finished.
    #[serde(default)]
    #[schemars(extend("minimum" = 1))]
    pub after_flows: Option<u64>,
    /// Ends at this time, whatever is still under way.
    #[serde(default)]
    #[schemars(extend("x-above" = "0s"))]
    pub at: Option<Span>,
    /// Time between checks of `after_flows`, and between reports of progress.
    #[serde(default = "default_period")]
    #[schemars(extend("x-above" = "0s"))]
    pub period: Span,
}

fn default_period() -> Span {
    Span::from_microseconds(100)
}

impl Default for Stop {
    fn default() -> Self {
        Self { arrivals_end: None, after_flows: None, at: None, period: default_period() }
    }
}
