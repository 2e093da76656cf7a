//! The flowlet table of a switch (CONGA, SIGCOMM 2014; `LetFlow`, NSDI 2017): where the packets of each flow went last, and when.
//! Flows share an entry if their hashes end alike, as in hardware.

use crate::kernel::units::{Span, Time};

/// CONGA's: 64K.
const ENTRIES: usize = 1 << 16;
/// An entry that no packet has come by.
const NOBODY: u16 = 0;

#[derive(Clone, Debug)]
pub(super) struct Flowlets {
    gap: Span,
    /// One more than the port of the last packet. All zero at first, so that what nobody asks for is no memory.
    next_hops: Vec<u16>,
    /// When it came, in picoseconds.
    last_at: Vec<u64>,
}

impl Flowlets {
    pub(super) fn new(gap: Span) -> Self {
        Self { gap, next_hops: vec![NOBODY; ENTRIES], last_at: vec![0; ENTRIES] }
    }

    /// The port of the flowlet, or `another` where a new one begins or the port is none of `ports`.
    pub(super) fn choose(
        &mut self,
        ports: &[u16],
        now: Time,
        hash: u32,
        another: impl FnOnce() -> u16,
    ) -> u16 {
        let entry = hash as usize % ENTRIES;
        let last_at = Time::new(std::mem::replace(&mut self.last_at[entry], now.get()));
        let known = self.next_hops[entry].checked_sub(NOBODY + 1);
        let goes_on = known.filter(|port| now.since(last_at) <= self.gap && ports.contains(port));
        goes_on.unwrap_or_else(|| {
            let port = another();
            self.next_hops[entry] = port + 1;
            port
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(microseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(microseconds)
    }

    #[test]
    fn a_gap_begins_a_flowlet_and_so_does_a_port_that_is_gone() {
        let mut flowlets = Flowlets::new(Span::from_microseconds(50));
        assert_eq!(flowlets.choose(&[1, 2], at(0), 7, || 2), 2);
        assert_eq!(flowlets.choose(&[1, 2], at(50), 7, || 1), 2);
        assert_eq!(flowlets.choose(&[1, 2], at(101), 7, || 1), 1);
        assert_eq!(flowlets.choose(&[2, 3], at(102), 7, || 3), 3);
    }

    #[test]
    fn flows_whose_hashes_end_alike_are_one() {
        let mut flowlets = Flowlets::new(Span::from_microseconds(50));
        assert_eq!(flowlets.choose(&[1, 2], at(0), 7, || 2), 2);
        assert_eq!(flowlets.choose(&[1, 2], at(1), 7 + (1 << 16), || 1), 2);
        assert_eq!(flowlets.choose(&[1, 2], at(1), 8, || 1), 1);
    }
}
