//! Equal-cost multipath (ECMP): the five-tuple of a packet and its hash, as in HPCC's reference code.
//!
//! The hash is `MurmurHash3_x86_32` (Appleby 2011) over three words, seeded by the switch. All packets of a flow hash
//! alike.

use crate::topology::NodeId;

/// Destination port of every flow.
const DESTINATION_PORT: u16 = 100;
/// Bytes that are hashed: three words.
const TUPLE_BYTES: u32 = 12;
/// Source port of a host's first flow.
const FIRST_SOURCE_PORT: u16 = 10_000;

/// Transports whose flows do not each have a source port of their own.
///
/// Flows over persistent connections hash by their connection, of which there are few between two hosts. Packets of a
/// transport that sprays hash by their entropies.
#[derive(Clone, Debug)]
pub struct SharedTuples {
    /// Connections of each transport, by its index; none where each flow has a source port of its own.
    numbers: [Option<Connections>; 256],
    /// Whether each transport's packets hash by their entropies.
    sprayed: [bool; 256],
    are_any: bool,
}

/// Connections of a transport from one host to another.
#[derive(Clone, Copy, Debug)]
struct Connections {
    /// Number that stands for the first connection in the five-tuple.
    first: u16,
    /// Number of connections.
    count: u8,
}

impl Connections {
    /// Returns the connection that a flow takes.
    fn of(self, number_at_source: u32) -> u8 {
        (number_at_source % u32::from(self.count)) as u8
    }
}

impl SharedTuples {
    /// No transport shares source ports.
    pub const NONE: Self = Self { numbers: [None; 256], sprayed: [false; 256], are_any: false };

    /// Gives each of these transports, by index, its number of connections. Numbers of connections follow one another
    /// from transport to transport.
    pub fn of(transports: impl Iterator<Item = (u8, u8)>) -> Self {
        let (mut all, mut first) = (Self::NONE, 0);
        for (transport, count) in transports {
            all.numbers[usize::from(transport)] = Some(Connections { first, count });
            all.are_any = true;
            first += u16::from(count);
        }
        all
    }

    /// Adds transports whose packets hash by their entropies.
    #[must_use]
    pub fn with_sprayed(mut self, transports: impl Iterator<Item = u8>) -> Self {
        for transport in transports {
            self.sprayed[usize::from(transport)] = true;
        }
        self
    }

    /// Whether packets of a transport hash by their entropies, and not by their flow.
    pub fn is_sprayed(&self, transport: u8) -> bool {
        self.sprayed[usize::from(transport)]
    }

    /// Returns the number that stands for a flow in the five-tuple, for a transport that does not spray.
    #[inline]
    pub fn number(&self, transport: u8, number_at_source: u32) -> u32 {
        if self.are_any { self.number_of_some(transport, number_at_source) } else { number_at_source }
    }

    #[cold]
    fn number_of_some(&self, transport: u8, number_at_source: u32) -> u32 {
        self.numbers[usize::from(transport)].map_or(number_at_source, |connections| {
            u32::from(connections.first) + u32::from(connections.of(number_at_source))
        })
    }

    /// Returns the connection that a flow takes; 0 where flows of the transport share none.
    pub fn connection(&self, transport: u8, number_at_source: u32) -> u8 {
        self.numbers[usize::from(transport)].map_or(0, |connections| connections.of(number_at_source))
    }
}

/// Five-tuple that a switch hashes to choose among next hops. The protocol number is always the same and left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiveTuple {
    source_address: u32,
    destination_address: u32,
    /// Source port in the lower half, destination port in the upper half.
    ports: u32,
}

impl FiveTuple {
    /// Makes the five-tuple of a flow's data packets; the flow is numbered among those of its source.
    #[inline]
    pub fn of_flow(source: NodeId, destination: NodeId, number_at_source: u32) -> Self {
        Self {
            source_address: address(source),
            destination_address: address(destination),
            ports: u32::from(FIRST_SOURCE_PORT.wrapping_add(number_at_source as u16))
                | u32::from(DESTINATION_PORT) << 16,
        }
    }

    /// Makes the five-tuple of a packet between two hosts: of the flow's data, or of its receiver's answers if
    /// `goes_back`.
    ///
    /// Only the order of the ports differs, and choosing it takes no branch.
    #[inline]
    pub fn of_packet(source: NodeId, destination: NodeId, number_at_source: u32, goes_back: bool) -> Self {
        let tuple = Self::of_flow(source, destination, number_at_source);
        Self { ports: tuple.ports.rotate_left(u32::from(goes_back) * 16), ..tuple }
    }

    /// Five-tuple of the packets that the receiver sends back.
    #[inline]
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            source_address: self.destination_address,
            destination_address: self.source_address,
            ports: self.ports.rotate_left(16),
        }
    }

    /// Hash that chooses the next hop at a switch with this seed.
    #[inline]
    pub fn hash(self, seed: u32) -> u32 {
        let hash = mixed(mixed(mixed(seed, self.source_address), self.destination_address), self.ports);
        finished(hash ^ TUPLE_BYTES)
    }
}

/// Address of HPCC's node with this number: 11.0.0.1, 11.0.1.1 and so on.
#[inline]
fn address(node: NodeId) -> u32 {
    0x0b00_0001_u32.wrapping_add((node >> 8) << 16).wrapping_add((node & 0xff) << 8)
}

/// Takes one little-endian word into the hash (the body of MurmurHash3).
#[inline]
fn mixed(hash: u32, word: u32) -> u32 {
    let word = word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    (hash ^ word).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
}

/// Finishes the hash (the end of MurmurHash3). The length in bytes is already mixed in.
#[inline]
fn finished(hash: u32) -> u32 {
    let hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    let hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over the words that HPCC's `switch-node.cc` hashes, computed by hand. The last hash is of the word "test".
    #[test]
    fn the_hash_is_murmur3_over_address_and_port_words() {
        let first = FiveTuple::of_flow(0, 1, 0);
        assert_eq!(first.hash(0), 0x13ad_ce27);
        assert_eq!(FiveTuple::of_flow(0, 1, 1).hash(0), 0xe08d_be38);
        assert_eq!(first.hash(7), 0xd412_6565);
        assert_eq!(finished(mixed(0, u32::from_le_bytes(*b"test")) ^ 4), 0xba6b_d213);
    }

    #[test]
    fn addresses_differ_between_nodes() {
        assert_eq!(address(0), 0x0b00_0001);
        assert_eq!(address(255), 0x0b00_ff01);
        assert_eq!(address(256), 0x0b01_0001);
        assert_ne!(address(65_536), address(0));
    }

    #[test]
    fn replies_swap_both_ends_and_back() {
        let tuple = FiveTuple::of_flow(3, 5, 70_000);
        assert_eq!(tuple.reversed(), FiveTuple::of_packet(5, 3, 70_000, true));
        assert_eq!(tuple, FiveTuple::of_packet(3, 5, 70_000, false));
        assert_eq!(tuple.reversed().reversed(), tuple);
    }
}
