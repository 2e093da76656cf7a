//! Notes on flows that would start when the run is over.

use super::Simulation;
use crate::kernel::units::Time;
use crate::scenario::{Stop, Workload};
use crate::workload::Source;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let Stop { at, arrivals_end, .. } = simulation.scenario().stop;
    let ends = [("stop.at", at), ("stop.arrivals_end", arrivals_end)];
    let ends = ends.into_iter().filter_map(|(key, end)| end.map(|end| (key, end)));
    let Some((key, end)) = ends.min_by_key(|(_, end)| *end) else { return Vec::new() };
    let workloads = simulation.scenario().workload.iter().zip(simulation.sources()).enumerate();
    let note = |(index, (workload, source)): (usize, (&Workload, &Source))| {
        let then = format!("at {key} = {end} or later, and never begin");
        if let (Workload::Trace(trace), Some((late, all))) = (workload, source.rows_from(Time::ZERO + end)) {
            return (late > 0).then(|| {
                format!("workload[{index}]: {late} of {all} rows of \"{}\" are {then}", trace.file)
            });
        }
        let start = workload.start();
        (start >= end).then(|| format!("workload[{index}]: all its flows, from {start} on, are {then}"))
    };
    workloads.filter_map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::notes;

    #[test]
    fn workloads_that_come_too_late_are_noted() {
        // The run stops at 1 ms.
        let of = |start: &str, rest: &str| {
            let incast = format!(
                "{{ kind = 'incast', transport = 'reno', fan_in = 2, size = '1kB', receivers = ['host0'], every = '1ms', \
                 groups = 2, start = '{start}' }}"
            );
            notes(&incast, rest)
        };
        let late = |key: &str| {
            [format!("workload[0]: all its flows, from 1ms on, are at {key} or later, and never begin")]
        };
        assert_eq!(of("1ms", ""), late("stop.at = 1ms"));
        assert_eq!(of("1ms", "stop.arrivals_end = '500us'"), late("stop.arrivals_end = 500us"));
        assert_eq!(of("999us", ""), [""; 0]);
    }
}
