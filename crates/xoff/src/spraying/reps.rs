//! REPS: packets reuse the paths of packets that arrived unmarked, and go at random otherwise (Bonato et al., "REPS:
//! Recycled Entropy Packet Spraying for Adaptive Load Balancing and Failure Mitigation", arXiv:2407.21625, algorithms 1
//! and 2).
//! A packet that was acknowledged without a mark puts its entropy into a ring of eight, from which it is used once
//! more. A timeout freezes the flow for a while, since some paths may have failed: it explores no new paths, and uses
//! the ring again and again.
//! Differs: a flow freezes at timeouts alone, whether packets are trimmed or not; without trimming, the paper also
//! finds failures by the time between acknowledgements. A flow that thaws forgets the ring, as the authors' simulator
//! does (htsim, `uec_mp.cpp`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MOST_ENTROPIES, Sprayer};
use crate::kernel::units::{Span, Time};

/// Entropies that a flow remembers [`REPS_BUFFER_SIZE`].
const REMEMBERED: u8 = 8;

/// Settings of REPS.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Number of entropies to draw from at random, 1 to 65536 [`EVS_SIZE`].
    #[schemars(extend("minimum" = 1, "maximum" = MOST_ENTROPIES))]
    pub entropies: u32,
    /// Least time for which a flow is frozen [`FREEZING_TIMEOUT`].
    pub freezing_timeout: Span,
    /// Packets that go at random after a flow has thawed [`NUM_PKTS_BDP`].
    pub explore_packets: u16,
}

impl Default for Parameters {
    fn default() -> Self {
        let freezing_timeout = Span::from_milliseconds(10);
        Self { entropies: MOST_ENTROPIES, freezing_timeout, explore_packets: 16 }
    }
}

/// State of one flow under REPS.
#[derive(Clone, Debug)]
pub struct Reps {
    parameters: Parameters,
    ring: [u16; REMEMBERED as usize],
    /// Place in the ring that the next entropy takes.
    head: u8,
    /// Place in the ring that was used last while frozen.
    replayed: u8,
    /// Number of places in the ring that have ever been used.
    filled: u8,
    /// Number of entropies in the ring that have not been used since they came.
    fresh: u8,
    /// Packets that are yet to go at random.
    to_explore: u16,
    /// Time until which the flow is frozen, if it is.
    frozen_until: Option<Time>,
}

impl Reps {
    /// Makes the state of one flow.
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            parameters: parameters.clone(),
            ring: [0; REMEMBERED as usize],
            head: 0,
            replayed: 0,
            filled: 0,
            fresh: 0,
            to_explore: 0,
            frozen_until: None,
        }
    }

    fn recycle(&mut self, entropy: u16) {
        self.ring[usize::from(self.head)] = entropy;
        self.head = (self.head + 1) % REMEMBERED;
        self.filled = (self.filled + 1).min(REMEMBERED);
        self.fresh = (self.fresh + 1).min(REMEMBERED);
    }

    /// Takes the oldest entropy of the ring that was not used.
    fn oldest_fresh(&mut self) -> u16 {
        let place = (self.head + REMEMBERED - self.fresh) % REMEMBERED;
        self.fresh -= 1;
        self.ring[usize::from(place)]
    }

    /// Takes the next entropy of the ring in turn, whether used or not.
    fn next_of_ring(&mut self) -> u16 {
        self.replayed = (self.replayed + 1) % self.filled;
        self.ring[usize::from(self.replayed)]
    }
}

impl Sprayer for Reps {
    type Parameters = Parameters;
    const READS_MARKS: bool = true;

    fn next(&mut self, random: impl FnOnce() -> u16) -> u16 {
        if self.to_explore > 0 {
            self.to_explore -= 1;
            return random();
        }
        match (self.fresh > 0, self.frozen_until) {
            (true, _) => self.oldest_fresh(),
            (false, Some(_)) if self.filled > 0 => self.next_of_ring(),
            (false, _) => random(),
        }
    }

    fn on_ack(&mut self, now: Time, entropy: u16, marked: bool) {
        if self.frozen_until.is_some_and(|until| now > until) {
            *self = Self { to_explore: self.parameters.explore_packets, ..Self::new(&self.parameters) };
        }
        if !marked {
            self.recycle(entropy);
        }
    }

    fn on_timeout(&mut self, now: Time) -> bool {
        let freezes = self.frozen_until.is_none() && self.to_explore == 0;
        if freezes {
            self.frozen_until = Some(now + self.parameters.freezing_timeout);
        }
        freezes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entropy that stands for one drawn at random.
    const RANDOM: u16 = 999;

    fn next(reps: &mut Reps, packets: usize) -> Vec<u16> {
        (0..packets).map(|_| reps.next(|| RANDOM)).collect()
    }

    fn acknowledged(reps: &mut Reps, milliseconds: u64, entropies: &[u16]) {
        for &entropy in entropies {
            reps.on_ack(Time::ZERO + Span::from_milliseconds(milliseconds), entropy, false);
        }
    }

    #[test]
    fn what_came_back_without_a_mark_is_used_once_more_the_oldest_first() {
        let mut reps = Reps::new(&Parameters::default());
        assert_eq!(next(&mut reps, 2), [RANDOM; 2]);
        acknowledged(&mut reps, 0, &[3, 5]);
        reps.on_ack(Time::ZERO, 4, true);
        assert_eq!(next(&mut reps, 3), [3, 5, RANDOM]);
        acknowledged(&mut reps, 0, &[7]);
        assert_eq!(next(&mut reps, 2), [7, RANDOM]);
    }

    #[test]
    fn of_more_than_eight_the_last_are_remembered() {
        let mut reps = Reps::new(&Parameters::default());
        acknowledged(&mut reps, 0, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(next(&mut reps, 9), [3, 4, 5, 6, 7, 8, 9, 10, RANDOM]);
    }

    #[test]
    fn a_frozen_flow_uses_what_it_knows_until_it_explores_anew() {
        let mut reps = Reps::new(&Parameters { explore_packets: 2, ..Parameters::default() });
        acknowledged(&mut reps, 0, &[1, 2, 3]);
        assert_eq!(next(&mut reps, 2), [1, 2]);
        reps.on_timeout(Time::ZERO);
        let frozen = next(&mut reps, 7);
        assert_eq!(frozen[0], 3, "it was not used");
        assert!(frozen.iter().all(|entropy| [1, 2, 3].contains(entropy)), "{frozen:?}");
        assert!([1, 2, 3].iter().all(|known| frozen[1..4].contains(known)), "{frozen:?}");
        acknowledged(&mut reps, 10, &[4]);
        let known = next(&mut reps, 9);
        assert_eq!(known[0], 4);
        assert!(known.iter().all(|entropy| [1, 2, 3, 4].contains(entropy)), "10 ms are not over: {known:?}");
        assert!([1, 2, 3, 4].iter().all(|entropy| known[1..].contains(entropy)), "{known:?}");
        acknowledged(&mut reps, 11, &[5]);
        assert_eq!(next(&mut reps, 4), [RANDOM, RANDOM, 5, RANDOM]);
    }

    #[test]
    fn a_flow_that_knows_no_path_sends_at_random_although_it_is_frozen() {
        let mut reps = Reps::new(&Parameters::default());
        reps.on_timeout(Time::ZERO);
        assert_eq!(next(&mut reps, 3), [RANDOM; 3]);
    }
}
