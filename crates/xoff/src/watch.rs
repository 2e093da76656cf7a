//! Watch: `[observe]` of a scenario, resolved to ports, pools and flows of the network.

use crate::classes::Classes;
use crate::engine::{LOSSLESS_POOL, Quantity, Recorder, Sample, Sampler, Series, WatchedFlows};
use crate::kernel::units::{Bytes, Span};
use crate::scenario::pattern::matches;
use crate::scenario::{Every, Observe, ObserveOf, ScenarioError};
use crate::topology::{Network, NodeId, PortId};

/// Sampler and recorder of a run, as `[observe]` asks for them.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Quantities sampled at intervals.
    pub sampler: Sampler,
    /// Quantities recorded on change.
    pub recorder: Recorder,
}

impl Watch {
    /// Resolves the names in `observe`; a name that matches nothing is an error.
    /// `pools` are the numbers of each switch's pools, `has_inputs` whether it has input buffers. Samples until `end`,
    /// where that is known, must fit into memory.
    pub fn new(
        observe: &Observe,
        network: &Network,
        pools: &[Vec<u32>],
        has_inputs: &[bool],
        classes: Classes,
        end: Option<Span>,
    ) -> Result<Self, ScenarioError> {
        let mut watch =
            Self { sampler: Sampler { series: Vec::new(), classes }, recorder: Recorder::default() };
        let of_ports = [
            ("queues", Quantity::Queue, &observe.queues),
            ("throughput", Quantity::Throughput, &observe.throughput),
            ("class_throughput", Quantity::ClassThroughput, &observe.class_throughput),
            ("marks", Quantity::Marks, &observe.marks),
            ("drops", Quantity::Drops, &observe.drops),
        ];
        for (key, quantity, asked) in of_ports {
            if let Some(asked) = asked {
                watch.watch_ports(key, quantity, asked, network)?;
            }
        }
        if let Some(asked) = &observe.pools {
            watch.watch_pools(asked, network, pools)?;
        }
        if let Some(asked) = &observe.inputs {
            watch.watch_inputs(asked, network, has_inputs)?;
        }
        let of_flows = [
            ("windows", Quantity::Window, &observe.windows),
            ("rates", Quantity::Rate, &observe.rates),
            ("flow_throughput", Quantity::FlowThroughput, &observe.flow_throughput),
            ("cnms", Quantity::Cnms, &observe.cnms),
            ("alphas", Quantity::Alpha, &observe.alphas),
            ("thresholds", Quantity::Threshold, &observe.thresholds),
            ("rtts", Quantity::Rtt, &observe.rtts),
            ("recovery_states", Quantity::RecoveryState, &observe.recovery_states),
        ];
        for (key, quantity, asked) in of_flows {
            if let Some(asked) = asked {
                watch.watch_flows(key, quantity, asked, network)?;
            }
        }
        check_memory(&watch.sampler, observe.memory, end)?;
        if !observe.packets.is_empty() {
            watch.recorder.packets.flows =
                watched_flows(&observe.packets, network, |index| format!("packets[{index}]"))?;
        }
        watch.recorder.pauses = observe.pauses;
        watch.recorder.headroom = observe.headroom;
        Ok(watch)
    }

    /// Whether anything is sampled, recorded on change, or logged.
    pub fn is_watching(&self) -> bool {
        !self.sampler.series.is_empty() || self.recorder.is_watching()
    }

    fn watch_ports(
        &mut self,
        key: &str,
        quantity: Quantity,
        asked: &ObserveOf,
        network: &Network,
    ) -> Result<(), ScenarioError> {
        let names: Vec<String> = port_names(network).collect();
        for (index, pattern) in asked.of.iter().enumerate() {
            if !names.iter().any(|name| matches(pattern, name)) {
                return Err(unmatched(&of(key, index), pattern, &likely_port(network, pattern)));
            }
        }
        let ports = names.iter().map(|name| asked.of.iter().any(|pattern| matches(pattern, name))).collect();
        match asked.every {
            Every::Span(every) => {
                if quantity.is_counted_by_class(self.sampler.classes) {
                    self.recorder.counts.ports.count(quantity, names.len());
                }
                self.sampler.series.push(Series { ports, ..Series::new(quantity, every) });
            }
            Every::Change if matches!(quantity, Quantity::Throughput | Quantity::ClassThroughput) => {
                return Err(unrecorded(key));
            }
            Every::Change => self.recorder.ports[quantity as usize] = ports,
        }
        Ok(())
    }

    fn watch_pools(
        &mut self,
        asked: &ObserveOf,
        network: &Network,
        pools: &[Vec<u32>],
    ) -> Result<(), ScenarioError> {
        let Every::Span(every) = asked.every else { return Err(unrecorded("pools")) };
        let names: Vec<(String, (PortId, u32))> = (network.hosts..)
            .zip(pools)
            .flat_map(|(node, numbers)| {
                numbers.iter().map(move |&number| {
                    (pool_name(network, node, number), (network.ports.first(node), number))
                })
            })
            .collect();
        for (index, pattern) in asked.of.iter().enumerate() {
            if !names.iter().any(|(name, _)| matches(pattern, name)) {
                let expected = "a pool such as \"leaf0.pool1\" or \"leaf0.*\"";
                return Err(unmatched(&of("pools", index), pattern, expected));
            }
        }
        let is_asked = |name: &str| asked.of.iter().any(|pattern| matches(pattern, name));
        let pools = names.iter().filter(|(name, _)| is_asked(name)).map(|(_, pool)| *pool).collect();
        self.sampler.series.push(Series { pools, ..Series::new(Quantity::Pool, every) });
        Ok(())
    }

    fn watch_inputs(
        &mut self,
        asked: &ObserveOf,
        network: &Network,
        has_inputs: &[bool],
    ) -> Result<(), ScenarioError> {
        let Every::Span(every) = asked.every else { return Err(unrecorded("inputs")) };
        let names: Vec<String> = port_names(network).collect();
        let switches = (network.hosts..).zip(has_inputs).filter(|(_, has_inputs)| **has_inputs);
        let inputs: Vec<usize> = switches
            .flat_map(|(node, _)| {
                let first = network.ports.first(node) as usize;
                first..first + network.ports.of(node).len()
            })
            .collect();
        for (index, pattern) in asked.of.iter().enumerate() {
            if !inputs.iter().any(|&port| matches(pattern, &names[port])) {
                let expected = "a port of a cioq switch, such as \"switch0.port1\" or \"switch0.*\"";
                return Err(unmatched(&of("inputs", index), pattern, expected));
            }
        }
        let mut ports = vec![false; names.len()];
        for port in inputs {
            ports[port] = asked.of.iter().any(|pattern| matches(pattern, &names[port]));
        }
        self.sampler.series.push(Series { ports, ..Series::new(Quantity::Input, every) });
        Ok(())
    }

    fn watch_flows(
        &mut self,
        key: &str,
        quantity: Quantity,
        asked: &ObserveOf,
        network: &Network,
    ) -> Result<(), ScenarioError> {
        let flows = watched_flows(&asked.of, network, |index| format!("{key}.of[{index}]"))?;
        match asked.every {
            Every::Span(every) => {
                match quantity {
                    Quantity::FlowThroughput => self.recorder.counts.flows.count_sent(network.hosts),
                    Quantity::Cnms => self.recorder.counts.flows.count_cnms(network.hosts),
                    _ => {}
                }
                self.sampler.series.push(Series { flows, ..Series::new(quantity, every) });
            }
            Every::Change if quantity == Quantity::FlowThroughput || quantity.is_of_tcp() => {
                return Err(unrecorded(key));
            }
            Every::Change => self.recorder.flows[quantity as usize] = flows,
        }
        Ok(())
    }
}

/// Returns the flows that the patterns match, by host. `key` gives the key of a pattern by its index, for errors.
fn watched_flows(
    patterns: &[String],
    network: &Network,
    key: impl Fn(usize) -> String,
) -> Result<Vec<WatchedFlows>, ScenarioError> {
    let mut flows = vec![WatchedFlows::default(); network.hosts as usize];
    for (index, pattern) in patterns.iter().enumerate() {
        let mut matched = false;
        if let Some((host_pattern, number)) = split_flow(pattern) {
            let hosts = (0..network.hosts).filter(|&host| matches(host_pattern, name(network, host)));
            for host in hosts {
                matched = true;
                match number {
                    Some(number) => flows[host as usize].numbers.push(number),
                    None => flows[host as usize].all = true,
                }
            }
        }
        if !matched {
            return Err(unmatched(&key(index), pattern, "a host, or a flow such as \"host0.flow3\""));
        }
    }
    Ok(flows)
}

/// Rejects samples that would take more than `memory` by `end`.
fn check_memory(sampler: &Sampler, memory: Bytes, end: Option<Span>) -> Result<(), ScenarioError> {
    let Some(end) = end else { return Ok(()) };
    let values = |series: &Series| {
        (end.get() / series.every.get()).saturating_mul(least_values(series, sampler.classes))
    };
    let Some(largest) = sampler.series.iter().max_by_key(|series| values(series)) else { return Ok(()) };
    let all = sampler.series.iter().map(values).fold(0, u64::saturating_add);
    let takes = all.saturating_mul(size_of::<Sample>() as u64);
    if takes <= memory.get() {
        return Ok(());
    }
    let quantity = largest.quantity;
    let plural = matches!(
        quantity,
        Quantity::Queue | Quantity::Pool | Quantity::Window | Quantity::Rate | Quantity::Input
    ) || quantity.is_of_tcp();
    let key = format!("observe.{}{}.every", quantity.name(), if plural { "s" } else { "" });
    let takes = Bytes::new(takes.div_ceil(MEGABYTE) * MEGABYTE);
    let problem = format!(
        "{} makes {} values or more, and all samples together take {takes}",
        largest.every,
        values(largest)
    );
    let expected =
        format!("expected a longer time, fewer names, or {takes} of observe.memory and not {memory}");
    Err(ScenarioError::at(key, problem, expected))
}

const MEGABYTE: u64 = 1_000_000;

/// Returns the number of values of one sample, at the least.
fn least_values(series: &Series, classes: Classes) -> u64 {
    let Series { quantity, ports, flows, pools, .. } = series;
    let of_ports = ports.iter().filter(|asked| **asked).count() as u64;
    let of_classes = *quantity == Quantity::Queue || quantity.is_counted_by_class(classes);
    let of_each = if of_classes { u64::from(classes.count()) } else { 1 };
    let of_flows = flows.iter().filter(|watched| **watched != WatchedFlows::default()).count() as u64;
    of_ports * of_each + of_flows + pools.len() as u64
}

/// Splits `host0.flow3` into host and number; `host0` and `host0.*` mean all flows.
fn split_flow(pattern: &str) -> Option<(&str, Option<u32>)> {
    match pattern.split_once('.') {
        None => Some((pattern, None)),
        Some((host, "*" | "flow*")) => Some((host, None)),
        Some((host, flow)) => Some((host, Some(flow.strip_prefix("flow")?.parse().ok()?))),
    }
}

fn unrecorded(key: &str) -> ScenarioError {
    ScenarioError::at(
        format!("observe.{key}.every"),
        format!("changes of {key} are not recorded"),
        "expected a time between samples, such as \"10us\"",
    )
}

/// Returns the key of one name in the list of a quantity.
fn of(key: &str, index: usize) -> String {
    format!("{key}.of[{index}]")
}

fn unmatched(key: &str, pattern: &str, expected: &str) -> ScenarioError {
    ScenarioError::at(
        format!("observe.{key}"),
        format!("nothing matches \"{pattern}\""),
        format!("expected {expected}"),
    )
}

/// Suggests a port for a pattern that matches none: of the pattern's first node, towards another node in the pattern.
fn likely_port(network: &Network, pattern: &str) -> String {
    let switches_first = (network.hosts..network.nodes.len() as NodeId).chain(0..network.hosts);
    let likely = switches_first
        .flat_map(|node| (0..).zip(network.ports.of(node)).map(move |(port, to)| (node, port, to.peer)))
        .map(|(node, port, peer)| {
            let (node, peer) = (name(network, node), name(network, peer));
            let length_if = |is_named: bool, name: &str| if is_named { name.len() } else { 0 };
            let likeness =
                [length_if(pattern.starts_with(node), node), length_if(pattern.contains(peer), peer)];
            (likeness, node, port, peer)
        })
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    likely.map_or_else(String::new, |(_, node, port, peer): (_, _, u32, _)| {
        format!("a port such as \"{node}.port{port}\", which leads to {peer}, or all of a node: \"{node}.*\"")
    })
}

fn name(network: &Network, node: NodeId) -> &str {
    &network.nodes[node as usize].name
}

/// Returns the names of all ports, in the order of their numbers.
pub fn port_names(network: &Network) -> impl Iterator<Item = String> {
    (0..network.nodes.len() as NodeId).flat_map(move |node| {
        (0..network.ports.of(node).len()).map(move |port| format!("{}.port{port}", name(network, node)))
    })
}

/// Returns the name of a switch's pool.
pub fn pool_name(network: &Network, switch: NodeId, number: u32) -> String {
    let switch = name(network, switch);
    if number == LOSSLESS_POOL { format!("{switch}.lossless_pool") } else { format!("{switch}.pool{number}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::from_text;
    use crate::topology::testing::network;

    fn star() -> Network {
        let link = "host_link = { rate = '1Gbps', delay = '1us' }";
        network(&format!("kind = 'star'\nhosts = 3\n{link}")).unwrap()
    }

    fn watch(text: &str) -> Result<Watch, ScenarioError> {
        watch_star(text, false)
    }

    fn watch_star(text: &str, has_inputs: bool) -> Result<Watch, ScenarioError> {
        let end = Some(Span::from_microseconds(1_000_000));
        Watch::new(
            &from_text(text),
            &star(),
            &[vec![0, 1, LOSSLESS_POOL]],
            &[has_inputs],
            Classes::only(0),
            end,
        )
    }

    #[test]
    fn patterns_choose_ports() {
        let watch = watch("queues = { every = '1us', of = ['switch0.port1', 'host2.*'] }").unwrap();
        assert_eq!(watch.sampler.series[0].ports, [false, false, true, false, true, false]);
        assert!(!watch.recorder.is_watching());
    }

    #[test]
    fn patterns_choose_pools() {
        let chosen = |of: &str| {
            let asked = format!("pools = {{ every = '1us', of = ['{of}'] }}");
            watch(&asked)
                .map(|watch| watch.sampler.series[0].pools.clone())
                .map_err(|error| error.to_string())
        };
        assert_eq!(chosen("switch0.pool1"), Ok(vec![(3, 1)]));
        assert_eq!(chosen("switch0.lossless_pool"), Ok(vec![(3, LOSSLESS_POOL)]));
        assert_eq!(chosen("switch*"), Ok(vec![(3, 0), (3, 1), (3, LOSSLESS_POOL)]));
        assert!(chosen("switch0.pool2").unwrap_err().contains("observe.pools.of[0]: nothing matches"));
        let problem = watch("pools = { every = 'change' }").unwrap_err().to_string();
        assert!(problem.contains("observe.pools.every: changes of pools are not recorded"), "{problem}");
    }

    #[test]
    fn patterns_choose_input_buffers_of_switches_that_have_them() {
        let asked = |of: &str| format!("inputs = {{ every = '1us', of = ['{of}'] }}");
        let watch = watch_star(&asked("*.port1"), true).unwrap();
        assert_eq!(watch.sampler.series[0].ports, [false, false, false, false, true, false]);
        for (of, has_inputs) in [("*.port1", false), ("host0.port0", true)] {
            let problem = watch_star(&asked(of), has_inputs).unwrap_err().to_string();
            assert!(problem.contains("expected a port of a cioq switch"), "{problem}");
        }
    }

    #[test]
    fn quantities_of_tcp_are_sampled_and_not_recorded_on_change() {
        let keys = ["alphas", "thresholds", "rtts", "recovery_states"];
        for (key, quantity) in keys.into_iter().zip(&Quantity::ALL[12..]) {
            let sampled = watch(&format!("{key} = {{ every = '2us', of = ['host1.flow7'] }}")).unwrap();
            let series = &sampled.sampler.series[0];
            assert_eq!((series.quantity, &series.flows[1].numbers[..]), (*quantity, &[7][..]));
            assert!(!sampled.recorder.is_watching());
            let error = watch(&format!("{key} = {{ every = 'change' }}")).unwrap_err().to_string();
            let expected = "expected a time between samples, such as \"10us\"";
            assert_eq!(error, format!("observe.{key}.every: changes of {key} are not recorded; {expected}"));
        }
    }

    #[test]
    fn patterns_choose_flows() {
        let watch = watch("windows = { every = 'change', of = ['host0.flow3', 'host1'] }").unwrap();
        assert!(watch.recorder.is_watching());
        let windows = &watch.recorder.flows[Quantity::Window as usize];
        assert_eq!(windows[0], WatchedFlows { all: false, numbers: vec![3] });
        assert!(windows[1].all);
        assert!(!windows[2].contains(0));
    }

    #[test]
    fn what_left_an_adapter_is_known_of_a_time_only() {
        let problem = watch("flow_throughput = { every = 'change' }").unwrap_err().to_string();
        assert!(
            problem.contains("observe.flow_throughput.every: changes of flow_throughput are not recorded")
        );
        assert!(watch("flow_throughput = { every = '1us', of = ['host0'] }").unwrap().recorder.is_watching());
    }

    /// Six ports sampled for a second make 200 million values each 30 ns. A value takes 32 B.
    #[test]
    fn more_samples_than_memory_holds_are_refused() {
        assert!(watch("memory = '6.4GB'\nqueues = { every = '30ns' }").is_ok());
        let problem = |text: &str| watch(text).unwrap_err().to_string();
        assert_eq!(
            problem("memory = '6.4GB'\nqueues = { every = '29ns' }"),
            "observe.queues.every: 29ns makes 206896548 values or more, and all samples together take 6621MB; expected a \
             longer time, fewer names, or 6621MB of observe.memory and not 6400MB"
        );
        let two = "queues = { every = '200ns' }\nthroughput = { every = '600ns', of = ['host*'] }";
        assert!(
            problem(two).contains("observe.queues.every: 200ns makes"),
            "1.12 GB, and the default is 1 GB"
        );
    }

    #[test]
    fn a_pattern_that_matches_nothing_is_refused() {
        let error = watch("queues = { every = '1us', of = ['leaf*'] }").unwrap_err().to_string();
        let expected = "expected a port such as \"switch0.port0\", which leads to host0, or all of a node: \"switch0.*\"";
        assert_eq!(error, format!("observe.queues.of[0]: nothing matches \"leaf*\"; {expected}"));
        let error = watch("queues = { every = '1us', of = ['switch0->host2'] }").unwrap_err().to_string();
        assert!(error.contains("such as \"switch0.port2\", which leads to host2"), "{error}");
        let error = watch("windows = { every = '1us', of = ['host9.flow1'] }").unwrap_err().to_string();
        assert!(error.contains("observe.windows.of[0]"), "{error}");
        for pattern in ["host1.port0", "host0.flow", "host0.flow1x"] {
            let error = watch(&format!("rates = {{ every = 'change', of = ['{pattern}'] }}"))
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(&format!("nothing matches \"{pattern}\"; expected a host, or a flow")),
                "{error}"
            );
        }
    }
}
