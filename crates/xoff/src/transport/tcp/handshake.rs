//! The opening of a connection: a SYN, repeated until it is answered. On the wire a SYN is data without a byte of it, and
//! its answer an acknowledgement of nothing.

use super::sender::TcpSender;
use crate::kernel::units::{Bytes, Span, Time};
use crate::packet::Packet;
use crate::transport::Transmit;

/// After more SYNs than this the first window is one segment (RFC 6928, section 2).
const FORGIVEN: u32 = 2;

/// A flow whose connection is being opened.
#[derive(Debug)]
pub struct Handshake {
    sender: TcpSender,
    sent: u32,
    /// Whether a SYN is to be sent.
    due: bool,
}

impl Handshake {
    /// The opening of the connection of a flow that has sent nothing.
    pub fn new(sender: TcpSender) -> Self {
        Self { sender, sent: 0, due: true }
    }

    /// Returns what to send now.
    pub fn poll_transmit(&mut self) -> Transmit {
        if !std::mem::take(&mut self.due) {
            return Transmit::WindowFull;
        }
        self.sent += 1;
        Transmit::Segment { sequence: 0, length: 0, retransmission: self.sent > 1, fills_window: false }
    }

    /// Whether a SYN was sent and not answered.
    pub fn is_waiting(&self) -> bool {
        !self.due
    }

    /// Time to wait for an answer.
    pub fn timeout(&self) -> Span {
        self.sender.timeout()
    }

    /// Sends another SYN, since the last one or its answer is lost.
    pub fn on_timeout(&mut self) {
        self.due = true;
        self.sender.on_syn_timeout();
    }

    /// SYNs that were given up on.
    pub fn timeouts(&self) -> u32 {
        self.sender.timeouts
    }

    /// See [`TcpSender::end`].
    pub fn end(&mut self) -> Bytes {
        self.sender.end()
    }

    /// The first window of the flow.
    pub fn window(&self) -> Bytes {
        self.sender.window()
    }

    /// Opens the connection by the answer to a SYN. Returns the sender of the flow.
    pub fn open(&mut self, now: Time, answer: &Packet) -> TcpSender {
        self.sender.on_open(now, answer, self.sent > 1, self.sent > FORGIVEN);
        self.sender.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion_control::Identity;
    use crate::packet::{ACKNOWLEDGEMENT, Header};
    use crate::reading::from_text;
    use crate::scenario::{Host, Tcp};

    const SYN: Transmit =
        Transmit::Segment { sequence: 0, length: 0, retransmission: false, fills_window: false };
    const ANSWERED: Time = Time::new(900_000_000);

    fn settings(keys: &str) -> Tcp {
        let text = format!(
            "payload = '1000B'\ninitial_rto = '3ms'\nmaximum_rto = '9ms'\nminimum_rto = '1us'\n\
             congestion_control = {{ algorithm = 'reno' }}\n{keys}"
        );
        from_text(&text)
    }

    /// A handshake that has sent so many SYNs, and the flow that begins when the last is answered after 100 us.
    fn opened(keys: &str, syns: u32) -> TcpSender {
        let sender = TcpSender::new(&settings(keys), &Host::default(), Bytes::MAX, Identity::default());
        let mut handshake = Handshake::new(sender);
        assert_eq!(handshake.poll_transmit(), SYN);
        for again in 1..syns {
            assert_eq!(handshake.poll_transmit(), Transmit::WindowFull);
            assert_eq!(handshake.timeout(), Span::from_milliseconds([3, 6, 9][again as usize - 1]));
            handshake.on_timeout();
            assert!(matches!(handshake.poll_transmit(), Transmit::Segment { retransmission: true, .. }));
        }
        let stamp = ANSWERED.get() - 100_000_000;
        handshake.open(ANSWERED, &Header { flags: ACKNOWLEDGEMENT, stamp, ..Header::default() }.into())
    }

    #[test]
    fn the_first_round_trip_sample_is_that_of_the_syn_unless_it_was_repeated_without_timestamps() {
        let timeout = |keys, syns| opened(keys, syns).timeout();
        for keys in ["", "timestamps = false"] {
            assert_eq!(timeout(keys, 1), Span::from_microseconds(300));
        }
        assert_eq!(timeout("", 2), Span::from_microseconds(300));
        assert_eq!(timeout("timestamps = false", 2), Span::from_milliseconds(6));
    }

    #[test]
    fn the_loss_of_one_syn_is_forgiven_and_of_two_leaves_a_window_of_one_segment() {
        for (syns, window) in [(1, 10), (2, 10), (3, 1), (4, 1)] {
            assert_eq!(opened("", syns).window(), Bytes::new(window * 1000));
            assert_eq!(opened("", syns).timeouts, syns - 1);
        }
    }
}
