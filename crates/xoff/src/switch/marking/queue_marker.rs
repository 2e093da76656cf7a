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

#[cfg(test)]
mod tests {
    use super::super::{Parameters, Place};
    use super::*;
    use crate::kernel::rng::{Purpose, stream};
    use crate::kernel::units::{Bytes, Rate, Span, Time};
    use crate::reading::from_text;

    const FRAME: Bytes = Bytes::new(1000);

    fn marker(kind: &str, when: When) -> QueueMarker {
        let place = Place { drops_at_head: true, ..Place::at(Rate::from_gbps(1), FRAME) };
        let marker = from_text::<Parameters>(kind).start(&[place; 2]).unwrap();
        QueueMarker::new(marker, when, stream(1, Purpose::Marking, 0))
    }

    fn level(microseconds: u64, others: u64) -> Level {
        Level {
            now: Time::ZERO + Span::from_microseconds(microseconds),
            others: Bytes::new(others),
            frame: FRAME,
        }
    }

    #[test]
    fn it_is_asked_at_its_moment_and_at_enqueue_about_what_it_would_have_to_drop() {
        use When::{Dequeue, Enqueue};
        let threshold = "kind = 'threshold'\nthreshold = '2kB'";
        for (when, moment, is_ecn_capable, marks) in [
            (Enqueue, Enqueue, true, true),
            (Enqueue, Dequeue, true, false),
            (Dequeue, Enqueue, true, false),
            (Dequeue, Dequeue, true, true),
            (Dequeue, Enqueue, false, true),
            (Dequeue, Dequeue, false, false),
        ] {
            let mut marker = marker(threshold, when);
            let case = format!("{when:?} {moment:?} {is_ecn_capable}");
            assert_eq!(marker.marks(moment, 1, &level(0, 3_000), is_ecn_capable), marks, "{case}");
            assert!(!marker.marks(moment, 1, &level(0, 2_000), is_ecn_capable), "{case}");
        }
    }

    /// Nine packets came at once to a queue under CoDel, with a target of 1 us and an interval of 2 us.
    #[test]
    fn a_marker_that_follows_hears_of_every_packet() {
        let mut marker = marker("kind = 'codel'\ntarget = '1us'\ninterval = '2us'", When::Dequeue);
        (0..9).for_each(|before| marker.tell(When::Enqueue, 1, &level(0, before * 1_000)));
        let mut leaves = |now| marker.marks(When::Dequeue, 1, &level(now, 5_000), true);
        assert_eq!([1, 2, 3].map(&mut leaves), [false, false, true]);
    }

    /// Of 10 kB beside a packet of 1 kB that leaves, PI hears 11 kB: one more than its reference, for each of which it adds 1 to
    /// the probability.
    #[test]
    fn a_departure_is_told_with_the_length_before_it() {
        let pi = "kind = 'pi'\nreference = '10kB'\na = 1\nb = 0.0001\ninterval = '1us'\nmean_packet = '1kB'";
        let mut marker = marker(pi, When::Enqueue);
        marker.tell(When::Dequeue, 0, &level(1, 10_000));
        assert!(marker.marks(When::Enqueue, 0, &level(1, 0), true), "11 kB are above the reference");
        assert!(!marker.marks(When::Enqueue, 1, &level(1, 0), true), "of another queue nothing is known");
    }
}
