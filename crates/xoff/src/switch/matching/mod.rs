//! Matchings: which inputs of a crossbar send to which outputs.
//! A matching sees who asks for whom among inputs and outputs that are idle, and pairs each at most once.
//! To add one: its file here, and one line in the list below.

use crate::kernel::bit_set::BitSet;
use crate::kernel::units::Ratio;

/// Pairs the inputs and outputs of one crossbar.
pub trait Matching {
    /// What can be set of this algorithm.
    type Parameters;
    /// The state of a crossbar with so many ports, at most [`BitSet::LIMIT`].
    fn new(parameters: &Self::Parameters, ports: usize) -> Self;
    /// Pairs some of these inputs with some of these outputs, and tells each pair, input first. `requests` answers the inputs
    /// that have something for an output. Returns whether nobody is left who could be paired.
    fn pair(
        &mut self,
        inputs: BitSet,
        outputs: BitSet,
        requests: impl Fn(u16) -> BitSet,
        tell: impl FnMut(u16, u16),
    ) -> bool;
}

macro_rules! matchings {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// Which inputs of a crossbar send to which outputs.
            pub enum Parameters by "matching" { $($(#[$doc])* $module => $name($module::Parameters),)* }
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
                requests: impl Fn(u16) -> BitSet,
                tell: impl FnMut(u16, u16),
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

/// Inside the switch there is time for what schedulers and cells cost.
const DEFAULT_SPEEDUP: Ratio = Ratio::new(2, 1);

/// Round-robin pointers: where each output begins to look for an input, and each input for an output.
#[derive(Clone, Debug)]
struct Pointers {
    grant: Vec<u16>,
    accept: Vec<u16>,
    /// The outputs that have granted each input; empty between matchings.
    granted: Vec<BitSet>,
}

impl Pointers {
    fn new(ports: usize) -> Self {
        Self { grant: vec![0; ports], accept: vec![0; ports], granted: vec![BitSet::EMPTY; ports] }
    }

    /// Every output that is asked grants one input. Returns the inputs that were granted.
    #[inline]
    fn grant(
        &mut self,
        inputs: BitSet,
        outputs: BitSet,
        requests: impl Fn(u16) -> BitSet,
        mut granted: impl FnMut(&mut u16, u16),
    ) -> BitSet {
        let mut chosen = BitSet::EMPTY;
        for output in outputs.members() {
            let pointer = &mut self.grant[output as usize];
            if let Some(input) = requests(output).and(inputs).next_from(*pointer) {
                self.granted[input as usize].set(output, true);
                chosen.set(input, true);
                granted(pointer, input);
            }
        }
        chosen
    }

    /// Every input that was granted accepts one output.
    #[inline]
    fn accept(&mut self, inputs: BitSet, mut accepted: impl FnMut(&mut u16, &mut u16, u16, u16)) {
        for input in inputs.members() {
            let granted = std::mem::take(&mut self.granted[input as usize]);
            let pointer = &mut self.accept[input as usize];
            if let Some(output) = granted.next_from(*pointer) {
                accepted(&mut self.grant[output as usize], pointer, input, output);
            }
        }
    }

    /// The port after this one.
    #[inline]
    fn after(port: u16) -> u16 {
        // Beyond the last port the search begins with the first.
        (port + 1) % BitSet::LIMIT as u16
    }
}
