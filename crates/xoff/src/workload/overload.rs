//! Overload: links from which workloads together ask more than they carry, as far as that is certain before the run.
//!
//! Counted are flows that come at a load or at intervals, by their mean, and flows of constant rate without end.

use std::collections::{BTreeMap, BTreeSet};

use super::load::{Crossing, Traffic};
use super::{Kind, Source};
use crate::kernel::units::{Rate, Span, Time};
use crate::scenario::{Scenario, Stop, Transport, Workload};
use crate::topology::{Network, NodeId};

/// Links that carry traffic together, in one direction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Links {
    /// Links by which the listed hosts send.
    From(Vec<NodeId>),
    /// Links by which the listed hosts receive.
    To(Vec<NodeId>),
    /// Links of the network's core.
    Core,
    /// Core links from the first rack to the second, or back, where the core counts each direction.
    CoreWay {
        /// Whether the direction is from the second rack to the first.
        back: bool,
    },
}

impl Links {
    /// Whether all traffic that crosses these links also crosses `others`.
    fn lead_to(&self, others: &Self) -> bool {
        let within =
            |some: &[NodeId], all: &[NodeId]| some.iter().all(|host| all.binary_search(host).is_ok());
        match (self, others) {
            (Self::From(some), Self::From(all)) | (Self::To(some), Self::To(all)) => within(some, all),
            (Self::From(_) | Self::To(_), _) => false,
            (one, other) => one == other,
        }
    }

    fn capacity(&self, network: &Network) -> Rate {
        match self {
            Self::From(hosts) => {
                let rates = hosts.iter().map(|&host| network.rate_from_host(host));
                rates.fold(Rate::ZERO, Rate::saturating_add)
            }
            Self::To(hosts) => {
                let rates = hosts.iter().map(|&host| network.rate_to_host(host));
                rates.fold(Rate::ZERO, Rate::saturating_add)
            }
            // What goes up comes down.
            Self::Core => network.core.map_or(Rate::MAX, |core| core.capacity.min(core.back)),
            Self::CoreWay { back: false } => network.core.map_or(Rate::MAX, |core| core.capacity),
            Self::CoreWay { back: true } => network.core.map_or(Rate::MAX, |core| core.back),
        }
    }
}

/// Traffic that exceeds the capacity of some links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overload {
    /// Overloaded links.
    pub links: Links,
    /// Capacity of the links together.
    pub capacity: Rate,
    /// Traffic that the links are to carry.
    pub offered: Rate,
    /// Workloads that bring the traffic, by position.
    pub workloads: BTreeSet<usize>,
}

/// Bits per second that one workload brings to some links.
struct Demand {
    links: Links,
    on_wire: f64,
    workload: usize,
}

/// Share by which packets that are not full may exceed a load of 1, which does not count as overload.
const NO_OVERLOAD: f64 = 1e-3;

/// Finds every overload, by its links.
pub fn of(scenario: &Scenario, network: &Network, sources: &[Source]) -> Vec<Overload> {
    let Stop { at, arrivals_end, .. } = scenario.stop;
    let end = Time::ZERO + at.unwrap_or(Span::MAX).min(arrivals_end.unwrap_or(Span::MAX));
    let start = |workload: usize| match &scenario.workload[workload] {
        Workload::Poisson(settings) => Time::ZERO + settings.start,
        Workload::Incast(settings) => Time::ZERO + settings.start,
        Workload::Query(settings) => Time::ZERO + settings.start,
        _ => Time::ZERO,
    };
    let demands = sources.iter().enumerate().filter(|(workload, _)| start(*workload) < end);
    let demands = demands.flat_map(|(workload, source)| {
        let by_links =
            source.at_a_pace(network).unwrap_or_else(|| at_constant_rate(source, end, scenario, network));
        by_links.into_iter().map(move |(links, on_wire)| Demand { links, on_wire, workload })
    });
    let demands: Vec<Demand> = demands.collect();
    let links: BTreeSet<&Links> = demands.iter().map(|demand| &demand.links).collect();
    let overload = |links: &Links| {
        let on_links = || demands.iter().filter(|demand| demand.links.lead_to(links));
        let (capacity, on_wire) =
            (links.capacity(network), on_links().map(|demand| demand.on_wire).sum::<f64>());
        (on_wire > capacity.as_f64() * (1.0 + NO_OVERLOAD)).then(|| Overload {
            links: links.clone(),
            capacity,
            offered: Rate::from_f64(on_wire),
            workloads: on_links().map(|demand| demand.workload).collect(),
        })
    };
    links.into_iter().filter_map(overload).collect()
}

impl Source {
    /// Returns the bits per second that a source's flows bring to links, if their pace is known and they come without
    /// end.
    fn at_a_pace(&self, network: &Network) -> Option<BTreeMap<Links, f64>> {
        let (Traffic { on_wire, crossing }, ends) = match &self.kind {
            Kind::Poisson(poisson) => poisson.traffic(),
            Kind::Incast(incast) => incast.traffic()?,
            Kind::Query(query) => {
                let on_wire = query.on_wire?;
                // Of what comes from workers of two networks, or from those of one server, nobody knows how much.
                let come_by_the_link = |host: &&NodeId| {
                    let others = query.plan.workers.iter().filter(|worker| worker != host);
                    others.into_iter().all(|&worker| network.adapters_between(worker, **host)[1] == **host)
                };
                let aggregators = query.plan.aggregators.iter().filter(come_by_the_link);
                return Some(aggregators.map(|&host| (Links::To(vec![host]), on_wire)).collect());
            }
            _ => return None,
        };
        let core = match crossing {
            Crossing::Any(share) => vec![(Links::Core, share)],
            Crossing::EachWay([there, back]) => {
                vec![(Links::CoreWay { back: false }, there), (Links::CoreWay { back: true }, back)]
            }
        };
        let (senders, receivers): (Vec<NodeId>, Vec<NodeId>) =
            (ends.senders.iter().collect(), ends.receivers.iter().collect());
        // Each host has as large a part as any other, whatever the rate of its link: one that is slower than others has too much first.
        let of_each = |hosts: &[NodeId], rate: &dyn Fn(NodeId) -> Rate| {
            let slowest = slowest(hosts, rate)?;
            Some((vec![slowest], on_wire / hosts.len() as f64))
        };
        let of_slow_hosts = [
            of_each(&senders, &|host| network.rate_from_host(host))
                .map(|(host, share)| (Links::From(host), share)),
            of_each(&receivers, &|host| network.rate_to_host(host))
                .map(|(host, share)| (Links::To(host), share)),
        ];
        let of_hosts = [(Links::From(senders), on_wire), (Links::To(receivers), on_wire)];
        let of_hosts = of_hosts.into_iter().chain(of_slow_hosts.into_iter().flatten());
        Some(of_hosts.chain(core.into_iter().map(|(links, share)| (links, on_wire * share))).collect())
    }
}

/// Returns the host with the slowest link, if another's is faster.
fn slowest(hosts: &[NodeId], rate: impl Fn(NodeId) -> Rate) -> Option<NodeId> {
    let fastest = hosts.iter().map(|&host| rate(host)).max()?;
    let slowest = *hosts.iter().min_by_key(|&&host| rate(host))?;
    (rate(slowest) < fastest).then_some(slowest)
}

/// Returns the bits per second that a source's flows bring to links, if they send at a constant rate for ever.
fn at_constant_rate(
    source: &Source,
    end: Time,
    scenario: &Scenario,
    network: &Network,
) -> BTreeMap<Links, f64> {
    let mut on_wire = BTreeMap::new();
    let transports: Vec<&Transport> = scenario.transport.values().collect();
    let flows = source.without_end().take_while(|flow| flow.start < end);
    for flow in flows.filter(|flow| flow.end == Time::MAX) {
        if let Transport::ConstantRate(settings) = transports[usize::from(flow.transport)] {
            let rate = settings.rate.unwrap_or_default().as_f64();
            let [source, destination] = network.adapters_between(flow.source, flow.destination);
            *on_wire.entry(Links::From(vec![source])).or_default() += rate;
            *on_wire.entry(Links::To(vec![destination])).or_default() += rate;
        }
    }
    on_wire
}
