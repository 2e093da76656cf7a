//! `[host]`: what every host adds around its transport.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Bytes, Span};
use crate::scheduler;

/// What every host adds around its transport.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Between transport and adapter, each way.
    #[serde(default)]
    pub delay: Span,
    /// Adds to each segment's host delay a uniform time below one packet time, order kept; breaks phase lockout.
    #[serde(default)]
    pub jitter: bool,
    /// Bytes the adapter's queue holds before it drops. Left out, it never drops.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub adapter_queue: Option<Bytes>,
    /// Bytes one flow may have waiting in the adapter before its transport holds back (TCP small queues).
    #[serde(default = "default_small_queue")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub small_queue: Bytes,
    /// Which queue of the adapter sends next.
    #[serde(default)]
    pub scheduler: scheduler::Parameters,
}

fn default_small_queue() -> Bytes {
    Bytes::new(64_000)
}

impl Default for Host {
    fn default() -> Self {
        Self {
            delay: Span::ZERO,
            jitter: false,
            adapter_queue: None,
            small_queue: default_small_queue(),
            scheduler: scheduler::Parameters::default(),
        }
    }
}
