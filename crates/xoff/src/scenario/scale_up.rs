//! `[scale_up]`: what joins the hosts of one server besides the fabric.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LinkSettings;

/// Servers of several hosts, which a network of their own joins besides the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScaleUp {
    /// Hosts of each server.
    #[schemars(extend("minimum" = 2))]
    pub hosts_per_server: u32,
    /// Step between the numbers of a server's hosts. With as many as there are hosts on a leaf, each is on a leaf of
    /// its own (rails).
    #[serde(default = "side_by_side")]
    #[schemars(extend("minimum" = 1))]
    pub stride: u32,
    /// The link of each host to its server's switch. Its `rate` is from the host.
    pub link: LinkSettings,
}

fn side_by_side() -> u32 {
    1
}
