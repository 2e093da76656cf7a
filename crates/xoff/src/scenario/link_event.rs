//! `[[link_event]]`: what happens to links in the course of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Rate, Span};

/// A link that fails, comes back or gets another rate, in both directions. Its ends learn of it at once.
/// Slowdowns go by the network as it is at the start: where it becomes faster, they may be below 1.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkEvent {
    /// When.
    pub at: Span,
    /// The two nodes that it joins; where several links join them, all of these.
    pub between: [String; 2],
    /// Whether it works from then on.
    #[serde(default)]
    pub state: Option<LinkState>,
    /// Its rate from then on, also where it comes back; of a link between two switches; marking and headroom stay as they are, so that a
    /// higher rate may overfill headroom, of which `xoff check` tells. A frame on the wire leaves at the rate at which it began.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// How long it takes, once a link has failed or come back, until all switches send packets by the shortest paths that there
    /// are then [routing convergence]. What has happened to other links by then they know, too.
    #[serde(default)]
    pub convergence: Span,
}

/// Whether a link works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    /// It has failed. What is on its wire is lost, and so is what a switch has for it; a host's adapter waits.
    Down,
    /// It works again.
    Up,
}
