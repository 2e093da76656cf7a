//! Marking in switches with queues at inputs and outputs, by the frames that each frame finds in its queue.

use xoff::internals::report::PacketTotals;

use crate::common::{PLAIN, report};
use crate::simulation;

/// Frames that each of two hosts sends.
const FRAMES: u64 = 40;

/// Two hosts send frames of 1000 bytes to a third, at the same times and as fast as their links. Without preamble and
/// gap, a frame crosses in its transmission time over the speedup.
fn two_to_one(is_lossless: bool, ecn_capable: bool, speedup: u32, marking: &str) -> PacketTotals {
    let size = 952 * FRAMES;
    let simulation = simulation(&format!(
        "topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
         class = [{{ priority = 0, lossless = {is_lossless} }}, {{ priority = 7 }}]\n\
         transport.roce = {{ kind = 'roce', payload = '952B', headers = '48B', wire_overhead = '0B', control_priority = 7, \
         ecn_capable = {ecn_capable} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'roce', size = '{size}B', priority = 0, \
         pairs = [['host1', 'host0'], ['host2', 'host0']] }}]\n\
         switch = [{{ kind = 'cioq', crossbar = {{ matching = 'islip', speedup = {speedup} }}, {marking} }}]"
    ));
    report(&simulation, PLAIN).totals.packets
}

/// Checks that the marked frames are those that find more than the threshold beside them, whatever the threshold.
fn marks_what_finds_more(side: &str, when: &str, speedup: u32, finds: &[u64]) {
    for waiting in [0, 3, 10] {
        let threshold = waiting * 1000 + 500;
        let marking =
            format!("{side}.marking = {{ kind = 'threshold', threshold = '{threshold}B', when = '{when}' }}");
        let packets = two_to_one(true, true, speedup, &marking);
        let expected = finds.iter().filter(|&&found| found > waiting).count() as u64;
        assert!(expected > 0);
        assert_eq!((packets.marked, packets.dropped), (expected, 0), "{side} above {threshold} at {when}");
    }
}

/// Frames come to the output twice as fast as they leave. The n-th finds those that have come, less one for every two
/// of them. As the m-th leaves, the next comes.
#[test]
fn an_output_marks_by_the_queue_in_it() {
    let of_all = |beside: fn(u64) -> u64| (0..2 * FRAMES).map(beside).collect::<Vec<_>>();
    marks_what_finds_more("output", "enqueue", 2, &of_all(|n| n.div_ceil(2).saturating_sub(1)));
    let left = of_all(|m| (2 * m).min(2 * FRAMES).saturating_sub(m + 1));
    marks_what_finds_more("output", "dequeue", 2, &left);
}

/// The inputs take turns to cross. The k-th frame of one input finds every other of the frames that came before it;
/// that of the other input finds one more of every other pair. A frame that crosses leaves those behind that have come
/// meanwhile.
#[test]
fn an_input_marks_by_the_virtual_output_queue() {
    let of_both = |beside: fn(u64) -> [u64; 2]| (0..FRAMES).flat_map(beside).collect::<Vec<_>>();
    marks_what_finds_more("input", "enqueue", 1, &of_both(|k| [k / 2, k.div_ceil(2)]));
    let left = of_both(|k| [2 * k + 1, 2 * k + 2].map(|come| come.min(FRAMES) - (k + 1)));
    marks_what_finds_more("input", "dequeue", 1, &left);
}

/// The mean of one queue does not depend on another queue: two pairs of hosts that send to a third each are marked as
/// one pair is.
#[test]
fn each_queue_has_a_mean_of_its_own() {
    let marker = "{ kind = 'red', minimum = '3kB', maximum = '3001B', probability = 1, weight = '1/4' }";
    let marked = |side: &str, queues: &str, pairs: &str| {
        let simulation = simulation(&format!(
            "topology = {{ kind = 'star', hosts = 6, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
             class = [{{ priority = 0, lossless = true }}, {{ priority = 3, lossless = true }}, {{ priority = 7 }}]\n\
             transport.roce = {{ kind = 'roce', payload = '952B', headers = '48B', wire_overhead = '0B', control_priority = 7, \
             ecn_capable = true }}\n\
             workload = [{{ kind = 'long_lived', transport = 'roce', size = '95200B', priority = 0, \
             pairs = [['host1', 'host0'], ['host2', 'host0']] }}{pairs}]\n\
             switch = [{{ kind = 'cioq', crossbar = {{ matching = 'islip', speedup = {} }}, output = {{ buffer = '300kB'{} }}, \
             input = {{ queues = '{queues}', buffer = '300kB'{} }} }}]",
            if side == "input" { 1 } else { 2 },
            if side == "output" { format!(", marking = {marker}") } else { String::new() },
            if side == "input" { format!(", marking = {marker}") } else { String::new() },
        ));
        report(&simulation, PLAIN).totals.packets.marked
    };
    for side in ["input", "output"] {
        for queues in ["per_output", "per_destination", "one"] {
            let beside = ", { kind = 'long_lived', transport = 'roce', size = '95200B', priority = 3, \
                          pairs = [['host4', 'host3'], ['host5', 'host3']] }";
            let (one, two) = (marked(side, queues, ""), marked(side, queues, beside));
            assert_eq!(two, 2 * one, "{side} {queues}");
            assert!(one > 0, "{side} {queues}");
        }
    }
}

#[test]
fn what_is_not_ecn_capable_is_dropped_but_in_lossless_classes() {
    for (side, speedup) in [("input", 1), ("output", 2)] {
        for when in ["enqueue", "dequeue"] {
            let marking =
                format!("{side}.marking = {{ kind = 'threshold', threshold = '3500B', when = '{when}' }}");
            let lossless = two_to_one(true, false, speedup, &marking);
            assert_eq!((lossless.marked, lossless.dropped), (0, 0), "{side}");
            let lossy = two_to_one(false, false, speedup, &marking);
            assert!(lossy.dropped_not_ecn_capable > 0, "{side}");
            assert_eq!((lossy.marked, lossy.dropped), (0, lossy.dropped_not_ecn_capable), "{side}");
        }
    }
}
