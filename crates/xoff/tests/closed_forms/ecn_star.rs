//! ECN-star against the sawtooth of two synchronised flows that halve: a threshold of one pipe keeps the link full.

use xoff::internals::engine::Quantity;
use xoff::units::Span;

use crate::{mean, recorded, run, simulation, validate};

/// Bytes that the path holds: 100 Gbps and 80 us (BCC, APNet 2017, section 2.2).
const PIPE: u64 = 1_000_000;

/// Share of the link that two senders to one receiver fill, over a round trip of 80 us that is made of four links.
fn share_of_the_link(threshold: u64, acknowledge_every: u32) -> f64 {
    let simulation = simulation(&format!(
        "title = 'halving'\n\
         topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '100Gbps', delay = '20us' }} }}\n\
         switch = [{{ total = '16MB', buffer = {{ policy = 'complete_sharing' }}, \
         marking.queue = {{ kind = 'threshold', threshold = '{threshold}B' }} }}]\n\
         transport.ecn_star = {{ kind = 'tcp', congestion_control = {{ algorithm = 'ecn_star' }}, payload = '8960B', \
         headers = '40B', wire_overhead = '0B', acknowledge_every = {acknowledge_every} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'ecn_star', \
         pairs = [['host1', 'host0'], ['host2', 'host0']] }}]\n\
         stop.at = '60ms'\nobserve.throughput = {{ every = '1ms', of = ['switch0.port0'] }}",
    ));
    let outcome = run(&simulation);
    let warm_up = Span::from_milliseconds(10);
    let throughput = recorded(&simulation, &outcome, Quantity::Throughput, "switch0.port0", warm_up);
    mean(&throughput) / 1e11
}

#[test]
fn a_threshold_of_one_pipe_keeps_the_link_full() {
    for acknowledge_every in [1, 2] {
        let what = format!(
            "ECN-star, 2 flows, K = BDP, an acknowledgement per {acknowledge_every}: share of the link"
        );
        validate(&what, 1.0, share_of_the_link(PIPE, acknowledge_every), 0.01);
    }
}

/// The windows together swing between half of 1 + k pipes and all of it, where k is the threshold over the pipe. A
/// round delivers its window. It lasts a round trip of the empty path, or as long as the link takes for the window.
fn share_in_theory(k: f64) -> f64 {
    let (low, high) = (f64::midpoint(1.0, k), 1.0 + k);
    let delivered = (high * high - low * low) / 2.0;
    let lasted = (1.0 - low) + (high * high - 1.0) / 2.0;
    delivered / lasted
}

#[test]
fn a_smaller_threshold_costs_what_the_sawtooth_says() {
    for k in [0.1, 0.3, 0.5] {
        let measured = share_of_the_link((k * PIPE as f64) as u64, 1);
        let what = format!("ECN-star, 2 flows, K = {k} BDP: share of the link");
        validate(&what, share_in_theory(k), measured, 0.02);
    }
}
