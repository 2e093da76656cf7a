//! Bytes that saturated queues hold under each buffer policy, against closed forms.
//!
//! Dynamic Threshold: M queues hold alpha B / (1 + M alpha) each (Choudhury and Hahne, IEEE/ACM ToN 1998; BCC, APNet
//! 2017, section 4.2). ABM: all queues of a class hold alpha B / (1 + alpha) together, however many they are. Those of
//! several classes at a port share that as they share the port (SIGCOMM 2022). Longest queue drop: B / M each. Occamy:
//! as Dynamic Threshold, and soon (EuroSys 2025).

use xoff::internals::engine::Quantity;
use xoff::internals::switch::Switch;
use xoff::units::Span;

use crate::{least, mean, most, recorded, run, simulation, validate};

const FRAME: f64 = 1500.0;

/// Returns the bytes that each queue of some ports holds, sample by sample.
///
/// Each port has a receiver, and a sender for each class on a link faster than the port. Senders start one after
/// another.
fn occupancies(ports: usize, classes: usize, switch: &str) -> Vec<Vec<f64>> {
    let senders = ports * classes;
    let links: Vec<String> = (0..senders)
        .map(|sender| format!("{{ between = ['host{sender}', 'switch0'], rate = '100Gbps' }}"))
        .collect();
    let workload = |class| {
        let pair = |port| format!("['host{}', 'host{}']", port * classes + class, senders + port);
        let pairs: Vec<String> = (0..ports).map(pair).collect();
        format!(
            "{{ kind = 'long_lived', transport = 'steady', pairs = [{}], stagger = '12345ns', priority = {class} }}",
            pairs.join(", ")
        )
    };
    let simulation = simulation(&format!(
        "title = 'fixed point'\n\
         topology = {{ kind = 'star', hosts = {}, host_link = {{ rate = '10Gbps', delay = '1us' }}, \
         links = [{}] }}\n\
         switch = [{{ {switch} }}]\n\
         transport.steady = {{ kind = 'constant_rate', payload = '1442B', rate = '17.3Gbps' }}\n\
         workload = [{}]\n\
         stop = {{ at = '20ms' }}\nobserve = {{ queues = {{ every = '777ns', of = ['switch0.*'] }} }}",
        senders + ports,
        links.join(", "),
        (0..classes).map(workload).collect::<Vec<_>>().join(", "),
    ));
    let outcome = run(&simulation);
    let of_port = |port| {
        let name = format!("switch0.port{port}");
        let of_all = recorded(&simulation, &outcome, Quantity::Queue, &name, Span::from_milliseconds(15));
        (0..classes).map(move |class| of_all.iter().copied().skip(class).step_by(classes).collect())
    };
    (senders..senders + ports).flat_map(of_port).collect()
}

/// Every queue stays within `grain` bytes of the expected length, and the mean of all is within a packet of it.
fn settles_at(name: &str, occupancies: &[Vec<f64>], expected: f64, grain: f64) {
    for (queue, occupancy) in occupancies.iter().enumerate() {
        let (least, most) = (least(occupancy), most(occupancy));
        let away = (least - expected).abs().max((most - expected).abs());
        assert!(occupancy.len() > 4_000);
        assert!(away <= grain, "{name}: queue {queue} holds {least} to {most}, not {expected}");
    }
    let average = mean(&occupancies.iter().map(|occupancy| mean(occupancy)).collect::<Vec<_>>());
    validate(&format!("{name}: mean bytes of each"), expected, average, FRAME);
}

/// A packet that leaves raises the threshold by alpha packets, and a queue below it takes one more. So each queue stays
/// within 1 + alpha packets of the fixed point, and the mean is closer.
#[test]
fn saturated_queues_settle_at_the_fixed_point_of_dynamic_threshold() {
    let settle = |queues, alpha: &str, share: f64, total: &str, expected| {
        let switch =
            format!("total = '{total}', buffer = {{ policy = 'dynamic_threshold', alpha = '{alpha}' }}");
        let occupancies = occupancies(queues, 1, &switch);
        settles_at(&format!("{queues} queues, alpha {alpha}"), &occupancies, expected, (1.0 + share) * FRAME);
    };
    settle(1, "4", 4.0, "3MB", 2_400_000.0);
    settle(4, "4", 4.0, "3MB", 705_882.35);
    settle(8, "4", 4.0, "3MB", 363_636.36);
    settle(1, "1/16", 1.0 / 16.0, "16MB", 941_176.0);
    settle(8, "1", 1.0, "4MB", 4e6 / 9.0);
}

/// With 3 MB and alpha 1/2, a class gets 1 MB.
#[test]
fn congested_queues_of_a_class_share_what_abm_gives_to_the_class() {
    let switch = "total = '3MB', buffer = { policy = 'abm' }";
    for queues in [1, 2, 4, 8] {
        let expected = 1_000_000.0 / queues as f64;
        settles_at(&format!("ABM, {queues} queues"), &occupancies(queues, 1, switch), expected, 1.5 * FRAME);
    }
}

/// Classes that share a port divide the bytes that one of them alone could have. A class with a port to itself would
/// have half of what the others leave.
#[test]
fn classes_of_a_port_share_under_abm_what_one_alone_could_have() {
    for weights in [&[1, 1][..], &[3, 1], &[5, 1, 2]] {
        let all: Vec<_> = weights.iter().chain(&[1; 8]).take(8).collect();
        let switch = format!(
            "total = '3MB', buffer = {{ policy = 'abm', interval = '300us' }}, \
             scheduler = {{ kind = 'deficit_round_robin', quantum = '1500B', weights = {all:?} }}"
        );
        let occupancies = occupancies(1, weights.len(), &switch);
        for (weight, occupancy) in weights.iter().zip(occupancies) {
            let expected = 1e6 * f64::from(*weight) / f64::from(weights.iter().sum::<i32>());
            let name = format!("ABM, a class of weight {weight} in {weights:?}");
            settles_at(&name, &[occupancy], expected, 4.0 * FRAME);
        }
    }
}

/// Saturated queues let a newcomer have its part, and no memory is idle.
#[test]
fn longest_queue_drop_gives_saturated_queues_equal_parts_of_all_memory() {
    let switch = "total = '3MB', buffer = { policy = 'longest_queue_drop' }";
    for queues in [1, 2, 4, 8] {
        let expected = 3_000_000.0 / queues as f64;
        settles_at(
            &format!("longest queue drop, {queues} queues"),
            &occupancies(queues, 1, switch),
            expected,
            3.0 * FRAME,
        );
    }
}

/// A packet that takes a queue beyond the threshold is admitted, and another is expelled for it. That is a packet less
/// than under Dynamic Threshold.
#[test]
fn saturated_queues_settle_under_occamy_where_they_settle_under_dynamic_threshold() {
    for (queues, expected) in [(1, 2_666_666.7), (4, 727_272.7), (8, 369_230.8)] {
        let occupancies = occupancies(queues, 1, "total = '3MB', buffer = { policy = 'occamy' }");
        settles_at(&format!("Occamy, {queues} queues"), &occupancies, expected - FRAME, 9.0 * FRAME);
    }
}

/// Counts the packets dropped for a receiver to which eight hosts send 400 kB at once.
///
/// The switch has 1 MB, of which another queue holds as much as alpha 8 gives to one.
fn lost_of_a_burst(buffer: &str) -> u64 {
    let burst: Vec<_> = (2..10).map(|host| format!("['host{host}', 'host10']")).collect();
    let simulation = simulation(&format!(
        "title = 'burst'\n\
         topology = {{ kind = 'star', hosts = 12, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
         switch = [{{ total = '1MB', buffer = {{ {buffer} }} }}]\n\
         transport.steady = {{ kind = 'constant_rate', payload = '1442B', rate = '10Gbps' }}\n\
         workload = [{{ kind = 'long_lived', transport = 'steady', pairs = [['host0', 'host11'], ['host1', 'host11']] }}, \
         {{ kind = 'long_lived', transport = 'steady', pairs = [{}], size = '50kB', start = '2ms' }}]\n\
         stop = {{ at = '3ms' }}",
        burst.join(", "),
    ));
    run(&simulation).switches[0].ports()[10].counters.dropped()
}

/// The burst grows by 70 Gb/s and holds 350 kB at most, less than the 8/17 of 1 MB that each of two queues may have.
/// Memory with 120 Gb/s has 100 to spare, so the excess of the other queue leaves as fast as the burst comes. Without
/// it, only the first 111 kB fit, and what the other queue sends meanwhile.
#[test]
fn occamy_makes_room_for_a_burst_as_fast_as_it_comes() {
    assert_eq!(lost_of_a_burst("policy = 'occamy'"), 0);
    assert_eq!(lost_of_a_burst("policy = 'longest_queue_drop'"), 0);
    let dynamic_threshold = lost_of_a_burst("policy = 'dynamic_threshold', alpha = 8");
    assert!(dynamic_threshold > 100, "{dynamic_threshold} lost");
    let busy = lost_of_a_burst("policy = 'occamy', memory_bandwidth = '15Gbps'");
    assert_eq!(busy, dynamic_threshold, "ports take all that can be read");
}

/// A drain rate over less than an interval would be that of a single packet. After any pause in arrivals, all queues
/// together hold less than a tenth of what one of them may.
#[test]
fn abm_drops_nothing_of_little_whenever_it_comes() {
    let sender = |class| {
        format!(
            "{{ kind = 'long_lived', transport = 'steady', pairs = [['host{class}', 'host9']], size = '100kB', \
             priority = {class} }}"
        )
    };
    let senders: Vec<_> = (0..8).map(sender).collect();
    for start in 140..160 {
        let burst = |start: f64| {
            format!(
                "{{ kind = 'long_lived', transport = 'steady', size = '10kB', start = '{start}us', priority = 3, \
                 pairs = [['host0', 'host9'], ['host1', 'host9'], ['host2', 'host9']] }}"
            )
        };
        let outcome = run(&simulation(&format!(
            "title = 'bursts'\n\
             topology = {{ kind = 'star', hosts = 10, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
             switch = [{{ total = '80MB', buffer = {{ policy = 'abm', interval = '30us' }}, \
             scheduler = {{ kind = 'deficit_round_robin' }} }}]\n\
             transport.steady = {{ kind = 'constant_rate', rate = '10Gbps' }}\n\
             workload = [{}, {}, {}]\nstop = {{ at = '300us' }}",
            senders.join(", "),
            burst(f64::from(start) + 0.6),
            burst(f64::from(start) + 23.0),
        )));
        let drops: u64 =
            outcome.switches.iter().flat_map(Switch::ports).map(|port| port.counters.dropped()).sum();
        assert_eq!(drops, 0, "bursts from {start}.6 us on");
    }
}
