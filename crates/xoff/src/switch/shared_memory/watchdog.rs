//! PFC watchdog of a switch: lets go the queues that are paused for too long, and says what happens to their packets.

use crate::agenda::{Agenda, Context};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::Time;
use crate::observer::{DropReason, Observer};
use crate::pfc::{Change, Intervention, Reactions, Verdict, Watchdog, WatchdogTimes};
use crate::port::Port;
use crate::scenario::WatchdogAction;

/// Watchdog over the lossless queues of a switch, with its action.
#[derive(Debug)]
pub(super) struct PortWatchdog {
    watchdog: Watchdog,
    action: WatchdogAction,
}

impl PortWatchdog {
    pub(super) fn new(times: WatchdogTimes, action: WatchdogAction, ports: usize) -> Self {
        Self { watchdog: Watchdog::new(times, ports), action }
    }

    /// Queues that the watchdog has let go, in order of detection.
    pub(super) fn interventions(&self) -> &[Intervention] {
        self.watchdog.interventions()
    }

    /// Time of the watchdog's next look at a queue.
    pub(super) fn due(&self) -> Time {
        self.watchdog.due()
    }

    /// Has ports react to pause frames that take effect now, except that a queue let go to forward is not paused again.
    pub(super) fn react(
        &mut self,
        reactions: &mut Reactions,
        lossless: Classes,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Self { watchdog, action } = self;
        reactions.settle(context.now, |change| {
            let Change { port, priority, pauses } = change;
            if lossless.contains(priority) {
                watchdog.on_change(context.now, change);
            }
            let waits = *action == WatchdogAction::Drop || !watchdog.has_let_go(port, priority);
            if waits || !pauses {
                ports[port as usize].apply(change, context);
            }
        });
    }

    /// Acts on queues that are due: lets go those whose storm is detected, until it returns one whose packets are to be dropped.
    pub(super) fn next_to_drop(
        &mut self,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<(u32, usize)> {
        loop {
            let holds = |port: u32, priority| ports[port as usize].has_queued(priority);
            let (number, priority, verdict) = self.watchdog.next_verdict(context.now, holds)?;
            let port = &mut ports[number as usize];
            port.let_go(self.drops_at(number));
            match (verdict, self.action) {
                (Verdict::Restored, _) => {}
                (Verdict::Detected, WatchdogAction::Forward) => {
                    port.apply(Change { port: number, priority, pauses: false }, context);
                }
                (Verdict::Detected, WatchdogAction::Drop) => return Some((number, priority)),
            }
        }
    }

    /// Whether packets are dropped that arrive for some class of a port.
    fn drops_at(&self, port: u32) -> bool {
        self.action == WatchdogAction::Drop
            && (0..PRIORITIES).any(|priority| self.watchdog.has_let_go(port, priority))
    }

    /// Counts packets that a queue lost because it was let go.
    pub(super) fn count_dropped(&mut self, number: u32, priority: usize, packets: u64) {
        self.watchdog.count_dropped(number, priority, packets);
    }

    /// Reason to drop a packet that arrives for a queue, if the queue was let go and drops; counts it.
    #[cold]
    pub(super) fn drop_reason(&mut self, number: u32, priority: usize) -> Option<DropReason> {
        let drops = self.action == WatchdogAction::Drop && self.watchdog.has_let_go(number, priority);
        drops.then(|| {
            self.watchdog.count_dropped(number, priority, 1);
            DropReason::PfcWatchdog
        })
    }

    /// Forgets the storms of a port whose link fails, and with it what pauses the port.
    pub(super) fn forget(&mut self, now: Time, number: u32, port: &mut Port) {
        self.watchdog.forget(now, number);
        port.let_go(false);
    }
}
