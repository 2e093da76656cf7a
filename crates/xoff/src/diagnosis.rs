//! Diagnosis of a run: deadlocks and storms that pauses have caused.
//! It reads the queues as they are at the end, so that it costs the run nothing.

use std::collections::BTreeMap;

use crate::classes::PRIORITIES;
use crate::engine::Outcome;
use crate::host::Host;
use crate::kernel::units::{Bytes, Span, Time};
use crate::packet::Packet;
use crate::port::Port;
use crate::switch::Switch;
use crate::topology::{Network, PortId};

/// Egress queue: its port and its class.
pub type Queue = (PortId, usize);

/// Queue of a deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// Queue that waits for the next queue of the cycle.
    pub queue: Queue,
    /// Time since which the class has been paused.
    pub since: Time,
    /// Bytes in the queue.
    pub bytes: Bytes,
}

/// Port that was paused for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storm {
    /// Port that was paused.
    pub port: PortId,
    /// Longest time that the port was paused without a break.
    pub paused: Span,
}

/// Deadlocks and storms of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// Queues of one cycle, each of which waits for the next and the last for the first (cyclic buffer dependency).
    /// None of them will ever send. Of several cycles, this is the one with the lowest port. Empty without a deadlock.
    pub deadlock: Vec<Stuck>,
    /// Number of queues that will never send, those outside the cycle included.
    pub stuck: usize,
    /// For each paused queue of a switch or a host that waits for stuck queues alone: the stuck queue that holds most
    /// of its bytes.
    pub stuck_behind: BTreeMap<Queue, Queue>,
    /// Ports that were paused without a break for at least the detection time, the longest pause first.
    pub storms: Vec<Storm>,
    /// Longest time that any class of any port was paused without a break.
    pub longest_pause: Span,
}

impl Diagnosis {
    /// Diagnoses a run that ended at `end`. Pauses of `detection_time` or longer are storms.
    pub fn new(network: &Network, outcome: &Outcome, end: Time, detection_time: Span) -> Self {
        let waits = stuck(network, &outcome.switches);
        let ports = || outcome.hosts.iter().map(Host::port).chain(ports(&outcome.switches));
        let longest: Vec<Storm> =
            ports().map(|port| Storm { port: port.id(), paused: port.longest_pause_by(end) }).collect();
        let mut storms: Vec<Storm> =
            longest.iter().filter(|storm| storm.paused >= detection_time).copied().collect();
        storms.sort_by_key(|storm| (std::cmp::Reverse(storm.paused), storm.port));
        let cycle = cycle(&waits);
        Self {
            deadlock: cycle.iter().map(|queue| waits[queue].stuck).collect(),
            stuck: waits.len(),
            stuck_behind: ports().flat_map(|port| behind(network, &outcome.switches, port, &waits)).collect(),
            storms,
            longest_pause: longest.iter().map(|storm| storm.paused).max().unwrap_or_default(),
        }
    }
}

fn ports(switches: &[Switch]) -> impl Iterator<Item = &Port> {
    switches.iter().flat_map(|switch| switch.ports().iter())
}

/// Paused queue, and the queues at the next switch that hold its bytes.
#[derive(Debug)]
struct Waiting {
    stuck: Stuck,
    /// Queues at the next switch that hold packets of the paused queue, the fullest first.
    ahead: Vec<Queue>,
}

/// Finds the queues that will never send: the switch that pauses such a queue holds all bytes from it in stuck
/// queues. Where nothing has moved for long, all that can drain has drained. Earlier, some stuck queues may not be
/// found yet.
fn stuck(network: &Network, switches: &[Switch]) -> BTreeMap<Queue, Waiting> {
    let paused = ports(switches).flat_map(|port| {
        (0..PRIORITIES).filter_map(move |priority| {
            let since = port.paused_since(priority)?;
            let bytes: Bytes = port.queued_of(priority).map(Packet::frame).sum();
            (bytes > Bytes::ZERO).then_some(Stuck { queue: (port.id(), priority), since, bytes })
        })
    });
    let mut waiting: BTreeMap<Queue, Waiting> = paused
        .map(|stuck| (stuck.queue, Waiting { stuck, ahead: ahead(network, switches, stuck.queue) }))
        .collect();
    loop {
        let moves = |waits: &Waiting| {
            waits.ahead.is_empty() || waits.ahead.iter().any(|queue| !waiting.contains_key(queue))
        };
        let moving: Vec<Queue> =
            waiting.iter().filter(|(_, waits)| moves(waits)).map(|(&queue, _)| queue).collect();
        if moving.is_empty() {
            return waiting;
        }
        for queue in moving {
            waiting.remove(&queue);
        }
    }
}

/// Returns the paused queues of a port that stuck queues alone hold up, each with the stuck queue that holds most of
/// its bytes.
fn behind(
    network: &Network,
    switches: &[Switch],
    port: &Port,
    stuck: &BTreeMap<Queue, Waiting>,
) -> Vec<(Queue, Queue)> {
    if stuck.is_empty() {
        return Vec::new();
    }
    let paused = (0..PRIORITIES).filter(|&priority| port.paused_since(priority).is_some());
    let queues = paused.map(|priority| (port.id(), priority));
    queues
        .filter_map(|queue| {
            let ahead = ahead(network, switches, queue);
            let first = *ahead.first()?;
            ahead.iter().all(|queue| stuck.contains_key(queue)).then_some((queue, first))
        })
        .collect()
}

/// Returns the queues that a paused queue waits for; none where the pause is about to end.
/// The queue that holds most of its bytes comes first.
fn ahead(network: &Network, switches: &[Switch], (port, priority): Queue) -> Vec<Queue> {
    let (node, ingress) = network.ports.place(network.ports.other_end(port));
    if network.is_host(node) {
        return Vec::new();
    }
    let switch = &switches[(node - network.hosts) as usize];
    let held = switch.held_back(ingress, priority);
    let mut held: Vec<((u32, usize), Bytes)> = held.into_iter().collect();
    held.sort_by_key(|&(queue, bytes)| (std::cmp::Reverse(bytes), queue));
    held.into_iter().map(|((egress, class), _)| (switch.ports()[egress as usize].id(), class)).collect()
}

/// Finds one cycle of stuck queues, from its lowest port on.
/// Starts at the first stuck queue and follows the queue that holds most until one comes again.
fn cycle(waiting: &BTreeMap<Queue, Waiting>) -> Vec<Queue> {
    let Some(&first) = waiting.keys().next() else { return Vec::new() };
    let mut path = vec![first];
    loop {
        let next = waiting[&path[path.len() - 1]].ahead[0];
        if let Some(start) = path.iter().position(|&queue| queue == next) {
            let mut cycle = path.split_off(start);
            let lowest = (0..cycle.len()).min_by_key(|&index| cycle[index]).unwrap_or_default();
            cycle.rotate_left(lowest);
            return cycle;
        }
        path.push(next);
    }
}
