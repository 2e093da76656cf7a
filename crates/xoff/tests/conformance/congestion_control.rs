//! Laws of every congestion control, driven as its transport drives it.
//!
//! Algorithms that need acknowledgements are driven as TCP does. Algorithms that need CNPs, delay or telemetry are driven
//! as a queue pair does.

use proptest::prelude::*;
use serde_json::json;
use xoff::internals::congestion_control::{
    Ack, Algorithm, Flow, Grants, Loss, LossKind, Needs, Parameters, Path, Trimmed,
};
use xoff::internals::telemetry::{Record, Records, Telemetry};
use xoff::units::{Bytes, Rate, Span, Time};

use crate::cases::cases;
use crate::settings;

/// Window larger than that of any flow of these tests.
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

/// Sender, reduced to what its congestion control can see of it.
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
        let segment_size = Bytes::new(segment);
        let flow = Flow { segment: segment_size, initial_window, line_rate: Rate::MAX, ..Flow::default() };
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

    /// Two segments: a cut may raise a window of one segment to this (RFC 5681, equation 4).
    fn floor(&self) -> u64 {
        2 * self.segment
    }

    fn in_flight(&self) -> u64 {
        self.next - self.unacknowledged
    }

    /// Applies an operation if the transport could, and holds the answer against the laws.
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
            ..Ack::default()
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
        let in_flight = self.in_flight();
        let loss = Loss {
            in_flight: Bytes::new(in_flight),
            kind,
            first_lost: self.next - in_flight,
            next_sequence: self.next,
        };
        self.algorithm.on_loss(self.now, &loss);
    }
}

/// Draws settings of any congestion control with such needs.
pub(crate) fn any_parameters(such: fn(Needs) -> bool) -> impl Strategy<Value = Parameters> {
    let of = |name| settings::of::<Parameters>("congestion_control", name);
    proptest::sample::select(names(such)).prop_flat_map(of)
}

fn names(such: fn(Needs) -> bool) -> Vec<&'static str> {
    Parameters::NAMES.iter().copied().filter(|name| such(default(name).needs())).collect()
}

fn default(name: &str) -> Parameters {
    serde_json::from_value(json!({ "algorithm": name })).expect("every key has a default")
}

pub(crate) fn goes_by_acknowledgements(needs: Needs) -> bool {
    matches!(needs, Needs::Acknowledgements(_))
}

fn goes_by_cnps(needs: Needs) -> bool {
    matches!(needs, Needs::Cnps(_))
}

fn any_sender() -> impl Strategy<Value = (Parameters, u64, u64)> {
    (any_parameters(goes_by_acknowledgements), 500..9000u64, 1..40u64)
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

/// Queue pair, reduced to what its congestion control can see of it.
struct QueuePair {
    algorithm: Algorithm,
    now: Time,
}

impl QueuePair {
    const LINE_RATE: Rate = Rate::from_gbps(40);

    fn new(parameters: &Parameters) -> Self {
        let flow = Flow { segment: Bytes::new(1000), line_rate: Self::LINE_RATE, ..Flow::default() };
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
        if !self.algorithm.hears_acknowledgements() {
            let state = format!("{:?}", self.algorithm);
            self.algorithm.on_ack(self.now, &Ack { newly_acked: Bytes::new(1000), ..Ack::default() });
            assert_eq!(format!("{:?}", self.algorithm), state, "an acknowledgement changes nothing");
        }
    }
}

/// Passage of a packet over its path: the time since the last packet, the share of a full link that came, and the time
/// it waited.
#[derive(Clone, Copy, Debug)]
struct Passage {
    nanoseconds: u64,
    share: f64,
    queue: u64,
}

fn any_passage() -> impl Strategy<Value = Passage> {
    (0..40_000u64, 0.0..1.0, 0..2_000_000u64).prop_map(|(nanoseconds, share, queue)| Passage {
        nanoseconds,
        share,
        queue,
    })
}

/// Flow, reduced to what its congestion control can see of it. Its path has one switch, which marks if the algorithm
/// hears of marks.
struct Probe {
    algorithm: Algorithm,
    reads_echoes: bool,
    telemetry: Telemetry,
    now: Time,
    sent: f64,
    acknowledged: u64,
}

impl Probe {
    const LINE_RATE: Rate = Rate::from_gbps(100);
    const BASE_RTT: Span = Span::from_microseconds(10);
    const SEGMENT: u64 = 1000;

    fn new(parameters: &Parameters) -> Self {
        let path = Path { switches: 1, base_rtt: Self::BASE_RTT };
        let segment = Bytes::new(Self::SEGMENT);
        let flow = Flow { segment, line_rate: Self::LINE_RATE, path, ..Flow::default() };
        Self {
            algorithm: parameters.start(&flow),
            reads_echoes: parameters.needs().reads_echoes(),
            telemetry: Telemetry::new(Records::new(vec![Self::LINE_RATE], 1, true)),
            now: Time::ZERO,
            sent: 0.0,
            acknowledged: 0,
        }
    }

    /// Rate and window together, in bits per second.
    fn pace(&self) -> f64 {
        let window = self.algorithm.window().as_f64() * 8.0 / Self::BASE_RTT.as_seconds();
        self.algorithm.rate().as_f64().min(window)
    }

    /// Acknowledges a packet that has passed.
    fn pass(&mut self, passage: Passage) {
        let span = Span::from_nanoseconds(passage.nanoseconds);
        self.now = self.now + span;
        self.sent += Self::LINE_RATE.bytes_in(span).as_f64() * passage.share;
        let record = self.record(passage.queue);
        let waited = Self::LINE_RATE.transmission_time(Bytes::new(passage.queue));
        self.acknowledged += Self::SEGMENT;
        let ack = Ack {
            newly_acked: Bytes::new(Self::SEGMENT),
            timed: Bytes::new(Self::SEGMENT),
            echo: self.reads_echoes && waited * 5 > Self::BASE_RTT,
            cumulative: self.acknowledged,
            next_sequence: self.acknowledged + 50 * Self::SEGMENT,
            rtt: Some(Self::BASE_RTT + waited),
            telemetry: Some(self.telemetry.reading(&record)),
            ..Ack::default()
        };
        self.algorithm.on_ack(self.now, &ack);
        assert!(self.algorithm.rate() > Rate::ZERO && self.pace() > 0.0, "it goes on");
    }

    fn record(&mut self, queue: u64) -> Record {
        let record = self.telemetry.take();
        self.telemetry.remember(record, self.algorithm.window());
        self.telemetry.depart(record, self.now);
        let (sent, queue) = (Bytes::from_f64(self.sent), Bytes::new(queue));
        self.telemetry.write(record, 0, self.now, Self::LINE_RATE, sent, queue);
        self.telemetry.collect(record, 1, 0, self.now)
    }
}

fn goes_by_credit(needs: Needs) -> bool {
    needs == Needs::Credit
}

/// Fate of a data packet and of the next credit: whether it was trimmed, when its sender learns of that, and whether
/// the credit is lost.
#[derive(Clone, Copy, Debug)]
struct Fate {
    trimmed: bool,
    told_at_once: bool,
    credit_lost: bool,
}

fn any_fate() -> impl Strategy<Value = Fate> {
    (prop::bool::weighted(0.3), any::<bool>(), prop::bool::weighted(0.2))
        .prop_map(|(trimmed, told_at_once, credit_lost)| Fate { trimmed, told_at_once, credit_lost })
}

/// Both ends of a flow on credit, reduced to what its congestion control can see of them.
struct OnCredit {
    algorithm: Algorithm,
    grants: Grants,
    /// Packets not sent yet, trimmed without the sender's knowledge, to be sent again, and arrived.
    unsent: u64,
    untold: u64,
    lost: u64,
    arrived: u64,
}

impl OnCredit {
    const SEGMENT: Bytes = Bytes::new(1000);

    fn new(parameters: &Parameters, packets: u64) -> Self {
        let path = Path { switches: 1, base_rtt: Span::from_microseconds(1) };
        let flow = Flow { segment: Self::SEGMENT, line_rate: Rate::from_gbps(100), path, ..Flow::default() };
        let (algorithm, grants) = (parameters.start(&flow), Grants::default());
        Self { algorithm, grants, unsent: packets, untold: 0, lost: 0, arrived: 0 }
    }

    /// Sends a packet, if there is one and credit for it.
    fn send(&mut self, fate: Fate) -> bool {
        if self.unsent + self.lost == 0 || self.algorithm.rate() == Rate::ZERO {
            return false;
        }
        *(if self.lost > 0 { &mut self.lost } else { &mut self.unsent }) -= 1;
        self.algorithm.on_sent(Time::ZERO, Self::SEGMENT);
        let asked = self.algorithm.asks_for(Self::SEGMENT * (self.unsent + self.lost));
        let trimmed = if fate.trimmed { Self::SEGMENT } else { Bytes::ZERO };
        self.grants.on_packet(Time::ZERO, asked, trimmed);
        if fate.trimmed {
            self.untold += 1;
        } else {
            self.arrived += 1;
        }
        if fate.told_at_once {
            self.tell();
        }
        true
    }

    /// Tells the sender of trimmed packets.
    fn tell(&mut self) {
        for _ in 0..std::mem::take(&mut self.untold) {
            self.lost += 1;
            self.algorithm
                .on_trimmed(Time::ZERO, &Trimmed { payload: Self::SEGMENT, in_flight: Bytes::ZERO });
        }
    }

    /// Gives credit for at most so many packets, and tells the sender unless that is lost.
    fn give(&mut self, packets: u64, credit_lost: bool) {
        self.grants.grant(Self::SEGMENT * packets);
        if !credit_lost {
            self.algorithm.on_credit(Time::ZERO, self.grants.granted());
        }
    }
}

/// A queue of 100 us that stays, and one that grows from there, leave less than a fifth of the link. An idle path gives
/// all of it back.
#[test]
fn a_long_queue_slows_a_flow_down_and_an_idle_path_lets_it_go() {
    for name in names(Needs::goes_by_path) {
        let mut probe = Probe::new(&default(name));
        let full = Probe::LINE_RATE.as_f64();
        for packet in 0..100_000 {
            let queue = 1_250_000 + packet * 60;
            probe.pass(Passage { nanoseconds: 100, share: 1.0, queue });
        }
        assert!(probe.pace() < full / 5.0, "{name}: {} bit/s", probe.pace());
        for _ in 0..1_000_000 {
            probe.pass(Passage { nanoseconds: 100, share: 0.1, queue: 0 });
        }
        assert!(probe.pace() >= 0.99 * full, "{name}: {} bit/s", probe.pace());
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    /// The window is at least a segment and finite. A loss never raises it, and a timeout leaves one segment. It does
    /// not grow while it is not what limits the flow.
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

    /// The answers of a congestion control follow from the events that it was given.
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

    /// The flow goes on over any path, and its answers follow from the events that it was given.
    #[test]
    fn flows_go_on_whatever_the_path_is_like(
        parameters in any_parameters(Needs::goes_by_path),
        passages in proptest::collection::vec(any_passage(), 1..200),
    ) {
        let mut probes = [(); 2].map(|()| Probe::new(&parameters));
        for passage in passages {
            for probe in &mut probes {
                probe.pass(passage);
            }
            let answers = probes.each_ref().map(|probe| (probe.algorithm.window(), probe.algorithm.rate()));
            prop_assert_eq!(answers[0], answers[1]);
        }
    }

    /// A flow is given the credit that it needs and no more, whatever is trimmed and whatever credit is lost and given
    /// again.
    #[test]
    fn credit_adds_up(
        parameters in any_parameters(goes_by_credit),
        packets in 1..200u64,
        at_once in 1..9u64,
        fates in proptest::collection::vec(any_fate(), 1..100),
    ) {
        let mut flow = OnCredit::new(&parameters, packets);
        let mut trims = 0;
        for (turn, &fate) in fates.iter().cycle().enumerate() {
            if flow.arrived == packets {
                break;
            }
            // After so many turns whatever is lost must have been made up for.
            let fate = Fate { trimmed: fate.trimmed && turn < 2000, ..fate };
            prop_assert!(turn < 20_000, "{} of {packets} have arrived", flow.arrived);
            let has_sent = flow.send(fate);
            trims += u64::from(has_sent && fate.trimmed);
            if !has_sent {
                flow.tell();
                flow.give(at_once, fate.credit_lost && turn < 2000);
            }
        }
        prop_assert!(flow.grants.granted() <= OnCredit::SEGMENT * (packets + trims));
        prop_assert!(flow.algorithm.rate() == Rate::ZERO || flow.unsent + flow.lost == 0);
    }

    /// The rate is above zero and no higher than the link's. CNPs lower it, and bytes that are sent raise it.
    #[test]
    fn rates_obey_their_laws(
        parameters in any_parameters(goes_by_cnps),
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
