//! Many senders to one receiver at once, again and again.
//! For each group the receiver is drawn first, if it is not named, and then the senders.

use super::FlowSpec;
use super::setup::{Setup, after, other_than};
use crate::kernel::rng::{Rng, below};
use crate::kernel::units::{Span, Time};
use crate::scenario::{self, ScenarioError};
use crate::topology::NodeId;

/// The source.
#[derive(Clone, Debug)]
pub(super) struct Incast {
    template: FlowSpec,
    receiver: Option<NodeId>,
    every: Span,
    groups_left: Option<u64>,
    fan_in: usize,
    rng: Rng,
    next_start: Time,
    /// The hosts other than the receiver by index, the senders of this group first.
    others: Vec<u32>,
    /// Senders of this group that have been handed out.
    issued: usize,
}

impl Incast {
    pub(super) fn new(settings: &scenario::Incast, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let mut template = setup.template(&settings.transport, settings.priority)?;
        template.size = setup.size(Some(settings.size))?;
        let others = setup.two_hosts()? - 1;
        fan_in(settings.fan_in, others, setup)?;
        let name = settings.receiver.as_ref();
        let receiver = name.map(|name| setup.names.host(&setup.key("receiver"), name)).transpose()?;
        Ok(Self {
            template,
            receiver,
            every: every(settings, setup)?,
            groups_left: settings.groups,
            fan_in: settings.fan_in as usize,
            rng: setup.rng(),
            next_start: Time::ZERO + settings.start,
            others: (0..others).collect(),
            issued: settings.fan_in as usize,
        })
    }

    fn begin_group(&mut self) -> Option<()> {
        if let Some(left) = &mut self.groups_left {
            *left = left.checked_sub(1)?;
        }
        let hosts = self.others.len() as u64 + 1;
        let drawn = || below(&mut self.rng, hosts) as NodeId;
        self.template.destination = self.receiver.unwrap_or_else(drawn);
        self.template.start = self.next_start;
        self.next_start = after(self.next_start, self.every);
        self.draw_senders();
        self.issued = 0;
        Some(())
    }

    /// The first steps of a shuffle: what an earlier group left in whatever order is as good as sorted.
    fn draw_senders(&mut self) {
        for place in 0..self.fan_in {
            let rest = (self.others.len() - place) as u64;
            let drawn = place + below(&mut self.rng, rest) as usize;
            self.others.swap(place, drawn);
        }
    }
}

fn fan_in(fan_in: u32, others: u32, setup: &Setup<'_>) -> Result<(), ScenarioError> {
    setup.at_least_one("fan_in", fan_in.into())?;
    if fan_in <= others {
        return Ok(());
    }
    let expected = format!("expected at most {others}, one less than there are hosts");
    Err(setup.error("fan_in", format!("is {fan_in}"), &expected))
}

fn every(settings: &scenario::Incast, setup: &Setup<'_>) -> Result<Span, ScenarioError> {
    setup.at_least_one("groups", settings.groups.unwrap_or(1))?;
    match settings.every {
        _ if settings.groups == Some(1) => Ok(Span::ZERO),
        None => Err(setup.error("every", "is missing", "expected a time between groups, or groups = 1")),
        Some(Span::ZERO) => Err(setup.error("every", "is zero", "expected a time between groups")),
        Some(every) => Ok(every),
    }
}

impl Iterator for Incast {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        if self.issued == self.fan_in {
            self.begin_group()?;
        }
        let source = other_than(self.template.destination, self.others[self.issued]);
        self.issued += 1;
        Some(FlowSpec { source, ..self.template })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{refusal, source, star};
    use super::*;

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
        let groups = groups(4, "fan_in = 3\nreceiver = 'host2'\nevery = '7us'\ngroups = 3\nstart = '1us'", 3);
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

    #[test]
    fn one_group_needs_no_interval_and_more_do() {
        assert_eq!(groups(4, "fan_in = 3\ngroups = 1", 3).len(), 1);
        let refused = |keys: &str| refusal(&star(4), &format!("kind = 'incast'\nsize = '64kB'\n{keys}"));
        assert!(refused("fan_in = 3").contains("workload[0].every: is missing"));
        assert!(refused("fan_in = 3\nevery = '0us'").contains("workload[0].every: is zero"));
        assert!(refused("fan_in = 4\ngroups = 1").contains("workload[0].fan_in: is 4; expected at most 3"));
        assert!(refused("fan_in = 0\ngroups = 1").contains("workload[0].fan_in: is 0"));
        assert!(
            refused("fan_in = 1\ngroups = 1\nreceiver = 'host9'").contains("workload[0].receiver: \"host9\"")
        );
    }
}
