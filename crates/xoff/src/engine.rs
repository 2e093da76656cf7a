//! The engine: runs hosts and switches window by window, each cluster of nodes alone.
//!
//! A discrete-event simulator usually keeps one queue of all events to come. With thousands of ports, most of the work
//! is then to keep that queue sorted, and every event touches memory that another node used last. This engine has no
//! such queue. It uses a property of networks: a packet that a node sends now arrives elsewhere no sooner than the
//! link's delay.
//!
//! Nodes joined by links shorter than [`SHORTEST_WINDOW`] form a *cluster*; most clusters are one node. The engine
//! takes the earliest time at which anything is pending anywhere, and adds the least delay of the links that lead into
//! a cluster. Before that *horizon* no other cluster can affect this one, so it runs all its events up to there alone,
//! in a small part of the memory. This is a *window*. When all clusters have run theirs, the next window begins at the
//! earliest time that is pending then. This is conservative parallel simulation (Chandy and Misra 1979) with a barrier,
//! and clusters of different threads run at the same time.
//!
//! Within its window a cluster runs events in the order of one key: time, class, node, port ([`sources::Class`]). The
//! key alone decides the order, never the order in which events were made, so results do not depend on threads or on
//! the length of windows. The `wheel` holds what is pending: a ring of packets in flight for each link, and a
//! tournament over the earliest event of each source. It costs 30 ns for each link that a packet crosses, where a heap
//! of events costs 130 ns.
//!
//! Anything that concerns all nodes at once, such as samples, failures of links and the end, happens at an instant
//! known in advance ([`Instants`]), and no window straddles one. Nothing here knows what a packet means.

mod arrivals;
mod clusters;
mod counts;
mod fast_forward;
mod flow_counts;
mod headroom_log;
mod in_flight;
mod inputs;
mod instants;
mod link_events;
mod mail;
mod packet_log;
mod pause_log;
mod port_counts;
mod received;
mod recorder;
mod sampler;
mod samples;
mod shared;
pub mod sources;
mod standstill;
mod wheel;
mod worker;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::host::Host;
use crate::kernel::units::{Span, Time};
use crate::observer::Dropped;
use crate::switch::Switch;
use counts::Counting;
use shared::Shared;
use worker::Worker;

pub use arrivals::Arrivals;
pub use fast_forward::{FastForward, Obstacle, Skips};
pub use headroom_log::HeadroomLog;
pub use in_flight::InFlight;
pub use instants::{Instants, LONGEST_RUN};
pub use link_events::{LinkEvent, LinkEvents};
pub use packet_log::{PacketEvent, Step};
pub use pause_log::{PauseChange, PauseLog};
pub use received::Received;
pub use recorder::{Recorded, Recorder};
pub use sampler::{Sampler, Series, WatchedFlows};
pub use samples::{LOSSLESS_POOL, Quantity, Sample, Samples};
pub(crate) use worker::Workshop;
pub(crate) use worker::driving::{DrivenRun, Reached, Stop};

/// Shortest delay of a link that separates clusters. Windows shorter than 200 ns would cost more than they hold.
pub const SHORTEST_WINDOW: Span = Span::from_nanoseconds(200);

/// State of a run under way, as its caller hears of it.
///
/// ```
/// # let text = r#"
/// # topology = { kind = "star", hosts = 4, host_link = { rate = "100Gbps", delay = "1us" } }
/// # transport.tcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
/// # workload = [{ kind = "permutation", transport = "tcp", size = "100MB" }]
/// # "#;
/// # let scenario = xoff::Scenario::from_toml(text, &[])?;
/// use xoff::units::{Span, Time};
/// use xoff::{Files, Progress};
///
/// // Ends the run at the first check after 150 us of simulated time.
/// let mut goes_on = |progress: &Progress| progress.now < Time::ZERO + Span::from_microseconds(150);
/// let report = xoff::run(&scenario, &Files::new(), 1, &mut goes_on)?;
/// assert!(report.interrupted);
/// # Ok::<(), xoff::ScenarioError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// Time at which the run ends at the latest, where that is known.
    pub end: Option<Time>,
    /// Flows started.
    pub started: u64,
    /// Flows finished.
    pub finished: u64,
}

/// Hosts and switches as they are after a run, in order of their numbers, with all that was recorded.
#[derive(Debug)]
pub struct Outcome {
    /// All hosts.
    pub hosts: Vec<Host>,
    /// All switches.
    pub switches: Vec<Switch>,
    /// Packets on wires at the end.
    pub on_wires: InFlight,
    /// Rows that were sampled, or recorded on change.
    pub samples: Samples,
    /// Bytes received by the begin and by the end of the measured time; nothing where the run ended before.
    pub received: [Option<Received>; 2],
    /// Dropped packets where they are recorded, in order of time and port.
    pub drops: Vec<(Time, Dropped)>,
    /// Pauses that were recorded.
    pub pauses: PauseLog,
    /// Use of headroom that was recorded.
    pub headroom: HeadroomLog,
    /// Steps of watched packets, in order of time.
    pub packets: Vec<PacketEvent>,
    /// Time from which on nothing was recorded, if records took too much memory.
    pub recorded_until: Option<Time>,
    /// Number of telemetry records that packets had at the end.
    pub telemetry_in_use: usize,
    /// Time at which the run was ended; nothing where nothing was left to do.
    /// Where pauses hold packets back for ever, the time of the last event.
    pub end: Option<Time>,
    /// Finished flows of which no record was kept.
    pub forgotten: u64,
    /// Events handled.
    pub events: u64,
    /// Whether the caller ended the run.
    pub interrupted: bool,
    /// Whether the run ended because nothing could move any longer.
    pub stood_still: bool,
    /// Times that were skipped. All times of the outcome are reported times, except within ports and switches.
    pub skips: Skips,
}

impl Outcome {
    /// Puts all that happened at the time at which it is reported.
    fn report_skips(&mut self, skips: Skips) {
        if skips.count() > 0 {
            for host in &mut self.hosts {
                let source = host.id();
                host.report_skipped(|time| skips.reported(time), |number| skips.of(source, number));
            }
            self.end = self.end.map(|end| skips.reported(end));
        }
        self.skips = skips;
    }

    /// Counts the packets that are in flight at the end: in queues, inside hosts and on wires.
    pub fn in_flight(&self) -> InFlight {
        let in_hosts = self.hosts.iter().flat_map(Host::packets_inside);
        let in_switches = self.switches.iter().flat_map(Switch::packets_inside);
        InFlight::of(in_hosts.chain(in_switches)) + self.on_wires
    }
}

/// Runs all workers to the end and puts their nodes together again. `progress` returns whether to go on.
pub(crate) fn run<O: Counting + Send>(
    workshop: &Workshop<'_>,
    observers: Vec<O>,
    sampler: &Arc<Sampler>,
    progress: &mut dyn FnMut(&Progress) -> bool,
    recorded: impl Fn(O) -> Recorded,
) -> Outcome {
    let threads = observers.len();
    let shared = Shared::new(threads);
    let mut workers: Vec<Worker<O>> = workshop.workers(observers, sampler);
    std::thread::scope(|scope| {
        let (first, others) = workers.split_first_mut().expect("there is at least one thread");
        for worker in others {
            scope.spawn(|| worker.run(&shared, &mut |_| true));
        }
        first.run(&shared, progress);
    });
    let interrupted = shared.interrupted.load(Ordering::Relaxed);
    Worker::gather(workers, interrupted, recorded)
}
