//! Laws of every way of sampling, in a congestion point that sees random arrivals.

use proptest::prelude::*;
use serde_json::json;
use xoff::internals::rng::{Purpose, stream};
use xoff::internals::switch::congestion_point::{CongestionPoint, Frames, Parameters};
use xoff::units::Bytes;

use crate::cases::cases;

const LARGEST: u32 = 24;
const SET_POINT: u64 = 60_000;
const INTERVAL: u64 = 20_000;

/// Draws any point with this set point and this interval.
fn any_point() -> impl Strategy<Value = CongestionPoint> {
    let settings = (proptest::sample::select(Parameters::NAMES), 1..=64u64, 0..100u64, any::<u64>());
    settings.prop_map(|(name, weight, spread, seed)| {
        let table = json!({
            "sampling": name,
            "set_point": format!("{SET_POINT}B"),
            "interval": format!("{INTERVAL}B"),
            "weight": format!("{weight}/8"),
            "spread": format!("{spread}/100"),
        });
        let parameters: Parameters = serde_json::from_value(table).expect("settings that can be");
        CongestionPoint::new(&parameters, stream(seed, Purpose::CongestionPoint, 0))
    })
}

/// Units of each frame, and whether it is data.
#[derive(Debug)]
struct Buffer(Vec<(u32, bool)>);

impl Frames for Buffer {
    fn count(&self) -> u32 {
        self.0.len() as u32
    }
    fn units(&self, position: u32) -> u32 {
        self.0[position as usize].0
    }
    fn largest(&self) -> u32 {
        LARGEST
    }
    fn is_data(&self, position: u32) -> bool {
        self.0[position as usize].1
    }
    fn path_congestion(&self, position: u32) -> u32 {
        position % 3
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// A buffer that is no fuller than its set point, and no fuller than before, is not congested.
    #[test]
    fn without_congestion_nobody_is_told(
        mut point in any_point(),
        mut occupancies in proptest::collection::vec(0..=SET_POINT, 1..200),
    ) {
        occupancies.sort_unstable_by(|one, other| other.cmp(one));
        // The first sample compares with an empty buffer.
        point.on_clock(Bytes::new(occupancies[0]));
        for occupancy in occupancies {
            prop_assert_eq!(point.on_arrival(Bytes::new(1500), Bytes::new(occupancy)), None);
        }
    }

    /// More bytes in the buffer never give less feedback, nor do fewer bytes in it before.
    #[test]
    fn more_congestion_is_never_less_feedback(
        point in any_point(),
        before in (0..200_000u64, 0..200_000u64),
        now in (0..200_000u64, 0..200_000u64),
    ) {
        let feedback = |before, now| {
            let mut point = point.clone();
            point.on_clock(Bytes::new(before));
            point.on_clock(Bytes::new(now))
        };
        let less = feedback(before.0.max(before.1), now.0.min(now.1));
        let more = feedback(before.0.min(before.1), now.0.max(now.1));
        prop_assert!(less <= more);
        prop_assert!(more.is_none_or(|feedback| (1..=63).contains(&feedback.get())));
    }

    /// However bad congestion is, two samples are at least the shortest interval of bytes apart, and their number is
    /// bounded.
    #[test]
    fn samples_are_an_interval_apart(mut point in any_point(), frames in proptest::collection::vec(64..1523u64, 1..500)) {
        let arrived: u64 = frames.iter().sum();
        let told = frames.iter().filter(|&&frame| point.on_arrival(Bytes::new(frame), Bytes::new(1 << 40)).is_some());
        // The longest interval, twice as long by its spread, is before the first.
        let told = told.count() as u64;
        prop_assert!(arrived < 2 * INTERVAL || told > 0);
        let shortest = INTERVAL * 37 / 300 / 100;
        prop_assert!(told * shortest.max(64) <= arrived);
    }

    /// The culprit is a frame that is there, and data.
    #[test]
    fn culprits_are_data_in_the_buffer(
        mut point in any_point(),
        frames in proptest::collection::vec((1..=LARGEST, any::<bool>()), 0..100),
        arrives in any::<bool>(),
    ) {
        let buffer = Buffer(frames);
        let arrived = buffer.0.len().checked_sub(1).filter(|_| arrives).map(|last| last as u32);
        for _ in 0..20 {
            if let Some(position) = point.culprit(arrived, &buffer) {
                prop_assert!(position < buffer.count() && buffer.is_data(position));
            }
        }
    }
}
