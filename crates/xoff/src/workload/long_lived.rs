//! Flows without end, or of one size, between named hosts.
//! They start pair by pair, all flows of a pair after one another.

use super::FlowSpec;
use super::setup::{Setup, after};
use crate::kernel::units::{Span, Time};
use crate::scenario::{self, ScenarioError};
use crate::topology::NodeId;

/// The source.
#[derive(Clone, Debug)]
pub(super) struct LongLived {
    template: FlowSpec,
    pairs: std::vec::IntoIter<[NodeId; 2]>,
    per_pair: u32,
    current: [NodeId; 2],
    left: u32,
    next_start: Time,
    stagger: Span,
}

impl LongLived {
    pub(super) fn new(settings: &scenario::LongLived, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let mut template = setup.template(&settings.transport)?;
        template.size = setup.size(settings.size)?;
        setup.at_least_one("flows_per_pair", settings.flows_per_pair.into())?;
        let pairs = settings.pairs.iter().enumerate();
        let pairs = pairs.map(|(index, pair)| ends(index, pair, setup)).collect::<Result<Vec<_>, _>>()?;
        if pairs.is_empty() {
            return Err(setup.error("pairs", "is empty", "expected at least one pair of hosts"));
        }
        Ok(Self {
            template,
            pairs: pairs.into_iter(),
            per_pair: settings.flows_per_pair,
            current: [0, 0],
            left: 0,
            next_start: Time::ZERO + settings.start,
            stagger: settings.stagger,
        })
    }
}

fn ends(index: usize, [from, to]: &[String; 2], setup: &Setup<'_>) -> Result<[NodeId; 2], ScenarioError> {
    let key = setup.key(&format!("pairs[{index}]"));
    let ends = [setup.names.host(&key, from)?, setup.names.host(&key, to)?];
    if ends[0] == ends[1] {
        let problem = format!("\"{from}\" would send to itself");
        return Err(ScenarioError::at(key, problem, "expected two different hosts"));
    }
    Ok(ends)
}

impl Iterator for LongLived {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        if self.left == 0 {
            self.current = self.pairs.next()?;
            self.left = self.per_pair;
        }
        self.left -= 1;
        let start = self.next_start;
        self.next_start = after(start, self.stagger);
        let [source, destination] = self.current;
        Some(FlowSpec { start, source, destination, ..self.template })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{refusal, source, star};
    use crate::kernel::units::Bytes;

    #[test]
    fn flows_start_one_stagger_apart_pair_by_pair() {
        let keys = "pairs = [['host2', 'host0'], ['host1', 'host0']]\n\
                    flows_per_pair = 2\nstart = '1us'\nstagger = '5us'";
        let flows: Vec<_> = source(&star(3), &format!("kind = 'long_lived'\n{keys}")).collect();
        let starts: Vec<_> = flows.iter().map(|flow| (flow.source, flow.start.as_nanoseconds())).collect();
        assert_eq!(starts, [(2, 1_000), (2, 6_000), (1, 11_000), (1, 16_000)]);
        assert!(flows.iter().all(|flow| flow.destination == 0 && flow.size == Bytes::MAX));
    }

    #[test]
    fn wrong_pairs_are_refused() {
        let refused = |keys: &str| refusal(&star(3), &format!("kind = 'long_lived'\n{keys}"));
        let unknown = refused("pairs = [['host0', 'host1'], ['host0', 'hots2']]");
        assert!(unknown.contains("workload[0].pairs[1]: \"hots2\" does not exist"), "{unknown}");
        assert!(unknown.contains("did you mean \"host2\"?"), "{unknown}");
        let itself = refused("pairs = [['host1', 'host1']]");
        assert!(itself.contains("workload[0].pairs[0]: \"host1\" would send to itself"), "{itself}");
        let switch = refused("pairs = [['host1', 'switch0']]");
        assert!(switch.contains("\"switch0\" is a switch"), "{switch}");
        assert!(refused("pairs = []").contains("workload[0].pairs: is empty"));
        assert!(refused("pairs = [['host0', 'host1']]\nsize = '0B'").contains("workload[0].size: is zero"));
    }
}
