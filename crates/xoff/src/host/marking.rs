//! Marking in the adapter: the markers of switches, one for each queue.

use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Time};
use crate::packet::{ECN_CAPABLE, Packet};
use crate::switch::marking::{AnyMarker, Departure, Level, Signal, When};

/// What marks packets in one adapter.
#[derive(Debug)]
pub struct Marking {
    /// On all queues, if there is any.
    marker: Option<AnyMarker>,
    when: When,
    rng: Rng,
}

impl Marking {
    /// This marker, if there is any, started for every class and asked at this moment; `rng` is its stream.
    pub fn new(marker: Option<AnyMarker>, when: When, rng: Rng) -> Self {
        Self { marker, when, rng }
    }

    /// Whether there is any.
    pub(super) fn is_on(&self) -> bool {
        self.marker.is_some()
    }

    /// Whether a packet that now enters or leaves its queue, with `others` bytes in it, is to be marked. As in a switch, a
    /// marker that looks at dequeue is asked at enqueue about packets that it would have to drop.
    pub(super) fn marks(&mut self, moment: When, now: Time, packet: &Packet, others: Bytes) -> bool {
        self.tell(moment, now, packet, others);
        let Self { marker: Some(marker), when, rng } = self else { return false };
        let asked = if packet.is(ECN_CAPABLE) { *when } else { When::Enqueue };
        let level = Level { now, others, frame: packet.frame() };
        moment == asked && marker.signal(packet.priority(), &level, rng) == Signal::Mark
    }

    /// Tells a marker that follows its queue of a packet that enters or leaves it, beside `others`.
    pub(super) fn tell(&mut self, moment: When, now: Time, packet: &Packet, others: Bytes) {
        let Some(marker) = self.marker.as_mut().filter(|marker| marker.follows()) else { return };
        let (place, frame) = (packet.priority(), packet.frame());
        match moment {
            When::Enqueue => marker.on_arrival(place, &Level { now, others, frame }),
            When::Dequeue => {
                marker.on_departure(place, &Departure { now, before: others + frame, after: others });
            }
        }
    }
}
