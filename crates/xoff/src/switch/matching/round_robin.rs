//! Round-robin matching (the algorithm that iSLIP mends: McKeown, IEEE/ACM Transactions on Networking 1999, section II.B): a turn
//! goes on with every grant, accepted or not. Under full load outputs then keep to the same input, and throughput falls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DEFAULT_SPEEDUP, Matching, Pointers, Turn};
use crate::kernel::bit_set::BitSet;
use crate::kernel::units::Ratio;

/// Grants in turn, whatever is accepted.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Rate of the crossbar over that of the fastest port.
    #[schemars(extend("x-above" = 0))]
    pub speedup: Ratio,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { speedup: DEFAULT_SPEEDUP }
    }
}

/// The turns of one crossbar.
#[derive(Clone, Debug)]
pub struct RoundRobin(Pointers);

impl Matching for RoundRobin {
    type Parameters = Parameters;

    fn new(_parameters: &Parameters, ports: usize) -> Self {
        Self(Pointers::new(ports))
    }

    fn pair(
        &mut self,
        inputs: BitSet,
        outputs: BitSet,
        requests: impl Fn(u32) -> BitSet,
        mut tell: impl FnMut(u32, u32),
    ) -> bool {
        let next = |turn: &mut Turn, input, asking| turn.pass(input, asking, inputs);
        let (granted, is_maximal) = self.0.grant(inputs, outputs, requests, next);
        self.0.accept(granted, |_, accept, input, output| {
            *accept = Pointers::after(output);
            tell(input, output);
        });
        is_maximal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under full load every output grants the same input, matching after matching: a third of the throughput.
    #[test]
    fn turns_stay_together() {
        let mut round_robin = RoundRobin::new(&Parameters::default(), 3);
        let mut pairs = Vec::new();
        for _ in 0..4 {
            let all = |_| BitSet::below(3);
            round_robin
                .pair(BitSet::below(3), BitSet::below(3), all, |input, output| pairs.push((input, output)));
        }
        assert_eq!(pairs, [(0, 0), (1, 0), (2, 0), (0, 1)]);
    }
}
