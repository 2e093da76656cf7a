//! Fast-forward: finds times in which nothing changes but how much is sent, and keeps what of them was skipped.
//!
//! The clock of the network never jumps. The *reported* clock does: it is ahead by all that was skipped so far
//! ([`Skips`]). What is known beforehand, such as arrivals and samples, comes sooner on the network's clock.
//!
//! The engine looks at all flows and nodes at an interval of about a round trip ([`Watcher::look`]). It compares two
//! windows of time that follow each other, of one interval each, of two, of four and so on. Longer windows average what
//! goes up and down. Where all agree within the tolerance, the time up to just before the next change is skipped: before
//! a flow's last bytes, or anything planned. A mean that drifts limits the skip to the time in which it would drift by
//! the tolerance. What has been steady before with the same flows, such as a step of a ring, is recognised after one
//! interval.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::host::{Host, Pace};
use crate::kernel::units::{Bytes, Ratio, Span, Time};
use crate::port::Port;
use crate::switch::Switch;
use crate::topology::NodeId;

/// Settings of fast-forward in one run.
#[derive(Clone, Copy, Debug)]
pub struct FastForward {
    /// Largest relative change of what is steady.
    pub tolerance: Ratio,
    /// Interval between looks, about a round trip.
    pub interval: Span,
    /// The largest frame, the grain of queues.
    pub frame: Bytes,
}

/// Reason why nothing was skipped at a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// No flow was under way.
    Quiet,
    /// A flow, a sample or another planned thing was due soon.
    Due,
    /// Flows had just started or ended, or were about to.
    Flows,
    /// Packets were lost, sent again or held by pauses.
    Trouble,
    /// Rates or windows went up or down by more than the tolerance.
    Rates,
    /// Queues grew or shrank by more than the tolerance.
    Queues,
    /// The steady time found was too short.
    Short,
}

impl Obstacle {
    /// Returns the reason in words, after "because".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Quiet => "no flow was under way for long",
            Self::Due => "a flow, a sample or another planned event was always due soon",
            Self::Flows => "flows started or ended all the time",
            Self::Trouble => "packets were lost, sent again or held by pauses",
            Self::Rates => "rates or windows changed by more than the tolerance",
            Self::Queues => "queues changed by more than the tolerance",
            Self::Short => "nothing was steady for long enough",
        }
    }
}

/// Times and bytes that a run has skipped.
#[derive(Clone, Debug, Default)]
pub struct Skips {
    /// Each skip: its instant on the network's clock, and all that was skipped by then.
    all: Vec<(Time, Span)>,
    /// Bytes skipped of each flow, by source and number.
    bytes: BTreeMap<(NodeId, u32), Bytes>,
    /// Reason for which most looks skipped nothing.
    pub obstacle: Option<Obstacle>,
}

impl Skips {
    /// Number of skips.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Time skipped in all.
    pub fn total(&self) -> Span {
        self.all.last().map_or(Span::ZERO, |&(_, total)| total)
    }

    /// Returns the reported time of an event at `time` of the network's clock; `Time::MAX`, which is never, stays.
    pub fn reported(&self, time: Time) -> Time {
        let before = self.all.partition_point(|&(at, _)| at <= time);
        match before.checked_sub(1) {
            Some(last) if time < Time::MAX => time + self.all[last].1,
            _ => time,
        }
    }

    /// Returns the bytes skipped of a flow.
    pub fn of(&self, source: NodeId, number: u32) -> Bytes {
        self.bytes.get(&(source, number)).copied().unwrap_or_default()
    }

    /// Takes in a skip of `span` at `now`.
    fn push(&mut self, now: Time, span: Span) {
        let total = self.total() + span;
        match self.all.last_mut() {
            Some(last) if last.0 == now => last.1 = total,
            _ => self.all.push((now, total)),
        }
    }

    fn add_bytes(&mut self, source: NodeId, number: u32, bytes: Bytes) {
        *self.bytes.entry((source, number)).or_default() += bytes;
    }
}

/// Packets and bytes that a port has sent, and packets that it has marked.
pub(super) type PortSums = [u64; 3];

/// Acknowledgements that a host has sent and received, and CNPs that it has sent.
pub(super) type HostSums = [u64; 3];

fn sums_of_port(port: &Port) -> PortSums {
    let counters = &port.counters;
    [counters.packets, counters.wire_bytes.get(), counters.marked]
}

fn sums_of_host(host: &Host) -> HostSums {
    let counters = &host.counters;
    [counters.acknowledgements_sent, counters.acknowledgements_delivered, counters.cnps_sent]
}

fn ports<'a>(hosts: &'a [Host], switches: &'a [Switch]) -> impl Iterator<Item = &'a Port> {
    hosts.iter().map(Host::port).chain(switches.iter().flat_map(Switch::ports))
}

/// A flow and the place of its source among the hosts.
#[derive(Clone, Copy, Debug)]
struct Seen {
    place: u32,
    pace: Pace,
}

/// Bytes that a flow has sent so far, and sums over looks of its window and rate.
#[derive(Clone, Copy, Debug, Default)]
struct FlowSums {
    sent: u64,
    window: u128,
    rate: u128,
    /// Looks at which the window or the rate was less than at the one before.
    cuts: u64,
    /// Window and rate at the latest look.
    latest: [u64; 2],
}

/// Sums over looks since flows last changed.
#[derive(Debug, Default)]
struct Sums {
    flows: Vec<FlowSums>,
    /// Bytes in each host's adapter and in each switch.
    queues: Vec<u64>,
}

/// Sums as they were at one look. The difference of two is a mean over a window of time.
#[derive(Debug)]
struct Snapshot {
    at: Time,
    flows: Vec<FlowSums>,
    queues: Vec<u64>,
    ports: Vec<PortSums>,
    hosts: Vec<HostSums>,
    /// Drops, pause frames and packets sent again.
    trouble: u64,
}

/// Two windows of equal length that follow each other, and what of them agrees.
struct Steady {
    /// Bytes of each flow in both windows together.
    sent: Vec<u64>,
    /// Length of both windows together.
    lasted: Span,
    /// Time for which the means drift by no more than the tolerance.
    limit: Span,
    /// First look of the first window.
    before: Arc<Snapshot>,
}

/// Ends of a flow: source, destination, transport and class.
type Ends = (NodeId, NodeId, [u8; 2]);

/// State of a set of flows when it was steady.
#[derive(Debug)]
struct Known {
    sent: Vec<u64>,
    lasted: Span,
    windows: Vec<u64>,
    rates: Vec<u64>,
    queues: Vec<u64>,
}

/// Skip to make: how far, and what flows, ports and hosts did meanwhile.
#[derive(Debug)]
pub(super) struct Skip {
    pub(super) span: Span,
    /// Place of the source, number, destination, bytes and packets of each flow.
    pub(super) flows: Vec<(u32, u32, NodeId, Bytes, u64)>,
    pub(super) ports: Vec<PortSums>,
    pub(super) hosts: Vec<HostSums>,
}

/// Number of lengths of windows that are compared, each twice the one before.
const LENGTHS: u32 = 12;

/// Least number of times that a congestion control has to cut a window or rate in each of two windows of time, unless
/// both are constant. Shorter windows would all be taken between two cuts, and none around one.
const LEAST_CUTS: u64 = 8;

/// Most windows that are skipped at a time where windows or rates go up and down.
const MOST_WINDOWS: u64 = 16;

/// Looks in vain after which there are half as many.
const LOOKS_BEFORE_REST: u32 = 2048;

/// Most sets of flows that are remembered.
const MOST_KNOWN: usize = 1024;

/// Looks after which a set of flows that was steady before is not recognised any longer.
const LATEST_RECOGNITION: u64 = 4;

/// State of the search for steady times.
#[derive(Debug)]
pub(super) struct Watcher {
    settings: FastForward,
    pub(super) skips: Skips,
    flows: Vec<Seen>,
    sums: Sums,
    /// Looks since flows last changed.
    looks: u64,
    /// Latest three snapshots for each length of windows, the latest first.
    snapshots: Vec<[Option<Arc<Snapshot>>; 3]>,
    known: HashMap<Vec<Ends>, Known>,
    /// Counts of skipped packets and bytes, which snapshots do not have.
    skipped_ports: Vec<PortSums>,
    skipped_hosts: Vec<HostSums>,
    /// Looks in a row at which flows changed.
    changes: u32,
    /// Looks since flows last changed, or since the latest skip.
    in_vain: u32,
    obstacles: BTreeMap<Obstacle, u64>,
}

impl Watcher {
    pub(super) fn new(settings: FastForward) -> Self {
        Self {
            settings,
            skips: Skips::default(),
            flows: Vec::new(),
            sums: Sums::default(),
            looks: 0,
            snapshots: vec![[None, None, None]; LENGTHS as usize],
            known: HashMap::new(),
            skipped_ports: Vec::new(),
            skipped_hosts: Vec::new(),
            changes: 0,
            in_vain: 0,
            obstacles: BTreeMap::new(),
        }
    }

    /// Time from this look to the next. There are fewer looks where flows change at every one, or where many were in vain.
    pub(super) fn until_next_look(&self) -> Span {
        let doublings = (self.changes / 8).min(5).max((self.in_vain / LOOKS_BEFORE_REST).min(3));
        self.settings.interval * (1 << doublings)
    }

    /// Returns what was skipped in all.
    pub(super) fn into_skips(self) -> Skips {
        let most = self.obstacles.into_iter().max_by_key(|&(obstacle, count)| (count, obstacle));
        Skips { obstacle: most.map(|(obstacle, _)| obstacle), ..self.skips }
    }

    /// Looks at all hosts and switches at `now`, when the next global instant or arrival is due at `next`. Returns the
    /// skip to make, if all is steady.
    pub(super) fn look(
        &mut self,
        now: Time,
        next: Time,
        hosts: &[Host],
        switches: &[Switch],
    ) -> Option<Skip> {
        match self.find(now, next, hosts, switches) {
            Ok(skip) => Some(skip),
            Err(obstacle) => {
                if obstacle != Obstacle::Quiet || self.obstacles.is_empty() {
                    *self.obstacles.entry(obstacle).or_default() += 1;
                }
                None
            }
        }
    }

    fn find(&mut self, now: Time, next: Time, hosts: &[Host], switches: &[Switch]) -> Result<Skip, Obstacle> {
        let least = self.settings.interval * 4;
        if next.get().saturating_sub(now.get()) < least.get() {
            self.flows.clear();
            return Err(Obstacle::Due);
        }
        let has_changed = self.see_flows(now, hosts);
        if self.flows.is_empty() {
            return Err(Obstacle::Quiet);
        }
        if !self.flows.iter().all(|seen| seen.pace.is_whole) {
            self.changes += 1;
            self.flows.clear();
            return Err(Obstacle::Flows);
        }
        if has_changed {
            self.changes += 1;
            self.in_vain = 0;
            self.sums = Sums::default();
            let first = Arc::new(self.add_up(now, hosts, switches));
            self.snapshots.fill([Some(Arc::clone(&first)), None, None]);
            self.looks = 0;
            return Err(Obstacle::Flows);
        }
        self.changes = 0;
        self.in_vain += 1;
        self.looks += 1;
        let latest = Arc::new(self.add_up(now, hosts, switches));
        let found = self
            .compare(&latest, hosts, switches)
            .or_else(|obstacle| self.recognise(&latest, hosts, switches).ok_or(obstacle));
        let steady = found?;
        let planned = hosts.iter().map(Host::next_planned).min().unwrap_or(Time::MAX).min(next);
        let until_planned = Span::new(planned.get().saturating_sub(now.get()));
        let until_planned = until_planned.saturating_sub(self.margin());
        let span = self.until_flows_end(&steady).min(until_planned).min(steady.limit);
        if span < least.max(Span::new(steady.lasted.get() / 2)) {
            return Err(Obstacle::Short);
        }
        self.in_vain = 0;
        self.remember(&steady, hosts, &latest);
        Ok(self.skip(now, span, &steady, &latest, hosts))
    }

    /// Time before a change at which packets are simulated again.
    fn margin(&self) -> Span {
        Span::new(self.settings.interval.get() / 4)
    }

    /// Takes in the flows under way. Returns whether they are others than at the latest look.
    fn see_flows(&mut self, now: Time, hosts: &[Host]) -> bool {
        let (mut has_changed, mut count) = (false, 0);
        for (place, host) in (0..).zip(hosts) {
            for pace in host.paces(now) {
                let seen = Seen { place, pace };
                if let Some(before) = self.flows.get_mut(count) {
                    has_changed |= (before.place, before.pace.number) != (place, pace.number);
                    *before = seen;
                } else {
                    has_changed = true;
                    self.flows.push(seen);
                }
                count += 1;
            }
        }
        has_changed |= count < self.flows.len();
        self.flows.truncate(count);
        has_changed
    }

    /// Adds this look to the sums since flows last changed, and returns them.
    fn add_up(&mut self, now: Time, hosts: &[Host], switches: &[Switch]) -> Snapshot {
        let Sums { flows, queues } = &mut self.sums;
        flows.resize(self.flows.len(), FlowSums::default());
        for (sums, Seen { pace, .. }) in flows.iter_mut().zip(&self.flows) {
            let now = [pace.window.get(), pace.rate.get()];
            sums.cuts += u64::from(now[0] < sums.latest[0] || now[1] < sums.latest[1]);
            sums.latest = now;
            sums.sent = pace.sent.get();
            sums.window += u128::from(pace.window.get());
            sums.rate += u128::from(pace.rate.get());
        }
        queues.resize(hosts.len() + switches.len(), 0);
        for (sum, bytes) in queues.iter_mut().zip(queued(hosts, switches)) {
            *sum += bytes;
        }
        let mut trouble =
            hosts.iter().map(|host| host.counters.data_retransmitted + host.counters.timeouts).sum();
        let mut sums_of_ports = Vec::with_capacity(self.skipped_ports.len());
        for port in ports(hosts, switches) {
            let counters = &port.counters;
            trouble += counters.dropped() + counters.pause_frames + counters.resume_frames;
            sums_of_ports.push(sums_of_port(port));
        }
        self.skipped_ports.resize(sums_of_ports.len(), [0; 3]);
        self.skipped_hosts.resize(hosts.len(), [0; 3]);
        let simulated =
            |(sums, skipped): ([u64; 3], &[u64; 3])| [0, 1, 2].map(|index| sums[index] - skipped[index]);
        Snapshot {
            at: now,
            flows: flows.clone(),
            queues: queues.clone(),
            ports: sums_of_ports.into_iter().zip(&self.skipped_ports).map(simulated).collect(),
            hosts: hosts.iter().map(sums_of_host).zip(&self.skipped_hosts).map(simulated).collect(),
            trouble,
        }
    }

    /// Compares the windows that end with this look. Returns those that are steady for the longest time.
    fn compare(
        &mut self,
        latest: &Arc<Snapshot>,
        hosts: &[Host],
        switches: &[Switch],
    ) -> Result<Steady, Obstacle> {
        let mut found = Err(Obstacle::Short);
        for length in 0..LENGTHS {
            if !self.looks.is_multiple_of(1 << length) {
                break;
            }
            let place = length as usize;
            let [last, before, earlier] = std::mem::take(&mut self.snapshots[place]);
            if let (Some(last), Some(before)) = (&last, &before) {
                let of_windows = [before, last, latest];
                match self.check(length, of_windows, earlier.as_deref(), hosts, switches) {
                    Ok(steady) if found.as_ref().is_ok_and(|best: &Steady| best.limit >= steady.limit) => {}
                    Ok(steady) => found = Ok(steady),
                    Err(obstacle) => found = found.map_err(|_| obstacle),
                }
            }
            self.snapshots[place] = [Some(Arc::clone(latest)), last, before];
        }
        found
    }

    /// Compares two windows of 2^`length` looks, between three snapshots. `earlier` begins the window before them.
    fn check(
        &self,
        length: u32,
        [before, last, latest]: [&Arc<Snapshot>; 3],
        earlier: Option<&Snapshot>,
        hosts: &[Host],
        switches: &[Switch],
    ) -> Result<Steady, Obstacle> {
        let window = latest.at.since(last.at);
        if last.at.since(before.at) != window {
            return Err(Obstacle::Short);
        }
        if latest.trouble != before.trouble {
            return Err(Obstacle::Trouble);
        }
        let mut drift = Drift { tolerance: self.settings.tolerance, window, limit: Span::MAX };
        let mut sent = Vec::with_capacity(self.flows.len());
        let mut changing = Vec::new();
        for (place, Seen { pace, .. }) in self.flows.iter().enumerate() {
            let [one, two, three] = [before, last, latest].map(|snapshot| snapshot.flows[place]);
            let [first, second] = [two.sent - one.sent, three.sent - two.sent];
            if first == 0 || !self.is_near(first, second, 2 * pace.packet.get()) {
                return Err(Obstacle::Rates);
            }
            let [windows, rates] = [
                [two.window - one.window, three.window - two.window],
                [two.rate - one.rate, three.rate - two.rate],
            ];
            if !drift.allows(windows) || !drift.allows(rates) {
                return Err(Obstacle::Rates);
            }
            let is_constant = windows[0] == windows[1] && rates[0] == rates[1] && pace.timer == Time::MAX;
            let cuts = [two.cuts - one.cuts, three.cuts - two.cuts];
            if !is_constant {
                if cuts[0].min(cuts[1]) < LEAST_CUTS || cuts[0].abs_diff(cuts[1]) * 4 > cuts[1] {
                    return Err(Obstacle::Rates);
                }
                changing.push(place);
            }
            // A packet more or less in the windows must not matter.
            if self.settings.tolerance.of(Bytes::new(first + second)) < pace.packet * 2 {
                return Err(Obstacle::Short);
            }
            sent.push(first + second);
        }
        if !changing.is_empty() {
            let earlier =
                earlier.filter(|earlier| before.at.since(earlier.at) == window).ok_or(Obstacle::Short)?;
            if has_trend(&changing, [earlier, before, last, latest]) {
                return Err(Obstacle::Rates);
            }
            drift.limit = drift.limit.min(window * MOST_WINDOWS);
        }
        let looks = 1 << length;
        for (node, grain) in grains(hosts, switches).enumerate() {
            let [one, two, three] = [before, last, latest].map(|snapshot| snapshot.queues[node]);
            let (first, second) = (two - one, three - two);
            let grain = grain * self.settings.frame.get() * looks;
            if first.abs_diff(second) > grain && !drift.allows([first.into(), second.into()]) {
                return Err(Obstacle::Queues);
            }
        }
        let Drift { limit, .. } = drift;
        Ok(Steady { sent, lasted: window * 2, limit, before: Arc::clone(before) })
    }

    /// Whether two numbers differ by no more than the tolerance, or by no more than `grain`.
    fn is_near(&self, one: u64, other: u64, grain: u64) -> bool {
        let difference = one.abs_diff(other);
        difference <= grain || difference <= self.settings.tolerance.of(Bytes::new(one.max(other))).get()
    }

    /// Recognises flows that go on as flows between these hosts did when they were steady.
    fn recognise(&self, latest: &Snapshot, hosts: &[Host], switches: &[Switch]) -> Option<Steady> {
        if self.looks > LATEST_RECOGNITION {
            return None;
        }
        let known = self.known.get(&self.ends(hosts))?;
        let last = self.snapshots[0][1].as_ref()?;
        let window = latest.at.since(last.at);
        let goes_on = |(place, Seen { pace, .. }): (usize, &Seen)| {
            let sent = latest.flows[place].sent - last.flows[place].sent;
            self.is_near(sent, share(known.sent[place], window, known.lasted), 2 * pace.packet.get())
                && self.is_near(pace.window.get(), known.windows[place], 0)
                && self.is_near(pace.rate.get(), known.rates[place], 0)
        };
        let is_near = |(node, grain): (usize, u64)| {
            let queue = latest.queues[node] - last.queues[node];
            self.is_near(queue, known.queues[node], grain * self.settings.frame.get())
        };
        let is_known = latest.trouble == last.trouble
            && self.flows.iter().enumerate().all(goes_on)
            && grains(hosts, switches).enumerate().all(is_near);
        is_known.then(|| Steady {
            sent: known.sent.clone(),
            lasted: known.lasted,
            limit: Span::MAX,
            before: Arc::clone(last),
        })
    }

    fn ends(&self, hosts: &[Host]) -> Vec<Ends> {
        let ends = |Seen { place, pace }: &Seen| (hosts[*place as usize].id(), pace.destination, pace.kind);
        self.flows.iter().map(ends).collect()
    }

    /// Remembers what these flows are like, unless it goes up and down.
    fn remember(&mut self, steady: &Steady, hosts: &[Host], latest: &Snapshot) {
        if steady.limit < Span::MAX {
            return;
        }
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        let Some(last) = &self.snapshots[0][1] else { return };
        let queues = latest.queues.iter().zip(&last.queues).map(|(sum, before)| sum - before);
        let known = Known {
            sent: steady.sent.clone(),
            lasted: steady.lasted,
            windows: self.flows.iter().map(|seen| seen.pace.window.get()).collect(),
            rates: self.flows.iter().map(|seen| seen.pace.rate.get()).collect(),
            queues: queues.collect(),
        };
        self.known.insert(self.ends(hosts), known);
    }

    /// Time until the first flow has only a few packets left to send.
    fn until_flows_end(&self, steady: &Steady) -> Span {
        let ends = self.flows.iter().zip(&steady.sent).filter(|(seen, _)| seen.pace.size < Bytes::MAX);
        let until = ends.map(|(Seen { pace, .. }, &sent)| {
            let margin = share(sent, self.margin(), steady.lasted).max(4 * pace.packet.get());
            let left = (pace.size - pace.sent).get().saturating_sub(margin);
            Span::new(scaled(left, steady.lasted.get(), sent))
        });
        until.min().unwrap_or(Span::MAX)
    }

    /// Takes in a skip of `span`.
    fn skip(&mut self, now: Time, span: Span, steady: &Steady, latest: &Snapshot, hosts: &[Host]) -> Skip {
        let flows = self.flows.iter().zip(&steady.sent).map(|(Seen { place, pace }, &sent)| {
            let packets = share(sent, span, steady.lasted) / pace.packet.get();
            let bytes = pace.packet * packets;
            (*place, pace.number, pace.destination, bytes, packets)
        });
        let flows: Vec<_> = flows.collect();
        for &(place, number, _, bytes, _) in &flows {
            self.skips.add_bytes(hosts[place as usize].id(), number, bytes);
        }
        self.skips.push(now, span);
        let lasted = latest.at.since(steady.before.at);
        let more = |now: &[u64; 3], before: &[u64; 3]| {
            [0, 1, 2].map(|index| share(now[index] - before[index], span, lasted))
        };
        let of_all = |now: &[[u64; 3]], before: &[[u64; 3]], skipped: &mut [[u64; 3]]| {
            let all: Vec<[u64; 3]> = now.iter().zip(before).map(|(now, before)| more(now, before)).collect();
            for (skipped, more) in skipped.iter_mut().zip(&all) {
                skipped.iter_mut().zip(more).for_each(|(skipped, more)| *skipped += more);
            }
            all
        };
        Skip {
            span,
            flows,
            ports: of_all(&latest.ports, &steady.before.ports, &mut self.skipped_ports),
            hosts: of_all(&latest.hosts, &steady.before.hosts, &mut self.skipped_hosts),
        }
    }
}

/// Largest drift of means from one window to the next.
struct Drift {
    tolerance: Ratio,
    window: Span,
    /// Time in which no mean drifts by more than the tolerance.
    limit: Span,
}

impl Drift {
    /// Takes in sums of two windows. Returns whether they agree within the tolerance.
    fn allows(&mut self, [first, second]: [u128; 2]) -> bool {
        let drift = first.abs_diff(second);
        if drift == 0 {
            return true;
        }
        let allowed =
            second * u128::from(self.tolerance.numerator()) / u128::from(self.tolerance.denominator());
        let limit = u128::from(self.window.get()) * allowed / drift;
        self.limit = self.limit.min(Span::new(u64::try_from(limit).unwrap_or(u64::MAX)));
        drift <= allowed
    }
}

/// Whether windows or rates of these flows together rise, or fall, from each of three windows of time to the next. A slow
/// change would take longer where part of its time is skipped.
fn has_trend(flows: &[usize], snapshots: [&Snapshot; 4]) -> bool {
    let sums = snapshots.map(|snapshot| {
        let all = flows.iter().map(|&place| &snapshot.flows[place]);
        all.fold([0; 2], |[windows, rates], flow| [windows + flow.window, rates + flow.rate])
    });
    [0, 1].into_iter().any(|which| {
        let [one, two, three] = [0, 1, 2].map(|at: usize| sums[at + 1][which] - sums[at][which]);
        one < two && two < three || one > two && two > three
    })
}

/// Returns the bytes in each host's adapter and in each switch.
fn queued<'a>(hosts: &'a [Host], switches: &'a [Switch]) -> impl Iterator<Item = u64> {
    hosts.iter().map(Host::queued).chain(switches.iter().map(Switch::used)).map(Bytes::get)
}

/// Returns the packets by which the bytes in each node may differ from look to look although nothing changes.
fn grains<'a>(hosts: &'a [Host], switches: &'a [Switch]) -> impl Iterator<Item = u64> {
    let of_switches = switches.iter().map(|switch| 2 + switch.ports().len() as u64 / 4);
    hosts.iter().map(|_| 2).chain(of_switches)
}

/// Returns the part of `whole` in `lasted` that falls into `span`.
fn share(whole: u64, span: Span, lasted: Span) -> u64 {
    scaled(whole, span.get(), lasted.get())
}

/// Returns `number` times `numerator` over `denominator`, rounded down.
fn scaled(number: u64, numerator: u64, denominator: u64) -> u64 {
    let scaled = u128::from(number) * u128::from(numerator) / u128::from(denominator.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}
