//! Load balancing: the choice among several next hops of equal cost, for switches that do not leave it to the flow's
//! hash.

mod adaptive;
mod flowlets;

use crate::kernel::rng::{Rng, below};
use crate::kernel::units::{Bytes, Span, Time};
use crate::scenario::{Routing, RoutingKind};
use flowlets::Flowlets;

/// Work that a port has before it, ordered from least to most. A link that is down counts as most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    /// Whether the port's link is down.
    pub is_down: bool,
    /// Bytes in the port's queues.
    pub queued: Bytes,
    /// Whether a packet is on the port's wire.
    pub is_busy: bool,
}

/// State of one switch that balances load.
#[derive(Clone, Debug)]
pub struct LoadBalancer {
    scheme: Scheme,
    rng: Rng,
}

#[derive(Clone, Debug)]
enum Scheme {
    PacketSpraying,
    Adaptive,
    Flowlet(Flowlets),
    AdaptiveFlowlet(Flowlets),
}

impl LoadBalancer {
    /// Makes the balancer of the topology's routing; none for ECMP.
    pub fn new(routing: &Routing, rng: Rng) -> Option<Self> {
        let flowlets = || Flowlets::new(routing.flowlet_gap.unwrap_or(FLOWLET_GAP));
        let scheme = match routing.kind {
            RoutingKind::Ecmp => return None,
            RoutingKind::PacketSpraying => Scheme::PacketSpraying,
            RoutingKind::Adaptive => Scheme::Adaptive,
            RoutingKind::Flowlet => Scheme::Flowlet(flowlets()),
            RoutingKind::AdaptiveFlowlet => Scheme::AdaptiveFlowlet(flowlets()),
        };
        Some(Self { scheme, rng })
    }

    /// Picks one of several ports for a packet. `hash` is that of its flow at this switch.
    pub fn choose(
        &mut self,
        ports: &[u32],
        now: Time,
        hash: impl FnOnce() -> u32,
        load: impl Fn(u32) -> Load,
    ) -> u32 {
        let Self { scheme, rng } = self;
        match scheme {
            Scheme::PacketSpraying => at_random(ports, rng),
            Scheme::Adaptive => adaptive::least_loaded(ports, rng, load),
            Scheme::Flowlet(flowlets) => flowlets.choose(ports, now, hash(), || at_random(ports, rng)),
            Scheme::AdaptiveFlowlet(flowlets) => {
                flowlets.choose(ports, now, hash(), || adaptive::least_loaded(ports, rng, load))
            }
        }
    }
}

/// Default gap between packets of a flow after which a new flowlet begins: that of CONGA (SIGCOMM 2014).
const FLOWLET_GAP: Span = Span::from_microseconds(500);

fn at_random(ports: &[u32], rng: &mut Rng) -> u32 {
    if let [port] = ports {
        return *port;
    }
    ports[below(rng, ports.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::{Purpose, stream};

    fn balancer(kind: RoutingKind) -> LoadBalancer {
        let routing = Routing { kind, flowlet_gap: None, hash_seed: 0 };
        LoadBalancer::new(&routing, stream(1, Purpose::LoadBalancing, 0)).unwrap()
    }

    fn load(bytes: u64) -> Load {
        Load { is_down: false, queued: Bytes::new(bytes), is_busy: false }
    }

    /// Of 8000 packets each of four ports gets 2000, give or take six standard deviations of 38.7.
    #[test]
    fn packets_are_sprayed_evenly() {
        let mut balancer = balancer(RoutingKind::PacketSpraying);
        let mut packets = [0_i32; 4];
        for _ in 0..8000 {
            let port = balancer.choose(&[4, 5, 6, 7], Time::ZERO, || 9, |_| unreachable!());
            packets[port as usize - 4] += 1;
        }
        assert!(packets.iter().all(|packets| (packets - 2000).abs() < 232), "{packets:?}");
    }

    #[test]
    fn where_there_is_no_choice_nothing_is_asked() {
        for kind in [RoutingKind::PacketSpraying, RoutingKind::Adaptive] {
            assert_eq!(balancer(kind).choose(&[3], Time::ZERO, || unreachable!(), |_| unreachable!()), 3);
        }
    }

    #[test]
    fn a_flowlet_goes_on_where_it_began_although_another_port_has_less() {
        let mut balancer = balancer(RoutingKind::AdaptiveFlowlet);
        let mut choose = |microseconds, loads: [u64; 2]| {
            let now = Time::ZERO + Span::from_microseconds(microseconds);
            balancer.choose(&[0, 1], now, || 77, |port| load(loads[port as usize]))
        };
        assert_eq!(choose(0, [9, 5]), 1);
        assert_eq!(choose(500, [0, 5]), 1);
        assert_eq!(choose(1000, [0, 5]), 1);
        assert_eq!(choose(1501, [0, 5]), 0, "the gap was longer than 500 us");
    }

    #[test]
    fn a_flowlet_goes_on_where_it_had_to_go_when_another_port_is_added() {
        for kind in [RoutingKind::Flowlet, RoutingKind::AdaptiveFlowlet] {
            let mut balancer = balancer(kind);
            let mut choose =
                |ports: &[u32]| balancer.choose(ports, Time::ZERO, || 77, |port| load(port.into()));
            assert_eq!(choose(&[9]), 9);
            assert_eq!([choose(&[3, 9]), choose(&[3, 9]), choose(&[3, 9])], [9; 3], "3 has less");
        }
    }
}
