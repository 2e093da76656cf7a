//! Pause frames (PFC): what a node tells the senders at the other ends of its ports, said again before a pause runs out, and
//! what those tell it.

use crate::agenda::{Agenda, Context};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::timers::{Timer, Timers};
use crate::kernel::units::{Span, Time};
use crate::observer::Observer;
use crate::packet::Control;
use crate::pfc::Reactions;
use crate::port::Port;

/// What the sender at the other end of a port is asked for (M_CONTROL.request, IEEE 802.1Qbb).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PfcRequest {
    /// Classes that are to pause.
    pub pause: Classes,
    /// Classes that are to resume.
    pub resume: Classes,
}

impl PfcRequest {
    /// Nothing new.
    pub const NOTHING: Self = Self { pause: Classes::NONE, resume: Classes::NONE };
}

/// A pause frame has arrived at a port, which reacts later.
#[cold]
pub fn on_arrival(
    port: u16,
    frame: Control,
    reactions: &mut Reactions,
    ports: &[Port],
    context: &mut Context<'_, impl Agenda, impl Observer>,
) {
    let due = reactions.on_frame(port, context.now, frame.into());
    context.agenda.pause_due(ports[usize::from(port)].id(), due);
}

/// Ports react to what they have heard, and what they have said is said again. Returns when something is next.
pub fn on_due(
    reactions: &mut Reactions,
    frames: Option<&mut PauseFrames>,
    ports: &mut [Port],
    context: &mut Context<'_, impl Agenda, impl Observer>,
) -> Time {
    let due = reactions.settle(context.now, |change| ports[usize::from(change.port)].apply(change, context));
    frames.map_or(due, |frames| due.min(frames.say_again(ports, context)))
}

/// What a node says and when it says it again.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its ports.
    pub ports: usize,
    /// Quanta that a frame names.
    pub quanta: u16,
    /// After how long each port says a pause again; nothing where pauses last.
    pub repeat_after: Option<Vec<Span>>,
}

impl Settings {
    /// The pause frames of one node, none as yet.
    pub fn start(&self) -> PauseFrames {
        PauseFrames {
            settings: self.clone(),
            repeats: vec![Timer::default(); self.ports * PRIORITIES],
            timers: Timers::default(),
        }
    }
}

/// The pause frames of one node.
#[derive(Debug)]
pub struct PauseFrames {
    settings: Settings,
    /// By port and class.
    repeats: Vec<Timer>,
    timers: Timers<(u16, u8)>,
}

impl PauseFrames {
    /// Tells the sender at the other end of a port.
    #[inline]
    pub fn tell(
        &mut self,
        request: PfcRequest,
        port: u16,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let PfcRequest { pause, resume } = request;
        if !pause.is_empty() {
            self.pause(port, pause, ports, context);
        }
        if !resume.is_empty() {
            for priority in resume.iter() {
                self.repeats[usize::from(port) * PRIORITIES + priority].disarm();
            }
            ports[usize::from(port)].say_pause(resume, 0, context);
        }
    }

    #[cold]
    fn pause(
        &mut self,
        port: u16,
        pause: Classes,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let number = usize::from(port);
        ports[number].say_pause(pause, self.settings.quanta, context);
        let Some(repeat_after) = &self.settings.repeat_after else { return };
        let again = context.now + repeat_after[number];
        for priority in pause.iter() {
            let timer = &mut self.repeats[number * PRIORITIES + priority];
            self.timers.arm(timer, (port, priority as u8), again);
        }
        context.agenda.pause_due(ports[number].id(), again);
    }

    /// The quanta of a port's link last so long now; a pause is said again when half of it is over.
    pub fn set_quantum(&mut self, port: u16, quantum: Span) {
        let after = quantum * u64::from(self.settings.quanta / 2);
        if let Some(repeat_after) = &mut self.settings.repeat_after {
            repeat_after[usize::from(port)] = after;
        }
    }

    /// Says again what is to be said again now. Returns when something is next.
    pub fn say_again(
        &mut self,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        while self.timers.next() == context.now {
            let Some((time, key)) = self.timers.pop() else { break };
            let (port, priority) = key;
            let timer = &mut self.repeats[usize::from(port) * PRIORITIES + usize::from(priority)];
            if self.timers.expires(timer, key, time) {
                self.pause(port, Classes::only(priority.into()), ports, context);
            }
        }
        self.timers.next()
    }
}
