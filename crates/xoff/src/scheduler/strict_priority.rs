//! Strict priority: the highest class that is ready.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Scheduler;
use crate::classes::Classes;
use crate::kernel::units::Bytes;

/// The highest class that is ready goes first, 7 before 0.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {}

/// State of one port under strict priority, which is none.
#[derive(Clone, Debug)]
pub struct StrictPriority;

impl Scheduler for StrictPriority {
    type Parameters = Parameters;

    fn new(_parameters: &Parameters) -> Self {
        Self
    }

    #[inline]
    fn pick(&mut self, ready: Classes, _head: impl Fn(usize) -> Bytes) -> usize {
        ready.highest()
    }
}
