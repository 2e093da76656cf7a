//! Sets of small numbers in two words, searched by bit operations.

const WORDS: usize = 2;
const BITS: usize = u64::BITS as usize;

/// Set of numbers below [`BitSet::LIMIT`].
// Words, because one number of 128 bits is shifted as a whole to look at one bit of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitSet([u64; WORDS]);

/// Returns the word of a number, and its bit there.
#[inline]
const fn place(number: u32) -> (usize, u32) {
    debug_assert!((number as usize) < BitSet::LIMIT);
    (number as usize / BITS % WORDS, number % u64::BITS)
}

impl BitSet {
    /// Bound above every member.
    pub const LIMIT: usize = WORDS * BITS;
    /// Set without members.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Returns the set with the given members.
    #[cfg(test)]
    pub(crate) fn of(members: &[u32]) -> Self {
        let mut set = Self::EMPTY;
        for &member in members {
            set.set(member, true);
        }
        set
    }

    /// Returns the set of all numbers below `count`.
    #[inline]
    pub fn below(count: usize) -> Self {
        let below = |count: usize| if count >= BITS { u64::MAX } else { (1 << count) - 1 };
        Self([below(count), below(count.saturating_sub(BITS))])
    }

    /// Returns the numbers from `start` up to but not including `end`. The number 0 follows the last.
    #[inline]
    pub fn around(start: u32, end: u32) -> Self {
        let (before_start, before_end) = (Self::below(start as usize), Self::below(end as usize));
        let from_start = Self::below(Self::LIMIT).without(before_start);
        if start <= end { from_start.and(before_end) } else { from_start.or(before_end) }
    }

    /// Whether there is no member.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// Whether `number` is a member.
    #[inline]
    pub const fn contains(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        self.0[word] >> bit & 1 != 0
    }

    /// Adds `number`, or removes it.
    #[inline]
    pub const fn set(&mut self, number: u32, is_member: bool) {
        let (word, bit) = place(number);
        self.0[word] = self.0[word] & !(1 << bit) | (is_member as u64) << bit;
    }

    /// Returns the members of both sets.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }

    /// Returns the members of either set.
    #[inline]
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    /// Returns the members of this set that the other lacks.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }

    /// Returns the members in ascending order. `fold` and `for_each` are faster than `next`.
    #[inline]
    pub fn members(self) -> impl Iterator<Item = u32> {
        Members(self)
    }

    /// Returns the least member from `start` upwards, or the least of all if there is none.
    #[inline]
    pub const fn next_from(self, start: u32) -> Option<u32> {
        let (word, bit) = place(start);
        let other = 1 - word;
        let from_start = self.0[word] & (u64::MAX << bit);
        // From the second word the search goes on with the first.
        if from_start != 0 {
            Some(number(word, from_start))
        } else if self.0[other] != 0 {
            Some(number(other, self.0[other]))
        } else if self.0[word] != 0 {
            Some(number(word, self.0[word]))
        } else {
            None
        }
    }
}

/// Iterator over the members of a [`BitSet`].
struct Members(BitSet);

impl Iterator for Members {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let Self(BitSet(left)) = self;
        let word = usize::from(left[0] == 0);
        let bits = left[word];
        left[word] &= bits.wrapping_sub(1);
        if bits == 0 { None } else { Some(number(word, bits)) }
    }

    #[inline]
    fn fold<B, F: FnMut(B, u32) -> B>(self, first: B, mut next: F) -> B {
        let Self(BitSet(words)) = self;
        let mut folded = first;
        for (word, mut bits) in words.into_iter().enumerate() {
            while bits != 0 {
                folded = next(folded, number(word, bits));
                bits &= bits - 1;
            }
        }
        folded
    }
}

/// Returns the number that the lowest bit in `bits` stands for in the word at `word`.
#[inline]
const fn number(word: usize, bits: u64) -> u32 {
    (word * BITS) as u32 + bits.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order() {
        assert_eq!(BitSet::of(&[127, 3, 64]).members().collect::<Vec<_>>(), [3, 64, 127]);
        assert_eq!(BitSet::below(3), BitSet::of(&[0, 1, 2]));
        assert_eq!(BitSet::below(BitSet::LIMIT).members().count(), BitSet::LIMIT);
    }

    #[test]
    fn the_search_goes_around() {
        let members = BitSet::of(&[2, 9, 127]);
        let found = [0, 2, 3, 10, 127].map(|start| members.next_from(start));
        assert_eq!(found, [Some(2), Some(2), Some(9), Some(127), Some(127)]);
        assert_eq!(BitSet::of(&[2]).next_from(3), Some(2));
        assert_eq!(BitSet::EMPTY.next_from(0), None);
    }

    #[test]
    fn a_range_goes_around() {
        assert_eq!(BitSet::around(2, 5), BitSet::of(&[2, 3, 4]));
        assert_eq!(BitSet::around(5, 5), BitSet::EMPTY);
        assert_eq!(BitSet::around(126, 1), BitSet::of(&[126, 127, 0]));
    }

    #[test]
    fn members_can_leave() {
        let mut members = BitSet::of(&[5, 6]);
        members.set(5, false);
        assert!(!members.contains(5) && members.contains(6));
        assert_eq!(members.and(BitSet::of(&[5, 7])), BitSet::EMPTY);
        assert_eq!(members.or(BitSet::of(&[7])), BitSet::of(&[6, 7]));
        assert_eq!(BitSet::of(&[5, 6]).without(members), BitSet::of(&[5]));
    }
}
