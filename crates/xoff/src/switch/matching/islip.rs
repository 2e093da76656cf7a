//! iSLIP (McKeown, IEEE/ACM Transactions on Networking 1999): outputs grant and inputs accept in turn.
//! A turn goes on only when a grant of the first iteration was accepted, so that outputs do not all wait for the same
//! input.
//!
//! Differs: frames cross whole and take different times. So a matching is among the inputs and outputs that are idle,
//! and a busy input is owed its turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DEFAULT_SPEEDUP, Matching, Pointers};
use crate::kernel::bit_set::BitSet;
use crate::kernel::units::Ratio;

/// Grants and accepts in turn.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Rounds of granting and accepting in one matching.
    #[schemars(extend("minimum" = 1))]
    pub iterations: u32,
    /// Rate of the crossbar over that of the fastest port.
    #[schemars(extend("x-above" = 0))]
    pub speedup: Ratio,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { iterations: 1, speedup: DEFAULT_SPEEDUP }
    }
}

/// The turns of one crossbar.
#[derive(Clone, Debug)]
pub struct Islip {
    iterations: u32,
    pointers: Pointers,
}

impl Matching for Islip {
    type Parameters = Parameters;

    fn new(parameters: &Parameters, ports: usize) -> Self {
        Self { iterations: parameters.iterations, pointers: Pointers::new(ports) }
    }

    fn pair(
        &mut self,
        mut inputs: BitSet,
        mut outputs: BitSet,
        requests: impl Fn(u32) -> BitSet,
        mut tell: impl FnMut(u32, u32),
    ) -> bool {
        let idle = inputs;
        for iteration in 0..self.iterations {
            let (granted, is_maximal) = self.pointers.grant(inputs, outputs, &requests, |_, _, _| {});
            self.pointers.accept(granted, |grant, accept, input, output| {
                if iteration == 0 {
                    grant.pass(input, requests(output), idle);
                    *accept = Pointers::after(output);
                }
                inputs.set(input, false);
                outputs.set(output, false);
                tell(input, output);
            });
            if is_maximal {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(_output: u32) -> BitSet {
        BitSet::below(3)
    }

    fn pairs(islip: &mut Islip) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        islip.pair(BitSet::below(3), BitSet::below(3), all, |input, output| pairs.push((input, output)));
        pairs
    }

    /// Under full load the turns slip apart until, in the third matching, every output has an input of its own.
    #[test]
    fn turns_slip_apart() {
        let mut islip = Islip::new(&Parameters::default(), 3);
        assert_eq!(pairs(&mut islip), [(0, 0)]);
        assert_eq!(pairs(&mut islip), [(0, 1), (1, 0)]);
        assert_eq!(pairs(&mut islip), [(0, 2), (1, 1), (2, 0)]);
        assert_eq!(pairs(&mut islip), [(0, 0), (1, 2), (2, 1)]);
        assert_eq!(pairs(&mut islip), [(0, 1), (1, 0), (2, 2)]);
    }

    #[test]
    fn it_says_whether_anybody_is_left_who_could_be_paired() {
        let mut islip = Islip::new(&Parameters::default(), 3);
        let two = BitSet::below(2);
        let mut leaves_nobody = |outputs| islip.pair(two, outputs, all, |_, _| {});
        // Both outputs grant the first input; then the turn of one is at the second.
        assert!(!leaves_nobody(two));
        assert!(leaves_nobody(two));
        assert!(leaves_nobody(BitSet::of(&[0])) && leaves_nobody(BitSet::EMPTY));
    }

    #[test]
    fn further_iterations_pair_whoever_is_left_and_move_no_turn() {
        let mut islip = Islip::new(&Parameters { iterations: 3, ..Parameters::default() }, 3);
        assert_eq!(pairs(&mut islip), [(0, 0), (1, 1), (2, 2)]);
        let grant: Vec<u32> = islip.pointers.grant.iter().map(|turn| turn.next).collect();
        assert_eq!((&grant[..], &islip.pointers.accept[..]), (&[1, 0, 0][..], &[1, 0, 0][..]));
    }
}
