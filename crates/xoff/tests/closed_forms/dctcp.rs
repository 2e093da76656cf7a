//! DCTCP against its steady state (SIGCOMM 2010, section 3.3): N synchronised flows, C RTT packets in flight,
//! threshold K packets.

use xoff::Simulation;
use xoff::internals::engine::{Outcome, Quantity};
use xoff::units::Span;

use crate::common::{PLAIN, report};
use crate::{mean, most, recorded, run, simulation, validate};

const PACKET: f64 = 1500.0;
/// Packets that the path holds: 10 Gbps, 100 us, 1500 bytes.
const PIPE: f64 = 1e10 * 100e-6 / 8.0 / PACKET;
const WARM_UP: Span = Span::from_milliseconds(100);

/// N senders and one receiver around a switch. The round trip of a packet that never waits is 100 us: twice 1.2 us for
/// the packet, twice 51.2 ns for its acknowledgement, and four times 24.3744 us of propagation.
fn long_flows(flows: usize, threshold_packets: f64) -> (Simulation, Outcome) {
    let pairs: Vec<String> = (1..=flows).map(|sender| format!("['host{sender}', 'host0']")).collect();
    let simulation = simulation(&format!(
        "title = 'sawtooth'\n\
         topology = {{ kind = 'star', hosts = {}, host_link = {{ rate = '10Gbps', delay = '24374400ps' }} }}\n\
         switch = [{{ total = '16MB', buffer = {{ policy = 'complete_sharing' }}, \
         marking.queue = {{ kind = 'threshold', threshold = '{}B' }} }}]\n\
         transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }}, \
         payload = '1442B', headers = '58B', wire_overhead = '0B', acknowledgement = '64B' }}\n\
         workload = [{{ kind = 'long_lived', transport = 'dctcp', pairs = [{}] }}]\n\
         stop.at = '600ms'\nobserve.queues = {{ every = 'change', of = ['switch0.port0'] }}\n\
         observe.throughput = {{ every = '1ms', of = ['switch0.port0'] }}",
        flows + 1,
        (threshold_packets * PACKET).round(),
        pairs.join(", "),
    ));
    let outcome = run(&simulation);
    (simulation, outcome)
}

fn queue(flows: usize, threshold_packets: f64) -> Vec<f64> {
    let (simulation, outcome) = long_flows(flows, threshold_packets);
    let queue = recorded(&simulation, &outcome, Quantity::Queue, "switch0.port0", WARM_UP);
    queue.into_iter().map(|bytes| bytes / PACKET).collect()
}

/// Peak minus trough of each cycle.
///
/// A cycle ends where the queue rises above its mean by a quarter of the expected amplitude, after having been as far
/// below it.
fn amplitudes(queue: &[f64], expected: f64) -> Vec<f64> {
    let (middle, margin) = (mean(queue), expected / 4.0);
    let mut amplitudes = Vec::new();
    let (mut peak, mut trough, mut has_fallen) = (f64::NEG_INFINITY, f64::INFINITY, false);
    for &packets in queue {
        if has_fallen && packets > middle + margin {
            amplitudes.push(peak - trough);
            (peak, trough, has_fallen) = (f64::NEG_INFINITY, f64::INFINITY, false);
        }
        has_fallen |= packets < middle - margin;
        peak = peak.max(packets);
        trough = trough.min(packets);
    }
    amplitudes.split_off(1)
}

/// Solves alpha^2 (1 - alpha/4) = (2W+1)/(W+1)^2 for alpha, where W = (C RTT + K) / N; returns N (W+1) alpha / 2.
fn closed_form_amplitude(flows: f64, threshold: f64) -> f64 {
    let window = (PIPE + threshold) / flows;
    let wanted = (2.0 * window + 1.0) / (window + 1.0).powi(2);
    let (mut low, mut high) = (0.0_f64, 1.0);
    for _ in 0..60 {
        let alpha = f64::midpoint(low, high);
        let side = if alpha * alpha * (1.0 - alpha / 4.0) < wanted { &mut low } else { &mut high };
        *side = alpha;
    }
    flows * (window + 1.0) * low / 2.0
}

/// Computed by hand from section 3.3, with alpha exact and not by its square root.
#[test]
fn the_closed_form_is_that_of_the_paper() {
    for (flows, amplitude) in [(2.0, 11.413), (10.0, 26.703), (40.0, 59.167)] {
        assert!((closed_form_amplitude(flows, 40.0) - amplitude).abs() < 5e-4);
    }
}

fn sawtooth(flows: u32, tolerance: f64) {
    let threshold = 40.0;
    let queue = queue(flows as usize, threshold);
    let expected = closed_form_amplitude(flows.into(), threshold);
    let amplitudes = amplitudes(&queue, expected);
    assert!(amplitudes.len() > 100, "{} cycles", amplitudes.len());
    let what = |what: &str| format!("DCTCP, {flows} flows: {what}");
    validate(&what("most packets in the queue"), threshold + f64::from(flows), most(&queue), 3.0);
    let cycles = format!("mean amplitude of {} cycles, in packets", amplitudes.len());
    validate(&what(&cycles), expected, mean(&amplitudes), tolerance * expected);
}

#[test]
fn two_flows_make_the_sawtooth_of_the_closed_form() {
    sawtooth(2, 0.25);
}

#[test]
fn ten_flows_make_the_sawtooth_of_the_closed_form() {
    sawtooth(10, 0.40);
}

#[test]
fn a_threshold_of_a_quarter_of_the_pipe_keeps_the_link_full() {
    let (simulation, outcome) = long_flows(2, PIPE / 4.0);
    let throughput = recorded(&simulation, &outcome, Quantity::Throughput, "switch0.port0", WARM_UP);
    validate("DCTCP, 2 flows, K = BDP/4: share of the link", 1.0, mean(&throughput) / 1e10, 0.01);
}

/// Segments come every 12.3 us, marked or not by chance. A run of two that begins with one segment is acknowledged with
/// the next, before its 13 us are over, whatever became of the run before.
#[test]
fn a_run_of_delayed_acknowledgements_has_a_timer_of_its_own() {
    let run_with = |timeout: &str| {
        let simulation = simulation(&format!(
            "title = 'delayed acknowledgements'\n\
             topology = {{ kind = 'dumbbell', left = 1, right = 1, host_link = {{ rate = '10Gbps', delay = '1us' }}, \
             middle_link = {{ rate = '1Gbps', delay = '1us' }} }}\n\
             switch = [{{ total = '4MB', buffer = {{ policy = 'complete_sharing' }}, \
             marking.queue = {{ kind = 'red', minimum = '1B', maximum = '16kB', probability = 1.0 }} }}]\n\
             transport.dctcp = {{ kind = 'tcp', acknowledge_every = 2, acknowledge_timeout = '{timeout}', \
             congestion_control = {{ algorithm = 'dctcp', initial_alpha = 0, gain = '1/1000000000' }}, \
             maximum_window = '14600B' }}\n\
             workload = [{{ kind = 'long_lived', transport = 'dctcp', pairs = [['host0', 'host1']], size = '1460kB' }}]"
        ));
        let report = report(&simulation, PLAIN);
        assert!(report.totals.packets.marked > 0);
        report.digest
    };
    assert_eq!(run_with("13us"), run_with("1ms"));
}
