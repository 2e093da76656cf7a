//! Queue in a ring that starts empty, grows when it must, and starts again at its first slot when it empties.
//! A queue that never holds more than a few entries thus never touches more than a few cache lines.
//!
//! The ring prefetches. A long queue has left the cache before its front is read, and its back before it is written
//! again, so the ring asks for both ahead of time.

use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::{NonNull, slice_from_raw_parts_mut};

use super::prefetch::prefetch;

/// First-in, first-out queue of small values.
// Places are in words, as addresses are computed without a multiplication, and the end is compared with, so that nobody masks:
// packets go through rings as often as anything happens.
pub struct Ring<T> {
    /// Slots. All hold a value; at least one is free once there are any.
    slots: NonNull<T>,
    /// Place of the first entry, in words. It equals `tail`, the place of the next entry to come, if the ring is empty.
    head: u32,
    tail: u32,
    /// Place behind the last slot.
    end: u32,
    owns: PhantomData<T>,
}

const FIRST_CAPACITY: usize = 4;

// SAFETY: a ring owns its slots.
#[allow(unsafe_code)]
unsafe impl<T: Send> Send for Ring<T> {}
// SAFETY: nothing changes behind a shared reference.
#[allow(unsafe_code)]
unsafe impl<T: Sync> Sync for Ring<T> {}

impl<T> Ring<T> {
    /// Bytes of a word; entries have a whole number of words.
    const WORD: usize = if size_of::<T>().is_multiple_of(size_of::<u64>()) { size_of::<u64>() } else { 1 };
    /// Words of an entry.
    const SIZE: u32 = (size_of::<T>() / Self::WORD) as u32;

    /// Returns a ring over the given slots, the first `entries` of which hold entries.
    fn over(slots: Box<[T]>, entries: usize) -> Self {
        // Packets are 40 B: memory is gone before.
        let end = u32::try_from(size_of_val(&*slots) / Self::WORD).expect("a ring holds less than 32 GiB");
        let slots = NonNull::from(Box::leak(slots)).cast();
        Self { slots, head: 0, tail: entries as u32 * Self::SIZE, end, owns: PhantomData }
    }
}

impl<T> Drop for Ring<T> {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        let slots = slice_from_raw_parts_mut(self.slots.as_ptr(), (self.end / Self::SIZE) as usize);
        // SAFETY: `over` has taken them from a box of as many.
        drop(unsafe { Box::from_raw(slots) });
    }
}

impl<T: Copy + Default> Clone for Ring<T> {
    fn clone(&self) -> Self {
        self.with_capacity((self.end / Self::SIZE) as usize)
    }
}

impl<T: Copy + Default + fmt::Debug> fmt::Debug for Ring<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Ring whose header never lies across two cache lines.
#[derive(Clone, Debug, Default)]
#[repr(align(32))]
pub struct InLine<T: Copy + Default>(pub Ring<T>);

impl<T: Copy + Default> Default for Ring<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Copy + Default> Ring<T> {
    /// Returns an empty ring that has allocated nothing.
    pub fn new() -> Self {
        const { assert!(size_of::<T>() > 0, "places differ") }
        Self::over(Box::default(), 0)
    }

    /// Returns the number of entries.
    #[inline]
    pub const fn len(&self) -> usize {
        let words =
            if self.tail >= self.head { self.tail - self.head } else { self.end - self.head + self.tail };
        (words / Self::SIZE) as usize
    }

    /// Whether there is no entry.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// Returns the number of the slot that the next entry takes. It begins again at 0 behind the last slot, or when the
    /// ring empties.
    #[inline]
    pub const fn next_slot(&self) -> usize {
        (self.tail / Self::SIZE) as usize
    }

    /// Adds an entry at the back.
    #[inline]
    pub fn push_back(&mut self, value: T) {
        let mut next = self.after(self.tail);
        if next as u32 == self.head {
            self.grow();
            next = self.after(self.tail);
        }
        *self.slot_mut(self.tail) = value;
        self.tail = next as u32;
        self.prefetch(next);
    }

    /// Returns the entry at the front.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.is_empty() { None } else { Some(self.slot(self.head)) }
    }

    /// Takes the entry at the front.
    #[inline]
    pub fn pop_front(&mut self) -> Option<T> {
        if self.is_empty() { None } else { Some(self.take_front()) }
    }

    /// Takes the entry at the front; panics if the ring is empty.
    #[inline]
    pub fn take_front(&mut self) -> T {
        let value = *self.first();
        self.drop_first((), |_| ());
        value
    }

    /// Returns the entry at the front; panics if the ring is empty.
    #[inline]
    pub fn first(&self) -> &T {
        assert!(!self.is_empty(), "there is an entry");
        self.slot(self.head)
    }

    /// Drops the entry at the front; panics if the ring is empty. Returns `of_next` of the entry behind it, or `of_none`
    /// without one.
    #[inline]
    pub fn drop_first<N>(&mut self, of_none: N, of_next: impl FnOnce(&T) -> N) -> N {
        assert!(!self.is_empty(), "there is an entry to drop");
        let next = self.after(self.head);
        if next as u32 == self.tail {
            (self.head, self.tail) = (0, 0);
            return of_none;
        }
        self.head = next as u32;
        // The next one was asked for before. Where the slots begin again, one is missed.
        self.prefetch(next + Self::SIZE as usize);
        of_next(self.slot_at(next))
    }

    /// Takes entries from the front while `takes` returns true. Returns the first entry that stays.
    #[inline]
    pub fn take_while(&mut self, mut takes: impl FnMut(&T) -> bool) -> Option<&T> {
        let mut head = self.head;
        while head != self.tail && takes(self.slot(head)) {
            head = self.after(head) as u32;
        }
        if head == self.tail {
            (self.head, self.tail) = (0, 0);
            return None;
        }
        self.head = head;
        Some(self.slot(head))
    }

    /// Returns the entry with `behind` entries after it; panics if the ring has no such entry.
    #[inline]
    pub fn nth_back(&self, behind: u32) -> &T {
        assert!((behind as usize) < self.len(), "there is such an entry");
        self.slot(self.before(self.tail, (behind + 1) * Self::SIZE))
    }

    /// Takes the entry at the back.
    #[inline]
    pub fn pop_back(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        self.tail = self.before(self.tail, Self::SIZE);
        Some(*self.slot(self.tail))
    }

    /// Prefetches the entry at the front, or its slot.
    #[inline]
    pub fn prefetch_front(&self) {
        self.prefetch(self.head as usize);
    }

    /// Prefetches the first two entries: taking the first reads the second.
    #[inline]
    pub fn prefetch_first_two(&self) {
        prefetch(self.slots.as_ptr().cast::<u8>().wrapping_add(self.head as usize * Self::WORD));
        self.prefetch(self.head as usize);
        self.prefetch((self.head + Self::SIZE) as usize);
    }

    /// Prefetches the slot of the next entry.
    #[inline]
    pub fn prefetch_next_slot(&self) {
        self.prefetch(self.tail as usize);
    }

    /// Prefetches the last byte of a slot, which is enough: before it, entries share their cache lines.
    #[inline]
    fn prefetch(&self, place: usize) {
        let last = self.slots.as_ptr().cast::<u8>().wrapping_add(place * Self::WORD + size_of::<T>() - 1);
        prefetch(last);
    }

    /// Returns the place of the slot after `place`, as wide as an address, so that no instruction widens it.
    #[inline]
    const fn after(&self, place: u32) -> usize {
        let next = place as usize + Self::SIZE as usize;
        if next as u32 >= self.end { 0 } else { next }
    }

    /// Returns the place `words` words before `place`.
    #[inline]
    const fn before(&self, place: u32, words: u32) -> u32 {
        if place >= words { place - words } else { place + (self.end - words) }
    }

    /// Returns the place of the entry behind `offset` others.
    #[inline]
    const fn place(&self, offset: u32) -> u32 {
        let words = offset * Self::SIZE;
        if words < self.end - self.head { self.head + words } else { words - (self.end - self.head) }
    }

    #[inline]
    fn slot(&self, place: u32) -> &T {
        self.slot_at(place as usize)
    }

    #[inline]
    #[allow(unsafe_code)]
    fn slot_at(&self, place: usize) -> &T {
        debug_assert!(place < self.end as usize);
        // SAFETY: places come from `after`, `before` and `place`, which stay before the end and count in slots; the callers have made
        // sure that there are slots. All hold values.
        unsafe { self.slots.byte_add(place * Self::WORD).as_ref() }
    }

    #[inline]
    #[allow(unsafe_code)]
    fn slot_mut(&mut self, place: u32) -> &mut T {
        debug_assert!(place < self.end);
        // SAFETY: as for `Ring::slot`.
        unsafe { self.slots.byte_add(place as usize * Self::WORD).as_mut() }
    }

    /// Returns the entry with this key, where keys ascend from front to back. Tries the entry that `behind` others are
    /// behind first.
    pub fn find_mut<K: Ord>(&mut self, key: &K, key_of: impl Fn(&T) -> K, behind: usize) -> Option<&mut T> {
        let length = self.len() as u32;
        let (mut low, mut high) = (0, length);
        let mut probe = length.saturating_sub(behind as u32 + 1);
        while low < high {
            let place = self.place(probe);
            match key_of(self.slot(place)).cmp(key) {
                Ordering::Less => low = probe + 1,
                Ordering::Equal => return Some(self.slot_mut(place)),
                Ordering::Greater => high = probe,
            }
            probe = low + (high - low) / 2;
        }
        None
    }

    /// Changes entries from the back to the front, until `change` returns false: it has not changed the entry.
    pub fn change_from_back(&mut self, mut change: impl FnMut(&mut T) -> bool) {
        let mut place = self.tail;
        while place != self.head {
            place = self.before(place, Self::SIZE);
            if !change(self.slot_mut(place)) {
                break;
            }
        }
    }

    /// Inserts an entry ahead of the entries at the back that `change` has changed, for which it returns true.
    pub fn push_ahead(&mut self, value: T, mut change: impl FnMut(&mut T) -> bool) {
        let mut behind = 0;
        self.change_from_back(|entry| {
            let is_behind = change(entry);
            behind += u32::from(is_behind);
            is_behind
        });
        self.push_back(value);
        let mut place = self.before(self.tail, Self::SIZE);
        for _ in 0..behind {
            let ahead = self.before(place, Self::SIZE);
            *self.slot_mut(place) = *self.slot(ahead);
            place = ahead;
        }
        *self.slot_mut(place) = value;
    }

    /// Returns the entries, the front first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let mut place = self.head;
        std::iter::from_fn(move || {
            let entry = (place != self.tail).then(|| self.slot(place))?;
            place = self.after(place) as u32;
            Some(entry)
        })
    }

    /// Returns a copy of the ring with `capacity` slots.
    fn with_capacity(&self, capacity: usize) -> Self {
        let mut slots = Vec::with_capacity(capacity);
        slots.extend(self.iter().copied());
        slots.resize(capacity, T::default());
        Self::over(slots.into_boxed_slice(), self.len())
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let capacity = (self.end / Self::SIZE) as usize;
        *self = self.with_capacity((capacity * 2).max(FIRST_CAPACITY));
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
            assert_eq!(model.iter().rev().nth(3), (model.len() > 3).then(|| ring.nth_back(3)));
            let wanted = step / 2;
            for behind in [0, 7, model.len() / 2, 5_000] {
                let found = ring.find_mut(&wanted, |&entry| entry, behind).copied();
                assert_eq!(found, model.contains(&wanted).then_some(wanted));
            }
        }
        assert!(ring.iter().eq(model.iter()));
    }
}
