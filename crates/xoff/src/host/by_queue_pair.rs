//! Something for each persistent queue pair of a host.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use crate::agenda::Fabric;
use crate::packet::Packet;
use crate::topology::NodeId;

/// The host at the other end, the transport, which of its persistent queue pairs, and the class.
pub(super) type Key = (NodeId, u8, u8, u8);

/// That of the queue pair by which a packet comes, in this class.
pub(super) fn key_of(packet: &Packet, priority: u8, fabric: &Fabric) -> Key {
    let number = fabric.shared_tuples.connection(packet.transport(), packet.flow());
    (packet.source(), packet.transport(), number, priority)
}

/// By place, given out one after another.
#[derive(Debug)]
pub(super) struct ByQueuePair<T> {
    places: BTreeMap<Key, u32>,
    all: Vec<T>,
}

impl<T> Default for ByQueuePair<T> {
    fn default() -> Self {
        Self { places: BTreeMap::new(), all: Vec::new() }
    }
}

impl<T> ByQueuePair<T> {
    /// The place of what a queue pair has; that begins with the first call for it.
    pub(super) fn place(&mut self, key: Key, begin: impl FnOnce() -> T) -> u32 {
        let Self { places, all } = self;
        *places.entry(key).or_insert_with(|| {
            all.push(begin());
            all.len() as u32 - 1
        })
    }

    /// The place of what a queue pair has, if that has begun.
    pub(super) fn find(&self, key: Key) -> Option<u32> {
        self.places.get(&key).copied()
    }

    /// Places of those that differ from this one in the class at most.
    pub(super) fn of_any_class(&self, (peer, transport, number, _): Key) -> Vec<u32> {
        self.places
            .range((peer, transport, number, 0)..=(peer, transport, number, u8::MAX))
            .map(|(_, place)| *place)
            .collect()
    }
}

impl<T> Index<u32> for ByQueuePair<T> {
    type Output = T;

    fn index(&self, place: u32) -> &T {
        &self.all[place as usize]
    }
}

impl<T> IndexMut<u32> for ByQueuePair<T> {
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.all[place as usize]
    }
}
