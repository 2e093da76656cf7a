//! The engine: runs hosts and switches window by window, each cluster of nodes alone.
//! Nodes joined by links shorter than [`SHORTEST_WINDOW`] form a cluster; within a window no cluster can affect
//! another, so each runs its own pending events in the order of their key: time, class, node, port.
//! The classes are those of [`sources::Class`]. Nothing here knows what a packet means.

mod arrivals;
mod clusters;
mod counts;
mod flow_counts;
mod headroom_log;
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

use std::sync::atomic::Ordering;

use crate::host::Host;
use crate::kernel::units::{Span, Time};
use crate::observer::Dropped;
use crate::switch::Switch;
use counts::Counting;
use shared::Shared;
use worker::Worker;

pub use arrivals::Arrivals;
pub(crate) use clusters::fit;
pub use counts::Counts;
pub use flow_counts::FlowCounts;
pub use headroom_log::{HeadroomLog, OffTime, Peak};
pub use instants::{Instants, LONGEST_RUN};
pub use link_events::{LinkEvent, LinkEvents};
pub use packet_log::{PacketEvent, PacketLog, Step};
pub use pause_log::{PauseChange, PauseLog};
pub use port_counts::PortCounts;
pub use received::Received;
pub use recorder::{Recorded, Recorder};
pub use sampler::{Sampler, Series, WatchedFlows};
pub use samples::{LOSSLESS_POOL, Quantity, Sample, Samples};
pub(crate) use worker::Workshop;

/// Links shorter than this do not separate clusters: windows would cost more than they hold.
pub const SHORTEST_WINDOW: Span = Span::from_nanoseconds(200);

/// What a caller hears of a run under way.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// When the run will end at the latest, where that is known.
    pub end: Option<Time>,
    /// Flows started.
    pub started: u64,
    /// Flows finished.
    pub finished: u64,
}

/// Hosts and switches as they are after a run, in order of their numbers, and what was recorded.
#[derive(Debug)]
pub struct Outcome {
    /// All hosts.
    pub hosts: Vec<Host>,
    /// All switches.
    pub switches: Vec<Switch>,
    /// What was sampled or seen to change.
    pub samples: Samples,
    /// What had been received when the measured time began, and when it ended; nothing where the run ended before.
    pub received: [Option<Received>; 2],
    /// Packets that were dropped where that was recorded, in order of time and port.
    pub drops: Vec<(Time, Dropped)>,
    /// What was recorded of pauses.
    pub pauses: PauseLog,
    /// What was recorded of headroom.
    pub headroom: HeadroomLog,
    /// Steps of the packets that are watched, in order of time.
    pub packets: Vec<PacketEvent>,
    /// Records of telemetry that packets had at the end.
    pub telemetry_in_use: usize,
    /// When the run was ended; nothing where it ended by itself, because nothing was left to do. When the last event was, where
    /// pauses hold back what would be.
    pub end: Option<Time>,
    /// Events handled.
    pub events: u64,
    /// Whether the caller ended it.
    pub interrupted: bool,
    /// Whether it ended because nothing could move any longer.
    pub stood_still: bool,
}

/// Runs all workers to the end and puts their nodes together again. `progress` is asked whether to go on.
pub(crate) fn run<O: Counting + Send>(
    workshop: &Workshop<'_>,
    observers: Vec<O>,
    sampler: &Sampler,
    progress: &mut dyn FnMut(&Progress) -> bool,
    recorded: impl Fn(O) -> Recorded,
) -> Outcome {
    let threads = observers.len();
    let shared = Shared::new(threads);
    let mut workers: Vec<Worker<'_, O>> = workshop.workers(observers, sampler);
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
