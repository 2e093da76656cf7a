//! Packets at a fixed rate, never acknowledged and never retransmitted: a source for tests, hogs and victims.

use crate::kernel::units::{Bytes, Rate, Time};
use crate::packet::{LAST, Packet};
use crate::scenario::ConstantRate;
use crate::transport::Transmit;

/// Sending state of one flow.
#[derive(Clone, Debug)]
pub struct ConstantRateSender {
    size: u64,
    payload: u64,
    next: u64,
    rate: Option<Rate>,
    overhead: Bytes,
    next_at: Time,
}

impl ConstantRateSender {
    /// A flow of `size` bytes that begins now.
    pub fn new(settings: &ConstantRate, size: Bytes, now: Time) -> Self {
        Self {
            size: size.get(),
            payload: settings.payload.get(),
            next: 0,
            rate: settings.rate,
            overhead: settings.headers + settings.wire_overhead,
            next_at: now,
        }
    }

    /// Whether every byte has been sent.
    pub fn is_done(&self) -> bool {
        self.next == self.size
    }

    /// What to send now. Without a rate, as fast as the adapter takes it.
    pub fn poll_transmit(&mut self, now: Time) -> Transmit {
        if self.is_done() {
            return Transmit::Idle;
        }
        if now < self.next_at {
            return Transmit::WaitUntil(self.next_at);
        }
        let length = self.payload.min(self.size - self.next);
        if let Some(rate) = self.rate {
            self.next_at = self.next_at + rate.transmission_time(Bytes::new(length) + self.overhead);
        }
        let sequence = self.next;
        self.next += length;
        Transmit::Segment { sequence, length: length as u32, retransmission: false }
    }
}

/// Receiving state of one flow.
#[derive(Clone, Debug, Default)]
pub struct ConstantRateReceiver {
    received: u64,
    end: Option<u64>,
}

impl ConstantRateReceiver {
    /// A packet has arrived. Returns whether it was the last one missing.
    pub fn on_data(&mut self, packet: &Packet) -> bool {
        self.received += packet.length();
        if packet.is(LAST) {
            self.end = Some(packet.sequence() + packet.length());
        }
        self.end == Some(self.received)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_spaced_by_their_time_on_the_wire() {
        let settings = ConstantRate {
            payload: Bytes::new(1460),
            headers: Bytes::new(58),
            wire_overhead: Bytes::new(20),
            rate: Some(Rate::from_gbps(10)),
        };
        let mut sender = ConstantRateSender::new(&settings, Bytes::new(3000), Time::new(5));
        let segment = |sequence, length| Transmit::Segment { sequence, length, retransmission: false };
        assert_eq!(sender.poll_transmit(Time::new(5)), segment(0, 1460));
        let second = Time::new(5 + 1_230_400);
        assert_eq!(sender.poll_transmit(Time::new(6)), Transmit::WaitUntil(second));
        assert_eq!(sender.poll_transmit(second), segment(1460, 1460));
        assert_eq!(sender.poll_transmit(second + rate_time(80 + 58 + 20 + 1380)), segment(2920, 80));
        assert!(sender.is_done());
    }

    fn rate_time(bytes: u64) -> crate::kernel::units::Span {
        Rate::from_gbps(10).transmission_time(Bytes::new(bytes))
    }
}
