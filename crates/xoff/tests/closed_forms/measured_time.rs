//! Measured time, against runs that end where it begins and where it ends.

use xoff::{Files, Report};

use crate::common::{PLAIN, report, simulation_of};

/// Flows without end, and others that come and go, of all transports.
const SCENARIO: &str = "title = 'measured'\n\
    topology = { kind = 'star', hosts = 6, host_link = { rate = '10Gbps', delay = '1us' } }\n\
    switch = [{ total = '1MB', marking.queue = { kind = 'threshold', threshold = '30kB' } }]\n\
    transport.dctcp = { kind = 'tcp', congestion_control = { algorithm = 'dctcp' } }\n\
    transport.roce = { kind = 'roce', payload = '1000B' }\n\
    transport.steady = { kind = 'constant_rate', rate = '1Gbps' }\n\
    workload = [\n\
        { kind = 'long_lived', transport = 'dctcp', pairs = [['host0', 'host3'], ['host1', 'host3']], start = '300us' },\n\
        { kind = 'long_lived', transport = 'roce', pairs = [['host2', 'host4']] },\n\
        { kind = 'long_lived', transport = 'steady', pairs = [['host5', 'host4']] },\n\
        { kind = 'poisson', transport = 'dctcp', sizes = { fixed = '100kB' }, load = 0.3, of = 'host' },\n\
    ]\n";

fn until(end: &str, measure: &str) -> Report {
    let text = format!("{measure}\n{SCENARIO}stop.at = '{end}'");
    report(&simulation_of(&text, &[], &Files::new()), PLAIN)
}

/// Source and number of each flow that is not finished, with a value.
fn of_flows<T: Copy>(report: &Report, values: &[T]) -> Vec<((u32, u32), T)> {
    let keys = report.unfinished.source.iter().copied().zip(report.unfinished.number.iter().copied());
    keys.zip(values.iter().copied()).collect()
}

#[test]
fn what_is_received_in_it_is_the_difference_of_what_is_received_by_its_ends() {
    let (start, end) = (until("1ms", ""), until("2ms", ""));
    let measured = until("3ms", "measure = { start = '1ms', end = '2ms' }");
    let payload = |report: &Report| report.totals.measured.payload_delivered_bytes;
    assert_eq!(payload(&measured), payload(&end) - payload(&start));
    assert!(payload(&measured) > 0);
    let received = |report: &Report| of_flows(report, &report.unfinished.received_bytes);
    let (by_start, by_end) = (received(&start), received(&end));
    let of = |by: &[((u32, u32), u64)], flow| by.iter().find(|row| row.0 == flow).map(|row| row.1);
    let long_lived = of_flows(&measured, &measured.unfinished.goodput_gbps)
        .into_iter()
        .zip(&measured.unfinished.size_bytes);
    for ((flow, goodput_gbps), _) in long_lived.filter(|row| *row.1 == u64::MAX) {
        let gained = of(&by_end, flow).expect("it has no end") - of(&by_start, flow).expect("it has begun");
        assert!(gained > 0);
        assert!((goodput_gbps - gained as f64 * 8.0 / 1e6).abs() < 1e-9, "{flow:?}: {goodput_gbps} Gbps");
    }
}

#[test]
fn flows_count_if_they_start_in_it() {
    let measured = until("3ms", "measure = { start = '1ms', end = '2ms' }");
    let counts = |start_ns: u64| (1_000_000..2_000_000).contains(&start_ns);
    for row in &measured.flows.rows {
        assert_eq!(row.measured, counts(row.start.as_nanoseconds()), "{row:?}");
    }
    assert!(measured.flows.rows.iter().any(|row| row.measured));
    assert!(measured.flows.rows.iter().any(|row| !row.measured));
    assert_eq!(measured.digest, until("3ms", "").digest, "it is no part of what happens");
}

#[test]
fn flows_that_start_after_it_have_no_goodput() {
    let late = until("3ms", "measure = { end = '200us' }");
    let goodputs = of_flows(&late, &late.unfinished.goodput_gbps);
    let of = |host: u32| goodputs.iter().find(|row| row.0.0 == host).expect("it has a flow").1;
    assert!(of(0).is_nan() && of(1).is_nan(), "they start after 300 us");
    assert!(of(2) > 1.0);
}
