//! Congestion points at inputs and outputs of switches: whom they tell.

use xoff::Report;

use crate::common::{PLAIN, report};
use crate::simulation;

/// Quantity, name and number of its rows.
fn rows(report: &Report, quantity: &str, name: &str) -> usize {
    let series = &report.series;
    let is_it = |&row: &usize| {
        report.quantity_names[usize::from(series.quantity[row])] == quantity
            && report.series_names[series.name[row] as usize] == name
    };
    (0..series.value.len()).filter(is_it).count()
}

/// Class 3 is congested at the input of host 0, where the window of host 0's other flow, of class 0, stays far below the set point
/// however long it waits.
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
