//! Congestion points at inputs and outputs of switches: the flows that they notify, and the room that their messages
//! take.

use xoff::Report;
use xoff::internals::report::{QcnTotals, Totals};

use crate::common::{PLAIN, report};
use crate::simulation;

/// Counts the rows of one quantity and name.
fn rows(report: &Report, quantity: &str, name: &str) -> usize {
    let series = &report.series;
    let is_it = |&row: &usize| {
        report.quantity_names[usize::from(series.quantity[row])] == quantity
            && report.series_names[series.name[row] as usize] == name
    };
    (0..series.value.len()).filter(is_it).count()
}

/// Class 3 is congested at the input of host 0. The window of host 0's other flow, of class 0, stays far below the set
/// point however long it waits.
#[test]
fn flows_of_other_classes_are_not_to_blame() {
    for sampling in ["occupancy", "two_samples", "arrival"] {
        let simulation = simulation(&format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '100ns' }}, \
             links = [{{ between = ['host2', 'switch0'], rate = '1Gbps' }}] }}\n\
             class = [{{ priority = 0 }}, {{ priority = 3, lossless = true }}]\n\
             transport.raw = {{ kind = 'constant_rate', payload = '1464B', rate = '8Gbps' }}\n\
             transport.tcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }}, maximum_window = '15kB' }}\n\
             workload = [\n\
             {{ kind = 'long_lived', transport = 'raw', pairs = [['host0', 'host3'], ['host1', 'host3']], priority = 3 }},\n\
             {{ kind = 'long_lived', transport = 'tcp', pairs = [['host0', 'host2']], priority = 0 }}]\n\
             switch = [{{ kind = 'cioq', output = {{ buffer = '6kB' }}, input = {{ buffer = '300kB', xoff = '110kB', \
             congestion_point = {{ sampling = '{sampling}', set_point = '60kB' }} }} }}]\n\
             observe.cnms = {{ every = 'change' }}\n\
             stop.at = '20ms'"
        ));
        let report = report(&simulation, PLAIN);
        let cnms = |name| rows(&report, "cnms", name);
        assert!(cnms("host0.flow0") > 10, "{sampling}");
        assert_eq!(cnms("host0.flow1"), 0, "{sampling}");
    }
}

/// The sender of class 3 is paused for good after 0.1 ms, since its receiver's link takes 12 ms for a frame. Nothing
/// arrives that would end the interval. From 1 ms to 3 ms, one sample in 20 us is 100 messages.
#[test]
fn a_paused_input_is_sampled_once_in_its_keep_alive() {
    for sampling in ["occupancy", "two_samples"] {
        let cnms = |milliseconds: u32, keep_alive: &str| {
            let simulation = simulation(&format!(
                "topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '10Gbps', delay = '100ns' }}, \
                 links = [{{ between = ['host1', 'switch0'], rate = '1Mbps' }}] }}\n\
                 class = [{{ priority = 3, lossless = true }}]\n\
                 transport.raw = {{ kind = 'constant_rate', payload = '1464B' }}\n\
                 workload = [{{ kind = 'long_lived', transport = 'raw', pairs = [['host0', 'host1']], priority = 3 }}]\n\
                 switch = [{{ kind = 'cioq', input = {{ xoff = '110kB', congestion_point = {{ sampling = '{sampling}', \
                 set_point = '60kB', interval = '100MB'{keep_alive} }} }} }}]\n\
                 stop.at = '{milliseconds}ms'"
            ));
            report(&simulation, PLAIN).totals.qcn.cnms_sent_by_inputs
        };
        let often = ", keep_alive = '20us'";
        assert_eq!(cnms(3, often) - cnms(1, often), 100, "{sampling}");
        assert_eq!(cnms(3, ""), 0, "{sampling}");
    }
}

/// Eight hosts send to one another through this switch, in packets of this payload. Returns the totals of the run.
fn all_to_all(payload: &str, switch: &str) -> Totals {
    let pair = |(from, to): (u32, u32)| format!("['host{from}', 'host{to}']");
    let pairs = (0..8).flat_map(|from| (0..8).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let pairs: Vec<String> = pairs.map(pair).collect();
    let simulation = simulation(&format!(
        "topology = {{ kind = 'star', hosts = 8, host_link = {{ rate = '10Gbps', delay = '100ns' }} }}\n\
         class = [{{ priority = 3, lossless = true }}, {{ priority = 5 }}]\n\
         transport.raw = {{ kind = 'constant_rate', payload = '{payload}' }}\n\
         workload = [{{ kind = 'long_lived', transport = 'raw', pairs = [{}], priority = 3, size = '3MB' }}]\n\
         switch = [{{ kind = 'cioq', {switch} }}]\n\
         stop.at = '5ms'",
        pairs.join(", ")
    ));
    report(&simulation, PLAIN).totals
}

/// Messages from outputs enter, as fast as they can, by inputs whose senders are paused.
#[test]
fn messages_of_outputs_take_no_room_of_lossless_data() {
    for input in ["buffer = '40kB'", "buffer = '40kB', xoff = '20kB'"] {
        let totals = all_to_all(
            "46B",
            &format!(
                "unit = '1B', input = {{ {input} }}, \
                 output = {{ congestion_point = {{ sampling = 'arrival', set_point = '1B', interval = '1B' }} }}"
            ),
        );
        assert!(totals.pfc.pause_frames > 0 && totals.qcn.cnms_received > 1000, "{input}: {totals:?}");
        assert_eq!(totals.packets.dropped, 0, "{input}");
    }
}

/// Markers that act on waiting data neither mark nor drop messages that wait with it.
#[test]
fn messages_in_lossless_classes_are_not_dropped_where_data_is_marked() {
    let dropped = |marking: &str| {
        let switch = format!(
            "unit = '1B', input = {{ buffer = '200kB'{marking} }}, \
             output = {{ congestion_point = {{ sampling = 'arrival', set_point = '1B', interval = '1B' }} }}"
        );
        all_to_all("1464B", &switch).qcn.cnms_dropped
    };
    assert_eq!(dropped(", marking = { kind = 'threshold', threshold = '100B' }"), dropped(""));
}

/// An output of 20 kB has room for 13 frames of 1522 bytes, and for nothing besides.
#[test]
fn messages_that_find_no_room_are_counted() {
    let totals = all_to_all(
        "1464B",
        "input = { xoff = '110kB', congestion_point = { sampling = 'occupancy', set_point = '60kB' } }, \
         output = { buffer = '20kB' }",
    );
    let QcnTotals { cnms_sent_by_inputs, cnms_received, cnms_dropped, .. } = totals.qcn;
    assert!(cnms_dropped > 0 && cnms_received > 0, "{totals:?}");
    assert!(cnms_sent_by_inputs - cnms_received - cnms_dropped < 10, "all others are under way");
    assert_eq!((totals.packets.dropped, totals.packets.acknowledgements_dropped), (0, 0));
}

/// Each class that is used has 20 kB of an output. Messages of the data's class find 13 frames there, and those of class
/// 5 find no data.
#[test]
fn messages_of_a_class_of_their_own_find_room() {
    for (buffer, priority) in [(20, ""), (40, ", cnm_priority = 5")] {
        let qcn = all_to_all(
            "1464B",
            &format!(
                "input = {{ xoff = '110kB', congestion_point = {{ sampling = 'occupancy', set_point = '60kB'{priority} }} }}, \
                 output = {{ buffer = '{buffer}kB' }}"
            ),
        )
        .qcn;
        assert!(qcn.cnms_received > 0, "{qcn:?}");
        assert_eq!(qcn.cnms_dropped > 0, priority.is_empty(), "{qcn:?}");
    }
}
