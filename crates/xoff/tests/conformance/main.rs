//! Laws that every algorithm of a family obeys, under random settings and random operations.
//!
//! The lists of algorithms and the schema of their settings are read, so that a newly registered algorithm is covered
//! as it is.

mod buffer_policy;
#[path = "../common/cases.rs"]
mod cases;
mod congestion_control;
mod congestion_point;
mod connections;
mod delivery;
mod headroom;
mod marking;
mod scheduler;
mod settings;
mod spraying;
