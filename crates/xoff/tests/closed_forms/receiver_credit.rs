//! Credit from receivers (RCCC): flows that have begun send at the pace of the receiver's link, however many they are.

use xoff::Simulation;
use xoff::internals::engine::{Outcome, Quantity};
use xoff::internals::host::Host;
use xoff::internals::observer::DropReason;
use xoff::units::{Bytes, Rate, Span};

use crate::{measured, most, recorded, run, simulation, validate};

/// Payload of a packet. 1024 B have 1086 B in the frame and 1106 on the wire, of 80 ps each. ACKs have 86 B on the
/// wire, and credit 84.
const PACKET: Bytes = Bytes::new(1024);
const WIRE: u64 = 1106;

/// Hosts at 100 Gb/s around a switch that trims, with a round trip of 4 us, and a flow of this size from each of the
/// others to `host0`.
fn senders(flows: usize, size: Bytes, control: &str, rest: &str) -> Simulation {
    let size = size.get();
    scene(
        flows,
        control,
        "",
        &format!("{{ kind = 'long_lived', transport = 'uet', size = '{size}B', PAIRS }}"),
        rest,
    )
}

/// Hosts as in [`senders`], with these keys of the transport and these workloads. `PAIRS` stands for the pairs of each
/// sender and `host0`.
fn scene(senders: usize, control: &str, keys: &str, workloads: &str, rest: &str) -> Simulation {
    let pairs: Vec<String> = (1..=senders).map(|host| format!("['host{host}', 'host0']")).collect();
    let workloads = workloads.replace("PAIRS", &format!("pairs = [{}]", pairs.join(", ")));
    simulation(&format!(
        "title = 'on credit'\n\
         topology = {{ kind = 'star', hosts = {}, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
         transport.uet = {{ kind = 'roce', congestion_control = {{ algorithm = 'rccc'{control} }}{keys}, \
         recovery = {{ kind = 'selective_repeat', window = '1MB', reordering = 200, timeout_low = '1ms', timeout_high = '1ms' }} }}\n\
         workload = [{workloads}]\n{rest}",
        senders + 1,
    ))
}

/// Switch that has room for eight packets.
const TRIMS: &str = "switch = [{ buffer = { policy = 'static_threshold', threshold = '9kB' }, \
                     trimming = { size = '64B', priority = 6 } }]";

fn credits(outcome: &Outcome) -> u64 {
    outcome.hosts.iter().map(|host| host.counters.credits_sent).sum()
}

fn unfinished(outcome: &Outcome) -> u64 {
    outcome.hosts.iter().map(|host| host.counters.started - host.counters.finished).sum()
}

fn timeouts(outcome: &Outcome) -> u64 {
    outcome.hosts.iter().map(|host| host.counters.timeouts).sum()
}

/// Time when the last flow was whole.
fn last(simulation: &Simulation, outcome: &Outcome) -> Span {
    measured(simulation, outcome).map(|flow| flow.received).max().expect("flows finish")
}

/// The link sends 52,384 B, headers included, in the 4.19072 us until the first packet is acknowledged. The flow starts
/// with as much credit, but of payload. It is given the rest of its 102,400 B, for 49 packets.
#[test]
fn a_lone_flow_is_given_what_it_lacks_and_never_waits() {
    let simulation =
        senders(1, PACKET * 100, ", initial_credit = 1, credit_rate = 1, packets_per_credit = 1", "");
    let outcome = run(&simulation);
    assert_eq!((credits(&outcome), outcome.hosts[1].counters.data_sent), (49, 100));
    let flow = measured(&simulation, &outcome).next().expect("it finishes");
    assert_eq!(flow.received, flow.ideal.received);
    let short = run(&senders(1, PACKET * 51, "", ""));
    assert_eq!(credits(&short), 0, "what it starts with is enough");
}

/// Beyond its initial credit, a flow has the share of its receiver's link for which credit is given.
#[test]
fn a_long_flow_has_the_share_that_credit_is_given_for() {
    for share in [0.5, 0.9, 0.99] {
        let simulation = senders(1, PACKET * 10_000, &format!(", credit_rate = {share}"), "");
        let took = last(&simulation, &run(&simulation)).as_seconds();
        let by_credit = (10_000.0 - 1.5 * 51.16) * WIRE as f64 * 80e-12 / share;
        validate(&format!("a flow on credit for {share} of a link: time"), 1.0, took / by_credit, 0.01);
    }
}

/// A host sends at 100 Gb/s, and its link brings a tenth of that.
#[test]
fn credit_is_given_at_the_rate_that_the_receiver_s_link_brings() {
    let rest =
        "topology.links = [{ between = ['switch0', 'host0'], rate = '10Gbps', rate_back = '100Gbps' }]";
    let star = "topology.kind = 'star'\ntopology.hosts = 2\ntopology.host_link = { rate = '100Gbps', delay = '1us' }";
    let text = format!(
        "title = 'on credit'\n{star}\n{rest}\n\
         transport.uet = {{ kind = 'roce', congestion_control = {{ algorithm = 'rccc', credit_rate = 1, initial_credit = 1 }}, \
         recovery = {{ kind = 'selective_repeat', window = '1MB' }} }}\n\
         workload = [{{ kind = 'long_lived', transport = 'uet', size = '{}B', pairs = [['host1', 'host0']] }}]\n\
         observe.queues = {{ every = 'change', of = ['switch0.port0'] }}",
        PACKET.get() * 1000
    );
    let simulation = simulation(&text);
    let outcome = run(&simulation);
    let took = last(&simulation, &outcome).as_seconds();
    validate("a flow on credit to a slow link: time", 1.0, took / (1000.0 * WIRE as f64 * 800e-12), 0.02);
    // What the sender starts with arrives ten times as fast as it leaves. No more comes than leaves after that.
    let queue =
        recorded(&simulation, &outcome, Quantity::Queue, "switch0.port0", Span::from_microseconds(100));
    let initial = recorded(&simulation, &outcome, Quantity::Queue, "switch0.port0", Span::ZERO);
    assert!(most(&queue) <= most(&initial), "{} > {}", most(&queue), most(&initial));
}

/// `senders` senders of 500 packets each have had some of them trimmed, and no other loss. Returns how many seconds
/// they took.
fn as_long_as_its_link_needs(name: &str, senders: u64, simulation: &Simulation, outcome: &Outcome) -> f64 {
    let port = &outcome.switches[0].ports()[0];
    let trimmed = port.counters.dropped_data[DropReason::Trimmed as usize];
    assert!(trimmed > senders, "{trimmed} were trimmed");
    assert_eq!((timeouts(outcome), unfinished(outcome), port.trimmed_dropped()), (0, 0, 0));
    let wire = Bytes::new(500 * senders * WIRE + trimmed * 84);
    assert_eq!(port.counters.wire_bytes, wire, "each packet once, and each header");
    let busy = Rate::from_gbps(100).transmission_time(wire).as_seconds();
    let took = last(simulation, outcome).as_seconds();
    validate(&format!("{name} on credit: time beside that of their link"), 1.01, took / busy, 0.01);
    took
}

/// All flows start with more than the switch holds. Trimmed packets go again when there is room for them. So the link
/// is busy from the first packet to the last, except for the hundredth for which no credit is given. The initial queue
/// is soon gone.
#[test]
fn an_incast_takes_as_long_as_its_link_needs_and_leaves_no_queue() {
    for flows in [4, 12] {
        let rest = format!("{TRIMS}\nobserve.queues = {{ every = 'change', of = ['switch0.port0'] }}");
        let size = PACKET * 500;
        let simulation = senders(flows, size, "", &rest);
        let outcome = run(&simulation);
        let took = as_long_as_its_link_needs(&format!("{flows} flows"), flows as u64, &simulation, &outcome);
        let settled = Span::from_seconds(took / 2.0);
        let queue = recorded(&simulation, &outcome, Quantity::Queue, "switch0.port0", settled);
        assert!(most(&queue) <= 4.0 * 1086.0, "{}", most(&queue));
    }
}

/// Flows get credit by turns, whichever came first.
#[test]
fn flows_have_equal_shares_of_credit() {
    let sent_by = |microseconds: u64| {
        let outcome =
            run(&senders(7, Bytes::new(1 << 30), "", &format!("{TRIMS}\nstop.at = '{microseconds}us'")));
        let sent = |host: &Host| host.counters.data_sent - host.counters.data_retransmitted;
        outcome.hosts[1..].iter().map(sent).collect::<Vec<_>>()
    };
    let shares: Vec<u64> = sent_by(500).iter().zip(sent_by(1500)).map(|(half, whole)| whole - half).collect();
    let (least, most) = (shares.iter().min().expect("some"), shares.iter().max().expect("some"));
    assert!(most - least <= 8, "{shares:?}");
    let packets = 1e-3 * 0.99 * 100e9 / 8.0 / WIRE as f64;
    validate("seven flows on credit: packets in 1 ms", packets, shares.iter().sum::<u64>() as f64, 20.0);
}

const PERSISTENT: &str = ", connections = 'persistent'";

/// A queue pair asks for the bytes that all of its flows together have left, whichever flow has it.
#[test]
fn messages_on_a_queue_pair_come_as_fast_as_one_of_their_size() {
    let took = |flows: u64, control: &str| {
        let size = PACKET * (1000 / flows);
        let workload = format!(
            "{{ kind = 'long_lived', transport = 'uet', size = '{}B', flows_per_pair = {flows}, PAIRS }}",
            size.get()
        );
        let simulation = scene(1, control, PERSISTENT, &workload, "");
        let outcome = run(&simulation);
        assert_eq!((timeouts(&outcome), outcome.hosts[1].counters.data_sent), (0, 1000));
        last(&simulation, &outcome)
    };
    for control in ["", ", credit_rate = 0.5", ", initial_credit = 0.1, packets_per_credit = 1"] {
        for flows in [2, 10, 200] {
            let beside = took(flows, control).as_seconds() / took(1, control).as_seconds();
            validate(&format!("{flows} messages on credit{control}: time beside one"), 1.0, beside, 0.002);
        }
    }
}

/// Twelve senders send five messages each, and start with more than the switch holds. The link is as busy as with one
/// message, and trimmed packets of one message are made up for among the others.
#[test]
fn an_incast_of_messages_takes_as_long_as_its_link_needs() {
    let workload = "{ kind = 'long_lived', transport = 'uet', size = '102400B', flows_per_pair = 5, PAIRS }";
    let simulation = scene(12, "", PERSISTENT, workload, TRIMS);
    as_long_as_its_link_needs("an incast of messages", 12, &simulation, &run(&simulation));
}

/// After a pause, a queue pair has its initial credit once more.
#[test]
fn a_queue_pair_that_rests_starts_as_a_new_one() {
    let flow = |start: u32| {
        format!("{{ kind = 'long_lived', transport = 'uet', size = '51200B', start = '{start}us', PAIRS }}")
    };
    let simulation = scene(1, "", PERSISTENT, &[flow(0), flow(50), flow(70)].join(", "), "");
    let outcome = run(&simulation);
    assert_eq!(credits(&outcome), 0, "what each starts with is enough");
    assert!(measured(&simulation, &outcome).all(|flow| flow.received == flow.ideal.received));
}

/// Links lose data, headers, acknowledgements and credit alike.
#[test]
fn flows_end_whatever_is_lost() {
    for (recovery, connections) in [
        "kind = 'selective_repeat', window = '1MB', timeout_high = '100us'",
        "kind = 'go_back_n', timeout = '100us'",
    ]
    .into_iter()
    .flat_map(|recovery| ["", PERSISTENT].map(|connections| (recovery, connections)))
    {
        let text = format!(
            "title = 'on credit'\n\
             topology = {{ kind = 'star', hosts = 5, host_link = {{ rate = '100Gbps', delay = '1us', error_rate = 0.02 }} }}\n\
             transport.uet = {{ kind = 'roce', congestion_control = {{ algorithm = 'rccc' }}, recovery = {{ {recovery} }}{connections} }}\n\
             workload = [{{ kind = 'poisson', transport = 'uet', sizes = {{ fixed = '200kB' }}, load = 0.5, of = 'host' }}]\n\
             stop.arrivals_end = '1ms'"
        );
        let outcome = run(&simulation(&text));
        assert!(credits(&outcome) > 0);
        assert_eq!(unfinished(&outcome), 0);
    }
}

/// A flow has one packet under way at a time. If its credit is lost, or the packet that asked for it, a timeout finds
/// that.
#[test]
fn what_is_lost_while_a_link_is_down_costs_a_timeout() {
    let stops = |begin: u64| {
        let rest = format!(
            "link_event = [{{ at = '{begin}ns', between = ['host0', 'switch0'], state = 'down' }}, \
             {{ at = '{}ns', between = ['host0', 'switch0'], state = 'up' }}]",
            begin + 2000
        );
        let simulation = senders(1, PACKET * 20, ", initial_credit = 0, maximum_credit = 0.001", &rest);
        let took = last(&simulation, &run(&simulation));
        assert!(took < Span::from_microseconds(2100), "{took:?}");
        took > Span::from_milliseconds(1)
    };
    let stopped: Vec<u64> = (0..8).map(|step| 20_000 + step * 500).filter(|&begin| stops(begin)).collect();
    assert!(stopped.len() > 2, "{stopped:?}");
}

/// The last packet that is sent is a needless repetition. It takes the last credit, asks for more, and is lost;
/// everything before it is acknowledged. The receiver repeats the credit that it gave, and one packet goes that asks
/// again.
#[test]
fn what_asks_for_more_and_is_lost_is_made_up_for() {
    for down in [4450, 4500, 4550, 4600] {
        let outcome = run(&simulation(&format!(
            "title = 'on credit'\n\
             topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
             transport.uet = {{ kind = 'roce', congestion_control = {{ algorithm = 'rccc', base_rtt = '81920ps', initial_credit = 1 }}, \
             recovery = {{ kind = 'selective_repeat', window = '1MB', timeout_low = '3us', timeout_high = '3us' }} }}\n\
             workload = [{{ kind = 'long_lived', transport = 'uet', size = '1076B', pairs = [['host1', 'host0']] }}]\n\
             link_event = [{{ at = '2500ns', between = ['host0', 'switch0'], state = 'down' }}, \
             {{ at = '3500ns', between = ['host0', 'switch0'], state = 'up' }}, \
             {{ at = '{down}ns', between = ['host0', 'switch0'], state = 'down' }}, \
             {{ at = '{}ns', between = ['host0', 'switch0'], state = 'up' }}]",
            down + 300
        )));
        assert_eq!(unfinished(&outcome), 0, "{down}");
        assert!(credits(&outcome) < 20, "{down}");
    }
}

/// With PFC, selective repeat has no timeouts. A missing packet gets its NACK, and its credit once the receiver has
/// heard nothing for a timeout.
#[test]
fn without_timeouts_receivers_still_give_credit_for_what_is_missing() {
    let little = ", base_rtt = '819200ps', initial_credit = 1, maximum_credit = 20";
    for (credit, connections) in [("", ""), (little, ""), ("", PERSISTENT), (little, PERSISTENT)] {
        let outcome = run(&simulation(&format!(
            "title = 'on credit'\n\
             topology = {{ kind = 'star', hosts = 5, host_link = {{ rate = '100Gbps', delay = '1us', error_rate = 0.01 }} }}\n\
             class = [{{ priority = 0, lossless = true }}, {{ priority = 7 }}]\n\
             switch = [{{ pfc = {{}}, total = '16MB' }}]\n\
             transport.uet = {{ kind = 'roce', congestion_control = {{ algorithm = 'rccc'{credit} }}, \
             recovery = {{ kind = 'selective_repeat', window = '1MB' }}{connections} }}\n\
             workload = [{{ kind = 'poisson', transport = 'uet', sizes = {{ fixed = '100kB' }}, load = 0.2, of = 'host' }}]\n\
             stop = {{ arrivals_end = '100us', at = '100ms' }}"
        )));
        assert!(credits(&outcome) < 10_000, "{} for {credit}", credits(&outcome));
        // Of which the last packet is lost, or its acknowledgement.
        assert!(unfinished(&outcome) <= 2, "{} for {credit}{connections}", unfinished(&outcome));
    }
}
