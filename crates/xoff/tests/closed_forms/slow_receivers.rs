//! Hosts whose adapters take in less than comes: the time at which they have it, the senders that they pause, and the
//! losses.

use xoff::internals::observer::{DropReason, PauseReason};
use xoff::internals::port::Port;
use xoff::internals::switch::Switch;
use xoff::units::{Span, Time};
use xoff::{Report, Simulation};

use crate::common::law_of_random_scenarios;
use crate::common::random::Ends;
use crate::{measured, ports, run, simulation};

/// Frames of 1000 bytes, 800 ns at 10 Gbps, over three links of 4 us. Number n, from 0 on, arrives at 14.4 us + n x 0.8
/// us.
fn over_two_switches(rest: &str, slow_receiver: &str) -> Simulation {
    simulation(&format!(
        "title = 'slow receiver'\n{rest}\n\
         transport.blocks = {{ kind = 'constant_rate', payload = '942B', wire_overhead = '0B' }}\n\
         workload = [{{ kind = 'long_lived', transport = 'blocks', pairs = [['host0', 'host1']], size = '94200B' }}]\n\
         slow_receiver = [{slow_receiver}]\n\
         [topology]\nkind = 'dumbbell'\nleft = 1\nright = 1\n\
         host_link = {{ rate = '10Gbps', delay = '4us' }}\nmiddle_link = {{ rate = '10Gbps', delay = '4us' }}\n"
    ))
}

const LOSSLESS: &str = "class = [{ priority = 0, lossless = true }]\nobserve.pauses = true\n\
    switch = [{ total = '1MB', pfc = { xoff = { policy = 'static_threshold', threshold = '100kB' } } }]";

fn nanoseconds(number: u64) -> Span {
    Span::from_nanoseconds(number)
}

fn dropped(port: &Port, reason: DropReason) -> u64 {
    port.counters.dropped_data[reason as usize]
}

/// The adapter takes in one frame every 1.6 us. There is always one, since it resumes long before it has none.
#[test]
fn a_slow_adapter_takes_in_frames_at_its_rate() {
    let slow = "{ hosts = ['host1'], rate = '5Gbps', buffer = '30kB' }";
    let simulation = over_two_switches(LOSSLESS, slow);
    let mut outcome = run(&simulation);
    let flow = measured(&simulation, &outcome).next().expect("it finishes");
    assert_eq!(flow.received, nanoseconds(14_400 + 100 * 1_600));
    assert_eq!(ports(&outcome).map(|port| port.counters.dropped()).sum::<u64>(), 0);

    let report = Report::new(&simulation, &mut outcome);
    let rows = &report.pauses;
    let (hosts, reason) = (simulation.network().hosts, PauseReason::Receiver as u8);
    let by_host = |row: &usize| rows.device[*row] < hosts;
    let paused: Vec<usize> = (0..rows.device.len()).filter(by_host).collect();
    assert!(!paused.is_empty() && paused.iter().all(|&row| rows.reason[row] == reason));
    // Frames come every 0.8 us and go every 1.6 us. When number 56 comes, number 27 is just about to be in, so that thirty wait. The
    // pause frame takes 67.2 ns and 4 us, and the reaction 67 quanta of 51.2 ns.
    let decided = 14_400 + 56 * 800;
    let first = paused[0];
    assert_eq!((rows.xoff_ns[first], rows.ingress_bytes[first]), (decided, 30_000));
    assert_eq!(rows.start_ns[first], decided + (67_200 + 4_000_000 + 67 * 51_200) / 1000);
    let named = report.pause_flows.pause_id.iter().filter(|id| **id == first as u64).count();
    assert_eq!(named, 1, "the flow that waits is named");
}

/// Frames that come while nothing is taken in wait, and are then taken in at the rate of the link.
#[test]
fn an_adapter_that_has_stopped_catches_up() {
    let stopped = "{ hosts = ['host1'], start = '20us', end = '60us', buffer = '1MB' }";
    for classes in ["", LOSSLESS] {
        let simulation = over_two_switches(classes, stopped);
        let outcome = run(&simulation);
        let flow = measured(&simulation, &outcome).next().expect("it finishes");
        // The first to wait is number 7, which arrives at 20 us.
        assert_eq!(flow.received, nanoseconds(60_000 + (100 - 7) * 800));
    }
}

/// The packet that is under way when the slow time ends is taken in at the rate of the link from then on. Number 0
/// comes at 14.4 us, and half of it is taken in by then.
#[test]
fn an_adapter_that_is_no_longer_slow_takes_in_the_rest_at_the_rate_of_its_link() {
    let slow = "{ hosts = ['host1'], rate = '10Mbps', end = '414400ns', buffer = '1MB' }";
    let simulation = over_two_switches("", slow);
    let outcome = run(&simulation);
    let flow = measured(&simulation, &outcome).next().expect("it finishes");
    assert_eq!(flow.received, nanoseconds(414_400 + 400 + 99 * 800));
}

/// Number 0 comes at 14.4 us and takes 8 us at 1 Gbps. Two slow times that meet while it is taken in are as good as
/// one. In a time in which nothing is taken in, the rest of it waits, too. Half of number 0 takes 4 us before 18.4 us,
/// and 0.4 us after 100 us.
#[test]
fn what_is_taken_in_as_one_slow_time_follows_another_goes_on_at_the_pace_of_the_next() {
    let of = |slow: &str| {
        let simulation = over_two_switches("", slow);
        let outcome = run(&simulation);
        measured(&simulation, &outcome).next().map(|flow| flow.received)
    };
    let slow = |times: &str| format!("{{ hosts = ['host1'], buffer = '1MB', {times} }}");
    let [one, first, second] = ["end = '900us'", "end = '18400ns'", "start = '18400ns', end = '900us'"]
        .map(|times| slow(&format!("rate = '1Gbps', {times}")));
    assert_eq!(of(&one), Some(nanoseconds(14_400 + 100 * 8_000)));
    assert_eq!(of(&format!("{first}, {second}")), of(&one));
    let nothing = slow("start = '18400ns', end = '100us'");
    assert_eq!(of(&format!("{first}, {nothing}")), Some(nanoseconds(100_000 + 400 + 99 * 800)));
    // In 8 ns 1 byte of number 0 is taken in, and the other 999 by 15,207.2 ns. From then on one always waits: at 22.8 us, number 10
    // has been taken in for 392.8 ns, which is 491 bytes of it.
    let before = slow("rate = '1Gbps', end = '14408ns'");
    let nothing = slow("start = '22800ns', end = '100us'");
    assert_eq!(of(&format!("{before}, {nothing}")), Some(Span::new(100_000_000 + 509 * 800 + 89 * 800_000)));
}

/// If no class is lossless, packets without room are lost. Otherwise those that come until the pause takes effect have
/// room.
#[test]
fn an_adapter_that_has_stopped_drops_or_pauses() {
    let stopped = "{ hosts = ['host1'], end = '500us', buffer = '10500B' }";
    let simulation = over_two_switches("", stopped);
    let outcome = run(&simulation);
    let lost: u64 = ports(&outcome).map(|port| dropped(port, DropReason::ReceiverFull)).sum();
    assert_eq!((lost, outcome.hosts[1].counters.data_delivered), (90, 10));

    let stopped = "{ hosts = ['host1'], buffer = '10kB' }";
    let simulation = over_two_switches(&format!("stop.at = '200us'\n{LOSSLESS}"), stopped);
    let outcome = run(&simulation);
    assert_eq!(outcome.hosts[1].counters.data_delivered, 0);
    // The tenth frame arrives at 21.6 us; it takes 7.4976 us until the switch pauses, and frame n leaves it at 9.6 us + n x 0.8 us.
    let inside = outcome.hosts[1].packets_inside().count();
    assert_eq!(inside, 25);
    let off = outcome.hosts[1].off_durations(Time::ZERO + nanoseconds(200_000));
    assert_eq!((off.by_class, off.port_as_one), (nanoseconds(178_400), nanoseconds(178_400)));
    assert_eq!(ports(&outcome).map(|port| port.counters.dropped()).sum::<u64>(), 0);
}

/// Nothing is taken in for 300 us, and the switch detects a storm after 50 us.
fn with_watchdog(action: &str) -> Simulation {
    let pfc =
        format!("pfc = {{ detection_time = '50us', watchdog = {{ {action}restoration_time = '20us' }} }}");
    let stopped = "{ hosts = ['host1'], end = '300us', buffer = '10kB' }";
    over_two_switches(&format!("{pfc}\n{LOSSLESS}"), stopped)
}

/// 25 frames leave the switch before it pauses at 29.0976 us. The rest is lost: the frames that wait 50 us later, and
/// those that come from then on.
#[test]
fn a_watchdog_drops_until_pauses_have_been_over() {
    let simulation = with_watchdog("");
    let mut outcome = run(&simulation);
    let totals = Report::new(&simulation, &mut outcome);
    assert_eq!(outcome.hosts[1].counters.data_delivered, 25);
    assert_eq!(totals.totals.packets.dropped_pfc_watchdog, 75);
    let [let_go] = &totals.pathologies.watchdog[..] else { panic!("one queue is let go") };
    assert_eq!((&let_go.port[..], let_go.priority, let_go.dropped), ("right.port0", 0, 75));
    let (paused, reaction) = (29_097, 67_200 + 4_000_000 + 67 * 51_200);
    assert_eq!(let_go.detected_ns, paused + 50_000);
    // Seventeen frames are taken in from 300 us on until two less than ten wait.
    assert_eq!(let_go.restored_ns, Some(300_000 + 17 * 800 + reaction / 1000 + 20_000));
}

/// Frames that wait leave all the same, and the adapter has no room for them beyond its headroom. That is 10 kB, the
/// packet that crosses them, the largest packets on either side, the pause frame, the link twice and 67 quanta.
#[test]
fn a_watchdog_that_forwards_has_the_receiver_drop() {
    let simulation = with_watchdog("action = 'forward', ");
    let mut outcome = run(&simulation);
    let report = Report::new(&simulation, &mut outcome);
    let room = (10_000 + 1_000 + 2 * 1_000 + 84 + 2 * 5_000 + 67 * 64) / 1_000;
    assert_eq!(outcome.hosts[1].counters.data_delivered, room);
    assert_eq!(report.totals.packets.dropped_receiver_full, 100 - room);
    assert_eq!(report.pathologies.watchdog[0].dropped, 0);
}

/// Nothing goes onto any wire for 16 ms. That is longer than a network may stand still that nothing will set going
/// again.
#[test]
fn a_network_that_waits_for_receivers_does_not_stand_still() {
    let stopped = "{ hosts = ['host1'], end = '8ms', buffer = '10kB' }, \
                   { hosts = ['host1'], start = '8ms', end = '16ms', buffer = '10kB' }";
    let switch = LOSSLESS.replace("100kB", "5kB");
    let simulation = over_two_switches(&switch, stopped);
    let outcome = run(&simulation);
    assert!(!outcome.stood_still);
    assert_eq!(outcome.hosts[1].counters.data_delivered, 100);
}

/// Under DSH's pauses of whole ports, lossy classes are paused, too.
#[test]
fn watchdogs_account_for_what_they_drop_of_lossless_classes() {
    law_of_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let outcome = run(simulation);
        let dropped = ports(&outcome).map(|port| {
            let counters = &port.counters;
            [counters.dropped_data, counters.dropped_acknowledgements]
                .map(|by| by[DropReason::PfcWatchdog as usize])
        });
        let of_watchdogs: Vec<_> = outcome.switches.iter().flat_map(Switch::interventions).collect();
        assert_eq!(
            of_watchdogs.iter().map(|of| of.dropped).sum::<u64>(),
            dropped.flatten().sum::<u64>(),
            "{of_watchdogs:?}"
        );
        let lossless = simulation.scenario().lossless_classes();
        for of in of_watchdogs {
            assert!(lossless.contains(of.priority), "{of:?}");
            assert!(of.restored.is_none_or(|restored| restored > of.detected), "{of:?}");
        }
    });
}
