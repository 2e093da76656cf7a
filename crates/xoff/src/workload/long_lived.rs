//! Long-lived flows: flows without end, or of one size, between named hosts.
//!
//! Long-lived flows start pair by pair, and the flows of a pair follow one another. With `starts_within` each flow draws
//! its start instead.

use super::FlowSpec;
use super::setup::Setup;
use crate::kernel::rng::{Rng, below};
use crate::kernel::units::{Span, Time};
use crate::scenario::{self, QueuePairs, ScenarioError, Transport};
use crate::topology::NodeId;

/// Source of long-lived flows.
#[derive(Clone, Debug)]
pub(super) struct LongLived {
    template: FlowSpec,
    starts: Starts,
}

/// Starts of the flows, each with its source and destination, in order.
#[derive(Clone, Debug)]
enum Starts {
    /// Even intervals, pair by pair.
    Staggered(Staggered),
    /// Random times, drawn beforehand.
    Drawn(std::vec::IntoIter<(Time, [NodeId; 2])>),
}

/// Starts at even intervals, pair by pair.
#[derive(Clone, Debug)]
struct Staggered {
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
        let start = Time::ZERO + settings.start;
        let starts = match settings.starts_within {
            Some(interval) => {
                check_starts_within(interval, settings.stagger, setup)?;
                Starts::drawn(&pairs, settings.flows_per_pair, start, interval, &mut setup.rng())
            }
            None => Starts::Staggered(Staggered {
                pairs: pairs.into_iter(),
                per_pair: settings.flows_per_pair,
                current: [0, 0],
                left: 0,
                next_start: start,
                stagger: settings.stagger,
            }),
        };
        Ok(Self { template, starts })
    }
}

/// Rejects an interval of random starts that is empty or has a stagger beside it.
fn check_starts_within(interval: Span, stagger: Span, setup: &Setup<'_>) -> Result<(), ScenarioError> {
    if interval == Span::ZERO {
        let expected = "expected a time above 0s, or no such key";
        return Err(setup.error("starts_within", "is zero", expected));
    }
    if stagger > Span::ZERO {
        return Err(setup.error("starts_within", "is there beside `stagger`", "expected one of them"));
    }
    Ok(())
}

impl Starts {
    /// Draws a start for every flow, pair by pair, from `start` on and before the interval is over.
    fn drawn(pairs: &[[NodeId; 2]], per_pair: u32, start: Time, interval: Span, rng: &mut Rng) -> Self {
        let flows = pairs.iter().flat_map(|pair| std::iter::repeat_n(*pair, per_pair as usize));
        let drawn = flows.map(|pair| (start.later(Span::new(below(rng, interval.get()))), pair));
        let mut drawn: Vec<_> = drawn.collect();
        drawn.sort_by_key(|(start, _)| *start);
        Self::Drawn(drawn.into_iter())
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
    let latest = settings.starts_within.map_or(staggers, |interval| interval.get().saturating_sub(1));
    if end <= (Time::ZERO + settings.start).later(Span::new(latest)) {
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
        let (start, [source, destination]) = match &mut self.starts {
            Starts::Staggered(staggered) => staggered.next(),
            Starts::Drawn(drawn) => drawn.next(),
        }?;
        Some(FlowSpec { start, source, destination, ..self.template })
    }
}

impl Iterator for Staggered {
    type Item = (Time, [NodeId; 2]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            self.current = self.pairs.next()?;
            self.left = self.per_pair;
        }
        self.left -= 1;
        let start = self.next_start;
        self.next_start = start.later(self.stagger);
        Some((start, self.current))
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

    /// Of 4000 uniform draws the mean is within four of its standard deviations, 0.0046 of the interval each.
    #[test]
    fn flows_start_at_uniformly_random_times_of_the_interval() {
        let starting = |seed: u64, keys: &str| {
            let mut scenario = scenario(
                &star(3),
                &format!(
                    "kind = 'long_lived'\nstart = '1us'\nflows_per_pair = 2000\n{keys}\n\
                     pairs = [['host2', 'host0'], ['host1', 'host0']]"
                ),
            );
            scenario.seed = seed;
            source_with(&scenario, &Files::new()).unwrap().1.collect::<Vec<_>>()
        };
        let within = "starts_within = '10us'";
        let flows = starting(1, within);
        let starts: Vec<u64> = flows.iter().map(|flow| flow.start.as_nanoseconds()).collect();
        assert!(starts.is_sorted() && starts.iter().all(|start| (1_000..11_000).contains(start)));
        let mean = starts.iter().sum::<u64>() as f64 / starts.len() as f64;
        assert!((mean - 6_000.0).abs() < 4.0 * 0.0046 * 10_000.0, "{mean}");
        for source in [1, 2] {
            let early = flows[..2000].iter().filter(|flow| flow.source == source).count();
            assert!((900..1100).contains(&early), "pairs are mixed: {early} of the first half");
            assert_eq!(flows.iter().filter(|flow| flow.source == source).count(), 2000);
        }
        assert_eq!(flows, starting(1, within));
        assert_ne!(flows, starting(2, within), "another seed has other starts");
    }

    #[test]
    fn random_starts_exclude_a_stagger_and_lie_before_the_end() {
        let keys = "kind = 'long_lived'\npairs = [['host2', 'host0']]\nstart = '1us'\nstarts_within = '5us'";
        let with = |rest: &str| refusal(&star(3), &format!("{keys}\n{rest}"));
        assert_eq!(
            with("stagger = '1us'"),
            "workload[0].starts_within: is there beside `stagger`; expected one of them"
        );
        let ending = |end: &str| {
            let mut scenario = scenario(&star(3), &format!("{keys}\nend = '{end}'"));
            if let Some(Transport::ConstantRate(settings)) = scenario.transport.get_mut("plain") {
                settings.rate = Some(Rate::from_gbps(1));
            }
            source_with(&scenario, &Files::new()).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(ending("6us"), Ok(()));
        let early =
            "workload[0].end: is not after the start of the last flow; expected a later time".to_owned();
        assert_eq!(ending("5999ns"), Err(early));
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
