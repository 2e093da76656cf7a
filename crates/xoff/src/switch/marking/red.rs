//! Random Early Detection (RED): the probability of a mark rises with the length.
//! Without `weight` it goes by the instantaneous length, as datacenter switches do (DCQCN, SIGCOMM 2015, section 3.1,
//! figure 5). With it, by an average, as the original does (Floyd and Jacobson, ToN 1993). `uniform` spaces marks
//! evenly (section 7 there). With `gentle` the probability rises on to 1 and does not jump (Floyd 2000).
//! DCTCP (SIGCOMM 2010, section 4.1) failed with the guideline values at 10 Gbps: weight 1/512, 50 and 150 packets,
//! 0.1.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Departure, Level, Marker, Place, Range, Signal, Unfit, When};
use crate::kernel::rng::{Rng, unit_interval};
use crate::kernel::units::{Bytes, Ratio, Span, Time};

/// Marks with a probability that rises from 0 at `minimum` to `probability` at `maximum`, and every packet above.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // keys of scenarios
pub struct Parameters {
    /// Bytes up to which no packet is marked [K_min].
    pub minimum: Bytes,
    /// Bytes above which every packet is marked, or with `gentle` above twice which [K_max].
    #[schemars(extend("x-above-key" = "minimum"))]
    pub maximum: Bytes,
    /// Probability of a mark at `maximum`, 0 to 1 [P_max].
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub probability: f64,
    /// Share of the latest length in the average, above 0 and at most 1; a weight exponent of 9 is `"1/512"`. Left out, the
    /// length itself counts [w_q].
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub weight: Option<Ratio>,
    /// Whether the packets since the last mark raise the probability, so that marks are evenly spaced [count].
    #[serde(default)]
    pub uniform: bool,
    /// Whether the probability rises from `probability` at `maximum` to 1 at twice that, and does not jump.
    #[serde(default)]
    pub gentle: bool,
    /// Byte mode: a packet is marked by its share of `mean_packet`, and marks are spaced by bytes.
    #[serde(default)]
    pub bytes: bool,
    /// A typical packet, for `bytes` and for how far the average falls while nothing is there. Left out, the largest frame of
    /// the transports.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub mean_packet: Option<Bytes>,
    /// Moment at which packets are marked; an average is always that of arrivals.
    #[serde(default)]
    pub when: When,
    /// Whether packets that are not ECN-capable pass where they would be dropped instead of marked: Linux's `nodrop`, and ECN
    /// without WRED of switches.
    #[serde(default)]
    pub marks_only: bool,
}

impl Parameters {
    /// RED on the instantaneous length, which decides on each packet by itself.
    pub fn between(minimum: Bytes, maximum: Bytes, probability: f64) -> Self {
        Self {
            minimum,
            maximum,
            probability,
            weight: None,
            uniform: false,
            gentle: false,
            bytes: false,
            mean_packet: None,
            when: When::Enqueue,
            marks_only: false,
        }
    }
}

/// RED between the same lengths everywhere.
#[derive(Clone, Debug)]
pub struct Red {
    minimum: Bytes,
    maximum: Bytes,
    probability: f64,
    gentle: bool,
    uniform: bool,
    marks_only: bool,
    /// Size of the packet that counts as one, where RED counts bytes and not packets.
    counted_packet: Option<Bytes>,
    /// Packets or bytes that have passed at each place since the last mark, or since the length rose above the minimum.
    counts: Vec<Option<u64>>,
    /// Average length of each place; `None` where the instantaneous length counts.
    averages: Option<Averages>,
}

/// The average length of each place.
#[derive(Clone, Debug)]
struct Averages {
    weight: f64,
    places: Vec<Average>,
}

/// The average length of one place.
#[derive(Clone, Debug)]
struct Average {
    /// Average length in bytes [avg].
    length: f64,
    /// Time at which the place became empty, or was last found empty [q_time].
    empty_since: Time,
    /// Time in which a typical packet could have left [s].
    slot: Span,
}

impl Averages {
    fn new(weight: Ratio, packet: impl Fn(&Place) -> Bytes, places: &[Place]) -> Self {
        let average = |place: &Place| Average {
            length: 0.0,
            empty_since: Time::ZERO,
            slot: place.rate.transmission_time(packet(place)).max(Span::new(1)),
        };
        Self { weight: weight.as_f64(), places: places.iter().map(average).collect() }
    }

    /// A packet finds `level`. While nothing was there, the average has fallen as if typical packets had found nothing.
    fn on_arrival(&mut self, place: usize, level: &Level) {
        let average = &mut self.places[place];
        if level.others > Bytes::ZERO {
            average.length += self.weight * (level.others.as_f64() - average.length);
            return;
        }
        let slots = level.now.since(average.empty_since).as_seconds() / average.slot.as_seconds();
        average.length *= libm::pow(1.0 - self.weight, slots);
        average.empty_since = level.now;
    }
}

impl Red {
    /// Probability that a packet that finds `length` bytes is marked, whatever came before [p_b].
    pub fn probability_at(&self, length: f64) -> f64 {
        let (minimum, maximum) = (self.minimum.as_f64(), self.maximum.as_f64());
        if length <= minimum {
            0.0
        } else if length <= maximum {
            self.probability * (length - minimum) / (maximum - minimum)
        } else if self.gentle && length <= 2.0 * maximum {
            self.probability + (1.0 - self.probability) * (length - maximum) / maximum
        } else {
            1.0
        }
    }

    /// The count with one more packet.
    fn counted(&self, count: Option<u64>, frame: Bytes) -> u64 {
        let passed = if self.counted_packet.is_some() { frame.get() } else { 1 };
        count.map_or(0, |count| count + passed)
    }

    /// The probability after what has passed since the last mark [p_a].
    fn spaced(&self, probability: f64, count: u64, frame: Bytes) -> f64 {
        let packet = self.counted_packet.map(Bytes::as_f64);
        let passed = count as f64 / packet.unwrap_or(1.0);
        let spaced = if self.uniform { uniform(probability, passed) } else { probability };
        match packet {
            Some(packet) if spaced < 1.0 => spaced * frame.as_f64() / packet,
            _ => spaced,
        }
    }
}

/// `p_a = p_b / (1 - count p_b)`.
fn uniform(probability: f64, count: f64) -> f64 {
    let rest = 1.0 - count * probability;
    if rest > probability { probability / rest } else { 1.0 }
}

impl Marker for Red {
    type Parameters = Parameters;

    fn when(parameters: &Parameters) -> When {
        parameters.when
    }

    fn new(parameters: &Parameters, places: &[Place]) -> Result<Self, Unfit> {
        let &Parameters {
            minimum,
            maximum,
            probability,
            weight,
            uniform,
            gentle,
            bytes,
            mean_packet,
            marks_only,
            when: _,
        } = parameters;
        if mean_packet.is_some() && !bytes && weight.is_none() {
            return Err(Unfit {
                problem: "nothing reads `mean_packet`".to_owned(),
                expected: "expected `weight` or `bytes = true` beside it",
            });
        }
        let packet = |place: &Place| mean_packet.unwrap_or(place.largest_frame);
        let counted = places.first().filter(|place| bytes || uniform && place.counts_bytes);
        if weight.is_some() {
            places.iter().try_for_each(Place::check_followed)?;
        }
        Ok(Self {
            minimum,
            maximum,
            probability,
            gentle,
            uniform,
            marks_only,
            counted_packet: counted.map(|place| place.taken_by(packet(place))),
            counts: vec![None; places.len()],
            averages: weight.map(|weight| Averages::new(weight, packet, places)),
        })
    }

    fn signal(&mut self, place: usize, level: &Level, rng: &mut Rng) -> Signal {
        let average = self.averages.as_ref().map(|averages| averages.places[place].length);
        let probability = self.probability_at(average.unwrap_or_else(|| level.others.as_f64()));
        if probability <= 0.0 {
            self.counts[place] = None;
            return Signal::None;
        }
        let count = self.counted(self.counts[place], level.frame);
        let is_marked = unit_interval(rng) < self.spaced(probability, count, level.frame);
        self.counts[place] = Some(if is_marked { 0 } else { count });
        Signal::of(is_marked, self.marks_only)
    }

    fn range(&self, _place: usize) -> Option<Range> {
        let all_above = if self.gentle { self.maximum * 2 } else { self.maximum };
        self.averages.is_none().then_some(Range { none_up_to: self.minimum, all_above })
    }

    fn reach(&self, _place: usize) -> Option<Range> {
        Some(Range { none_up_to: self.minimum, all_above: self.maximum })
    }

    fn silent_up_to(&self) -> Option<Bytes> {
        (!self.uniform && self.averages.is_none()).then_some(self.minimum)
    }

    fn drops_incapable(&self) -> bool {
        !self.marks_only
    }

    fn follows(&self) -> bool {
        self.averages.is_some()
    }

    fn on_arrival(&mut self, place: usize, level: &Level) {
        if let Some(averages) = &mut self.averages {
            averages.on_arrival(place, level);
        }
    }

    fn on_departure(&mut self, place: usize, departure: &Departure) {
        if let Some(averages) = self.averages.as_mut().filter(|_| departure.after == Bytes::ZERO) {
            averages.places[place].empty_since = departure.now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::{Purpose, stream};
    use crate::kernel::units::Rate;
    use crate::switch::cell::Cell;

    const FRAME: Bytes = Bytes::new(1500);

    fn between(minimum: u64, maximum: u64, probability: f64) -> Parameters {
        Parameters::between(Bytes::new(minimum), Bytes::new(maximum), probability)
    }

    /// Two places at 1 Gbps, where a frame takes 12 us.
    fn start(parameters: &Parameters) -> Red {
        Red::new(parameters, &[Place::at(Rate::from_gbps(1), FRAME); 2]).unwrap()
    }

    fn red(minimum: u64, maximum: u64, probability: f64) -> Red {
        start(&between(minimum, maximum, probability))
    }

    fn uniform_red(minimum: u64, maximum: u64, probability: f64) -> Red {
        start(&Parameters { uniform: true, ..between(minimum, maximum, probability) })
    }

    fn level(others: u64) -> Level {
        Level { now: Time::ZERO, others: Bytes::new(others), frame: FRAME }
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    /// DCQCN (SIGCOMM 2015), equation 5, computed by hand.
    #[test]
    fn the_probability_rises_linearly_and_jumps_to_one() {
        let red = red(100_000, 400_000, 0.2);
        let expected = [0.0, 0.1, 0.199_933_3, 0.2, 1.0];
        let lengths = [100_000.0, 250_000.0, 399_900.0, 400_000.0, 401_000.0];
        assert!(
            lengths
                .map(|length| red.probability_at(length))
                .into_iter()
                .zip(expected)
                .all(|(found, expected)| close(found, expected))
        );
    }

    /// From 0.2 at 400 kB to 1 at 800 kB: halfway 0.6.
    #[test]
    fn a_gentle_probability_rises_on_to_one_at_twice_the_maximum() {
        let red = start(&Parameters { gentle: true, ..between(100_000, 400_000, 0.2) });
        let expected = [0.1, 0.2, 0.6, 1.0, 1.0];
        let lengths = [250_000.0, 400_000.0, 600_000.0, 800_000.0, 800_001.0];
        let found = lengths.map(|length| red.probability_at(length));
        assert!(found.into_iter().zip(expected).all(|(found, expected)| close(found, expected)), "{found:?}");
    }

    /// Floyd and Jacobson, section 4, by hand: 100 packets that find 50 others; then from 50, 10 ms of nothing at
    /// 12 us a packet.
    #[test]
    fn the_average_follows_arrivals_and_falls_while_nothing_is_there() {
        let weighted = Parameters { weight: Some(Ratio::new(1, 500)), ..between(0, 150_000_000, 0.1) };
        let mut red = start(&weighted);
        let average = |red: &Red| red.averages.as_ref().unwrap().places[0].length / 1500.0;
        for _ in 0..100 {
            red.on_arrival(0, &level(50 * 1500));
        }
        assert!(close(average(&red), 9.071_660), "{}", average(&red));
        red.averages.as_mut().unwrap().places[0].length = 50.0 * 1500.0;
        let at = |microseconds| Time::ZERO + Span::from_microseconds(microseconds);
        let departure = |after| Departure { now: at(1_000), before: FRAME, after: Bytes::new(after) };
        red.on_departure(0, &departure(0));
        // Whoever comes in between and finds nothing changes nothing.
        for now in [4_000, 11_000] {
            red.on_arrival(0, &Level { now: at(now), ..level(0) });
        }
        assert!(close(average(&red), 9.428_033), "{}", average(&red));
    }

    /// Shared-buffer RED as BCC (APNet 2017, section 5) sets it; the probabilities between are computed by hand.
    #[test]
    fn the_papers_pool_is_marked_with_the_papers_probabilities() {
        let red = uniform_red(1_802_000, 2_602_000, 0.1);
        for (length, expected) in
            [(1_802_000.0, 0.0), (2_000_000.0, 0.024_75), (2_200_000.0, 0.049_75), (2_602_001.0, 1.0)]
        {
            assert!(close(red.probability_at(length), expected), "{length}");
        }
    }

    /// p_b / (1 - count p_b) (Floyd and Jacobson, section 4), computed by hand.
    #[test]
    fn packets_without_a_mark_raise_the_probability() {
        let red = uniform_red(0, 100_000, 0.1);
        let at = |count, expected| close(red.spaced(0.05, count, FRAME), expected);
        assert!(at(0, 0.05) && at(5, 0.066_666_7) && at(10, 0.1) && at(19, 1.0) && at(30, 1.0));
    }

    /// At a constant length with p_b = 1/20 (Floyd and Jacobson, section 7): each gap from 1 to 19 is equally likely. The
    /// packet after a mark counts already, which is why 20 comes only before the first.
    #[test]
    fn uniformised_gaps_are_uniform() {
        let mut red = uniform_red(0, 100_000, 0.1);
        let mut rng = stream(1, Purpose::Marking, 0);
        let (mut gaps, mut gap) = (Vec::new(), 0);
        for _ in 0..200_000 {
            gap += 1;
            if red.signal(0, &level(50_000), &mut rng) == Signal::Mark {
                gaps.push(gap);
                gap = 0;
            }
        }
        let each = |wanted| gaps.iter().filter(|gap| **gap == wanted).count() as f64 / gaps.len() as f64;
        assert!(gaps.iter().all(|gap| *gap <= 20));
        assert!((1..=19).all(|gap| (each(gap) - 1.0 / 19.0).abs() < 0.005));
    }

    #[test]
    fn each_place_counts_for_itself_and_anew_below_the_minimum() {
        let mut red = uniform_red(10_000, 100_000, 1e-9);
        let mut rng = stream(1, Purpose::Marking, 0);
        let count_after = |(place, others)| {
            red.signal(place, &level(others), &mut rng);
            red.counts[place]
        };
        let packets = [(0, 20_000), (0, 20_000), (1, 20_000), (0, 10_000), (0, 20_000), (1, 20_000)];
        let expected = [Some(0), Some(1), Some(0), None, Some(0), Some(1)];
        assert_eq!(packets.map(count_after), expected);
    }

    #[test]
    fn in_bytes_a_small_packet_counts_less_and_is_marked_less_often() {
        let bytes =
            Parameters { bytes: true, mean_packet: Some(Bytes::new(9_000)), ..between(0, 100_000, 0.1) };
        let independent = start(&bytes);
        assert!(close(independent.spaced(0.05, 45_000, Bytes::new(900)), 0.005));
        let spaced = start(&Parameters { uniform: true, ..bytes });
        assert!(close(spaced.spaced(0.05, 45_000, Bytes::new(9_000)), 0.066_666_7));
        assert!(close(spaced.spaced(0.05, 45_000, Bytes::new(900)), 0.006_666_67));
        assert_eq!(spaced.counted(Some(45_000), Bytes::new(900)), 45_900);
    }

    /// A frame of 1500 B takes eight cells of 208 B, 1664 B, and leaves in the 12 us of 1500 B.
    #[test]
    fn in_cells_a_typical_packet_takes_more_memory_and_no_more_time() {
        let cell = Cell { size: Bytes::new(208), metadata: Bytes::new(64) };
        let place = Place { cell: Some(cell), ..Place::at(Rate::from_gbps(1), FRAME) };
        for mean_packet in [None, Some(FRAME)] {
            let weight = Some(Ratio::new(1, 500));
            let parameters = Parameters { weight, bytes: true, mean_packet, ..between(0, 100_000, 0.1) };
            let red = Red::new(&parameters, &[place]).unwrap();
            assert_eq!(red.averages.as_ref().unwrap().places[0].slot, Span::from_microseconds(12));
            assert!(close(red.spaced(0.05, 0, cell.taken_by(FRAME)), 0.05));
        }
    }

    #[test]
    fn a_mean_packet_is_for_those_who_read_it() {
        let parameters = Parameters { mean_packet: Some(FRAME), ..between(0, 1, 0.1) };
        let unfit = Red::new(&parameters, &[Place::at(Rate::from_gbps(1), FRAME)]).unwrap_err();
        assert_eq!(unfit.problem, "nothing reads `mean_packet`");
    }

    #[test]
    fn a_certain_mark_is_certain_for_a_small_packet_too() {
        let by_bytes = start(&Parameters { bytes: true, ..between(100_000, 400_000, 0.2) });
        assert!(
            close(by_bytes.spaced(1.0, 0, FRAME), 1.0)
                && close(by_bytes.spaced(1.0, 0, Bytes::new(750)), 1.0)
        );
        assert!(close(by_bytes.spaced(0.2, 0, Bytes::new(750)), 0.1));
    }

    /// An average or a count changes with packets below the minimum, too.
    #[test]
    fn red_is_silent_below_its_minimum_where_it_remembers_nothing() {
        let parameters = between(100_000, 400_000, 0.2);
        let with_average = Parameters { weight: Some(Ratio::new(1, 2)), ..parameters.clone() };
        let with_count = Parameters { uniform: true, ..parameters.clone() };
        let both = Parameters { uniform: true, ..with_average.clone() };
        for (parameters, silent, follows) in [
            (parameters.clone(), Some(Bytes::new(100_000)), false),
            (with_average, None, true),
            (with_count, None, false),
            (both, None, true),
        ] {
            let red = start(&parameters);
            assert_eq!((red.silent_up_to(), red.follows()), (silent, follows), "{parameters:?}");
        }
        for marks_only in [false, true] {
            let red = start(&Parameters { marks_only, ..parameters.clone() });
            assert_eq!(red.drops_incapable(), !marks_only);
        }
    }

    #[test]
    fn an_average_of_bytes_can_be_followed_at_a_port() {
        let parameters = Parameters { weight: Some(Ratio::new(1, 2)), ..between(100_000, 400_000, 0.2) };
        let place = Place { counts_bytes: true, ..Place::at(Rate::from_gbps(1), FRAME) };
        assert!(Red::new(&parameters, &[place]).is_ok());
    }
}
