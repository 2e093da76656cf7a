//! Notification points of persistent queue pairs: each answers the marks of all flows on its queue pair as those of one
//! flow.

use super::TimerKey;
use super::by_queue_pair::{ByQueuePair, Key};
use super::pending::Pending;
use super::receptions::ReturnAddress;
use crate::congestion_control::{Marks, NotificationPoint};
use crate::kernel::timers::Timer;
use crate::kernel::units::{Span, Time};

/// All notification points of a host.
pub(super) type NotificationPoints = ByQueuePair<OfQueuePair>;

/// Notification point of one queue pair.
#[derive(Debug)]
pub(super) struct OfQueuePair {
    point: NotificationPoint,
    marks: Marks,
    /// Timer until the interval ends in which a packet was marked.
    timer: Timer,
    /// Address of the sender of that packet.
    back: Option<ReturnAddress>,
}

impl NotificationPoints {
    /// Place of a queue pair's notification point.
    pub(super) fn of(&mut self, key: Key, point: NotificationPoint, now: Time) -> u32 {
        self.place(key, || {
            let marks = point.start(now);
            OfQueuePair { point, marks, timer: Timer::default(), back: None }
        })
    }

    /// Hears of a marked packet of a flow that comes by the queue pair at this place. Returns whether a CNP answers it now.
    #[cold]
    pub(super) fn on_marked(
        &mut self,
        place: u32,
        back: ReturnAddress,
        now: Time,
        pending: &mut Pending,
    ) -> bool {
        let OfQueuePair { point, marks, timer, back: last } = &mut self[place];
        *last = Some(back);
        let answers = point.on_marked(marks, now);
        if !answers && !timer.is_armed() {
            pending.arm(timer, TimerKey::NotificationPoint(place), marks.interval_end());
        }
        answers
    }

    /// Hears that the interval between CNPs may be over. Returns whether a CNP answers marks now.
    #[cold]
    pub(super) fn on_timer(&mut self, place: u32, time: Time, now: Time, pending: &mut Pending) -> bool {
        let OfQueuePair { point, marks, timer, .. } = &mut self[place];
        pending.expires(timer, TimerKey::NotificationPoint(place), time) && point.on_interval_end(marks, now)
    }

    /// Address of the sender whose packet was marked last, if any was.
    pub(super) fn back(&self, place: u32) -> Option<ReturnAddress> {
        self[place].back
    }

    /// Begins the next interval as the CNP leaves, which is so `late`.
    pub(super) fn put_off(&mut self, place: u32, late: Span) {
        let OfQueuePair { point, marks, .. } = &mut self[place];
        point.put_off(marks, late);
    }
}
