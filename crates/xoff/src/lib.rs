//! xoff: a packet-level simulator of datacenter fabrics.
//!
//! A [`Scenario`] is read from TOML text, [`run`] simulates it, and the [`Report`] holds what came of it as columns of
//! numbers. There is no Python here, no file, no clock and no printing: the caller hands over text and takes numbers.
//!
//! ```
//! use xoff::{Files, Scenario};
//!
//! // Two hosts at one switch; a file lists the flows.
//! let text = r#"
//! topology = { kind = "star", hosts = 2, host_link = { rate = "10Gbps", delay = "1us" } }
//! transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
//! workload = [{ kind = "trace", transport = "tcp", file = "flows.csv" }]
//! "#;
//! let flows = "source,destination,size_bytes,start_ns,priority\nhost0,host1,1000000,0,0\n";
//! let files = Files::from([("flows.csv".to_owned(), flows.to_owned())]);
//!
//! let scenario = Scenario::from_toml(text, &[])?;
//! let report = xoff::run(&scenario, &files, 1, &mut |_progress| true)?;
//!
//! let flow = &report.flows.rows[0];
//! assert_eq!(flow.size.get(), 1_000_000);
//! // No flow is faster than alone on an idle network with an unlimited window.
//! assert!(flow.finish.since(flow.start) >= flow.ideal);
//! # Ok::<(), xoff::ScenarioError>(())
//! ```
//!
//! [`Simulation`] is a scenario laid out: it can be run several times, and asked about its network before.

#[macro_use]
mod tagged;
mod agenda;
mod application;
#[cfg(test)]
#[path = "../tests/common/cases.rs"]
mod cases;
mod classes;
mod congestion_control;
mod diagnosis;
pub mod driven;
mod engine;
mod flow_path;
pub mod fluid;
mod host;
mod ideal;
mod kernel;
mod layout;
mod notes;
mod observer;
mod packet;
mod pause_frames;
mod pfc;
pub mod plan;
mod port;
mod queued_flows;
mod reading;
mod report;
mod routing;
mod scenario;
mod scheduler;
mod simulation;
mod spraying;
mod switch;
mod telemetry;
mod topology;
mod transport;
mod watch;
pub mod why;
mod workload;

pub use engine::Progress;
pub use kernel::units;
pub use report::{Report, Summary};
pub use scenario::{ErrorKind, Scenario, ScenarioError};
pub use simulation::{Execution, Offered, Simulation};
pub use workload::Files;

/// Catalogue: algorithms, chips, distributions of sizes, and the schema of scenarios, with the text that explains them.
pub mod catalogue {
    pub use crate::scenario::{
        Chip, Choice, Explanation, Listing, NamedChip, chips, explain, explain_scheme, fluid_schema, keys,
        list, schema,
    };
    pub use crate::workload::sizes::{NamedList, catalogue as sizes};
}

/// Columns of a [`Report`], one for each key of its tables.
pub mod columns {
    pub use crate::report::{
        CollectiveColumns, DropColumns, FlowRow, Flows, HeadroomColumns, JobFlowColumns, OffTimeColumns,
        PacketColumns, PathProperties, PauseColumns, PauseFlowColumns, PortColumns, QueryColumns,
        SeriesColumns, UnfinishedColumns,
    };
}

/// Network of a [`Simulation`]: nodes, ports and their names, and the paths of flows.
pub mod network {
    pub use crate::flow_path::{FlowPath, of_flow as path_of, ports as ports_of};
    pub use crate::layout::SwitchLayout;
    pub use crate::scenario::pattern;
    pub use crate::topology::{Network, NodeId, PortId};
    pub use crate::watch::port_names;
}

/// Parts of a [`Scenario`] that callers look into.
pub mod settings {
    pub use crate::congestion_control::Parameters as CongestionControl;
    pub use crate::scenario::changes::{FileSchema, document, value};
    pub use crate::scenario::{Every, NoQuantity, read_fraction, read_quantity};
    pub use crate::switch::congestion_point;
}

/// Schemes from outside of this crate: congestion controls, buffer policies and markers that a caller brings along.
///
/// An algorithm is written as those of this crate are: a struct of settings, and an implementation of
/// [`CongestionControl`](schemes::CongestionControl), [`BufferPolicy`](schemes::BufferPolicy) or
/// [`Marker`](schemes::Marker). [`Schemes`](schemes::Schemes) lists it under a name, which scenarios may then use with
/// all keys of its settings. `examples/out_of_tree` is a crate that does so.
pub mod schemes {
    pub use crate::congestion_control::{
        Ack, CnpClock, CongestionControl, Echo, EchoReading, Flow, Foreign, ForeignFlow, Granting, Growth,
        Identity, Loss, LossKind, Needs, NotificationPoint, Path, Trimmed, WindowUnit,
        scheme as congestion_control,
    };
    pub use crate::kernel::rng::{Rng, unit_interval};
    pub use crate::switch::buffer_policy::{
        BufferPolicy, Expelling, Followed, Following, Occupancy, scheme as buffer_policy,
    };
    pub use crate::switch::marking::{
        Departure, Foreign as ForeignMarking, ForeignMarker, Level, Marker, Place, Pool, Range, Signal,
        Unfit, When, scheme as marker,
    };
    pub use crate::tagged::outside::{Family, Finder, Made, Refusal, Scheme, Schemes};
    pub use crate::telemetry::{Interval, Reading, Trail};
}

/// Parts of the simulator that this crate's own tests name. They may change at any time.
#[doc(hidden)]
pub mod internals {
    pub mod agenda {
        pub use crate::agenda::{Agenda, Context, LaneId};
    }
    pub mod application {
        pub use crate::application::{Plans, collective, job, query};
    }
    pub mod classes {
        pub use crate::classes::{Classes, PRIORITIES};
    }
    pub mod congestion_control {
        pub use crate::congestion_control::*;
    }
    pub mod diagnosis {
        pub use crate::diagnosis::Diagnosis;
    }
    pub mod engine {
        pub use crate::engine::{
            HeadroomLog, InFlight, LOSSLESS_POOL, LinkEvent, Outcome, PacketEvent, PauseChange, PauseLog,
            Quantity, Received, Sample, Samples, Skips, Step, sources,
        };
    }
    pub mod host {
        pub use crate::host::{FinishedFlow, Flow, Host, HostCounters, SprayingCounters};
    }
    pub mod ideal {
        pub use crate::ideal::{Ideal, of_flow};
    }
    pub use crate::kernel::rng;
    pub mod observer {
        pub use crate::observer::{DropReason, Dropped, PacketKind, PauseReason, Silent, Xoff};
    }
    pub mod packet {
        pub use crate::packet::{
            ACKNOWLEDGEMENT, ECHO, ECN_CAPABLE, EVERYTHING, Header, LAST, Packet, REPEATED, WINDOW_REDUCED,
        };
    }
    pub mod pause_frames {
        pub use crate::pause_frames::PfcRequest;
    }
    pub mod port {
        pub use crate::port::{Port, PortCounters};
    }
    pub mod report {
        pub use crate::report::{PacketTotals, QcnTotals, Totals};
    }
    pub mod scenario {
        pub use crate::scenario::{Host, Observe, ObserveOf, Stop, Tcp, Transport, WatchdogAction};
    }
    pub mod scheduler {
        pub use crate::scheduler::Parameters;
    }
    pub mod spraying {
        pub use crate::spraying::Parameters;
    }
    pub mod switch {
        pub use crate::switch::{
            Switch, buffer_policy, congestion_point, headroom, ingress, marking, mmu, pausing, shared_memory,
        };
    }
    pub mod transport {
        pub use crate::transport::{Transmit, tcp};
    }
    pub mod telemetry {
        pub use crate::telemetry::{Record, Records, Telemetry};
    }
}

/// Runs a scenario on so many threads.
///
/// `files` holds the text of every file that the scenario names, by the path written there. `progress` is called at
/// checks, every 100 us of simulated time by default, and returns whether to go on. The number of threads changes no result:
///
/// ```
/// use xoff::{Files, Scenario};
///
/// let text = r#"
/// topology = { kind = "star", hosts = 4, host_link = { rate = "100Gbps", delay = "1us" } }
/// transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
/// workload = [{ kind = "permutation", transport = "tcp", size = "100kB" }]
/// "#;
/// let scenario = Scenario::from_toml(text, &[])?;
/// let digest = |threads| xoff::run(&scenario, &Files::new(), threads, &mut |_| true).map(|report| report.digest);
/// assert_eq!(digest(1)?, digest(2)?);
/// # Ok::<(), xoff::ScenarioError>(())
/// ```
pub fn run(
    scenario: &Scenario,
    files: &Files,
    threads: usize,
    progress: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Report, ScenarioError> {
    let simulation = Simulation::new(scenario, files)?;
    simulation.check_undriven()?;
    let mut outcome = simulation.run(Execution::with_threads(threads), progress);
    Ok(Report::new(&simulation, &mut outcome))
}
