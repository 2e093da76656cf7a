//! Flowlet table of a switch: the port and time of each flow's last packet (CONGA, SIGCOMM 2014; `LetFlow`, NSDI 2017).
//!
//! A flow that pauses for longer than the gap may take another port without reordering its packets. Flows whose hashes
//! end alike share an entry, as in hardware.

use crate::kernel::units::{Span, Time};

/// Entries of the table, 64K as in CONGA.
const ENTRIES: usize = 1 << 16;
/// Value of an entry that no packet has used.
const NOBODY: u32 = 0;

#[derive(Clone, Debug)]
pub(super) struct Flowlets {
    gap: Span,
    /// Port of each entry's last packet, plus one. All are zero at first, so that unused entries take no memory.
    next_hops: Vec<u32>,
    /// Time of each entry's last packet, in picoseconds.
    last_at: Vec<u64>,
}

impl Flowlets {
    pub(super) fn new(gap: Span) -> Self {
        Self { gap, next_hops: vec![NOBODY; ENTRIES], last_at: vec![0; ENTRIES] }
    }

    /// Returns the port of the flowlet. A new flowlet, or one whose port is not among `ports`, takes `another`.
    pub(super) fn choose(
        &mut self,
        ports: &[u32],
        now: Time,
        hash: u32,
        another: impl FnOnce() -> u32,
    ) -> u32 {
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
