//! Offered load: the mean time between arrivals at which flows fill a share of a capacity.
//!
//! A load is a share of the capacity of some links: the core, the senders' or the receivers'. The mean time between
//! arrivals is the mean bits of an arrival that cross these links, divided by that share of their rate. Bytes may count
//! as payload, as frames, or as they are on the wire.

use super::ends::{Ends, Hosts};
use super::setup::Setup;
use crate::kernel::rng::{Rng, exponential};
use crate::kernel::units::{Bytes, Rate, Span};
use crate::scenario::{LoadCounts, LoadOf, PacketSizes, ScenarioError, Transport};
use crate::topology::{Core, Network};

/// Load as a workload states it.
pub(super) struct Load<'a> {
    /// Share of the capacity, above 0 and at most 1.
    pub(super) share: f64,
    /// Links whose capacity the load is a share of.
    pub(super) of: LoadOf,
    /// Bytes that count.
    pub(super) counts: LoadCounts,
    /// Transport, which adds headers.
    pub(super) transport: &'a Transport,
    /// Ends of the flows.
    pub(super) ends: &'a Ends,
    /// Share of flows that cross the core.
    pub(super) crossing: Crossing,
}

/// End of a flow that is drawn first. The other end is drawn among its partners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    Senders,
    Receivers,
}

/// Shares of flows that cross the core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Crossing {
    /// Share that crosses in either direction.
    Any(f64),
    /// Shares that cross from the first of two racks to the second, and back.
    EachWay([f64; 2]),
}

impl Crossing {
    /// Computes the shares of flows between `ends` that cross the core.
    pub(super) fn new(first: First, ends: &Ends, network: &Network) -> Self {
        let Ends { senders, receivers, .. } = ends;
        let (hosts, partners) = match first {
            First::Senders => (senders, receivers),
            First::Receivers => (receivers, senders),
        };
        if !network.core.is_some_and(|core| core.each_way) {
            return Self::Any(ends.share_between_racks(hosts, partners, |_| true));
        }
        let out_of = |of: u32| ends.share_between_racks(hosts, partners, |rack| rack == of);
        Self::EachWay(match first {
            First::Senders => [0, 1].map(out_of),
            First::Receivers => [1, 0].map(out_of),
        })
    }

    /// Share of flows that cross the core, and the core's capacity for them; of two directions, those of the one that is
    /// the busier for its capacity.
    fn busiest(self, core: Core) -> (f64, Rate) {
        match self {
            Self::Any(share) => (share, core.capacity),
            Self::EachWay([there, back]) if there * core.back.as_f64() < back * core.capacity.as_f64() => {
                (back, core.back)
            }
            Self::EachWay([there, _]) => (there, core.capacity),
        }
    }
}

/// Mean bytes and packets that one arrival brings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Volume {
    /// Application bytes.
    pub(super) payload: f64,
    /// Packets that carry the bytes.
    pub(super) packets: f64,
}

impl Volume {
    /// Volume of a flow of `size` bytes, in packets of `packet` bytes.
    pub(super) fn of(size: Bytes, packet: Bytes) -> Self {
        Self { payload: size.as_f64(), packets: size.get().div_ceil(packet.get()) as f64 }
    }

    /// Volume of `flows` flows.
    pub(super) fn times(self, flows: f64) -> Self {
        Self { payload: self.payload * flows, packets: self.packets * flows }
    }

    /// Returns the bits per second on the wire, if the volume comes once in `seconds`.
    pub(super) fn on_wire(self, seconds: f64, transport: &Transport) -> f64 {
        let per_packet = overhead(transport, LoadCounts::Wire).as_f64();
        (self.payload + self.packets * per_packet) * 8.0 / seconds
    }
}

/// Mean traffic that arrivals bring to links.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traffic {
    /// Bits per second that all flows together put on the wire.
    pub(super) on_wire: f64,
    /// Share of the traffic that crosses the core.
    pub(super) crossing: Crossing,
}

impl Traffic {
    /// Traffic of arrivals once in `seconds`.
    pub(super) fn new(volume: Volume, seconds: f64, transport: &Transport, crossing: Crossing) -> Self {
        Self { on_wire: volume.on_wire(seconds, transport), crossing }
    }
}

/// Exponential intervals between arrivals.
#[derive(Clone, Debug)]
pub(super) struct Gaps {
    mean_seconds: f64,
    pub(super) traffic: Traffic,
}

impl Gaps {
    /// Makes the intervals at which arrivals that each bring `volume` offer `load`.
    pub(super) fn new(load: &Load<'_>, volume: Volume, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let counted_bytes = volume.payload * counted_per_payload(load.transport, load.counts);
        let offered = load.checked_share(setup)? * load.capacity(setup)?.as_f64();
        // Bits of one arrival on the links that the load is a share of, over the rate that it is to take there.
        let bits = counted_bytes * 8.0 * load.share_on_links(setup)?;
        let mean_seconds = bits / offered;
        Ok(Self { mean_seconds, traffic: Traffic::new(volume, mean_seconds, load.transport, load.crossing) })
    }

    /// Draws the next interval.
    pub(super) fn draw(&self, rng: &mut Rng) -> Span {
        Span::from_seconds(self.mean_seconds * exponential(rng))
    }
}

impl Load<'_> {
    fn checked_share(&self, setup: &Setup<'_>) -> Result<f64, ScenarioError> {
        let share = self.share;
        if share > 0.0 && share <= 1.0 {
            return Ok(share);
        }
        Err(setup.error("load", format!("is {share}"), "expected above 0 and at most 1"))
    }

    /// Capacity that the load is a share of.
    fn capacity(&self, setup: &Setup<'_>) -> Result<Rate, ScenarioError> {
        let network = setup.network;
        let Ends { senders, receivers, .. } = self.ends;
        let out_of = |hosts: &Hosts| {
            let rates = hosts.iter().map(|host| network.rate_from_host(host));
            rates.fold(Rate::ZERO, Rate::saturating_add)
        };
        let into = |hosts: &Hosts| {
            let rates = hosts.iter().map(|host| network.rate_to_host(host));
            rates.fold(Rate::ZERO, Rate::saturating_add)
        };
        let are_all = |hosts: &Hosts| hosts.len() == network.fabric_hosts();
        match self.of {
            LoadOf::Senders => Ok(out_of(senders)),
            LoadOf::Receivers => Ok(into(receivers)),
            LoadOf::Host if are_all(senders) && are_all(receivers) => {
                Ok(out_of(senders).min(into(receivers)))
            }
            LoadOf::Host => Err(setup.error(
                "of",
                "\"host\" is of all hosts, and here not all send and receive",
                "expected \"senders\" or \"receivers\"",
            )),
            LoadOf::Core => network.core.map(|core| self.crossing.busiest(core).1).ok_or_else(|| {
                let expected =
                    "expected \"host\", \"senders\" or \"receivers\" for star and custom topologies";
                setup.error("of", "this topology has no core", expected)
            }),
        }
    }

    /// Probability that a flow uses the links that the load is a share of.
    fn share_on_links(&self, setup: &Setup<'_>) -> Result<f64, ScenarioError> {
        match self.of {
            LoadOf::Core => {
                let share = setup.network.core.map_or(0.0, |core| self.crossing.busiest(core).0);
                if share > 0.0 {
                    return Ok(share);
                }
                let expected = "expected \"senders\" or \"receivers\", or hosts in several racks";
                Err(setup.error("of", "no flow crosses the core", expected))
            }
            LoadOf::Host | LoadOf::Senders | LoadOf::Receivers => Ok(1.0),
        }
    }
}

/// Counted bytes per application byte, in full packets.
fn counted_per_payload(transport: &Transport, counts: LoadCounts) -> f64 {
    let payload = transport.packet_sizes().payload;
    (payload + overhead(transport, counts)).as_f64() / payload.as_f64()
}

/// Counted bytes of a packet besides its payload. Telemetry does not count, so that congestion controls with and
/// without it get the same flows.
fn overhead(transport: &Transport, counts: LoadCounts) -> Bytes {
    let PacketSizes { headers, wire_overhead, .. } = transport.packet_sizes();
    match counts {
        LoadCounts::Payload => Bytes::ZERO,
        LoadCounts::Frame => headers - transport.telemetry(),
        LoadCounts::Wire => headers - transport.telemetry() + wire_overhead,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::from_text;

    #[test]
    fn of_a_core_with_two_rates_the_way_counts_that_is_the_busier_for_its_rate() {
        let core = |there: u64, back: u64| Core {
            capacity: Rate::from_gbps(there),
            back: Rate::from_gbps(back),
            each_way: true,
        };
        let half = Crossing::EachWay([0.5, 0.5]);
        assert_eq!(half.busiest(core(10, 10)), (0.5, Rate::from_gbps(10)));
        assert_eq!(half.busiest(core(40, 10)), (0.5, Rate::from_gbps(10)));
        assert_eq!(half.busiest(core(10, 40)), (0.5, Rate::from_gbps(10)));
        let mostly_there = Crossing::EachWay([0.9, 0.1]);
        assert_eq!(mostly_there.busiest(core(40, 10)), (0.9, Rate::from_gbps(40)));
        assert_eq!(mostly_there.busiest(core(100, 10)), (0.1, Rate::from_gbps(10)));
        assert_eq!(Crossing::Any(0.75).busiest(core(40, 10)), (0.75, Rate::from_gbps(40)));
    }

    #[test]
    fn schemes_that_read_telemetry_have_the_load_of_those_that_do_not() {
        let transport = |control: &str| -> Transport {
            let text = format!(
                "kind = 'roce'\npayload = '1000B'\nheaders = '48B'\nwire_overhead = '20B'\n{control}"
            );
            from_text(&text)
        };
        let hpcc = transport("congestion_control = { algorithm = 'hpcc' }");
        assert_eq!(hpcc.packet_sizes().headers, Bytes::new(48 + 42));
        let counts = [LoadCounts::Payload, LoadCounts::Frame, LoadCounts::Wire];
        for transport in [hpcc, transport("")] {
            let counted = counts.map(|counts| (counted_per_payload(&transport, counts) * 1e3).round() as u32);
            assert_eq!(counted, [1000, 1048, 1068]);
        }
    }
}
