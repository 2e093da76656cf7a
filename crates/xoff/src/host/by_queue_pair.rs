//! Table with one entry for each persistent queue pair of a host.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use crate::agenda::Fabric;
use crate::packet::Packet;
use crate::topology::NodeId;

/// Key of a queue pair: host at the other end, transport, number among the persistent queue pairs there, and class.
pub(super) type Key = (NodeId, u8, u8, u8);

/// Key of the queue pair by which a packet comes, in this class.
pub(super) fn key_of(packet: &Packet, priority: u8, fabric: &Fabric) -> Key {
    let number = fabric.shared_tuples.connection(packet.transport(), packet.flow());
    (packet.source(), packet.transport(), number, priority)
}

/// Entries by place. Places are given out one after another.
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
    /// Returns the index of a queue pair's entry, which the first call for that queue pair makes.
    pub(super) fn place(&mut self, key: Key, begin: impl FnOnce() -> T) -> u32 {
        let Self { places, all } = self;
        *places.entry(key).or_insert_with(|| {
            all.push(begin());
            all.len() as u32 - 1
        })
    }

    /// Place of a queue pair's entry, if it has begun.
    pub(super) fn find(&self, key: Key) -> Option<u32> {
        self.places.get(&key).copied()
    }

    /// Places of the entries whose key differs at most in the class.
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
