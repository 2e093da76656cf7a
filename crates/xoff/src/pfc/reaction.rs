//! Reactions of a node's ports to the pause frames that reach them.
//!
//! A frame takes effect after the port's reaction time. A pause ends when its quanta are over, unless another frame has
//! set more by then.

use super::PauseFrame;
use crate::classes::PRIORITIES;
use crate::kernel::ring::Ring;
use crate::kernel::timers::{Timer, Timers};
use crate::kernel::units::{Span, Time};

/// A frame that has arrived and has not taken effect.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    effective: Time,
    frame: PauseFrame,
}

/// Reactions of one port.
#[derive(Debug)]
struct PortReaction {
    /// Time between a frame's arrival and its effect.
    delay: Span,
    /// Duration of one quantum of pause time.
    quantum: Span,
    pending: Ring<Pending>,
    expiries: [Timer; PRIORITIES],
}

/// Pause or resume of one class of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Port of the node.
    pub port: u32,
    /// Class.
    pub priority: usize,
    /// Whether the class pauses, rather than resumes.
    pub pauses: bool,
}

/// Reactions of one node's ports.
#[derive(Debug, Default)]
pub struct Reactions {
    ports: Vec<PortReaction>,
    timers: Timers<(u32, u8)>,
    /// Whether a pause lasts until a frame ends it.
    lasting: bool,
}

impl Reactions {
    /// Reactions of `ports`, each given by its reaction time and quantum. Pauses that are `lasting` end only when a
    /// frame says so.
    pub fn new(ports: impl Iterator<Item = (Span, Span)>, lasting: bool) -> Self {
        let port = |(delay, quantum)| PortReaction {
            delay,
            quantum,
            pending: Ring::new(),
            expiries: [Timer::default(); PRIORITIES],
        };
        Self { ports: ports.map(port).collect(), timers: Timers::default(), lasting }
    }

    /// Takes in a frame that has arrived whole, and returns when it takes effect.
    pub fn on_frame(&mut self, port: u32, now: Time, frame: PauseFrame) -> Time {
        let reaction = &mut self.ports[port as usize];
        let behind = if reaction.pending.is_empty() { now } else { reaction.pending.nth_back(0).effective };
        let effective = behind.max(now + reaction.delay);
        reaction.pending.push_back(Pending { effective, frame });
        effective
    }

    /// Forgets all frames that a port has received. The caller resumes the classes that are paused.
    pub fn forget(&mut self, port: u32) {
        let reaction = &mut self.ports[port as usize];
        reaction.pending = Ring::new();
        reaction.expiries.iter_mut().for_each(Timer::disarm);
    }

    /// Sets the reaction time and the quantum for frames that reach a port from now on.
    pub fn set_pace(&mut self, port: u32, delay: Span, quantum: Span) {
        let reaction = &mut self.ports[port as usize];
        (reaction.delay, reaction.quantum) = (delay, quantum);
    }

    /// Time at which the next frame takes effect or the next pause may be over; `Time::MAX` for never.
    pub fn due(&self) -> Time {
        let frames = self.ports.iter().filter_map(|port| port.pending.front());
        frames.map(|pending| pending.effective).min().unwrap_or(Time::MAX).min(self.timers.next())
    }

    /// Tells the changes of now: pauses that are over, then frames that take effect, port by port. Returns when
    /// something is due next.
    pub fn settle(&mut self, now: Time, mut tell: impl FnMut(Change)) -> Time {
        while self.timers.next() == now {
            let Some((time, key)) = self.timers.pop() else { break };
            let (port, priority) = key;
            let timer = &mut self.ports[port as usize].expiries[priority as usize];
            if self.timers.expires(timer, key, time) {
                tell(Change { port, priority: priority.into(), pauses: false });
            }
        }
        for port in 0..self.ports.len() as u32 {
            while self.ports[port as usize].pending.front().is_some_and(|pending| pending.effective == now) {
                let Pending { frame, .. } = self.ports[port as usize].pending.take_front();
                self.take_effect(port, frame, now, &mut tell);
            }
        }
        self.due()
    }

    fn take_effect(&mut self, port: u32, frame: PauseFrame, now: Time, tell: &mut impl FnMut(Change)) {
        let reaction = &mut self.ports[port as usize];
        for (priority, quanta) in frame.classes() {
            let timer = &mut reaction.expiries[priority];
            if quanta == 0 {
                timer.disarm();
            } else if !self.lasting {
                self.timers.arm(timer, (port, priority as u8), now + reaction.quantum * u64::from(quanta));
            }
            tell(Change { port, priority, pauses: quanta != 0 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::Classes;

    const DELAY: Span = Span::new(100);
    const QUANTUM: Span = Span::new(10);

    fn frame(priority: usize, quanta: u16) -> PauseFrame {
        let mut frame = PauseFrame::default();
        frame.say(Classes::only(priority), quanta);
        frame
    }

    /// All changes of port 0, with their times.
    fn changes(reactions: &mut Reactions) -> Vec<(u64, usize, bool)> {
        let mut all = Vec::new();
        while reactions.due() != Time::MAX {
            let now = reactions.due();
            reactions.settle(now, |change| all.push((now.get(), change.priority, change.pauses)));
        }
        all
    }

    fn reactions(lasting: bool) -> Reactions {
        Reactions::new(std::iter::once((DELAY, QUANTUM)), lasting)
    }

    #[test]
    fn a_pause_begins_after_the_reaction_and_ends_after_its_quanta() {
        let mut reactions = reactions(false);
        assert_eq!(reactions.on_frame(0, Time::new(5), frame(3, 7)), Time::new(105));
        assert_eq!(changes(&mut reactions), [(105, 3, true), (175, 3, false)]);
    }

    #[test]
    fn another_frame_overwrites_the_time_that_is_left() {
        let mut reactions = reactions(false);
        for (now, quanta) in [(0, 50), (200, 1), (205, 20)] {
            reactions.on_frame(0, Time::new(now), frame(3, quanta));
        }
        assert_eq!(
            changes(&mut reactions),
            [(100, 3, true), (300, 3, true), (305, 3, true), (505, 3, false)]
        );
    }

    #[test]
    fn zero_quanta_resume() {
        let mut reactions = reactions(false);
        reactions.on_frame(0, Time::new(0), frame(3, 50));
        reactions.on_frame(0, Time::new(60), frame(3, 0));
        assert_eq!(changes(&mut reactions), [(100, 3, true), (160, 3, false)]);
    }

    #[test]
    fn a_lasting_pause_waits_for_its_end() {
        let mut reactions = reactions(true);
        reactions.on_frame(0, Time::new(0), frame(3, 1));
        assert_eq!(changes(&mut reactions), [(100, 3, true)]);
    }
}
