//! Marking in the adapter: the markers of switches, one for each queue.

use crate::kernel::rng::Rng;
use crate::kernel::units::Bytes;
use crate::packet::{ECN_CAPABLE, PRIORITIES, Packet};
use crate::switch::marking::{Level, Marker, Parameters, Signal, When};

/// What marks packets in one adapter.
#[derive(Debug)]
pub struct Marking {
    /// One for each queue, or none at all.
    markers: Vec<Parameters>,
    rng: Rng,
}

impl Marking {
    /// A marker of this kind on every queue, if there is any; `rng` is their stream.
    pub fn new(marker: Option<&Parameters>, rng: Rng) -> Self {
        Self { markers: marker.map_or_else(Vec::new, |marker| vec![marker.clone(); PRIORITIES]), rng }
    }

    /// Whether there is any.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        !self.markers.is_empty()
    }

    /// Whether a packet that now enters or leaves its queue, with `others` bytes in it, is to be marked. As in a switch, a
    /// marker that looks at dequeue is asked at enqueue about packets that it would have to drop.
    pub(super) fn marks(&mut self, when: When, packet: &Packet, others: Bytes) -> bool {
        let marker = &mut self.markers[packet.priority()];
        let asked = if packet.is(ECN_CAPABLE) { marker.when() } else { When::Enqueue };
        when == asked && marker.signal(&Level { others }, &mut self.rng) == Signal::Mark
    }
}
