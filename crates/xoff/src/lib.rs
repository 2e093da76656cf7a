//! xoff: a packet-level simulator of datacenter fabrics.
//! No Python, no files, no printing: text and bytes come in, results go out.

#[macro_use]
mod tagged;
pub mod agenda;
pub mod congestion_control;
pub mod host;
pub mod kernel;
pub mod observer;
pub mod packet;
pub mod port;
pub mod routing;
pub mod scenario;
pub mod switch;
pub mod topology;
pub mod transport;
pub mod workload;
