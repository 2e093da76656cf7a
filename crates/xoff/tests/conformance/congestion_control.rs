//! Every congestion control, driven as the transport drives it: those that answer a window as TCP does, those that answer a
//! rate as a queue pair does.

use proptest::prelude::*;
use xoff::congestion_control::{Ack, Algorithm, Echo, Flow, Loss, LossKind, Parameters};
use xoff::kernel::units::{Bytes, Rate, Span, Time};

use crate::settings;

/// No flow of these tests gets anywhere near so large a window.
const ABSURD: Bytes = Bytes::new(1 << 50);

#[derive(Clone, Copy, Debug)]
enum Operation {
    /// The flow sends what it may, at most so many segments.
    Send(u64),
    /// So many segments are acknowledged, with or without an echo.
    Acknowledge(u64, bool),
    Lose,
    TimeOut,
}

fn any_operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (1..200u64).prop_map(Operation::Send),
        8 => (1..8u64, any::<bool>()).prop_map(|(segments, echo)| Operation::Acknowledge(segments, echo)),
        2 => (8..100u64, any::<bool>()).prop_map(|(segments, echo)| Operation::Acknowledge(segments, echo)),
        1 => Just(Operation::Lose),
        1 => Just(Operation::TimeOut),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Recovery,
    Loss,
}

/// A sender reduced to what its congestion control can see of it.
struct Sender {
    algorithm: Algorithm,
    segment: u64,
    now: Time,
    unacknowledged: u64,
    next: u64,
    window_limited: bool,
    state: State,
    recover: u64,
    backed_off: bool,
}

impl Sender {
    fn new(parameters: &Parameters, segment: u64, initial_segments: u64) -> Self {
        let initial_window = Bytes::new(initial_segments * segment);
        let flow = Flow { segment: Bytes::new(segment), initial_window, line_rate: Rate::MAX };
        Self {
            algorithm: parameters.start(&flow),
            segment,
            now: Time::ZERO,
            unacknowledged: 0,
            next: 0,
            window_limited: false,
            state: State::Open,
            recover: 0,
            backed_off: false,
        }
    }

    fn window(&self) -> u64 {
        self.algorithm.window().get()
    }

    /// Two segments: a cut may lift a window of one to here (RFC 5681, equation 4).
    fn floor(&self) -> u64 {
        2 * self.segment
    }

    fn in_flight(&self) -> u64 {
        self.next - self.unacknowledged
    }

    /// Applies an operation where the transport could, and holds the answer against the laws.
    fn apply(&mut self, operation: Operation) {
        self.now = self.now + Span::from_microseconds(10);
        let before = self.window();
        match operation {
            Operation::Send(segments) => self.send(segments),
            Operation::Acknowledge(segments, echo) => self.acknowledge(segments, echo),
            // Three later segments have arrived.
            Operation::Lose if self.state == State::Open && self.in_flight() > 3 * self.segment => {
                self.lose(LossKind::Recovery);
                self.state = State::Recovery;
                let most = before.max(self.floor());
                assert!(self.window() <= most, "a loss raised the window from {before} to {}", self.window());
            }
            Operation::TimeOut if self.in_flight() > 0 => {
                if !self.backed_off {
                    self.lose(LossKind::Timeout);
                    assert_eq!(self.window(), self.segment, "a timeout leaves one segment");
                }
                self.state = State::Loss;
                self.backed_off = true;
            }
            Operation::Lose | Operation::TimeOut => {}
        }
        assert!(self.window() >= self.segment, "{} bytes are less than a segment", self.window());
        assert!(self.algorithm.window() < ABSURD, "{} bytes", self.window());
    }

    fn send(&mut self, segments: u64) {
        let room = self.window().saturating_sub(self.in_flight()) / self.segment;
        self.next += segments.min(room) * self.segment;
        self.window_limited = segments > room;
    }

    fn acknowledge(&mut self, segments: u64, echo: bool) {
        let newly_acked = (segments * self.segment).min(self.in_flight());
        if newly_acked == 0 {
            return;
        }
        self.backed_off = false;
        self.unacknowledged += newly_acked;
        if self.state != State::Open && self.unacknowledged >= self.recover {
            if self.state == State::Recovery {
                self.algorithm.on_recovered(self.now, Bytes::new(self.in_flight()));
            }
            self.state = State::Open;
        }
        let ack = Ack {
            newly_acked: Bytes::new(newly_acked),
            echo,
            cumulative: self.unacknowledged,
            next_sequence: self.next,
            window_limited: self.window_limited && self.state != State::Recovery,
        };
        let before = self.window();
        self.algorithm.on_ack(self.now, &ack);
        assert!(
            ack.window_limited || self.window() <= before.max(self.floor()),
            "the window was not the limit and grew from {before} to {}",
            self.window()
        );
    }

    fn lose(&mut self, kind: LossKind) {
        self.recover = self.next;
        let loss = Loss { in_flight: Bytes::new(self.in_flight()), kind, next_sequence: self.next };
        self.algorithm.on_loss(self.now, &loss);
    }
}

/// Settings of any congestion control that does, or does not, hear of CNPs.
fn any_parameters(hears_of_cnps: bool) -> impl Strategy<Value = Parameters> {
    let of = |name| settings::of::<Parameters>("congestion_control", name);
    proptest::sample::select(Parameters::NAMES)
        .prop_flat_map(of)
        .prop_filter("of the other kind", move |parameters| {
            matches!(parameters.echo(), Echo::Cnp(_)) == hears_of_cnps
        })
}

fn any_sender() -> impl Strategy<Value = (Parameters, u64, u64)> {
    (any_parameters(false), 500..9000u64, 1..40u64)
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// So many bytes are sent.
    Send(u64),
    Notify,
    /// The timer expires, if it is armed.
    Timer,
    /// Nothing happens for so many nanoseconds, or until the timer is due.
    Wait(u64),
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (1..20_000_000u64).prop_map(Event::Send),
        2 => Just(Event::Notify),
        4 => Just(Event::Timer),
        2 => (0..200_000u64).prop_map(Event::Wait),
    ]
}

/// A queue pair reduced to what its congestion control can see of it.
struct QueuePair {
    algorithm: Algorithm,
    now: Time,
}

impl QueuePair {
    const LINE_RATE: Rate = Rate::from_gbps(40);

    fn new(parameters: &Parameters) -> Self {
        let flow = Flow { segment: Bytes::new(1000), initial_window: Bytes::MAX, line_rate: Self::LINE_RATE };
        Self { algorithm: parameters.start(&flow), now: Time::ZERO }
    }

    /// Applies an event and holds the answer against the laws.
    fn apply(&mut self, event: Event) {
        let before = self.algorithm.rate();
        let due = self.algorithm.next_timer();
        match event {
            Event::Send(bytes) => {
                self.algorithm.on_sent(self.now, Bytes::new(bytes));
                assert!(self.algorithm.rate() >= before, "what is sent raises the rate");
            }
            Event::Notify => {
                self.algorithm.on_cnp(self.now);
                assert!(self.algorithm.rate() <= before, "a CNP lowers the rate");
            }
            Event::Timer if due < Time::MAX => {
                self.now = due;
                self.algorithm.on_timer(due);
                assert!(self.algorithm.next_timer() > due, "the timer that was due has been seen to");
            }
            Event::Timer => {}
            Event::Wait(nanoseconds) => {
                self.now = (self.now + Span::from_nanoseconds(nanoseconds)).min(due);
            }
        }
        let rate = self.algorithm.rate();
        assert!(rate > Rate::ZERO && rate <= Self::LINE_RATE, "{rate:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The window is at least a segment and finite; a loss never raises it; a timeout leaves one segment; it does not
    /// grow while it is not what limits the flow.
    #[test]
    fn windows_obey_their_laws(
        (parameters, segment, initial) in any_sender(),
        operations in proptest::collection::vec(any_operation(), 1..200),
    ) {
        let mut sender = Sender::new(&parameters, segment, initial);
        for operation in operations {
            sender.apply(operation);
        }
    }

    /// What a congestion control answers follows from what it was told.
    #[test]
    fn equal_histories_have_equal_windows(
        (parameters, segment, initial) in any_sender(),
        operations in proptest::collection::vec(any_operation(), 1..100),
    ) {
        let mut senders = [(); 2].map(|()| Sender::new(&parameters, segment, initial));
        for operation in operations {
            for sender in &mut senders {
                sender.apply(operation);
            }
            prop_assert_eq!(senders[0].window(), senders[1].window());
        }
    }

    /// The rate is above zero and no higher than the link's; CNPs lower it, and what is sent raises it.
    #[test]
    fn rates_obey_their_laws(
        parameters in any_parameters(true),
        events in proptest::collection::vec(any_event(), 1..200),
    ) {
        let mut pairs = [(); 2].map(|()| QueuePair::new(&parameters));
        for event in events {
            for pair in &mut pairs {
                pair.apply(event);
            }
            prop_assert_eq!(pairs[0].algorithm.rate(), pairs[1].algorithm.rate());
        }
    }
}
