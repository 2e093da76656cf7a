//! Halving: a segment more each round, half after a loss (Somebody, Somewhere 1999).
//! Left out: slow start.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ack, CongestionControl, Flow, Loss, LossKind};
use crate::kernel::units::{Bytes, Ratio, Time};

/// Settings of Halving.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Segments that a round adds to the window, above 0 and at most 8 [a].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 8))]
    pub increase: Ratio,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { increase: Ratio::new(1, 1) }
    }
}

/// State of one flow under Halving.
#[derive(Clone, Debug)]
pub struct Halving {
    window: Bytes,
    segment: Bytes,
    increase: Ratio,
}

impl Halving {
    /// Makes the state of one flow.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        Self { window: flow.initial_window, segment: flow.segment, increase: parameters.increase }
    }
}

impl CongestionControl for Halving {
    type Parameters = Parameters;

    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        if ack.window_limited {
            let round = self.increase.of(self.segment).get();
            self.window += Bytes::new(round * ack.newly_acked.get() / self.window.get());
        }
    }

    fn on_loss(&mut self, _now: Time, loss: &Loss) {
        let half = Bytes::new(self.window.get() / 2);
        self.window = if loss.kind == LossKind::Timeout { self.segment } else { half.max(self.segment) };
    }

    fn window(&self) -> Bytes {
        self.window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_halves_the_window() {
        let initial_window = Bytes::new(10_000);
        let flow = Flow { segment: Bytes::new(1000), initial_window, ..Flow::default() };
        let mut halving = Halving::new(&Parameters::default(), &flow);
        let in_flight = Bytes::new(10_000);
        let loss = Loss { in_flight, kind: LossKind::Recovery, first_lost: 0, next_sequence: 10_000 };
        halving.on_loss(Time::ZERO, &loss);
        assert_eq!(halving.window(), Bytes::new(5_000));
    }
}
