//! Link events: links fail, recover or change their rate at global instants, which every thread sees at the same time.

use std::sync::Arc;

use crate::kernel::units::{Rate, Span, Time};
use crate::routing::Routes;
use crate::topology::PortId;

/// Event of a link, or the new routes after it.
#[derive(Clone, Debug)]
pub enum LinkEvent {
    /// Failure of the link with this number.
    Down(u32),
    /// Recovery of the link with this number.
    Up(u32),
    /// New rate of one direction of a link. Both directions have an event if either changes.
    Rate {
        /// Port that sends in this direction.
        port: PortId,
        /// New rate.
        rate: Rate,
        /// Time from the arrival of a pause frame to its effect, and the lengths of one pause quantum: of this port,
        /// and of the port at the other end, which this one pauses.
        pace: [Span; 3],
    },
    /// Tables by which switches forward packets from now on.
    Routes(Arc<Routes>),
}

/// Events of a run, in order of time.
#[derive(Clone, Debug, Default)]
pub struct LinkEvents {
    all: Arc<[(Time, LinkEvent)]>,
    taken: usize,
}

impl LinkEvents {
    /// Returns events, which must be in order of time.
    pub fn new(all: Vec<(Time, LinkEvent)>) -> Self {
        debug_assert!(all.is_sorted_by_key(|(at, _)| *at), "in order of time");
        Self { all: all.into(), taken: 0 }
    }

    /// Whether the run has no link events.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the ports that change their rate, each with the new rate.
    pub fn rates(&self) -> impl Iterator<Item = (PortId, Rate)> {
        self.all.iter().filter_map(|(_, event)| match *event {
            LinkEvent::Rate { port, rate, .. } => Some((port, rate)),
            _ => None,
        })
    }

    /// Returns the picobits that the rates of a port's link allow by `end`. `rate` is the rate at the start.
    pub fn picobits_by(&self, port: PortId, link: u32, rate: Rate, end: Time) -> u128 {
        let (mut picobits, mut since, mut rate, mut is_up) = (0, Time::ZERO, rate, true);
        for (at, event) in self.all.iter().take_while(|(at, _)| *at <= end) {
            let (is_up_then, rate_then) = match *event {
                LinkEvent::Down(of) if of == link => (false, rate),
                LinkEvent::Up(of) if of == link => (true, rate),
                LinkEvent::Rate { port: of, rate: other, .. } if of == port => (is_up, other),
                _ => continue,
            };
            picobits += if is_up { rate.picobits_in(at.since(since)) } else { 0 };
            (since, rate, is_up) = (*at, rate_then, is_up_then);
        }
        picobits + if is_up { rate.picobits_in(end.since(since)) } else { 0 }
    }

    /// Returns the time of the next event that has not been taken; `Time::MAX` without one.
    pub fn next(&self) -> Time {
        self.all.get(self.taken).map_or(Time::MAX, |(at, _)| *at)
    }

    /// Takes the events of `now`.
    pub fn take(&mut self, now: Time) -> Vec<LinkEvent> {
        let due = self.all[self.taken..].iter().take_while(|(at, _)| *at == now);
        let due: Vec<LinkEvent> = due.map(|(_, event)| event.clone()).collect();
        self.taken += due.len();
        due
    }
}
