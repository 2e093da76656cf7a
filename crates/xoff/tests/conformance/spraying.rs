//! Laws of every spraying algorithm.

use std::collections::BTreeSet;

use proptest::prelude::*;
use xoff::internals::rng::{Purpose, stream};
use xoff::internals::spraying::Parameters;
use xoff::units::{Span, Time};

use crate::cases::cases;
use crate::settings;

/// Next event of a flow, so many microseconds later.
#[derive(Clone, Copy, Debug)]
enum Event {
    Send,
    /// One of the packets sent so far is acknowledged, marked or not.
    Acknowledge(usize, bool),
    Timeout,
}

fn any_sprayer() -> impl Strategy<Value = Parameters> {
    proptest::sample::select(Parameters::NAMES).prop_flat_map(|name| settings::of("spraying", name))
}

fn any_event() -> impl Strategy<Value = (u64, Event)> {
    let event = prop_oneof![
        6 => Just(Event::Send),
        6 => (any::<usize>(), any::<bool>()).prop_map(|(packet, marked)| Event::Acknowledge(packet, marked)),
        1 => Just(Event::Timeout),
    ];
    (0..5_000_u64, event)
}

fn entropies(parameters: &Parameters) -> u32 {
    match parameters {
        Parameters::Oblivious(parameters) => parameters.entropies,
        Parameters::Reps(parameters) => parameters.entropies,
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    /// A packet has an entropy of the allowed range. The stream and the acknowledgements alone decide which.
    #[test]
    fn every_packet_has_an_entropy_that_there_is(
        parameters in any_sprayer(),
        seed in any::<u64>(),
        events in proptest::collection::vec(any_event(), 1..300),
    ) {
        let [mut one, mut other] = [(); 2].map(|()| (parameters.start(), stream(seed, Purpose::Spraying, 0)));
        let (mut now, mut sent, mut acknowledged) = (Time::ZERO, Vec::new(), BTreeSet::new());
        for (microseconds, event) in events {
            now = now + Span::from_microseconds(microseconds);
            match event {
                Event::Send => {
                    let choice = one.0.next(&mut one.1);
                    prop_assert_eq!(choice, other.0.next(&mut other.1));
                    prop_assert!(u32::from(choice.entropy) < entropies(&parameters));
                    prop_assert!(choice.is_random || acknowledged.contains(&choice.entropy));
                    sent.push(choice.entropy);
                }
                Event::Acknowledge(packet, marked) if !sent.is_empty() => {
                    let entropy = sent[packet % sent.len()];
                    acknowledged.insert(entropy);
                    for (spraying, _) in [&mut one, &mut other] {
                        spraying.on_ack(now, entropy, marked);
                    }
                }
                Event::Acknowledge(..) => {}
                Event::Timeout => {
                    one.0.on_timeout(now);
                    other.0.on_timeout(now);
                }
            }
        }
    }

    /// Entropies are drawn anew while no packet is acknowledged. Of many entropies, sixteen packets have more than one.
    #[test]
    fn packets_of_which_nothing_is_known_go_several_ways(parameters in any_sprayer(), seed in any::<u64>()) {
        let (mut spraying, mut rng) = (parameters.start(), stream(seed, Purpose::Spraying, 0));
        let ways: BTreeSet<u16> = (0..16).map(|_| spraying.next(&mut rng).entropy).collect();
        prop_assert!(ways.len() > 8 || entropies(&parameters) < 256, "{ways:?}");
    }
}
