//! `[[slow_receiver]]`: hosts whose adapters do not take in all that comes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Bytes, Rate, Span};

/// Hosts whose adapters take in less than their links bring, for some time or for good. That is the slow-receiver
/// symptom of "RDMA over Commodity Ethernet at Scale" (SIGCOMM 2016, section 4.4). Adapters that take in nothing
/// pause their switches as long as that lasts, which is the PFC storm of section 4.3.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowReceiver {
    /// The hosts, by name or by the name of their switch, with `*` and `?`. Their adapters into the fabric are slow, none inside servers.
    #[schemars(extend("minItems" = 1))]
    pub hosts: Vec<String>,
    /// Rate at which the adapter takes in frames, one after another in the order in which they came. Left out, it
    /// takes in nothing: a PFC storm.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// From when on.
    #[serde(default)]
    pub start: Span,
    /// Until when. What waits then is taken in at the rate of the link. Left out, for good.
    #[serde(default)]
    pub end: Option<Span>,
    /// Bytes that wait in the adapter at which it pauses all lossless classes [XOFF], the same whenever a host is slow; it has headroom by
    /// formula for what comes after that. Packets of other classes are dropped for which there is no room below XOFF.
    #[serde(default = "default_buffer")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub buffer: Bytes,
    /// Bytes below that at which they resume [delta]. Left out, two of the largest frames.
    #[serde(default)]
    pub xon_offset: Option<Bytes>,
}

fn default_buffer() -> Bytes {
    Bytes::new(128_000)
}
