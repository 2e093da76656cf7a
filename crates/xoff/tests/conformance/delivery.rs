//! Every congestion control that TCP drives, with every way to repair losses: a window grows by what has just arrived, and
//! never by bytes that an acknowledgement has told of before. Packets and acknowledgements are lost, overtake each other,
//! and come joined; acknowledgements are delayed.

use std::collections::{BTreeSet, VecDeque};

use proptest::prelude::*;
use serde_json::json;
use xoff::internals::congestion_control::Identity;
use xoff::internals::packet::{ACKNOWLEDGEMENT, Header, LAST, Packet};
use xoff::internals::scenario::{Host, Tcp};
use xoff::internals::transport::Transmit;
use xoff::internals::transport::tcp::{Acknowledgement, RecoveryState, TcpReceiver, TcpSender};
use xoff::units::{Bytes, Span, Time};

use crate::cases::cases;
use crate::congestion_control::{any_parameters, goes_by_acknowledgements};

const SEGMENT: u64 = 1000;
const STEP: Span = Span::from_microseconds(10);
/// More than any flow here takes.
const MOST_STEPS: usize = 20_000;

/// Fate of the next data packet and of its acknowledgement.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrives,
    /// So many arrive as one.
    Joined(usize),
    Lost,
    /// The next comes before it.
    Overtaken,
    /// The packet arrives, and what answers it is lost.
    Unanswered,
}

fn any_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        10 => Just(Fate::Arrives),
        2 => (2..6usize).prop_map(Fate::Joined),
        2 => Just(Fate::Lost),
        1 => Just(Fate::Overtaken),
        1 => Just(Fate::Unanswered),
    ]
}

fn any_settings() -> impl Strategy<Value = Tcp> {
    let recovery = prop_oneof![Just("reno"), Just("new_reno"), Just("sack"), Just("rack")];
    let growth =
        prop_oneof![Just(None), Just(Some("acknowledgements")), Just(Some("bytes")), Just(Some("segments"))];
    let flags = proptest::collection::vec(any::<bool>(), 7);
    let control = any_parameters(goes_by_acknowledgements);
    (control, recovery, growth, flags, 1..4u32).prop_map(|(control, recovery, growth, flags, every)| {
        let choose = |index: usize, yes: &'static str, no: &'static str| if flags[index] { yes } else { no };
        let settings = json!({
            "payload": "1000B",
            "congestion_control": { "algorithm": "reno" },
            "recovery": recovery,
            "growth": growth,
            "acknowledge_every": every,
            "window_unit": choose(0, "segments", "bytes"),
            "reduction": choose(1, "proportionally", "at_once"),
            "loss_reduces": choose(2, "window", "flight_size"),
            "rto_floor": choose(3, "variation", "timeout"),
            "tail_loss_probe": flags[4],
            "f_rto": flags[5],
            "clock_granularity": choose(6, "1ms", "0s"),
        });
        let settings: Tcp = serde_json::from_value(settings).expect("the other keys have defaults");
        Tcp { congestion_control: control, ..settings }
    })
}

/// A flow between two hosts, and all that acknowledgements have told its sender.
struct Path {
    sender: TcpSender,
    receiver: TcpReceiver,
    data: VecDeque<Packet>,
    now: Time,
    size: u64,
    /// Segments that acknowledgements have told of.
    told: BTreeSet<u64>,
    /// Most that the window may be while nothing is repaired.
    most: u64,
}

impl Path {
    fn new(settings: &Tcp, host: &Host, size: u64) -> Self {
        let sender = TcpSender::new(settings, host, Bytes::new(size), Identity::default());
        let most = sender.window().get();
        let receiver = TcpReceiver::new(settings);
        let now = Time::ZERO + STEP;
        Self { sender, receiver, data: VecDeque::new(), now, size, told: BTreeSet::new(), most }
    }

    fn send(&mut self) {
        while let Transmit::Segment { sequence, length, .. } = self.sender.poll_transmit(self.now) {
            let is_last = sequence + u64::from(length) == self.size;
            let flags = if is_last { LAST } else { 0 };
            let stamp = self.now.get();
            self.data.push_back(Header { sequence, length, flags, stamp, ..Header::default() }.into());
        }
    }

    /// Takes the next data packet to the receiver, and its answer back.
    fn step(&mut self, fate: Fate) {
        self.now = self.now + STEP;
        let Some(mut packet) = self.data.pop_front() else { return self.wait() };
        match fate {
            Fate::Lost => return,
            Fate::Overtaken => return self.data.insert(1.min(self.data.len()), packet),
            Fate::Joined(most) => {
                for _ in 1..most {
                    let end = packet.sequence() + packet.length();
                    match self.data.front() {
                        Some(next) if next.sequence() == end => packet.join(next),
                        _ => break,
                    }
                    self.data.pop_front();
                }
            }
            Fate::Arrives | Fate::Unanswered => {}
        }
        let received = self.receiver.on_data(&packet);
        for answer in received.before.iter().chain(&received.now) {
            if !matches!(fate, Fate::Unanswered) {
                self.answer(answer);
            }
        }
    }

    /// Nothing is under way: a delayed acknowledgement comes, or a timer expires.
    fn wait(&mut self) {
        if let Some(answer) = self.receiver.on_timer() {
            return self.answer(&answer);
        }
        self.now = self.now + self.sender.until_due(self.now);
        self.sender.on_timer(self.now);
        self.look(0);
    }

    fn answer(&mut self, answer: &Acknowledgement) {
        self.now = self.now + STEP;
        let (start, end) = answer.block.unwrap_or((answer.next, answer.next));
        let packet = Header {
            sequence: answer.next,
            reception: (start - answer.next) as u32,
            length: (end - start) as u32,
            stamp: answer.stamp,
            flags: ACKNOWLEDGEMENT | answer.flags,
            ..Header::default()
        };
        let before = self.told.len();
        self.told.extend(0..answer.next.div_ceil(SEGMENT));
        self.told.extend(start / SEGMENT..end.div_ceil(SEGMENT));
        self.sender.on_ack(self.now, &packet.into());
        self.look((self.told.len() - before) as u64 * SEGMENT);
        self.send();
    }

    /// Looks at the window after an acknowledgement that told of `news` bytes.
    fn look(&mut self, news: u64) {
        self.most += news;
        let window = self.sender.window().get();
        if self.sender.state() == RecoveryState::Open {
            assert!(window <= self.most, "{window} above {}", self.most);
        }
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn a_window_grows_by_no_byte_twice(
        settings in any_settings(),
        size in 1..80_000u64,
        joins in any::<bool>(),
        fates in proptest::collection::vec(any_fate(), 1..60),
    ) {
        let host = Host { receive_offload: joins.then(|| Bytes::new(64_000)), ..Host::default() };
        let mut path = Path::new(&settings, &host, size);
        path.send();
        for &fate in fates.iter().chain(std::iter::repeat(&Fate::Arrives)).take(MOST_STEPS) {
            if path.sender.is_done() {
                break;
            }
            path.step(fate);
            path.send();
        }
        prop_assert!(path.sender.is_done(), "{:?} at {:?}", path.sender.state(), path.now);
    }
}
