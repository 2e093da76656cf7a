//! Transports side by side.
//!
//! DCTCP beside Reno, which is not ECN-capable (DCTCP, SIGCOMM 2010, section 1): in one queue the threshold that marks
//! DCTCP's packets drops Reno's, and in queues of their own each has its share. TCP beside RoCE: both in the adapter of
//! one host.

use xoff::units::Time;

use crate::{run, simulation, validate};

/// Shares of the middle link that DCTCP and Reno get, two flows each, in these classes.
fn shares(classes: [u8; 2]) -> [f64; 2] {
    let [dctcp, reno] = classes;
    let simulation = simulation(&format!(
        "title = 'coexistence'\n\
         topology = {{ kind = 'dumbbell', left = 2, right = 2, host_link = {{ rate = '10Gbps', delay = '5us' }}, \
         middle_link = {{ rate = '10Gbps', delay = '5us' }} }}\n\
         switch = [{{ total = '4MB', buffer = {{ policy = 'complete_sharing' }}, \
         scheduler = {{ kind = 'deficit_round_robin' }}, marking.queue = {{ kind = 'threshold', threshold = '100kB' }} }}]\n\
         transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}\n\
         transport.reno = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }} }}\n\
         workload = [\
         {{ kind = 'long_lived', transport = 'dctcp', pairs = [['host0', 'host2']], flows_per_pair = 2, priority = {dctcp} }}, \
         {{ kind = 'long_lived', transport = 'reno', pairs = [['host1', 'host3']], flows_per_pair = 2, priority = {reno} }}]\n\
         stop.at = '50ms'"
    ));
    let outcome = run(&simulation);
    let seconds = outcome.end.map(|end| end.since(Time::ZERO).as_seconds()).expect("it ends at a time");
    // 1460 of 1538 bytes on the wire are payload.
    let most = 10e9 / 8.0 * seconds * 1460.0 / 1538.0;
    [2, 3].map(|host: usize| outcome.hosts[host].counters.payload_delivered.as_f64() / most)
}

#[test]
fn in_one_queue_reno_is_starved() {
    let [dctcp, reno] = shares([0, 0]);
    validate("DCTCP beside Reno in one queue: DCTCP's share", 0.99, dctcp, 0.01);
    validate("DCTCP beside Reno in one queue: Reno's share", 0.01, reno, 0.01);
}

#[test]
fn in_queues_of_their_own_each_has_half() {
    let [dctcp, reno] = shares([0, 1]);
    validate("DCTCP beside Reno in two queues: DCTCP's share", 0.5, dctcp, 0.02);
    validate("DCTCP beside Reno in two queues: Reno's share", 0.5, reno, 0.02);
}

/// In one class they take turns packet by packet: 1538 B of TCP, then 1106 B of RoCE. The window of TCP and the
/// congestion control of RoCE do not matter.
#[test]
fn queue_pairs_and_other_flows_of_a_class_take_turns_in_the_adapter() {
    for beside in [
        "{ kind = 'tcp', congestion_control = { algorithm = 'reno' } }",
        "{ kind = 'constant_rate', payload = '1460B' }",
    ] {
        let simulation = simulation(&format!(
            "title = 'one adapter'\n\
             topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
             switch = [{{ total = '12MB' }}]\n\
             transport.beside = {beside}\n\
             transport.rdma = {{ kind = 'roce' }}\n\
             workload = [\
             {{ kind = 'long_lived', transport = 'beside', pairs = [['host0', 'host1']], priority = 3 }}, \
             {{ kind = 'long_lived', transport = 'rdma', pairs = [['host0', 'host2'], ['host0', 'host3']], priority = 3 }}]\n\
             stop.at = '5ms'"
        ));
        let outcome = run(&simulation);
        let gbps = |host: usize| outcome.hosts[host].counters.payload_delivered.as_f64() * 8.0 / 5e-3 / 1e9;
        let round_trips = 100.0 / (1538.0 + 1106.0);
        validate(&format!("{beside} beside two queue pairs, Gbps"), 1460.0 * round_trips, gbps(1), 1.0);
        for pair in [2, 3] {
            validate("one of two queue pairs beside it, Gbps", 512.0 * round_trips, gbps(pair), 0.5);
        }
    }
}
