//! Estimate of the work of a run, before it runs: flows, bytes and packet-hops that its workloads offer.
//!
//! Flows are drawn one by one, and packet-hops counted as if nothing were lost. Flows that outlast the run, without end or
//! too large for their hosts' links, get their share of these links until the run ends.

use super::Simulation;
use crate::application::{Plan, collective, job, query};
use crate::kernel::units::{Bytes, Rate, Time};
use crate::routing::Lengths;
use crate::scenario::Transport;
use crate::topology::NodeId;
use crate::workload::{FlowSpec, Source};

/// Most flows of one workload that are drawn. Beyond that the rest of its time is taken to bring flows at the same
/// rate.
const MOST_DRAWN: usize = 1 << 20;

/// Least and greatest time on a core for a packet-hop, in ns; docs/speed.md says where.
const NS_PER_PACKET_HOP: [f64; 2] = [30.0, 180.0];
/// Least and greatest time on a core for a flow, in ns.
const NS_PER_FLOW: [f64; 2] = [500.0, 5000.0];

/// Work that the workloads offer. It is an estimate where flows go on without end or wait for one another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Offered {
    /// Number of flows that start.
    pub flows: f64,
    /// Application bytes of all flows.
    pub bytes: f64,
    /// Packets times links, for data as well as acknowledgements.
    pub packet_hops: f64,
}

impl Offered {
    /// Returns the least and the greatest time of the run on one core, in seconds: with simple switches and hosts, and with
    /// elaborate ones.
    pub fn cpu_seconds(&self) -> [f64; 2] {
        let nanoseconds =
            |which: usize| self.packet_hops * NS_PER_PACKET_HOP[which] + self.flows * NS_PER_FLOW[which];
        [0, 1].map(|which| nanoseconds(which) * 1e-9)
    }

    fn add(&mut self, other: Self) {
        self.flows += other.flows;
        self.bytes += other.bytes;
        self.packet_hops += other.packet_hops;
    }

    #[must_use]
    fn times(self, factor: f64) -> Self {
        Self {
            flows: self.flows * factor,
            bytes: self.bytes * factor,
            packet_hops: self.packet_hops * factor,
        }
    }
}

impl Simulation {
    /// Estimates what the workloads offer until the simulation stops.
    pub fn offered(&self) -> Offered {
        let stop = &self.scenario.stop;
        let end = stop.at.map_or(Time::MAX, |at| Time::ZERO + at);
        let estimate = Estimate {
            simulation: self,
            lengths: Lengths::new(&self.network, &self.routes),
            end,
            lasting: self.lasting_flows(end),
        };
        let mut offered = Offered::default();
        for source in &self.sources {
            offered.add(estimate.of_source(source));
        }
        for plan in self.fabric.plans.all() {
            offered.add(match plan {
                Plan::Query(plan) => estimate.of_queries(plan),
                Plan::Collective(plan) => estimate.of_collectives(plan),
                Plan::Job(plan) => estimate.of_job(plan),
            });
        }
        match stop.after_flows {
            Some(count) if (count as f64) < offered.flows => offered.times(count as f64 / offered.flows),
            _ => offered,
        }
    }

    /// Counts the flows that outlast a run until `end`, by the host that sends them, and by the one that receives them.
    fn lasting_flows(&self, end: Time) -> Vec<[u32; 2]> {
        let mut of_hosts = vec![[0; 2]; self.network.hosts as usize];
        let mut count = |flow: FlowSpec| {
            let [source, destination] = self.network.adapters_between(flow.source, flow.destination);
            of_hosts[source as usize][0] += 1;
            of_hosts[destination as usize][1] += 1;
        };
        for source in &self.sources {
            if end == Time::MAX {
                source.without_end().for_each(&mut count);
            } else {
                let flows = source.clone().take_while(|flow| flow.start < end).take(MOST_DRAWN);
                flows.filter(|flow| self.outlasts(flow, end)).for_each(&mut count);
            }
        }
        of_hosts
    }

    /// Whether a flow is without end, or larger than what the links of its hosts carry until `end`.
    fn outlasts(&self, flow: &FlowSpec, end: Time) -> bool {
        if flow.size == Bytes::MAX || end == Time::MAX {
            return flow.size == Bytes::MAX;
        }
        let [source, destination] = self.network.adapters_between(flow.source, flow.destination);
        let rate = self.network.rate_from_host(source).min(self.network.rate_to_host(destination));
        flow.size > rate.bytes_in(end.since(flow.start))
    }
}

struct Estimate<'a> {
    simulation: &'a Simulation,
    lengths: Lengths,
    /// Time when the run ends, whatever is under way.
    end: Time,
    /// Number of flows that outlast the run that each host sends, and that it receives.
    lasting: Vec<[u32; 2]>,
}

impl Estimate<'_> {
    fn of_source(&self, source: &Source) -> Offered {
        let mut offered = Offered::default();
        let mut flows = source.clone().take_while(|flow| flow.start < self.end);
        let mut last = None;
        for flow in flows.by_ref().take(MOST_DRAWN) {
            offered.add(self.of_flow(&flow));
            last = Some(flow.start);
        }
        let more = flows.next().and(last);
        more.map_or(offered, |last| {
            let drawn = last.since(Time::ZERO).as_seconds();
            let all = source.end().min(self.end).since(Time::ZERO).as_seconds();
            offered.times(all / drawn)
        })
    }

    fn of_flow(&self, flow: &FlowSpec) -> Offered {
        let lasts = self.simulation.outlasts(flow, self.end);
        let size = if lasts { self.of_lasting(flow).min(flow.size) } else { flow.size };
        self.of_transfer(flow.source, flow.destination, size, flow.transport)
    }

    /// Returns the bytes that a flow which outlasts the run sends at its share of its hosts' links.
    fn of_lasting(&self, flow: &FlowSpec) -> Bytes {
        let network = &self.simulation.network;
        let share = |host: NodeId, received: usize| {
            let rates = [network.rate_from_host(host), network.rate_to_host(host)];
            rates[received].as_f64() / f64::from(self.lasting[host as usize][received])
        };
        let [source, destination] = network.adapters_between(flow.source, flow.destination);
        let fair = share(source, 0).min(share(destination, 1));
        let rate = match self.transport(flow.transport) {
            Transport::ConstantRate(settings) => settings.rate.map_or(fair, |rate| fair.min(rate.as_f64())),
            _ => fair,
        };
        Rate::from_f64(rate).bytes_in(flow.end.min(self.end).since(flow.start))
    }

    fn of_transfer(&self, from: NodeId, to: NodeId, size: Bytes, transport: u8) -> Offered {
        let transport = self.transport(transport);
        let packets = size.get().div_ceil(transport.packet_sizes().payload.get());
        let acknowledgements =
            transport.acknowledge_every().map_or(0, |every| packets.div_ceil(every.into()));
        // Of receivers that always have several flows to give it to.
        let credit = transport.granting().map_or(0, |granting| packets.div_ceil(granting.packets.into()));
        let [from, to] = self.simulation.network.adapters_between(from, to);
        let links = self.lengths.switches(from, to) + 1;
        Offered {
            flows: 1.0,
            bytes: size.as_f64(),
            packet_hops: (packets + acknowledgements + credit) as f64 * f64::from(links),
        }
    }

    fn of_queries(&self, plan: &query::Plan) -> Offered {
        let mut offered = Offered::default();
        let time = plan.end.min(self.end).max(plan.start).since(plan.start);
        for &aggregator in &plan.aggregators {
            let workers = plan.workers.iter().filter(|&&worker| worker != aggregator);
            let mut of_all = Offered::default();
            for &worker in workers.clone() {
                of_all.add(self.of_transfer(aggregator, worker, plan.request, plan.transport));
                of_all.add(self.of_transfer(worker, aggregator, plan.response, plan.transport));
            }
            let fan_in = f64::from(plan.fan_in) / workers.count() as f64;
            let rate = self.simulation.network.rate_to_host(aggregator);
            let interval = plan
                .pace
                .interval()
                .unwrap_or_else(|| rate.transmission_time(plan.response * u64::from(plan.fan_in)));
            let queries = (time.as_seconds() / interval.as_seconds()).ceil().min(plan.most as f64);
            offered.add(of_all.times(fan_in * queries));
        }
        offered
    }

    fn of_collectives(&self, plan: &collective::Plan) -> Offered {
        let mut offered = Offered::default();
        for (from, to, size) in plan.transfers() {
            offered.add(self.of_transfer(from, to, size, plan.transport));
        }
        offered.times(plan.iterations.into())
    }

    fn of_job(&self, plan: &job::Plan) -> Offered {
        let mut offered = Offered::default();
        for (from, to, size, _) in plan.transfers() {
            offered.add(self.of_transfer(from, to, size, plan.transport));
        }
        offered
    }

    fn transport(&self, index: u8) -> &Transport {
        &self.simulation.fabric.transports[usize::from(index)]
    }
}
