//! Everything that a host does later by itself: packets cross its delay either way, flows start, timers expire.

use std::collections::VecDeque;

use super::{FlowStart, TimerKey};
use crate::kernel::ring::Ring;
use crate::kernel::timers::{Timer, Timers};
use crate::kernel::units::{Span, Time};
use crate::packet::{Flight, Packet};

/// A thing that is due. Of several at one instant, the kind that is first here comes first.
pub(super) enum Due {
    /// A packet has crossed the host's delay and reaches the transport.
    Inbound(Packet),
    /// A packet has crossed the host's delay and reaches the adapter.
    Outbound(Packet),
    /// A flow starts.
    Start(FlowStart),
    /// A timer may expire.
    Timer(Time, TimerKey),
}

/// All that is pending. The engine asks after every event when the first of it is due. That time is kept in the last
/// field, which the host places beside what its every event touches, and every change keeps it true.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Pending {
    /// Packets on their way to the transport.
    inbound: Ring<Flight>,
    /// Packets on their way from the transport.
    outbound: Ring<Flight>,
    starts: VecDeque<FlowStart>,
    timers: Timers<TimerKey>,
    due: Time,
}

impl Default for Pending {
    fn default() -> Self {
        Self {
            inbound: Ring::new(),
            outbound: Ring::new(),
            starts: VecDeque::new(),
            timers: Timers::default(),
            due: Time::MAX,
        }
    }
}

impl Pending {
    /// Time at which the first is due; `Time::MAX` for never.
    #[inline]
    pub(super) fn due(&self) -> Time {
        debug_assert_eq!(self.due, self.first(), "what changes the first knows");
        self.due
    }

    fn first(&self) -> Time {
        let head = |ring: &Ring<Flight>| ring.front().map_or(Time::MAX, |flight| flight.arrives);
        let start = self.starts.front().map_or(Time::MAX, |start| start.flow.start);
        head(&self.inbound).min(head(&self.outbound)).min(start).min(self.timers.next())
    }

    /// Takes the packet, flow start or timer that is due now.
    pub(super) fn take(&mut self, now: Time) -> Option<Due> {
        let is_due = |ring: &Ring<Flight>| ring.front().is_some_and(|flight| flight.arrives == now);
        let due = if is_due(&self.inbound) {
            Some(Due::Inbound(self.inbound.take_front().packet))
        } else if is_due(&self.outbound) {
            Some(Due::Outbound(self.outbound.take_front().packet))
        } else if self.starts.front().is_some_and(|start| start.flow.start == now) {
            self.starts.pop_front().map(Due::Start)
        } else {
            self.timers.pop().map(|(time, key)| Due::Timer(time, key))
        };
        self.due = self.first();
        due
    }

    /// Has a packet reach the transport later.
    pub(super) fn bring_in(&mut self, flight: Flight) {
        self.inbound.push_back(flight);
        self.due = self.due.min(flight.arrives);
    }

    /// Has a packet reach the adapter later.
    pub(super) fn send_out(&mut self, flight: Flight) {
        self.outbound.push_back(flight);
        self.due = self.due.min(flight.arrives);
    }

    /// Packets that are crossing the host's delay.
    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.outbound.iter().chain(self.inbound.iter()).map(|flight| &flight.packet)
    }

    /// Has a flow start later, no sooner than the flows announced before.
    pub(super) fn announce(&mut self, start: FlowStart) {
        debug_assert!(self.starts.back().is_none_or(|last| last.flow.start <= start.flow.start));
        self.starts.push_back(start);
        self.due = self.due.min(start.flow.start);
    }

    /// Has a flow start later, after all announced before that start no later than it.
    pub(super) fn announce_among(&mut self, start: FlowStart) {
        let place = self.starts.partition_point(|other| other.flow.start <= start.flow.start);
        self.starts.insert(place, start);
        self.due = self.due.min(start.flow.start);
    }

    /// See [`Timers::arm`].
    #[inline]
    pub(super) fn arm(&mut self, timer: &mut Timer, key: TimerKey, deadline: Time) {
        self.timers.arm(timer, key, deadline);
        // If this was no news, an earlier event is outstanding.
        self.due = self.due.min(deadline);
    }

    /// See [`Timers::once`].
    pub(super) fn once(&mut self, key: TimerKey, time: Time) {
        self.timers.once(key, time);
        self.due = self.due.min(time);
    }

    /// Time of the first flow start or timer that does not depend on packets; `Time::MAX` for none.
    pub(super) fn next_planned(&self) -> Time {
        let start = self.starts.front().map_or(Time::MAX, |start| start.flow.start);
        start.min(self.timers.next_of(TimerKey::is_planned))
    }

    /// Brings everything forward by `span` that does not depend on packets.
    pub(super) fn skip(&mut self, span: Span) {
        for FlowStart { flow, end } in &mut self.starts {
            flow.start = flow.start.earlier(span);
            *end = end.earlier(span);
        }
        self.timers.bring_forward(span, TimerKey::is_planned);
        self.due = self.first();
    }

    /// See [`Timers::expires`].
    pub(super) fn expires(&mut self, timer: &mut Timer, key: TimerKey, time: Time) -> bool {
        let expires = self.timers.expires(timer, key, time);
        self.due = self.due.min(self.timers.next());
        expires
    }
}
