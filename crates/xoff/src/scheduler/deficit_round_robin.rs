//! Deficit round robin: classes take turns, and each sends about its weight's share of bytes (Shreedhar and Varghese,
//! SIGCOMM 1995).
//! In its turn a class is given a quantum of bytes in proportion to its weight. It sends packets until the next one is
//! larger than what it has left, and keeps the rest, its deficit, for its next turn. Classes above it in strict
//! priority can be named.
//! Differs: a paused class, which the paper does not know, is passed over and keeps its deficit. At its next turn it is
//! given a quantum only if the deficit is too small for a packet. Otherwise it would save a quantum for every turn that
//! it missed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Scheduler;
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::Bytes;

/// Quantum that no run uses up, and to which a deficit can still be added.
const ENDLESS: Bytes = Bytes::new(1 << 62);

/// Classes take turns; in a turn a class may send its quantum of bytes and its deficit.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Bytes that a class of weight 1 may send in a turn [quantum].
    #[serde(default = "default_quantum")]
    #[schemars(extend("x-at-least" = "1B"))]
    pub quantum: Bytes,
    /// Weights of classes 0 to 7: the number of quanta that each may send in a turn.
    #[serde(default = "default_weights")]
    #[schemars(inner(range(min = 1)))]
    pub weights: [u32; PRIORITIES],
    /// Classes that go before all others, the highest first.
    #[serde(default)]
    #[schemars(inner(range(max = 7)))]
    pub strict: Vec<u8>,
}

fn default_quantum() -> Bytes {
    Bytes::new(1600)
}

fn default_weights() -> [u32; PRIORITIES] {
    [1; PRIORITIES]
}

/// State of one port: the class whose turn it is, and the deficit of each class.
#[derive(Clone, Debug)]
pub struct DeficitRoundRobin {
    quanta: [Bytes; PRIORITIES],
    deficits: [Bytes; PRIORITIES],
    /// Classes that go before those that take turns.
    strict: Classes,
    turn: usize,
    /// Whether the class whose turn it is has been given its quantum.
    granted: bool,
}

impl DeficitRoundRobin {
    /// Passes the turn on to the next of these classes, or back to the same one if it is the only one.
    fn pass_to(&mut self, classes: Classes) {
        self.turn = classes.next_from(self.turn + 1);
        self.granted = false;
    }
}

/// Returns the bytes of so many quanta, at most [`ENDLESS`].
fn share(quantum: Bytes, weight: u32) -> Bytes {
    Bytes::new(quantum.get().saturating_mul(weight.into())).min(ENDLESS)
}

impl Scheduler for DeficitRoundRobin {
    type Parameters = Parameters;

    fn new(parameters: &Parameters) -> Self {
        Self {
            quanta: parameters.weights.map(|weight| share(parameters.quantum, weight)),
            deficits: [Bytes::ZERO; PRIORITIES],
            strict: parameters.strict.iter().copied().collect(),
            turn: 0,
            granted: false,
        }
    }

    #[inline(never)]
    fn pick(&mut self, ready: Classes, head: impl Fn(usize) -> Bytes) -> usize {
        let first = ready & self.strict;
        if !first.is_empty() {
            return first.highest();
        }
        loop {
            let class = self.turn;
            if ready.contains(class) {
                let frame = head(class);
                if !self.granted && frame > self.deficits[class] {
                    self.deficits[class] += self.quanta[class];
                }
                self.granted = true;
                if frame <= self.deficits[class] {
                    self.deficits[class] -= frame;
                    return class;
                }
            }
            self.pass_to(ready);
        }
    }

    #[inline(never)]
    fn on_empty(&mut self, priority: usize) {
        self.deficits[priority] = Bytes::ZERO;
        if priority == self.turn {
            self.pass_to(Classes::ALL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::from_text;
    use std::collections::VecDeque;

    /// Port with classes of packets of these sizes, under a scheduler.
    struct Port {
        scheduler: DeficitRoundRobin,
        queues: Vec<VecDeque<u64>>,
        paused: Classes,
    }

    impl Port {
        fn new(parameters: &str, queues: &[(usize, u64)]) -> Self {
            let parameters = from_text(parameters);
            let queues =
                queues.iter().map(|&(packets, frame)| VecDeque::from(vec![frame; packets])).collect();
            Self { scheduler: DeficitRoundRobin::new(&parameters), queues, paused: Classes::NONE }
        }

        fn send(&mut self) -> (usize, u64) {
            let waiting = self.queues.iter().enumerate().filter(|(_, queue)| !queue.is_empty());
            let ready = waiting.map(|(class, _)| class).collect::<Classes>() - self.paused;
            let class = self.scheduler.pick(ready, |class| Bytes::new(self.queues[class][0]));
            let frame = self.queues[class].pop_front().unwrap();
            if self.queues[class].is_empty() {
                self.scheduler.on_empty(class);
            }
            (class, frame)
        }

        fn sent(&mut self, packets: usize) -> Vec<(usize, u64)> {
            (0..packets).map(|_| self.send()).collect()
        }
    }

    /// Followed by hand, with the quantum of DSH (ToN 2025, section V-A).
    #[test]
    fn three_classes_of_different_packets_take_turns() {
        let mut port = Port::new("quantum = '1600B'", &[(6, 1000), (6, 1500), (9, 300)]);
        let (a, b, c) = ((0, 1000), (1, 1500), (2, 300));
        assert_eq!(port.sent(7), [a, b, c, c, c, c, c]);
        assert_eq!(port.scheduler.deficits[..3], [600, 100, 100].map(Bytes::new));
        assert_eq!(port.sent(7), [a, a, b, c, c, c, c]);
    }

    #[test]
    fn bytes_follow_weights() {
        let parameters = "weights = [1, 3, 1, 1, 1, 1, 1, 1]";
        let mut port = Port::new(parameters, &[(1000, 1000), (1000, 700)]);
        let sent = port.sent(1000);
        let bytes =
            |class| sent.iter().filter(|packet| packet.0 == class).map(|packet| packet.1).sum::<u64>();
        assert!((3 * bytes(0)).abs_diff(bytes(1)) <= 3 * 1600 + 1000, "{} {}", bytes(0), bytes(1));
    }

    #[test]
    fn a_share_beyond_all_bytes_lasts_for_ever() {
        let mut port = Port::new(
            "quantum = '8GiB'\nweights = [2147483648, 1, 1, 1, 1, 1, 1, 1]",
            &[(9, 1000), (9, 1000)],
        );
        assert!(port.sent(9).iter().all(|&(class, _)| class == 0));
        assert_eq!(port.send(), (1, 1000));
    }

    #[test]
    fn a_strict_class_goes_first() {
        let mut port = Port::new("strict = [0]", &[(2, 1000), (2, 1000)]);
        assert_eq!(port.sent(4).iter().map(|packet| packet.0).collect::<Vec<_>>(), [0, 0, 1, 1]);
    }

    #[test]
    fn a_class_that_was_paused_keeps_what_it_has_saved() {
        let mut port = Port::new("quantum = '1600B'", &[(6, 1000), (6, 1000)]);
        assert_eq!(port.sent(2), [(0, 1000), (1, 1000)]);
        port.paused = Classes::only(0);
        assert_eq!(port.sent(2), [(1, 1000), (1, 1000)]);
        port.paused = Classes::NONE;
        assert_eq!(port.scheduler.deficits[0], Bytes::new(600));
    }

    /// A class is paused after each packet and resumes when others have had a turn: it may send what it was given, and
    /// no more.
    #[test]
    fn a_class_that_is_paused_again_and_again_saves_no_more_than_its_quantum() {
        let mut port = Port::new("quantum = '10kB'", &[(200, 1000), (500, 1000)]);
        for _ in 0..20 {
            while port.send().0 == 1 {}
            port.paused = Classes::only(0);
            port.sent(10);
            port.paused = Classes::NONE;
        }
        let sent = port.sent(100);
        let longest = sent.chunk_by(|one, next| one.0 == next.0).map(<[_]>::len).max();
        assert_eq!(longest, Some(10), "{sent:?}");
    }

    #[test]
    fn a_queue_that_empties_saves_nothing() {
        let mut port = Port::new("quantum = '1600B'", &[(1, 100), (3, 1000)]);
        port.sent(2);
        assert_eq!(port.scheduler.deficits[0], Bytes::ZERO);
    }
}
