//! Matchings: pair the inputs of a crossbar with the outputs to which they send.
//! A matching sees which idle inputs ask for which idle outputs, and pairs each at most once.
//!
//! To add one: its file here, and one line in the list below.

use crate::kernel::bit_set::BitSet;
use crate::kernel::units::Ratio;

/// Pairs the inputs and outputs of one crossbar.
pub trait Matching {
    /// Settings in a scenario.
    type Parameters;
    /// Makes the matching of a crossbar with `ports` ports, at most [`BitSet::LIMIT`].
    fn new(parameters: &Self::Parameters, ports: usize) -> Self;
    /// Pairs some of these inputs with some of these outputs, and tells each pair, input first. `requests` answers the inputs
    /// that have something for an output. Returns whether nobody is left who could be paired.
    fn pair(
        &mut self,
        inputs: BitSet,
        outputs: BitSet,
        requests: impl Fn(u32) -> BitSet,
        tell: impl FnMut(u32, u32),
    ) -> bool;
}

macro_rules! matchings {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// Algorithm that pairs inputs of a crossbar with outputs.
            pub enum Parameters by "matching" in "matching" { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// The state of one crossbar.
            pub fn start(&self, ports: usize) -> Algorithm {
                match self { $(Self::$name(parameters) => Algorithm::$name($module::$name::new(parameters, ports)),)* }
            }

            /// The rate of the crossbar over that of the fastest port.
            pub fn speedup(&self) -> Ratio {
                match self { $(Self::$name(parameters) => parameters.speedup,)* }
            }
        }

        /// The state of one crossbar under one of the algorithms.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Algorithm { $($name($module::$name),)* }

        impl Algorithm {
            /// See [`Matching::pair`].
            #[inline]
            pub fn pair(
                &mut self,
                inputs: BitSet,
                outputs: BitSet,
                requests: impl Fn(u32) -> BitSet,
                tell: impl FnMut(u32, u32),
            ) -> bool {
                match self { $(Self::$name(algorithm) => algorithm.pair(inputs, outputs, requests, tell),)* }
            }
        }
    };
}

matchings! {
    islip::Islip,
    round_robin::RoundRobin,
}

impl Default for Parameters {
    fn default() -> Self {
        Self::Islip(islip::Parameters::default())
    }
}

/// Default speedup of a crossbar, which makes up for the costs of schedulers and cells.
const DEFAULT_SPEEDUP: Ratio = Ratio::new(2, 1);

/// Turns of the inputs at one output.
/// Frames take their time to cross, so an input may be busy when its turn comes. It then has its turn as soon as it is
/// idle. Otherwise it would lose turns to inputs that have nothing to send elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Turn {
    /// Input with which the output goes on.
    next: u32,
    /// Inputs whose turn came while they were busy.
    owed: BitSet,
}

impl Turn {
    /// Input that has its turn, among the inputs that ask and are idle.
    #[inline]
    fn of(self, asking: BitSet, idle: BitSet) -> Option<u32> {
        let asking = asking.and(idle);
        let owed = asking.and(self.owed);
        if owed.is_empty() { asking } else { owed }.next_from(self.next)
    }

    /// Takes note of an input that has had its turn. An input that asked before it in order and was not `idle` is owed
    /// one.
    #[inline]
    fn pass(&mut self, input: u32, asked: BitSet, idle: BitSet) {
        if self.owed.contains(input) {
            self.owed.set(input, false);
        } else {
            let busy = BitSet::around(self.next, input).without(idle);
            self.owed = self.owed.or(busy).and(asked);
            self.next = Pointers::after(input);
        }
    }
}

/// Round robin: the turns at each output, and the output at which each input begins to look.
#[derive(Clone, Debug)]
struct Pointers {
    grant: Vec<Turn>,
    accept: Vec<u32>,
    /// Outputs that have granted each input; empty between matchings.
    granted: Vec<BitSet>,
}

impl Pointers {
    fn new(ports: usize) -> Self {
        Self {
            grant: vec![Turn::default(); ports],
            accept: vec![0; ports],
            granted: vec![BitSet::EMPTY; ports],
        }
    }

    /// Has every output that is asked grant one input. Returns the inputs that were granted, and whether every output
    /// has an input of its own.
    #[inline]
    fn grant(
        &mut self,
        inputs: BitSet,
        outputs: BitSet,
        requests: impl Fn(u32) -> BitSet,
        mut granted: impl FnMut(&mut Turn, u32, BitSet),
    ) -> (BitSet, bool) {
        let (mut chosen, mut is_maximal) = (BitSet::EMPTY, true);
        outputs.members().for_each(|output| {
            let (turn, asking) = (&mut self.grant[output as usize], requests(output));
            if let Some(input) = turn.of(asking, inputs) {
                self.granted[input as usize].set(output, true);
                is_maximal &= !chosen.contains(input);
                chosen.set(input, true);
                granted(turn, input, asking);
            }
        });
        (chosen, is_maximal)
    }

    /// Has every input that was granted accept one output.
    #[inline]
    fn accept(&mut self, inputs: BitSet, mut accepted: impl FnMut(&mut Turn, &mut u32, u32, u32)) {
        inputs.members().for_each(|input| {
            let granted = std::mem::take(&mut self.granted[input as usize]);
            let pointer = &mut self.accept[input as usize];
            if let Some(output) = granted.next_from(*pointer) {
                accepted(&mut self.grant[output as usize], pointer, input, output);
            }
        });
    }

    /// Port after `port`.
    #[inline]
    fn after(port: u32) -> u32 {
        // Beyond the last port the search begins with the first.
        (port + 1) % BitSet::LIMIT as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inputs 0 to 3 ask for one output. 0 is busy with another whenever the number of the turn is even, and has every fourth turn all the same.
    #[test]
    fn a_busy_input_has_its_turn_once_it_is_idle() {
        let mut turn = Turn::default();
        let all = BitSet::below(4);
        let had = (0..8).map(|number| {
            let idle = if number % 2 == 0 { BitSet::of(&[1, 2, 3]) } else { all };
            let input = turn.of(all, idle).unwrap();
            turn.pass(input, all, idle);
            input
        });
        assert_eq!(had.collect::<Vec<_>>(), [1, 0, 2, 3, 1, 0, 2, 3]);
    }

    #[test]
    fn who_has_nothing_to_send_any_longer_is_owed_nothing() {
        let mut turn = Turn::default();
        let idle = BitSet::of(&[1, 2]);
        turn.pass(1, BitSet::below(3), idle);
        assert_eq!(turn.of(BitSet::below(3), BitSet::below(3)), Some(0));
        turn.pass(2, BitSet::of(&[1, 2]), idle);
        assert_eq!(turn, Turn { next: 3, owed: BitSet::EMPTY });
    }
}
