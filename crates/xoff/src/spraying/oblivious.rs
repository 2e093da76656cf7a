//! Oblivious spraying: each packet takes a path at random.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MOST_ENTROPIES, Sprayer};

/// Settings of oblivious spraying.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Number of entropies to draw from, 1 to 65536.
    #[schemars(extend("minimum" = 1, "maximum" = MOST_ENTROPIES))]
    pub entropies: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { entropies: MOST_ENTROPIES }
    }
}

/// State of one flow under oblivious spraying, which is none.
#[derive(Clone, Debug)]
pub struct Oblivious;

impl Oblivious {
    /// Makes the state of one flow.
    pub fn new(_parameters: &Parameters) -> Self {
        Self
    }
}

impl Sprayer for Oblivious {
    type Parameters = Parameters;

    fn next(&mut self, random: impl FnOnce() -> u16) -> u16 {
        random()
    }
}
