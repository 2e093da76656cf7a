//! Slow receivers, from `[[slow_receiver]]`: the times in which each host's adapter takes in less than its link brings.

use std::collections::BTreeMap;

use super::checks::check_time;
use crate::host::SlowTime;
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::layout;
use crate::scenario::{Scenario, ScenarioError, SlowReceiver};
use crate::topology::{Link, Network, NodeId};

/// Slow times of each host that has any, in order.
pub(super) type SlowTimes = BTreeMap<NodeId, Vec<SlowTime>>;

/// Lays out the slow times of a scenario's hosts.
pub(super) fn lay_out(scenario: &Scenario, network: &Network) -> Result<SlowTimes, ScenarioError> {
    let mut of_hosts = BTreeMap::<NodeId, Vec<(SlowTime, usize)>>::new();
    for (index, said) in scenario.slow_receiver.iter().enumerate() {
        let slow = slow_time(scenario, index, said)?;
        for (place, pattern) in said.hosts.iter().enumerate() {
            for host in network.hosts_matching(&key(index, &format!("hosts[{place}]")), pattern)? {
                check_rate(network, host, index, said.rate)?;
                let slow =
                    SlowTime { most: slow.xoff + headroom(scenario, &network.host_link(host), host), ..slow };
                let times = of_hosts.entry(host).or_default();
                let name = &network.nodes[host as usize].name;
                if let Some((_, other)) = times.iter().find(|(other, _)| !has_same_room(other, &slow)) {
                    let problem =
                        format!("\"{name}\" has another, or another XON, by slow_receiver[{other}]");
                    let expected = "expected the same buffer and xon_offset whenever a host is slow";
                    return Err(ScenarioError::at(key(index, "buffer"), problem, expected));
                }
                let is_at_once =
                    |(other, _): &&(SlowTime, usize)| other.start < slow.end && slow.start < other.end;
                match times.iter().find(is_at_once) {
                    // By another pattern of the same table.
                    Some((_, other)) if *other == index => {}
                    Some((_, other)) => {
                        let problem =
                            format!("\"{name}\" is slow by slow_receiver[{other}] at the same time");
                        let expected = "expected times that do not overlap";
                        return Err(ScenarioError::at(key(index, "start"), problem, expected));
                    }
                    None => times.push((slow, index)),
                }
            }
        }
    }
    let in_order = |mut times: Vec<(SlowTime, usize)>| {
        times.sort_by_key(|(slow, _)| slow.start);
        times.into_iter().map(|(slow, _)| slow).collect()
    };
    Ok(of_hosts.into_iter().map(|(host, times)| (host, in_order(times))).collect())
}

/// Whether two slow times have the same buffer and XON. Otherwise bytes that wait from one might not fit the next.
fn has_same_room(one: &SlowTime, other: &SlowTime) -> bool {
    (one.xoff, one.xon) == (other.xoff, other.xon)
}

/// Returns the longest pause that a slow host may cause; none where no host is slow.
pub(super) fn longest_pause(slow_times: &SlowTimes) -> Option<Span> {
    let longest = |slow: &SlowTime| match slow.rate {
        Some(rate) => rate.transmission_time(slow.most),
        // What nobody will ever take in is not waited for.
        None if slow.end == Time::MAX => Span::ZERO,
        // There may have been other such times right before.
        None => slow.end.since(Time::ZERO),
    };
    slow_times.values().flatten().map(longest).max()
}

fn key(index: usize, name: &str) -> String {
    format!("slow_receiver[{index}].{name}")
}

fn slow_time(scenario: &Scenario, index: usize, said: &SlowReceiver) -> Result<SlowTime, ScenarioError> {
    let &SlowReceiver { rate, start, end, buffer, xon_offset, .. } = said;
    let refuse = |name: &str, problem: String, expected: &str| {
        Err(ScenarioError::at(key(index, name), problem, expected))
    };
    check_time(key(index, "start"), start)?;
    check_time(key(index, "end"), end.unwrap_or_default())?;
    if end.is_some_and(|end| end <= start) {
        return refuse("end", "is not after start".to_owned(), "expected a later time");
    }
    let nothing_ends = scenario.stop.at.is_none() && scenario.stop.after_flows.is_none();
    if rate.is_none() && end.is_none() && nothing_ends {
        let problem = "nothing is taken in for good, and nothing ends the run".to_owned();
        return refuse("end", problem, "expected a time, a `rate`, or stop.at");
    }
    let largest = scenario.largest_frame();
    if buffer < largest {
        return refuse(
            "buffer",
            format!("holds less than a packet of {largest}"),
            "expected room for the largest packet",
        );
    }
    let xon_offset = xon_offset.unwrap_or(largest * 2);
    if said.xon_offset.is_some() && xon_offset > buffer {
        return refuse(
            "xon_offset",
            format!("has XON {xon_offset} below an XOFF of {buffer}"),
            "expected at most that",
        );
    }
    Ok(SlowTime {
        start: Time::ZERO + start,
        end: end.map_or(Time::MAX, |end| Time::ZERO + end),
        rate,
        xoff: buffer,
        most: buffer,
        xon: buffer.saturating_sub(xon_offset),
    })
}

/// Bytes that may come over a link after its host has decided to pause. The packet that reaches XOFF may exceed it.
fn headroom(scenario: &Scenario, link: &Link, host: NodeId) -> Bytes {
    layout::headroom_of(link, host, &scenario.pfc, scenario.largest_packet_on_wire(), true)
}

/// Rejects a rate that is not below that of the host's link.
fn check_rate(
    network: &Network,
    host: NodeId,
    index: usize,
    rate: Option<Rate>,
) -> Result<(), ScenarioError> {
    let link = network.rate_to_host(host);
    if rate.is_none_or(|rate| rate < link) {
        return Ok(());
    }
    let name = &network.nodes[host as usize].name;
    let problem = format!("the link of \"{name}\" brings no more than {link}");
    Err(ScenarioError::at(key(index, "rate"), problem, "expected less"))
}
