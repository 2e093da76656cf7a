//! xoff: a packet-level simulator of datacenter fabrics.
//! No Python, no files, no printing: text and bytes come in, results go out.

#[macro_use]
mod tagged;
pub mod congestion_control;
pub mod kernel;
pub mod routing;
pub mod scenario;
pub mod switch;
pub mod topology;
pub mod workload;
