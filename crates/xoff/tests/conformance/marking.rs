//! Every marker, asked about packets at random lengths.

use proptest::prelude::*;
use xoff::kernel::rng::{Purpose, stream};
use xoff::kernel::units::{Bytes, Rate, Ratio, Span};
use xoff::switch::marking::{AnyMarker, Level, Parameters, Place, Pool, Signal};

use crate::settings;

/// Markers that may mark at a length and not at a greater one: for all others it is a law that they do not.
const NOT_MONOTONE: &[&str] = &[];

/// Any marker that can sit on a large pool, with RED's count in packets or in bytes.
fn any_marker() -> impl Strategy<Value = (&'static str, AnyMarker)> {
    let settings = proptest::sample::select(Parameters::NAMES)
        .prop_flat_map(|name| (Just(name), settings::of::<Parameters>("marking", name)));
    let counted_packet = prop_oneof![Just(None), Just(Some(Bytes::new(9000)))];
    (settings, counted_packet).prop_filter_map("it fits", |((name, parameters), counted_packet)| {
        let pool = Pool {
            shared: Bytes::new(3_000_000),
            ports: 8,
            rate: Rate::from_gbps(100),
            alpha: Some(Ratio::new(4, 1)),
            reserved: Bytes::new(128_000),
            round_trip: Span::from_microseconds(80),
            lambda: Some(Ratio::new(1, 1)),
        };
        let place = Place { pool: Some(pool), counted_packet };
        Some((name, parameters.start(&[place]).ok()?))
    })
}

fn level(length: u64) -> Level {
    Level { others: Bytes::new(length), frame: Bytes::new(1500) }
}

fn marks(marker: &AnyMarker, length: u64, seed: u64) -> bool {
    let mut rng = stream(seed, Purpose::Marking, 0);
    marker.clone().signal(0, &level(length), &mut rng) == Signal::Mark
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_empty_place_never_marks((_name, mut marker) in any_marker(), seed: u64) {
        let mut rng = stream(seed, Purpose::Marking, 0);
        for _ in 0..100 {
            prop_assert_eq!(marker.signal(0, &level(0), &mut rng), Signal::None);
        }
    }

    /// The same stream and the same length give the same answer; at a greater length a mark stays a mark.
    #[test]
    fn more_bytes_never_unmark(
        (name, marker) in any_marker(),
        lengths in (0..3_000_000u64, 0..3_000_000u64),
        seed: u64,
    ) {
        let (less, more) = (lengths.0.min(lengths.1), lengths.0.max(lengths.1));
        prop_assert_eq!(marks(&marker, less, seed), marks(&marker, less, seed));
        if !NOT_MONOTONE.contains(&name) {
            prop_assert!(!marks(&marker, less, seed) || marks(&marker, more, seed));
        }
    }

    /// What it says of itself is true: nothing is marked up to where marking begins, everything above where it ends.
    #[test]
    fn marking_begins_and_ends_where_it_says((_name, mut marker) in any_marker(), seed: u64) {
        if let Some(range) = marker.range(0) {
            let mut rng = stream(seed, Purpose::Marking, 0);
            for _ in 0..20 {
                prop_assert_eq!(marker.signal(0, &level(range.none_up_to.get()), &mut rng), Signal::None);
                prop_assert_eq!(marker.signal(0, &level(range.all_above.get() + 1), &mut rng), Signal::Mark);
            }
        }
    }
}
