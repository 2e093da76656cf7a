//! Poisson traffic: flows at exponential intervals between random hosts, at a stated load, one by one or in batches.
//!
//! One Poisson process serves the whole network. Its rate follows from the load, the mean flow size and the share of
//! flows that cross the links in question (`load.rs`). Each batch draws its gap, source and destination, in this order;
//! then each flow draws its size.

use super::FlowSpec;
use super::ends::Ends;
use super::load::{Crossing, First, Gaps, Load, Traffic};
use super::setup::Setup;
use super::sizes::SizeDistribution;
use crate::kernel::rng::{Rng, below, unit_interval};
use crate::kernel::units::Time;
use crate::scenario::{self, ScenarioError};
use crate::topology::NodeId;

/// Source of Poisson traffic.
#[derive(Clone, Debug)]
pub(super) struct Poisson {
    /// Flow of the current batch, without its size.
    template: FlowSpec,
    sizes: SizeDistribution,
    gaps: Gaps,
    ends: Ends,
    batch: u32,
    /// Flows of the current batch that are still to come.
    left: u32,
    rng: Rng,
}

impl Poisson {
    pub(super) fn new(settings: &scenario::Poisson, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let mut template = setup.template(&settings.transport)?;
        template.start = Time::ZERO + settings.start;
        let sizes = SizeDistribution::new(&settings.sizes, setup)?;
        let ends = ends(settings, setup)?;
        setup.at_least_one("batch", settings.batch.into())?;
        let transport = setup.transport(&settings.transport)?;
        let load = Load {
            share: settings.load,
            of: settings.of,
            counts: settings.load_counts,
            transport,
            ends: &ends,
            crossing: Crossing::new(First::Senders, &ends, setup.network),
        };
        let volume = sizes.volume(transport.packet_sizes().payload).times(settings.batch.into());
        let gaps = Gaps::new(&load, volume, setup)?;
        Ok(Self { template, sizes, gaps, ends, batch: settings.batch, left: 0, rng: setup.rng() })
    }

    /// Returns the mean traffic of the flows, and its ends.
    pub(super) fn traffic(&self) -> (Traffic, &Ends) {
        (self.gaps.traffic, &self.ends)
    }

    fn begin_batch(&mut self) {
        let start = self.template.start.later(self.gaps.draw(&mut self.rng));
        let senders = &self.ends.senders;
        let source = senders.get(below(&mut self.rng, senders.len().into()) as u32);
        let destination = self.destination(source);
        self.template = FlowSpec { start, source, destination, ..self.template };
        self.left = self.batch;
    }

    fn destination(&mut self, source: NodeId) -> NodeId {
        let receivers = &self.ends.receivers;
        let others = receivers.len_without(source).into();
        loop {
            let drawn = below(&mut self.rng, others) as u32;
            if let Some(destination) = self.ends.partner(source, receivers, drawn) {
                return destination;
            }
        }
    }
}

fn ends(settings: &scenario::Poisson, setup: &Setup<'_>) -> Result<Ends, ScenarioError> {
    let scenario::Poisson { senders, receivers, between, .. } = settings;
    let mut ends = Ends::new(senders.as_ref(), receivers.as_ref(), *between, setup)?;
    if senders.is_none() {
        ends = ends.leave_out_the_lonely();
    }
    match ends.fewest_partners(&ends.senders, &ends.receivers) {
        (sender, 0) => Err(ends.alone("receivers", sender, setup)),
        _ => Ok(ends),
    }
}

impl Iterator for Poisson {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        if self.left == 0 {
            self.begin_batch();
        }
        self.left -= 1;
        let size = self.sizes.sample(unit_interval(&mut self.rng));
        Some(FlowSpec { size, ..self.template })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{clos, refusal, scenario, source, source_with, star};
    use super::super::{Files, FlowSpec};
    use super::*;
    use crate::kernel::units::{Bytes, Span};
    use crate::topology::Network;

    const FLOWS: usize = 400_000;
    const FRAME: f64 = 1518.0 / 1460.0;

    fn drawn(topology: &str, keys: &str) -> (Network, Vec<FlowSpec>) {
        let scenario = scenario(topology, &format!("kind = 'poisson'\n{keys}"));
        let (network, source) = source_with(&scenario, &Files::new()).unwrap();
        (network, source.take(FLOWS).collect())
    }

    /// Returns the application bits per second of the flows that `counts` accepts.
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
    fn a_dumbbell_s_middle_carries_its_load_the_busier_way() {
        let dumbbell =
            "kind = 'dumbbell'\nleft = 3\nright = 1\nmiddle_link = { rate = '40Gbps', delay = '1us' }";
        let is_left = |host: NodeId| host < 3;
        let there_and_back = |ends: &str| {
            let keys = "sizes = { fixed = '1460B' }\nload = 0.5\nof = 'core'\nload_counts = 'payload'";
            let (_, flows) = drawn(dumbbell, &format!("{keys}\n{ends}"));
            [true, false].map(|from_left| {
                let goes_this_way = |flow: &FlowSpec| {
                    (is_left(flow.source), is_left(flow.destination)) == (from_left, !from_left)
                };
                offered(&flows, goes_this_way)
            })
        };
        let both = there_and_back("");
        close(both[0], 0.5 * 40e9);
        close(both[1], 0.5 * 40e9);
        for between in ["hosts", "racks"] {
            let one =
                there_and_back(&format!("senders = ['left']\nreceivers = ['right']\nbetween = '{between}'"));
            close(one[0], 0.5 * 40e9);
            assert!(one[1] == 0.0, "{between}");
        }
        // Three of four flows come from the left.
        let racks = there_and_back("between = 'racks'");
        close(racks[0], 0.5 * 40e9);
        close(racks[1], 0.5 * 40e9 / 3.0);
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

    /// Asymmetric traffic of DSH (figure 23): the load is a share of the group's links.
    #[test]
    fn a_group_carries_its_load_inside() {
        let keys = "sizes = 'web_search'\nload = 0.9\nload_counts = 'payload'\nsenders = ['leaf0', 'leaf1']";
        let (_, flows) = drawn(&clos(), &format!("{keys}\nreceivers = ['leaf0', 'leaf1']\nof = 'senders'"));
        assert!(flows.iter().all(|flow| flow.source < 8 && flow.destination < 8));
        close(offered(&flows, |_| true), 0.9 * 8.0 * 100e9);
        let (_, flows) = drawn(&clos(), &format!("{keys}\nreceivers = ['host12']\nof = 'receivers'"));
        close(offered(&flows, |_| true), 0.9 * 100e9);
    }

    /// A sender on the receivers' two leaves has 4 of its 7 receivers in the other rack. A sender on the third leaf has
    /// all of them in other racks.
    #[test]
    fn the_core_s_load_counts_what_crosses_it_between_groups() {
        let keys = "sizes = 'web_search'\nload = 0.6\nof = 'core'";
        let groups = "senders = ['leaf0', 'leaf1', 'leaf2']\nreceivers = ['leaf0', 'leaf1']";
        let (network, flows) = drawn(&clos(), &format!("{keys}\n{groups}"));
        let crosses =
            |flow: &FlowSpec| network.racks[flow.source as usize] != network.racks[flow.destination as usize];
        close(offered(&flows, crosses) * FRAME, 0.6 * 16.0 * 400e9);
    }

    /// Background flows of DSH (ToN 2025, section V-B) per host and second with web search at 0.7, and in batches of 8,
    /// by hand: 0.7 * 12.5e9 / 1,711,250.
    #[test]
    fn batches_of_eight_come_eight_times_less_often() {
        let keys = "sizes = 'web_search'\nload = 0.7\nof = 'host'\nload_counts = 'payload'";
        for batch in [1, 8] {
            let (_, flows) = drawn(&star(8), &format!("{keys}\nbatch = {batch}"));
            let batches: Vec<&[FlowSpec]> = flows.chunk_by(|one, next| one.start == next.start).collect();
            assert!(batches.iter().all(|flows| flows.len() == batch));
            let alike = |flow: &FlowSpec, other: &FlowSpec| {
                (flow.source, flow.destination) == (other.source, other.destination)
            };
            assert!(batches.iter().all(|flows| flows.iter().all(|flow| alike(flow, &flows[0]))));
            let seconds = flows.last().unwrap().start.since(Time::ZERO).as_seconds();
            close(batches.len() as f64 / seconds / 8.0, 5113.2 / batch as f64);
        }
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
        for load in ["0.0", "1.5", "-1.0"] {
            let error = refused(&star(4), &format!("load = {load}\nof = 'host'"));
            assert!(error.contains("workload[0].load: is "), "{error}");
        }
        let coreless = refused(&star(4), "load = 0.5\nof = 'core'");
        assert!(coreless.contains("workload[0].of: this topology has no core"), "{coreless}");
        let one_rack = refused(&star(4), "load = 0.5\nof = 'host'\nbetween = 'racks'");
        assert!(one_rack.contains("workload[0].between: there are no receivers for \"host0\""), "{one_rack}");
        let part = refused(&star(4), "load = 0.5\nof = 'host'\nsenders = ['host1']");
        assert!(part.contains("workload[0].of: \"host\" is of all hosts"), "{part}");
        let at_home = refused(&clos(), "load = 0.5\nof = 'core'\nsenders = ['leaf1']\nreceivers = ['leaf1']");
        assert!(at_home.contains("workload[0].of: no flow crosses the core"), "{at_home}");
        let alone = refused(&star(1), "load = 0.5\nof = 'host'");
        assert!(alone.contains("only one host"), "{alone}");
    }

    #[test]
    fn where_no_senders_are_named_those_send_that_have_a_receiver() {
        let keys = "sizes = 'web_search'\nload = 0.5\nof = 'receivers'\nreceivers = ['host0']";
        let (_, flows) = drawn(&star(4), keys);
        assert!(flows.iter().all(|flow| flow.destination == 0));
        assert!((1..4).all(|host| flows.iter().any(|flow| flow.source == host)));
        close(offered(&flows, |_| true) * FRAME, 0.5 * 100e9);
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
