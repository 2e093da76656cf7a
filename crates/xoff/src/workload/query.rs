//! Plans of queries, by which aggregators and workers act. Flows begin when others are done, so none is drawn here.

use super::FlowSpec;
use super::ends::Hosts;
use super::load::Volume;
use super::setup::Setup;
use crate::application::Plans;
use crate::application::query::{Pace, Plan};
use crate::kernel::units::{Bytes, Span, Time};
use crate::scenario::{self, ScenarioError};

/// Plan of a workload's queries; no flow is known beforehand.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) plan: Plan,
    /// Bits per second that responses bring to each aggregator's link. None where queries wait for one another, or end.
    pub(super) on_wire: Option<f64>,
}

impl Query {
    pub(super) fn new(settings: &scenario::Query, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let plan = plan(settings, setup)?;
        let transport = setup.transport(&settings.transport)?;
        let responses = Volume::of(plan.response, transport.packet_sizes().payload).times(plan.fan_in.into());
        let interval = plan.pace.interval().filter(|_| settings.queries.is_none());
        let on_wire = interval.map(|interval| responses.on_wire(interval.as_seconds(), transport));
        Ok(Self { plan, on_wire })
    }
}

impl Iterator for Query {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        None
    }
}

fn plan(settings: &scenario::Query, setup: &Setup<'_>) -> Result<Plan, ScenarioError> {
    let scenario::Query { aggregators, workers, jitter, start, .. } = settings;
    setup.two_hosts()?;
    let transport = setup.template(&settings.transport)?.transport;
    let aggregators = Hosts::named("aggregators", aggregators.as_ref(), setup)?;
    let workers = Hosts::named("workers", workers.as_ref(), setup)?;
    let fan_in = fan_in(settings, &aggregators, &workers, setup)?;
    setup.size_of("request", settings.request)?;
    setup.at_least_one("queries", settings.queries.unwrap_or(1))?;
    let plan = Plan {
        workload: setup.index,
        aggregators: aggregators.iter().collect(),
        workers: workers.iter().collect(),
        fan_in,
        request: settings.request,
        response: response(settings, fan_in, setup)?,
        jitter: *jitter,
        deadline: settings.deadline,
        pace: pace(settings, setup)?,
        most: settings.queries.unwrap_or(u64::MAX),
        start: Time::ZERO + *start,
        end: setup.scenario.stop.arrivals_end.map_or(Time::MAX, |end| Time::ZERO + end),
        priorities: settings.priority.all().to_vec(),
        transport,
    };
    check_deadline(&plan, &aggregators, setup)?;
    Ok(plan)
}

/// Rejects queries in which an aggregator has more requests for a worker than can be told apart.
pub(super) fn check_turns(plans: &Plans) -> Result<(), ScenarioError> {
    let most = plans.most_turns();
    let queries = (0..plans.all().len()).filter_map(|plan| plans.query(plan));
    for plan in queries.filter(|plan| plan.most != u64::MAX) {
        if plan.most > most {
            let key = format!("workload[{}].queries", plan.workload);
            let expected = format!("expected at most {most} between so many hosts");
            return Err(ScenarioError::at(key, format!("is {}", plan.most), expected));
        }
    }
    Ok(())
}

fn fan_in(
    settings: &scenario::Query,
    aggregators: &Hosts,
    workers: &Hosts,
    setup: &Setup<'_>,
) -> Result<u32, ScenarioError> {
    let name = |host: u32| &setup.network.nodes[host as usize].name;
    let others = aggregators.iter().map(|host| (workers.len_without(host), host));
    let (fewest, host) = others.min().unwrap_or_default();
    if fewest == 0 {
        let problem = format!("there are none for \"{}\"", name(host));
        return Err(setup.error("workers", problem, "expected some other host, too"));
    }
    let fan_in = settings.fan_in.unwrap_or(fewest);
    setup.at_least_one("fan_in", fan_in.into())?;
    if fan_in > fewest {
        let expected = format!("expected at most {fewest}, the workers for \"{}\"", name(host));
        return Err(setup.error("fan_in", format!("is {fan_in}"), &expected));
    }
    Ok(fan_in)
}

fn response(settings: &scenario::Query, fan_in: u32, setup: &Setup<'_>) -> Result<Bytes, ScenarioError> {
    match (settings.response, settings.response_total) {
        (Some(response), None) => setup.size_of("response", response),
        (None, Some(total)) => {
            setup.size_of("response_total", total)?;
            Ok(Bytes::new(total.get().div_ceil(fan_in.into())))
        }
        (Some(_), Some(_)) => {
            Err(setup.error("response_total", "is there beside response", "expected one of them"))
        }
        (None, None) => {
            let expected = "expected the bytes of each response, or response_total for all of a query";
            Err(setup.error("response", "is missing", expected))
        }
    }
}

fn pace(settings: &scenario::Query, setup: &Setup<'_>) -> Result<Pace, ScenarioError> {
    let above_zero = |key: &str, span: Span| {
        let problem = if span > Span::ZERO { return Ok(span) } else { "is zero" };
        Err(setup.error(key, problem, "expected a time between queries, or neither key for a closed loop"))
    };
    match (settings.every, settings.mean_interval) {
        (None, None) => Ok(Pace::Closed),
        (Some(every), None) => above_zero("every", every).map(Pace::Every),
        (None, Some(mean)) => above_zero("mean_interval", mean).map(Pace::Poisson),
        (Some(_), Some(_)) => {
            Err(setup.error("mean_interval", "is there beside every", "expected one of them"))
        }
    }
}

/// Rejects a deadline that is over before the responses' bytes can have crossed the aggregator's link.
fn check_deadline(plan: &Plan, aggregators: &Hosts, setup: &Setup<'_>) -> Result<(), ScenarioError> {
    let Some(deadline) = plan.deadline else { return Ok(()) };
    let responses = plan.response * u64::from(plan.fan_in);
    // Responses may come by either link of an aggregator that has two.
    let adapters = |host| [Some(host), setup.network.servers.map(|servers| servers.beside(host))];
    let of_links = aggregators.iter().flat_map(adapters).flatten();
    let of_links = of_links.map(|adapter| setup.network.rate_to_host(adapter));
    let fastest = of_links.max().map_or(Span::ZERO, |rate| rate.transmission_time(responses));
    if deadline > fastest {
        return Ok(());
    }
    let problem = format!("is {deadline}, when the responses of no query can be there");
    let expected = format!("expected more than {fastest}, which {responses} take on an aggregator's link");
    Err(setup.error("deadline", problem, &expected))
}

#[cfg(test)]
mod tests {
    use super::super::plans;
    use super::super::testing::{refusal, source, star};
    use super::*;

    fn plan_of(keys: &str) -> Plan {
        let sources = [source(&star(5), &format!("kind = 'query'\n{keys}"))];
        plans(&sources).unwrap().query(0).unwrap().clone()
    }

    #[test]
    fn all_others_share_the_total() {
        let plan = plan_of("aggregators = ['host0']\nresponse_total = '1MB'\nqueries = 9");
        assert_eq!((plan.aggregators.len(), plan.workers.len(), plan.fan_in), (1, 5, 4));
        assert_eq!((plan.response, plan.request), (Bytes::new(250_000), Bytes::new(1_600)));
        assert_eq!((plan.pace, plan.most), (Pace::Closed, 9));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |keys: &str| refusal(&star(5), &format!("kind = 'query'\nqueries = 1\n{keys}"));
        for (keys, problem) in [
            ("", "response: is missing"),
            ("response = '2kB'\nresponse_total = '1MB'", "response_total: is there beside response"),
            ("response = '0B'", "response: is zero"),
            ("response = '2kB'\nrequest = '0B'", "request: is zero"),
            ("response = '2kB'\nfan_in = 5", "fan_in: is 5; expected at most 4, the workers for \"host0\""),
            ("response = '2kB'\nfan_in = 0", "fan_in: is 0"),
            (
                "response = '2kB'\naggregators = ['host1']\nworkers = ['host1']",
                "workers: there are none for \"host1\"",
            ),
            ("response = '2kB'\nworkers = ['host9']", "workers[0]: no node matches \"host9\""),
            ("response = '2kB'\nevery = '0us'", "every: is zero"),
            ("response = '2kB'\nevery = '1us'\nmean_interval = '1us'", "mean_interval: is there beside"),
            ("response = '2kB'\ndeadline = '0us'", "deadline: is 0s, when the responses of no query"),
            ("response = '1MB'\ndeadline = '10us'", "deadline: is 10us, when the responses of no query"),
        ] {
            let error = refused(keys);
            assert!(error.contains(&format!("workload[0].{problem}")), "{error}");
        }
        let scale_up = "[scale_up]\nhosts_per_server = 5\nlink = { rate = '1Tbps', delay = '1us' }";
        let of_server =
            format!("kind = 'query'\nqueries = 1\nresponse = '1MB'\ndeadline = '100us'\n{scale_up}");
        let plans = plans(&[source(&star(5), &of_server)]).unwrap();
        assert!(plans.query(0).is_some(), "4 MB take 32 us inside a server");
        let many = refusal(&star(5), "kind = 'query'\nresponse = '2kB'\nqueries = 0");
        assert!(many.contains("workload[0].queries: is 0"), "{many}");
    }
}
