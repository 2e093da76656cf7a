//! Headroom of a switch whose ports differ in rate and length.
//!
//! With headroom of its own for each port it loses nothing. With one size for all that is too small for some, it does.

use xoff::internals::switch::Switch;
use xoff::network::NodeId;
use xoff::plan::headroom::{Headroom, Link, reaction_quanta};
use xoff::units::{Bytes, Span};
use xoff::{Report, Simulation};

use crate::{reference, run, simulation};

/// Headroom of the ports, with frames of 1000 bytes.
///
/// Ports down have 25 Gb/s and 100 m. Ports up have 100 Gb/s; one is 800 m long and the other 200 m. Each needs the
/// sum of 3 x 1000 + 84, its reaction time and its bytes in flight. These are 64 x 80 and 2 x 1562.5 down, and
/// 64 x 394 and 2 x 50,000 or 2 x 12,500 up.
const DOWN: u64 = 11_329;
const FAR_UP: u64 = 128_300;
const NEAR_UP: u64 = 53_300;
const PORTS: [u64; 6] = [DOWN, DOWN, DOWN, DOWN, FAR_UP, NEAR_UP];

/// All hosts send as fast as they can to the first, which sends to the farthest.
fn everybody_to_one(alpha: &str, headroom: &str) -> Simulation {
    let link = |port: usize| {
        let link = match port {
            4 => "rate = '100Gbps', delay = '4us'",
            5 => "rate = '100Gbps', delay = '1us'",
            _ => "rate = '25Gbps', delay = '500ns'",
        };
        format!("{{ between = ['host{port}', 'switch0'], {link} }}")
    };
    let links: Vec<String> = (0..PORTS.len()).map(link).collect();
    let pfc = format!(
        "xoff = {{ policy = 'dynamic_threshold', alpha = {alpha} }}, lossless_pool = '60kB'{headroom}"
    );
    simulation(&format!(
        "title = 'mixed ports'\n\
         class = [{{ priority = 0, lossless = true }}]\n\
         topology = {{ kind = 'custom', hosts = ['host0', 'host1', 'host2', 'host3', 'host4', 'host5'], \
         switches = ['switch0'], links = [{}] }}\n\
         transport.steady = {{ kind = 'constant_rate', payload = '942B', wire_overhead = '0B' }}\n\
         switch = [{{ total = '2MB', pfc = {{ {pfc} }} }}]\n\
         workload = [{{ kind = 'long_lived', transport = 'steady', size = '942kB', \
         pairs = [['host1', 'host0'], ['host2', 'host0'], ['host3', 'host0'], ['host4', 'host0'], ['host5', 'host0'], \
         ['host0', 'host4'], ['host5', 'host4']] }}]",
        links.join(", ")
    ))
}

/// Thresholds below which other ports are pushed, and pools that run full.
const ALPHAS: [&str; 2] = ["'1/8'", "8"];

fn dropped(headroom: &str) -> u64 {
    let of_switch = |switch: &Switch| switch.ports().iter().map(|port| port.counters.dropped()).sum::<u64>();
    ALPHAS.iter().map(|alpha| of_switch(&run(&everybody_to_one(alpha, headroom)).switches[0])).sum()
}

fn set_aside(headroom: &str) -> Bytes {
    let outcome = run(&everybody_to_one(ALPHAS[0], headroom));
    outcome.switches[0].pausing().expect("a class is lossless").ingress().headroom_set_aside()
}

/// Writes a headroom scheme with a size for each kind of port, by hand.
fn by_hand(scheme: &str, down: u64, far_up: u64, near_up: u64) -> String {
    format!(
        ", headroom = {{ scheme = '{scheme}', size = '{down}B', at_ports = [{{ ports = [4], size = '{far_up}B' }}, \
         {{ ports = [5], size = '{near_up}B' }}] }}"
    )
}

#[test]
fn the_formula_goes_by_the_link_of_each_port() {
    let simulation = everybody_to_one("1", "");
    let network = simulation.network();
    let switch = PORTS.len() as NodeId;
    for (port, expected) in network.ports.of(switch).iter().zip(PORTS) {
        let link = &network.links[port.link as usize];
        let headroom = Headroom::of(&Link {
            rate: link.rates[1],
            pause_rate: link.rates[0],
            delay: link.delay,
            largest: Bytes::new(1000),
            reaction_quanta: reaction_quanta(link.rates[1]),
            pool_may_be_full: true,
        });
        assert_eq!(headroom.total(), Bytes::new(expected));
    }
    assert_eq!(set_aside(""), Bytes::new(PORTS.iter().sum()));
}

#[test]
fn ports_with_headroom_of_their_own_lose_nothing() {
    for headroom in [
        String::new(),
        ", headroom = { scheme = 'adaptive' }".to_owned(),
        ", headroom = { scheme = 'dsh' }".to_owned(),
        ", headroom = { scheme = 'dsh', shared_headroom = false }".to_owned(),
        by_hand("sih", DOWN, FAR_UP, NEAR_UP),
        by_hand("dsh", DOWN, FAR_UP, NEAR_UP),
    ] {
        assert_eq!(dropped(&headroom), 0, "{headroom}");
    }
    let (pauses, used) = {
        let outcome = run(&everybody_to_one(ALPHAS[1], ""));
        let pauses = outcome.hosts.iter().map(|host| host.port().counters.paused).collect::<Vec<Span>>();
        (pauses, outcome.switches[0].pausing().expect("it pauses").ingress().headroom_peak())
    };
    assert!(pauses[1..].iter().all(|&paused| paused > Span::ZERO), "every sender to the first is paused");
    assert!(used > Bytes::new(FAR_UP), "headroom of several ports is in use: {used}");
}

/// Counts the pause frames that each port has sent, where ports of one rate pause by another threshold.
fn pause_frames(at_rate: &str) -> Vec<u64> {
    let outcome = run(&everybody_to_one(ALPHAS[0], &format!(", headroom = {{ scheme = 'sih' }}{at_rate}")));
    outcome.switches[0].ports().iter().map(|port| port.counters.pause_frames).collect()
}

#[test]
fn ports_pause_by_what_is_said_of_their_rate() {
    let of_all = pause_frames("");
    let policy = |alpha: &str| format!("{{ xoff = {{ policy = 'dynamic_threshold', alpha = {alpha} }} }}");
    let same = format!(", at_rate = {{ 25Gbps = {0}, 100Gbps = {0} }}", policy(ALPHAS[0]));
    assert_eq!(pause_frames(&same), of_all);
    let with_more_for_others = pause_frames(&format!(", at_rate = {{ 100Gbps = {} }}", policy("8")));
    assert!(
        (0..4).all(|port| with_more_for_others[port] > of_all[port]),
        "{with_more_for_others:?} {of_all:?}"
    );
}

#[test]
fn ports_with_the_headroom_of_others_lose_packets() {
    assert!(dropped(&by_hand("sih", DOWN, DOWN, NEAR_UP)) > 0);
    assert!(dropped(&by_hand("sih", DOWN, FAR_UP, DOWN)) > 0);
    assert!(dropped(&by_hand("sih", 2000, FAR_UP, NEAR_UP)) > 0);
    assert!(dropped(&format!(", headroom = {{ scheme = 'sih', size = '{DOWN}B' }}")) > 0);
}

/// Sizes come by formula, by hand or by rate, and the last runs are in the reference engine too.
#[test]
fn the_same_sizes_give_the_same_run() {
    for (scheme, alpha) in [("sih", ALPHAS[0]), ("sih", ALPHAS[1]), ("dsh", ALPHAS[0]), ("dsh", ALPHAS[1])] {
        let computed = everybody_to_one(alpha, &format!(", headroom = {{ scheme = '{scheme}' }}"));
        let digest = |simulation: &Simulation| Report::new(simulation, &mut run(simulation)).digest;
        assert_eq!(
            digest(&everybody_to_one(alpha, &by_hand(scheme, DOWN, FAR_UP, NEAR_UP))),
            digest(&computed)
        );
        let by_rate = format!(
            ", headroom = {{ scheme = '{scheme}', at_ports = [{{ ports = [4], size = '{FAR_UP}B' }}] }}, \
             at_rate = {{ 25Gbps = {{ headroom = '{DOWN}B' }}, 100Gbps = {{ headroom = '{NEAR_UP}B' }} }}"
        );
        assert_eq!(digest(&everybody_to_one(alpha, &by_rate)), digest(&computed));
        let by_reference = Report::new(&computed, &mut reference::run(&computed).0).digest;
        assert_eq!(by_reference, digest(&computed), "{scheme} {alpha}");
    }
}
