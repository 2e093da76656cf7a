//! Laws of every marker, asked about packets at random lengths.

use std::collections::VecDeque;

use proptest::prelude::*;
use xoff::internals::rng::{Purpose, stream};
use xoff::internals::switch::marking::{AnyMarker, Departure, Level, Parameters, Place, Pool, Signal};
use xoff::units::{Bytes, Rate, Ratio, Span, Time};

use crate::cases::cases;
use crate::settings;

/// Markers that may mark at a length and not at a greater one. For all others it is a law that they do not.
const NOT_MONOTONE: &[&str] = &[];

const FRAME: Bytes = Bytes::new(1500);

/// Draws any marker on a large pool, or on a queue if it sits on queues only, with RED's count in packets or in bytes.
fn any_marker() -> impl Strategy<Value = (&'static str, AnyMarker)> {
    let settings = proptest::sample::select(Parameters::NAMES)
        .prop_flat_map(|name| (Just(name), settings::of::<Parameters>("marking", name)));
    (settings, any::<bool>()).prop_filter_map("it fits", |((name, parameters), counts_bytes)| {
        let pool = Pool {
            shared: Bytes::new(3_000_000),
            ports: 8,
            rate: Rate::from_gbps(100),
            together: Rate::from_gbps(800),
            alpha: Some(Ratio::new(4, 1)),
            reserved: Bytes::new(128_000),
            round_trip: Span::from_microseconds(80),
            lambda: Some(Ratio::new(1, 1)),
        };
        let place = Place::at(pool.rate, Bytes::new(9000));
        let on_pool = Place { pool: Some(pool), counts_bytes, ..place };
        let on_queue = Place { drops_at_head: true, ..place };
        let started = parameters.start(&[on_pool]).or_else(|_| parameters.start(&[on_queue]));
        Some((name, started.ok()?))
    })
}

fn level(length: u64) -> Level {
    Level { now: Time::ZERO, others: Bytes::new(length), frame: FRAME }
}

fn marks(marker: &AnyMarker, length: u64, seed: u64) -> bool {
    let mut rng = stream(seed, Purpose::Marking, 0);
    marker.clone().signal(0, &level(length), &mut rng) == Signal::Mark
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn an_empty_place_never_marks((_name, mut marker) in any_marker(), seed: u64) {
        let mut rng = stream(seed, Purpose::Marking, 0);
        for _ in 0..100 {
            prop_assert_eq!(marker.signal(0, &level(0), &mut rng), Signal::None);
        }
    }

    /// Equal streams and equal lengths give equal answers. At a greater length a mark stays a mark.
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

    /// A marker keeps its stated range: it marks nothing up to the begin, and everything above the end.
    #[test]
    fn marking_begins_and_ends_where_it_says((_name, mut marker) in any_marker(), seed: u64) {
        if let Some(range) = marker.range(0) {
            let mut rng = stream(seed, Purpose::Marking, 0);
            let all = if marker.drops_incapable() { Signal::Mark } else { Signal::MarkIfCapable };
            for _ in 0..20 {
                prop_assert_eq!(marker.signal(0, &level(range.none_up_to.get()), &mut rng), Signal::None);
                prop_assert_eq!(marker.signal(0, &level(range.all_above.get() + 1), &mut rng), all);
            }
        }
    }

    /// A marker's answers follow from the packets that come and go and from its stream alone.
    #[test]
    fn what_comes_and_goes_decides_with_the_stream_alone(
        (_name, marker) in any_marker(),
        packets in proptest::collection::vec((1..50u64, any::<bool>()), 1..300),
        seed: u64,
    ) {
        let answers = |mut marker: AnyMarker| {
            let mut rng = stream(seed, Purpose::Marking, 0);
            let mut place = VecDeque::from([FRAME; 3]);
            let mut now = Time::ZERO + Span::from_milliseconds(1);
            let mut answers = Vec::new();
            for &(microseconds, comes) in &packets {
                now = now + Span::from_microseconds(microseconds);
                let before = place.iter().copied().sum::<Bytes>();
                if comes {
                    let level = Level { now, others: before, frame: FRAME };
                    marker.on_arrival(0, &level);
                    answers.push(marker.signal(0, &level, &mut rng));
                    place.push_back(FRAME);
                } else if let Some(frame) = place.pop_front() {
                    let after = before - frame;
                    marker.on_departure(0, &Departure { now, before, after });
                    answers.push(marker.signal(0, &Level { now, others: after, frame }, &mut rng));
                }
            }
            answers
        };
        prop_assert_eq!(answers(marker.clone()), answers(marker));
    }
}

/// Markers that do not follow departures are told of none.
#[test]
fn only_those_who_follow_have_a_memory_of_departures() {
    let follows = |text: &str| {
        let parameters: Parameters = toml::from_str(text).unwrap();
        let place = Place { drops_at_head: true, ..Place::at(Rate::from_gbps(1), FRAME) };
        parameters.start(&[place]).unwrap().follows()
    };
    let red = "kind = 'red'\nminimum = '1kB'\nmaximum = '9kB'\nprobability = 0.5";
    assert!(!follows(red) && !follows("kind = 'threshold'\nthreshold = '1kB'"));
    assert!(follows(&format!("{red}\nweight = '1/512'")));
    assert!(follows("kind = 'codel'") && follows("kind = 'pi'\nreference = '1kB'"));
}
