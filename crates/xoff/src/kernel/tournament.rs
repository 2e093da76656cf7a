//! Tournaments: trees that keep the least pending time of a fixed set of sources.
//!
//! A cluster has a fixed number of sources of events, and each has one time at which its next event is due. The engine
//! repeats two steps: it asks for the least time, and changes the time of one source. A binary heap would do, but its
//! entries move, so a source would have to look for its own. In a tournament each source has a leaf of its own, and
//! every inner node holds the lesser key of its two children. The root is the winner. Changing one leaf replays the
//! matches on the path from this leaf to the root: log2(n) steps, each of one load, one comparison without a branch,
//! and one store. For 64 sources that is 6 steps, always.
//!
//! A key packs a time with the rank of its source below it. One comparison of 64-bit words then orders both, and the
//! winner's key names its source. Ranks break ties: of simultaneous events the lower rank runs first.
//!
//! A key has room for 8,192 ranks. A *large* tree has more sources, as that of a switch with 100,000 ports does. Its
//! keys tell times and no sources, and its winner is looked for from the root down: wherever both children have the
//! winner's time, the left one has the lower rank.
//!
//! The trees of all clusters of a thread lie side by side in one array, each from the start of a cache line. One is
//! open at a time, and its winner is kept apart so that asking for it loads nothing else.

use super::prefetch::prefetch;

/// Tournaments of one thread's clusters, of which one is open at a time.
#[derive(Debug)]
pub struct Tournaments {
    /// Nodes of every tree: of `size` leaves, a spare, the winner, then level by level down to the leaves.
    nodes: Vec<Line>,
    trees: Vec<Tree>,
    open: Tree,
    /// Least key of the open tree.
    winner: u64,
}

/// Nodes in one cache line, as many as the smallest tree has.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([u64; LINE]);

/// Tree of `2 * size` nodes, where `size` is a power of two.
#[derive(Clone, Copy, Debug)]
struct Tree {
    /// Place of the first node, in bytes.
    offset: usize,
    size: u32,
    /// Number of leaves that keys name: all, or none of a large tree.
    named: u32,
    /// Whether the tree has an odd number of levels above its leaves.
    is_odd: bool,
}

/// Time of a source that has nothing pending.
pub const NEVER: u64 = u64::MAX;

/// Fewest leaves of a tree: two levels.
const LEAST_SIZE: usize = 4;

/// Nodes in a cache line.
const LINE: usize = 2 * LEAST_SIZE;

/// Most cache lines of a tree that are prefetched.
const MOST_PREFETCHED: usize = 16;

const RANK_BITS: u32 = 13;

/// Most sources of a tournament whose keys name them. A larger tournament works, and is slower.
pub const MOST_RANKS: usize = 1 << RANK_BITS;

/// Bound of times, 37 minutes in picoseconds. Later ones do not fit beside a rank and count as never.
pub const TIME_LIMIT: u64 = (1 << (u64::BITS - RANK_BITS)) - 1;

#[inline]
fn key(time: u64, rank: usize) -> u64 {
    (time.min(TIME_LIMIT) << RANK_BITS) | rank as u64
}

#[inline]
fn time(key: u64) -> u64 {
    let time = key >> RANK_BITS;
    if time == TIME_LIMIT { NEVER } else { time }
}

impl Tournaments {
    /// Returns one tournament for each number of sources. No source has anything pending.
    pub fn new(sources: impl IntoIterator<Item = usize>) -> Self {
        let (mut nodes, mut trees) = (Vec::new(), Vec::new());
        for sources in sources {
            let size = sources.next_power_of_two().max(LEAST_SIZE);
            let offset = nodes.len() * size_of::<Line>();
            let named = if size > MOST_RANKS { 0 } else { size as u32 };
            trees.push(Tree { offset, size: size as u32, named, is_odd: size.trailing_zeros() % 2 == 1 });
            nodes.resize(nodes.len() + 2 * size / LINE, Line([NEVER; LINE]));
        }
        let open = trees.first().copied().unwrap_or(Tree { offset: 0, size: 0, named: 0, is_odd: false });
        Self { nodes, trees, open, winner: NEVER }
    }

    /// Opens a tournament.
    pub fn open(&mut self, tournament: usize) {
        self.open = self.trees[tournament];
        self.winner = self.node(self.open, 1);
    }

    /// Prefetches a tournament that will be opened, from its winner down.
    pub fn prefetch(&self, tournament: usize) {
        let Tree { offset, size, .. } = self.trees[tournament];
        let lines = &self.nodes[offset / size_of::<Line>()..][..2 * size as usize / LINE];
        lines.iter().take(MOST_PREFETCHED).for_each(|line| prefetch(line));
    }

    fn node(&self, tree: Tree, index: usize) -> u64 {
        let place = tree.offset / size_of::<u64>() + index;
        self.nodes[place / LINE].0[place % LINE]
    }

    fn set_node(&mut self, tree: Tree, index: usize, key: u64) {
        let place = tree.offset / size_of::<u64>() + index;
        self.nodes[place / LINE].0[place % LINE] = key;
    }

    /// Whether the open tournament is large.
    #[inline]
    pub fn is_large(&self) -> bool {
        self.open.named == 0
    }

    /// Returns time and rank of the open tournament's least pending source, if it is due before `horizon`. The
    /// tournament is not large.
    #[inline]
    pub fn least_before(&self, horizon: u64) -> Option<(u64, usize)> {
        let time = self.winner >> RANK_BITS;
        if time < horizon { Some((time, self.winner as usize & (MOST_RANKS - 1))) } else { None }
    }

    /// Returns time and rank of the least pending source of a large tournament that is open, if it is due before
    /// `horizon`.
    #[cold]
    pub fn least_of_large_before(&self, horizon: u64) -> Option<(u64, usize)> {
        let (size, least) = (self.open.size as usize, self.winner);
        if least >> RANK_BITS >= horizon {
            return None;
        }
        let mut index = 1;
        while index < size {
            index *= 2;
            index += usize::from(self.node(self.open, index) != least);
        }
        Some((time(least), index - size))
    }

    /// Returns the least pending time of the open tournament.
    pub fn least(&self) -> u64 {
        time(self.winner)
    }

    /// Returns the pending time of one source of the open tournament.
    pub fn pending(&self, rank: usize) -> u64 {
        self.pending_of(self.open, rank)
    }

    /// Returns the pending time of one source of any tournament.
    pub fn pending_in(&self, tournament: usize, rank: usize) -> u64 {
        self.pending_of(self.trees[tournament], rank)
    }

    fn pending_of(&self, tree: Tree, rank: usize) -> u64 {
        time(self.node(tree, tree.size as usize + rank))
    }

    /// Sets the pending time of one source of the open tournament.
    #[inline]
    pub fn set(&mut self, rank: usize, time: u64) {
        if rank < self.open.named as usize {
            self.winner = self.climb(self.open, rank, time);
        } else {
            self.set_in_open_large(rank, time);
        }
    }

    #[cold]
    #[inline(never)]
    fn set_in_open_large(&mut self, rank: usize, time: u64) {
        self.winner = self.climb_large(self.open, rank, time);
    }

    /// Sets the pending time of one source of a tournament that is not open.
    pub fn set_in(&mut self, tournament: usize, rank: usize, time: u64) {
        let tree = self.trees[tournament];
        if rank < tree.named as usize {
            self.climb(tree, rank, time);
        } else {
            self.climb_large(tree, rank, time);
        }
    }

    #[inline(always)]
    #[allow(unsafe_code, clippy::inline_always)]
    fn climb(&mut self, tree: Tree, rank: usize, time: u64) -> u64 {
        assert!(rank < tree.named as usize, "a source of this tournament");
        // Of 32 bits, so that no level takes an instruction to make a place of it.
        let mut index = tree.named + rank as u32;
        let mut best = key(time, rank);
        // SAFETY: every `Tree` is made by `new`, which makes `nodes` hold `2 * size` keys from the byte `offset` on and never
        // fewer later. `named` is `size` here. `index` starts below `2 * size` and only halves; its neighbour differs in the lowest bit. Behind the odd level,
        // if there is one, two levels a turn end at the winner, and there are two at least. With checks at every level this path, the
        // hottest of all, costs twice the instructions.
        unsafe {
            let nodes = self.nodes.as_mut_ptr().byte_add(tree.offset).cast::<u64>();
            *nodes.add(index as usize) = best;
            if tree.is_odd {
                best = best.min(*nodes.add((index ^ 1) as usize));
                index >>= 1;
                *nodes.add(index as usize) = best;
            }
            loop {
                best = best.min(*nodes.add((index ^ 1) as usize));
                index >>= 1;
                *nodes.add(index as usize) = best;
                best = best.min(*nodes.add((index ^ 1) as usize));
                index >>= 1;
                *nodes.add(index as usize) = best;
                if index == 1 {
                    break best;
                }
            }
        }
    }

    /// Sets the time of a source in a large tree, and returns the least time as a key without a rank.
    #[cold]
    #[inline(never)]
    fn climb_large(&mut self, tree: Tree, rank: usize, time: u64) -> u64 {
        assert!(tree.named == 0 && rank < tree.size as usize, "a source of this tournament");
        let mut index = tree.size as usize + rank;
        let mut best = key(time, 0);
        self.set_node(tree, index, best);
        while index > 1 {
            best = best.min(self.node(tree, index ^ 1));
            index /= 2;
            self.set_node(tree, index, best);
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(tournaments: &mut Tournaments, tournament: usize, horizon: u64) -> Vec<(u64, usize)> {
        let mut order = Vec::new();
        tournaments.open(tournament);
        let next = |tournaments: &Tournaments| {
            if tournaments.is_large() {
                tournaments.least_of_large_before(horizon)
            } else {
                tournaments.least_before(horizon)
            }
        };
        while let Some((time, rank)) = next(tournaments) {
            order.push((time, rank));
            tournaments.set(rank, NEVER);
        }
        order
    }

    /// Returns three tournaments. The second one has these times.
    fn started(times: &[u64]) -> Tournaments {
        let mut tournaments = Tournaments::new([3, times.len(), 1]);
        for (rank, &time) in times.iter().enumerate() {
            tournaments.set_in(1, rank, time);
        }
        tournaments
    }

    #[test]
    fn sources_run_by_time_and_then_by_rank() {
        let mut tournaments = started(&[150, 100, 150, 199, NEVER]);
        assert_eq!(drain(&mut tournaments, 1, TIME_LIMIT), [(100, 1), (150, 0), (150, 2), (199, 3)]);
        assert_eq!(tournaments.least(), NEVER);
    }

    #[test]
    fn what_lies_beyond_the_horizon_waits() {
        let mut tournaments = started(&[10, 5, 0]);
        assert_eq!(drain(&mut tournaments, 1, 10), [(0, 2), (5, 1)]);
        assert_eq!(tournaments.least(), 10);
        assert_eq!(drain(&mut tournaments, 1, 11), [(10, 0)]);
    }

    #[test]
    fn tournaments_do_not_disturb_each_other() {
        let mut tournaments = started(&[1, 2]);
        tournaments.set_in(0, 2, 7);
        tournaments.set_in(2, 0, 8);
        assert_eq!(drain(&mut tournaments, 1, TIME_LIMIT), [(1, 0), (2, 1)]);
        assert_eq!(drain(&mut tournaments, 0, TIME_LIMIT), [(7, 2)]);
        assert_eq!(drain(&mut tournaments, 2, TIME_LIMIT), [(8, 0)]);
    }

    /// Ranks 5 and 8,197 would be the same in 13 bits.
    #[test]
    fn a_large_tournament_has_the_same_order() {
        let mut times = vec![NEVER; 20_000];
        for (rank, time) in [(19_999, 7), (5, 100), (8_196, 100), (8_197, 100), (16_388, 99), (0, 200)] {
            times[rank] = time;
        }
        let mut tournaments = started(&times);
        assert_eq!(
            drain(&mut tournaments, 1, 101),
            [(7, 19_999), (99, 16_388), (100, 5), (100, 8_196), (100, 8_197)]
        );
        assert_eq!(tournaments.least(), 200);
        tournaments.set_in(0, 2, 7);
        assert_eq!(drain(&mut tournaments, 0, TIME_LIMIT), [(7, 2)]);
        assert_eq!(drain(&mut tournaments, 1, TIME_LIMIT), [(200, 0)]);
    }

    #[test]
    fn a_time_that_does_not_fit_never_comes() {
        let mut tournaments = started(&[TIME_LIMIT, TIME_LIMIT - 1]);
        assert_eq!(drain(&mut tournaments, 1, TIME_LIMIT), [(TIME_LIMIT - 1, 1)]);
    }
}
