//! What becomes of queues of a shared-memory switch that are paused for too long.

use super::SharedMemory;
use crate::agenda::{Agenda, Context};
use crate::classes::PRIORITIES;
use crate::kernel::units::Time;
use crate::observer::{DropReason, Observer};
use crate::pfc::{Change, Intervention, Verdict, Watchdog, WatchdogTimes};
use crate::scenario::WatchdogAction;
use crate::switch::pausing::Pausing;

/// What a watchdog has let go, and how.
#[derive(Debug)]
pub(super) struct LetGo {
    watchdog: Watchdog,
    action: WatchdogAction,
}

impl LetGo {
    /// Whether it drops what comes for some class of a port.
    fn drops_at(&self, port: u16) -> bool {
        self.action == WatchdogAction::Drop
            && (0..PRIORITIES).any(|priority| self.watchdog.has_let_go(port, priority))
    }
}

impl SharedMemory {
    /// The same switch with a watchdog over its ports.
    #[must_use]
    pub fn with_watchdog(self, times: WatchdogTimes, action: WatchdogAction) -> Self {
        let watchdog = Watchdog::new(times, self.ports.len());
        Self { watchdog: Some(Box::new(LetGo { watchdog, action })), ..self }
    }

    /// What its watchdog has done, in order of detection.
    pub fn interventions(&self) -> &[Intervention] {
        self.watchdog.as_ref().map_or(&[], |let_go| let_go.watchdog.interventions())
    }

    /// Something about pauses is due where a watchdog looks. Returns when something is next.
    #[cold]
    pub(super) fn on_pause_due_with_watchdog(
        &mut self,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        let Self { ports, reactions, watchdog: Some(let_go), lossless, .. } = self else { return Time::MAX };
        let LetGo { watchdog, action } = &mut **let_go;
        reactions.settle(context.now, |change| {
            let Change { port, priority, pauses } = change;
            if lossless.contains(priority) {
                watchdog.on_change(context.now, change);
            }
            let waits = *action == WatchdogAction::Drop || !watchdog.has_let_go(port, priority);
            if waits || !pauses {
                ports[usize::from(port)].apply(change, context);
            }
        });
        while let Some((port, priority, verdict)) = self.next_verdict(context.now) {
            self.act(port, priority, verdict, context);
        }
        let Self { ports, reactions, watchdog, pausing, .. } = self;
        let frames = pausing.as_mut().map(Pausing::frames);
        let again = frames.map_or(Time::MAX, |frames| frames.say_again(ports, context));
        let looks = watchdog.as_ref().map_or(Time::MAX, |let_go| let_go.watchdog.due());
        reactions.due().min(again).min(looks)
    }

    fn next_verdict(&mut self, now: Time) -> Option<(u16, usize, Verdict)> {
        let Self { ports, watchdog, .. } = self;
        let holds = |port: u16, priority| ports[usize::from(port)].has_queued(priority);
        watchdog.as_mut()?.watchdog.next_verdict(now, holds)
    }

    fn act(
        &mut self,
        number: u16,
        priority: usize,
        verdict: Verdict,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(let_go) = &self.watchdog else { return };
        let (action, drops) = (let_go.action, let_go.drops_at(number));
        let port = &mut self.ports[usize::from(number)];
        port.let_go(drops);
        if verdict == Verdict::Restored {
            return;
        }
        match action {
            WatchdogAction::Forward => port.apply(Change { port: number, priority, pauses: false }, context),
            WatchdogAction::Drop => {
                let lost = self.lose_queue(number, priority, DropReason::PfcWatchdog, context);
                if let Some(let_go) = &mut self.watchdog {
                    let_go.watchdog.count_dropped(number, priority, lost);
                }
            }
        }
    }

    /// Why a packet of a class is lost that comes for a port, if it is.
    #[cold]
    pub(super) fn why_lost(&mut self, number: u16, priority: usize) -> Option<DropReason> {
        if self.ports[usize::from(number)].is_down() {
            return Some(DropReason::LinkDown);
        }
        let let_go = self.watchdog.as_mut().filter(|let_go| let_go.watchdog.has_let_go(number, priority))?;
        let_go.watchdog.count_dropped(number, priority, 1);
        Some(DropReason::PfcWatchdog)
    }

    /// The link of a port fails, and with it what pauses the port.
    pub(super) fn forget_storms(
        &mut self,
        number: u16,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if let Some(let_go) = &mut self.watchdog {
            let_go.watchdog.forget(context.now, number);
            self.ports[usize::from(number)].let_go(false);
        }
    }
}
