//! The kernel: units, rings, bit sets, timers, random streams, statistics, and the tournament and barrier that order events.
//! It knows no network word; nothing here may import from outside this folder.

pub mod barrier;
pub mod bit_set;
pub mod prefetch;
pub mod ring;
pub mod rng;
pub mod room;
pub mod sparse;
pub mod statistics;
pub mod timers;
pub mod tournament;
pub mod units;
