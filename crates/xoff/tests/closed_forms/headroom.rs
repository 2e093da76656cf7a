//! What queues hold when their senders are told to pause, against the fixed points of `facts/planner.md` 2.

use xoff::kernel::units::{Bytes, Rate, Ratio, Span, Time};
use xoff::switch::buffer_policy::{self, dynamic_threshold::DynamicThreshold};
use xoff::switch::headroom::{Link, Parameters};
use xoff::switch::ingress::{Ingress, Sizes};

const PORTS: u64 = 32;
const CLASSES: u64 = 7;
const MEMORY: u64 = 16 << 20;
const PRIVATE: u64 = 3 << 10;
/// Phi of a link of 100 Gb/s and 2 us by the paper's formula.
const WORST_CASE: Bytes = Bytes::new(56_840);
const FRAME: Bytes = Bytes::new(1000);

/// The accounting of a Tomahawk with alpha 1/16 and this scheme.
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
        classes: (1 << CLASSES) - 1,
    };
    let xoff = DynamicThreshold { alpha: Ratio::new(1, 16), ..DynamicThreshold::default() };
    Ingress::new(sizes, buffer_policy::Parameters::DynamicThreshold(xoff), scheme)
}

/// Fills one queue of each of so many ports at line rate until all are told to pause, and returns what one of them holds.
/// Another class has sent one packet by each port, so that queues alternate and DSH keeps a margin.
fn held_at_pause(scheme: &str, saturated: u16) -> f64 {
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

/// `(alpha B - tau) / (1 + alpha M)`, within the few packets that the last to pause are behind the first.
fn assert_near(held: f64, expected: f64) {
    assert!((held - expected).abs() < 4.0 * FRAME.as_f64(), "{held} and not {expected}");
}

/// Two queues that others keep full and a burst of sixteen: the burst that pauses nobody is 10 % of memory with SIH and 40 %
/// with DSH (ICDCS 2023, figure 11).
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
