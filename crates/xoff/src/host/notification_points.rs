//! Notification points of persistent queue pairs: each answers the marks of all flows that come by its queue
//! pair, one after another, as those of one flow.

use super::by_queue_pair::{ByQueuePair, Key};
use super::receptions::ReturnAddress;
use super::{Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::congestion_control::{Marks, NotificationPoint};
use crate::kernel::timers::Timer;
use crate::kernel::units::Time;
use crate::observer::Observer;

/// All of a host.
pub(super) type NotificationPoints = ByQueuePair<OfQueuePair>;

/// That of one queue pair.
#[derive(Debug)]
pub(super) struct OfQueuePair {
    point: NotificationPoint,
    marks: Marks,
    /// Until the interval ends in which a packet was marked.
    timer: Timer,
    /// Where the flow comes from of which that was.
    back: Option<ReturnAddress>,
}

impl NotificationPoints {
    /// The place of that of a queue pair.
    pub(super) fn of(&mut self, key: Key, point: NotificationPoint, now: Time) -> u32 {
        self.place(key, || {
            let marks = point.start(now);
            OfQueuePair { point, marks, timer: Timer::default(), back: None }
        })
    }
}

impl Host {
    /// A packet of a flow has come marked, by the queue pair at this place.
    #[cold]
    pub(super) fn on_marked_queue_pair(
        &mut self,
        place: u32,
        back: ReturnAddress,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let OfQueuePair { point, marks, timer, back: last } = &mut self.notification_points[place];
        *last = Some(back);
        if point.on_marked(marks, context.now) {
            self.answer_marks(place, context);
        } else if !timer.is_armed() {
            self.pending.arm(timer, TimerKey::NotificationPoint(place), marks.interval_end());
        }
    }

    /// The interval between CNPs may be over.
    #[cold]
    pub(super) fn on_notification_timer(
        &mut self,
        place: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let OfQueuePair { point, marks, timer, .. } = &mut self.notification_points[place];
        if self.pending.expires(timer, TimerKey::NotificationPoint(place), time)
            && point.on_interval_end(marks, context.now)
        {
            self.answer_marks(place, context);
        }
    }

    fn answer_marks(&mut self, place: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Some(back) = self.notification_points[place].back else { return };
        let late = self.send_cnp_of(back, context);
        let OfQueuePair { point, marks, .. } = &mut self.notification_points[place];
        point.put_off(marks, late);
    }
}
