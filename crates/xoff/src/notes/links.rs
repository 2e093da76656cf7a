//! Notes on links that are to carry more than they can.

use super::{Simulation, about, by_note, in_gigabits};
use crate::workload::overload::{self, Links, Overload};

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let (mut by_host, mut together) = (Vec::new(), Vec::new());
    for Overload { links, capacity, offered, workloads } in
        overload::of(simulation.scenario(), simulation.network(), simulation.sources())
    {
        let (way, hosts) = match &links {
            Links::From(hosts) => ("send", &hosts[..]),
            Links::To(hosts) => ("receive", &hosts[..]),
            Links::Core | Links::CoreWay { .. } => ("carry", &[][..]),
        };
        let workloads: Vec<String> = workloads.iter().map(|index| format!("workload[{index}]")).collect();
        let workloads = workloads.join(", ");
        let [offered, capacity] = [offered, capacity].map(in_gigabits);
        let names: Vec<String> = hosts.iter().map(|&host| simulation.name(host)).collect();
        match names.as_slice() {
            [] => together.push(match links {
                Links::CoreWay { back } => format!(
                    "core from {}: {offered} to {way} ({workloads}), and {capacity}",
                    if back { "right to left" } else { "left to right" }
                ),
                _ => format!("core: {offered} to {way} ({workloads}), and links of {capacity} together"),
            }),
            [name] => by_host
                .push((format!("{offered} to {way} ({workloads}), and a link of {capacity}"), name.clone())),
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

#[cfg(test)]
mod tests {
    use super::super::testing::{long_lived, notes, notes_of};

    /// Messages of 64 B have 84 B of headers and gaps each. Their load counts the headers and gaps of packets of 1024
    /// B.
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
        let inside = "scale_up = { hosts_per_server = 2, link = { rate = '20Gbps', delay = '1us' } }";
        assert_eq!(
            notes(&format!("{twice}, {twice}"), inside),
            [""; 0],
            "20 Gb/s join the two inside their server"
        );
        let of_fives = long_lived(two, "transport = 'five'");
        let five = "transport.five = { kind = 'constant_rate', rate = '5Gbps' }";
        assert_eq!(notes(&of_fives, five), [""; 0]);
    }

    /// Full packets have 1460 B of payload, 1518 B as frames and 1538 B on the wire.
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
                "host0 and 3 more: 40.528 Gb/s to send together (workload[0], workload[1]), and links of 40 Gb/s",
                "host0 and 3 more: 40.528 Gb/s to receive together (workload[0], workload[1]), and links of 40 Gb/s"
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

    /// Four hosts have 31 Gb/s together at a load of 0.4, with a payload of 1460 B and 1538 B on the wire. Each sends
    /// and receives a quarter.
    #[test]
    fn a_host_with_a_slow_link_gets_as_much_as_others() {
        let of = |load: f64| {
            notes_of(&format!(
                "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '1us' }}, \
                 links = [{{ between = ['host2', 'switch0'], rate = '1Gbps' }}] }}\n\
                 transport.reno = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }} }}\n\
                 workload = [{{ kind = 'poisson', transport = 'reno', sizes = 'web_search', load = {load}, of = 'host', \
                 load_counts = 'wire' }}]\nstop.at = '1ms'"
            ))
        };
        let told = |way| format!("host2: 3.1 Gb/s to {way} (workload[0]), and a link of 1 Gb/s");
        assert_eq!(of(0.4), [told("receive"), told("send")]);
        assert_eq!(of(0.1), [""; 0]);
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
        assert!(after("1ms").iter().all(|note| note.starts_with("workload[1]: all its flows, ")));
        let incast = |rest: &str| {
            format!(
                "{{ kind = 'incast', transport = 'reno', fan_in = 2, size = '30kB', load = 0.6, of = 'receivers', {rest} }}"
            )
        };
        let two = |rest: &str| notes(&format!("{}, {}", incast(rest), incast(rest)), "");
        assert_eq!(two("groups = 1"), [""; 0]);
        assert!(!two("").is_empty());
    }

    /// Returns the notes of workloads at a load of 0.6 on a core of 10 or 40 Gb/s.
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
        notes_of(&text)
    }

    #[test]
    fn loads_add_up_across_the_core() {
        let leaf_spine = "kind = 'leaf_spine', leaves = 2, spines = 2, hosts_per_leaf = 4, \
                          fabric_link = { rate = '10Gbps', delay = '1us' }";
        assert_eq!(
            notes_of_core(leaf_spine, &["", ""]),
            ["core: 48.001 Gb/s to carry (workload[0], workload[1]), and links of 40 Gb/s together"]
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
        // Loads of the slower way are a fifth of what they would be on the faster.
        let slow_back = dumbbell.replace("rate = '10Gbps'", "rate = '10Gbps', rate_back = '2Gbps'");
        let note = "core from right to left: 2.4 Gb/s to carry (workload[0], workload[1]), and 2 Gb/s";
        assert_eq!(notes_of_core(&slow_back, &["", ""]), [note]);
        assert_eq!(notes_of_core(&slow_back, &[back, back]), [note]);
    }
}
