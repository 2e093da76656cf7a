//! Marker on queues of which neither ports nor pools are marked besides: those of an adapter, and those of a crossbar's
//! inputs or outputs.

use super::{AnyMarker, Departure, Level, When};
use crate::kernel::rng::Rng;

/// Marker of some queues, which it knows by number.
#[derive(Debug)]
pub struct QueueMarker {
    marker: AnyMarker,
    when: When,
    rng: Rng,
}

impl QueueMarker {
    /// Wraps a marker that was started for every queue and is asked at this moment; `rng` is its stream.
    pub fn new(marker: AnyMarker, when: When, rng: Rng) -> Self {
        Self { marker, when, rng }
    }

    /// Whether the marker marks a packet that enters or leaves a queue beside `level.others` bytes.
    /// A marker that looks at dequeue is asked at enqueue about packets that it would have to drop.
    pub fn marks(&mut self, moment: When, queue: usize, level: &Level, is_ecn_capable: bool) -> bool {
        self.tell(moment, queue, level);
        let asked = if is_ecn_capable { self.when } else { When::Enqueue };
        moment == asked && self.marker.signal(queue, level, &mut self.rng).marks(is_ecn_capable)
    }

    /// Tells a marker that follows its queues of a packet that enters or leaves a queue beside `level.others` bytes.
    pub fn tell(&mut self, moment: When, queue: usize, level: &Level) {
        if !self.marker.follows() {
            return;
        }
        let &Level { now, others, frame } = level;
        match moment {
            When::Enqueue => self.marker.on_arrival(queue, level),
            When::Dequeue => {
                self.marker.on_departure(queue, &Departure { now, before: others + frame, after: others });
            }
        }
    }
}
