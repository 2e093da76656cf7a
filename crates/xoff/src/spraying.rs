//! Spraying: by which paths senders send the packets of a flow. Each packet has an entropy, which switches hash for the source port of
//! its flow, so that ECMP takes packets of different entropies different ways; acknowledgements bring it back.
//! To add an algorithm: its file here, and one line in the list below.

use crate::kernel::rng::{Rng, below};
use crate::kernel::units::Time;

/// As many as 16 bits of a source port can tell apart.
pub const MOST_ENTROPIES: u32 = 1 << 16;

/// Chooses the entropy of each packet of one flow. Every event has an empty default.
pub trait Sprayer {
    /// What can be set of this algorithm.
    type Parameters;
    /// Whether acknowledgements are to tell if their packet was marked.
    const READS_MARKS: bool = false;
    /// The entropy of the next packet, at random if that is asked for.
    fn next(&mut self, random: impl FnOnce() -> u16) -> u16;
    /// A packet of this entropy is acknowledged, and was marked or not.
    fn on_ack(&mut self, _now: Time, _entropy: u16, _marked: bool) {}
    /// A retransmission timer has expired. Returns whether the flow explores no longer from now on.
    fn on_timeout(&mut self, _now: Time) -> bool {
        false
    }
}

/// The entropy of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What switches hash.
    pub entropy: u16,
    /// Whether it was drawn, and is none that an acknowledgement has brought back.
    pub is_random: bool,
}

macro_rules! sprayers {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// By which of all paths each packet of a flow goes, by algorithm.
            pub enum Parameters by "algorithm" in "spraying" { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// The state of one flow under this algorithm.
            pub fn start(&self) -> Spraying {
                match self {
                    $(Self::$name(parameters) => {
                        let algorithm = Algorithm::$name($module::$name::new(parameters));
                        Spraying { algorithm, entropies: parameters.entropies }
                    })*
                }
            }
            /// Whether acknowledgements are to tell if their packet was marked.
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

/// How one flow sprays its packets.
#[derive(Clone, Debug)]
pub struct Spraying {
    algorithm: Algorithm,
    entropies: u32,
}

sprayers! {
    oblivious::Oblivious,
    reps::Reps,
}
