//! State that the sender of a persistent connection keeps from one flow to the next.

use super::round_trip::RoundTrip;
use crate::congestion_control::Algorithm;
use crate::kernel::units::{Span, Time};

/// A connection that is open and carries no flow.
#[derive(Clone, Debug)]
pub struct Connection {
    pub(super) congestion_control: Algorithm,
    pub(super) round_trip: RoundTrip,
    /// Bytes of all flows that the connection has carried.
    pub(super) carried: u64,
    /// Time at which data was last sent, from which idleness counts (RFC 5681, section 4.1).
    pub(super) last_sent: Time,
    /// Time besides since then in which nothing was simulated.
    pub(super) skipped: Span,
}

impl Connection {
    /// Lets the connection have been idle for longer by `span`.
    pub fn rest_for(&mut self, span: Span) {
        self.skipped += span;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion_control::Identity;
    use crate::kernel::units::{Bytes, Span};
    use crate::packet::{ACKNOWLEDGEMENT, ECHO, Header};
    use crate::reading::from_text;
    use crate::scenario::{Host, IdleRestart, Tcp};
    use crate::transport::Transmit;
    use crate::transport::tcp::TcpSender;

    const SEGMENT: u64 = 1000;
    const SENT: Time = Time::new(1_000_000);
    const DONE: Time = Time::new(101_000_000);

    fn settings() -> Tcp {
        let text = "payload = '1000B'
            congestion_control = { algorithm = 'dctcp', gain = '1/2' }";
        from_text(text)
    }

    fn send(sender: &mut TcpSender) -> usize {
        std::iter::from_fn(|| matches!(sender.poll_transmit(DONE), Transmit::Segment { .. }).then_some(()))
            .count()
    }

    /// The window after an acknowledgement of everything before segment `next`, 100 us after it was sent.
    fn after_ack(sender: &mut TcpSender, next: u64, flags: u8) -> u64 {
        let flags = ACKNOWLEDGEMENT | flags;
        let packet =
            Header { sequence: next * SEGMENT, flags, stamp: SENT.get(), ..Header::default() }.into();
        sender.on_ack(DONE, &packet);
        if sender.is_done() {
            sender.on_done(&packet);
        }
        send(sender);
        sender.window().get()
    }

    /// State that a flow of 30 segments leaves. Its first ten, unmarked, double the window to 20 segments and leave
    /// alpha at 1/2. The next is marked, so that alpha is 0.3 and the window cut to 17 segments; the others are not
    /// marked.
    fn left() -> Connection {
        let mut first =
            TcpSender::new(&settings(), &Host::default(), Bytes::new(30 * SEGMENT), Identity::default());
        send(&mut first);
        for next in 1..=30 {
            after_ack(&mut first, next, if next == 11 { ECHO } else { 0 });
        }
        first.into_connection()
    }

    fn second_with(settings: &Tcp, idle: Span) -> TcpSender {
        let size = Bytes::new(100 * SEGMENT);
        TcpSender::on_connection(left(), settings, &Host::default(), size, Identity::default(), SENT + idle)
    }

    fn second(idle: Span) -> TcpSender {
        second_with(&settings(), idle)
    }

    fn alpha(connection: &Connection) -> f64 {
        connection.congestion_control.alpha().unwrap()
    }

    #[test]
    fn the_next_flow_starts_with_the_window_the_threshold_and_alpha_that_were_left() {
        assert!((alpha(&left()) - 0.3).abs() < 1e-15);
        let mut second = second(Span::from_milliseconds(5));
        assert_eq!(send(&mut second), 17);
        assert_eq!(after_ack(&mut second, 1, 0), 17_058, "congestion avoidance: 1000 * 1000 / 17000 more");
        assert_eq!(after_ack(&mut second, 2, ECHO), 15_778, "alpha is 0.15, its window having seen no mark");
    }

    #[test]
    fn one_that_was_idle_for_longer_than_its_timeout_starts_slowly_up_to_the_threshold() {
        let mut second = second(Span::from_milliseconds(5) + Span::new(1));
        assert_eq!(send(&mut second), 10);
        let windows: Vec<u64> = (1..=8).map(|next| after_ack(&mut second, next, 0)).collect();
        assert_eq!(windows, [11_000, 12_000, 13_000, 14_000, 15_000, 16_000, 17_000, 17_058]);
    }

    /// The timeout is 5 ms. Of 17 segments one timeout leaves 8 and a half, and the initial window is the least.
    #[test]
    fn a_window_is_halved_for_each_timeout_of_idleness() {
        let settings = Tcp { idle_restart: IdleRestart::Halving, initial_window: 5, ..settings() };
        for (milliseconds, sent) in [(5, 17), (6, 8), (11, 5), (500, 5)] {
            assert_eq!(send(&mut second_with(&settings, Span::from_milliseconds(milliseconds))), sent);
        }
    }

    #[test]
    fn without_slow_start_restart_the_window_is_kept() {
        let settings = Tcp { slow_start_restart: false, ..settings() };
        assert_eq!(send(&mut second_with(&settings, Span::from_milliseconds(500))), 17);
    }
}
