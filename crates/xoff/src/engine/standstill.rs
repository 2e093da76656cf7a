//! Standstill: the end of a run in which nothing can move any longer.
//! Some port holds packets only because their class is paused, and for long no packet has gone onto any wire. The
//! switch that pauses this port waits for a queue that does not move either, and so on in a cycle: a deadlock. Where
//! pause frames are repeated they would keep the run going for ever. Where they are not, the run drains and leaves a
//! port that holds packets.

use crate::host::Host;
use crate::kernel::units::{Bytes, Span, Time};
use crate::switch::Switch;
use crate::topology::Network;

/// Time beyond the longest link delays and timeouts in which something may still move that no cycle holds.
const PATIENCE: Span = Span::from_milliseconds(5);

/// Counts that tell whether anything moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Movement {
    /// Packets put on wires since the start.
    pub(super) packets: u64,
    /// Ports that hold packets only because their class is paused.
    pub(super) held: u64,
}

impl Movement {
    pub(super) fn of(hosts: &[Host], switches: &[Switch]) -> Self {
        let ports = hosts.iter().map(Host::port).chain(switches.iter().flat_map(Switch::ports));
        ports.fold(Self::default(), |all, port| Self {
            packets: all.packets + port.counters.packets,
            held: all.held + u64::from(port.holds_back()),
        })
    }
}

/// Time since which nothing has moved.
#[derive(Clone, Debug)]
pub(super) struct Standstill {
    patience: Span,
    packets: u64,
    since: Time,
    /// Whether a program that drives the run will do more, whatever moves.
    pub(super) expects_more: bool,
}

impl Standstill {
    /// Returns the state at the start. Transports send again after `longest_timeout` at the latest, unless that was in
    /// vain before.
    pub(super) fn new(network: &Network, longest_timeout: Span) -> Self {
        let longest =
            network.links.iter().map(|link| link.delay + link.slowest().transmission_time(LARGEST)).max();
        let patience = PATIENCE + longest_timeout + longest.unwrap_or_default() * 2;
        Self { patience, packets: 0, since: Time::ZERO, expects_more: false }
    }

    /// Whether the network stands still. The engine asks at checks.
    pub(super) fn is_reached(&mut self, now: Time, movement: Movement) -> bool {
        if movement.packets != self.packets || movement.held == 0 {
            (self.packets, self.since) = (movement.packets, now);
        }
        !self.expects_more && now.since(self.since) >= self.patience
    }
}

/// Size that no frame exceeds.
const LARGEST: Bytes = Bytes::new(1 << 16);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::network;

    #[test]
    fn only_what_is_paused_and_long_without_any_packet_stands_still() {
        let link = "host_link = { rate = '100Gbps', delay = '1us' }";
        let mut standstill =
            Standstill::new(&network(&format!("kind = 'star'\nhosts = 2\n{link}")).unwrap(), Span::ZERO);
        let mut is_reached = |milliseconds, packets, held| {
            let now = Time::ZERO + Span::from_milliseconds(milliseconds);
            standstill.is_reached(now, Movement { packets, held })
        };
        assert!(!is_reached(1, 7, 1));
        assert!(!is_reached(5, 7, 1));
        assert!(!is_reached(6, 8, 1));
        assert!(!is_reached(30, 8, 0));
        assert!(!is_reached(31, 8, 1));
        assert!(is_reached(36, 8, 1));
    }
}
