//! Jobs whose flows are alone on their links take the time of their computations and of their flows alone.

use std::fmt::Write;

use xoff::internals::ideal;
use xoff::units::{Bytes, Span};
use xoff::{Files, Report, Simulation};

use crate::common::{PLAIN, report, simulation_of};

const HEAD: &str = "flow,source,destination,size_bytes,priority,after,delay_ns\n";

fn job(rows: &str, rest: &str) -> (Simulation, Report) {
    let text = format!(
        "title = 'job'\ntopology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         transport.raw = {{ kind = 'constant_rate', payload = '1000B' }}\n\
         transport.roce = {{ kind = 'roce', connections = 'persistent' }}\n\
         workload = [{{ kind = 'job', file = 'job.csv', start = '3us', transport = 'roce' }}]\n{rest}"
    );
    let files = Files::from([("job.csv".to_owned(), format!("{HEAD}{rows}"))]);
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
    assert_eq!(report.job_flow_names, ["long", "short", "back"]);
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
