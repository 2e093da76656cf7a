//! Messages under way: a handle for each, which is used again once both of its ends are done.

use std::collections::HashMap;

use slab::Slab;

use super::Event;
use crate::host::{Happened, Reception};
use crate::kernel::units::Time;
use crate::scenario::ScenarioError;

/// Handle of a message. It is spent when both ends of the message are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message(pub u64);

impl Message {
    fn new(place: u32, generation: u32) -> Self {
        Self(u64::from(generation) << u32::BITS | u64::from(place))
    }

    /// Place of the message among those under way.
    pub(super) fn place(self) -> u32 {
        self.0 as u32
    }

    fn generation(self) -> u32 {
        (self.0 >> u32::BITS) as u32
    }
}

/// End of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Receiver, where the message is whole.
    Receiver,
    /// Sender, where the message is acknowledged, or has left if nothing is acknowledged.
    Sender,
}

#[derive(Debug)]
struct State {
    start: Time,
    /// Whether the program wants to hear of each end.
    listens: [bool; 2],
    /// Whether each end is done.
    is_done: [bool; 2],
}

/// Messages of which an end is not done.
#[derive(Debug, Default)]
pub(super) struct Messages {
    states: Slab<State>,
    /// Number of messages that each place has had before.
    generations: Vec<u32>,
    places: HashMap<Reception, u32>,
}

impl Messages {
    /// Number of messages.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Adds a message that starts at `start`.
    pub(super) fn add(&mut self, start: Time) -> Message {
        let place = self.states.insert(State { start, listens: [false; 2], is_done: [false; 2] });
        if place == self.generations.len() {
            self.generations.push(0);
        }
        Message::new(place as u32, self.generations[place])
    }

    /// Notes how the receiver knows a message that starts.
    pub(super) fn start(&mut self, place: u32, reception: Reception) {
        self.places.insert(reception, place);
    }

    /// Notes that the program wants to hear of an end of a message, which has not gone anywhere yet.
    pub(super) fn listen(&mut self, message: Message, end: End, now: Time) -> Result<(), ScenarioError> {
        let refuse = |problem: &str, expected: &str| Err(ScenarioError::at("message", problem, expected));
        let place = message.place() as usize;
        let generation = self.generations.get(place).copied();
        let Some(state) = self.states.get_mut(place).filter(|_| generation == Some(message.generation()))
        else {
            return refuse(
                "is complete, and its handle is spent",
                "expected one under way; ask as it is sent",
            );
        };
        if state.listens[end as usize] {
            return refuse("has somebody who listens at this end", "expected one listener for each end");
        }
        if state.start < now {
            return refuse("is under way already", "ask as it is sent, before time goes on");
        }
        state.listens[end as usize] = true;
        Ok(())
    }

    /// Whether the program hears of an event. An end of which it does not hear is done.
    pub(super) fn hears(&mut self, happened: &Happened) -> bool {
        let (reception, end) = match *happened {
            Happened::Received(reception) => (reception, End::Receiver),
            Happened::Sent(reception) => (reception, End::Sender),
            Happened::Due(_) => return true,
        };
        let Some(&place) = self.places.get(&reception) else { return false };
        let listens = self.states[place as usize].listens[end as usize];
        if !listens {
            self.end(reception, end);
        }
        listens
    }

    /// Notes that an end of a message is done. Returns the event.
    pub(super) fn end(&mut self, reception: Reception, end: End) -> Option<Event> {
        let &place = self.places.get(&reception)?;
        let state = &mut self.states[place as usize];
        let generation = &mut self.generations[place as usize];
        let message = Message::new(place, *generation);
        state.is_done[end as usize] = true;
        if state.is_done == [true; 2] {
            self.places.remove(&reception);
            self.states.remove(place as usize);
            *generation = generation.wrapping_add(1);
        }
        Some(Event::Complete(message, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_used_again_under_another_handle() {
        let (mut messages, reception) = (Messages::default(), Reception { destination: 3, number: 7 });
        let first = messages.add(Time::new(5));
        messages.start(first.place(), reception);
        messages.listen(first, End::Sender, Time::new(5)).unwrap();
        assert!(messages.listen(first, End::Sender, Time::new(5)).unwrap_err().problem.contains("listens"));
        assert!(
            messages.listen(first, End::Receiver, Time::new(6)).unwrap_err().problem.contains("under way")
        );
        assert!(!messages.hears(&Happened::Received(reception)));
        assert!(messages.hears(&Happened::Sent(reception)));
        assert_eq!(messages.end(reception, End::Sender), Some(Event::Complete(first, End::Sender)));
        let second = messages.add(Time::new(8));
        assert_eq!((first.place(), messages.len()), (second.place(), 1));
        assert_ne!(first, second);
        assert!(messages.listen(first, End::Sender, Time::new(5)).unwrap_err().problem.contains("spent"));
    }
}
