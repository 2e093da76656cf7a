//! Bytes that the ranks of an all to all have for one another, where these differ.
//!
//! A mixture of experts sends each token to the ranks of its experts, and some experts are asked for more than others.
//! All amounts are whole bytes. Nothing is lost by rounding.

use super::schedule::{Algorithm, Schedule};
use crate::kernel::units::Bytes;

/// Bytes of each rank for each other, and for itself; the last stay where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    ranks: u32,
    /// Bytes of sender 0 for each receiver, then those of sender 1.
    bytes: Vec<u64>,
}

impl Matrix {
    /// Makes the matrix of `ranks` rows that follow one another in `bytes`, which add up to less than 2^64.
    pub fn new(ranks: u32, bytes: Vec<u64>) -> Self {
        debug_assert_eq!(bytes.len(), ranks as usize * ranks as usize, "a row for each rank");
        Self { ranks, bytes }
    }

    /// Divides the same `size` at every rank over the receivers by their `shares`, of which one is not zero.
    ///
    /// Receivers 0 to n together get `size` times their part of all shares, rounded down. So each gets less than a byte
    /// more or less than its share, and all together `size`.
    pub fn of_shares(shares: &[u32], size: Bytes) -> Self {
        let all: u128 = shares.iter().map(|&share| u128::from(share)).sum();
        let (mut until, mut given) = (0, 0);
        let row: Vec<u64> = (shares.iter())
            .map(|&share| {
                until += u128::from(share);
                let before = std::mem::replace(&mut given, (u128::from(size.get()) * until / all) as u64);
                given - before
            })
            .collect();
        Self::new(row.len() as u32, row.repeat(row.len()))
    }

    /// Bytes that one rank has for another.
    fn between(&self, sender: u32, receiver: u32) -> u64 {
        self.bytes[sender as usize * self.ranks as usize + receiver as usize]
    }

    /// Bytes that a rank sends to another of its receivers in a step of the schedule.
    pub(super) fn part(&self, schedule: &Schedule, sender: u32, receiver: u32, step: u32) -> Bytes {
        let per_server = schedule.per_server;
        Bytes::new(match (schedule.algorithm, step) {
            // What the rank has for this place of all servers, and then what the server has for this rank.
            (Algorithm::Hierarchical, 0) => (receiver % per_server..self.ranks)
                .step_by(per_server as usize)
                .map(|receiver| self.between(sender, receiver))
                .sum(),
            (Algorithm::Hierarchical, _) => {
                let first = sender - sender % per_server;
                (first..first + per_server).map(|sender| self.between(sender, receiver)).sum()
            }
            _ => self.between(sender, receiver),
        })
    }

    /// Most bytes that a rank begins with.
    pub fn largest(&self) -> Bytes {
        let rows = self.bytes.chunks(self.ranks as usize).map(|row| row.iter().sum());
        Bytes::new(rows.max().unwrap_or_default())
    }

    /// Most bytes that one rank has for all others, or all others for it.
    pub fn busiest(&self) -> Bytes {
        let others = |rank| (0..self.ranks).filter(move |&other| other != rank);
        let of_rank = |rank| {
            let sent: u64 = others(rank).map(|other| self.between(rank, other)).sum();
            let received: u64 = others(rank).map(|other| self.between(other, rank)).sum();
            sent.max(received)
        };
        Bytes::new((0..self.ranks).map(of_rank).max().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::schedule::Operation;
    use super::*;

    #[test]
    fn shares_are_whole_bytes_that_add_up() {
        for (shares, size, row) in [
            (&[4, 1, 1, 1][..], 700, &[400, 100, 100, 100][..]),
            (&[1, 1, 1], 1_000, &[333, 333, 334]),
            (&[0, 3, 0, 1], 10, &[0, 7, 0, 3]),
            (&[u32::MAX, u32::MAX], 1 << 48, &[1 << 47, 1 << 47]),
        ] {
            let matrix = Matrix::of_shares(shares, Bytes::new(size));
            assert_eq!(matrix.bytes, row.repeat(shares.len()));
            assert_eq!(matrix.largest(), Bytes::new(size));
        }
    }

    #[test]
    fn the_busiest_link_is_the_way_to_the_rank_that_most_is_for() {
        let matrix = Matrix::of_shares(&[4, 1, 1, 1], Bytes::new(700));
        assert_eq!(matrix.busiest(), Bytes::new(3 * 400));
        let one_sends = Matrix::new(3, vec![50, 7, 8, 0, 0, 0, 1, 0, 90]);
        assert_eq!((one_sends.busiest(), one_sends.largest()), (Bytes::new(15), Bytes::new(91)));
    }

    /// Two servers have two ranks each. Rank 1 hands rank 0 what it has for ranks 0 and 2, and then sends rank 3 what
    /// ranks 0 and 1 have for it.
    #[test]
    fn servers_hand_on_what_their_ranks_have_for_a_place() {
        let matrix = Matrix::new(4, (1..=16).collect());
        let (operation, algorithm) = (Operation::AllToAll, Algorithm::Hierarchical);
        let schedule = Schedule { operation, algorithm, ranks: 4, per_server: 2, size: matrix.largest() };
        assert_eq!(matrix.part(&schedule, 1, 0, 0), Bytes::new(5 + 7));
        assert_eq!(matrix.part(&schedule, 1, 3, 1), Bytes::new(4 + 8));
    }

    proptest! {
        #![proptest_config(crate::cases::cases(256))]

        #[test]
        fn no_share_is_off_by_a_byte(shares in vec(0..=u32::MAX, 2..9), size in 1..1_u64 << 48) {
            let all: u64 = shares.iter().map(|&share| u64::from(share)).sum();
            prop_assume!(all > 0);
            let row = &Matrix::of_shares(&shares, Bytes::new(size)).bytes[..shares.len()];
            prop_assert_eq!(row.iter().sum::<u64>(), size);
            for (&part, &share) in row.iter().zip(&shares) {
                let (scaled, exact) = (u128::from(part) * u128::from(all), u128::from(size) * u128::from(share));
                prop_assert!(scaled.abs_diff(exact) < u128::from(all));
            }
        }
    }
}
