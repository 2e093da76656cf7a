//! Token-bucket shapers against what a token bucket says: when each packet of a burst leaves, how many are marked
//! behind it, and how many bytes pass in a time.

use xoff::Simulation;
use xoff::internals::engine::Outcome;
use xoff::internals::observer::DropReason;
use xoff::internals::port::Port;
use xoff::units::{Bytes, Rate, Span};

use crate::{measured, run, simulation};

/// Frame of a full packet, as Linux counts it.
const FRAME: u64 = 1514;
const BURST: u64 = 1600;
/// Wire of a full packet.
const WIRE: u64 = 1538;
const LINK: Rate = Rate::from_gbps(100);
const DELAY: Span = Span::from_microseconds(1);

/// Simulates two hosts on links of 100 Gb/s around a switch, whose port to `host1` is shaped to `rate`.
fn shaped(rate: &str, transport: &str, workload: &str, settings: &str) -> Simulation {
    simulation(&text_of(rate, transport, workload, settings))
}

fn text_of(rate: &str, transport: &str, workload: &str, settings: &str) -> String {
    format!(
        "title = 'shaped'\n\
         topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         transport.one = {{ headers = '54B', wire_overhead = '24B', payload = '1460B', {transport} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'one', pairs = [['host0', 'host1']], {workload} }}]\n\
         switch = [{{ shapers.host1 = {{ rate = '{rate}', burst = '{BURST}B' }}, {settings} }}]\n"
    )
}

fn to_receiver(outcome: &Outcome) -> &Port {
    &outcome.switches[0].ports()[1]
}

/// The first packet finds a full bucket and leaves at once. The last of `packets` leaves once there are tokens for all.
#[test]
fn packets_of_a_burst_leave_their_length_over_the_rate_apart() {
    for (rate, mbps) in [("10Mbps", 10), ("50Mbps", 50), ("1Gbps", 1000)] {
        for packets in [1, 2, 3, 10] {
            let size = format!("size = '{}B'", 1460 * packets);
            let simulation = shaped(rate, "kind = 'constant_rate'", &size, "");
            let outcome = run(&simulation);
            let flow = measured(&simulation, &outcome).next().expect("one flow");
            let hop = LINK.transmission_time(Bytes::new(WIRE)) + DELAY;
            let missing = Bytes::new((FRAME * packets).saturating_sub(BURST));
            let waits = Rate::new(mbps * 1_000_000).transmission_time(missing);
            assert_eq!(flow.received, hop + waits + hop, "{packets} packets at {rate}");
        }
    }
}

/// Ten packets come at once. The first leaves; the one behind it waits for tokens and counts in the queue.
#[test]
fn the_packet_that_waits_for_tokens_is_in_the_queue() {
    let transport = "kind = 'tcp', congestion_control = { algorithm = 'dctcp' }, minimum_rto = '100ms'";
    for (threshold, marked) in [(0, 8), (FRAME - 1, 8), (FRAME, 7), (8 * FRAME - 1, 1), (8 * FRAME, 0)] {
        let marking = format!("marking.queue = {{ kind = 'threshold', threshold = '{threshold}B' }}");
        let simulation = shaped("50Mbps", transport, "size = '14600B'", &marking);
        assert_eq!(to_receiver(&run(&simulation)).counters.marked, marked, "above {threshold} B");
    }
}

/// Of a port that always has packets, all that a full bucket and the rate bring has passed, but for less than a packet.
#[test]
fn a_port_that_always_has_packets_uses_every_token() {
    let transport = "kind = 'tcp', congestion_control = { algorithm = 'reno' }, initial_window = 9000, minimum_rto = '1s'";
    for (rate, bits_in_a_microsecond) in [("10Mbps", 10), ("50Mbps", 50), ("1Gbps", 1000)] {
        let simulation = simulation(&(text_of(rate, transport, "", "total = '90MB'") + "stop.at = '100ms'"));
        let outcome = run(&simulation);
        let port = to_receiver(&outcome);
        // Until the first packet comes, the bucket is full.
        let first = (LINK.transmission_time(Bytes::new(WIRE)) + DELAY).as_seconds() * 1e6;
        let brought = BURST as f64 + (100_000.0 - first) * f64::from(bits_in_a_microsecond) / 8.0;
        assert_eq!(port.counters.packets, (brought / FRAME as f64) as u64, "at {rate}");
        let [passed, could] = port.shaped_by(outcome.end.expect("it ends")).expect("it has a shaper");
        assert_eq!(passed, Bytes::new(port.counters.packets * FRAME).picobits());
        assert!(passed <= could);
    }
}

/// Senders of a lossless class are paused by what waits for tokens, and pause frames need none.
#[test]
fn a_shaped_port_holds_up_lossless_senders_and_loses_nothing() {
    let text = "title = 'shaped and lossless'\n\
                topology = { kind = 'star', hosts = 3, host_link = { rate = '100Gbps', delay = '1us' } }\n\
                class = [{ priority = 0, lossless = true }, { priority = 7 }]\n\
                transport.one = { kind = 'roce', control_priority = 7 }\n\
                workload = [{ kind = 'long_lived', transport = 'one', size = '1MB', \
                pairs = [['host0', 'host2'], ['host1', 'host2']] }]\n\
                switch = [{ shapers.'host*' = { rate = '1Gbps', burst = '3kB' }, \
                pfc.xoff = { policy = 'static_threshold', threshold = '20kB' } }]";
    let simulation = simulation(text);
    let outcome = run(&simulation);
    let [one, other, port] = outcome.switches[0].ports() else { panic!("three ports") };
    assert!(one.counters.pause_frames > 0 && other.counters.pause_frames > 0);
    assert!(DropReason::ALL.iter().all(|reason| port.counters.dropped_data[*reason as usize] == 0));
    let packets = 2 * 1_000_000_u64.div_ceil(1024);
    assert_eq!(port.counters.packets, packets, "each packet once");
    let frames = Bytes::new(2 * 1_000_000 + packets * 62 - 3000);
    let least = Rate::from_gbps(1).transmission_time(frames);
    let last = measured(&simulation, &outcome).map(|flow| flow.received).max().expect("two flows");
    assert!(least <= last && last < least + Span::from_microseconds(10), "{least:?} {last:?}");
}
