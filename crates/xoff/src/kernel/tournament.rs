//! A tournament over the pending times of a fixed set of sources, rebuilt for every window.
//! A key packs the time since the window's start with the source's rank, so that one comparison orders both
//! and the winner says who it is; what lies beyond the window does not compete.

/// The winner tree. Ranks break ties: the lower runs first.
#[derive(Debug)]
pub struct Tournament {
    /// `nodes[1]` is the winner; the leaves are `nodes[size..]`.
    nodes: Vec<u64>,
    size: usize,
    shift: u32,
    base: u64,
    horizon: u64,
}

/// Stands for "nothing pending".
pub const NEVER: u64 = u64::MAX;

impl Tournament {
    /// A tournament that has room for windows of up to `sources` sources.
    pub fn with_capacity(sources: usize) -> Self {
        let size = sources.next_power_of_two().max(2);
        Self { nodes: vec![NEVER; 2 * size], size, shift: size.trailing_zeros(), base: 0, horizon: 0 }
    }

    /// Starts the window [base, horizon) with the pending time of each source, and returns the horizon it can keep,
    /// which is earlier only where the window is longer than a key can hold.
    pub fn begin(&mut self, base: u64, horizon: u64, pending: &[u64]) {
        self.size = pending.len().next_power_of_two().max(2);
        self.shift = self.size.trailing_zeros();
        self.base = base;
        self.horizon = horizon.min(base.saturating_add(self.longest_window()));
        let size = self.size;
        for (rank, &time) in pending.iter().enumerate() {
            self.nodes[size + rank] = self.key(rank, time);
        }
        self.nodes[size + pending.len()..2 * size].fill(NEVER);
        for index in (1..size).rev() {
            self.nodes[index] = self.nodes[2 * index].min(self.nodes[2 * index + 1]);
        }
    }

    /// The time and rank of the least pending source before the horizon.
    #[inline]
    pub fn least(&self) -> Option<(u64, usize)> {
        let key = self.nodes[1];
        if key == NEVER {
            return None;
        }
        Some((self.base + (key >> self.shift), key as usize & (self.size - 1)))
    }

    /// Changes what one source has pending.
    #[inline]
    pub fn set(&mut self, rank: usize, time: u64) {
        let mut best = self.key(rank, time);
        let mut index = self.size + rank;
        let nodes = &mut self.nodes[..2 * self.size];
        nodes[index] = best;
        while index > 1 {
            best = best.min(nodes[index ^ 1]);
            index >>= 1;
            nodes[index] = best;
        }
    }

    #[inline]
    fn key(&self, rank: usize, time: u64) -> u64 {
        if time < self.horizon { ((time - self.base) << self.shift) | rank as u64 } else { NEVER }
    }

    fn longest_window(&self) -> u64 {
        (NEVER >> self.shift) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(tournament: &mut Tournament) -> Vec<(u64, usize)> {
        let mut order = Vec::new();
        while let Some((time, rank)) = tournament.least() {
            order.push((time, rank));
            tournament.set(rank, NEVER);
        }
        order
    }

    #[test]
    fn sources_run_by_time_and_then_by_rank() {
        let mut tournament = Tournament::with_capacity(5);
        tournament.begin(100, 200, &[150, 100, 150, 199, NEVER]);
        assert_eq!(drain(&mut tournament), [(100, 1), (150, 0), (150, 2), (199, 3)]);
    }

    #[test]
    fn what_lies_beyond_the_horizon_waits_for_the_next_window() {
        let mut tournament = Tournament::with_capacity(2);
        tournament.begin(0, 10, &[10, 5]);
        assert_eq!(drain(&mut tournament), [(5, 1)]);
        tournament.begin(10, 20, &[10, NEVER]);
        assert_eq!(drain(&mut tournament), [(10, 0)]);
    }

    #[test]
    fn a_smaller_window_forgets_the_larger_one_before() {
        let mut tournament = Tournament::with_capacity(8);
        tournament.begin(0, 100, &[1, 2, 3, 4, 5, 6, 7, 8]);
        tournament.begin(0, 100, &[9, 9]);
        assert_eq!(drain(&mut tournament), [(9, 0), (9, 1)]);
    }

    #[test]
    fn a_window_longer_than_a_key_is_cut_not_wrapped() {
        let mut tournament = Tournament::with_capacity(4);
        tournament.begin(0, NEVER, &[NEVER - 1, 7, NEVER, NEVER]);
        assert_eq!(drain(&mut tournament), [(7, 1)]);
    }
}
