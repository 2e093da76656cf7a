//! Links that fail, come back and change their rate, with losses and delays that can be counted.

use xoff::internals::engine::{Outcome, PauseChange};
use xoff::internals::observer::DropReason;
use xoff::internals::port::Port;
use xoff::network::NodeId;
use xoff::units::Span;
use xoff::{Report, Simulation};

use crate::{measured, ports, run, simulation};

/// Frames of 1000 bytes: 800 ns at 10 Gbps.
const BLOCKS: &str = "transport.blocks = { kind = 'constant_rate', payload = '942B', wire_overhead = '0B' }";
/// A frame is on a link of 4 us for 4.8 us, from its first bit on.
const LINK: &str = "rate = '10Gbps', delay = '4us'";
const ON_ITS_WAY: u64 = 4_800;

fn node(simulation: &Simulation, name: &str) -> NodeId {
    let position = simulation.network().nodes.iter().position(|node| node.name == name);
    position.expect("the node exists") as NodeId
}

/// Port of one node that leads to another.
fn port<'a>(simulation: &Simulation, outcome: &'a Outcome, from: &str, to: &str) -> &'a Port {
    let [from, to] = [from, to].map(|name| node(simulation, name));
    let of_node = &simulation.network().ports;
    let number = of_node.of(from).iter().position(|port| port.peer == to).expect("a link joins them");
    let id = of_node.first(from) + number as u32;
    ports(outcome).find(|port| port.id() == id).expect("every port is there")
}

fn link_down(port: &Port) -> u64 {
    port.counters.dropped_data[DropReason::LinkDown as usize]
}

fn delivered(outcome: &Outcome) -> u64 {
    outcome.hosts.iter().map(|host| host.counters.data_delivered).sum()
}

fn event(at: &str, [one, other]: [&str; 2], what: &str) -> String {
    format!("[[link_event]]\nat = '{at}'\nbetween = ['{one}', '{other}']\n{what}\n")
}

/// Host0 sends 100 frames one after another to host1 over two switches.
fn over_two_switches(rest: &str, events: &[String]) -> Simulation {
    simulation(&format!(
        "title = 'two switches'\n{BLOCKS}\n{rest}\n\
         topology = {{ kind = 'dumbbell', left = 1, right = 1, host_link = {{ {LINK} }}, middle_link = {{ {LINK} }} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'blocks', pairs = [['host0', 'host1']], size = '94200B' }}]\n{}",
        events.join("\n")
    ))
}

const MIDDLE: [&str; 2] = ["left", "right"];

/// The lost frames are those that come to the link while it is down, and those that are then on it. So all are lost
/// whose first bit leaves between 4.8 us before the failure and the repair, one every 800 ns.
#[test]
fn a_link_that_fails_loses_what_is_on_it_and_what_comes_for_it() {
    for [down, up] in [[20_000, 31_200], [20_137, 31_337], [24_000, 24_000 + 16_000 - ON_ITS_WAY]] {
        let events = [
            event(&format!("{down}ns"), MIDDLE, "state = 'down'"),
            event(&format!("{up}ns"), MIDDLE, "state = 'up'"),
        ];
        let simulation = over_two_switches("", &events);
        let outcome = run(&simulation);
        let lost = link_down(port(&simulation, &outcome, "left", "right"));
        assert_eq!(lost, (up - down + ON_ITS_WAY) / 800, "down at {down} ns");
        assert_eq!(delivered(&outcome), 100 - lost);
    }
}

/// Frames of 1000 bytes take ten times as long at a tenth of the rate.
#[test]
fn a_rate_may_change_one_way_only() {
    let took = |between: [&str; 2], what: &str| {
        let simulation = over_two_switches("", &[event("20us", between, what)]);
        let outcome = run(&simulation);
        port(&simulation, &outcome, "right", "host1").busy_until().as_nanoseconds()
    };
    let there = took(MIDDLE, "rate = '1Gbps'");
    assert!(there > 600_000, "{there} ns");
    assert_eq!(took(["right", "left"], "rate_back = '1Gbps'"), there);
    assert_eq!(took(MIDDLE, "rate = '1Gbps'\nrate_back = '10Gbps'"), there);
    let unchanged = took(MIDDLE, "rate_back = '1Gbps'");
    assert!(unchanged < 100_000, "{unchanged} ns");
    assert_eq!(took(["right", "left"], "rate = '1Gbps'\nrate_back = '10Gbps'"), unchanged);
}

/// An adapter waits for its link. The six or seven frames that it has put on the wire are lost. The rest comes later by
/// the time from the end of the frame under way until the link is up.
#[test]
fn a_host_goes_on_when_its_link_is_back() {
    let received = |events: &[String]| {
        let simulation = over_two_switches("", events);
        let outcome = run(&simulation);
        let last = port(&simulation, &outcome, "right", "host1").busy_until();
        (last, delivered(&outcome), link_down(port(&simulation, &outcome, "host0", "left")))
    };
    let (undisturbed, all, none) = received(&[]);
    assert_eq!((all, none), (100, 0));
    let link = ["host0", "left"];
    let events = [event("20us", link, "state = 'down'"), event("33us", link, "state = 'up'")];
    // The first bit of every frame leaves at a multiple of 800 ns, of which 20 us is one.
    let (later, delivered, lost) = received(&events);
    assert_eq!((delivered, lost), (94, 6));
    assert_eq!(later, undisturbed + Span::from_nanoseconds(13_000));
    let events = [event("20100ns", link, "state = 'down'"), event("33us", link, "state = 'up'")];
    let (later, delivered, lost) = received(&events);
    assert_eq!((delivered, lost), (94, 6));
    assert_eq!(later, undisturbed + Span::from_nanoseconds(33_000 - 20_800));
}

/// The frame on the wire leaves at the rate at which it began. Each that follows takes twice as long, and none is lost.
#[test]
fn a_rate_holds_for_what_has_not_begun_to_leave() {
    let last = |events: &[String]| {
        let simulation = over_two_switches("switch = [{ total = '1MB' }]", events);
        let outcome = run(&simulation);
        assert_eq!(delivered(&outcome), 100);
        measured(&simulation, &outcome).next().expect("it finishes").received
    };
    let undisturbed = last(&[]);
    // Frame n of the middle link leaves from 4.8 us + n x 0.8 us on: at 20.1 us number 19 has begun.
    let slower = last(&[event("20100ns", MIDDLE, "rate = '5Gbps'")]);
    assert_eq!(slower, undisturbed + Span::from_nanoseconds(80 * 800));
    let slower = last(&[event("20us", MIDDLE, "rate = '5Gbps'"), event("36us", MIDDLE, "rate = '10Gbps'")]);
    // From 20 us on, when number 19 begins, ten frames take twice as long. What queues goes on at the rate at which it comes.
    assert_eq!(slower, undisturbed + Span::from_nanoseconds(10 * 800));
}

/// The link comes back slower, by one event or by two. It could carry 200 kbit before it fails, and then 5 Gbps.
#[test]
fn a_link_may_come_back_slower() {
    let fails = || event("20us", MIDDLE, "state = 'down'");
    let at_once = [fails(), event("36us", MIDDLE, "state = 'up'\nrate = '5Gbps'")];
    let before = [fails(), event("30us", MIDDLE, "rate = '5Gbps'"), event("36us", MIDDLE, "state = 'up'")];
    let seen = [at_once.as_slice(), &before].map(|events| {
        let simulation = over_two_switches("switch = [{ total = '1MB' }]\nstop = { at = '100us' }", events);
        let mut outcome = run(&simulation);
        let sent = port(&simulation, &outcome, "left", "right").counters.wire_bytes.as_f64() * 8.0;
        let id = port(&simulation, &outcome, "left", "right").id();
        let report = Report::new(&simulation, &mut outcome);
        let row = report.ports.port.iter().position(|port| *port == id).expect("it has a row");
        let could = 10e9 * 20e-6 + 5e9 * (100e-6 - 36e-6);
        assert!((report.ports.utilization[row] - sent / could).abs() < 1e-12);
        assert!(report.ports.utilization[row] > 0.9, "{}", report.ports.utilization[row]);
        report.digest
    });
    assert_eq!(seen[0], seen[1]);
}

/// From 4.8 us on the middle link carries frame after frame. The one that begins at 20 us keeps its rate until 20.8 us,
/// unless the link fails meanwhile. Each case has the bits that leave, and those that the link could carry.
#[test]
fn what_has_left_a_link_is_counted_to_the_bit() {
    let rate = |at: &str, rate: &str| event(at, MIDDLE, &format!("rate = '{rate}'"));
    let state = |at: &str, state: &str| event(at, MIDDLE, &format!("state = '{state}'"));
    let cases: &[(&[String], &str, u64, u64)] = &[
        (&[], "20100ns", 153_000, 201_000),
        (&[rate("20100ns", "5Gbps")], "20500ns", 157_000, 205_000),
        (&[rate("20100ns", "5Gbps")], "30us", 160_000 + 46_000, 208_000 + 46_000),
        (&[rate("20100ns", "40Gbps"), rate("20300ns", "5Gbps")], "20500ns", 157_000, 205_000),
        (&[rate("20100ns", "40Gbps"), rate("20300ns", "5Gbps")], "30us", 160_000 + 46_000, 208_000 + 46_000),
        (&[state("20100ns", "down")], "20500ns", 153_000, 201_000),
        (&[state("20100ns", "down")], "30us", 153_000, 201_000),
        (&[state("20100ns", "down"), state("20300ns", "up")], "20500ns", 153_000, 201_000 + 2_000),
        (&[state("20100ns", "down"), state("33600ns", "up")], "40us", 153_000 + 64_000, 201_000 + 64_000),
        (&[rate("20100ns", "5Gbps"), state("20300ns", "down")], "30us", 155_000, 203_000),
        (&[rate("20100ns", "40Gbps"), state("20300ns", "down")], "30us", 155_000, 203_000),
    ];
    for (events, end, sent, could) in cases {
        let text = format!("switch = [{{ total = '1MB' }}]\nstop = {{ at = '{end}' }}");
        let simulation = over_two_switches(&text, events);
        let mut outcome = run(&simulation);
        let id = port(&simulation, &outcome, "left", "right").id();
        let report = Report::new(&simulation, &mut outcome);
        let row = report.ports.port.iter().position(|port| *port == id).expect("it has a row");
        let (expected, found) = (*sent as f64 / *could as f64, report.ports.utilization[row]);
        assert!((found - expected).abs() < 1e-15, "{found}, not {expected}: {events:?} until {end}");
    }
}

/// There are two spines. The flow goes by one of them until the switches know, and then by the other.
#[test]
fn packets_go_another_way_once_switches_know() {
    let fabric = |events: &[String]| {
        simulation(&format!(
            "title = 'two spines'\n{BLOCKS}\n\
             topology = {{ kind = 'leaf_spine', leaves = 2, spines = 2, hosts_per_leaf = 1, \
             host_link = {{ {LINK} }}, fabric_link = {{ {LINK} }} }}\n\
             workload = [{{ kind = 'long_lived', transport = 'blocks', pairs = [['host0', 'host1']], size = '94200B' }}]\n{}",
            events.join("\n")
        ))
    };
    let by = |simulation: &Simulation, outcome: &Outcome, spine| {
        port(simulation, outcome, "leaf0", spine).counters.packets
    };
    let before = fabric(&[]);
    let outcome = run(&before);
    let [used, other] =
        if by(&before, &outcome, "spine0") > 0 { ["spine0", "spine1"] } else { ["spine1", "spine0"] };
    assert_eq!((by(&before, &outcome, used), by(&before, &outcome, other)), (100, 0));

    // Known 8 us later: packets whose first bit leaves within 12.8 us are lost.
    let first_hop = event("20us", ["leaf0", used], "state = 'down'\nconvergence = '8us'");
    let after = fabric(std::slice::from_ref(&first_hop));
    let outcome = run(&after);
    assert_eq!(link_down(port(&after, &outcome, "leaf0", used)), 16);
    assert_eq!(delivered(&outcome), 84);
    // Frame n reaches leaf0 at 4.8 us + n x 0.8 us: 29 of them before 28 us.
    assert_eq!(by(&after, &outcome, other), 71);

    // Where it fails behind the spine, the leaf goes by the other spine as well. So does what then reaches the first, six frames,
    // which come back by the leaf.
    let second_hop = event("20us", ["leaf1", used], "state = 'down'\nconvergence = '8us'");
    let after = fabric(&[second_hop]);
    let outcome = run(&after);
    assert_eq!(by(&after, &outcome, other), 71 + 6);
    // Frame n reaches the spine at 9.6 us + n x 0.8 us: lost are those from 15.2 us until 28 us.
    assert_eq!(link_down(port(&after, &outcome, used, "leaf1")), 16);
    assert_eq!(delivered(&outcome), 84);

    // Back up, and known at once, while 30 frames or so are still to come.
    let back = event("76us", ["leaf0", used], "state = 'up'");
    let after = fabric(&[first_hop, back]);
    let outcome = run(&after);
    // Frame 89 reaches leaf0 at 76 us, when the way is open again.
    assert_eq!((by(&after, &outcome, other), delivered(&outcome)), (89 - 29, 84));
}

/// A slow receiver has made right pause left. The link between them fails, and left resumes; when it is back, left is
/// told to pause again. By then some 14 of the frames that came after the first pause have left the headroom, which
/// makes room for those before the second.
#[test]
fn pauses_are_forgotten_with_the_link_and_told_again() {
    let text = "observe.pauses = true\nclass = [{ priority = 0, lossless = true }]\n\
        topology.links = [{ between = ['host1', 'right'], rate = '1Gbps', delay = '4us' }]\n\
        switch = [{ total = '1MB', pfc = { xoff = { policy = 'static_threshold', threshold = '10kB' } } }]";
    let text = format!(
        "title = 'slow receiver'\n{BLOCKS}\n{text}\n\
         topology.kind = 'dumbbell'\ntopology.left = 1\ntopology.right = 1\n\
         topology.host_link = {{ {LINK} }}\ntopology.middle_link = {{ {LINK} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'blocks', pairs = [['host0', 'host1']], size = '94200B' }}]\n{}{}",
        event("40us", MIDDLE, "state = 'down'"),
        event("130us", MIDDLE, "state = 'up'")
    );
    let simulation = simulation(&text);
    let outcome = run(&simulation);
    let left = port(&simulation, &outcome, "left", "right").id();
    let changes = outcome.pauses.changes.iter().filter(|change| change.port == left);
    let changes: Vec<(u64, bool)> =
        changes.map(|&PauseChange { time, pauses, .. }| (time.get(), pauses)).collect();
    // The pause frame of 84 bytes at 10 Gbps, the link, and the 67 quanta of IEEE 802.3.
    let transit = 67_200 + 4_000_000 + 67 * 51_200;
    let microseconds = |number: u64| number * 1_000_000;
    assert_eq!(
        &changes[1..3],
        [(microseconds(40), false), (microseconds(130) + transit, true)],
        "{changes:?}"
    );
    assert!(changes[0].0 < microseconds(40) && changes[0].1);
    let lost_to_headroom: u64 =
        ports(&outcome).map(|port| port.counters.dropped_data[DropReason::HeadroomFull as usize]).sum();
    assert_eq!(lost_to_headroom, 0);
}

/// A pause frame on the wire at 100 Gbps takes effect as at 40 Gbps, where that is sooner.
#[test]
fn a_pause_keeps_its_cause_where_the_rate_changes_under_way() {
    let simulation = simulation(&format!(
        "title = 'slow receiver'\n{BLOCKS}\nobserve.pauses = true\nstop.at = '1ms'\n\
         class = [{{ priority = 0, lossless = true }}]\n\
         switch = [{{ total = '1MB', pfc = {{ xoff = {{ policy = 'static_threshold', threshold = '100kB' }} }} }}]\n\
         workload = [{{ kind = 'long_lived', transport = 'blocks', pairs = [['host0', 'host1']] }}]\n\
         [topology]\nkind = 'dumbbell'\nleft = 1\nright = 1\n\
         host_link = {{ rate = '100Gbps', delay = '1us' }}\nmiddle_link = {{ rate = '100Gbps', delay = '1us' }}\n\
         links = [{{ between = ['host1', 'right'], rate = '100Mbps', delay = '1us' }}]\n{}",
        event("11us", MIDDLE, "rate = '40Gbps'")
    ));
    let mut outcome = run(&simulation);
    let left = port(&simulation, &outcome, "left", "right").id();
    let report = Report::new(&simulation, &mut outcome);
    let decided = outcome.pauses.xoffs.iter().find(|(_, xoff)| xoff.priority == 0).expect("a pause").0;
    let row = report.pauses.paused_port.iter().position(|&port| port == left).expect("left pauses");
    assert!(
        decided.as_nanoseconds() < 11_000 && report.pauses.start_ns[row] > 11_000,
        "the rate changes between"
    );
    assert_eq!(report.pauses.xoff_ns[row], decided.as_nanoseconds());
}

/// A pause on the wire is counted in quanta of ten times the rate. So it would end in a tenth of the time after which
/// it is repeated. The headroom has room for what comes at the higher rate until the pause takes effect.
#[test]
fn a_pause_lasts_where_the_rate_rises_under_way() {
    let simulation = simulation(&format!(
        "title = 'slow receiver'\n{BLOCKS}\nobserve.pauses = true\nstop.at = '2ms'\n\
         class = [{{ priority = 0, lossless = true }}]\n\
         workload = [{{ kind = 'long_lived', transport = 'blocks', pairs = [['host0', 'host1']] }}]\n\
         [topology]\nkind = 'dumbbell'\nleft = 1\nright = 1\n\
         host_link = {{ rate = '100Gbps', delay = '1us' }}\nmiddle_link = {{ rate = '10Gbps', delay = '1us' }}\n\
         links = [{{ between = ['host1', 'right'], rate = '100Mbps', delay = '1us' }}]\n\
         [[switch]]\ntotal = '1MB'\n\
         [switch.pfc]\nheadroom = {{ scheme = 'sih', size = '100kB' }}\n\
         xoff = {{ policy = 'static_threshold', threshold = '100kB' }}\n{}",
        event("85us", MIDDLE, "rate = '100Gbps'")
    ));
    let outcome = run(&simulation);
    let left = port(&simulation, &outcome, "left", "right").id();
    let right = port(&simulation, &outcome, "right", "left").id();
    let decided =
        outcome.pauses.xoffs.iter().find(|(_, xoff)| xoff.port == right).expect("right pauses left").0;
    let changes: Vec<&PauseChange> =
        outcome.pauses.changes.iter().filter(|change| change.port == left).collect();
    let event = 85_000;
    assert!(
        decided.as_nanoseconds() < event && event < changes[0].time.as_nanoseconds(),
        "the rate rises between"
    );
    // In two milliseconds 100 Mbps carry 25 kB of the 100 kB that wait.
    assert!(changes.len() == 1 && changes[0].pauses, "{changes:?}");
    let lost_to_headroom: u64 =
        ports(&outcome).map(|port| port.counters.dropped_data[DropReason::HeadroomFull as usize]).sum();
    assert_eq!(lost_to_headroom, 0);
}

/// Packets are on their way to a spine when a link behind it fails. Once routing has converged, they leave the spine by
/// the port that they came in by. Each of them pauses that port's sender, so data and pause frames take turns on one
/// wire.
#[test]
fn what_turns_round_shares_the_wire_with_the_pause_frame_that_it_causes() {
    for (release, headroom) in
        [("transmission_end", "sih"), ("transmission_end", "dsh"), ("transmission_start", "dsh")]
    {
        let simulation = simulation(&format!(
            "title = 'turn round'\n\
             transport.blocks = {{ kind = 'constant_rate', payload = '1000B' }}\n\
             topology = {{ kind = 'leaf_spine', leaves = 2, spines = 2, hosts_per_leaf = 2, \
             host_link = {{ rate = '100Gbps', delay = '1us' }}, fabric_link = {{ rate = '100Gbps', delay = '5us' }} }}\n\
             class = [{{ priority = 3, lossless = true }}, {{ priority = 7 }}]\n\
             switch = [{{ total = '16MB', release = '{release}', pfc = {{ headroom = {{ scheme = '{headroom}' }}, \
             xoff = {{ policy = 'static_threshold', threshold = '1B' }} }} }}]\n\
             workload = [{{ kind = 'long_lived', transport = 'blocks', size = '500kB', priority = 3, \
             pairs = [['host0', 'host2'], ['host1', 'host3']] }}]\n\
             link_event = [{{ at = '8us', between = ['spine0', 'leaf1'], state = 'down', convergence = '2us' }}]\n\
             observe.throughput = {{ every = '1us', of = ['spine0.*'] }}"
        ));
        let report = Report::new(&simulation, &mut run(&simulation));
        assert!(report.totals.pfc.pause_frames > 0, "{release} {headroom}");
        let fastest = report.series.value.iter().copied().fold(0.0, f64::max);
        assert!(fastest > 0.0 && fastest <= 100e9, "{release} {headroom}: {fastest} b/s");
    }
}
