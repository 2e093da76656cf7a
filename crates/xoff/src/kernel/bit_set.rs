//! A set of small numbers in one word, walked and searched by bit operations.

/// Numbers below [`BitSet::LIMIT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitSet(u128);

impl BitSet {
    /// Every member is below this.
    pub const LIMIT: usize = u128::BITS as usize;
    /// No member.
    pub const EMPTY: Self = Self(0);

    /// These numbers.
    #[cfg(test)]
    pub(crate) fn of(members: &[u16]) -> Self {
        let mut set = Self::EMPTY;
        for &member in members {
            set.set(member, true);
        }
        set
    }

    /// The numbers below `count`.
    pub const fn below(count: usize) -> Self {
        if count >= Self::LIMIT { Self(u128::MAX) } else { Self((1 << count) - 1) }
    }

    /// The numbers from `start` up to `end`, which is not one of them; beyond the last comes 0.
    pub const fn around(start: u16, end: u16) -> Self {
        let (from_start, before_end) = (u128::MAX << start, (1 << end) - 1);
        Self(if start <= end { from_start & before_end } else { from_start | before_end })
    }

    /// Whether there is no member.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `number` is a member.
    #[inline]
    pub const fn contains(self, number: u16) -> bool {
        self.0 >> number & 1 != 0
    }

    /// Makes `number` a member or not.
    #[inline]
    pub const fn set(&mut self, number: u16, is_member: bool) {
        if is_member {
            self.0 |= 1 << number;
        } else {
            self.0 &= !(1 << number);
        }
    }

    /// Members of both.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Members of either.
    #[inline]
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The members in order.
    #[inline]
    pub fn members(self) -> impl Iterator<Item = u16> {
        let mut left = self;
        std::iter::from_fn(move || {
            let least = left.next_from(0)?;
            left.0 &= left.0 - 1;
            Some(least)
        })
    }

    /// Members of this one only.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The least member that is not below `start`, or else the least of all.
    #[inline]
    pub const fn next_from(self, start: u16) -> Option<u16> {
        let after = self.0 & (u128::MAX << start);
        let bits = if after != 0 { after } else { self.0 };
        if bits == 0 { None } else { Some(bits.trailing_zeros() as u16) }
    }
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
