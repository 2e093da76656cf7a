//! Flows at exponential intervals between random hosts, at a stated load.
//! One process serves the whole network. Each flow draws, in this order: gap, source, destination, size.

use super::FlowSpec;
use super::setup::{Setup, after, other_than};
use super::sizes::SizeDistribution;
use crate::kernel::rng::{Rng, below, unit_interval};
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::scenario::{self, Between, LoadCounts, LoadOf, PacketSizes, ScenarioError, Transport};
use crate::topology::NodeId;

/// The source.
#[derive(Clone, Debug)]
pub(super) struct Poisson {
    template: FlowSpec,
    sizes: SizeDistribution,
    mean_gap_seconds: f64,
    hosts: u32,
    racks: Vec<u32>,
    between: Between,
    rng: Rng,
    now: Time,
}

impl Poisson {
    pub(super) fn new(settings: &scenario::Poisson, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let template = setup.template(&settings.transport, settings.priority)?;
        let transport = setup.transport(&settings.transport)?;
        let sizes = SizeDistribution::new(&settings.sizes, setup)?;
        let hosts = setup.two_hosts()?;
        let counted_bytes = sizes.mean() * counted_per_payload(transport, settings.load_counts);
        let offered = load(settings, setup)? * capacity(settings.of, setup)?.as_f64();
        let bits_per_flow = counted_bytes * 8.0 * share_on_links(settings, setup)?;
        Ok(Self {
            template,
            sizes,
            mean_gap_seconds: bits_per_flow / offered,
            hosts,
            racks: setup.network.racks.clone(),
            between: settings.between,
            rng: setup.rng(),
            now: Time::ZERO + settings.start,
        })
    }

    fn gap(&mut self) -> Span {
        let exponential = -libm::log(1.0 - unit_interval(&mut self.rng));
        Span::from_seconds(self.mean_gap_seconds * exponential)
    }

    fn destination(&mut self, source: NodeId) -> NodeId {
        loop {
            let destination = other_than(source, below(&mut self.rng, u64::from(self.hosts) - 1) as u32);
            let same_rack = self.racks[source as usize] == self.racks[destination as usize];
            if self.between == Between::Hosts || !same_rack {
                return destination;
            }
        }
    }
}

impl Iterator for Poisson {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        self.now = after(self.now, self.gap());
        let source = below(&mut self.rng, self.hosts.into()) as NodeId;
        let destination = self.destination(source);
        let size = self.sizes.sample(unit_interval(&mut self.rng));
        Some(FlowSpec { start: self.now, source, destination, size, ..self.template })
    }
}

fn load(settings: &scenario::Poisson, setup: &Setup<'_>) -> Result<f64, ScenarioError> {
    let load = settings.load;
    if load > 0.0 && load <= 1.0 {
        return Ok(load);
    }
    Err(setup.error("load", format!("is {load}"), "expected above 0 and at most 1"))
}

/// What the load is a share of.
fn capacity(of: LoadOf, setup: &Setup<'_>) -> Result<Rate, ScenarioError> {
    let network = setup.network;
    match of {
        LoadOf::Host => Ok((0..network.hosts)
            .map(|host| network.host_link(host).rate)
            .fold(Rate::ZERO, Rate::saturating_add)),
        LoadOf::Core => network.core.map(|core| core.capacity).ok_or_else(|| {
            setup.error("of", "this topology has no core", "expected \"host\" for star and custom topologies")
        }),
    }
}

/// The probability that a flow uses the links that the load is a share of.
fn share_on_links(settings: &scenario::Poisson, setup: &Setup<'_>) -> Result<f64, ScenarioError> {
    let between_racks = share_between_racks(&setup.network.racks);
    match (settings.of, settings.between) {
        (_, Between::Racks) if between_racks == 0.0 => {
            Err(setup.error("between", "all hosts are in one rack", "expected \"hosts\", or more racks"))
        }
        (LoadOf::Core, Between::Hosts) if between_racks == 0.0 => Err(setup.error(
            "of",
            "no flow crosses the core of a single rack",
            "expected \"host\", or more racks",
        )),
        (LoadOf::Core, Between::Hosts) => Ok(between_racks),
        (LoadOf::Core, Between::Racks) | (LoadOf::Host, _) => Ok(1.0),
    }
}

/// The probability that two different hosts are in different racks.
fn share_between_racks(racks: &[u32]) -> f64 {
    let mut hosts_of = vec![0_u64; racks.len()];
    for &rack in racks {
        hosts_of[rack as usize] += 1;
    }
    let pairs = |hosts: u64| hosts * hosts.saturating_sub(1);
    let all = pairs(racks.len() as u64);
    let within: u64 = hosts_of.into_iter().map(pairs).sum();
    (all - within) as f64 / all as f64
}

/// Counted bytes per application byte, in full packets.
fn counted_per_payload(transport: &Transport, counts: LoadCounts) -> f64 {
    let PacketSizes { payload, headers, wire_overhead } = transport.packet_sizes();
    let overhead = match counts {
        LoadCounts::Payload => Bytes::ZERO,
        LoadCounts::Frame => headers,
        LoadCounts::Wire => headers + wire_overhead,
    };
    (payload + overhead).as_f64() / payload.as_f64()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{clos, refusal, scenario, source, source_with, star};
    use super::super::{Files, FlowSpec};
    use super::*;
    use crate::topology::Network;

    const FLOWS: usize = 400_000;
    const FRAME: f64 = 1518.0 / 1460.0;

    fn drawn(topology: &str, keys: &str) -> (Network, Vec<FlowSpec>) {
        let scenario = scenario(topology, &format!("kind = 'poisson'\n{keys}"));
        let (network, source) = source_with(&scenario, &Files::new()).unwrap();
        (network, source.take(FLOWS).collect())
    }

    /// Application bits per second of the flows that `counts` lets pass.
    fn offered(flows: &[FlowSpec], counts: impl Fn(&FlowSpec) -> bool) -> f64 {
        let bytes: f64 = flows.iter().filter(|flow| counts(flow)).map(|flow| flow.size.as_f64()).sum();
        bytes * 8.0 / flows.last().unwrap().start.since(Time::ZERO).as_seconds()
    }

    fn close(measured: f64, expected: f64) {
        assert!((measured / expected - 1.0).abs() < 0.01, "{measured} is not {expected}");
    }

    #[test]
    fn the_core_carries_its_load_in_frames() {
        let (network, flows) = drawn(&clos(), "sizes = 'web_search'\nload = 0.6\nof = 'core'");
        let crosses =
            |flow: &FlowSpec| network.racks[flow.source as usize] != network.racks[flow.destination as usize];
        close(offered(&flows, crosses) * FRAME, 0.6 * 16.0 * 400e9);
    }

    #[test]
    fn a_dumbbell_s_middle_carries_its_load_in_both_directions_together() {
        let dumbbell =
            "kind = 'dumbbell'\nleft = 3\nright = 1\nmiddle_link = { rate = '40Gbps', delay = '1us' }";
        let (_, flows) =
            drawn(dumbbell, "sizes = 'web_search'\nload = 0.5\nof = 'core'\nload_counts = 'payload'");
        let crosses = |flow: &FlowSpec| (flow.source < 3) != (flow.destination < 3);
        close(offered(&flows, crosses), 0.5 * 80e9);
    }

    #[test]
    fn hosts_carry_their_load_on_the_wire() {
        let (_, flows) =
            drawn(&star(5), "sizes = { fixed = '1460B' }\nload = 0.8\nof = 'host'\nload_counts = 'wire'");
        close(offered(&flows, |_| true) * 1538.0 / 1460.0, 0.8 * 5.0 * 100e9);
    }

    #[test]
    fn between_racks_no_flow_stays_at_home() {
        let keys = "sizes = 'web_search'\nload = 0.6\nof = 'core'\nbetween = 'racks'";
        let (network, flows) = drawn(&clos(), keys);
        let rack = |host: NodeId| network.racks[host as usize];
        assert!(flows.iter().all(|flow| rack(flow.source) != rack(flow.destination)));
        close(offered(&flows, |_| true) * FRAME, 0.6 * 16.0 * 400e9);
    }

    #[test]
    fn hosts_send_and_receive_alike_and_never_to_themselves() {
        let (_, flows) = drawn(&star(8), "sizes = 'web_search'\nload = 0.6\nof = 'host'");
        let mut pairs = [[0_u32; 8]; 8];
        for flow in &flows {
            pairs[flow.source as usize][flow.destination as usize] += 1;
        }
        let expected = FLOWS as f64 / 56.0;
        for (source, row) in pairs.iter().enumerate() {
            for (destination, &count) in row.iter().enumerate() {
                let expected = if source == destination { 0.0 } else { expected };
                assert!(
                    (f64::from(count) - expected).abs() < 5.0 * expected.sqrt() + 0.5,
                    "{source} {destination}"
                );
            }
        }
    }

    #[test]
    fn gaps_are_exponential() {
        let (_, flows) = drawn(&star(8), "sizes = { fixed = '1kB' }\nload = 0.6\nof = 'host'");
        let gaps: Vec<f64> =
            flows.windows(2).map(|pair| pair[1].start.since(pair[0].start).as_seconds()).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let beyond =
            |means: f64| gaps.iter().filter(|&&gap| gap > means * mean).count() as f64 / gaps.len() as f64;
        for means in [0.5, 1.0, 2.0] {
            assert!((beyond(means) - (-means).exp()).abs() < 0.003, "{means}: {}", beyond(means));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_flows_and_another_seed_others() {
        let keys = "kind = 'poisson'\nsizes = 'web_search'\nload = 0.6\nof = 'host'\nstart = '3us'";
        let first: Vec<FlowSpec> = source(&star(8), keys).take(100).collect();
        assert_eq!(first, source(&star(8), keys).take(100).collect::<Vec<_>>());
        assert!(first[0].start > Time::ZERO + Span::from_microseconds(3));
        let mut other = scenario(&star(8), keys);
        other.seed = 2;
        assert_ne!(first[0], source_with(&other, &Files::new()).unwrap().1.next().unwrap());
    }

    #[test]
    fn impossible_loads_are_refused() {
        let refused = |topology: &str, keys: &str| {
            refusal(topology, &format!("kind = 'poisson'\nsizes = 'web_search'\n{keys}"))
        };
        for load in ["0.0", "1.5", "-1.0", "nan"] {
            let error = refused(&star(4), &format!("load = {load}\nof = 'host'"));
            assert!(error.contains("workload[0].load: is "), "{error}");
        }
        let coreless = refused(&star(4), "load = 0.5\nof = 'core'");
        assert!(coreless.contains("workload[0].of: this topology has no core"), "{coreless}");
        let one_rack = refused(&star(4), "load = 0.5\nof = 'host'\nbetween = 'racks'");
        assert!(one_rack.contains("workload[0].between: all hosts are in one rack"), "{one_rack}");
        let alone = refused(&star(1), "load = 0.5\nof = 'host'");
        assert!(alone.contains("only one host"), "{alone}");
    }

    #[test]
    fn unknown_sizes_are_answered_with_the_nearest_name() {
        let error = refusal(&star(4), "kind = 'poisson'\nsizes = 'web-search'\nload = 0.5\nof = 'host'");
        assert!(error.contains("workload[0].sizes: \"web-search\" does not exist"), "{error}");
        assert!(error.contains("did you mean \"web_search\"?"), "{error}");
    }

    #[test]
    fn sizes_may_come_from_a_file() {
        let scenario = scenario(&star(4), "kind = 'poisson'\nsizes = 'my.csv'\nload = 0.5\nof = 'host'");
        let text = "size_bytes,cumulative_probability\n700,1\n".to_owned();
        let (_, mut source) = source_with(&scenario, &Files::from([("my.csv".to_owned(), text)])).unwrap();
        assert_eq!(source.next().unwrap().size, Bytes::new(700));
    }
}
