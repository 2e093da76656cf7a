//! Link events of a run, from `[[link_event]]`: failures, repairs, changes of rate and the routes that follow.

use std::sync::Arc;

use super::checks::{check_time, refuse_inputs};
use super::reaction_time;
use crate::engine::{LinkEvent, LinkEvents};
use crate::kernel::units::{Rate, Span, Time};
use crate::layout::{self, SwitchLayout};
use crate::plan::headroom::QUANTUM;
use crate::routing::Routes;
use crate::scenario::{self, LinkState, Route, Scenario, ScenarioError};
use crate::topology::{Link, Network, NodeId, links_between};

/// Events of a run, and the forwarding tables that it comes to have after the first.
#[derive(Debug, Default)]
pub(super) struct Course {
    pub(super) events: LinkEvents,
    pub(super) later_routes: Vec<Arc<Routes>>,
}

/// Entry of `[[link_event]]`, with the links that it is about.
struct Happening<'a> {
    key: String,
    said: &'a scenario::LinkEvent,
    at: Time,
    links: Vec<u32>,
}

impl Course {
    /// Lays out the events of a scenario.
    pub(super) fn new(
        scenario: &Scenario,
        network: &Network,
        switches: &[SwitchLayout],
    ) -> Result<Self, ScenarioError> {
        if scenario.link_event.is_empty() {
            return Ok(Self::default());
        }
        refuse_inputs(network, switches, "link_event", "where links change in the course of a run")?;
        let names = network.names();
        let mut happenings = Vec::new();
        for (index, said) in scenario.link_event.iter().enumerate() {
            let key = format!("link_event[{index}]");
            check_time(format!("{key}.at"), said.at)?;
            let links = links_between(network, &names, &format!("{key}.between"), &said.between)?;
            happenings.push(Happening { key, said, at: Time::ZERO + said.at, links });
        }
        happenings.sort_by_key(|happening| happening.at);
        let mut links = network.links.clone();
        // Those that have failed before the run are known to be down, too.
        let before = (0..).zip(&links).filter(|(_, link)| link.failed);
        let mut events: Vec<(Time, LinkEvent)> =
            before.map(|(link, _)| (Time::ZERO, LinkEvent::Down(link))).collect();
        for (index, happening) in happenings.iter().enumerate() {
            check_once(&happenings[..index], happening)?;
            happening.append(scenario, network, &mut links, &mut events)?;
        }
        let failed: Vec<bool> = links.iter().map(|link| link.failed).collect();
        check_end(scenario, network, &failed, &happenings)?;
        let later_routes = append_routes(scenario, network, &happenings, &mut events)?;
        events.sort_by_key(|(at, _)| *at);
        Ok(Self { events: LinkEvents::new(events), later_routes })
    }
}

impl Happening<'_> {
    /// Adds the events of this entry, and changes the links as it says.
    fn append(
        &self,
        scenario: &Scenario,
        network: &Network,
        changed: &mut [Link],
        events: &mut Vec<(Time, LinkEvent)>,
    ) -> Result<(), ScenarioError> {
        let Self { key, said, at, links } = self;
        if said.state.is_none() && said.rates() == [None; 2] {
            return Err(ScenarioError::at(key, "changes nothing", "expected a state or a rate"));
        }
        // First, so that a link which comes back has its rate already.
        self.check_rates(network)?;
        if said.rates() != [None; 2] {
            for &link in links {
                let rates = &mut changed[link as usize].rates;
                *rates = self.new_rates(network, link, *rates);
                layout::check_repeated_pauses(scenario, key, *rates)?;
                let events_of_ports = network.ends_of(link).into_iter().zip([*rates, [rates[1], rates[0]]]);
                events.extend(events_of_ports.map(|(port, [rate, other])| {
                    (*at, LinkEvent::Rate { port, rate, pace: pace(scenario, rate, other) })
                }));
            }
        }
        if let Some(state) = said.state {
            let fails = state == LinkState::Down;
            if links.iter().any(|&link| changed[link as usize].failed == fails) {
                let problem =
                    format!("the link is {} already at {}", if fails { "down" } else { "up" }, said.at);
                let expected = "expected a link that changes; events count by their times";
                return Err(ScenarioError::at(format!("{key}.state"), problem, expected));
            }
            for &link in links {
                changed[link as usize].failed = fails;
                events.push((*at, if fails { LinkEvent::Down(link) } else { LinkEvent::Up(link) }));
            }
        }
        Ok(())
    }

    /// Returns the rates of a link after this entry, from its first end and back. Before, they are `rates`.
    fn new_rates(&self, network: &Network, link: u32, rates: [Rate; 2]) -> [Rate; 2] {
        let [there, back] = self.said.rates();
        let first = network.links[link as usize].ends[0] as usize;
        let is_first = network.nodes[first].name == self.said.between[0];
        let [of_first, of_other] = if is_first { [there, back] } else { [back, there] };
        [of_first.unwrap_or(rates[0]), of_other.unwrap_or(rates[1])]
    }

    fn check_rates(&self, network: &Network) -> Result<(), ScenarioError> {
        let named = [("rate", self.said.rate), ("rate_back", self.said.rate_back)];
        let mut said = named.into_iter().filter_map(|(name, rate)| Some((name, rate?)));
        said.try_for_each(|(name, rate)| self.check_rate(network, name, rate))
    }

    fn check_rate(&self, network: &Network, name: &str, rate: Rate) -> Result<(), ScenarioError> {
        let key = format!("{}.{name}", self.key);
        if rate == Rate::ZERO {
            let expected = "expected a rate above zero, or `state = \"down\"`";
            return Err(ScenarioError::at(key, "is zero", expected));
        }
        let of_host =
            |link: &u32| network.links[*link as usize].ends.into_iter().find(|&end| network.is_host(end));
        if let Some(host) = self.links.iter().find_map(of_host) {
            let name = &network.nodes[host as usize].name;
            let problem =
                format!("\"{name}\" is at one end, whose transports know the rate of their adapter");
            return Err(ScenarioError::at(key, problem, "expected a link between two switches"));
        }
        if self.said.convergence > Span::ZERO && self.said.state.is_none() {
            let key = format!("{}.convergence", self.key);
            let problem = "no route goes by rates";
            return Err(ScenarioError::at(key, problem, "expected it where a link fails or comes back"));
        }
        Ok(())
    }

    /// Whether the entry changes the links between switches, so that routes change.
    fn moves_routes(&self, network: &Network) -> bool {
        let is_of_host =
            |link: &u32| network.links[*link as usize].ends.iter().any(|&end| network.is_host(end));
        self.said.state.is_some() && !self.links.iter().any(is_of_host)
    }
}

/// Returns the reaction time of a port that sends at `rate` and receives at `other`, its pause quantum, and that of the
/// other end.
fn pace(scenario: &Scenario, rate: Rate, other: Rate) -> [Span; 3] {
    [reaction_time(scenario, rate), rate.transmission_time(QUANTUM), other.transmission_time(QUANTUM)]
}

/// Rejects two entries for one link at one time, whose order nobody could tell.
fn check_once(before: &[Happening<'_>], happening: &Happening<'_>) -> Result<(), ScenarioError> {
    let at_once = before.iter().rev().take_while(|other| other.at == happening.at);
    let same = at_once.into_iter().find(|other| other.links == happening.links);
    let Some(other) = same else { return Ok(()) };
    let [one, end] = &happening.said.between;
    let problem = format!("says what happens to \"{one}\"-\"{end}\" when {} does", other.key);
    Err(ScenarioError::at(&happening.key, problem, "expected another time, or one event that says both"))
}

/// Rejects events that cut off a host for good, if nothing else ends the run.
fn check_end(
    scenario: &Scenario,
    network: &Network,
    failed: &[bool],
    happenings: &[Happening<'_>],
) -> Result<(), ScenarioError> {
    if scenario.stop.at.is_some() {
        return Ok(());
    }
    let mut reached = vec![false; network.nodes.len()];
    let mut next: Vec<NodeId> = (0..network.hosts).map(|host| network.first_joined_to(host)).collect();
    while let Some(node) = next.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            let ports = network.ports.of(node).iter().filter(|port| !failed[port.link as usize]);
            next.extend(ports.map(|port| port.peer));
        }
    }
    let Some(host) = (0..network.hosts).find(|&host| !reached[host as usize]) else { return Ok(()) };
    let [one, other] = [network.first_joined_to(host), host].map(|host| &network.nodes[host as usize].name);
    let last = happenings.iter().rev().find(|happening| happening.said.state == Some(LinkState::Down));
    let key = last.map_or("link_event", |happening| &happening.key);
    let problem =
        format!("leaves no way between \"{one}\" and \"{other}\" for good, and nothing ends the run");
    Err(ScenarioError::at(key, problem, "expected stop.at, or a later event by which a link comes up"))
}

/// Adds the changes of routes. Some time after links have changed, all switches route by the links that work by then.
///
/// Returns each new forwarding table once.
fn append_routes(
    scenario: &Scenario,
    network: &Network,
    happenings: &[Happening<'_>],
    events: &mut Vec<(Time, LinkEvent)>,
) -> Result<Vec<Arc<Routes>>, ScenarioError> {
    let moving = happenings.iter().filter(|happening| happening.moves_routes(network));
    let mut learnt: Vec<(Time, &str)> =
        moving.map(|happening| (happening.at + happening.said.convergence, &happening.key[..])).collect();
    learnt.sort_by_key(|(at, _)| *at);
    learnt.dedup_by_key(|(at, _)| *at);
    let mut then = network.clone();
    then.links.iter_mut().for_each(|link| link.failed = false);
    let intact = Routes::new(&then);
    let failed_of =
        |network: &Network| -> Vec<bool> { network.links.iter().map(|link| link.failed).collect() };
    let (mut before, mut known) = (failed_of(network), Vec::<(Vec<bool>, Arc<Routes>)>::new());
    let (happened, mut done) = (events.len(), 0);
    for (at, key) in learnt {
        for (_, event) in events[done..happened].iter().take_while(|(when, _)| *when <= at) {
            done += 1;
            match *event {
                LinkEvent::Down(link) => then.links[link as usize].failed = true,
                LinkEvent::Up(link) => then.links[link as usize].failed = false,
                LinkEvent::Rate { .. } | LinkEvent::Routes(_) => {}
            }
        }
        let failed = failed_of(&then);
        if failed == before {
            continue;
        }
        let routes = if let Some((_, routes)) = known.iter().find(|(of, _)| *of == failed) {
            Arc::clone(routes)
        } else {
            let routes = Arc::new(routes_then(scenario, &intact, &then, key)?);
            known.push((failed.clone(), Arc::clone(&routes)));
            routes
        };
        before = failed;
        events.push((at, LinkEvent::Routes(routes)));
    }
    Ok(known.into_iter().map(|(_, routes)| routes).collect())
}

/// Finds the routes of a network at some time. Routes by hand hold as long as a link on which they go works.
fn routes_then(
    scenario: &Scenario,
    intact: &Routes,
    then: &Network,
    key: &str,
) -> Result<Routes, ScenarioError> {
    let names = then.names();
    let holds = |route: &&Route| {
        let between = [route.switch.clone(), route.via.clone()];
        let links = links_between(then, &names, "route", &between).unwrap_or_default();
        links.iter().any(|&link| !then.links[link as usize].failed)
    };
    let by_hand: Vec<Route> = scenario.route.iter().filter(holds).cloned().collect();
    intact.after(then).with(then, &by_hand).map_err(|error| {
        let problem = format!("with the routes by hand that still hold, {}", error.problem);
        ScenarioError::at(key, problem, "expected a [[route]] that fits those that others then take")
    })
}
