//! Every congestion control that TCP drives, on a persistent connection: to it the flows of the connection are one stream of bytes.
//! TCP's own sender carries flow after flow; beside it the same algorithm hears of one stream whose bytes are numbered on.
//! Where a sender began to number anew with each flow, an algorithm that remembers a sequence would answer otherwise.

use proptest::prelude::*;
use serde_json::json;
use xoff::internals::congestion_control::{Ack, Algorithm, Flow, Identity, Loss, LossKind, Parameters};
use xoff::internals::packet::{ACKNOWLEDGEMENT, ECHO, Header, Packet};
use xoff::internals::scenario::{Host, Tcp};
use xoff::internals::transport::Transmit;
use xoff::internals::transport::tcp::TcpSender;
use xoff::units::{Bytes, Rate, Span, Time};

use crate::cases::cases;
use crate::congestion_control::{any_parameters, goes_by_acknowledgements};

const SEGMENT: u64 = 1000;
const ROUND_TRIP: Span = Span::from_microseconds(100);
/// Less than any retransmission timeout, so that no flow starts slowly again.
const STEP: Span = Span::from_microseconds(10);

#[derive(Clone, Copy, Debug)]
enum Event {
    /// So many segments are acknowledged, or as many as are in flight, with or without an echo.
    Acknowledge(u64, bool),
    /// The first segment in flight is lost and the next three arrive; what is sent again then arrives with all that is in flight.
    Lose,
    /// Nothing in flight was answered before the timeout; then all of it is acknowledged.
    TimeOut,
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (1..8u64, any::<bool>()).prop_map(|(segments, echo)| Event::Acknowledge(segments, echo)),
        1 => Just(Event::Lose),
        1 => Just(Event::TimeOut),
    ]
}

/// One stream of bytes, reduced to what its congestion control can see of it.
struct Stream {
    algorithm: Algorithm,
    unacknowledged: u64,
    next: u64,
    /// Bytes of all flows so far, beyond which there is nothing to send yet.
    end: u64,
    window_limited: bool,
    /// Bytes in flight that a block has told of.
    told: u64,
}

impl Stream {
    fn new(settings: &Tcp) -> Self {
        let segment = settings.payload;
        let initial_window = segment * u64::from(settings.initial_window);
        let flow = Flow { segment, initial_window, line_rate: Rate::MAX, ..Flow::default() };
        let algorithm = settings.congestion_control.start(&flow);
        Self { algorithm, unacknowledged: 0, next: 0, end: 0, window_limited: false, told: 0 }
    }

    fn in_flight(&self) -> u64 {
        self.next - self.unacknowledged
    }

    /// Sends what the window allows when so many of the bytes in flight are known to have arrived.
    fn send(&mut self, arrived: u64) {
        self.window_limited = false;
        while self.next < self.end && !self.window_limited {
            if self.in_flight() - arrived + SEGMENT > self.algorithm.window().get() {
                self.window_limited = true;
            } else {
                self.next += SEGMENT;
            }
        }
    }

    fn acknowledge(&mut self, now: Time, bytes: u64, echo: bool) {
        self.unacknowledged += bytes;
        let ack = Ack {
            newly_acked: Bytes::new(bytes - std::mem::take(&mut self.told)),
            echo,
            cumulative: self.unacknowledged,
            next_sequence: self.next,
            window_limited: self.window_limited,
            ..Ack::default()
        };
        self.algorithm.on_ack(now, &ack);
        self.send(0);
    }

    /// A block tells of so many bytes.
    fn tell(&mut self, now: Time, bytes: u64) {
        self.told = bytes;
        let ack = Ack {
            newly_acked: Bytes::new(bytes),
            cumulative: self.unacknowledged,
            next_sequence: self.next,
            ..Ack::default()
        };
        self.algorithm.on_ack(now, &ack);
    }

    fn lose(&mut self, now: Time, kind: LossKind) {
        let in_flight = Bytes::new(self.in_flight());
        let (first_lost, next_sequence) = (self.unacknowledged, self.next);
        self.algorithm.on_loss(now, &Loss { in_flight, kind, first_lost, next_sequence });
        match kind {
            LossKind::Recovery => self.send(3 * SEGMENT),
            // One segment fills the window.
            LossKind::Timeout => self.window_limited = self.in_flight() > SEGMENT || self.next < self.end,
        }
    }
}

/// TCP's sender of the flow that a persistent connection carries, and the stream that it is part of.
struct Pair {
    sender: TcpSender,
    stream: Stream,
    now: Time,
    /// Bytes of flows before.
    before: u64,
}

impl Pair {
    fn new(settings: &Tcp, segments: u64) -> Self {
        let sender =
            TcpSender::new(settings, &Host::default(), Bytes::new(segments * SEGMENT), Identity::default());
        let mut pair =
            Self { sender, stream: Stream::new(settings), now: Time::ZERO + ROUND_TRIP, before: 0 };
        pair.stream.end = segments * SEGMENT;
        pair.begin();
        pair
    }

    /// The next flow, which starts when every byte of the one before is acknowledged.
    fn go_on_with(self, settings: &Tcp, segments: u64) -> Self {
        let Self { sender, mut stream, now, .. } = self;
        let (size, before) = (Bytes::new(segments * SEGMENT), stream.end);
        let connection = sender.into_connection();
        let sender = TcpSender::on_connection(
            connection,
            settings,
            &Host::default(),
            size,
            Identity::default(),
            now + STEP,
        );
        stream.algorithm.on_quiet(true);
        stream.end += segments * SEGMENT;
        let mut pair = Self { sender, stream, now: now + STEP, before };
        pair.begin();
        pair
    }

    fn begin(&mut self) {
        self.stream.send(0);
        self.send();
    }

    fn send(&mut self) {
        while let Transmit::Segment { .. } = self.sender.poll_transmit(self.now) {}
        assert_eq!(self.sender.window(), self.stream.algorithm.window(), "at {}", self.stream.unacknowledged);
    }

    /// An acknowledgement of all before this byte of the stream, and of a block that so many bytes beyond begins.
    fn answer(&mut self, cumulative: u64, block: (u32, u32), flags: u8) {
        let packet: Packet = Header {
            sequence: cumulative - self.before,
            reception: block.0,
            length: block.1,
            stamp: self.now.get() - ROUND_TRIP.get(),
            flags: ACKNOWLEDGEMENT | flags,
            ..Header::default()
        }
        .into();
        self.sender.on_ack(self.now, &packet);
        if self.sender.is_done() {
            self.sender.on_done(&packet);
        }
        self.send();
    }

    fn acknowledge(&mut self, bytes: u64, echo: bool) {
        self.now = self.now + STEP;
        let bytes = bytes.min(self.stream.in_flight());
        self.stream.acknowledge(self.now, bytes, echo);
        self.answer(self.stream.unacknowledged, (0, 0), if echo { ECHO } else { 0 });
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Acknowledge(segments, echo) => self.acknowledge(segments * SEGMENT, echo),
            Event::Lose if self.stream.in_flight() > 3 * SEGMENT => {
                self.now = self.now + STEP;
                self.stream.tell(self.now, 3 * SEGMENT);
                self.stream.lose(self.now, LossKind::Recovery);
                let block = (SEGMENT as u32, 3 * SEGMENT as u32);
                self.answer(self.stream.unacknowledged, block, 0);
                self.acknowledge(u64::MAX, false);
            }
            Event::TimeOut => {
                self.now = self.now + self.sender.timeout();
                self.stream.lose(self.now, LossKind::Timeout);
                self.sender.on_timeout(self.now);
                self.send();
                self.acknowledge(u64::MAX, false);
            }
            Event::Lose => {}
        }
    }

    fn is_done(&self) -> bool {
        self.stream.unacknowledged == self.stream.end
    }
}

fn settings(congestion_control: Parameters) -> Tcp {
    let reno = json!({ "payload": "1000B", "congestion_control": { "algorithm": "reno" } });
    let settings: Tcp = serde_json::from_value(reno).expect("the other keys have defaults");
    Tcp { congestion_control, ..settings }
}

proptest! {
    #![proptest_config(cases(1000))]

    /// On every acknowledgement, echo, loss and timeout of flows one after another the window is that of one stream.
    #[test]
    fn flows_one_after_another_are_one_stream_to_a_congestion_control(
        parameters in any_parameters(goes_by_acknowledgements),
        sizes in proptest::collection::vec(1..120u64, 2..6),
        events in proptest::collection::vec(any_event(), 1..40),
    ) {
        let settings = settings(parameters);
        let mut events = events.iter().cycle();
        let mut pair = Pair::new(&settings, sizes[0]);
        for segments in sizes.iter().skip(1).map(Some).chain([None]) {
            for event in events.by_ref().take(1000) {
                if pair.is_done() {
                    break;
                }
                pair.apply(*event);
            }
            while !pair.is_done() {
                pair.acknowledge(SEGMENT, false);
            }
            if let Some(&segments) = segments {
                pair = pair.go_on_with(&settings, segments);
            }
        }
    }
}
