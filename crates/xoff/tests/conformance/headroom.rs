//! Laws of every headroom scheme, with the accounting that asks it.

use std::collections::VecDeque;

use proptest::prelude::*;
use xoff::internals::classes::PRIORITIES;
use xoff::internals::pause_frames::PfcRequest;
use xoff::internals::switch::buffer_policy::{self, dynamic_threshold::DynamicThreshold};
use xoff::internals::switch::headroom::{Link, Parameters, Scheme};
use xoff::internals::switch::ingress::{Ingress, Sizes};
use xoff::units::{Bytes, Rate, Ratio, Span, Time};

use crate::cases::cases;
use crate::settings;

/// Schemes that may lose packets by design.
const LOSSY: &[&str] = &["oversubscribed"];

const PORTS: usize = 4;
const CLASSES: usize = 2;
const MOST_FRAME: u64 = 1000;
/// Bytes that the link of each port carries from XOFF until its sender has stopped.
const WAYS: [u64; PORTS] = [20_000, 3_000, 20_000, 80_000];
/// Headroom by hand of each port, over a size that is of no use.
const BY_HAND: &str = "size = '1B'\nat_ports = [{ ports = [2, 0], size = '21000B' }, { ports = [1], size = '4000B' }, \
                       { ports = [3], size = '81000B' }]";

fn any_scheme() -> impl Strategy<Value = (&'static str, Parameters)> {
    proptest::sample::select(Parameters::NAMES)
        .prop_flat_map(|name| (Just(name), settings::of("headroom", name)))
}

fn started(parameters: &Parameters) -> Option<Scheme> {
    let link = |way| Link {
        rate: Rate::from_gbps(if way < 10_000 { 25 } else { 100 }),
        delay: Span::from_microseconds(1),
        worst_case: Bytes::new(way + MOST_FRAME),
    };
    parameters.start(&WAYS.map(link), CLASSES as u64).ok()
}

fn ingress(scheme: Scheme, shared: u64, alpha: u64) -> Ingress {
    let sizes = Sizes {
        shared: Bytes::new(shared),
        reserved: Bytes::new(1500),
        xon_offset: Bytes::ZERO,
        ports: PORTS,
        classes: (0..CLASSES).collect(),
    };
    let alpha = Ratio::new(alpha, 16);
    let xoff = DynamicThreshold { alpha, ..DynamicThreshold::default() };
    Ingress::new(sizes, buffer_policy::Parameters::DynamicThreshold(xoff), scheme)
}

/// Arrival of a packet for a queue, or departure of one that is there.
#[derive(Clone, Copy, Debug)]
struct Operation {
    port: usize,
    priority: usize,
    frame: u64,
    leaves: bool,
}

fn any_operation() -> impl Strategy<Value = Operation> {
    (0..PORTS, 0..CLASSES, 64..=MOST_FRAME, proptest::bool::weighted(0.3))
        .prop_map(|(port, priority, frame, leaves)| Operation { port, priority, frame, leaves })
}

/// Way in which a scheme is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    AtRandom,
    ByFormula,
    ByHand,
}

/// Sender at the other end of a port: the bytes that it has sent, and those up to which each class may still send.
#[derive(Clone, Copy, Debug, Default)]
struct Sender {
    /// Bytes that the link carries before the sender hears of a pause.
    way: u64,
    sent: u64,
    until: [Option<u64>; PRIORITIES],
}

impl Sender {
    fn may_send(&self, priority: usize, frame: u64) -> bool {
        self.until[priority].is_none_or(|until| self.sent + frame <= until)
    }

    fn hear(&mut self, told: PfcRequest) {
        for priority in told.pause.iter() {
            self.until[priority] = Some(self.sent + self.way);
        }
        for priority in told.resume.iter() {
            self.until[priority] = None;
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// Senders that stop in time lose nothing. Once everything has left, memory is empty and no sender is paused.
    #[test]
    fn nothing_is_lost_and_everything_resumes(
        (name, parameters) in any_scheme(),
        set in proptest::sample::select(&[Set::ByFormula, Set::ByHand, Set::AtRandom][..]),
        shared in 0..200_000u64,
        alpha in 1..64u64,
        operations in proptest::collection::vec(any_operation(), 1..600),
    ) {
        let is_safe = set != Set::AtRandom && !LOSSY.contains(&name);
        let by_hand = if set == Set::ByHand && name != "adaptive" { BY_HAND } else { "" };
        let parameters =
            if is_safe { toml::from_str(&format!("scheme = '{name}'\n{by_hand}")).unwrap() } else { parameters };
        let Some(scheme) = started(&parameters) else { return Ok(()) };
        let mut ingress = ingress(scheme, shared, alpha);
        let mut queues: [VecDeque<Bytes>; PORTS * PRIORITIES] = Default::default();
        let mut senders = WAYS.map(|way| Sender { way, ..Sender::default() });
        let mut now = Time::ZERO;
        for Operation { port, priority, frame, leaves } in operations {
            now = now + Span::from_nanoseconds(100);
            let queue = Ingress::queue(port as u32, priority);
            if leaves {
                let Some(frame) = queues[queue].pop_front() else { continue };
                senders[port].hear(ingress.remove(now, queue, frame));
            } else if senders[port].may_send(priority, frame) {
                senders[port].sent += frame;
                let (told, admitted) = ingress.admit(now, queue, Bytes::new(frame));
                senders[port].hear(told);
                if admitted.is_ok() {
                    queues[queue].push_back(Bytes::new(frame));
                } else {
                    prop_assert!(!is_safe, "{name} has lost a packet");
                }
            }
        }
        for (queue, packets) in queues.iter().enumerate() {
            for &frame in packets {
                senders[Ingress::port(queue)].hear(ingress.remove(now, queue, frame));
            }
        }
        prop_assert_eq!((ingress.used(), ingress.headroom_used()), (Bytes::ZERO, Bytes::ZERO));
        prop_assert!((0..PORTS * PRIORITIES).all(|queue| !ingress.is_off(queue)));
        prop_assert!(senders.iter().all(|sender| sender.until == [None; PRIORITIES]));
    }
}
