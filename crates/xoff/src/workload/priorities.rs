//! Traffic classes of a workload's flows.

use super::setup::Setup;
use crate::classes::Classes;
use crate::kernel::rng::{Purpose, Rng, below};
use crate::scenario::{Priority, ScenarioError};

/// Classes of a workload's flows, each drawn from a stream of its own, so that no other draw depends on them.
#[derive(Clone, Debug)]
pub(super) struct Priorities {
    classes: Vec<u8>,
    rng: Rng,
}

impl Priorities {
    pub(super) fn new(priority: &Priority, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let classes = priority.all().to_vec();
        if let Some(class) = classes.iter().find(|class| **class > 7) {
            return Err(setup.error("priority", format!("is {class}"), "expected 0 to 7"));
        }
        setup.at_least_one("priority", classes.len() as u64)?;
        Ok(Self { classes, rng: setup.stream(Purpose::Priorities) })
    }

    /// Classes that a flow may have.
    pub(super) fn classes(&self) -> Classes {
        self.classes.iter().copied().collect()
    }

    /// Draws the class of the next flow.
    pub(super) fn draw(&mut self) -> u8 {
        match self.classes[..] {
            [class] => class,
            ref classes => classes[below(&mut self.rng, classes.len() as u64) as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::FlowSpec;
    use super::super::testing::{refusal, source, star};

    const POISSON: &str = "kind = 'poisson'\nsizes = 'web_search'\nload = 0.5\nof = 'host'";

    fn flows(priority: &str) -> Vec<FlowSpec> {
        source(&star(8), &format!("{POISSON}\npriority = {priority}")).take(70_000).collect()
    }

    #[test]
    fn each_class_of_a_list_is_drawn_equally_often() {
        assert_eq!(
            source(&star(8), &format!("{POISSON}\npriority = [1, 2, 7]")).classes().mask(),
            0b1000_0110
        );
        let mut counts = [0_u32; 8];
        for flow in flows("[1, 2, 3, 4, 5, 6, 7]") {
            counts[usize::from(flow.priority)] += 1;
        }
        assert_eq!(counts[0], 0);
        assert!(counts[1..].iter().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
    }

    #[test]
    fn classes_change_nothing_else_of_the_flows() {
        let of_class_3 = |flow: FlowSpec| FlowSpec { priority: 3, ..flow };
        assert_eq!(flows("[1, 2]").into_iter().map(of_class_3).collect::<Vec<_>>(), flows("3"));
    }

    #[test]
    fn classes_that_there_cannot_be_are_refused() {
        let refused = |priority: &str| refusal(&star(4), &format!("{POISSON}\npriority = {priority}"));
        assert!(refused("8").contains("workload[0].priority: is 8; expected 0 to 7"));
        assert!(refused("[1, 9]").contains("workload[0].priority: is 9; expected 0 to 7"));
        assert!(refused("[]").contains("workload[0].priority: is 0; expected at least 1"));
    }
}
