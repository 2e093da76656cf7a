//! What is sampled is what was last seen to change.

use std::collections::BTreeMap;

use xoff::engine::{Quantity, Sample};
use xoff::kernel::units::Span;
use xoff::scenario::{Every, ObserveOf};
use xoff::{Files, Simulation};

use crate::common::law_of_random_scenarios;
use crate::common::random::Ends;
use crate::run;

/// What is recorded of the switches of a simulation.
fn rows(simulation: &Simulation, every: Every) -> Vec<Sample> {
    let mut scenario = simulation.scenario().clone();
    let asked = Some(ObserveOf { every, of: vec!["*".to_owned()] });
    (scenario.observe.queues, scenario.observe.marks, scenario.observe.drops) =
        (asked.clone(), asked.clone(), asked);
    let simulation = Simulation::new(&scenario, &Files::new()).expect("it was accepted before");
    run(&simulation).samples.rows
}

#[test]
fn samples_are_what_changes_add_up_to() {
    law_of_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let mut changes = rows(simulation, Every::Change).into_iter().peekable();
        let (mut queues, mut counts) = (BTreeMap::new(), BTreeMap::new());
        for sample in rows(simulation, Every::Span(Span::from_nanoseconds(3_100))) {
            while let Some(change) = changes.next_if(|change| change.time < sample.time) {
                if change.quantity == Quantity::Queue {
                    queues.insert((change.entity, change.part), change.value);
                } else {
                    *counts.entry((change.quantity, change.entity)).or_insert(0.0) += change.value;
                }
            }
            let expected = if sample.quantity == Quantity::Queue {
                queues.get(&(sample.entity, sample.part)).copied()
            } else {
                counts.remove(&(sample.quantity, sample.entity))
            };
            assert!((sample.value - expected.unwrap_or(0.0)).abs() < f64::EPSILON, "{sample:?} {expected:?}");
        }
    });
}

/// A packet under way counts as far as it has left: no sample tells of more than the link carries.
#[test]
fn no_throughput_is_above_the_rate_of_its_link() {
    law_of_random_scenarios(&[Ends::Drained, Ends::InTheMiddle], |simulation| {
        let every = Span::from_nanoseconds(3_100);
        let mut scenario = simulation.scenario().clone();
        scenario.observe.throughput = Some(ObserveOf { every: Every::Span(every), of: vec!["*".to_owned()] });
        let simulation = Simulation::new(&scenario, &Files::new()).expect("it was accepted before");
        let network = simulation.network();
        let rates: Vec<f64> = (0..network.nodes.len() as u32)
            .flat_map(|node| network.ports.of(node))
            .map(|port| network.links[port.link as usize].rate.as_f64())
            .collect();
        let one_byte = 8.0 / every.as_seconds();
        for sample in run(&simulation).samples.rows {
            assert!(sample.value <= rates[sample.entity as usize] + one_byte, "{sample:?}");
        }
    });
}
