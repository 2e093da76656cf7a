//! Bytes of a flow that a receiver has: everything up to a byte, and blocks beyond it.

/// The bytes received.
#[derive(Clone, Debug, Default)]
pub(super) struct Reassembly {
    /// First byte not yet received.
    pub(super) next: u64,
    /// Blocks received beyond `next`, in order and apart.
    blocks: Vec<(u64, u64)>,
}

impl Reassembly {
    /// Whether nothing has been received beyond the first byte that is missing.
    #[inline]
    pub(super) fn is_in_order(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The first block beyond the first byte that is missing.
    #[inline]
    pub(super) fn first_block(&self) -> Option<(u64, u64)> {
        self.blocks.first().copied()
    }

    /// Takes bytes that are not simply the next ones. Returns the block beyond `next` that now holds them, and how many
    /// of them were there before.
    #[cold]
    pub(super) fn insert(&mut self, start: u64, end: u64) -> (Option<(u64, u64)>, u64) {
        let length = end - start;
        if end <= self.next {
            return (None, length);
        }
        let (mut start, mut end) = (start.max(self.next), end);
        let first = self.blocks.partition_point(|block| block.1 < start);
        let last = self.blocks.partition_point(|block| block.0 <= end);
        let held: u64 = self.blocks[first..last].iter().map(|block| block.1 - block.0).sum();
        if first < last {
            start = start.min(self.blocks[first].0);
            end = end.max(self.blocks[last - 1].1);
        }
        let had = length - (end - start - held);
        self.blocks.splice(first..last, [(start, end)]);
        if start > self.next {
            return (Some((start, end)), had);
        }
        self.next = end;
        self.blocks.remove(0);
        (None, had)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_merge_whatever_the_order() {
        let mut arrived = Reassembly::default();
        for number in [5, 2, 7, 6, 3] {
            arrived.insert(number * 1000, (number + 1) * 1000);
        }
        assert_eq!(arrived.blocks, [(2000, 4000), (5000, 8000)]);
        arrived.insert(0, 1000);
        arrived.insert(1000, 2000);
        assert_eq!((arrived.next, arrived.blocks.as_slice()), (4000, &[(5000, 8000)][..]));
    }

    #[test]
    fn what_was_there_before_is_counted() {
        let mut arrived = Reassembly { next: 1000, ..Reassembly::default() };
        let had = |arrived: &mut Reassembly, start, end| arrived.insert(start, end).1;
        assert_eq!(had(&mut arrived, 0, 1000), 1000);
        assert_eq!(had(&mut arrived, 3000, 5000), 0);
        assert_eq!(had(&mut arrived, 4000, 6000), 1000);
        assert_eq!(had(&mut arrived, 3500, 4000), 500);
        assert_eq!(had(&mut arrived, 500, 3200), 700);
        assert_eq!((arrived.next, arrived.blocks.len()), (6000, 0));
    }
}
