//! A queue in a power-of-two ring that starts empty, grows when it must and forgets where it was when it empties,
//! so that a queue that never holds more than a few entries never touches more than a few cache lines. It asks for memory
//! before its turn comes: a long queue has left the cache when it is read, and is no longer there when it is written again.

use std::cmp::Ordering;

use super::prefetch::prefetch;

/// First in, first out.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    slots: Box<[T]>,
    head: u32,
    length: u32,
}

const FIRST_CAPACITY: usize = 4;

/// A ring that never begins in one cache line and ends in the next.
#[derive(Clone, Debug, Default)]
#[repr(align(32))]
pub struct InLine<T: Copy + Default>(pub Ring<T>);

impl<T: Copy + Default> Default for Ring<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy + Default> Ring<T> {
    /// An empty ring that has allocated nothing.
    pub fn new() -> Self {
        Self { slots: Box::default(), head: 0, length: 0 }
    }

    /// The number of entries.
    #[inline]
    pub const fn len(&self) -> usize {
        self.length as usize
    }

    /// Whether there is no entry.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds an entry at the back.
    #[inline]
    pub fn push_back(&mut self, value: T) {
        if self.length as usize == self.slots.len() {
            self.grow();
        }
        let index = self.index(self.length);
        *self.slot_mut(index) = value;
        self.length += 1;
        self.prefetch(self.length);
    }

    /// The entry at the front.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.length == 0 { None } else { Some(self.slot(self.index(0))) }
    }

    /// Takes the entry at the front.
    #[inline]
    pub fn pop_front(&mut self) -> Option<T> {
        if self.length == 0 { None } else { Some(self.take_front()) }
    }

    /// Takes the entry at the front, which must be there.
    #[inline]
    pub fn take_front(&mut self) -> T {
        self.take_front_before().0
    }

    /// The same, and shows the one that is then at the front.
    #[inline]
    pub fn take_front_before(&mut self) -> (T, Option<&T>) {
        assert!(self.length > 0, "there is an entry to take");
        let value = *self.slot(self.index(0));
        self.length -= 1;
        if self.length == 0 {
            self.head = 0;
            return (value, None);
        }
        self.head = self.head.wrapping_add(1);
        // The next one was asked for before.
        self.prefetch(1);
        (value, Some(self.slot(self.index(0))))
    }

    /// Takes entries from the front while `takes` says so of them. Returns the first that stays.
    #[inline]
    pub fn take_while(&mut self, mut takes: impl FnMut(&T) -> bool) -> Option<&T> {
        let (mut head, mut length) = (self.head, self.length);
        while length > 0 && takes(self.slot(head as usize & self.mask())) {
            head = head.wrapping_add(1);
            length -= 1;
        }
        self.head = if length == 0 { 0 } else { head };
        self.length = length;
        self.front()
    }

    /// The entry that `behind` others are behind, which must be there.
    #[inline]
    pub fn from_back(&self, behind: u32) -> &T {
        assert!(behind < self.length, "there is such an entry");
        self.slot(self.index(self.length - 1 - behind))
    }

    /// Takes the entry at the back.
    #[inline]
    pub fn pop_back(&mut self) -> Option<T> {
        self.length = self.length.checked_sub(1)?;
        Some(*self.slot(self.index(self.length)))
    }

    /// Asks for the memory of the entry behind `offset` others, or for where it would be. Nothing waits for it. Its last byte is
    /// enough: before that, entries share their lines.
    #[inline]
    pub fn prefetch(&self, offset: u32) {
        let end = (self.head.wrapping_add(offset) as usize & self.mask()).wrapping_add(1);
        prefetch(self.slots.as_ptr().wrapping_add(end).cast::<u8>().wrapping_sub(1));
    }

    #[inline]
    fn mask(&self) -> usize {
        self.slots.len().wrapping_sub(1)
    }

    /// Where the entry behind `offset` others is; only for rings that have allocated.
    #[inline]
    fn index(&self, offset: u32) -> usize {
        self.head.wrapping_add(offset) as usize & self.mask()
    }

    #[inline]
    #[allow(unsafe_code)]
    fn slot(&self, index: usize) -> &T {
        debug_assert!(index < self.slots.len());
        // SAFETY: `index` comes from `Ring::index`, which masks with a power of two less one, and the callers have
        // made sure that there are slots.
        unsafe { self.slots.get_unchecked(index) }
    }

    #[inline]
    #[allow(unsafe_code)]
    fn slot_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.slots.len());
        // SAFETY: as for `Ring::slot`.
        unsafe { self.slots.get_unchecked_mut(index) }
    }

    /// The entry with this key, where keys ascend from the front to the back. Whether so many are `behind` it is tried first.
    pub fn find_mut<K: Ord>(&mut self, key: &K, key_of: impl Fn(&T) -> K, behind: usize) -> Option<&mut T> {
        let (mut low, mut high) = (0, self.length);
        let mut probe = self.length.saturating_sub(behind as u32 + 1);
        while low < high {
            let index = self.index(probe);
            match key_of(self.slot(index)).cmp(key) {
                Ordering::Less => low = probe + 1,
                Ordering::Equal => return Some(self.slot_mut(index)),
                Ordering::Greater => high = probe,
            }
            probe = low + (high - low) / 2;
        }
        None
    }

    /// Changes entries, the last first, up to the one of which `change` says that it has not.
    pub fn change_from_back(&mut self, mut change: impl FnMut(&mut T) -> bool) {
        for offset in (0..self.length).rev() {
            let index = self.index(offset);
            if !change(self.slot_mut(index)) {
                break;
            }
        }
    }

    /// Adds an entry ahead of those at the back that `change` has changed, as it says itself.
    pub fn push_ahead(&mut self, value: T, mut change: impl FnMut(&mut T) -> bool) {
        let mut behind = 0;
        self.change_from_back(|entry| {
            let is_behind = change(entry);
            behind += u32::from(is_behind);
            is_behind
        });
        self.push_back(value);
        for offset in (self.length - behind..self.length).rev() {
            let (here, before) = (self.index(offset), self.index(offset - 1));
            self.slots.swap(here, before);
        }
    }

    /// The entries, front first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.length).map(|offset| self.slot(self.index(offset)))
    }

    #[cold]
    fn grow(&mut self) {
        let capacity = (self.slots.len() * 2).max(FIRST_CAPACITY);
        let mut slots = Vec::with_capacity(capacity);
        slots.extend(self.iter().copied());
        slots.resize(capacity, T::default());
        self.slots = slots.into_boxed_slice();
        self.head = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn it_behaves_as_a_queue_while_wrapping_and_growing() {
        let mut ring = Ring::new();
        let mut model = VecDeque::new();
        for step in 0u32..2000 {
            if step % 7 < 4 || model.is_empty() {
                ring.push_back(step);
                model.push_back(step);
            } else if step % 5 == 0 {
                assert_eq!(ring.pop_back(), model.pop_back());
            } else if step % 13 == 0 {
                let behind = step as usize % (model.len() + 1);
                let place = model.len() - behind;
                let mut left = behind;
                model.iter_mut().skip(place).for_each(|entry| *entry += 1);
                model.insert(place, step);
                ring.push_ahead(step, |entry| {
                    let is_behind = left > 0;
                    *entry += u32::from(is_behind);
                    left = left.saturating_sub(1);
                    is_behind
                });
            } else if step % 11 == 0 {
                let end = step * 4 / 5;
                let taken = model.iter().take_while(|&&entry| entry < end).count();
                model.drain(..taken);
                assert_eq!(ring.take_while(|&entry| entry < end), model.front());
            } else {
                assert_eq!(ring.pop_front(), model.pop_front());
            }
            assert_eq!(ring.len(), model.len());
            assert_eq!(ring.front(), model.front());
            assert_eq!(model.iter().rev().nth(3), (model.len() > 3).then(|| ring.from_back(3)));
            let wanted = step / 2;
            for behind in [0, 7, model.len() / 2, 5_000] {
                let found = ring.find_mut(&wanted, |&entry| entry, behind).copied();
                assert_eq!(found, model.contains(&wanted).then_some(wanted));
            }
        }
        assert!(ring.iter().eq(model.iter()));
    }
}
