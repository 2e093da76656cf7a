//! PFC headroom: bytes that may still arrive after a switch has decided to pause a sender.
//!
//! A pause takes time. The pause frame waits for a packet on the wire, is sent, crosses the link and takes effect after
//! a reaction time. The sender then completes the packet that it has begun, and the last bits cross the link. The
//! headroom is what the link carries in all of this time.
//!
//! ```
//! use xoff::plan::headroom::{Headroom, Link, PAUSE_FRAME, PUBLISHED_REACTION_QUANTA};
//! use xoff::units::{Bytes, Rate, Span};
//!
//! let link = Link {
//!     rate: Rate::from_gbps(100),
//!     pause_rate: Rate::from_gbps(100),
//!     delay: Span::from_microseconds(2),
//!     largest: Bytes::new(1_500),
//!     reaction_quanta: PUBLISHED_REACTION_QUANTA,
//!     pool_may_be_full: false,
//! };
//! let headroom = Headroom::of(&link);
//! // Twice 25,000 bytes on the link, two packets and 60 quanta of 64 bytes (DSH, equation 1).
//! assert_eq!(headroom.published().total(), Bytes::new(56_840));
//! // The papers leave out the time of the pause frame itself.
//! assert_eq!(headroom.total(), Bytes::new(56_840) + PAUSE_FRAME);
//! ```

use crate::kernel::units::{Bytes, Rate, Span, TransmissionClock};

/// Quantum of pause time, in bytes at the link's rate.
pub const QUANTUM: Bytes = Bytes::new(64);

/// Quanta until a pause takes effect in the papers: 3840 bytes (DSH, section II-C).
pub const PUBLISHED_REACTION_QUANTA: u16 = 60;

/// Pause frame on the wire, preamble and gap included.
pub const PAUSE_FRAME: Bytes = Bytes::new(84);

/// Quanta that a port may take to react to a pause frame, by rate in Gb/s (IEEE 802.3, 31B.3.7, as tabulated in
/// sonic-net/sonic-swss, cfgmgr/buffer_headroom_mellanox.lua).
const REACTION: &[(u64, u16)] =
    &[(10, 67), (25, 80), (40, 118), (50, 147), (100, 394), (200, 453), (u64::MAX, 905)];

/// Returns the quanta that a port of this rate may take to react to a pause frame: those of the next rate in IEEE
/// 802.3's table.
pub fn reaction_quanta(rate: Rate) -> u16 {
    let quanta = REACTION.iter().find(|&&(gbps, _)| rate.get().div_ceil(1_000_000_000) <= gbps);
    quanta.map_or(905, |&(_, quanta)| quanta)
}

/// Returns the bytes that come over a link at `rate` while `sent` bytes leave at `own` rate, rounded up.
pub fn meanwhile(sent: Bytes, own: Rate, rate: Rate) -> Bytes {
    if own == rate {
        return sent;
    }
    let time = own.transmission_time(sent);
    let whole = rate.bytes_in(time);
    whole.saturating_add(Bytes::new(u64::from(rate.transmission_time(whole) < time)))
}

/// Link that may be paused.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Rate of the paused sender [C].
    pub rate: Rate,
    /// Rate at which the pause frame is sent. The papers' links have one rate each way.
    pub pause_rate: Rate,
    /// Propagation delay of the link [D].
    pub delay: Span,
    /// Largest packet on the link, preamble and gap included [L_MTU].
    pub largest: Bytes,
    /// Quanta between a pause frame's arrival and its effect.
    pub reaction_quanta: u16,
    /// Whether the pool may be full when a queue is to pause, as under a dynamic threshold.
    pub pool_may_be_full: bool,
}

/// Parts of the headroom of one class of one port, in bytes on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// Wait of the pause frame for the packet that has just started the other way.
    pub wait: Bytes,
    /// Transmission of the pause frame, which the papers leave out.
    pub transmission: Bytes,
    /// Propagation of the pause frame.
    pub propagation: Bytes,
    /// Reaction of the other end.
    pub reaction: Bytes,
    /// Packet that the other end has just started, and completes.
    pub response: Bytes,
    /// Propagation of the last bit of that packet.
    pub last_propagation: Bytes,
    /// Packet that triggers the pause and finds no room in the pool, which the papers leave out.
    pub crossing: Bytes,
}

impl Headroom {
    /// Computes the headroom of a link (DSH, section 2, equation 1, with the parts that it leaves out).
    pub fn of(link: &Link) -> Self {
        let clock = TransmissionClock::new(link.rate);
        let (once, twice) = (clock.bytes_in(link.delay), clock.bytes_in(link.delay * 2));
        // What the whole way there and back leaves of a byte is one more byte.
        let part = Bytes::new(u64::from(link.rate.transmission_time(twice) < link.delay * 2));
        let meanwhile = |sent: Bytes| meanwhile(sent, link.pause_rate, link.rate);
        Self {
            wait: meanwhile(link.largest),
            transmission: meanwhile(PAUSE_FRAME),
            propagation: once,
            reaction: QUANTUM * u64::from(link.reaction_quanta),
            response: link.largest,
            last_propagation: twice - once + part,
            crossing: if link.pool_may_be_full { link.largest } else { Bytes::ZERO },
        }
    }

    /// Keeps only the five parts that the papers count.
    #[must_use]
    pub fn published(self) -> Self {
        Self { transmission: Bytes::ZERO, crossing: Bytes::ZERO, ..self }
    }

    /// Sum of all parts, or the largest number if it does not fit.
    pub fn total(&self) -> Bytes {
        let Self { wait, transmission, propagation, reaction, response, last_propagation, crossing } = *self;
        let parts = [wait, transmission, propagation, reaction, response, last_propagation, crossing];
        parts.into_iter().fold(Bytes::ZERO, Bytes::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(gbps: u64, delay: Span, largest: u64, reaction_quanta: u16) -> u64 {
        let link = Link {
            rate: Rate::from_gbps(gbps),
            pause_rate: Rate::from_gbps(gbps),
            delay,
            largest: Bytes::new(largest),
            reaction_quanta,
            pool_may_be_full: false,
        };
        Headroom::of(&link).total().get()
    }

    /// Twice 1.25 x 10^19 bytes is more than 64 bits hold.
    #[test]
    fn more_than_can_be_counted_is_as_much_as_can_be() {
        assert_eq!(total(1_000_000, Span::from_milliseconds(100_000_000), 1_500, 0), u64::MAX);
    }

    /// DSH (ToN 2025), equation 1, by hand, with 84 bytes more each: it does not count the pause frame.
    /// At a tenth of the rate, the pause frame and the packet before it take as long as ten of them the other way.
    #[test]
    fn a_pause_that_leaves_slowly_needs_more_headroom() {
        let even = Link {
            rate: Rate::from_gbps(100),
            pause_rate: Rate::from_gbps(100),
            delay: Span::from_microseconds(1),
            largest: Bytes::new(1500),
            reaction_quanta: 0,
            pool_may_be_full: false,
        };
        let slow = Headroom::of(&Link { pause_rate: Rate::from_gbps(10), ..even });
        let even = Headroom::of(&even);
        assert_eq!((slow.wait, slow.transmission), (Bytes::new(15_000), PAUSE_FRAME * 10));
        assert_eq!(slow.total() - even.total(), Bytes::new(9 * (1500 + 84)));
    }

    #[test]
    fn the_papers_figures_and_the_pause_frame() {
        let delay = Span::from_nanoseconds(1500);
        for (gbps, largest, paper) in [
            (10, 1500, 10_590),
            (25, 1500, 16_215),
            (40, 1500, 21_840),
            (100, 9000, 59_340),
            (800, 1500, 306_840),
        ] {
            assert_eq!(total(gbps, delay, largest, 60), paper + 84);
        }
        assert_eq!(total(100, Span::from_microseconds(2), 1000, 60), 55_840 + 84);
    }

    /// DSH's figures (ToN 2025, section II-C), by hand: 40 Gb/s, 1.5 us, 1500 bytes.
    #[test]
    fn published_are_five_parts() {
        let link = Link {
            rate: Rate::from_gbps(40),
            pause_rate: Rate::from_gbps(40),
            delay: Span::from_nanoseconds(1500),
            largest: Bytes::new(1500),
            reaction_quanta: PUBLISHED_REACTION_QUANTA,
            pool_may_be_full: true,
        };
        let Headroom { wait, propagation, reaction, response, last_propagation, .. } = Headroom::of(&link);
        assert_eq!(
            [wait, propagation, reaction, response, last_propagation].map(Bytes::get),
            [1500, 7500, 3840, 1500, 7500]
        );
        assert_eq!(Headroom::of(&link).published().total().get(), 21_840);
    }

    /// The 22.4 kB at 40 Gb/s of DCQCN (SIGCOMM 2015, section 4), read as 300 m at 0.65 c: whole frames on the wire
    /// and the pause frame count.
    #[test]
    fn dcqcns_headroom_counts_the_pause_frame() {
        let delay = Span::new(300 * 1_000_000_000_000 / 195_000_000);
        assert_eq!(total(40, delay, 1538, 60).div_ceil(100), 224);
    }

    #[test]
    fn rates_between_those_of_the_table_take_the_next() {
        let quanta = |gbps| reaction_quanta(Rate::from_gbps(gbps));
        assert_eq!([1, 10, 11, 40, 100, 400, 1600].map(quanta), [67, 67, 80, 118, 394, 905, 905]);
    }
}
