//! Incast: many senders to one receiver at once, again and again.
//!
//! Each group draws in this order: its gap, if groups come at a load; the receiver, if there are several; the number of
//! senders, if that varies; and the senders. Then each flow draws its size, if sizes vary.

use super::FlowSpec;
use super::ends::Ends;
use super::load::{Crossing, First, Gaps, Load, Traffic, Volume};
use super::setup::Setup;
use super::sizes::SizeDistribution;
use crate::kernel::rng::{Rng, below, unit_interval};
use crate::kernel::units::{Bytes, Span, Time};
use crate::scenario::{self, FanIn, ScenarioError, Transport};
use crate::topology::NodeId;

/// Source of groups of flows.
#[derive(Clone, Debug)]
pub(super) struct Incast {
    /// Flow of the current group, without its source and size.
    template: FlowSpec,
    ends: Ends,
    size: Size,
    fan_in: [u32; 2],
    flows: Option<u32>,
    pace: Pace,
    groups_left: Option<u64>,
    rng: Rng,
    /// Indices of possible senders, in the order in which the groups before have left them. A shuffle of these is as
    /// random as one of sorted indices.
    order: Vec<u32>,
    /// Senders of the current group.
    senders: Vec<NodeId>,
    /// Number of flows of the current group.
    flows_of_group: usize,
    /// Number of flows of the current group that have been handed out.
    issued: usize,
}

impl Incast {
    pub(super) fn new(settings: &scenario::Incast, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let scenario::Incast { senders, receivers, between, .. } = settings;
        let template = setup.template(&settings.transport)?;
        let ends = Ends::new(senders.as_ref(), receivers.as_ref(), *between, setup)?;
        let size = Size::new(settings, setup)?;
        let fan_in = fan_in(settings.fan_in, &ends, setup)?;
        let flows = flows(settings.flows, fan_in, setup)?;
        setup.at_least_one("groups", settings.groups.unwrap_or(1))?;
        let mean_flows = flows.map_or(f64::from(fan_in[0] + fan_in[1]) / 2.0, f64::from);
        let transport = setup.transport(&settings.transport)?;
        let volume = size.volume(transport.packet_sizes().payload).times(mean_flows);
        let pace = Pace::new(settings, volume, transport, &ends, setup)?;
        let most = ends.receivers.iter().map(|receiver| ends.senders.len_without(receiver)).max();
        Ok(Self {
            template,
            size,
            fan_in,
            flows,
            pace,
            groups_left: settings.groups,
            rng: setup.rng(),
            order: (0..most.unwrap_or(0)).collect(),
            ends,
            senders: Vec::with_capacity(fan_in[1] as usize),
            flows_of_group: 0,
            issued: 0,
        })
    }

    /// Returns the mean traffic of the groups and its ends, if groups come without end.
    pub(super) fn traffic(&self) -> Option<(Traffic, &Ends)> {
        let traffic = match &self.pace {
            Pace::Load { gaps, .. } => gaps.traffic,
            Pace::Every { traffic, .. } => *traffic,
        };
        self.groups_left.is_none().then_some((traffic, &self.ends))
    }

    fn begin_group(&mut self) -> Option<()> {
        if let Some(left) = &mut self.groups_left {
            *left = left.checked_sub(1)?;
        }
        self.template.start = self.pace.next(&mut self.rng);
        let receivers = &self.ends.receivers;
        self.template.destination = receivers.get(draw(&mut self.rng, [0, receivers.len() - 1]));
        self.draw_senders();
        self.flows_of_group = self.flows.map_or(self.senders.len(), |flows| flows as usize);
        self.issued = 0;
        Some(())
    }

    /// Draws the senders by the first steps of a shuffle, which skips hosts that may not send to this receiver.
    fn draw_senders(&mut self) {
        let fan_in = draw(&mut self.rng, self.fan_in) as usize;
        self.senders.clear();
        for place in 0..self.order.len() {
            if self.senders.len() == fan_in {
                break;
            }
            let rest = (self.order.len() - place) as u64;
            let drawn = place + below(&mut self.rng, rest) as usize;
            self.order.swap(place, drawn);
            let receiver = self.template.destination;
            self.senders.extend(self.ends.partner(receiver, &self.ends.senders, self.order[place]));
        }
    }
}

impl Iterator for Incast {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        if self.issued == self.flows_of_group {
            self.begin_group()?;
        }
        let source = self.senders[self.issued % self.senders.len()];
        self.issued += 1;
        let size = self.size.draw(&mut self.rng);
        Some(FlowSpec { source, size, ..self.template })
    }
}

/// Draws a number from `first` to `last`. Takes nothing from the random stream if they are equal.
fn draw(rng: &mut Rng, [first, last]: [u32; 2]) -> u32 {
    if first == last {
        return first;
    }
    first + below(rng, u64::from(last - first) + 1) as u32
}

/// Times at which groups come.
#[derive(Clone, Debug)]
enum Pace {
    /// Even intervals.
    Every { next: Time, every: Span, traffic: Traffic },
    /// Random intervals at a load.
    Load { last: Time, gaps: Gaps },
}

impl Pace {
    /// Makes the pace of groups that each bring `volume`.
    fn new(
        settings: &scenario::Incast,
        volume: Volume,
        transport: &Transport,
        ends: &Ends,
        setup: &Setup<'_>,
    ) -> Result<Self, ScenarioError> {
        let start = Time::ZERO + settings.start;
        let crossing = Crossing::new(First::Receivers, ends, setup.network);
        let Some(share) = settings.load else {
            let every = every(settings, setup)?;
            let traffic = Traffic::new(volume, every.as_seconds(), transport, crossing);
            return Ok(Self::Every { next: start, every, traffic });
        };
        if settings.every.is_some() {
            return Err(setup.error("load", "is there beside every", "expected one of them"));
        }
        let expected = "expected \"core\", \"host\", \"senders\" or \"receivers\"";
        let load = Load {
            share,
            of: settings.of.ok_or_else(|| setup.error("of", "is missing", expected))?,
            counts: settings.load_counts.unwrap_or_default(),
            transport,
            ends,
            crossing,
        };
        Ok(Self::Load { last: start, gaps: Gaps::new(&load, volume, setup)? })
    }

    fn next(&mut self, rng: &mut Rng) -> Time {
        match self {
            Self::Every { next, every, .. } => std::mem::replace(next, next.later(*every)),
            Self::Load { last, gaps } => {
                *last = last.later(gaps.draw(rng));
                *last
            }
        }
    }
}

/// Returns the time between groups that come evenly.
fn every(settings: &scenario::Incast, setup: &Setup<'_>) -> Result<Span, ScenarioError> {
    let of_a_load = [("of", settings.of.is_some()), ("load_counts", settings.load_counts.is_some())];
    if let Some((key, _)) = of_a_load.iter().find(|(_, is_there)| *is_there) {
        return Err(setup.error(key, "there is no load", "expected a load beside it"));
    }
    match settings.every {
        _ if settings.groups == Some(1) => Ok(Span::ZERO),
        None => {
            let expected = "expected the time from one group to the next, a load, or groups = 1";
            Err(setup.error("every", "is missing", expected))
        }
        Some(Span::ZERO) => Err(setup.error("every", "is zero", "expected a time between groups")),
        Some(every) => Ok(every),
    }
}

/// Bytes of a flow.
#[derive(Clone, Debug)]
enum Size {
    Same(Bytes),
    Drawn(SizeDistribution),
}

impl Size {
    fn new(settings: &scenario::Incast, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        match (settings.size, &settings.sizes) {
            (Some(_), Some(_)) => Err(setup.error("sizes", "is there beside size", "expected one of them")),
            (None, None) => Err(setup.error("size", "is missing", "expected a size, or sizes")),
            (size, None) => setup.size(size).map(Self::Same),
            (None, Some(sizes)) => SizeDistribution::new(sizes, setup).map(Self::Drawn),
        }
    }

    fn volume(&self, packet: Bytes) -> Volume {
        match self {
            Self::Same(size) => Volume::of(*size, packet),
            Self::Drawn(sizes) => sizes.volume(packet),
        }
    }

    fn draw(&self, rng: &mut Rng) -> Bytes {
        match self {
            Self::Same(size) => *size,
            Self::Drawn(sizes) => sizes.sample(unit_interval(rng)),
        }
    }
}

/// Checks the least and the most senders of a group. Every receiver must have that many.
fn fan_in(fan_in: FanIn, ends: &Ends, setup: &Setup<'_>) -> Result<[u32; 2], ScenarioError> {
    let range = match fan_in {
        FanIn::Same(fan_in) => [fan_in; 2],
        FanIn::Drawn(range) => range,
    };
    let [least, most] = range;
    setup.at_least_one("fan_in", least.into())?;
    if least > most {
        return Err(setup.error("fan_in", format!("is from {least} to {most}"), "expected the least first"));
    }
    match ends.fewest_partners(&ends.receivers, &ends.senders) {
        (receiver, 0) => Err(ends.alone("senders", receiver, setup)),
        (receiver, senders) if most > senders => {
            let name = &setup.network.nodes[receiver as usize].name;
            let expected = format!(
                "expected at most {senders}, the senders for \"{name}\"; for more flows than senders there is `flows`"
            );
            Err(setup.error("fan_in", format!("is {most}"), &expected))
        }
        _ => Ok(range),
    }
}

/// Checks the number of flows of a group, at least one for each sender.
fn flows(flows: Option<u32>, [_, most]: [u32; 2], setup: &Setup<'_>) -> Result<Option<u32>, ScenarioError> {
    match flows {
        Some(flows) if flows < most => {
            let expected = format!("expected at least {most}, one for each sender");
            Err(setup.error("flows", format!("is {flows}"), &expected))
        }
        flows => Ok(flows),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{clos, refusal, source, star};
    use super::*;
    use crate::topology::testing::FABRIC_LINK;

    fn groups(hosts: u32, keys: &str, fan_in: usize) -> Vec<Vec<FlowSpec>> {
        let source = source(&star(hosts), &format!("kind = 'incast'\nsize = '64kB'\n{keys}"));
        let flows: Vec<FlowSpec> = source.take(600).collect();
        flows.chunks(fan_in).map(<[FlowSpec]>::to_vec).collect()
    }

    #[test]
    fn senders_of_a_group_differ_and_none_is_the_receiver() {
        for group in groups(9, "fan_in = 5\nevery = '1us'\ngroups = 100", 5) {
            let mut senders: Vec<NodeId> = group.iter().map(|flow| flow.source).collect();
            senders.sort_unstable();
            senders.dedup();
            assert_eq!(senders.len(), 5);
            assert!(group.iter().all(|flow| flow.destination == group[0].destination));
            assert!(!senders.contains(&group[0].destination));
        }
    }

    #[test]
    fn groups_begin_together_and_every_so_often() {
        let groups =
            groups(4, "fan_in = 3\nreceivers = ['host2']\nevery = '7us'\ngroups = 3\nstart = '1us'", 3);
        let starts: Vec<u64> = groups.iter().map(|group| group[0].start.as_nanoseconds()).collect();
        assert_eq!(starts, [1_000, 8_000, 15_000]);
        for group in &groups {
            assert!(group.iter().all(|flow| flow.start == group[0].start && flow.destination == 2));
        }
    }

    #[test]
    fn every_host_is_a_sender_and_a_receiver_equally_often() {
        let flows = groups(6, "fan_in = 2\nevery = '1us'\ngroups = 300", 2).concat();
        for host in 0..6 {
            let sent = flows.iter().filter(|flow| flow.source == host).count();
            let received = flows.iter().filter(|flow| flow.destination == host).count();
            assert!((60..140).contains(&sent) && (60..140).contains(&received), "{host}: {sent} {received}");
        }
    }

    /// Writes DSH's fabric: 256 hosts on 16 leaves, 100 Gbps.
    fn dsh() -> String {
        format!("kind = 'leaf_spine'\nleaves = 16\nspines = 16\nhosts_per_leaf = 16\n{FABRIC_LINK}")
    }

    /// Measures groups per second over `groups` groups.
    fn group_rate(keys: &str, fan_in: usize, groups: usize) -> f64 {
        let load = "kind = 'incast'\nof = 'host'\nload_counts = 'payload'";
        let mut source = source(&dsh(), &format!("{load}\n{keys}"));
        let last = source.nth(fan_in * groups - 1).unwrap();
        groups as f64 / last.start.since(Time::ZERO).as_seconds()
    }

    fn close(measured: f64, expected: f64) {
        assert!((measured / expected - 1.0).abs() < 0.01, "{measured} is not {expected}");
    }

    /// DSH (ToN 2025, section V-B), by hand: groups per second of 16 flows of 64 KiB or 64 kB, and of 1024 of 8 KiB.
    #[test]
    fn groups_come_at_their_load() {
        for (load, rate) in [(0.2, 610_352.0), (0.4, 1_220_703.0), (0.8, 2_441_406.0)] {
            let keys = format!("between = 'racks'\nfan_in = 16\nsize = '64KiB'\nload = {load}");
            close(group_rate(&keys, 16, 60_000), rate);
        }
        close(group_rate("fan_in = 16\nsize = '64kB'\nload = 0.2", 16, 60_000), 625_000.0);
        let large = "fan_in = 255\nflows = 1024\nsize = '8KiB'\nload = 0.2";
        close(group_rate(large, 1024, 40_000), 0.2 * 256.0 * 12.5e9 / (1024.0 * 8192.0));
    }

    #[test]
    fn senders_of_other_racks_are_all_drawn_equally_often() {
        let keys = "kind = 'incast'\nfan_in = 3\nsize = '1kB'\nevery = '1us'\nbetween = 'racks'";
        let flows: Vec<FlowSpec> = source(&clos(), keys).take(48_000).collect();
        assert!(flows.iter().all(|flow| flow.source / 4 != flow.destination / 4));
        for group in flows.chunks(3) {
            assert!(group[0].source != group[1].source && group[1].source != group[2].source);
            assert!(group[0].source != group[2].source);
        }
        for sender in 0..16 {
            let sent = flows.iter().filter(|flow| flow.source == sender).count();
            assert!(sent.abs_diff(3_000) < 250, "{sender}: {sent}");
        }
    }

    /// DSH (figure 22): 1024 = 4 x 255 + 4.
    #[test]
    fn more_flows_than_senders_are_spread_evenly() {
        let keys = "kind = 'incast'\nfan_in = 255\nflows = 1024\nsize = '8KiB'\nevery = '1us'\ngroups = 20";
        let flows: Vec<FlowSpec> = source(&dsh(), keys).collect();
        let mut with_five = Vec::new();
        for group in flows.chunks(1024) {
            let mut counts = [0; 256];
            for flow in group {
                counts[flow.source as usize] += 1;
            }
            assert_eq!(counts[group[0].destination as usize], 0);
            assert_eq!(counts.iter().filter(|&&count| count == 4).count(), 251);
            with_five.push((0..256).filter(|&host| counts[host] == 5).collect::<Vec<_>>());
        }
        assert!(with_five.iter().all(|hosts| hosts.len() == 4));
        assert!(with_five.iter().any(|hosts| *hosts != with_five[0]));
    }

    /// The deadlock fabric of DSH (figure 16): groups from one leaf to another, of 1 to 15 flows.
    #[test]
    fn groups_between_leaves_draw_their_senders_and_sizes() {
        let keys = "kind = 'incast'\nsenders = ['leaf0']\nreceivers = ['leaf3']\nfan_in = [1, 15]\n\
                    sizes = 'hadoop'\nload = 0.5\nof = 'receivers'\nload_counts = 'payload'";
        let flows: Vec<FlowSpec> = source(&dsh(), keys).take(400_000).collect();
        assert!(flows.iter().all(|flow| flow.source < 16 && (48..64).contains(&flow.destination)));
        let groups: Vec<&[FlowSpec]> = flows.chunk_by(|one, next| one.start == next.start).collect();
        for fan_in in 1..=15 {
            let count = groups.iter().filter(|group| group.len() == fan_in).count();
            assert!(count.abs_diff(groups.len() / 15) < groups.len() / 150, "{fan_in}: {count}");
        }
        let seconds = flows.last().unwrap().start.since(Time::ZERO).as_seconds();
        close(groups.len() as f64 / seconds, 0.5 * 16.0 * 12.5e9 / (8.0 * 120_420.8));
    }

    #[test]
    fn what_crosses_the_core_is_what_loads_it() {
        let keys = "kind = 'incast'\nfan_in = 2\nsize = '1460B'\nload = 0.5\nof = 'core'\n\
                    senders = ['leaf0', 'leaf1', 'host8']\nreceivers = ['leaf1', 'leaf2']";
        let flows: Vec<FlowSpec> = source(&clos(), keys).take(400_000).collect();
        let crossing = flows.iter().filter(|flow| flow.source / 4 != flow.destination / 4).count();
        let seconds = flows.last().unwrap().start.since(Time::ZERO).as_seconds();
        close(crossing as f64 * 1518.0 * 8.0 / seconds, 0.5 * 16.0 * 400e9);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |keys: &str| refusal(&clos(), &format!("kind = 'incast'\n{keys}"));
        let sized = |keys: &str| refused(&format!("size = '64kB'\n{keys}"));
        let cases = [
            (
                "fan_in = 3",
                "every: is missing; expected the time from one group to the next, a load, or groups",
            ),
            ("fan_in = 3\nevery = '0us'", "every: is zero"),
            ("fan_in = 3\nevery = '1us'\nload = 0.5", "load: is there beside every"),
            ("fan_in = 3\nload = 0.5", "of: is missing"),
            ("fan_in = 3\nload = 1.5\nof = 'host'", "load: is 1.5"),
            ("fan_in = 3\nevery = '1us'\nof = 'host'", "of: there is no load"),
            ("fan_in = 3\nevery = '1us'\nload_counts = 'wire'", "load_counts: there is no load"),
            ("fan_in = 16\ngroups = 1", "fan_in: is 16; expected at most 15, the senders for \"host0\""),
            ("fan_in = [1, 13]\ngroups = 1\nbetween = 'racks'", "fan_in: is 13; expected at most 12"),
            ("fan_in = 0\ngroups = 1", "fan_in: is 0"),
            ("fan_in = [4, 2]\ngroups = 1", "fan_in: is from 4 to 2"),
            ("fan_in = 5\nflows = 4\ngroups = 1", "flows: is 4; expected at least 5"),
            ("fan_in = 1\ngroups = 0", "groups: is 0"),
            ("fan_in = 1\ngroups = 1\nsizes = 'hadoop'", "sizes: is there beside size"),
            ("fan_in = 1\ngroups = 1\nreceivers = ['host99']", "receivers[0]: no node matches \"host99\""),
            (
                "fan_in = 1\ngroups = 1\nsenders = ['host1']\nreceivers = ['leaf0']",
                "senders: there are no senders for \"host1\"",
            ),
        ];
        for (keys, problem) in cases {
            let error = sized(keys);
            assert!(error.contains(&format!("workload[0].{problem}")), "{keys}: {error}");
        }
        assert!(refused("fan_in = 1\ngroups = 1").contains("workload[0].size: is missing"));
        assert_eq!(groups(4, "fan_in = 3\ngroups = 1", 3).len(), 1);
    }
}
