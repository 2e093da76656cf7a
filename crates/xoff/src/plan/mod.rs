//! Formulas by which an operator sets a switch.

pub mod headroom;
