//! `[[link_event]]`: what happens to links in the course of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Rate, Span};

/// A link that fails or comes back, in both directions, or gets another rate. Its ends learn of it at once.
/// Slowdowns go by the network as it is at the start: where it becomes faster, they may be below 1.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkEvent {
    /// Time of the event.
    pub at: Span,
    /// The two nodes that it joins; where several links join them, all of these.
    pub between: [String; 2],
    /// Whether it works from then on.
    #[serde(default)]
    pub state: Option<LinkState>,
    /// Rate of the link from then on in each direction, or beside `rate_back` from the first of the two nodes to the
    /// second; also where it comes back. Only for a link between two switches. Marking and
    /// headroom stay as they are, so that a higher rate may overfill headroom, of which `xoff check` tells. A frame
    /// on the wire leaves at the rate at which it began.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Rate from the second of the two nodes to the first from then on. Left out, as `rate`. Alone, it leaves the other
    /// direction as it is.
    #[serde(default)]
    pub rate_back: Option<Rate>,
    /// Time from a failure or a return of the link until all switches send packets by the shortest paths that there
    /// are then [routing convergence]. Switches then know of the other links' events, too.
    #[serde(default)]
    pub convergence: Span,
}

impl LinkEvent {
    /// New rates from the first of the two nodes to the second, and back, where these change.
    pub fn rates(&self) -> [Option<Rate>; 2] {
        [self.rate, self.rate_back.or(self.rate)]
    }
}

/// Whether a link works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    /// The link has failed. Packets on its wire are lost, and so are those that a switch has for it; a host's adapter
    /// waits.
    Down,
    /// The link works again.
    Up,
}
