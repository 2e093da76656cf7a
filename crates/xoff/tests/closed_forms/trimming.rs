//! Trimming against known results: a sender that learns of a trimmed packet sends it again at once, so that no link is
//! idle.

use xoff::Simulation;
use xoff::internals::engine::Outcome;
use xoff::internals::host::{FinishedFlow, Host};
use xoff::internals::observer::DropReason;
use xoff::internals::port::Port;
use xoff::units::{Bytes, Rate, Span, Time};

use crate::{run, simulation};

const SENDERS: u64 = 4;
const PACKETS: u64 = 100;

/// Four hosts send 100 packets of 1000 B each to a fifth at 10 Gb/s. The switch holds twelve packets, and thirty
/// headers besides. Only the window of the recovery slows senders down.
fn incast(trimming: &str) -> Simulation {
    let pairs: Vec<String> = (0..SENDERS).map(|sender| format!("['host{sender}', 'host4']")).collect();
    simulation(&format!(
        "title = 'trimmed'\n\
         topology = {{ kind = 'star', hosts = 5, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
         switch = [{{ reserved_per_queue = '2kB', total = '40800B', buffer = {{ policy = 'complete_sharing' }}{trimming} }}]\n\
         transport.sprayed = {{ kind = 'roce', payload = '1000B', \
         recovery = {{ kind = 'selective_repeat', window = '8kB', reordering = 100, timeout_high = '1ms' }} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'sprayed', size = '100kB', pairs = [{}] }}]",
        pairs.join(", ")
    ))
}

fn last(outcome: &Outcome) -> (Span, u32) {
    let finished = || outcome.hosts.iter().flat_map(Host::finished);
    let last = finished().map(|flow: &FinishedFlow| flow.finish).max().expect("flows finish");
    (last.since(Time::ZERO), finished().map(|flow| flow.repairs.timeouts).sum())
}

#[test]
fn an_incast_keeps_its_link_busy_until_all_is_there() {
    let simulation = incast(", trimming = { size = '64B', priority = 6 }");
    let outcome = run(&simulation);
    let (took, timeouts) = last(&outcome);
    let port: &Port = &outcome.switches[0].ports()[4];
    let trimmed = port.counters.dropped_data[DropReason::Trimmed as usize];
    assert!(trimmed > 10, "{trimmed} were trimmed");
    assert_eq!((timeouts, port.trimmed_dropped()), (0, 0));
    // 1000 B of payload have 1062 B in the frame, and every frame 20 B on the wire.
    let wire = Bytes::new(SENDERS * PACKETS * 1082 + trimmed * 84);
    assert_eq!(port.counters.wire_bytes, wire, "each packet once, and each header");
    let busy = Rate::from_gbps(10).transmission_time(wire);
    let round_trip = Span::from_nanoseconds(4 * 1000 + 2 * 866 + 2 * 69);
    assert!(busy < took && took < busy + round_trip + round_trip, "{busy:?} of {took:?}");
    let answers: u64 = outcome.hosts.iter().map(|host| host.counters.acknowledgements_sent).sum();
    assert_eq!(answers, SENDERS * PACKETS + trimmed);
}

#[test]
fn without_trimming_timeouts_find_what_is_lost() {
    let (took, timeouts) = last(&run(&incast("")));
    assert!(timeouts > 0);
    assert!(took > Span::from_milliseconds(1));
}
