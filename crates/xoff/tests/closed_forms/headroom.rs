//! Bytes that queues hold when their senders are told to pause, against the fixed points of DSH's equations 2 and 10
//! (ToN 2025).

use xoff::internals::switch::buffer_policy::{self, dynamic_threshold::DynamicThreshold};
use xoff::internals::switch::headroom::{Link, Parameters};
use xoff::internals::switch::ingress::{Ingress, Sizes};
use xoff::units::{Bytes, Rate, Ratio, Span, Time};

use crate::common::{PLAIN, report};
use crate::{run, simulation};

const PORTS: u64 = 32;
const CLASSES: u64 = 7;
const MEMORY: u64 = 16 << 20;
const PRIVATE: u64 = 3 << 10;
/// Phi of a link of 100 Gb/s and 2 us by the paper's formula.
const WORST_CASE: Bytes = Bytes::new(56_840);
const FRAME: Bytes = Bytes::new(1000);

/// Makes the accounting of a Tomahawk with alpha 1/16 and this scheme.
fn tomahawk(scheme: &str) -> Ingress {
    let link = Link { rate: Rate::from_gbps(100), delay: Span::from_microseconds(2), worst_case: WORST_CASE };
    let parameters: Parameters = toml::from_str(scheme).unwrap();
    let scheme = parameters.start(&[link; PORTS as usize], CLASSES).unwrap();
    let queues = PORTS * CLASSES;
    let sizes = Sizes {
        shared: Bytes::new(MEMORY - PRIVATE * queues) - scheme.set_aside(),
        reserved: Bytes::ZERO,
        xon_offset: Bytes::ZERO,
        ports: PORTS as usize,
        classes: (0..CLASSES as u8).collect(),
    };
    let xoff = DynamicThreshold { alpha: Ratio::new(1, 16), ..DynamicThreshold::default() };
    Ingress::new(sizes, buffer_policy::Parameters::DynamicThreshold(xoff), scheme)
}

/// Fills one queue of each of `saturated` ports at line rate until all are told to pause, and returns the bytes in one
/// of them.
///
/// Another class has sent one packet by each port, so that queues alternate and DSH keeps a margin.
fn held_at_pause(scheme: &str, saturated: u32) -> f64 {
    let mut ingress = tomahawk(scheme);
    let mut now = Time::ZERO;
    for port in 0..saturated {
        let (_, admitted) = ingress.admit(now, Ingress::queue(port, 2), FRAME);
        assert!(admitted.is_ok());
    }
    while !(0..saturated).all(|port| ingress.is_off(Ingress::queue(port, 1))) {
        now = now + Span::from_nanoseconds(80);
        for port in 0..saturated {
            let queue = Ingress::queue(port, 1);
            if !ingress.is_off(queue) {
                assert!(ingress.admit(now, queue, FRAME).1.is_ok());
            }
        }
    }
    ingress.bytes(Ingress::queue(0, 1)).as_f64()
}

/// Compares with `(alpha B - tau) / (1 + alpha M)`, within the few packets that the last queue to pause is behind the
/// first.
fn assert_near(held: f64, expected: f64) {
    assert!((held - expected).abs() < 4.0 * FRAME.as_f64(), "{held} and not {expected}");
}

/// Two queues stay full, and a burst fills sixteen more. The largest burst that pauses nobody is 10 % of memory with
/// SIH and 40 % with DSH (ICDCS 2023, figure 11).
#[test]
fn a_burst_without_a_pause_is_four_times_as_large_with_dsh() {
    let sih = held_at_pause("scheme = 'sih'", 18);
    let dsh = held_at_pause("scheme = 'dsh'", 18);
    assert_near(sih, 98_733.0);
    assert_near(dsh, 392_964.0);
    // Each of the sixteen drains at a sixteenth while it fills.
    let share = |held: f64| 16.0 * held * 16.0 / 15.0 / MEMORY as f64;
    assert!((share(sih) - 0.1004).abs() < 0.005, "{}", share(sih));
    assert!((share(dsh) - 0.3997).abs() < 0.005, "{}", share(dsh));
}

#[test]
fn saturated_queues_meet_at_the_threshold() {
    for (saturated, sih) in [(1, 197_466.0), (8, 139_872.0), (32, 69_936.0)] {
        assert_near(held_at_pause("scheme = 'sih'", saturated), sih);
    }
}

/// Bytes of `host1` in the switch when it is first told to pause.
///
/// Its class 3 shares a link of 100 Gb/s with another host, under a threshold of 200 kB. Its class 4, if present, takes
/// another port and never waits.
fn held_at_first_pause(release: &str, others: &str) -> Bytes {
    let steady = |transport: &str, pair: &str, class: u8| {
        format!("{{ kind = 'long_lived', transport = '{transport}', pairs = [{pair}], priority = {class} }}")
    };
    let mut workloads =
        vec![steady("half", "['host1', 'host0']", 3), steady("whole", "['host2', 'host0']", 3)];
    if !others.is_empty() {
        workloads.push(steady("half", others, 4));
    }
    let outcome = run(&simulation(&format!(
        "title = 'turns'\n\
         topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         class = [{{ priority = 3, lossless = true }}, {{ priority = 4, lossless = true }}, {{ priority = 7 }}]\n\
         switch = [{{ total = '16MB', release = '{release}', \
         pfc = {{ xoff = {{ policy = 'static_threshold', threshold = '200kB' }}, headroom = {{ scheme = 'dsh' }} }} }}]\n\
         transport.half = {{ kind = 'constant_rate', payload = '942B', rate = '49Gbps' }}\n\
         transport.whole = {{ kind = 'constant_rate', payload = '942B', rate = '99Gbps' }}\n\
         workload = [{}]\nstop.at = '200us'\nobserve.pauses = true",
        workloads.join(", ")
    )));
    let port_of_host1 = outcome.switches[0].ports()[1].id();
    let first = outcome.pauses.xoffs.iter().find(|(_, xoff)| xoff.port == port_of_host1);
    first.expect("it is paused").1.bytes
}

/// Algorithm 4 of DSH looks at the packets that come in by a port, whether or not they wait. With two classes in turns
/// the queue pauses a margin below its threshold.
#[test]
fn queues_take_turns_at_a_port_though_one_never_waits() {
    for release in ["transmission_start", "transmission_end"] {
        let alone = held_at_first_pause(release, "").as_f64();
        let in_turns = held_at_first_pause(release, "['host1', 'host3']").as_f64();
        assert!((alone - 200e3).abs() <= 1e3, "{release}: {alone}");
        assert!((in_turns - 148e3).abs() <= 4e3, "{release}: {in_turns}");
    }
}

/// Of two lossless classes one sends little. Under DSH its queues are off when its port is, even if the other class
/// caused that.
#[test]
fn every_pause_of_a_lossless_class_is_a_time_in_which_its_queue_was_off() {
    for scheme in
        ["scheme = 'sih'", "scheme = 'dsh'", "scheme = 'dsh', shared_headroom = false", "scheme = 'adaptive'"]
    {
        let report = report(
            &simulation(&format!(
                "title = 'off times'\n\
                 topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
                 class = [{{ priority = 3, lossless = true }}, {{ priority = 4, lossless = true }}]\n\
                 switch = [{{ total = '1MB', scheduler = {{ kind = 'deficit_round_robin' }}, pfc = {{ \
                 xoff = {{ policy = 'dynamic_threshold', alpha = '1/8' }}, headroom = {{ {scheme} }} }} }}]\n\
                 transport.blocks = {{ kind = 'constant_rate', payload = '1000B' }}\n\
                 transport.slow = {{ kind = 'constant_rate', payload = '1000B', rate = '200Mbps' }}\n\
                 workload = [{{ kind = 'long_lived', transport = 'blocks', priority = 3, size = '2MB', \
                 pairs = [['host0', 'host3'], ['host1', 'host3'], ['host2', 'host3']] }}, \
                 {{ kind = 'long_lived', transport = 'slow', priority = 4, size = '20kB', pairs = [['host0', 'host3']] }}]\n\
                 observe = {{ pauses = true, headroom = true }}"
            )),
            PLAIN,
        );
        let (pauses, off) = (&report.pauses, &report.off_times);
        let lossless = |row: &(u32, u8, u64)| [3, 4].contains(&row.1);
        let rows = |ports: &[u32], priorities: &[u8], times: &[u64]| {
            let rows = ports
                .iter()
                .zip(priorities)
                .zip(times)
                .map(|((port, priority), time)| (*port, *priority, *time));
            let mut rows: Vec<_> = rows.filter(lossless).collect();
            rows.sort_unstable();
            rows
        };
        let paused = rows(&pauses.port, &pauses.priority, &pauses.xoff_ns);
        assert!(paused.iter().any(|row| row.1 == 3), "{scheme}");
        assert_eq!(rows(&off.port, &off.priority, &off.xoff_ns), paused, "{scheme}");
    }
}
