//! The kernel: units, rings, timers, random streams and the tournament that orders events.
//! It knows no network word; nothing here may import from outside this folder.

pub mod ring;
pub mod rng;
pub mod units;
