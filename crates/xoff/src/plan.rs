//! What an operator computes before anything runs: formulas, each from its paper, on numbers alone.

pub mod bcc;
pub mod headroom;
