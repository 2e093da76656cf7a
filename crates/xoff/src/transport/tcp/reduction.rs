//! Proportional rate reduction (RFC 6937): spreads a reduction of the window over the round trip that follows it.
//! For each segment that arrives the sender may send a share of one, the share that the window is reduced to. Once less
//! is in flight than the new window, the sender makes up for what losses took, one segment more for each that arrives.

/// Progress of one reduction, counted in units of the window: bytes, or whole segments.
#[derive(Clone, Debug)]
pub(super) struct Reduction {
    /// Bytes of a unit.
    unit: u64,
    /// First byte not sent when the reduction began [`high_seq`]. An acknowledgement beyond it ends the reduction.
    pub(super) end: u64,
    /// Window before the reduction [RecoverFS; Linux: `prior_cwnd`].
    prior: u64,
    /// Units that have arrived since it began [`prr_delivered`].
    delivered: u64,
    /// Units sent since it began [`prr_out`].
    out: u64,
}

impl Reduction {
    /// No reduction yet, in units of `unit` bytes.
    pub(super) fn new(unit: u64) -> Self {
        Self { unit, end: 0, prior: 1, delivered: 0, out: 0 }
    }

    /// Begins a reduction of a window of `prior` bytes, with `end` the first byte not sent.
    pub(super) fn begin(&mut self, prior: u64, end: u64) {
        self.end = end;
        self.prior = prior.div_ceil(self.unit).max(1);
        self.delivered = 0;
        self.out = 0;
    }

    /// Takes in that `bytes` were sent, for the first time or again.
    pub(super) fn on_sent(&mut self, bytes: u64) {
        self.out += bytes.div_ceil(self.unit);
    }

    /// Takes in that `bytes` have arrived, with `in_flight` bytes left. Returns the bytes that may be in flight now on the
    /// way to a window of `target` bytes. An acknowledgement is `safe` if it moves on and tells of no loss.
    pub(super) fn on_delivered(&mut self, bytes: u64, in_flight: u64, target: u64, safe: bool) -> u64 {
        let arrived = bytes.div_ceil(self.unit);
        let in_flight = in_flight.div_ceil(self.unit);
        let target = target / self.unit;
        self.delivered += arrived;
        let may_send = if in_flight > target {
            // RFC 6937, section 3: sndcnt = CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out.
            (self.delivered * target).div_ceil(self.prior).saturating_sub(self.out)
        } else {
            // Slow-start reduction bound: one segment more than has arrived.
            let most = self.delivered.saturating_sub(self.out).max(arrived) + u64::from(safe);
            most.min(target - in_flight)
        };
        // The first retransmission goes whatever the window.
        (in_flight + may_send.max(u64::from(self.out == 0))) * self.unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6937, section 4, first example, by hand: 20 segments are out, the first is lost, and the window goes to 10.
    /// One segment leaves for every second that arrives, until no more is out than the new window.
    #[test]
    fn a_reduction_to_half_lets_one_segment_go_for_two_that_arrive() {
        let mut reduction = Reduction::new(1000);
        reduction.begin(20_000, 20_000);
        let mut in_flight = 19_000;
        let mut sent = Vec::new();
        for _ in 1..=19 {
            in_flight -= 1000;
            let window = reduction.on_delivered(1000, in_flight, 10_000, false);
            let now = (window - in_flight) / 1000;
            reduction.on_sent(now * 1000);
            in_flight += now * 1000;
            sent.push(now);
        }
        assert_eq!(sent, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1]);
        assert_eq!(in_flight, 10_000);
    }

    /// RFC 6937, section 4, second example: 15 of 20 segments are lost, so that less is in flight than the new window.
    #[test]
    fn after_many_losses_one_segment_goes_for_each_that_arrives() {
        let mut reduction = Reduction::new(1000);
        reduction.begin(20_000, 20_000);
        assert_eq!(reduction.on_delivered(1000, 4_000, 10_000, false), 5_000);
        reduction.on_sent(1000);
        assert_eq!(reduction.on_delivered(1000, 4_000, 10_000, true), 6_000, "one more, as it moves on");
    }
}
