//! Formulas that an operator computes before anything runs, each from its paper, on numbers alone.

pub mod bcc;
pub mod headroom;
