//! Priority flow control to the picosecond, and headroom to the byte.

use xoff::plan::headroom::{Headroom, Link};
use xoff::units::{Bytes, Rate, Span};
use xoff::{Files, Report, Simulation};

use crate::common::simulation_of;
use crate::{run, simulation};

/// `host1` sends frames of 1000 bytes, 80 ns each, back to back. The sixth, at 1516.64 ns, brings its queue to the
/// threshold.
///
/// At that very instant a frame the other way has begun on the same link, so that the pause frame waits for all of it.
/// The pause then takes effect at the very instant at which `host1` begins another frame.
fn worst_case(headroom: &str) -> Simulation {
    worst_case_with("", "5kB", headroom)
}

fn worst_case_with(cell: &str, threshold: &str, headroom: &str) -> Simulation {
    let links = ["rate = '10Gbps', delay = '36640ps'", "rate = '100Gbps', delay = '36640ps'"];
    worst_case_over(links, cell, threshold, headroom)
}

fn worst_case_over(links: [&str; 2], cell: &str, threshold: &str, headroom: &str) -> Simulation {
    simulation(&format!(
        "title = 'worst case'\n\
         pfc = {{ reaction_quanta = 0 }}\nclass = [{{ priority = 0, lossless = true }}]\n\
         topology = {{ kind = 'custom', hosts = ['host0', 'host1'], switches = ['switch0'], links = [\
         {{ between = ['host0', 'switch0'], {} }}, \
         {{ between = ['host1', 'switch0'], {} }}] }}\n\
         transport.steady = {{ kind = 'constant_rate', payload = '942B', wire_overhead = '0B' }}\n\
         switch = [{{ total = '100kB'{cell}, \
         pfc = {{ xoff = {{ policy = 'static_threshold', threshold = '{threshold}' }}, lossless_pool = '20kB'{headroom} }} }}]\n\
         workload = [{{ kind = 'long_lived', transport = 'steady', pairs = [['host1', 'host0']], size = '18840B', \
         start = '1us' }}, \
         {{ kind = 'long_lived', transport = 'steady', pairs = [['host0', 'host1']], size = '942B', start = '680ns' }}]",
        links[0], links[1]
    ))
}

fn dropped(headroom: &str) -> u64 {
    dropped_by(&worst_case(headroom))
}

fn dropped_by(simulation: &Simulation) -> u64 {
    let outcome = run(simulation);
    outcome.switches[0].ports().iter().map(|port| port.counters.dropped()).sum()
}

#[test]
fn headroom_by_formula_is_exactly_enough() {
    let link = Link {
        rate: Rate::from_gbps(100),
        pause_rate: Rate::from_gbps(100),
        delay: Span::new(36_640),
        largest: Bytes::new(1000),
        reaction_quanta: 0,
        pool_may_be_full: false,
    };
    assert_eq!(Headroom::of(&link).total(), Bytes::new(3000));
    assert_eq!(dropped(""), 0);
    assert_eq!(dropped(", headroom = { scheme = 'sih', size = '3000B' }"), 0);
    assert_eq!(dropped(", headroom = { scheme = 'sih', size = '2999B' }"), 1);
}

/// The way to `host1` has a tenth of the rate of the way from it. So the frame that has begun takes 800 ns and the pause
/// frame 67.2 ns. Over 46.4 ns the pause then takes effect at 2440 ns, as `host1` begins its nineteenth frame. Thirteen
/// frames come after the sixth. The way to `host0` is so slow that no second frame leaves the switch by then.
#[test]
fn headroom_of_a_link_with_two_rates_is_exactly_enough() {
    let dropped = |headroom: &str| {
        let links = [
            "rate = '10Gbps', rate_back = '1Gbps', delay = '46400ps'",
            "rate = '100Gbps', rate_back = '10Gbps', delay = '46400ps'",
        ];
        dropped_by(&worst_case_over(links, "", "5kB", headroom))
    };
    let link = Link {
        rate: Rate::from_gbps(100),
        pause_rate: Rate::from_gbps(10),
        delay: Span::new(46_400),
        largest: Bytes::new(1000),
        reaction_quanta: 0,
        pool_may_be_full: false,
    };
    assert_eq!(Headroom::of(&link).total(), Bytes::new(13_000));
    assert_eq!(dropped(""), 0);
    assert_eq!(dropped(", headroom = { scheme = 'sih', size = '13000B' }"), 0);
    assert_eq!(dropped(", headroom = { scheme = 'sih', size = '12999B' }"), 1);
}

/// Nothing pauses the sender at port 0, which needs no headroom.
#[test]
fn headroom_of_the_port_is_exactly_enough() {
    let dropped = |all: &str, at_ports: &str| {
        dropped(&format!(", headroom = {{ scheme = 'sih', size = '{all}', at_ports = [{{ {at_ports} }}] }}"))
    };
    assert_eq!(dropped("0B", "ports = [1], size = '3000B'"), 0);
    assert_eq!(dropped("0B", "ports = [1], size = '2999B'"), 1);
    assert_eq!(dropped("3000B", "ports = [0], size = '0B'"), 0);
    assert_eq!(dropped("9kB", "ports = [1], size = '2999B'"), 1);
}

/// Each frame of 1000 bytes takes six cells of 208. Five frames, 6240 bytes, bring the queue to the threshold as
/// before, and the three that come then take 3744.
#[test]
fn headroom_in_cells_is_exactly_enough() {
    let dropped = |size: &str| {
        let headroom = format!(", headroom = {{ scheme = 'sih'{size} }}");
        dropped_by(&worst_case_with(", cell = { size = '208B' }", "6kB", &headroom))
    };
    assert_eq!(dropped(""), 0);
    assert_eq!(dropped(", size = '3744B'"), 0);
    assert_eq!(dropped(", size = '3743B'"), 1);
}

/// Twenty frames leave at 10 Gbps as if nothing had ever paused, since the pool never runs dry.
#[test]
fn a_pause_costs_its_own_flow_nothing() {
    let simulation = worst_case("");
    let outcome = run(&simulation);
    let frame = Span::from_nanoseconds(800);
    let first_bit_leaves = Span::from_nanoseconds(80) + Span::new(36_640);
    let last_bit_arrives = first_bit_leaves + frame * 20 + Span::new(36_640);
    let flow = crate::measured(&simulation, &outcome).find(|flow| flow.flow.flow.size > Bytes::new(942));
    assert_eq!(flow.expect("it finishes").received, last_bit_arrives);
    let pauses = |host: usize| outcome.hosts[host].port().counters.paused;
    assert!(pauses(1) > Span::ZERO && pauses(0) == Span::ZERO);
}

/// Cores let go queues towards spines that have paused them, and send on. Until then headroom holds all that comes, as
/// it does without a watchdog.
#[test]
fn a_watchdog_that_forwards_overruns_the_headroom_behind_the_queues_that_it_lets_go() {
    let with = |overrides: &[&str]| {
        let case = include_str!("scenarios/watchdog_forward.toml");
        let simulation = simulation_of(case, overrides, &Files::new());
        let report = Report::new(&simulation, &mut run(&simulation));
        (report, simulation.notes().iter().any(|note| note.starts_with("pfc.watchdog: ")))
    };
    let (report, is_noted) = with(&["observe.drops.every=change"]);
    assert!(is_noted);
    assert_eq!(report.totals.packets.dropped, report.totals.packets.dropped_headroom_full);
    let let_go: Vec<u64> = report.pathologies.watchdog.iter().map(|of| of.detected_ns).collect();
    assert_eq!(
        report.pathologies.watchdog.iter().map(|of| of.port.as_str()).collect::<Vec<_>>(),
        ["core2.port2", "core3.port2"]
    );
    assert!(!report.drops.time_ns.is_empty() && report.drops.time_ns.iter().all(|time| *time > let_go[0]));

    for without in ["pfc.watchdog=", "pfc.detection_time=1ms"] {
        let (report, is_noted) = with(&[without]);
        assert_eq!((report.totals.packets.dropped, is_noted), (0, without != "pfc.watchdog="));
    }
}
