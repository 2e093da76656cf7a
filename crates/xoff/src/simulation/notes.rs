//! What is worth knowing of a scenario before it runs.

use std::collections::{BTreeMap, BTreeSet};

use super::Simulation;
use crate::application::Plan;
use crate::congestion_control::Parameters;
use crate::kernel::units::{Rate, Time};
use crate::scenario::{
    LinkEvent, LinkState, QueuePairs, RoceRecovery, Scenario, Transport, Watchdog, WatchdogAction, Workload,
};
use crate::topology::{Link, NodeId, links_between};
use crate::workload::Source;
use crate::workload::overload::{self, Links, Overload};

impl Simulation {
    /// One line for each thing worth knowing, which begins with what it is about.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes_of_switches();
        notes.extend(self.notes_of_transports());
        notes.extend(self.note_of_host_marking());
        notes.extend(self.notes_of_drops());
        notes.extend(self.notes_of_timeouts());
        notes.extend(self.notes_of_reordering());
        notes.extend(self.notes_of_late_losses());
        notes.extend(self.notes_of_late_acknowledgements());
        notes.extend(self.notes_of_steps());
        notes.extend(self.notes_of_endless());
        notes.extend(self.notes_of_targets());
        notes.extend(self.notes_of_links());
        notes.extend(self.notes_of_events());
        notes.extend(self.note_of_slowdowns());
        notes
    }

    /// Names of the transports of flows in any class of this mask.
    fn transports_of(&self, classes: u8) -> impl Iterator<Item = &str> {
        let workloads = self.scenario.workload.iter().zip(&self.sources);
        let of_them = workloads.filter(|(_, source)| source.classes() & classes != 0);
        of_them.map(|(workload, _)| workload.transport()).collect::<BTreeSet<_>>().into_iter()
    }

    /// The classes in which a transport has flows.
    fn classes_of(&self, name: &str) -> u8 {
        self.sources_of(name).fold(0, |classes, source| classes | source.classes())
    }

    /// The flows of the workloads that have a transport.
    fn sources_of(&self, name: &str) -> impl Iterator<Item = &Source> {
        let workloads = self.scenario.workload.iter().zip(&self.sources);
        workloads.filter(move |(workload, _)| workload.transport() == name).map(|(_, source)| source)
    }

    /// Whether any switch marks packets of these classes.
    fn switches_mark(&self, classes: u8) -> bool {
        self.switches.iter().any(|layout| layout.marks(classes))
    }

    /// Lossless classes whose last packets nobody would send again.
    fn notes_of_timeouts(&self) -> impl Iterator<Item = String> {
        let fails = |event: &LinkEvent| event.state == Some(LinkState::Down);
        let drops = |watchdog: &Watchdog| watchdog.action == WatchdogAction::Drop;
        let loses = self.network.links.iter().any(Link::corrupts)
            || self.scenario.link_event.iter().any(fails)
            || self.scenario.pfc.watchdog.as_ref().is_some_and(drops);
        let names = self.transports_of(self.scenario.lossless_classes());
        names.filter(move |name| loses && self.scenario.transport[*name].relies_on_pfc()).map(|name| {
            format!(
                "transport.{name}: packets may be lost (links that corrupt them or fail, a watchdog that drops), and \
                 selective repeat has no timeout with PFC for the last of a flow; set recovery.timeouts_with_pfc"
            )
        })
    }

    /// Transports that take packets for lost that come by a longer way.
    fn notes_of_reordering(&self) -> Vec<String> {
        let routing = self.scenario.topology.routing().kind;
        if !routing.is_by_packet() || !self.routes.have_choices() {
            return Vec::new();
        }
        let takes = |transport: &Transport| match transport {
            Transport::Tcp(tcp) => (tcp.duplicate_threshold <= 3).then_some(
                "TCP takes the packet before three others for lost; more with `duplicate_threshold`",
            ),
            Transport::Roce(roce) => match &roce.recovery {
                RoceRecovery::GoBackN(_) => Some(
                    "go-back-N takes every packet before another for lost; selective repeat has `reordering`",
                ),
                RoceRecovery::SelectiveRepeat(settings) => (settings.reordering == 0).then_some(
                    "selective repeat takes every packet before another for lost, until it has `reordering`",
                ),
            },
            Transport::ConstantRate(_) => None,
        };
        let names = self.transports_in_use().into_iter();
        let noted = names.filter_map(|name| Some((name, takes(&self.scenario.transport[name])?)));
        let note = |(name, takes): (&str, &str)| {
            format!("transport.{name}: by {routing} packets come out of order, and {takes}")
        };
        noted.map(note).collect()
    }

    /// Selective repeat that waits for more packets behind a missing one than may be in flight.
    fn notes_of_late_losses(&self) -> impl Iterator<Item = String> {
        self.transports_in_use().into_iter().filter_map(|name| {
            let Transport::Roce(roce) = &self.scenario.transport[name] else { return None };
            let RoceRecovery::SelectiveRepeat(settings) = &roce.recovery else { return None };
            let (window, reordering) = (settings.window, settings.reordering);
            let never = roce.payload * (u64::from(reordering) + 1) >= window;
            (reordering > 0 && never).then(|| {
                format!(
                    "transport.{name}: {reordering} packets behind a missing one are more than a window of {window} holds, so \
                     that only timeouts find losses; set a smaller recovery.reordering or a larger recovery.window"
                )
            })
        })
    }

    /// Selective repeat whose acknowledgements wait for more packets than may come before its timeout.
    fn notes_of_late_acknowledgements(&self) -> impl Iterator<Item = String> {
        let lossy = !self.scenario.lossless_classes();
        let of_lossy: BTreeSet<&str> = self.transports_of(lossy).collect();
        self.transports_in_use().into_iter().filter_map(move |name| {
            let Transport::Roce(roce) = &self.scenario.transport[name] else { return None };
            let RoceRecovery::SelectiveRepeat(settings) = &roce.recovery else { return None };
            let times_out = settings.timeouts_with_pfc || of_lossy.contains(name);
            let every = roce.acknowledge_every;
            if every == 1 || !times_out {
                return None;
            }
            let (timeout, key) = if every < settings.few_packets {
                (settings.timeout_low, "timeout_low")
            } else {
                (settings.timeout_high, "timeout_high")
            };
            let bits = ((roce.payload + roce.packet_headers() + roce.wire_overhead) * u64::from(every)).as_f64() * 8.0;
            let rate = in_gigabits(Rate::from_f64(bits / timeout.as_seconds()));
            Some(format!(
                "transport.{name}: below {rate} a flow times out before {every} packets have come, which are acknowledged \
                 together, and sends again what has arrived; set acknowledge_every = 1 or a longer recovery.{key}"
            ))
        })
    }

    /// Collectives a step of which shares links with the one before.
    fn notes_of_steps(&self) -> impl Iterator<Item = String> {
        let plans = self.fabric.plans.all().iter();
        let of_steps = |plan: &Plan| match plan {
            Plan::Collective(plan) if plan.schedule.steps() > 1 && !plan.schedule.exchanges() => {
                Some(self.scenario.workload[plan.workload].transport())
            }
            _ => None,
        };
        let names: BTreeSet<&str> = plans.filter_map(of_steps).collect();
        names.into_iter().filter_map(|name| {
            let Transport::Roce(roce) = &self.scenario.transport[name] else { return None };
            (roce.connections == QueuePairs::PerFlow).then(|| {
                format!(
                    "transport.{name}: a step of a collective shares the link with the one before, which is then later still; \
                     set connections = \"persistent\""
                )
            })
        })
    }

    /// Queue pairs that last and that flows without end never pass on, where others might come after them.
    fn notes_of_endless(&self) -> impl Iterator<Item = String> {
        self.transports_in_use().into_iter().filter(|name| self.keeps_queue_pairs_for_ever(name)).map(|name| {
            format!(
                "transport.{name}: a flow without end never passes its queue pair on, and no other to the same host begins; give it \
                 another transport, or set connections = \"per_flow\""
            )
        })
    }

    fn keeps_queue_pairs_for_ever(&self, name: &str) -> bool {
        let Transport::Roce(roce) = &self.scenario.transport[name] else { return false };
        let mut endless: Vec<_> = self
            .sources_of(name)
            .flat_map(Source::without_end)
            .filter(|flow| flow.end == Time::MAX)
            .map(|flow| (flow.source, flow.destination, flow.priority))
            .collect();
        let flows = endless.len();
        endless.sort_unstable();
        endless.dedup();
        roce.connections == QueuePairs::Persistent
            && flows > 0
            && (endless.len() < flows || self.sources_of(name).count() > 1)
    }

    /// Targets of Swift that a path without queues exceeds.
    fn notes_of_targets(&self) -> impl Iterator<Item = String> {
        let paths = self.scenario.transport.iter().zip(&self.fabric.longest_paths);
        let in_use = self.transports_in_use();
        paths.filter(move |((name, _), _)| in_use.contains(name.as_str())).filter_map(|((name, transport), path)| {
            let Some(Parameters::Swift(settings)) = transport.congestion_control() else { return None };
            let target = settings.base_target + settings.target_per_switch * u64::from(path.switches);
            (target < path.base_rtt).then(|| {
                format!(
                    "transport.{name}: swift's target of {target} (base_target, target_per_switch) is below the longest base \
                     round trip, {}: its windows shrink although nothing waits",
                    path.base_rtt
                )
            })
        })
    }

    fn transports_in_use(&self) -> BTreeSet<&str> {
        self.scenario.workload.iter().map(Workload::transport).collect()
    }

    fn notes_of_switches(&self) -> Vec<String> {
        let nodes = self.network.hosts..self.network.nodes.len() as NodeId;
        by_note(
            nodes.zip(&self.switches).flat_map(|(node, layout)| {
                layout.notes().into_iter().map(move |note| (note, self.name(node)))
            }),
        )
    }

    /// Congestion controls that wait for marks, where there are none.
    fn notes_of_transports(&self) -> impl Iterator<Item = String> {
        self.transports_in_use().into_iter().filter_map(|name| {
            let transport = &self.scenario.transport[name];
            let control = transport.congestion_control()?;
            let spelling = control.spelling();
            let marks = self.switches_mark(self.classes_of(name))
                || self.scenario.host.marking.is_some() && !transport.is_in_adapter();
            let waits = !marks && control.needs().marks();
            waits.then(|| {
                let why = if self.switches_mark(u8::MAX) {
                    "no switch has `marking` of its classes"
                } else {
                    "no switch has `marking`"
                };
                format!("transport.{name}: {spelling} goes by marks, and nothing marks: {why}")
            })
        })
    }

    /// Marking in adapters in which nothing waits.
    fn note_of_host_marking(&self) -> Option<String> {
        let mut names = self.transports_in_use().into_iter();
        let waits = names.any(|name| !self.scenario.transport[name].is_in_adapter());
        (self.scenario.host.marking.is_some() && !waits).then(|| {
            "host.marking: marks nothing, as RoCE makes its packets when the wire is free, and none waits in an adapter"
                .to_owned()
        })
    }

    /// Transports whose packets cannot be marked, where switches mark.
    fn notes_of_drops(&self) -> impl Iterator<Item = String> {
        let lossy = !self.scenario.lossless_classes();
        let are_marked = move |name: &&str| self.switches_mark(self.classes_of(name) & lossy);
        let names = self.transports_of(lossy).filter(are_marked);
        names.filter(|name| !self.scenario.transport[*name].is_ecn_capable()).map(|name| {
            format!("transport.{name}: its packets are not ECN-capable, and switches drop them where they would mark")
        })
    }

    /// Links that are to carry more than they can.
    fn notes_of_links(&self) -> Vec<String> {
        let (mut by_host, mut together) = (Vec::new(), Vec::new());
        for Overload { links, capacity, offered, workloads } in
            overload::of(&self.scenario, &self.network, &self.sources)
        {
            let (way, hosts) = match &links {
                Links::From(hosts) => ("send", &hosts[..]),
                Links::To(hosts) => ("receive", &hosts[..]),
                Links::Core | Links::CoreWay { .. } => ("carry", &[][..]),
            };
            let workloads: Vec<String> = workloads.iter().map(|index| format!("workload[{index}]")).collect();
            let workloads = workloads.join(", ");
            let [offered, capacity] = [offered, capacity].map(in_gigabits);
            let names: Vec<String> = hosts.iter().map(|&host| self.name(host)).collect();
            match names.as_slice() {
                [] => together.push(match links {
                    Links::CoreWay { back } => format!(
                        "core from {}: {offered} to {way} ({workloads}), and {capacity}",
                        if back { "right to left" } else { "left to right" }
                    ),
                    _ => format!("core: {offered} to {way} ({workloads}), and links of {capacity} together"),
                }),
                [name] => by_host.push((
                    format!("{offered} to {way} ({workloads}), and a link of {capacity}"),
                    name.clone(),
                )),
                names => together.push(format!(
                    "{}: {offered} to {way} together ({workloads}), and links of {capacity}",
                    about(names)
                )),
            }
        }
        let mut notes = by_note(by_host.into_iter());
        notes.extend(together);
        notes
    }

    /// Link events after which a flow may be faster than alone at the start.
    fn note_of_slowdowns(&self) -> Option<String> {
        let events = &self.scenario.link_event;
        let between_switches = || {
            let links = self
                .network
                .links
                .iter()
                .filter(|link| link.ends.iter().all(|&end| !self.network.is_host(end)));
            links.map(|link| (link.rate, link.delay))
        };
        let differ = between_switches().min() != between_switches().max();
        let has_failed = self.network.links.iter().any(|link| link.failed);
        let may_be_faster = |event: &LinkEvent| match event.state {
            Some(LinkState::Down) => differ,
            Some(LinkState::Up) => differ || has_failed,
            None => event.rate > self.rate_between(&event.between),
        };
        events.iter().any(may_be_faster).then(|| {
            "link_event: slowdowns go by the network as it is at the start, and are below 1 where links come up, get faster, \
             or make way for faster ones"
                .to_owned()
        })
    }

    /// The least rate of the links that join two nodes at the start.
    fn rate_between(&self, nodes: &[String; 2]) -> Option<Rate> {
        let links = links_between(&self.network, &self.network.names(), "link_event", nodes).ok()?;
        links.into_iter().map(|link| self.network.links[link as usize].rate).min()
    }

    /// What is to happen when the run has ended.
    fn notes_of_events(&self) -> impl Iterator<Item = String> {
        let Scenario { link_event, slow_receiver, stop, .. } = &self.scenario;
        let links = link_event.iter().map(|event| event.at).enumerate();
        let receivers = slow_receiver.iter().map(|slow| slow.start).enumerate();
        let all = links.map(|(index, at)| (format!("link_event[{index}].at"), at));
        let all = all.chain(receivers.map(|(index, at)| (format!("slow_receiver[{index}].start"), at)));
        let end = stop.at;
        all.filter_map(move |(key, at)| {
            let end = end.filter(|end| at >= *end)?;
            Some(format!("{key}: {at} is never reached, as stop.at = {end} ends the run"))
        })
    }

    fn name(&self, node: NodeId) -> String {
        self.network.nodes[node as usize].name.clone()
    }
}

/// One line for each note with all that it is about.
fn by_note(notes: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut names_by_note = BTreeMap::<String, Vec<String>>::new();
    for (note, name) in notes {
        names_by_note.entry(note).or_default().push(name);
    }
    names_by_note.iter().map(|(note, names)| format!("{}: {note}", about(names))).collect()
}

fn about(names: &[String]) -> String {
    match names {
        [name] => name.clone(),
        names => format!("{} and {} more", names[0], names.len() - 1),
    }
}

fn in_gigabits(rate: Rate) -> String {
    format!("{} Gb/s", (rate.as_f64() / 1e6).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Files;

    /// Of four hosts at 10 Gb/s around a switch that marks nothing.
    fn notes(workloads: &str, rest: &str) -> Vec<String> {
        let text = format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
             transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}\n\
             transport.reno = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }} }}\n\
             transport.roce = {{ kind = 'roce', congestion_control = {{ algorithm = 'dcqcn' }} }}\n\
             transport.six = {{ kind = 'constant_rate', rate = '6Gbps' }}\n\
             transport.burst = {{ kind = 'constant_rate' }}\n\
             workload = [{workloads}]\nstop.at = '1ms'\n{rest}"
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap();
        Simulation::new(&scenario, &Files::new()).unwrap().notes()
    }

    #[test]
    fn a_congestion_control_that_goes_by_marks_needs_some() {
        let of = |transport: &str, rest: &str| {
            notes(&format!("{{ kind = 'permutation', transport = '{transport}', size = '1MB' }}"), rest)
        };
        let unmarked = |name: &str, algorithm: &str| {
            [format!(
                "transport.{name}: {algorithm} goes by marks, and nothing marks: no switch has `marking`"
            )]
        };
        assert_eq!(of("dctcp", ""), unmarked("dctcp", "dctcp"));
        assert_eq!(of("roce", ""), unmarked("roce", "dcqcn"));
        assert_eq!(of("reno", ""), [""; 0]);
        assert_eq!(of("burst", ""), [""; 0]);
        let threshold = "{ kind = 'threshold', threshold = '30kB' }";
        for place in ["queue", "port", "pool", "at_rate.10Gbps.queue"] {
            assert_eq!(of("dctcp", &format!("switch = [{{ marking.{place} = {threshold} }}]")), [""; 0]);
        }
        let of_class =
            |class: u8| format!("switch = [{{ marking.queue_by_priority.{class} = {threshold} }}]");
        assert_eq!(of("dctcp", &of_class(0)), [""; 0]);
        assert_eq!(
            of("dctcp", &of_class(3)),
            unmarked("dctcp", "dctcp").map(|note| note + " of its classes")
        );
        assert_eq!(of("dctcp", &format!("host.marking = {threshold}")), [""; 0]);
        let in_vain = "host.marking: marks nothing, as RoCE makes its packets when the wire is free, and none waits in an adapter";
        let [unmarked] = unmarked("roce", "dcqcn");
        assert_eq!(of("roce", &format!("host.marking = {threshold}")), [unmarked, in_vain.to_owned()]);
    }

    #[test]
    fn what_cannot_be_marked_is_dropped() {
        let of = |transport: &str, switch: &str| {
            let workload = format!("{{ kind = 'permutation', transport = '{transport}', size = '1MB' }}");
            notes(&workload, switch)
        };
        let marking = "marking.queue = { kind = 'threshold', threshold = '30kB' }";
        let marks = format!("switch = [{{ {marking} }}]");
        let note = |name| {
            [format!(
                "transport.{name}: its packets are not ECN-capable, and switches drop them where they would mark"
            )]
        };
        assert_eq!(of("reno", &marks), note("reno"));
        assert_eq!(of("burst", &marks), note("burst"));
        assert_eq!(of("reno", &marks.replace("queue", "queue_by_priority.0")), note("reno"));
        assert_eq!(of("reno", &marks.replace("queue", "queue_by_priority.3")), [""; 0]);
        assert_eq!(of("dctcp", &marks), [""; 0]);
        assert_eq!(of("roce", &marks), [""; 0]);
        let lossless = "class = [{ priority = 0, lossless = true }, { priority = 7 }]";
        assert_eq!(of("burst", &format!("switch = [{{ pfc = {{}}, {marking} }}]\n{lossless}")), [""; 0]);
    }

    /// Messages of 64 B have 84 B of headers and gaps each, and their load counts those of packets of 1024 B.
    #[test]
    fn links_that_are_asked_too_much_of_are_noted() {
        let of = |size: &str, load: f64| {
            let roce = "transport.messages = { kind = 'roce', payload = '1024B', headers = '64B', wire_overhead = '20B' }";
            let poisson = format!(
                "{{ kind = 'poisson', transport = 'messages', load = {load}, of = 'senders', load_counts = 'wire', \
                 senders = ['host0', 'host1'], receivers = ['host2', 'host3'], sizes = {{ fixed = '{size}' }} }}"
            );
            notes(&poisson, roce)
        };
        let of_both = |ends: &str, way: &str, offered: &str| {
            format!("{ends}: {offered} Gb/s to {way} together (workload[0]), and links of 20 Gb/s")
        };
        let both = |offered: &str| {
            [of_both("host0 and 1 more", "send", offered), of_both("host2 and 1 more", "receive", offered)]
        };
        assert_eq!(of("1MiB", 1.0), [""; 0]);
        assert_eq!(of("64B", 0.46), [""; 0], "0.46 x 148 / 64 x 1024 / 1108 = 0.983");
        assert_eq!(of("64B", 0.48), both("20.517"), "0.48 x 148 / 64 x 1024 / 1108 = 1.02585");
        let pair = |sender: u32| {
            format!("{{ kind = 'long_lived', transport = 'six', pairs = [['host{sender}', 'host3']] }}")
        };
        assert_eq!(notes(&pair(0), ""), [""; 0]);
        assert_eq!(
            notes(&format!("{}, {}", pair(0), pair(1)), ""),
            ["host3: 12 Gb/s to receive (workload[0], workload[1]), and a link of 10 Gb/s"]
        );
    }

    #[test]
    fn steps_that_share_a_link_are_noted() {
        let of = |algorithm: &str, keys: &str| {
            let collective = format!(
                "{{ kind = 'collective', transport = 'lasting', operation = 'all_reduce', algorithm = '{algorithm}', \
                 size = '1MB', iterations = 1 }}"
            );
            notes(&collective, &format!("transport.lasting = {{ kind = 'roce', {keys} }}"))
        };
        for algorithm in ["ring", "direct"] {
            let [note] = &of(algorithm, "")[..] else { panic!("{algorithm}: one note") };
            assert!(note.starts_with("transport.lasting: a step of a collective shares the link"), "{note}");
            assert_eq!(of(algorithm, "connections = 'persistent'"), [""; 0]);
        }
        assert_eq!(of("halving_doubling", ""), [""; 0]);
    }

    #[test]
    fn flows_without_end_on_queue_pairs_that_last_are_noted() {
        let of = |connections: &str, workload: &str, more: &str| {
            let workloads = format!("{{ kind = 'long_lived', transport = 'lasting', {workload} }}{more}");
            let rest = format!("transport.lasting = {{ kind = 'roce', connections = '{connections}' }}");
            notes(&workloads, &rest)
                .into_iter()
                .filter(|note| note.contains("without end"))
                .collect::<Vec<_>>()
        };
        let pair = "pairs = [['host0', 'host1']]";
        let twice = format!("{pair}, flows_per_pair = 2");
        let more = ", { kind = 'permutation', transport = 'lasting', size = '1MB' }";
        assert_eq!(of("persistent", pair, ""), [""; 0]);
        for (workload, more) in [(pair, more), (&twice, "")] {
            let [note] = &of("persistent", workload, more)[..] else { panic!("{workload}: one note") };
            assert!(note.starts_with("transport.lasting: a flow without end never passes"), "{note}");
            assert_eq!(of("per_flow", workload, more), [""; 0]);
        }
        assert_eq!(of("persistent", &format!("{twice}, size = '1MB'"), ""), [""; 0]);
    }

    /// Eight packets of 1000 B have 1078 B on the wire each: 68,992 bits in 320 us.
    #[test]
    fn acknowledgements_that_wait_longer_than_a_timeout_are_noted() {
        let of = |keys: &str, lossless: bool| {
            let text = format!(
                "topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
                 class = [{{ priority = 0, lossless = {lossless} }}, {{ priority = 7 }}]\n\
                 switch = [{}]\n\
                 transport.roce = {{ kind = 'roce', payload = '1000B', {keys} }}\n\
                 workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB' }}]",
                if lossless { "{ pfc = {} }" } else { "" }
            );
            Simulation::new(&Scenario::from_toml(&text, &[]).unwrap(), &Files::new()).unwrap().notes()
        };
        let every = |packets: u32, rest: &str| {
            format!("acknowledge_every = {packets}, recovery = {{ kind = 'selective_repeat'{rest} }}")
        };
        let [note] = &of(&every(8, ""), false)[..] else { panic!("one note") };
        assert!(
            note.starts_with("transport.roce: below 0.216 Gb/s a flow times out before 8 packets have come"),
            "{note}"
        );
        assert!(note.ends_with("a longer recovery.timeout_high"), "{note}");
        assert!(of(&every(2, ""), false)[0].ends_with("a longer recovery.timeout_low"));
        assert_eq!(of(&every(8, ", timeouts_with_pfc = true"), true).len(), 1);
        for (keys, lossless) in
            [(every(8, ""), true), (every(1, ""), false), ("acknowledge_every = 8".to_owned(), false)]
        {
            assert_eq!(of(&keys, lossless), [""; 0], "{keys}");
        }
    }

    #[test]
    fn without_timeouts_what_a_link_corrupts_may_be_lost_for_ever() {
        let of = |recovery: &str, error_rate: &str, lossless: bool| {
            let text = format!(
                "topology = {{ kind = 'star', hosts = 2, host_link = {{ rate = '10Gbps', delay = '1us' }}, \
                 links = [{{ between = ['host1', 'switch0'], error_rate = {error_rate} }}] }}\n\
                 class = [{{ priority = 0, lossless = {lossless} }}, {{ priority = 7 }}]\n\
                 switch = [{{ pfc = {{}} }}]\n\
                 transport.roce = {{ kind = 'roce', recovery = {{ {recovery} }} }}\n\
                 workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB' }}]"
            );
            Simulation::new(&Scenario::from_toml(&text, &[]).unwrap(), &Files::new()).unwrap().notes()
        };
        let selective = "kind = 'selective_repeat'";
        assert_eq!(
            of(selective, "0.1", true),
            [
                "transport.roce: packets may be lost (links that corrupt them or fail, a watchdog that drops), and \
                 selective repeat has no timeout with PFC for the last of a flow; set recovery.timeouts_with_pfc"
            ]
        );
        assert_eq!(of(selective, "0", true), [""; 0]);
        assert_eq!(of(&format!("{selective}, timeouts_with_pfc = true"), "0.1", true), [""; 0]);
        assert_eq!(of("kind = 'go_back_n'", "0.1", true), [""; 0]);
    }

    #[test]
    fn losses_that_only_timeouts_find_are_noted() {
        let of = |reordering: u32| {
            let recovery =
                format!("{{ kind = 'selective_repeat', window = '100kB', reordering = {reordering} }}");
            let transport =
                format!("transport.patient = {{ kind = 'roce', payload = '1000B', recovery = {recovery} }}");
            notes("{ kind = 'permutation', transport = 'patient', size = '1MB' }", &transport)
        };
        assert_eq!(of(98), [""; 0]);
        let note = "transport.patient: 99 packets behind a missing one are more than a window of 100kB holds, so that \
                    only timeouts find losses; set a smaller recovery.reordering or a larger recovery.window";
        assert_eq!(of(99), [note]);
    }

    #[test]
    fn a_target_below_the_round_trip_is_noted() {
        let of = |target: &str| {
            let control = format!("{{ algorithm = 'swift', base_target = '{target}' }}");
            let transport = format!("transport.swift = {{ kind = 'roce', congestion_control = {control} }}");
            notes("{ kind = 'permutation', transport = 'swift', size = '1MB' }", &transport)
        };
        assert_eq!(of("20us"), [""; 0]);
        let [note] = &of("1ns")[..] else { panic!("it is noted once") };
        assert!(note.starts_with("transport.swift: swift's target of 3054ns (base_target, "), "{note}");
    }

    #[test]
    fn events_that_may_make_flows_faster_are_noted() {
        let of = |spine1: &str, failed: &str, event: &str| {
            let text = format!(
                "topology = {{ kind = 'leaf_spine', leaves = 2, spines = 2, hosts_per_leaf = 1, {failed} \
                 host_link = {{ rate = '10Gbps', delay = '1us' }}, fabric_link = {{ rate = '10Gbps', delay = '1us' }}, \
                 links = [{{ between = ['leaf0', 'spine1'], rate = '{spine1}' }}] }}\n\
                 transport.x = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }} }}\n\
                 workload = [{{ kind = 'permutation', transport = 'x', size = '1MB' }}]\n\
                 link_event = [{{ at = '1us', between = ['leaf0', 'spine0'], {event} }}]"
            );
            let scenario = Scenario::from_toml(&text, &[]).unwrap();
            let notes = Simulation::new(&scenario, &Files::new()).unwrap().notes();
            notes.iter().filter(|note| note.starts_with("link_event: slowdowns go by")).count()
        };
        assert_eq!(of("10Gbps", "", "state = 'down'"), 0);
        assert_eq!(of("40Gbps", "", "state = 'down'"), 1, "flows may move to the faster link");
        assert_eq!(of("10Gbps", "failed_links = [['leaf0', 'spine0']],", "state = 'up'"), 1);
        assert_eq!([of("10Gbps", "", "rate = '5Gbps'"), of("10Gbps", "", "rate = '20Gbps'")], [0, 1]);
    }

    #[test]
    fn what_packets_out_of_order_are_taken_for_is_noted() {
        let of = |routing: &str, transport: &str| {
            let text = format!(
                "topology = {{ kind = 'leaf_spine', leaves = 2, spines = 2, hosts_per_leaf = 1, routing = '{routing}', \
                 host_link = {{ rate = '10Gbps', delay = '1us' }}, fabric_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
                 transport.x = {{ {transport} }}\n\
                 workload = [{{ kind = 'permutation', transport = 'x', size = '1MB' }}]"
            );
            let scenario = Scenario::from_toml(&text, &[]).unwrap();
            Simulation::new(&scenario, &Files::new()).unwrap().notes()
        };
        let reno = "kind = 'tcp', congestion_control = { algorithm = 'reno' }";
        let note = |takes: &str| [format!("transport.x: by adaptive packets come out of order, and {takes}")];
        let three = "TCP takes the packet before three others for lost; more with `duplicate_threshold`";
        assert_eq!(of("adaptive", reno), note(three));
        assert_eq!(of("adaptive", &format!("{reno}, duplicate_threshold = 100")), [""; 0]);
        let every = "go-back-N takes every packet before another for lost; selective repeat has `reordering`";
        assert_eq!(of("adaptive", "kind = 'roce'"), note(every));
        let selective =
            |rest: &str| format!("kind = 'roce', recovery = {{ kind = 'selective_repeat', {rest} }}");
        assert_eq!(
            of("adaptive", &selective("")),
            note("selective repeat takes every packet before another for lost, until it has `reordering`")
        );
        assert_eq!(of("adaptive", &selective("reordering = 9")), [""; 0]);
        assert_eq!(of("flowlet", reno), [""; 0]);
        assert_eq!(of("adaptive", "kind = 'constant_rate'"), [""; 0]);
    }

    #[test]
    fn what_comes_with_the_end_or_after_it_is_never_reached() {
        let of = |start: &str| {
            let slow =
                format!("slow_receiver = [{{ hosts = ['host1'], start = '{start}', rate = '1Gbps' }}]");
            notes(&long_lived("['host1', 'host0']", "transport = 'reno', size = '1kB'"), &slow)
        };
        assert_eq!(
            of("1ms"),
            ["slow_receiver[0].start: 1ms is never reached, as stop.at = 1ms ends the run"]
        );
        assert_eq!(of("999us"), [""; 0]);
    }

    fn long_lived(pairs: &str, rest: &str) -> String {
        format!("{{ kind = 'long_lived', pairs = [{pairs}], {rest} }}")
    }

    #[test]
    fn flows_of_constant_rate_share_links_for_ever() {
        let two = "['host1', 'host0'], ['host2', 'host0']";
        assert_eq!(
            notes(&long_lived(two, "transport = 'six'"), ""),
            ["host0: 12 Gb/s to receive (workload[0]), and a link of 10 Gb/s"]
        );
        let twice = long_lived("['host1', 'host0']", "transport = 'six'");
        assert_eq!(
            notes(&format!("{twice}, {twice}"), ""),
            [
                "host0: 12 Gb/s to receive (workload[0], workload[1]), and a link of 10 Gb/s",
                "host1: 12 Gb/s to send (workload[0], workload[1]), and a link of 10 Gb/s"
            ]
        );
        for rest in ["size = '1MB'", "end = '1ms'", "stagger = '1ms'"] {
            assert_eq!(notes(&long_lived(two, &format!("transport = 'six', {rest}")), ""), [""; 0], "{rest}");
        }
        assert_eq!(notes(&long_lived(two, "transport = 'burst'"), ""), [""; 0]);
        let of_fives = long_lived(two, "transport = 'five'");
        let five = "transport.five = { kind = 'constant_rate', rate = '5Gbps' }";
        assert_eq!(notes(&of_fives, five), [""; 0]);
    }

    /// Full packets have 1460 B, frames 1518 and 1538 on the wire.
    #[test]
    fn loads_add_up_on_the_wire() {
        let poisson = |load: f64, rest: &str| {
            format!("{{ kind = 'poisson', transport = 'reno', sizes = 'web_search', load = {load}, {rest} }}")
        };
        let of_all = |loads: &[f64]| {
            let workloads: Vec<String> = loads.iter().map(|&load| poisson(load, "of = 'host'")).collect();
            notes(&workloads.join(", "), "")
        };
        assert_eq!(of_all(&[0.5, 0.48]), [""; 0]);
        assert_eq!(
            of_all(&[0.5, 0.5]),
            [
                "host0 and 3 more: 40.527 Gb/s to send together (workload[0], workload[1]), and links of 40 Gb/s",
                "host0 and 3 more: 40.527 Gb/s to receive together (workload[0], workload[1]), and links of 40 Gb/s"
            ]
        );
        let into_one = poisson(
            0.8,
            "of = 'receivers', load_counts = 'wire', senders = ['host1', 'host2'], receivers = ['host0']",
        );
        assert_eq!(notes(&into_one, ""), [""; 0]);
        let and_constant = format!("{into_one}, {}", long_lived("['host1', 'host0']", "transport = 'six'"));
        assert_eq!(
            notes(&and_constant, ""),
            ["host0: 14 Gb/s to receive (workload[0], workload[1]), and a link of 10 Gb/s"]
        );
    }

    /// Three flows of 14,600 B are thirty frames of 1538 B on the wire: 369 kb.
    #[test]
    fn groups_and_queries_that_come_at_intervals_are_loads() {
        let incast = |rest: &str| {
            notes(
                &format!(
                    "{{ kind = 'incast', transport = 'reno', fan_in = 3, size = '14600B', receivers = ['host0'], {rest} }}"
                ),
                "",
            )
        };
        assert_eq!(incast("every = '37us'"), [""; 0]);
        assert_eq!(
            incast("every = '36us'"),
            ["host0: 10.253 Gb/s to receive (workload[0]), and a link of 10 Gb/s"]
        );
        assert_eq!(incast("every = '36us', groups = 9"), [""; 0]);
        let query = |rest: &str| {
            notes(
                &format!(
                    "{{ kind = 'query', transport = 'reno', response = '14600B', aggregators = ['host0', 'host1'], {rest} }}"
                ),
                "",
            )
        };
        for every in ["every", "mean_interval"] {
            assert_eq!(query(&format!("{every} = '37us'")), [""; 0]);
            assert_eq!(
                query(&format!("{every} = '36us'")),
                ["host0 and 1 more: 10.253 Gb/s to receive (workload[0]), and a link of 10 Gb/s"]
            );
        }
        assert_eq!(query(""), [""; 0]);
        assert_eq!(query("every = '36us', queries = 9"), [""; 0]);
    }

    #[test]
    fn what_begins_after_the_end_or_ends_by_itself_is_no_load() {
        let half = |rest: &str| {
            format!(
                "{{ kind = 'poisson', transport = 'reno', sizes = 'web_search', load = 0.6, of = 'host', {rest} }}"
            )
        };
        let after =
            |start: &str| notes(&format!("{}, {}", half(""), half(&format!("start = '{start}'"))), "");
        assert_eq!(after("900us").len(), 2);
        assert_eq!(after("1ms"), [""; 0]);
        let incast = |rest: &str| {
            format!(
                "{{ kind = 'incast', transport = 'reno', fan_in = 2, size = '30kB', load = 0.6, of = 'receivers', {rest} }}"
            )
        };
        let two = |rest: &str| notes(&format!("{}, {}", incast(rest), incast(rest)), "");
        assert_eq!(two("groups = 1"), [""; 0]);
        assert!(!two("").is_empty());
    }

    /// Of a workload or two at 0.6 of a core of 10 Gb/s, or of 40.
    fn notes_of_core(topology: &str, workloads: &[&str]) -> Vec<String> {
        let workloads: Vec<String> = workloads
            .iter()
            .map(|rest| {
                format!(
                    "{{ kind = 'poisson', transport = 'reno', sizes = 'web_search', load = 0.6, of = 'core', \
                     load_counts = 'wire', between = 'racks', {rest} }}"
                )
            })
            .collect();
        let text = format!(
            "topology = {{ {topology}, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
             transport.reno = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }} }}\n\
             workload = [{}]\nstop.arrivals_end = '1ms'",
            workloads.join(", ")
        );
        Simulation::new(&Scenario::from_toml(&text, &[]).unwrap(), &Files::new()).unwrap().notes()
    }

    #[test]
    fn loads_add_up_across_the_core() {
        let leaf_spine = "kind = 'leaf_spine', leaves = 2, spines = 2, hosts_per_leaf = 4, \
                          fabric_link = { rate = '10Gbps', delay = '1us' }";
        assert_eq!(
            notes_of_core(leaf_spine, &["", ""]),
            ["core: 48 Gb/s to carry (workload[0], workload[1]), and links of 40 Gb/s together"]
        );
    }

    #[test]
    fn loads_add_up_in_the_middle_of_a_dumbbell_each_way() {
        let dumbbell =
            "kind = 'dumbbell', left = 4, right = 4, middle_link = { rate = '10Gbps', delay = '1us' }";
        let there = "senders = ['left'], receivers = ['right']";
        let back = "senders = ['right'], receivers = ['left']";
        let note = |way| format!("core from {way}: 12 Gb/s to carry (workload[0], workload[1]), and 10 Gb/s");
        assert_eq!(notes_of_core(dumbbell, &[there, back]), [""; 0]);
        assert_eq!(notes_of_core(dumbbell, &[there, there]), [note("left to right")]);
        assert_eq!(notes_of_core(dumbbell, &["", ""]), [note("left to right"), note("right to left")]);
    }
}
