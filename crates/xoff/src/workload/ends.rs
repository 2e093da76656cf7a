//! Ends of a workload's flows: the hosts that may send, those that may receive, and which of them may meet.

use super::setup::Setup;
use crate::scenario::{Between, ScenarioError};
use crate::topology::{NodeId, Servers};

/// Set of hosts, in order of their numbers.
#[derive(Clone, Debug)]
pub(super) struct Hosts(Vec<NodeId>);

impl Hosts {
    /// Makes the set of hosts that a key names by their own name or by that of their switch. Without the key all hosts
    /// are in it.
    pub(super) fn named(
        key: &str,
        patterns: Option<&Vec<String>>,
        setup: &Setup<'_>,
    ) -> Result<Self, ScenarioError> {
        let mut hosts = listed(key, patterns, setup)?;
        hosts.sort_unstable();
        Ok(Self(hosts))
    }

    pub(super) fn len(&self) -> u32 {
        self.0.len() as u32
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.0.iter().copied()
    }

    /// Host at position `index` of the set.
    pub(super) fn get(&self, index: u32) -> NodeId {
        self.0[index as usize]
    }

    /// Number of hosts in the set that are not `host`.
    pub(super) fn len_without(&self, host: NodeId) -> u32 {
        self.len() - u32::from(self.0.binary_search(&host).is_ok())
    }

    /// Host at position `index` among those of the set that are not `host`.
    fn get_without(&self, host: NodeId, index: u32) -> Option<NodeId> {
        let index = match self.0.binary_search(&host) {
            Ok(place) if index as usize >= place => index + 1,
            _ => index,
        };
        self.0.get(index as usize).copied()
    }
}

/// Lists the hosts that a key names, each once, in the order of the names. Those that one pattern matches are in order
/// of their numbers.
pub(super) fn listed(
    key: &str,
    patterns: Option<&Vec<String>>,
    setup: &Setup<'_>,
) -> Result<Vec<NodeId>, ScenarioError> {
    let network = setup.network;
    let Some(patterns) = patterns else { return Ok((0..network.fabric_hosts()).collect()) };
    let (mut hosts, mut is_there) = (Vec::new(), vec![false; network.hosts as usize]);
    for (index, pattern) in patterns.iter().enumerate() {
        let matched = network.hosts_matching(&setup.key(&format!("{key}[{index}]")), pattern)?;
        hosts.extend(
            matched.into_iter().filter(|&host| !std::mem::replace(&mut is_there[host as usize], true)),
        );
    }
    setup.at_least_one(key, hosts.len() as u64)?;
    Ok(hosts)
}

/// Senders and receivers of flows, and the rule which of them may meet.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    pub(super) senders: Hosts,
    pub(super) receivers: Hosts,
    between: Between,
    racks: Vec<u32>,
    /// Servers that hosts share. Hosts of one server never meet, since traffic inside servers does not cross the
    /// fabric.
    servers: Option<Servers>,
}

impl Ends {
    /// Makes the ends from the hosts that `senders` and `receivers` name.
    pub(super) fn new(
        senders: Option<&Vec<String>>,
        receivers: Option<&Vec<String>>,
        between: Between,
        setup: &Setup<'_>,
    ) -> Result<Self, ScenarioError> {
        setup.two_hosts()?;
        Ok(Self {
            senders: Hosts::named("senders", senders, setup)?,
            receivers: Hosts::named("receivers", receivers, setup)?,
            between,
            racks: setup.network.racks.clone(),
            servers: setup.network.servers,
        })
    }

    /// Returns the host at position `index` of `hosts` without `host`, if the two may meet.
    pub(super) fn partner(&self, host: NodeId, hosts: &Hosts, index: u32) -> Option<NodeId> {
        let may_meet = |other: &NodeId| {
            (self.between == Between::Hosts || !self.are_in_one_rack(host, *other))
                && self.servers.is_none_or(|servers| servers.of(host) != servers.of(*other))
        };
        hosts.get_without(host, index).filter(may_meet)
    }

    fn are_in_one_rack(&self, host: NodeId, other: NodeId) -> bool {
        self.racks[host as usize] == self.racks[other as usize]
    }

    /// Counts the partners with which a host may have flows: all of them, and those in other racks.
    fn partners_of(&self, host: NodeId, partners: &Hosts, in_rack: &[u32]) -> [u32; 2] {
        let together = self.servers.into_iter().flat_map(|servers| servers.together(host));
        let in_server = together.filter(|&other| other != host && partners.0.binary_search(&other).is_ok());
        let [all, elsewhere] =
            [partners.len_without(host), partners.len() - in_rack[self.racks[host as usize] as usize]];
        in_server.fold([all, elsewhere], |[all, elsewhere], other| {
            [all - 1, elsewhere - u32::from(!self.are_in_one_rack(host, other))]
        })
    }

    /// Returns the first of `hosts` with the fewest `partners`, and how many it has.
    pub(super) fn fewest_partners(&self, hosts: &Hosts, partners: &Hosts) -> (NodeId, u32) {
        self.count_partners(hosts, partners).min_by_key(|&(_, count)| count).unwrap_or_default()
    }

    /// Keeps only senders that have a receiver, unless none has.
    pub(super) fn leave_out_the_lonely(mut self) -> Self {
        let counted = self.count_partners(&self.senders, &self.receivers);
        let senders: Vec<NodeId> = counted.filter(|&(_, count)| count > 0).map(|(host, _)| host).collect();
        if !senders.is_empty() {
            self.senders = Hosts(senders);
        }
        self
    }

    /// Counts the `partners` of each of `hosts`.
    fn count_partners(&self, hosts: &Hosts, partners: &Hosts) -> impl Iterator<Item = (NodeId, u32)> {
        let in_rack = self.in_rack(partners);
        hosts.iter().map(move |host| {
            let [all, elsewhere] = self.partners_of(host, partners, &in_rack);
            (host, if self.between == Between::Hosts { all } else { elsewhere })
        })
    }

    /// Probability that a flow crosses between racks, and that its host is in a rack that `is_one_of_these` accepts.
    ///
    /// The flow's ends are one of `hosts` and one of its `partners`, drawn in this order.
    pub(super) fn share_between_racks(
        &self,
        hosts: &Hosts,
        partners: &Hosts,
        is_one_of_these: impl Fn(u32) -> bool,
    ) -> f64 {
        let hosts_there = || hosts.iter().filter(|&host| is_one_of_these(self.racks[host as usize]));
        if self.between == Between::Racks {
            return hosts_there().count() as f64 / f64::from(hosts.len());
        }
        let in_rack = self.in_rack(partners);
        if self.servers.is_some() {
            let crossing = hosts_there().map(|host| {
                let [all, elsewhere] = self.partners_of(host, partners, &in_rack);
                f64::from(elsewhere) / f64::from(all)
            });
            return crossing.sum::<f64>() / f64::from(hosts.len());
        }
        // A host has all partners to draw from or, if it is one of them, one fewer: their product is a multiple of either.
        let multiple = u64::from(partners.len()) * u64::from(partners.len() - 1).max(1);
        let crossing = hosts_there().map(|host| {
            let elsewhere = partners.len() - in_rack[self.racks[host as usize] as usize];
            u64::from(elsewhere) * (multiple / u64::from(partners.len_without(host)))
        });
        crossing.sum::<u64>() as f64 / (u64::from(hosts.len()) * multiple) as f64
    }

    fn in_rack(&self, hosts: &Hosts) -> Vec<u32> {
        let mut counts = vec![0; self.racks.len()];
        for host in hosts.iter() {
            counts[self.racks[host as usize] as usize] += 1;
        }
        counts
    }

    /// Makes the error of a host that has no partners among those that `key` names.
    pub(super) fn alone(&self, key: &str, host: NodeId, setup: &Setup<'_>) -> ScenarioError {
        let name = &setup.network.nodes[host as usize].name;
        let (key_at_fault, expected) = match self.between {
            Between::Hosts if self.servers.is_some() => {
                (key, "expected hosts of other servers, too".to_owned())
            }
            Between::Hosts => (key, "expected some other host, too".to_owned()),
            Between::Racks => ("between", format!("expected \"hosts\", or {key} in other racks, too")),
        };
        setup.error(key_at_fault, format!("there are no {key} for \"{name}\""), &expected)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{clos, refusal, scenario, source_with};
    use super::super::{Files, FlowSpec};
    use crate::topology::NodeId;

    fn poisson(keys: &str) -> String {
        format!("kind = 'poisson'\nsizes = {{ fixed = '1kB' }}\nload = 0.5\nof = 'senders'\n{keys}")
    }

    fn flows(keys: &str) -> Vec<FlowSpec> {
        let (_, source) = source_with(&scenario(&clos(), &poisson(keys)), &Files::new()).unwrap();
        source.take(4_000).collect()
    }

    fn all(hosts: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
        let mut hosts: Vec<NodeId> = hosts.collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts
    }

    #[test]
    fn a_switch_stands_for_its_hosts_and_a_pattern_for_all_that_it_matches() {
        let flows = flows("senders = ['leaf1', 'host1?', 'host5']\nreceivers = ['host?']");
        let senders = all(flows.iter().map(|flow| flow.source));
        assert_eq!(senders, [4, 5, 6, 7, 10, 11, 12, 13, 14, 15]);
        assert_eq!(all(flows.iter().map(|flow| flow.destination)), (0..10).collect::<Vec<_>>());
        assert!(flows.iter().all(|flow| flow.source != flow.destination));
    }

    #[test]
    fn receivers_in_other_racks_are_drawn_equally_often() {
        let flows = flows("senders = ['leaf0']\nreceivers = ['leaf0', 'host4', 'host8']\nbetween = 'racks'");
        assert_eq!(all(flows.iter().map(|flow| flow.destination)), [4, 8]);
        let to_4 = flows.iter().filter(|flow| flow.destination == 4).count();
        assert!((1_800..2_200).contains(&to_4), "{to_4}");
    }

    /// A server has a host in each rack: a host in another rack may be in another server.
    #[test]
    fn hosts_of_one_server_do_not_meet_and_load_counts_those_who_do() {
        let servers =
            "[scale_up]\nhosts_per_server = 4\nstride = 4\nlink = { rate = '1Tbps', delay = '1us' }";
        for between in ["hosts", "racks"] {
            let keys = format!("between = '{between}'\n{servers}");
            let flows = flows(&keys);
            assert!(flows.iter().all(|flow| flow.source % 4 != flow.destination % 4), "{between}");
            let partners = all(flows.iter().filter(|flow| flow.source == 6).map(|flow| flow.destination));
            assert_eq!(partners.len(), if between == "hosts" { 12 } else { 9 });
        }
        // Of twelve partners three are in the same rack.
        let poisson = poisson(&format!("between = 'hosts'\nload_counts = 'payload'\n{servers}"))
            .replace("'senders'", "'core'");
        let (_, source) = source_with(&scenario(&clos(), &poisson), &Files::new()).unwrap();
        let (count, last) =
            source.take(40_000).fold((0, 0), |(count, _), flow| (count + 1, flow.start.get()));
        // As many as fill half of the core's 6.4 Tbps with three quarters of them.
        let bits = f64::from(count) * 8.0 * 1_000.0 / (last as f64 / 1e12);
        let expected = 0.5 * 16.0 * 400e9 / 0.75;
        assert!((bits / expected - 1.0).abs() < 0.02, "{bits} {expected}");
    }

    #[test]
    fn names_that_stand_for_no_host_are_refused() {
        let refused = |keys: &str| refusal(&clos(), &poisson(keys));
        let unknown = refused("senders = ['host1', 'laef1']");
        assert!(unknown.contains("workload[0].senders[1]: no node matches \"laef1\""), "{unknown}");
        assert!(unknown.contains("did you mean \"leaf1\"?"), "{unknown}");
        let spine = refused("receivers = ['spine0']");
        assert!(
            spine.contains("workload[0].receivers[0]: \"spine0\" has no hosts; expected the name"),
            "{spine}"
        );
        assert!(refused("receivers = []").contains("workload[0].receivers: is 0; expected at least 1"));
    }

    #[test]
    fn a_sender_without_receivers_is_refused() {
        let refused = |keys: &str| refusal(&clos(), &poisson(keys));
        let itself = refused("senders = ['host3']\nreceivers = ['host3']");
        assert!(itself.contains("workload[0].receivers: there are no receivers for \"host3\""), "{itself}");
        let rack = refused("senders = ['leaf0', 'leaf1']\nreceivers = ['leaf1']\nbetween = 'racks'");
        assert!(rack.contains("workload[0].between: there are no receivers for \"host4\""), "{rack}");
    }
}
