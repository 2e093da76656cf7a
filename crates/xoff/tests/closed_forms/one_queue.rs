//! One queue with one server: packets of one size at random times wait as M/D/1 says.

use crate::{mean, measured, run, simulation, validate};

const PACKETS: usize = 2_050_000;
/// 1000 bytes on the wire at 100 Gbps, in picoseconds.
const SERVICE: f64 = 80_000.0;
const LOAD: f64 = 0.8;

/// Returns the waiting times at the adapter of each of two hosts, in service times.
///
/// The hosts send to one another, in flows of one packet. Each adapter is a queue of its own at load 0.8. Behind it
/// nothing waits, since packets come out no faster than the links that follow take them.
fn waits(seed: u32) -> [Vec<f64>; 2] {
    let simulation = simulation(&format!(
        "title = 'M/D/1'\nseed = {seed}\n\
         topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         transport.steady = {{ kind = 'constant_rate', payload = '922B' }}\n\
         workload = [{{ kind = 'poisson', transport = 'steady', sizes = {{ fixed = '922B' }}, load = {LOAD}, \
         of = 'host', load_counts = 'wire' }}]\n\
         stop = {{ after_flows = {PACKETS}, period = '1ms' }}"
    ));
    let outcome = run(&simulation);
    let mut waits = [Vec::new(), Vec::new()];
    for flow in measured(&simulation, &outcome) {
        waits[flow.source as usize].push((flow.received - flow.ideal.received).get() as f64 / SERVICE);
    }
    waits
}

#[test]
fn waiting_at_one_adapter_is_that_of_an_m_d_1_queue() {
    let [mut first, mut second] = waits(1);
    let more = waits(2);
    first.extend_from_slice(&more[0]);
    second.extend_from_slice(&more[1]);
    for waits in [first, second] {
        assert!(waits.len() >= 2_000_000);
        let expected = LOAD / (2.0 * (1.0 - LOAD));
        validate("M/D/1 at load 0.8: mean wait, in service times", expected, mean(&waits), 0.02 * expected);
        let at_once = waits.iter().filter(|&&wait| wait == 0.0).count() as f64 / waits.len() as f64;
        validate("M/D/1 at load 0.8: share that does not wait", 1.0 - LOAD, at_once, 0.002);
    }
}
