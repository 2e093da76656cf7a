//! PI controller: a probability of marks that follows the length's distance from a reference, and its change.
//! Source: Hollot, Misra, Towsley and Gong, INFOCOM 2001. Gains want tuning to the link's rate, the least number of
//! flows and the longest round trip; the defaults are those of ns-2.
//! Left out: byte mode, and even spacing of marks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Departure, Level, Marker, Place, Range, Signal, Unfit, When};
use crate::kernel::rng::{Rng, unit_interval};
use crate::kernel::units::{Bytes, Span, Time};

/// Marks with a probability that rises while the length is above `reference`. Every `interval` it becomes
/// `p + a (q - q_ref) - b (q_old - q_ref)`, kept between 0 and 1.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Length at which the controller aims [q_ref].
    pub reference: Bytes,
    /// Probability that each packet above the reference adds at a sample; above `b`.
    #[serde(default = "default_a")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub a: f64,
    /// Probability that each packet above the reference at the previous sample takes away.
    #[serde(default = "default_b")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub b: f64,
    /// Time between samples of the length; ns-2 has 170 a second [1/f].
    #[serde(default = "default_interval")]
    #[schemars(extend("x-above" = "0s"))]
    pub interval: Span,
    /// Size of the packets in which `a` and `b` count the length. Left out, the largest frame of the transports.
    #[serde(default)]
    #[schemars(extend("x-at-least" = "1B"))]
    pub mean_packet: Option<Bytes>,
}

const fn default_a() -> f64 {
    1.822e-5
}

const fn default_b() -> f64 {
    1.816e-5
}

const fn default_interval() -> Span {
    Span::new(1_000_000_000_000 / 170)
}

/// The PI controller of all places.
#[derive(Clone, Debug)]
pub struct Pi {
    reference: Bytes,
    interval: Span,
    /// Probability that a byte above the reference adds [a].
    gain: f64,
    /// Probability that a byte above the reference takes away a sample later [b].
    gain_before: f64,
    places: Vec<Control>,
}

/// Controller of one place. The length changes only as packets come and go, so the samples in between are made up for
/// then.
#[derive(Clone, Debug)]
struct Control {
    probability: f64,
    /// Bytes by which the last sample was above the reference [q_old - q_ref].
    above: f64,
    next_sample: Time,
}

impl Pi {
    /// Takes all samples that are due, at which the place has held `length`.
    fn catch_up(&mut self, place: usize, now: Time, length: Bytes) {
        let control = &mut self.places[place];
        if now < control.next_sample {
            return;
        }
        let above = length.as_f64() - self.reference.as_f64();
        let first = self.gain * above - self.gain_before * control.above;
        let probability = (control.probability + first).clamp(0.0, 1.0);
        // While the length stays, so does the step.
        let others = now.since(control.next_sample).get() / self.interval.get();
        let step = (self.gain - self.gain_before) * above;
        control.probability = (probability + others as f64 * step).clamp(0.0, 1.0);
        control.above = above;
        control.next_sample = control.next_sample + self.interval * (others + 1);
    }
}

impl Marker for Pi {
    type Parameters = Parameters;

    fn when(_parameters: &Parameters) -> When {
        When::Enqueue
    }

    fn new(parameters: &Parameters, places: &[Place]) -> Result<Self, Unfit> {
        let &Parameters { reference, a, b, interval, mean_packet } = parameters;
        if a <= b {
            return Err(Unfit {
                problem: format!(
                    "`a` is {a} and `b` is {b}, so that a long queue never raises the probability"
                ),
                expected: "expected `a` above `b`",
            });
        }
        places.iter().try_for_each(Place::check_followed)?;
        let packet = |place: &Place| place.taken_by(mean_packet.unwrap_or(place.largest_frame)).as_f64();
        let packet = places.first().map_or(1.0, packet);
        let control =
            Control { probability: 0.0, above: -reference.as_f64(), next_sample: Time::ZERO + interval };
        let places = vec![control; places.len()];
        Ok(Self { reference, interval, gain: a / packet, gain_before: b / packet, places })
    }

    fn signal(&mut self, place: usize, _level: &Level, rng: &mut Rng) -> Signal {
        if unit_interval(rng) < self.places[place].probability { Signal::Mark } else { Signal::None }
    }

    fn reach(&self, _place: usize) -> Option<Range> {
        Some(Range { none_up_to: self.reference, all_above: self.reference })
    }

    fn follows(&self) -> bool {
        true
    }

    fn on_arrival(&mut self, place: usize, level: &Level) {
        self.catch_up(place, level.now, level.others);
    }

    fn on_departure(&mut self, place: usize, departure: &Departure) {
        self.catch_up(place, departure.now, departure.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::Rate;

    const PACKET: Bytes = Bytes::new(1000);
    const INTERVAL: Span = Span::from_milliseconds(5);

    fn parameters() -> Parameters {
        let (a, b, reference) = (default_a(), default_b(), PACKET * 50);
        Parameters { reference, a, b, interval: INTERVAL, mean_packet: None }
    }

    fn start(parameters: &Parameters) -> Result<Pi, Unfit> {
        Pi::new(parameters, &[Place::at(Rate::from_gbps(1), PACKET)])
    }

    fn at(samples: u64, more: Span) -> Time {
        Time::ZERO + INTERVAL * samples + more
    }

    fn arrival(now: Time, packets: u64) -> Level {
        Level { now, others: PACKET * packets, frame: PACKET }
    }

    /// Computed by hand from p + a (q - q_ref) - b (q_old - q_ref) (Hollot et al., INFOCOM 2001), with ns-2's gains.
    #[test]
    fn the_probability_follows_the_distance_and_its_change() {
        let mut pi = start(&parameters()).unwrap();
        for (sample, (packets, expected)) in
            (1..).zip([(0, 0.0), (100, 0.001_819), (200, 0.003_644), (150, 0.002_742)])
        {
            pi.on_arrival(0, &arrival(at(sample, Span::ZERO), packets));
            let probability = pi.places[0].probability;
            assert!((probability - expected).abs() < 5e-7, "{probability}");
        }
    }

    /// Samples of a timer, of a queue that goes up and down by a packet at odd times.
    #[test]
    fn samples_made_up_for_are_those_of_a_timer() {
        let gains = Parameters { a: 1.9e-4, b: 1.8e-4, ..parameters() };
        let mut pi = start(&gains).unwrap();
        let (mut expected, mut above, mut sampled) = (0.0_f64, -50.0, 0);
        let (mut now, mut length) = (Time::ZERO, 0_u32);
        for step in 1..20_000_u64 {
            let pause = if step % 50 == 0 { 40_000 } else { 777 * (step % 7) };
            now = now + Span::from_microseconds(pause);
            while at(sampled + 1, Span::ZERO) <= now {
                sampled += 1;
                let before = std::mem::replace(&mut above, f64::from(length) - 50.0);
                expected = (expected + gains.a * above - gains.b * before).clamp(0.0, 1.0);
            }
            if step % 300 < 151 {
                pi.on_arrival(0, &arrival(now, length.into()));
                length += 1;
            } else if length > 0 {
                let before = PACKET * u64::from(length);
                pi.on_departure(0, &Departure { now, before, after: before - PACKET });
                length -= 1;
            } else {
                pi.on_arrival(0, &arrival(now, 0));
            }
            assert!((pi.places[0].probability - expected).abs() < 1e-9, "step {step}");
        }
        assert!(sampled > 10_000);
    }

    #[test]
    fn a_day_of_nothing_takes_one_step() {
        let mut pi = start(&parameters()).unwrap();
        pi.places[0].probability = 1.0;
        pi.on_arrival(0, &arrival(Time::ZERO + Span::from_seconds(86_400.0), 0));
        assert!(pi.places[0].probability.abs() < f64::EPSILON);
        assert_eq!(pi.places[0].next_sample, Time::ZERO + Span::from_seconds(86_400.0) + INTERVAL);
    }

    #[test]
    fn gains_that_never_raise_the_probability_are_refused() {
        let unfit = start(&Parameters { a: 1e-5, b: 1e-5, ..parameters() }).unwrap_err();
        assert_eq!(unfit.expected, "expected `a` above `b`");
    }
}
