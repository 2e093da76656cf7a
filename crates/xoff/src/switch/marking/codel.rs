//! Controlled delay (CoDel): marks or drops packets as they leave, while the least time in the queue stays too long.
//! Source: Nichols, Jacobson, McGregor and Iyengar, RFC 8289. Only on queues, whose packets leave in the order in which
//! they came.
//! Differs: the next drop is set as soon as one is decided, as Linux does for marks. The RFC waits until the next
//! packet is known to have waited too long as well. `ce_threshold` is Linux's (`codel_impl.h`), without its selector of
//! packets that it is for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Level, Marker, Place, Signal, Unfit, When};
use crate::kernel::ring::Ring;
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Span, Time};

/// Marks a leaving packet once all have waited longer than `target` for an `interval`, and more and more often as long
/// as that does not help. The defaults are those of the Internet; a datacenter needs times of its own.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Time in the queue that may last, 5 to 10 % of `interval` by the RFC [TARGET].
    #[schemars(extend("x-above" = "0s"))]
    pub target: Span,
    /// Time for which packets may wait longer than that; about the longest round trip [INTERVAL].
    #[schemars(extend("x-above-key" = "target"))]
    pub interval: Span,
    /// Time in the queue beyond which every ECN-capable packet is marked as it leaves, beside the rule of CoDel: a threshold in time,
    /// for DCTCP. Other packets it leaves alone (Linux's `ce_threshold`). Left out, there is none.
    pub ce_threshold: Option<Span>,
}

impl Default for Parameters {
    fn default() -> Self {
        let [target, interval] = [5, 100].map(Span::from_milliseconds);
        Self { target, interval, ce_threshold: None }
    }
}

/// CoDel with one `target`, `interval` and `ce_threshold` for all queues.
#[derive(Clone, Debug)]
pub struct Codel {
    target: Span,
    interval: Span,
    /// Longest time in the queue without a mark; the longest that there is where there is no such threshold.
    ce_threshold: Span,
    /// The queue is left alone while it holds no more behind the packet that leaves.
    largest_frame: Bytes,
    queues: Vec<Queue>,
}

/// State of one queue.
#[derive(Clone, Debug, Default)]
struct Queue {
    /// Arrival time of each packet in the queue.
    arrivals: Ring<Time>,
    /// Time at which packets will have waited too long for an interval [first_above_time].
    too_long_at: Option<Time>,
    is_dropping: bool,
    drop_next: Time,
    /// Drops since the dropping began.
    count: u64,
    /// Count with which the dropping began [lastcount].
    last_count: u64,
}

/// Intervals within which dropping that begins anew goes on where it was.
const REMEMBERED: u64 = 16;

impl Codel {
    /// Time from one drop to the next, after `count` drops.
    fn gap(&self, count: u64) -> Span {
        Span::new((self.interval.get() as f64 / (count as f64).sqrt()) as u64)
    }

    /// Whether the packet that leaves, and has `waited`, ends an interval of packets that have waited too long
    /// [ok_to_drop].
    fn has_lasted(&mut self, place: usize, waited: Span, level: &Level) -> bool {
        let queue = &mut self.queues[place];
        if waited < self.target || level.others <= self.largest_frame {
            queue.too_long_at = None;
            return false;
        }
        level.now >= *queue.too_long_at.get_or_insert(level.now + self.interval)
    }

    /// Answers by the rule of CoDel about a packet that leaves after it has `waited`.
    fn by_rule(&mut self, place: usize, waited: Span, level: &Level) -> Signal {
        let has_lasted = self.has_lasted(place, waited, level);
        let Queue { is_dropping, drop_next, count, last_count, .. } = self.queues[place];
        if !has_lasted {
            self.queues[place].is_dropping = false;
            return Signal::None;
        }
        if is_dropping && level.now < drop_next {
            return Signal::None;
        }
        let since_it_began = count - last_count;
        let since_due = level.now.saturating_sub(drop_next).get();
        let (from, count) = match is_dropping {
            true => (drop_next, count + 1),
            false if since_it_began > 1 && since_due / REMEMBERED < self.interval.get() => {
                (level.now, since_it_began)
            }
            false => (level.now, 1),
        };
        let drop_next = from + self.gap(count);
        let queue = &mut self.queues[place];
        queue.last_count = if is_dropping { last_count } else { count };
        (queue.is_dropping, queue.drop_next, queue.count) = (true, drop_next, count);
        Signal::Mark
    }
}

impl Marker for Codel {
    type Parameters = Parameters;

    fn when(_parameters: &Parameters) -> When {
        When::Dequeue
    }

    fn new(parameters: &Parameters, places: &[Place]) -> Result<Self, Unfit> {
        if !places.iter().all(|place| place.drops_at_head) {
            return Err(Unfit {
                problem: "codel drops what leaves a queue of a switch".to_owned(),
                expected: "expected it in marking.queue of a switch with a shared memory",
            });
        }
        let &Parameters { target, interval, ce_threshold } = parameters;
        let largest_frame = places.first().map_or(Bytes::ZERO, |place| place.taken_by(place.largest_frame));
        let (ce_threshold, queues) =
            (ce_threshold.unwrap_or(Span::MAX), vec![Queue::default(); places.len()]);
        Ok(Self { target, interval, ce_threshold, largest_frame, queues })
    }

    fn signal(&mut self, place: usize, level: &Level, _rng: &mut Rng) -> Signal {
        let came = self.queues[place].arrivals.pop_front().unwrap_or(level.now);
        let waited = level.now.since(came);
        match self.by_rule(place, waited, level) {
            Signal::None if waited > self.ce_threshold => Signal::MarkIfCapable,
            signal => signal,
        }
    }

    fn drops_at_head(&self) -> bool {
        true
    }

    fn follows(&self) -> bool {
        true
    }

    fn on_arrival(&mut self, place: usize, level: &Level) {
        self.queues[place].arrivals.push_back(level.now);
    }

    fn on_refusal(&mut self, place: usize) {
        self.queues[place].arrivals.pop_back();
    }

    fn on_loss(&mut self, place: usize) {
        self.queues[place].arrivals.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::{Purpose, stream};
    use crate::kernel::units::Rate;

    const FRAME: Bytes = Bytes::new(1500);

    fn codel() -> Codel {
        with_threshold(None)
    }

    fn with_threshold(ce_threshold: Option<Span>) -> Codel {
        let place = Place { drops_at_head: true, ..Place::at(Rate::from_gbps(1), FRAME) };
        Codel::new(&Parameters { ce_threshold, ..Parameters::default() }, &[place]).unwrap()
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_milliseconds(milliseconds)
    }

    /// Whether each millisecond in `times` a packet is dropped that has waited for `waited` and leaves `others` behind.
    fn drops(codel: &mut Codel, times: std::ops::Range<u64>, waited: Span, others: Bytes) -> Vec<u64> {
        let mut rng = stream(1, Purpose::Marking, 0);
        let mut drops = |now: &u64| {
            let now = at(*now);
            let level = Level { now: Time::new(now.get() - waited.get()), others, frame: FRAME };
            codel.on_arrival(0, &level);
            codel.signal(0, &Level { now, ..level }, &mut rng) == Signal::Mark
        };
        times.filter(|now| drops(now)).collect()
    }

    const LONG: Span = Span::from_milliseconds(5);
    const MANY: Bytes = Bytes::new(100_000);

    /// The interval over the root of the count (RFC 8289, section 3.3), computed by hand.
    #[test]
    fn gaps_shrink_with_the_root_of_the_count() {
        let gaps = [1, 2, 3, 4, 5].map(|count| codel().gap(count).as_seconds() * 1e3);
        let expected = [100.0, 70.710_7, 57.735, 50.0, 44.721_4];
        assert!(gaps.into_iter().zip(expected).all(|(gap, expected)| (gap - expected).abs() < 1e-4));
    }

    /// From 1 s on all wait for the target: the first drop an interval later, at 1.1 s, then after 100, 70.7, 57.7 and 50 ms.
    #[test]
    fn drops_begin_after_an_interval_and_come_faster() {
        assert_eq!(drops(&mut codel(), 1_000..1_400, LONG, MANY), [1_100, 1_200, 1_271, 1_329, 1_379]);
    }

    #[test]
    fn one_short_wait_begins_the_interval_anew() {
        let mut codel = codel();
        let short = Span::new(LONG.get() - 1);
        assert!(drops(&mut codel, 1_000..1_100, LONG, MANY).is_empty());
        assert!(drops(&mut codel, 1_100..1_101, short, MANY).is_empty());
        assert_eq!(drops(&mut codel, 1_101..1_202, LONG, MANY), [1_201]);
    }

    #[test]
    fn the_last_packet_is_left_alone() {
        assert!(drops(&mut codel(), 1_000..2_000, LONG, FRAME).is_empty());
        assert!(!drops(&mut codel(), 1_000..2_000, LONG, FRAME + Bytes::new(1)).is_empty());
    }

    /// Five drops, of which the last is the fourth after the one that it began with: within 16 intervals of the next due, at
    /// 1424 ms, it goes on with a count of 4, and the next drop is due 50 ms later; after them with 1.
    #[test]
    fn dropping_that_begins_anew_soon_goes_on_where_it_was() {
        for (again, gap) in [(1_500, 50), (3_100, 100)] {
            let mut codel = codel();
            drops(&mut codel, 1_000..1_400, LONG, MANY);
            drops(&mut codel, 1_400..1_401, Span::ZERO, MANY);
            let found = drops(&mut codel, again..again + 201, LONG, MANY);
            assert_eq!(found[..2], [again + 100, again + 100 + gap]);
        }
    }

    /// After a pause several drops are due at once: the packets that leave at the instant are all dropped until none is.
    #[test]
    fn what_is_overdue_is_dropped_at_once() {
        let mut codel = codel();
        drops(&mut codel, 1_000..1_101, LONG, MANY);
        let mut rng = stream(1, Purpose::Marking, 0);
        let (came, now) = (Level { now: at(1_101), others: MANY, frame: FRAME }, at(1_260));
        (0..5).for_each(|_| codel.on_arrival(0, &came));
        let dropped = (0..5).filter(|_| codel.signal(0, &Level { now, ..came }, &mut rng) == Signal::Mark);
        // Due were: at 1200 ms; then at 1271, 1329 and 1379 ms.
        assert_eq!(dropped.count(), 1);
        let now = at(1_380);
        (0..5).for_each(|_| codel.on_arrival(0, &came));
        let dropped = (0..5).filter(|_| codel.signal(0, &Level { now, ..came }, &mut rng) == Signal::Mark);
        assert_eq!(dropped.count(), 3);
    }

    /// The last packet too, which the rule of CoDel leaves alone. At the threshold itself nothing is marked yet.
    #[test]
    fn every_packet_that_has_waited_longer_than_the_threshold_is_marked_if_it_can_be() {
        let mut codel = with_threshold(Some(Span::from_milliseconds(1)));
        let mut rng = stream(1, Purpose::Marking, 0);
        let mut answers = |waited: Span, others| {
            let now = at(1_000);
            let level = Level { now: Time::new(now.get() - waited.get()), others, frame: FRAME };
            codel.on_arrival(0, &level);
            codel.signal(0, &Level { now, ..level }, &mut rng)
        };
        let threshold = Span::from_milliseconds(1);
        assert_eq!(answers(threshold, MANY), Signal::None);
        assert_eq!(answers(threshold + Span::new(1), MANY), Signal::MarkIfCapable);
        assert_eq!(answers(threshold + Span::new(1), Bytes::ZERO), Signal::MarkIfCapable);
    }

    #[test]
    fn a_threshold_changes_nothing_of_the_rule() {
        let mut codel = with_threshold(Some(Span::from_milliseconds(1)));
        assert_eq!(drops(&mut codel, 1_000..1_400, LONG, MANY), [1_100, 1_200, 1_271, 1_329, 1_379]);
    }

    #[test]
    fn what_is_refused_or_lost_leaves_no_time_behind() {
        let mut codel = codel();
        let level = |now| Level { now: at(now), others: MANY, frame: FRAME };
        codel.on_arrival(0, &level(1));
        codel.on_arrival(0, &level(2));
        codel.on_refusal(0);
        assert!(codel.queues[0].arrivals.iter().eq(&[at(1)]));
        codel.on_arrival(0, &level(3));
        codel.on_loss(0);
        assert!(codel.queues[0].arrivals.iter().eq(&[at(3)]));
    }

    #[test]
    fn it_sits_only_where_packets_can_be_dropped_as_they_leave() {
        assert!(Codel::new(&Parameters::default(), &[Place::at(Rate::from_gbps(1), FRAME)]).is_err());
    }
}
