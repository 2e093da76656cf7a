//! The part of one host in a driven run: messages that a program sends from it, and all that the program hears of.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::Host;
use crate::host::TimerKey;
use crate::host::flow::{Flow, FlowStart};
use crate::host::letters::Letter;
use crate::kernel::units::Time;
use crate::topology::NodeId;

/// Event at a host of which the program that drives the run may want to hear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Happened {
    /// A flow to this host is whole.
    Received(Reception),
    /// A flow from this host is acknowledged, or has left where nothing is.
    Sent(Reception),
    /// The time has come for which the program asked by this number.
    Due(u64),
}

/// Flow as its receiver knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reception {
    /// Adapter that receives the flow.
    pub destination: NodeId,
    /// Number of the flow there.
    pub number: u32,
}

/// Wishes of a program at one host, and events of which it has not yet heard.
#[derive(Debug, Default)]
pub(in crate::host) struct Driven {
    /// Flows to begin now, in the order in which the program sent them, with the adapter that begins each.
    begins: VecDeque<(NodeId, FlowStart)>,
    /// Times of which the program wants to hear, each with its number.
    due: BinaryHeap<Reverse<(Time, u64)>>,
    happened: Vec<Happened>,
}

impl Driven {
    /// Notes that a flow to the host is whole.
    pub(super) fn on_whole(&mut self, reception: Reception) {
        self.happened.push(Happened::Received(reception));
    }

    /// Notes that a flow from the host is done.
    pub(super) fn on_sent(&mut self, flow: &Flow) {
        let Flow { destination, reception: number, .. } = *flow;
        self.happened.push(Happened::Sent(Reception { destination, number }));
    }
}

impl Host {
    /// Lets a program drive the host.
    #[must_use]
    pub fn driven(mut self) -> Self {
        self.applications.driven = Some(Box::default());
        self
    }

    fn driver(&mut self) -> &mut Driven {
        self.applications.driven.as_deref_mut().expect("a program drives every host of the run")
    }

    /// Begins a flow now at one of the host's adapters, as an event of its own.
    pub fn begin(&mut self, adapter: NodeId, start: FlowStart) {
        self.driver().begins.push_back((adapter, start));
        self.pending.once(TimerKey::Begin, start.flow.start);
    }

    /// Lets the program hear that `time` has come, by a number that is higher than all before.
    pub fn wake(&mut self, time: Time, number: u64) {
        self.driver().due.push(Reverse((time, number)));
        self.pending.once(TimerKey::Wake, time);
    }

    /// Takes the flow that begins now. If the adapter inside the server is to begin it, that adapter reads of it in a
    /// letter.
    #[cold]
    pub(in crate::host) fn take_begin(&mut self) -> Option<FlowStart> {
        let (adapter, start) = self.driver().begins.pop_front()?;
        if adapter == self.id {
            return Some(start);
        }
        self.applications.letters.push(Letter::Begin(start));
        None
    }

    /// Notes that the earliest time has come for which the program asked.
    #[cold]
    pub(in crate::host) fn on_wake(&mut self) {
        let driver = self.driver();
        if let Some(Reverse((_, number))) = driver.due.pop() {
            driver.happened.push(Happened::Due(number));
        }
    }

    /// Whether the program has something to hear of.
    pub fn has_news(&self) -> bool {
        self.applications.driven.as_ref().is_some_and(|driven| !driven.happened.is_empty())
    }

    /// Passes all that the program has not heard of to `hear`, in order.
    pub fn tell(&mut self, hear: impl FnMut(Happened)) {
        self.driver().happened.drain(..).for_each(hear);
    }
}
