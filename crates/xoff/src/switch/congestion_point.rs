//! Congestion points (802.1Qau): measure how congested a buffer is, once in so many arrived bytes, and choose the frame
//! to blame.
//! All measure in the same way; they differ in how they choose the culprit.
//!
//! To add a way: its file here, and one line in the list below.

use std::num::NonZeroU8;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::rng::{Rng, below};
use crate::kernel::units::{Bytes, Ratio, Span};

/// Settings of a congestion point, however it samples.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Bytes that the buffer is to hold [`Q_eq`].
    #[schemars(extend("x-at-least" = "1B"))]
    pub set_point: Bytes,
    /// Weight of the change since the sample before, against the distance from the set point [w].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub weight: Ratio,
    /// Bytes that arrive from one sample to the next without congestion [`I_s`]; down to 37/300 of it with the worst.
    #[schemars(extend("x-at-least" = "1B"))]
    pub interval: Bytes,
    /// Share by which each interval is longer or shorter at random, at least 0 and below 1.
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub spread: Ratio,
    /// Time between samples while the sender at the other end of the link is paused, so that nothing arrives. Left out, there
    /// are none. With arrivals as culprits there cannot be any.
    #[schemars(extend("x-above" = "0s"))]
    pub keep_alive: Option<Span>,
    /// Traffic class of the notifications, 0 to 7. Left out, that of the culprit.
    #[schemars(extend("maximum" = 7))]
    pub cnm_priority: Option<u8>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            set_point: Bytes::new(26_000),
            weight: Ratio::new(2, 1),
            interval: Bytes::new(150_000),
            spread: Ratio::new(3, 20),
            keep_alive: None,
            cnm_priority: None,
        }
    }
}

/// Feedback: congestion of a buffer in 63 steps, as a congestion notification message carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feedback(NonZeroU8);

impl Feedback {
    /// 1 to 63.
    pub const fn get(self) -> u8 {
        self.0.get()
    }
}

/// The frames in a buffer, numbered from 0 in no order.
pub trait Frames {
    /// Number of frames.
    fn count(&self) -> u32;
    /// Units of the buffer that a frame takes, at least 1 and at most [`Frames::largest`].
    fn units(&self, position: u32) -> u32;
    /// The most units that any frame can take.
    fn largest(&self) -> u32;
    /// Whether a frame is data, which has a source that can be told.
    fn is_data(&self, position: u32) -> bool;
    /// Occupancy of the fullest buffer on a frame's way, in parts of 65536.
    fn path_congestion(&self, position: u32) -> u32;
}

/// Chooses the frame to blame.
pub trait Sampling {
    /// Chooses one of the frames, if there is one. `arrived` is the frame whose arrival is the reason to ask, if one
    /// is.
    fn culprit(arrived: Option<u32>, frames: &impl Frames, rng: &mut Rng) -> Option<u32>;
}

macro_rules! samplings {
    ($($module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// Congestion point, by its way to choose the flow that is told.
            pub enum Parameters by "sampling" in "congestion_point" { $($module => $name(Settings),)* }
        }

        impl Parameters {
            /// Settings that all have in common.
            pub fn settings(&self) -> &Settings {
                match self { $(Self::$name(settings) => settings,)* }
            }
            fn culprit(&self, arrived: Option<u32>, frames: &impl Frames, rng: &mut Rng) -> Option<u32> {
                match self { $(Self::$name(_) => $module::$name::culprit(arrived, frames, rng),)* }
            }
        }
    };
}

samplings! {
    arrival::Arrival,
    occupancy::Occupancy,
    two_samples::TwoSamples,
}

/// The parts of 300 to which the interval shrinks, by the upper three bits of the feedback: an eighth at most, the last two
/// as the standard rounds them in kilobytes of 150 (QCN pseudo-code, revision 2).
const INTERVALS: [u64; 8] = [300, 150, 100, 75, 60, 50, 43, 37];

/// The most that feedback says.
const MOST: i128 = 63;

/// The congestion point of one port and class.
#[derive(Clone, Debug)]
pub struct CongestionPoint {
    parameters: Parameters,
    /// Bytes in the buffer at the sample before [`q_old`].
    occupancy_before: Bytes,
    /// Bytes until the next sample.
    countdown: Bytes,
    rng: Rng,
}

impl CongestionPoint {
    /// Starts at an empty buffer, and draws from this stream.
    pub fn new(parameters: &Parameters, rng: Rng) -> Self {
        let mut point = Self {
            parameters: parameters.clone(),
            occupancy_before: Bytes::ZERO,
            countdown: Bytes::ZERO,
            rng,
        };
        point.restart_interval(None);
        point
    }

    /// Takes note of a frame of any kind that has arrived and is in the buffer. Feedback is for
    /// [`CongestionPoint::culprit`].
    #[inline]
    pub fn on_arrival(&mut self, frame: Bytes, occupancy: Bytes) -> Option<Feedback> {
        if frame < self.countdown {
            self.countdown -= frame;
            return None;
        }
        self.sample(occupancy)
    }

    /// Takes a sample by the clock, while nothing arrives because the sender at the other end of the link is paused.
    pub fn on_clock(&mut self, occupancy: Bytes) -> Option<Feedback> {
        self.sample(occupancy)
    }

    fn sample(&mut self, occupancy: Bytes) -> Option<Feedback> {
        let feedback = self.parameters.settings().feedback(occupancy, self.occupancy_before);
        self.occupancy_before = occupancy;
        self.restart_interval(feedback);
        feedback
    }

    fn restart_interval(&mut self, feedback: Option<Feedback>) {
        let settings = self.parameters.settings();
        let interval = settings.interval_after(feedback);
        let spread = settings.spread.of(interval);
        let drawn = below(&mut self.rng, spread.get() * 2 + 1);
        self.countdown = interval - spread + Bytes::new(drawn);
    }

    /// Chooses the frame whose source gets a CNM, if any. `arrived` is the frame that has just arrived, if one has.
    pub fn culprit(&mut self, arrived: Option<u32>, frames: &impl Frames) -> Option<u32> {
        let culprit = self.parameters.culprit(arrived, frames, &mut self.rng);
        culprit.filter(|&position| frames.is_data(position))
    }

    /// Time between calls of [`CongestionPoint::on_clock`] while nothing may arrive, if there are to be any.
    pub fn keep_alive(&self) -> Option<Span> {
        self.parameters.settings().keep_alive
    }

    /// Traffic class of the notifications, where it is not the culprit's.
    pub fn cnm_priority(&self) -> Option<u8> {
        self.parameters.settings().cnm_priority
    }
}

impl Settings {
    /// Feedback on an occupancy, rounded down, so that the least congestion is none. All is counted in parts of the weight's
    /// denominator.
    pub fn feedback(&self, occupancy: Bytes, before: Bytes) -> Option<Feedback> {
        let number = |bytes: Bytes| i128::from(bytes.get());
        let (above, below) = (i128::from(self.weight.numerator()), i128::from(self.weight.denominator()));
        let (set_point, occupancy) = (number(self.set_point), number(occupancy));
        let feedback = below * (occupancy - set_point) + above * (occupancy - number(before));
        let most = (2 * above + below) * set_point;
        let quantised = (feedback * MOST / most).clamp(0, MOST);
        NonZeroU8::new(quantised as u8).map(Feedback)
    }

    /// Bytes from a sample with this feedback to the next sample, before the interval is spread at random.
    pub fn interval_after(&self, feedback: Option<Feedback>) -> Bytes {
        let index = feedback.map_or(0, |feedback| feedback.get() >> 3);
        Ratio::new(INTERVALS[usize::from(index)], 300).of(self.interval)
    }
}

/// Draws an occupied unit of the buffer, each with the same probability whatever the number of frames or flows.
/// Every frame has as many places as the largest may take, and a place that it leaves empty is drawn again.
fn occupied_unit(frames: &impl Frames, rng: &mut Rng) -> Option<u32> {
    let (count, largest) = (u64::from(frames.count()), u64::from(frames.largest()));
    if count == 0 {
        return None;
    }
    loop {
        let place = below(rng, count * largest);
        let (position, unit) = ((place / largest) as u32, place % largest);
        if unit < u64::from(frames.units(position)) {
            return Some(position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::{Purpose, stream};
    use crate::reading::from_text;

    /// Number of draws from a fixed stream.
    pub(super) const DRAWS: u32 = 200_000;

    /// The frames of two flows, and how congested the way of each is.
    pub(super) struct TwoFlows {
        /// The flow of each frame, 0 or 1, and its units.
        pub(super) frames: Vec<(usize, u32)>,
        pub(super) path_congestion: [u32; 2],
    }

    impl Frames for TwoFlows {
        fn count(&self) -> u32 {
            self.frames.len() as u32
        }
        fn units(&self, position: u32) -> u32 {
            self.frames[position as usize].1
        }
        fn largest(&self) -> u32 {
            24
        }
        fn is_data(&self, _position: u32) -> bool {
            true
        }
        fn path_congestion(&self, position: u32) -> u32 {
            self.path_congestion[self.frames[position as usize].0]
        }
    }

    /// 5 units of the first flow and 55 of the second, in frames of all sizes.
    pub(super) fn five_and_fifty_five(path_congestion: [u32; 2]) -> TwoFlows {
        let frames = vec![(1, 24), (0, 1), (1, 24), (0, 4), (1, 1), (1, 6)];
        TwoFlows { frames, path_congestion }
    }

    pub(super) fn rng() -> Rng {
        stream(1, Purpose::CongestionPoint, 0)
    }

    pub(super) fn point(toml: &str) -> CongestionPoint {
        CongestionPoint::new(&from_text(toml), rng())
    }

    /// Share of draws in which the first flow is to blame.
    pub(super) fn share_of_first(point: &mut CongestionPoint, frames: &TwoFlows) -> f64 {
        let culprits = (0..DRAWS).map(|_| point.culprit(None, frames).unwrap());
        let of_first = culprits.filter(|&position| frames.frames[position as usize].0 == 0);
        of_first.count() as f64 / f64::from(DRAWS)
    }

    /// Four standard deviations of a share that is drawn so often.
    pub(super) fn assert_share(found: f64, expected: f64) {
        let deviation = (expected * (1.0 - expected) / f64::from(DRAWS)).sqrt();
        assert!((found - expected).abs() < 4.0 * deviation, "{found} and not {expected}");
    }

    /// Quantised feedback, 0 for none, and the interval after it.
    fn answer(settings: &Settings, occupancy: u64, before: u64) -> (u8, u64) {
        let feedback = settings.feedback(Bytes::new(occupancy), Bytes::new(before));
        (feedback.map_or(0, Feedback::get), settings.interval_after(feedback).get())
    }

    /// Computed by hand: feedback as in QCN-OS (figure 5), quantised as in HPE's FlexFabric 5940 manual ("QCN
    /// algorithm"), intervals as in QCN's pseudo-code.
    #[test]
    fn feedback_is_quantised_downwards_and_shortens_the_interval() {
        let paper = Settings { set_point: Bytes::new(60_000), ..Settings::default() };
        for (occupancy, before, expected) in [
            (120_000, 90_000, (25, 37_500)),
            (150_000, 60_000, (56, 18_500)),
            (66_000, 60_000, (3, 150_000)),
            (61_000, 60_000, (0, 150_000)),
            (80_000, 110_000, (0, 150_000)),
            (150_000, 150_000, (18, 50_000)),
            (160_000, 60_000, (63, 18_500)),
            (0, 0, (0, 150_000)),
        ] {
            assert_eq!(answer(&paper, occupancy, before), expected, "{occupancy} after {before}");
        }
        assert_eq!(answer(&Settings::default(), 52_000, 26_000), (37, 30_000));
    }

    #[test]
    fn the_weight_may_be_below_one() {
        let settings =
            Settings { set_point: Bytes::new(60_000), weight: Ratio::new(1, 2), ..Settings::default() };
        assert_eq!(answer(&settings, 100_000, 60_000), (31, 37_500), "60,000 of 120,000");
    }

    #[test]
    fn intervals_shrink_as_the_standard_has_them() {
        let of = |feedback| Settings::default().interval_after(NonZeroU8::new(feedback).map(Feedback)).get();
        let lengths = [0, 8, 16, 24, 32, 40, 48, 56].map(of);
        assert_eq!(lengths, [150_000, 75_000, 50_000, 37_500, 30_000, 25_000, 21_500, 18_500]);
        assert_eq!((of(7), of(15), of(63)), (150_000, 75_000, 18_500));
    }

    /// Occupancies at each arrival of 1000 bytes; the sample before counts even where it says nothing.
    #[test]
    fn a_sample_is_taken_once_the_interval_is_used_up() {
        let mut point = point("sampling = 'arrival'\nset_point = '60kB'\ninterval = '3kB'\nspread = 0");
        let occupancies = [90, 90, 10, 90, 90, 66];
        let answers = occupancies.map(|kilobytes| {
            point.on_arrival(Bytes::new(1000), Bytes::new(kilobytes * 1000)).map(Feedback::get)
        });
        // (66 - 60 + 2 (66 - 10)) of 300, in 63 steps.
        assert_eq!(answers, [None, None, None, None, None, Some(24)]);
        assert_eq!(point.countdown, Bytes::new(750), "a quarter of 3 kB");
        assert_eq!(point.on_clock(Bytes::new(67_000)).map(Feedback::get), Some(1), "7 + 2 of 300");
    }

    #[test]
    fn intervals_are_spread_evenly() {
        let mut point = point("sampling = 'arrival'\ninterval = '1kB'\nspread = 0.15");
        let mut lengths = [0; 301];
        for _ in 0..301_000 {
            point.restart_interval(None);
            lengths[(point.countdown.get() - 850) as usize] += 1;
        }
        assert!(lengths.iter().all(|times| (850..1150).contains(times)), "{lengths:?}");
    }

    #[test]
    fn only_data_is_to_blame() {
        struct Acknowledgement;
        impl Frames for Acknowledgement {
            fn count(&self) -> u32 {
                1
            }
            fn units(&self, _position: u32) -> u32 {
                1
            }
            fn largest(&self) -> u32 {
                1
            }
            fn is_data(&self, _position: u32) -> bool {
                false
            }
            fn path_congestion(&self, _position: u32) -> u32 {
                0
            }
        }
        for sampling in Parameters::NAMES {
            let mut point = point(&format!("sampling = '{sampling}'"));
            assert_eq!(point.culprit(Some(0), &Acknowledgement), None, "{sampling}");
        }
    }
}
