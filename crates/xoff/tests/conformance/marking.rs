//! Every marker, asked about packets at random lengths.

use proptest::prelude::*;
use xoff::kernel::rng::{Purpose, stream};
use xoff::kernel::units::Bytes;
use xoff::switch::marking::{Level, Marker, Parameters, Signal};

use crate::settings;

/// Markers that may mark at a length and not at a greater one: for all others it is a law that they do not.
const NOT_MONOTONE: &[&str] = &[];

fn any_marker() -> impl Strategy<Value = (&'static str, Parameters)> {
    proptest::sample::select(Parameters::NAMES)
        .prop_flat_map(|name| (Just(name), settings::of("marking", name)))
}

fn marks(marker: &Parameters, length: u64, seed: u64) -> bool {
    let mut rng = stream(seed, Purpose::Marking, 0);
    marker.clone().signal(&Level { others: Bytes::new(length) }, &mut rng) == Signal::Mark
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_empty_place_never_marks((_name, mut marker) in any_marker(), seed: u64) {
        let mut rng = stream(seed, Purpose::Marking, 0);
        for _ in 0..100 {
            prop_assert_eq!(marker.signal(&Level { others: Bytes::ZERO }, &mut rng), Signal::None);
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
}
