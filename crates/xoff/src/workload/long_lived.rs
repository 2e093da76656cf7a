//! Long-lived flows: flows without end, or of one size, between named hosts.
//!
//! Long-lived flows start pair by pair; the flows of a pair follow one another.

use super::FlowSpec;
use super::setup::{Setup, after};
use crate::kernel::units::{Span, Time};
use crate::scenario::{self, QueuePairs, ScenarioError, Transport};
use crate::topology::NodeId;

/// Source of long-lived flows.
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

/// Whether flows of a transport can end before they have sent their size.
fn can_end(transport: &Transport) -> bool {
    match transport {
        Transport::Tcp(_) => true,
        Transport::ConstantRate(settings) => settings.rate.is_some(),
        Transport::Roce(settings) => settings.connections == QueuePairs::PerFlow,
    }
}

impl LongLived {
    pub(super) fn new(settings: &scenario::LongLived, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let mut template = setup.template(&settings.transport)?;
        template.size = setup.size(settings.size)?;
        template.end = end(settings, setup)?;
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

/// Returns the time at which all flows end. All must have begun before.
fn end(settings: &scenario::LongLived, setup: &Setup<'_>) -> Result<Time, ScenarioError> {
    let Some(end) = settings.end else { return Ok(Time::MAX) };
    if !can_end(setup.transport(&settings.transport)?) {
        let problem = format!("flows of \"{}\" end by their size, not by time", settings.transport);
        let expected = "expected a transport of kind tcp, of kind roce with a queue pair for each flow, or constant_rate with a `rate`; \
             or a `size` instead";
        return Err(setup.error("end", problem, expected));
    }
    let end = Time::ZERO + end;
    let flows = settings.pairs.len() as u64 * u64::from(settings.flows_per_pair);
    let staggers = settings.stagger.get().saturating_mul(flows.saturating_sub(1));
    let last_start = after(Time::ZERO + settings.start, Span::new(staggers));
    if end <= last_start {
        return Err(setup.error("end", "is not after the start of the last flow", "expected a later time"));
    }
    Ok(end)
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
    use super::super::testing::{refusal, scenario, source, source_with, star};
    use super::super::{Files, FlowSpec};
    use crate::kernel::units::{Bytes, Rate};
    use crate::scenario::Transport;

    #[test]
    fn flows_start_one_stagger_apart_pair_by_pair() {
        let keys = "pairs = [['host2', 'host0'], ['host1', 'host0']]\n\
                    flows_per_pair = 2\nstart = '1us'\nstagger = '5us'";
        let flows: Vec<_> = source(&star(3), &format!("kind = 'long_lived'\n{keys}")).collect();
        let starts: Vec<_> = flows.iter().map(|flow| (flow.source, flow.start.as_nanoseconds())).collect();
        assert_eq!(starts, [(2, 1_000), (2, 6_000), (1, 11_000), (1, 16_000)]);
        assert!(flows.iter().all(|flow| flow.destination == 0 && flow.size == Bytes::MAX));
    }

    /// Returns the flows of a source with two flows, which start at 1 us and 6 us with this rate, or the line that
    /// rejects it.
    fn ending(end: &str, rate: Option<Rate>) -> Result<Vec<FlowSpec>, String> {
        let keys = "pairs = [['host2', 'host0'], ['host1', 'host0']]\nstart = '1us'\nstagger = '5us'";
        let mut scenario = scenario(&star(3), &format!("kind = 'long_lived'\n{keys}\nend = '{end}'"));
        if let Some(Transport::ConstantRate(settings)) = scenario.transport.get_mut("plain") {
            settings.rate = rate;
        }
        let source = source_with(&scenario, &Files::new()).map_err(|error| error.to_string());
        Ok(source?.1.collect())
    }

    #[test]
    fn all_flows_end_at_one_time_after_the_last_has_started() {
        let rate = Some(Rate::from_gbps(1));
        let ends: Vec<_> =
            ending("7us", rate).unwrap().iter().map(|flow| flow.end.as_nanoseconds()).collect();
        assert_eq!(ends, [7_000, 7_000]);
        assert_eq!(
            ending("6us", rate),
            Err("workload[0].end: is not after the start of the last flow; expected a later time".to_owned())
        );
        assert_eq!(
            ending("7us", None),
            Err("workload[0].end: flows of \"plain\" end by their size, not by time; \
                 expected a transport of kind tcp, of kind roce with a queue pair for each flow, \
                 or constant_rate with a `rate`; or a `size` instead"
                .to_owned())
        );
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
