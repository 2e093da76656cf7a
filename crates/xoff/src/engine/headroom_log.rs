//! Log of headroom: local maxima of each switch's use, and the times in which senders were told to pause.
//! These are the measurements of DSH (section 3.2).

use std::collections::BTreeMap;

use crate::kernel::units::{Bytes, Time};
use crate::observer::Accounted;
use crate::topology::PortId;

/// Local maximum of the headroom that a switch has in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// Time at which the maximum was reached.
    pub time: Time,
    /// First port of the switch.
    pub switch: PortId,
    /// Bytes of headroom in use by all queues of the switch.
    pub used: Bytes,
    /// Bytes of headroom set aside.
    pub set_aside: Bytes,
    /// Number of queues whose senders had been told to pause, and not yet to resume.
    pub queues_off: u64,
}

/// Time in which the sender of one ingress queue had been told to pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffTime {
    /// Port by which the queue's packets come in.
    pub port: PortId,
    /// Traffic class of the queue.
    pub priority: usize,
    /// Time at which the switch sent the pause.
    pub xoff: Time,
    /// Arrival of the last packet.
    pub last_arrival: Time,
    /// Time at which the switch sent the resume; nothing if the switch sent none.
    pub xon: Option<Time>,
    /// Bytes that came in after the pause.
    pub arrived: Bytes,
    /// Bytes that left between the pause and the last arrival.
    pub departed: Bytes,
    /// Most bytes that the queue had in the headroom.
    pub headroom: Bytes,
}

/// Time of pause that has not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    so_far: OffTime,
    /// Bytes that have left the queue since its sender was told to pause.
    departed: Bytes,
}

/// Rise of a switch's occupancy that is under way.
#[derive(Clone, Copy, Debug, Default)]
struct Rise {
    last: Bytes,
    top: Option<Peak>,
}

/// Log of headroom of one thread, or of all threads.
#[derive(Clone, Debug, Default)]
pub struct HeadroomLog {
    /// Maxima in order of time and switch.
    pub peaks: Vec<Peak>,
    /// Times of pause in order of their beginning, port and class.
    pub off_times: Vec<OffTime>,
    rises: BTreeMap<PortId, Rise>,
    open: BTreeMap<(PortId, usize), Open>,
}

impl HeadroomLog {
    /// Records that a packet of a lossless class was counted in or out.
    pub(super) fn record(&mut self, now: Time, change: &Accounted) {
        self.follow_occupancy(now, change);
        self.follow_queue(now, change);
    }

    fn follow_occupancy(&mut self, now: Time, change: &Accounted) {
        let rise = self.rises.entry(change.switch).or_default();
        if change.used > rise.last {
            let &Accounted { switch, used, set_aside, queues_off, .. } = change;
            rise.top = Some(Peak { time: now, switch, used, set_aside, queues_off });
        } else if change.used < rise.last {
            self.peaks.extend(rise.top.take());
        }
        rise.last = change.used;
    }

    fn follow_queue(&mut self, now: Time, change: &Accounted) {
        let key = (change.port, change.priority);
        if let Some(open) = self.open.get_mut(&key) {
            if change.arrives {
                open.so_far.arrived += change.frame;
                open.so_far.departed = open.departed;
                open.so_far.last_arrival = now;
                open.so_far.headroom = open.so_far.headroom.max(change.headroom);
            } else {
                open.departed += change.frame;
            }
            if !change.is_off {
                self.off_times.push(OffTime { xon: Some(now), ..open.so_far });
                self.open.remove(&key);
            }
        } else if change.is_off {
            let so_far = OffTime {
                port: change.port,
                priority: change.priority,
                xoff: now,
                last_arrival: now,
                xon: None,
                arrived: Bytes::ZERO,
                departed: Bytes::ZERO,
                headroom: change.headroom,
            };
            self.open.insert(key, Open { so_far, departed: Bytes::ZERO });
        }
    }

    /// Joins the logs of all threads.
    pub(super) fn merge(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.peaks.extend(part.peaks);
            all.peaks.extend(part.rises.values().filter_map(|rise| rise.top));
            all.off_times.extend(part.off_times);
            all.off_times.extend(part.open.values().map(|open| open.so_far));
        }
        all.peaks.sort_by_key(|peak| (peak.time, peak.switch));
        all.off_times.sort_by_key(|off| (off.xoff, off.port, off.priority));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the change of a queue of port 5, class 3, on a switch whose first port is 4.
    fn change(frame: u64, arrives: bool, used: u64, is_off: bool) -> Accounted {
        Accounted {
            switch: 4,
            port: 5,
            priority: 3,
            frame: Bytes::new(frame),
            arrives,
            headroom: Bytes::new(used),
            is_off,
            used: Bytes::new(used),
            set_aside: Bytes::new(9000),
            queues_off: 1,
        }
    }

    #[test]
    fn maxima_are_where_the_headroom_turns_and_off_times_hold_what_came_and_went() {
        let mut log = HeadroomLog::default();
        for (now, frame, arrives, used, is_off) in [
            (10, 1000, true, 0, true),
            (20, 1000, true, 1000, true),
            (30, 500, false, 500, true),
            (40, 1000, true, 1500, true),
            (50, 600, true, 2100, true),
            (60, 2100, false, 0, true),
            (70, 1000, false, 0, false),
            (80, 1000, true, 0, true),
        ] {
            log.record(Time::new(now), &change(frame, arrives, used, is_off));
        }
        let log = HeadroomLog::merge([log]);
        let peaks: Vec<_> = log.peaks.iter().map(|peak| (peak.time.get(), peak.used.get())).collect();
        assert_eq!(peaks, [(20, 1000), (50, 2100)]);
        let off: Vec<_> = log
            .off_times
            .iter()
            .map(|off| {
                (
                    off.xoff.get(),
                    off.last_arrival.get(),
                    off.xon.map(Time::get),
                    off.arrived.get(),
                    off.departed.get(),
                )
            })
            .collect();
        assert_eq!(off, [(10, 50, Some(70), 2600, 500), (80, 80, None, 0, 0)]);
        assert_eq!(log.off_times[0].headroom, Bytes::new(2100));
    }
}
