//! What happens to links at global instants: no window straddles one, so every thread sees it at the same time.

use std::sync::Arc;

use crate::kernel::units::{Rate, Span, Time};
use crate::routing::Routes;

/// One of them.
#[derive(Clone, Debug)]
pub enum LinkEvent {
    /// This link fails.
    Down(u32),
    /// This link works again.
    Up(u32),
    /// This link has another rate.
    Rate {
        /// Which.
        link: u32,
        /// Bits per second in each direction.
        rate: Rate,
        /// Between the arrival of a pause frame and its effect, and one unit of pause time.
        pace: (Span, Span),
    },
    /// Switches send packets by these tables.
    Routes(Arc<Routes>),
}

/// All of a run, in order of time.
#[derive(Clone, Debug, Default)]
pub struct LinkEvents {
    all: Arc<[(Time, LinkEvent)]>,
    taken: usize,
}

impl LinkEvents {
    /// These, which come in order of time.
    pub fn new(all: Vec<(Time, LinkEvent)>) -> Self {
        debug_assert!(all.is_sorted_by_key(|(at, _)| *at), "in order of time");
        Self { all: all.into(), taken: 0 }
    }

    /// Whether there are none at all.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Links that come to have another rate, and which.
    pub fn rates(&self) -> impl Iterator<Item = (u32, Rate)> {
        self.all.iter().filter_map(|(_, event)| match *event {
            LinkEvent::Rate { link, rate, .. } => Some((link, rate)),
            _ => None,
        })
    }

    /// Bits that a link could carry by `end` in each direction, where something happens to it; it begins with `rate`.
    pub fn bits_by(&self, link: u32, rate: Rate, end: Time) -> Option<f64> {
        let (mut bits, mut since, mut rate, mut is_up, mut changes) = (0.0, Time::ZERO, rate, true, false);
        for (at, event) in self.all.iter().take_while(|(at, _)| *at <= end) {
            let (is_up_then, rate_then) = match *event {
                LinkEvent::Down(of) if of == link => (false, rate),
                LinkEvent::Up(of) if of == link => (true, rate),
                LinkEvent::Rate { link: of, rate: other, .. } if of == link => (is_up, other),
                _ => continue,
            };
            bits += if is_up { rate.as_f64() * at.since(since).as_seconds() } else { 0.0 };
            (since, rate, is_up, changes) = (*at, rate_then, is_up_then, true);
        }
        bits += if is_up { rate.as_f64() * end.since(since).as_seconds() } else { 0.0 };
        changes.then_some(bits)
    }

    /// When the next of those is that have not been taken; `Time::MAX` for never.
    pub fn next(&self) -> Time {
        self.all.get(self.taken).map_or(Time::MAX, |(at, _)| *at)
    }

    /// Takes those of `now`.
    pub fn take(&mut self, now: Time) -> Vec<LinkEvent> {
        let due = self.all[self.taken..].iter().take_while(|(at, _)| *at == now);
        let due: Vec<LinkEvent> = due.map(|(_, event)| event.clone()).collect();
        self.taken += due.len();
        due
    }
}
