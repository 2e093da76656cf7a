//! Checks that the scenario's switches and the engine can do what it asks for.

use crate::application::Plans;
use crate::engine;
use crate::kernel::units::{Bytes, Span, Time};
use crate::layout::{self, SwitchLayout};
use crate::packet::MOST_INGRESS_PORTS;
use crate::scenario::{Scenario, ScenarioError, Workload};
use crate::topology::{Network, NodeId};
use crate::workload::Source;

type Checked = Result<(), ScenarioError>;

const LONGEST_PERIOD: Span = Span::from_microseconds(10_000);

/// Rejects a run that is to end after a number of flows, if fewer ever finish.
pub(super) fn check_after_flows(scenario: &Scenario, sources: &[Source], plans: &Plans) -> Checked {
    let Some(enough) = scenario.stop.after_flows.filter(|_| scenario.stop.at.is_none()) else {
        return Ok(());
    };
    let Some(endless) = sources.iter().position(|source| source.without_end().next().is_some()) else {
        return Ok(());
    };
    let of_sources =
        sources.iter().cloned().flatten().filter(|flow| flow.size != Bytes::MAX || flow.end != Time::MAX);
    let from_start = of_sources.take(usize::try_from(enough).unwrap_or(usize::MAX)).count() as u64;
    let that_end = plans.all().iter().fold(from_start, |flows, plan| flows.saturating_add(plan.flows()));
    if that_end >= enough {
        return Ok(());
    }
    let problem =
        format!("is {enough}, and only {that_end} flows end beside those without end of workload[{endless}]");
    Err(ScenarioError::at("stop.after_flows", problem, format!("expected at most {that_end}, or stop.at")))
}

/// Rejects a scenario that its laid out network and switches cannot run.
pub(super) fn check(scenario: &Scenario, network: &Network, switches: &[SwitchLayout]) -> Checked {
    check_watchdog(scenario, network, switches)?;
    check_times(scenario)?;
    layout::check_adapter_marker(scenario)?;
    check_load_balancing(scenario, network, switches)
}

/// Rejects a network that is too large for what the scenario asks of it, before any route is found.
pub(super) fn check_sizes(scenario: &Scenario, network: &Network) -> Checked {
    if !scenario.has_lossless_class() {
        return Ok(());
    }
    let ports = |node: NodeId| network.ports.of(node).len();
    let mut switches = network.hosts..network.nodes.len() as NodeId;
    let Some(node) = switches.find(|&node| ports(node) > MOST_INGRESS_PORTS) else { return Ok(()) };
    let name = &network.nodes[node as usize].name;
    let problem = format!("\"{name}\" would have {} ports and lossless classes", ports(node));
    let expected =
        format!("expected at most {MOST_INGRESS_PORTS} ports, or no [[class]] with lossless = true");
    Err(ScenarioError::at("topology", problem, expected))
}

fn check_watchdog(scenario: &Scenario, network: &Network, switches: &[SwitchLayout]) -> Checked {
    if scenario.pfc.watchdog.is_some() {
        refuse_inputs(network, switches, "pfc.watchdog", "where there is a watchdog")?;
    }
    scenario.check_watchdog()
}

fn check_times(scenario: &Scenario) -> Checked {
    let Scenario { stop, measure, .. } = scenario;
    let times = [
        ("stop.at", stop.at),
        ("stop.arrivals_end", stop.arrivals_end),
        ("measure.start", Some(measure.start)),
        ("measure.end", measure.end),
    ];
    times.into_iter().try_for_each(|(key, time)| check_time(key, time.unwrap_or_default()))?;
    check_period(stop.period)?;
    scenario.workload.iter().enumerate().try_for_each(|(index, workload)| {
        let key = format!("workload[{index}]");
        check_time(format!("{key}.start"), workload.start())?;
        if let Workload::Collective(collective) = workload {
            check_time(format!("{key}.compute"), collective.compute)?;
            for (place, stragglers) in collective.stragglers.iter().enumerate() {
                let key = format!("{key}.stragglers[{place}]");
                check_time(format!("{key}.late"), stragglers.late)?;
                check_time(format!("{key}.compute"), stragglers.compute)?;
            }
        }
        Ok(())
    })
}

/// Rejects a long period, since between checks no progress is reported and Ctrl-C waits.
fn check_period(period: Span) -> Checked {
    if period <= LONGEST_PERIOD {
        return Ok(());
    }
    Err(ScenarioError::at("stop.period", "is long to wait for Ctrl-C", "expected at most 10ms"))
}

/// Rejects a time later than any run can last.
pub(super) fn check_time(key: impl Into<String>, time: Span) -> Checked {
    if time <= engine::LONGEST_RUN {
        return Ok(());
    }
    Err(ScenarioError::at(key, "is too late", "expected at most 1125s, the longest that a run can be"))
}

fn check_load_balancing(scenario: &Scenario, network: &Network, switches: &[SwitchLayout]) -> Checked {
    if !scenario.balances_load() {
        return Ok(());
    }
    refuse_inputs(network, switches, "topology.routing", "where it is not \"ecmp\"")
}

/// Rejects a key that only shared-memory switches support, if the network has other switches.
pub(super) fn refuse_inputs(network: &Network, switches: &[SwitchLayout], key: &str, place: &str) -> Checked {
    let with_inputs = switches.iter().position(SwitchLayout::has_inputs);
    let Some(switch) = with_inputs else { return Ok(()) };
    let name = &network.nodes[network.hosts as usize + switch].name;
    let problem = format!("\"{name}\" has queues at its inputs");
    Err(ScenarioError::at(key, problem, format!("expected switches of kind \"shared_memory\" {place}")))
}

#[cfg(test)]
mod tests {
    use crate::scenario::Scenario;
    use crate::simulation::Simulation;
    use crate::workload::Files;

    /// Returns the problem of a flow without end beside another workload, among four hosts.
    fn problem(workload: &str, stop: &str) -> String {
        let text = format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
             transport.reno = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }} }}\n\
             transport.lasting = {{ kind = 'roce', connections = 'persistent' }}\n\
             workload = [{{ kind = 'long_lived', transport = 'reno', pairs = [['host0', 'host1']] }}, {{ {workload} }}]\n\
             stop = {{ {stop} }}"
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap();
        Simulation::new(&scenario, &Files::new())
            .map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
    }

    #[test]
    fn times_that_no_run_reaches_are_refused_where_they_stand() {
        let collective = "kind = 'collective', transport = 'reno', operation = 'all_reduce', size = '1MB'";
        for (key, rest) in [
            ("start", "start = '1126s'"),
            ("compute", "iterations = 2, compute = '1126s'"),
            (
                "stragglers[1].late",
                "stragglers = [{ drawn = 1, late = '1s' }, { drawn = 1, late = '1126s' }]",
            ),
            ("stragglers[0].compute", "iterations = 2, stragglers = [{ drawn = 1, compute = '1126s' }]"),
        ] {
            let told = format!(
                "workload[1].{key}: is too late; expected at most 1125s, the longest that a run can be"
            );
            assert_eq!(problem(&format!("{collective}, {rest}"), "at = '1ms'"), told);
        }
        assert_eq!(problem(&format!("{collective}, start = '1125s'"), "at = '1ms'"), "accepted");
    }

    /// Lays out a star of so many hosts, whose only class is lossless if `is_lossless`.
    fn star(hosts: u32, is_lossless: bool) -> Result<Simulation, String> {
        let (class, pfc) = if is_lossless {
            ("class = [{ priority = 0, lossless = true }]", ", pfc = {}")
        } else {
            ("", "")
        };
        let text = format!(
            "topology = {{ kind = 'star', hosts = {hosts}, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n\
             {class}\nswitch = [{{ total = '4GB'{pfc} }}]\n\
             transport.reno = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }} }}\n\
             workload = [{{ kind = 'incast', transport = 'reno', fan_in = 2, size = '1kB', groups = 1 }}]"
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap();
        Simulation::new(&scenario, &Files::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_star_may_have_more_ports_than_16_bits_count() {
        assert!(star(70_000, false).is_ok());
    }

    #[test]
    fn a_switch_with_lossless_classes_has_a_bound_and_says_so() {
        assert_eq!(
            star(8193, true).unwrap_err(),
            "topology: \"switch0\" would have 8193 ports and lossless classes; expected at most 8192 ports, or no [[class]] \
             with lossless = true"
        );
        assert!(star(8192, true).is_ok() && star(8193, false).is_ok());
    }

    #[test]
    fn enough_flows_must_end_where_others_never_do() {
        let workloads = [
            ("kind = 'permutation', transport = 'reno', size = '60kB'", 4),
            ("kind = 'incast', transport = 'reno', fan_in = 3, size = '1kB', every = '1us', groups = 5", 15),
            (
                "kind = 'query', transport = 'reno', response = '1kB', aggregators = ['host0'], queries = 2",
                12,
            ),
            (
                "kind = 'collective', transport = 'lasting', operation = 'all_gather', algorithm = 'ring', size = '1MB', \
                 iterations = 2",
                24,
            ),
        ];
        for (workload, flows) in workloads {
            assert_eq!(problem(workload, &format!("after_flows = {flows}")), "accepted");
            let one_more = flows + 1;
            assert_eq!(
                problem(workload, &format!("after_flows = {one_more}")),
                format!(
                    "stop.after_flows: is {one_more}, and only {flows} flows end beside those without end of workload[0]; \
                     expected at most {flows}, or stop.at"
                )
            );
            assert_eq!(problem(workload, &format!("after_flows = {one_more}, at = '1ms'")), "accepted");
        }
        let poisson = "kind = 'poisson', transport = 'reno', sizes = 'web_search', load = 0.1, of = 'host'";
        assert_eq!(problem(poisson, "after_flows = 1000"), "accepted");
    }
}
