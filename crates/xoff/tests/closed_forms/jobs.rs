//! Jobs whose flows are alone on their links take the time of their computations and of their flows alone.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::prelude::*;

use xoff::internals::ideal;
use xoff::units::{Bytes, Span};
use xoff::{Execution, Files, Report, Simulation};

use crate::common::{PLAIN, cases, report, simulation_of};
use crate::reference;

const HEAD: &str = "flow,source,destination,size_bytes,priority,after,delay_ns\n";

const WIDE_HEAD: &str = "flow,source,destination,size_bytes,priority,after,delay_ns,compute_ns,stream\n";

fn job(rows: &str, rest: &str) -> (Simulation, Report) {
    job_of(HEAD, rows, "", rest)
}

/// Runs a job of computations and flows between four hosts.
fn wide_job(rows: &str) -> (Simulation, Report) {
    job_of(WIDE_HEAD, rows, ", local_rate = '8Gbps'", "")
}

fn job_of(head: &str, rows: &str, keys: &str, rest: &str) -> (Simulation, Report) {
    let text = format!(
        "title = 'job'\ntopology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         transport.raw = {{ kind = 'constant_rate', payload = '1000B' }}\n\
         transport.roce = {{ kind = 'roce', connections = 'persistent' }}\n\
         workload = [{{ kind = 'job', file = 'job.csv', start = '3us', transport = 'roce'{keys} }}]\n{rest}"
    );
    let files = Files::from([("job.csv".to_owned(), format!("{head}{rows}"))]);
    let simulation = simulation_of(&text, &[], &files);
    let report = report(&simulation, PLAIN);
    (simulation, report)
}

/// Times that a flow alone takes until it is whole, and until it is acknowledged.
fn alone(simulation: &Simulation, size: u64) -> [Span; 2] {
    let times = ideal::of_flow(simulation, 0, 1, 0, Bytes::new(size), 1);
    [times.received, times.finished]
}

fn nanoseconds(span: Span) -> u64 {
    span.get() / 1000
}

/// Each of four stages of a pipeline hands on three batches, and computes for 10 us before each. A stage begins a batch
/// when it has handed on the one before. The last stage hands nothing on.
#[test]
fn a_pipeline_takes_a_computation_and_a_flow_for_each_stage_and_a_computation_for_each_batch_after() {
    let mut rows = String::new();
    for batch in 0..3 {
        for stage in 0..3 {
            let mut after = Vec::new();
            if stage > 0 {
                after.push(format!("b{batch}s{}", stage - 1));
            }
            if batch > 0 {
                after.push(format!("b{}s{stage}", batch - 1));
            }
            let after = after.join(" ");
            let next = stage + 1;
            writeln!(rows, "b{batch}s{stage},host{stage},host{next},50000,0,{after},10000").unwrap();
        }
    }
    let (simulation, report) = job(&rows, "");
    let [whole, acknowledged] = alone(&simulation, 50_000);
    let computing = Span::from_microseconds(10);
    let job = report.totals.jobs[0];
    assert_eq!((job.flows, job.started, job.finished), (9, 9, 9));
    // The first stage computes after each acknowledgement, the others after what comes from it.
    let expected = (computing + acknowledged) * 2 + (computing + whole) * 3;
    let later = job.completion_ns.unwrap() - nanoseconds(expected);
    // Each of three flows shares its last link with the acknowledgements of 49 packets, 86 B each, of the one before.
    assert!(later <= 3 * 49 * 86 * 8 / 100, "{later} ns");
    assert_eq!(job.computing_ns, nanoseconds(computing * 5));
    assert_eq!(report.totals.flows_finished, 9);
}

/// Two flows of one host that do not wait share its link. A third begins when both are whole.
#[test]
fn what_waits_for_several_begins_with_the_last() {
    let rows =
        "long,host0,host1,90000,0,,0\nshort,host2,host1,1000,0,,0\nback,host1,host3,1000,0,short long,5000\n";
    let (simulation, report) = job(rows, "");
    let ([long, _], [short, _]) = (alone(&simulation, 90_000), alone(&simulation, 1_000));
    let expected = long + Span::from_microseconds(5) + short;
    let completion = report.totals.jobs[0].completion_ns.unwrap();
    assert!(completion.abs_diff(nanoseconds(expected)) < 200, "{completion}, expected {expected:?}");
    let (flows, none) = (&report.job_flows, u32::MAX);
    assert_eq!(report.job_flow_names.iter().collect::<Vec<_>>(), ["long", "short", "back"]);
    assert_eq!((&flows.flow[..], &flows.waited_for[..]), (&[0, 1, 2][..], &[none, none, 0][..]));
    assert_eq!((&flows.source[..], &flows.number[..]), (&[0, 2, 1][..], &[0, 0, 0][..]));
    assert_eq!(flows.start_ns[2], flows.received_ns[0] + 5_000);
}

#[test]
fn a_job_that_is_cut_off_has_no_completion_time() {
    let rows = "first,host0,host1,1000,0,,0\nsecond,host1,host0,1000,0,first,50000\n";
    let (_, report) = job(rows, "stop.at = '40us'");
    let job = report.totals.jobs[0];
    assert_eq!((job.flows, job.started, job.finished, job.completion_ns), (2, 1, 1, None));
    let flows = &report.job_flows;
    assert_eq!((&flows.number[..], &flows.waited_for[..]), (&[0, u32::MAX][..], &[u32::MAX; 2][..]));
    assert_eq!([flows.start_ns[1], flows.received_ns[1], flows.finish_ns[1]], [u64::MAX; 3]);
}

/// Two computations at once, one of which a flow and a third computation wait for, and a join of all.
#[test]
fn a_diamond_takes_its_longer_side() {
    let rows = "short,host0,,,,,0,4000,0\n\
                long,host0,,,,,1000,30000,1\n\
                there,host0,host1,50000,0,short,0,,\n\
                there_too,host0,host1,1000,0,long,0,,\n\
                all,host1,host1,0,,there there_too,0,,\n\
                end,host1,,,,all,500,2000,3\n";
    let (simulation, report) = wide_job(rows);
    let [[big, _], [small, _]] = [50_000, 1_000].map(|size| alone(&simulation, size));
    let job = report.totals.jobs[0];
    assert_eq!((job.flows, job.finished, job.computations, job.computed), (2, 2, 4, 4));
    assert_eq!(job.computing_ns, 33_500);
    let longer = nanoseconds(big).max(27_000 + nanoseconds(small)) + 4_000;
    assert!(job.completion_ns.unwrap().abs_diff(longer + 2_500) <= 1);
    let flows = &report.job_flows;
    assert_eq!(flows.start_ns[..2], [3_000, 4_000]);
    assert_eq!(flows.finish_ns[..2], [7_000, 34_000]);
    assert_eq!((flows.start_ns[2], flows.start_ns[3]), (7_000, 34_000));
    assert_eq!(flows.start_ns[4], flows.received_ns[3]);
    assert_eq!(flows.received_ns[4], flows.received_ns[3]);
    assert_eq!(flows.start_ns[5], flows.received_ns[4] + 500);
    let none = u32::MAX;
    assert_eq!(flows.waited_for, [none, none, 0, 1, 3, 4]);
    assert_eq!(flows.stream, [0, 1, none, none, none, 3]);
    assert_eq!(flows.number, [none, none, 0, 1, none, none]);
}

#[test]
fn a_stream_does_one_operation_after_another_and_others_do_theirs_meanwhile() {
    let rows = "b,host2,,,,,0,5000,\n\
                a,host2,,,,,0,7000,0\n\
                other,host2,,,,,0,9000,1\n\
                elsewhere,host3,,,,,0,9000,0\n\
                late,host2,,,,,1000,1000,0\n\
                last,host2,,,,b,0,3000,0\n";
    let (_, report) = wide_job(rows);
    let flows = &report.job_flows;
    assert_eq!(flows.start_ns, [3_000, 8_000, 3_000, 3_000, 15_000, 16_000]);
    assert_eq!(flows.finish_ns, [8_000, 15_000, 12_000, 12_000, 16_000, 19_000]);
    let none = u32::MAX;
    assert_eq!(flows.waited_for, [none, 0, none, none, 1, 4], "where a stream was taken, the one before");
    let job = report.totals.jobs[0];
    assert_eq!((job.flows, job.completion_ns, job.computing_ns), (0, Some(16_000), 9_000));
}

#[test]
fn bytes_within_a_host_take_their_time_at_the_local_rate_side_by_side() {
    let rows =
        "one,host0,host0,5000,,,0,,\ntwo,host0,host0,8000,,,500,,\njoined,host0,host0,0,,one two,0,,\n";
    let (_, report) = wide_job(rows);
    assert_eq!(report.job_flows.start_ns, [3_000, 3_500, 11_500]);
    assert_eq!(report.job_flows.finish_ns, [8_000, 11_500, 11_500]);
    assert_eq!((report.totals.flows_finished, report.totals.jobs[0].completion_ns), (0, Some(8_500)));
    let (_, at_once) = job_of(WIDE_HEAD, rows, "", "");
    assert_eq!(at_once.totals.jobs[0].completion_ns, Some(500));
}

#[test]
fn a_computation_that_a_run_cuts_off_has_begun_and_is_not_done() {
    let rows = "a,host0,,,,,0,7000,0\nb,host0,,,,,0,7000,0\nc,host0,,,,,0,7000,0\n";
    let (_, report) = job_of(WIDE_HEAD, rows, "", "stop.at = '12us'");
    let (flows, never) = (&report.job_flows, u64::MAX);
    assert_eq!(
        (&flows.start_ns[..], &flows.finish_ns[..]),
        (&[3_000, 10_000, never][..], &[10_000, never, never][..])
    );
    assert_eq!((report.totals.jobs[0].computed, report.totals.jobs[0].completion_ns), (1, None));
}

/// An operation of a random job, by numbers that are taken modulo what there is.
type Drawn = (u32, u32, u64, Vec<prop::sample::Index>);

/// Writes a random job, in which operations wait for some above them that their host hears of.
fn drawn_rows(drawn: &[Drawn]) -> Vec<String> {
    let mut ends: Vec<[u32; 2]> = Vec::new();
    let mut rows = Vec::new();
    for (position, (host, kind, amount, after)) in drawn.iter().enumerate() {
        let host = host % 4;
        let known: Vec<usize> = (0..position).filter(|&before| ends[before].contains(&host)).collect();
        let after = after.iter().filter(|_| !known.is_empty()).map(|index| format!("o{}", index.get(&known)));
        let (after, delay) = (after.collect::<Vec<_>>().join(" "), amount % 900);
        let destination = (host + 1 + kind % 3) % 4;
        let (to, work) = match kind / 3 % 3 {
            0 => (destination, format!("host{destination},{},0,{after},{delay},,", amount + 1)),
            1 => (host, format!(",,,{after},{delay},{amount},{}", kind % 2)),
            _ => (host, format!("host{host},{},,{after},{delay},,", amount % 3 * 1_000)),
        };
        ends.push([host, to]);
        rows.push(format!("o{position},host{host},{work}"));
    }
    rows
}

proptest! {
    #![proptest_config(cases(24))]

    /// Nothing is faster than what it waits for; what is ready begins at once, unless its stream is taken, and then as
    /// the one before it on that stream is done. So the job ends at its longest path, whatever the network does.
    #[test]
    fn a_random_job_takes_its_longest_path(
        drawn in prop::collection::vec((0_u32..4, 0_u32..99, 0_u64..20_000, prop::collection::vec(any::<prop::sample::Index>(), 0..4)), 1..40),
    ) {
        let rows = drawn_rows(&drawn);
        let (simulation, report) = wide_job(&rows.join("\n"));
        let flows = &report.job_flows;
        let mut on_streams: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
        for (position, row) in rows.iter().enumerate() {
            let fields: Vec<&str> = row.split(',').collect();
            let before = fields[5].split_whitespace().map(|name| name[1..].parse::<usize>().unwrap());
            let done = before.map(|before| {
                let ends_here = flows.destination[before] == flows.source[position];
                if ends_here { flows.received_ns[before] } else { flows.finish_ns[before] }
            });
            let ready = done.max().unwrap_or(3_000) + flows.delay_ns[position];
            let (start, end) = (flows.start_ns[position], flows.finish_ns[position]);
            if flows.stream[position] == u32::MAX {
                prop_assert!(start.abs_diff(ready) <= 1, "{row}: {start}, ready at {ready}");
            } else {
                prop_assert!(start + 1 >= ready, "{row}: {start}, ready at {ready}");
                prop_assert!((end - start).abs_diff(fields[7].parse().unwrap()) <= 1);
                on_streams.entry((flows.source[position], flows.stream[position])).or_default().push(position);
                let waited = flows.waited_for[position];
                if start > ready + 1 {
                    prop_assert_eq!(flows.finish_ns[waited as usize], start, "{}", row);
                }
            }
        }
        for mut of_stream in on_streams.into_values() {
            of_stream.sort_by_key(|&position| (flows.start_ns[position], flows.finish_ns[position]));
            for pair in of_stream.windows(2) {
                prop_assert!(flows.finish_ns[pair[0]] <= flows.start_ns[pair[1]], "one at a time");
            }
        }
        let last = flows.received_ns.iter().max().unwrap() - 3_000;
        prop_assert!(report.totals.jobs[0].completion_ns.unwrap().abs_diff(last) <= 1);
        prop_assert!(report.totals.jobs[0].computing_ns <= last + 1);
        let by_reference = Report::new(&simulation, &mut reference::run(&simulation).0);
        for other in [by_reference, crate::common::report(&simulation, Execution::with_threads(3))] {
            prop_assert_eq!(format!("{:?}", other.job_flows), format!("{:?}", flows));
            prop_assert_eq!(other.digest, report.digest.clone());
        }
    }
}
