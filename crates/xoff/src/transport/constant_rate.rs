//! Constant rate: packets that are never acknowledged and never sent again, a source for tests, hogs and victims.

use crate::kernel::units::{Bytes, Rate, Span, Time};
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
    catches_up: bool,
    next_at: Time,
    end: Time,
}

impl ConstantRateSender {
    /// A flow of `size` bytes that begins now. It sends nothing that its rate does not allow before `end`.
    pub fn new(settings: &ConstantRate, size: Bytes, now: Time, end: Time) -> Self {
        Self {
            size: size.get(),
            payload: settings.payload.get(),
            next: 0,
            rate: settings.rate,
            overhead: settings.headers + settings.wire_overhead,
            catches_up: settings.catch_up,
            next_at: now,
            end,
        }
    }

    /// Payload bytes of the flow as far as they are known, which is with its last packet.
    pub fn size(&self) -> Bytes {
        Bytes::new(self.size)
    }

    /// Bytes sent.
    pub fn sent(&self) -> Bytes {
        Bytes::new(self.next)
    }

    /// Payload of a full packet.
    pub fn payload(&self) -> Bytes {
        Bytes::new(self.payload)
    }

    /// Time from which on the flow sends nothing; `Time::MAX` where its size ends it.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Takes `bytes` that have not been sent off the flow. Returns the bytes of the flow.
    pub fn skip(&mut self, bytes: Bytes) -> Bytes {
        self.size -= bytes.get();
        Bytes::new(self.size)
    }

    /// Brings the end forward by `span`.
    pub fn bring_forward(&mut self, span: Span) {
        self.end = self.end.earlier(span);
    }

    /// Whether every byte has been sent.
    pub fn is_done(&self) -> bool {
        self.next == self.size
    }

    /// Returns what to send now. Without a rate that is as fast as the adapter takes it.
    pub fn poll_transmit(&mut self, now: Time) -> Transmit {
        if self.is_done() {
            return Transmit::Idle;
        }
        if now < self.next_at {
            return Transmit::WaitUntil(self.next_at);
        }
        let length = self.payload.min(self.size - self.next);
        let sequence = self.next;
        self.next += length;
        if let Some(rate) = self.rate {
            let begins = if self.catches_up { self.next_at } else { now };
            self.next_at = begins + rate.transmission_time(Bytes::new(length) + self.overhead);
            if self.next_at >= self.end {
                self.size = self.next;
            }
        }
        Transmit::Segment { sequence, length: length as u32, retransmission: false, fills_window: false }
    }
}

/// Receiving state of one flow.
#[derive(Clone, Debug, Default)]
pub struct ConstantRateReceiver {
    received: u64,
    end: Option<u64>,
}

impl ConstantRateReceiver {
    /// Bytes received.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Takes a packet that has arrived. Returns whether it was the last one missing.
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

    fn sender(size: u64, catch_up: bool, end: Time) -> ConstantRateSender {
        let settings = ConstantRate {
            payload: Bytes::new(1460),
            headers: Bytes::new(58),
            wire_overhead: Bytes::new(20),
            rate: Some(Rate::from_gbps(10)),
            catch_up,
        };
        ConstantRateSender::new(&settings, Bytes::new(size), Time::new(5), end)
    }

    fn segment(sequence: u64, length: u32) -> Transmit {
        Transmit::Segment { sequence, length, retransmission: false, fills_window: false }
    }

    /// Times at which a flow sends that is held back until a time, in packets.
    fn sent_after(held_until: u64, catch_up: bool, end: u64) -> Vec<u64> {
        let packet = rate_time(1538).get();
        let mut sender = sender(u64::MAX, catch_up, Time::new(5 + end * packet));
        let mut now = Time::new(5 + held_until * packet);
        let mut sent = Vec::new();
        while sent.len() < 6 {
            match sender.poll_transmit(now) {
                Transmit::Segment { .. } => sent.push((now.get() - 5) / packet),
                Transmit::WaitUntil(time) => now = time,
                _ => break,
            }
        }
        assert_eq!(sender.is_done(), sent.len() < 6 && sender.size() == Bytes::new(1460 * sent.len() as u64));
        sent
    }

    #[test]
    fn a_flow_that_was_held_back_catches_up_or_goes_on() {
        assert_eq!(sent_after(3, true, 99), [3, 3, 3, 3, 4, 5]);
        assert_eq!(sent_after(3, false, 99), [3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn a_flow_ends_with_the_last_packet_before_its_end() {
        assert_eq!(sent_after(0, true, 3), [0, 1, 2]);
        assert_eq!(sent_after(0, false, 3), [0, 1, 2]);
        assert_eq!(sent_after(2, true, 4), [2, 2, 2, 3], "what it owes");
        assert_eq!(sent_after(2, false, 4), [2, 3]);
        assert_eq!(sent_after(9, false, 4), [9], "the packet that was held back is the last");
    }

    #[test]
    fn packets_are_spaced_by_their_time_on_the_wire() {
        let mut sender = sender(3000, true, Time::MAX);
        assert_eq!(sender.poll_transmit(Time::new(5)), segment(0, 1460));
        let second = Time::new(5 + 1_230_400);
        assert_eq!(sender.poll_transmit(Time::new(6)), Transmit::WaitUntil(second));
        assert_eq!(sender.poll_transmit(second), segment(1460, 1460));
        assert_eq!(sender.poll_transmit(second + rate_time(80 + 58 + 20 + 1380)), segment(2920, 80));
        assert!(sender.is_done());
    }

    fn rate_time(bytes: u64) -> Span {
        Rate::from_gbps(10).transmission_time(Bytes::new(bytes))
    }
}
