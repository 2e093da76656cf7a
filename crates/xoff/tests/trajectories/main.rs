//! Trajectories: the window of every congestion control that has one, round by round, under named signals; and the rate
//! of QCN's limiter, step by step.
//!
//! The files beside this one hold them, as whole packets or Mb/s and tenths of them, so that every platform writes the
//! same text. `UPDATE_SNAPSHOTS=1 cargo test --test trajectories` writes them anew; then look at the difference.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::json;
use xoff::internals::congestion_control::qcn::{self, ReactionPoint};
use xoff::internals::congestion_control::{Ack, Algorithm, Flow, Loss, LossKind, Needs, Parameters};
use xoff::units::{Bytes, Rate, Span, Time};

const SEGMENT: u64 = 1000;
const ROUNDS: u64 = 16;
const ROUND: Span = Span::from_microseconds(100);

/// Event that the network makes of a window of packets in one round.
#[derive(Clone, Copy)]
enum Signal {
    Nothing,
    /// The first packet of the window is lost, and repaired within the round.
    Loss,
    /// No packet of the window arrives.
    Timeout,
    /// One packet of so many is marked, from the first on.
    Marks(u64),
    /// The application has only half a window to send.
    HalfSent,
}

/// Name of a course, and the event of each round.
type Course<S> = (&'static str, fn(u64) -> S);

/// Courses of windows. In all of them, the rounds before the fifth are undisturbed.
const COURSES: [Course<Signal>; 7] = [
    ("nothing", |round| if round < 8 { Signal::Nothing } else { Signal::HalfSent }),
    ("loss", |round| if round == 4 { Signal::Loss } else { Signal::Nothing }),
    ("losses", |round| if round % 4 == 0 && round > 0 { Signal::Loss } else { Signal::Nothing }),
    ("timeout", |round| if round == 4 { Signal::Timeout } else { Signal::Nothing }),
    ("all_marked", |round| if round < 4 { Signal::Nothing } else { Signal::Marks(1) }),
    ("tenth_marked", |round| if round < 4 { Signal::Nothing } else { Signal::Marks(10) }),
    ("mark_once", |round| if round == 4 { Signal::Marks(u64::MAX) } else { Signal::Nothing }),
];

struct Sender {
    algorithm: Algorithm,
    now: Time,
    /// First byte not acknowledged: all bytes before the round are.
    acknowledged: u64,
}

impl Sender {
    fn new(parameters: &Parameters) -> Self {
        let initial_window = Bytes::new(10 * SEGMENT);
        let segment = Bytes::new(SEGMENT);
        let flow = Flow { segment, initial_window, line_rate: Rate::MAX, ..Flow::default() };
        Self { algorithm: parameters.start(&flow), now: Time::ZERO, acknowledged: 0 }
    }

    /// Window, in tenths of a packet.
    fn tenths(&self) -> u64 {
        self.algorithm.window().get() * 10 / SEGMENT
    }

    /// Sends a window and takes its acknowledgements, one for each packet.
    fn round(&mut self, signal: Signal) {
        self.now = self.now + ROUND;
        let window = self.algorithm.window().get() / SEGMENT;
        let packets = if matches!(signal, Signal::HalfSent) { window / 2 } else { window };
        let end = self.acknowledged + packets * SEGMENT;
        match signal {
            Signal::Timeout => return self.lose(end, LossKind::Timeout),
            Signal::Loss => self.lose(end, LossKind::Recovery),
            _ => {}
        }
        for packet in 0..packets {
            let echo = matches!(signal, Signal::Marks(of) if packet % of == 0);
            self.acknowledge(echo, end, matches!(signal, Signal::Nothing | Signal::Marks(_)));
        }
        if matches!(signal, Signal::Loss) {
            self.algorithm.on_recovered(self.now, self.algorithm.window());
        }
    }

    fn acknowledge(&mut self, echo: bool, next_sequence: u64, window_limited: bool) {
        self.acknowledged += SEGMENT;
        let (newly_acked, cumulative) = (Bytes::new(SEGMENT), self.acknowledged);
        let ack = Ack { newly_acked, echo, cumulative, next_sequence, window_limited, ..Ack::default() };
        self.algorithm.on_ack(self.now, &ack);
    }

    fn lose(&mut self, next_sequence: u64, kind: LossKind) {
        let in_flight = Bytes::new(next_sequence - self.acknowledged);
        self.algorithm
            .on_loss(self.now, &Loss { in_flight, kind, first_lost: self.acknowledged, next_sequence });
    }
}

/// Writes a line for each round: the window after it, under each course.
fn trajectories(parameters: &Parameters) -> String {
    let mut text = String::from("round");
    for (name, _) in COURSES {
        write!(text, " {name:>12}").unwrap();
    }
    let mut senders = COURSES.map(|(_, course)| (Sender::new(parameters), course));
    for round in 0..ROUNDS {
        write!(text, "\n{round:>5}").unwrap();
        for (sender, course) in &mut senders {
            sender.round(course(round));
            write!(text, " {:>10}.{}", sender.tenths() / 10, sender.tenths() % 10).unwrap();
        }
    }
    text + "\n"
}

#[test]
fn windows_take_their_course() {
    for name in Parameters::NAMES {
        let parameters: Parameters = serde_json::from_value(json!({ "algorithm": name })).unwrap();
        if !matches!(parameters.needs(), Needs::Acknowledgements(_)) {
            continue;
        }
        assert_as_committed(name, &trajectories(&parameters));
    }
}

fn assert_as_committed(name: &str, text: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/trajectories");
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, committed, "{}: `make snapshots` writes it anew", path.display());
}

/// Event of a limited flow.
#[derive(Clone, Copy)]
enum Step {
    ByteCounter,
    Timer,
    Cnm(u8),
}

/// Courses of the limiter. The first step of each is the first message.
const REACTIONS: [Course<Step>; 5] = [
    ("byte_counter", |step| if step == 0 { Step::Cnm(25) } else { Step::ByteCounter }),
    ("timer", |step| if step == 0 { Step::Cnm(63) } else { Step::Timer }),
    ("both", |step| match step {
        0 => Step::Cnm(63),
        _ if step % 2 == 0 => Step::Timer,
        _ => Step::ByteCounter,
    }),
    ("cuts", |step| if step % 4 == 0 { Step::Cnm(40) } else { Step::ByteCounter }),
    ("far_target", |step| if step < 5 { Step::Cnm(63) } else { Step::Timer }),
];

/// Writes a line for each step: the rate of a flow of 10 Gb/s after it, in Mb/s, under each course.
fn reactions() -> String {
    let mut text = String::from("step");
    for (name, _) in REACTIONS {
        write!(text, " {name:>12}").unwrap();
    }
    let parameters = qcn::Parameters::default();
    let mut points =
        REACTIONS.map(|(_, course)| (ReactionPoint::new(&parameters, Rate::from_gbps(10)), course));
    for step in 0..20 {
        write!(text, "\n{step:>4}").unwrap();
        for (point, course) in &mut points {
            match course(step) {
                Step::ByteCounter => while !point.on_sent(&parameters, Bytes::new(SEGMENT)) {},
                Step::Timer => point.on_timer(&parameters, Time::ZERO),
                Step::Cnm(feedback) => point.on_cnm(&parameters, Time::ZERO, feedback),
            }
            let tenths = point.rate().get() / 100_000;
            write!(text, " {:>10}.{}", tenths / 10, tenths % 10).unwrap();
        }
    }
    text + "\n"
}

#[test]
fn limiters_take_their_course() {
    assert_as_committed("qcn", &reactions());
}
