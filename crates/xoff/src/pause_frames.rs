//! Pause frames (PFC) of a node: tells the senders at the other ends of its ports to pause, and again before a pause
//! runs out.
//! The frames that those send to it go through [`on_arrival`] to the reactions of its ports (`pfc/reaction.rs`).

use crate::agenda::{Agenda, Context};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::timers::{Timer, Timers};
use crate::kernel::units::{Span, Time};
use crate::observer::Observer;
use crate::packet::Control;
use crate::pfc::Reactions;
use crate::port::Port;

/// Request to the sender at the other end of a port (M_CONTROL.request, IEEE 802.1Qbb).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PfcRequest {
    /// Classes that are to pause.
    pub pause: Classes,
    /// Classes that are to resume.
    pub resume: Classes,
}

impl PfcRequest {
    /// A request for no change.
    pub const NOTHING: Self = Self { pause: Classes::NONE, resume: Classes::NONE };
}

/// Takes in a pause frame that has arrived at a port, which reacts later.
#[cold]
pub fn on_arrival(
    port: u32,
    frame: Control,
    reactions: &mut Reactions,
    ports: &[Port],
    context: &mut Context<'_, impl Agenda, impl Observer>,
) {
    let due = reactions.on_frame(port, context.now, frame.into());
    context.agenda.pause_due(ports[port as usize].id(), due);
}

/// Has ports react to frames that take effect now, and tells again the pauses that would run out. Returns when
/// something is due next.
pub fn on_due(
    reactions: &mut Reactions,
    frames: Option<&mut PauseFrames>,
    ports: &mut [Port],
    context: &mut Context<'_, impl Agenda, impl Observer>,
) -> Time {
    let due = reactions.settle(context.now, |change| ports[change.port as usize].apply(change, context));
    frames.map_or(due, |frames| due.min(frames.say_again(ports, context)))
}

/// Settings of a node's pause frames.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of ports.
    pub ports: usize,
    /// Quanta for which a frame pauses.
    pub quanta: u16,
    /// Time after which each port tells a pause again; `None` if pauses last until a frame ends them.
    pub repeat_after: Option<Vec<Span>>,
}

impl Settings {
    /// Starts the pause frames of one node.
    pub fn start(&self) -> PauseFrames {
        PauseFrames {
            settings: self.clone(),
            repeats: vec![Timer::default(); self.ports * PRIORITIES],
            timers: Timers::default(),
        }
    }
}

/// Pause frames of one node.
#[derive(Debug)]
pub struct PauseFrames {
    settings: Settings,
    /// Timers of pauses that are told again, by port and class.
    repeats: Vec<Timer>,
    timers: Timers<(u32, u8)>,
}

impl PauseFrames {
    /// Tells the sender at the other end of a port to pause or resume, as soon as the wire is free.
    #[inline]
    pub fn tell(
        &mut self,
        request: PfcRequest,
        port: u32,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let PfcRequest { pause, resume } = request;
        if !pause.is_empty() {
            self.pause(port, pause, ports, context);
        }
        if !resume.is_empty() {
            for priority in resume.iter() {
                self.repeats[port as usize * PRIORITIES + priority].disarm();
            }
            ports[port as usize].say_pause(resume, 0, context);
        }
    }

    #[cold]
    fn pause(
        &mut self,
        port: u32,
        pause: Classes,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let number = port as usize;
        ports[number].say_pause(pause, self.settings.quanta, context);
        let Some(repeat_after) = &self.settings.repeat_after else { return };
        let again = context.now + repeat_after[number];
        for priority in pause.iter() {
            let timer = &mut self.repeats[number * PRIORITIES + priority];
            self.timers.arm(timer, (port, priority as u8), again);
        }
        context.agenda.pause_due(ports[number].id(), again);
    }

    /// Sets the length of a quantum on a port's link. A pause is told again when half of it is over.
    pub fn set_quantum(&mut self, port: u32, quantum: Span) {
        let after = quantum * u64::from(self.settings.quanta / 2);
        if let Some(repeat_after) = &mut self.settings.repeat_after {
            repeat_after[port as usize] = after;
        }
    }

    /// Tells again the pauses that are half over. Returns when the next is.
    pub fn say_again(
        &mut self,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        while self.timers.next() == context.now {
            let Some((time, key)) = self.timers.pop() else { break };
            let (port, priority) = key;
            let timer = &mut self.repeats[port as usize * PRIORITIES + usize::from(priority)];
            if self.timers.expires(timer, key, time) {
                self.pause(port, Classes::only(priority.into()), ports, context);
            }
        }
        self.timers.next()
    }
}
