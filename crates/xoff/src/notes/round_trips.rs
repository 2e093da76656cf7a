//! Round trips of a transport's flows on an idle network.

use std::collections::BTreeSet;

use super::Simulation;
use crate::application::Plan;
use crate::ideal;
use crate::kernel::units::Span;
use crate::topology::NodeId;

/// Most pairs of hosts whose round trips are looked at. In a network with more, others are as long.
const MOST_PAIRS: usize = 2_000;

/// Returns the round trips of a full packet and its acknowledgement, each with source and destination.
///
/// `index` and `name` are those of the transport. Empty where it has no flows, or acknowledges nothing.
pub(super) fn round_trips(
    simulation: &Simulation,
    index: usize,
    name: &str,
) -> impl Iterator<Item = (Span, [NodeId; 2])> {
    let round_trip = move |ends: [NodeId; 2]| Some((ideal::round_trip(simulation, ends, index)?, ends));
    pairs(simulation, index, name).into_iter().filter_map(round_trip)
}

/// Returns source and destination of flows of a transport, each pair once.
fn pairs(simulation: &Simulation, index: usize, name: &str) -> BTreeSet<[NodeId; 2]> {
    let drawn = simulation.sources_of(name).flat_map(|source| source.clone().take(MOST_PAIRS));
    let mut pairs: BTreeSet<[NodeId; 2]> = drawn.map(|flow| [flow.source, flow.destination]).collect();
    let plans = simulation.fabric().plans.all().iter().filter(|plan| usize::from(plan.transport()) == index);
    for plan in plans {
        match plan {
            Plan::Query(query) => {
                let ends = |&to: &NodeId| query.workers.iter().map(move |&from| [from, to]);
                pairs.extend(
                    query.aggregators.iter().flat_map(ends).filter(|[from, to]| from != to).take(MOST_PAIRS),
                );
            }
            Plan::Collective(collective) => {
                pairs.extend(collective.transfers().map(|(from, to, _)| [from, to]).take(MOST_PAIRS));
            }
            Plan::Job(job) => {
                pairs.extend(job.transfers().map(|(from, to, ..)| [from, to]).take(MOST_PAIRS));
            }
        }
    }
    pairs.into_iter().take(MOST_PAIRS).collect()
}
