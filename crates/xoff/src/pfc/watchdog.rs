//! PFC watchdog of a switch: lets go a queue that is paused for so long that its pause is taken for a storm.
//!
//! As in SONiC's design (PFC Watchdog Design, sonic-net/SONiC wiki): a queue is let go when it holds packets and has
//! been paused for the detection time. It is as before once its pauses have been over for the restoration time.
//! Differs: switches look at intervals. Here a pause is looked at when it has lasted for the detection time, and again
//! after as long.

use crate::classes::PRIORITIES;
use crate::kernel::timers::{Timer, Timers};
use crate::kernel::units::{Span, Time};

use super::Change;

/// Times after which a watchdog acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchdogTimes {
    /// Time for which a queue that holds packets must have been paused without a break.
    pub detection: Span,
    /// Time for which a queue's pauses must be over until the watchdog has it wait for pauses again.
    pub restoration: Span,
}

/// Storm of one queue, for whose time the watchdog let the queue go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervention {
    /// Port of the switch.
    pub port: u32,
    /// Class.
    pub priority: usize,
    /// Time at which the storm was detected.
    pub detected: Time,
    /// Time at which the watchdog had the queue wait for pauses again, if the storm is over.
    pub restored: Option<Time>,
    /// Packets that the queue lost during the storm.
    pub dropped: u64,
}

/// Action of a watchdog on a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Lets the queue go: a storm has begun.
    Detected,
    /// Has the queue wait for pauses again: the storm is over.
    Restored,
}

/// One class of one port.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    /// Whether the queue has been told to pause.
    is_paused: bool,
    /// Timer until the storm is detected, or is over.
    timer: Timer,
    /// Index of the intervention under way.
    intervention: Option<u32>,
}

/// Watchdog of one switch.
#[derive(Debug)]
pub struct Watchdog {
    times: WatchdogTimes,
    queues: Vec<Queue>,
    timers: Timers<(u32, u8)>,
    interventions: Vec<Intervention>,
}

impl Watchdog {
    /// Watchdog over the queues of `ports` ports.
    pub fn new(times: WatchdogTimes, ports: usize) -> Self {
        let queues = vec![Queue::default(); ports * PRIORITIES];
        Self { times, queues, timers: Timers::default(), interventions: Vec::new() }
    }

    /// Storms so far, in order of detection.
    pub fn interventions(&self) -> &[Intervention] {
        &self.interventions
    }

    /// Whether a queue has been let go.
    pub fn has_let_go(&self, port: u32, priority: usize) -> bool {
        self.queues[place(port, priority)].intervention.is_some()
    }

    /// Takes note that a class of a port has been told to pause, again or for the first time, or to resume.
    pub fn on_change(&mut self, now: Time, Change { port, priority, pauses }: Change) {
        let queue = &mut self.queues[place(port, priority)];
        if queue.is_paused == pauses {
            return;
        }
        queue.is_paused = pauses;
        if pauses == queue.intervention.is_some() {
            queue.timer.disarm();
        } else {
            let time = if pauses { self.times.detection } else { self.times.restoration };
            self.timers.arm(&mut queue.timer, (port, priority as u8), now + time);
        }
    }

    /// Forgets the pauses of a port and ends its storms.
    pub fn forget(&mut self, now: Time, port: u32) {
        for priority in 0..PRIORITIES {
            let queue = &mut self.queues[place(port, priority)];
            queue.timer.disarm();
            queue.is_paused = false;
            if let Some(intervention) = queue.intervention.take() {
                self.interventions[intervention as usize].restored = Some(now);
            }
        }
    }

    /// Counts packets that a queue lost because it was let go.
    pub fn count_dropped(&mut self, port: u32, priority: usize, packets: u64) {
        if let Some(intervention) = self.queues[place(port, priority)].intervention {
            self.interventions[intervention as usize].dropped += packets;
        }
    }

    /// Decides about the next queue that is due now, if one is. `holds` tells whether a queue holds packets.
    pub fn next_verdict(
        &mut self,
        now: Time,
        holds: impl Fn(u32, usize) -> bool,
    ) -> Option<(u32, usize, Verdict)> {
        while self.timers.next() == now {
            let (time, key) = self.timers.pop()?;
            let (port, priority) = (key.0, usize::from(key.1));
            let queue = &mut self.queues[place(port, priority)];
            if !self.timers.expires(&mut queue.timer, key, time) {
                continue;
            }
            if let Some(intervention) = queue.intervention.take() {
                self.interventions[intervention as usize].restored = Some(now);
                return Some((port, priority, Verdict::Restored));
            }
            if holds(port, priority) {
                queue.intervention = Some(self.interventions.len() as u32);
                let intervention = Intervention { port, priority, detected: now, restored: None, dropped: 0 };
                self.interventions.push(intervention);
                return Some((port, priority, Verdict::Detected));
            }
            self.timers.arm(&mut queue.timer, key, now + self.times.detection);
        }
        None
    }

    /// Time of the next look at a queue; `Time::MAX` for never.
    pub fn due(&self) -> Time {
        self.timers.next()
    }
}

fn place(port: u32, priority: usize) -> usize {
    port as usize * PRIORITIES + priority
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: WatchdogTimes = WatchdogTimes { detection: Span::new(100), restoration: Span::new(40) };

    /// Verdicts on class 3 of port 1, which is told to pause or resume at these times and holds packets from `filled`
    /// on.
    fn verdicts(told: &[(u64, bool)], filled: u64) -> Vec<(u64, Verdict)> {
        let mut watchdog = Watchdog::new(TIMES, 2);
        let (mut told, mut all) = (told.iter().peekable(), Vec::new());
        loop {
            let next_told = told.peek().map_or(Time::MAX, |told| Time::new(told.0));
            let now = watchdog.due().min(next_told);
            if now == Time::MAX {
                return all;
            }
            if let Some(&(_, pauses)) = told.next_if(|told| Time::new(told.0) == now) {
                watchdog.on_change(now, Change { port: 1, priority: 3, pauses });
            }
            while let Some((port, priority, verdict)) = watchdog.next_verdict(now, |_, _| now.get() >= filled)
            {
                assert_eq!((port, priority), (1, 3));
                all.push((now.get(), verdict));
            }
        }
    }

    #[test]
    fn a_pause_without_a_break_is_a_storm_until_pauses_have_been_over() {
        use Verdict::{Detected, Restored};
        assert_eq!(verdicts(&[(10, true), (109, false)], 0), []);
        assert_eq!(verdicts(&[(10, true), (60, true), (200, false)], 0), [(110, Detected), (240, Restored)]);
        // A pause that comes back meanwhile goes on with the storm, as does one that begins then with the next.
        let told = [(10, true), (200, false), (239, true), (300, false)];
        assert_eq!(verdicts(&told, 0), [(110, Detected), (340, Restored)]);
        let told = [(10, true), (200, false), (250, true), (500, false)];
        assert_eq!(verdicts(&told, 0), [(110, Detected), (240, Restored), (350, Detected), (540, Restored)]);
    }

    #[test]
    fn an_empty_queue_waits_for_nobody() {
        use Verdict::{Detected, Restored};
        assert_eq!(verdicts(&[(10, true), (400, false)], 200), [(210, Detected), (440, Restored)]);
        assert_eq!(verdicts(&[(10, true), (400, false)], 400), []);
    }

    #[test]
    fn a_link_that_fails_ends_a_storm() {
        let mut watchdog = Watchdog::new(TIMES, 1);
        watchdog.on_change(Time::ZERO, Change { port: 0, priority: 3, pauses: true });
        assert!(watchdog.next_verdict(Time::new(100), |_, _| true).is_some());
        watchdog.count_dropped(0, 3, 7);
        watchdog.count_dropped(0, 4, 1);
        watchdog.forget(Time::new(130), 0);
        let restored = Some(Time::new(130));
        let whole = Intervention { port: 0, priority: 3, detected: Time::new(100), restored, dropped: 7 };
        assert_eq!(watchdog.interventions(), [whole]);
        assert!(!watchdog.has_let_go(0, 3));
    }
}
