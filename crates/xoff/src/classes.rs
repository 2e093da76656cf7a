//! Sets of traffic classes, as masks of 8 bits.

use std::ops::{BitAnd, BitOr, BitOrAssign, BitXorAssign, Sub};

/// Number of traffic classes of a port.
pub const PRIORITIES: usize = 8;

/// Set of traffic classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Classes(u8);

impl Classes {
    /// No class.
    pub const NONE: Self = Self(0);
    /// Every class.
    pub const ALL: Self = Self(u8::MAX);

    /// Returns the set of one class.
    #[inline]
    pub const fn only(class: usize) -> Self {
        Self(1 << class)
    }

    /// Returns the set of one class if `holds`, otherwise the empty set.
    #[inline]
    pub const fn only_if(holds: bool, class: usize) -> Self {
        Self((holds as u8) << class)
    }

    /// Returns the classes of a mask, in which bit n is set for class n.
    #[inline]
    pub const fn from_mask(mask: u8) -> Self {
        Self(mask)
    }

    /// Returns a mask in which bit n is set for class n.
    #[inline]
    pub const fn mask(self) -> u8 {
        self.0
    }

    /// Whether the set has a class.
    #[inline]
    pub const fn contains(self, class: usize) -> bool {
        self.0 & 1 << class != 0
    }

    /// Whether the set has no class.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of classes in the set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the lowest class, if there is one.
    #[inline]
    pub const fn lowest(self) -> Option<usize> {
        if self.is_empty() { None } else { Some(self.0.trailing_zeros() as usize) }
    }

    /// Returns the only class, if there is exactly one.
    #[inline]
    pub const fn sole(self) -> Option<usize> {
        if self.0.is_power_of_two() { self.lowest() } else { None }
    }

    /// Returns the highest class; there must be one.
    #[inline]
    pub const fn highest(self) -> usize {
        self.0.ilog2() as usize
    }

    /// Returns the first class from `class` upwards, around to 0 behind the last; `class` itself in an empty set.
    #[inline]
    pub const fn next_from(self, class: usize) -> usize {
        (class + self.0.rotate_right(class as u32).trailing_zeros() as usize) % PRIORITIES
    }

    /// Adds a class.
    #[inline]
    pub const fn insert(&mut self, class: usize) {
        self.0 |= 1 << class;
    }

    /// Removes a class.
    #[inline]
    pub const fn remove(&mut self, class: usize) {
        self.0 &= !(1 << class);
    }

    /// Returns the classes from the lowest to the highest.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = usize> {
        (0..PRIORITIES).filter(move |&class| self.contains(class))
    }
}

impl FromIterator<usize> for Classes {
    fn from_iter<I: IntoIterator<Item = usize>>(classes: I) -> Self {
        classes.into_iter().fold(Self::NONE, |all, class| all | Self::only(class))
    }
}

impl FromIterator<u8> for Classes {
    fn from_iter<I: IntoIterator<Item = u8>>(classes: I) -> Self {
        classes.into_iter().map(usize::from).collect()
    }
}

impl FromIterator<Self> for Classes {
    fn from_iter<I: IntoIterator<Item = Self>>(several: I) -> Self {
        several.into_iter().fold(Self::NONE, Self::bitor)
    }
}

impl BitOr for Classes {
    type Output = Self;

    #[inline]
    fn bitor(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}

impl BitOrAssign for Classes {
    #[inline]
    fn bitor_assign(&mut self, others: Self) {
        self.0 |= others.0;
    }
}

impl BitXorAssign for Classes {
    #[inline]
    fn bitxor_assign(&mut self, others: Self) {
        self.0 ^= others.0;
    }
}

impl BitAnd for Classes {
    type Output = Self;

    #[inline]
    fn bitand(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }
}

impl Sub for Classes {
    type Output = Self;

    #[inline]
    fn sub(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_one_is_found_around_the_end() {
        let some: Classes = [1_usize, 4, 6].into_iter().collect();
        assert_eq!([0, 1, 2, 5, 7].map(|from| some.next_from(from)), [1, 1, 4, 6, 1]);
        assert_eq!(Classes::NONE.next_from(3), 3);
        assert_eq!(some.iter().collect::<Vec<_>>(), [1, 4, 6]);
        assert_eq!((some.highest(), some.count()), (6, 3));
    }

    #[test]
    fn what_is_taken_out_is_gone() {
        let mut some = Classes::ALL - Classes::only(3);
        assert!(!some.contains(3) && some.contains(2));
        some.insert(3);
        some.remove(2);
        assert_eq!(some, Classes::from_mask(0b1111_1011));
    }
}
