//! Window that is sent evenly over the base round-trip time, as HPCC and PowerTCP do.

use super::Flow;
use crate::kernel::units::{Bytes, Rate, Span};

/// Window of one flow. It begins at the bandwidth-delay product of the adapter's link and never exceeds it.
#[derive(Clone, Debug)]
pub(super) struct PacedWindow {
    bytes: f64,
    most: f64,
    /// Base round-trip time in seconds.
    base_rtt: f64,
    line_rate: Rate,
}

impl PacedWindow {
    /// Makes a full window. Without a `base_rtt` the base round-trip time of the fabric's longest path counts.
    pub(super) fn new(flow: &Flow, base_rtt: Option<Span>) -> Self {
        let base_rtt = base_rtt.unwrap_or(flow.path.base_rtt).as_seconds();
        let most = flow.line_rate.as_f64() / 8.0 * base_rtt;
        Self { bytes: most, most, base_rtt, line_rate: flow.line_rate }
    }

    /// Bandwidth-delay product of the adapter's link, in bytes.
    pub(super) fn most(&self) -> f64 {
        self.most
    }

    /// Base round-trip time, in seconds.
    pub(super) fn base_rtt(&self) -> f64 {
        self.base_rtt
    }

    pub(super) fn bytes(&self) -> f64 {
        self.bytes
    }

    pub(super) fn set(&mut self, bytes: f64) {
        self.bytes = bytes.min(self.most).max(1.0);
    }

    pub(super) fn window(&self) -> Bytes {
        Bytes::from_f64(self.bytes)
    }

    pub(super) fn rate(&self) -> Rate {
        if self.bytes >= self.most {
            return self.line_rate;
        }
        Rate::from_f64(self.bytes * 8.0 / self.base_rtt).max(Rate::new(1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::flow;
    use super::*;

    #[test]
    fn a_window_is_a_rate_over_the_base_round_trip() {
        let flow = flow(100, 13);
        let line_rate = flow.line_rate;
        let mut window = PacedWindow::new(&flow, None);
        assert_eq!((window.window(), window.rate()), (Bytes::new(162_500), line_rate));
        window.set(16_250.0);
        assert_eq!((window.window(), window.rate()), (Bytes::new(16_250), Rate::from_gbps(10)));
        window.set(1e9);
        assert_eq!(window.rate(), line_rate);
        window.set(0.0);
        assert!(window.rate() > Rate::ZERO);
    }
}
