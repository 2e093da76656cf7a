//! Rings through servers, side by side, as NCCL's channels go (`graph/connect.cc` of NCCL, with `NCCL_CROSS_NIC` other
//! than 0).
//!
//! Each pair of ranks of a server has two rings. In servers of even numbers one ring comes in at the first rank and
//! goes out at the second; in odd ones it goes the other way round. The other ring does the opposite. So each rank has
//! one ring that leaves there and one that comes in. Between an even number of servers, a ring that leaves at a rank
//! comes in at the rank of the same place in the next server. With rails these two are on the same leaf.

/// Set of as many rings as each server has ranks, which is an even number. Ranks of a server follow one another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rings {
    pub ranks: u32,
    pub per_server: u32,
}

impl Rings {
    /// Lists the ranks to which a rank sends, each once, and in how many rings.
    pub(super) fn receivers(self, rank: u32) -> impl Iterator<Item = (u32, u32)> {
        self.counted(move |ring| self.next(rank, ring))
    }

    /// Number of ranks from which a rank receives.
    pub(super) fn senders(self, rank: u32) -> u32 {
        self.counted(move |ring| self.before(rank, ring)).count() as u32
    }

    /// Lists each neighbour once, in the order of the rings, with the number of its rings.
    fn counted(self, neighbour: impl Fn(u32) -> u32 + Copy) -> impl Iterator<Item = (u32, u32)> {
        let rings = 0..self.per_server;
        let is_first = move |&ring: &u32| (0..ring).all(|earlier| neighbour(earlier) != neighbour(ring));
        rings.clone().filter(is_first).map(move |ring| {
            let alike = rings.clone().filter(|&other| neighbour(other) == neighbour(ring));
            (neighbour(ring), alike.count() as u32)
        })
    }

    /// Returns the places at which a ring comes into a server and goes out of it.
    fn ends(self, server: u32, ring: u32) -> (u32, u32) {
        let (one, other) = (ring / 2 * 2 % self.per_server, (ring / 2 * 2 + 1) % self.per_server);
        if goes_up(server, ring) { (other, one) } else { (one, other) }
    }

    fn next(self, rank: u32, ring: u32) -> u32 {
        let (server, place) = (rank / self.per_server, rank % self.per_server);
        if place == self.ends(server, ring).1 {
            let next = (server + 1) % (self.ranks / self.per_server);
            return next * self.per_server + self.ends(next, ring).0;
        }
        server * self.per_server + self.beside(place, goes_up(server, ring))
    }

    fn before(self, rank: u32, ring: u32) -> u32 {
        let (server, place) = (rank / self.per_server, rank % self.per_server);
        if place == self.ends(server, ring).0 {
            let servers = self.ranks / self.per_server;
            let before = (server + servers - 1) % servers;
            return before * self.per_server + self.ends(before, ring).1;
        }
        server * self.per_server + self.beside(place, !goes_up(server, ring))
    }

    fn beside(self, place: u32, is_behind: bool) -> u32 {
        (place + if is_behind { 1 } else { self.per_server - 1 }) % self.per_server
    }
}

/// Whether a ring goes from each rank of a server to the one behind it, and not to the one before.
const fn goes_up(server: u32, ring: u32) -> bool {
    (server + ring) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Rings> {
        let of = |per_server| (2..=5).map(move |servers| Rings { ranks: servers * per_server, per_server });
        [2, 4, 6, 8].into_iter().flat_map(of)
    }

    #[test]
    fn each_ring_goes_once_through_all_ranks() {
        for rings in all() {
            for ring in 0..rings.per_server {
                let around: Vec<u32> = std::iter::successors(Some(0), |&rank| Some(rings.next(rank, ring)))
                    .take(rings.ranks as usize + 1)
                    .collect();
                let mut seen = around[..rings.ranks as usize].to_vec();
                seen.sort_unstable();
                assert!(seen.iter().copied().eq(0..rings.ranks), "{rings:?} {ring}: {around:?}");
                assert_eq!(around.last(), Some(&0), "{rings:?} {ring}");
                assert!((0..rings.ranks).all(|rank| rings.before(rings.next(rank, ring), ring) == rank));
            }
        }
    }

    #[test]
    fn between_an_even_number_of_servers_all_stay_on_their_rails_and_each_adapter_has_one_ring() {
        for rings in all().filter(|rings| rings.ranks / rings.per_server % 2 == 0) {
            let server = |rank| rank / rings.per_server;
            for rank in 0..rings.ranks {
                let leaving = (0..rings.per_server).map(|ring| rings.next(rank, ring));
                let outside: Vec<u32> = leaving.filter(|&next| server(next) != server(rank)).collect();
                let [next] = outside[..] else { panic!("{rings:?}: {rank} sends to {outside:?}") };
                assert_eq!(next % rings.per_server, rank % rings.per_server, "{rings:?}");
            }
        }
    }

    /// In the first of two servers of four: in at 0 and out at 1, in at 1 and out at 0, in at 2 and out at 3.
    #[test]
    fn rings_come_in_at_one_of_a_pair_and_leave_at_the_other() {
        let rings = Rings { ranks: 8, per_server: 4 };
        let around = |ring| {
            let next = |&rank: &u32| Some(rings.next(rank, ring));
            std::iter::successors(Some(0), next).take(8).collect::<Vec<_>>()
        };
        assert_eq!(around(0), [0, 3, 2, 1, 5, 6, 7, 4]);
        assert_eq!(around(1), [0, 4, 7, 6, 5, 1, 2, 3]);
        assert_eq!(around(2), [0, 3, 7, 4, 5, 6, 2, 1]);
        assert_eq!(rings.receivers(1).collect::<Vec<_>>(), [(5, 1), (2, 2), (0, 1)]);
        assert_eq!(rings.senders(1), 3);
    }
}
