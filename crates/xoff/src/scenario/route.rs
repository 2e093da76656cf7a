//! `[[route]]`: where a switch sends packets, whatever the shortest paths are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The next hop of one switch towards the hosts of another.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// The switch that sends.
    pub switch: String,
    /// The switch on which the hosts are.
    pub to: String,
    /// The switch to which it sends their packets, over a link of its own; of several such links the hash of a flow picks one.
    pub via: String,
}
