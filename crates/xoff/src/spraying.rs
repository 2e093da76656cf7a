//! Spraying: the paths by which a sender sends the packets of one flow.
//!
//! Each packet has an entropy, a 16-bit number that switches hash in place of the flow's source port. So ECMP takes
//! packets of different entropies different ways, and acknowledgements bring the entropy back. A new algorithm takes a
//! file in this folder and a line in the list below.

use crate::kernel::rng::{Rng, below};
use crate::kernel::units::Time;

/// Most entropies that there can be, since a source port has 16 bits.
pub const MOST_ENTROPIES: u32 = 1 << 16;

/// State machine that chooses the entropy of each packet of one flow. Every event has an empty default.
pub trait Sprayer {
    /// Settings of the algorithm.
    type Parameters;
    /// Whether acknowledgements must say that their packet was marked.
    const READS_MARKS: bool = false;
    /// Returns the entropy of the next packet; `random` draws one at random.
    fn next(&mut self, random: impl FnOnce() -> u16) -> u16;
    /// Takes in the acknowledgement of a packet with this entropy, which was marked or not.
    fn on_ack(&mut self, _now: Time, _entropy: u16, _marked: bool) {}
    /// Takes in the expiry of a retransmission timer. Returns whether the flow stops exploring paths.
    fn on_timeout(&mut self, _now: Time) -> bool {
        false
    }
}

/// Entropy of a packet, and its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Number that switches hash.
    pub entropy: u16,
    /// Whether the entropy was drawn at random, and not taken from an acknowledgement.
    pub is_random: bool,
}

macro_rules! sprayers {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// Paths that the packets of each flow take, by algorithm.
            pub enum Parameters by "algorithm" in "spraying" { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// Makes the state of one flow under this algorithm.
            pub fn start(&self) -> Spraying {
                match self {
                    $(Self::$name(parameters) => {
                        let algorithm = Algorithm::$name($module::$name::new(parameters));
                        Spraying { algorithm, entropies: parameters.entropies }
                    })*
                }
            }
            /// Whether acknowledgements must say that their packet was marked.
            pub fn reads_marks(&self) -> bool {
                match self { $(Self::$name(_) => $module::$name::READS_MARKS,)* }
            }
        }

        #[derive(Clone, Debug)]
        enum Algorithm { $($name($module::$name),)* }

        impl Spraying {
            /// See [`Sprayer::next`].
            pub fn next(&mut self, rng: &mut Rng) -> Choice {
                let (entropies, mut is_random) = (self.entropies, false);
                let random = || {
                    is_random = true;
                    below(rng, entropies.into()) as u16
                };
                let entropy = match &mut self.algorithm { $(Algorithm::$name(algorithm) => algorithm.next(random),)* };
                Choice { entropy, is_random }
            }
            /// See [`Sprayer::on_ack`].
            pub fn on_ack(&mut self, now: Time, entropy: u16, marked: bool) {
                match &mut self.algorithm { $(Algorithm::$name(algorithm) => algorithm.on_ack(now, entropy, marked),)* }
            }
            /// See [`Sprayer::on_timeout`].
            pub fn on_timeout(&mut self, now: Time) -> bool {
                match &mut self.algorithm { $(Algorithm::$name(algorithm) => algorithm.on_timeout(now),)* }
            }
        }
    };
}

/// State of one flow that sprays its packets.
#[derive(Clone, Debug)]
pub struct Spraying {
    algorithm: Algorithm,
    entropies: u32,
}

sprayers! {
    oblivious::Oblivious,
    reps::Reps,
}
