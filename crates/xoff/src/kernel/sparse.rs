//! Sparse vector: values at few of many places, with memory for little more than these values.

/// Position of a place without a value.
const NOTHING: u32 = u32::MAX;

const PAGE: usize = 64;

/// Values at some of the places 0, 1, 2 and so on.
#[derive(Clone, Debug)]
pub struct Sparse<T> {
    /// Positions of values by place, in pages of 64 places. A page without values is absent.
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    values: Vec<T>,
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self { pages: Vec::new(), values: Vec::new() }
    }
}

impl<T> Sparse<T> {
    /// Returns the value at a place, if there is one.
    pub fn get(&self, place: u32) -> Option<&T> {
        self.values.get(self.position(place)? as usize)
    }

    /// Returns the value at a place, if there is one.
    pub fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        let position = self.position(place)?;
        self.values.get_mut(position as usize)
    }

    /// Returns the value at a place, and makes it first if there is none.
    pub fn get_or_insert_with(&mut self, place: u32, value: impl FnOnce() -> T) -> &mut T {
        let (page, within) = (place as usize / PAGE, place as usize % PAGE);
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        let position = &mut self.pages[page].get_or_insert_with(|| Box::new([NOTHING; PAGE]))[within];
        if *position == NOTHING {
            *position = self.values.len() as u32;
            self.values.push(value());
        }
        &mut self.values[*position as usize]
    }

    /// Returns all values with their places, in the order of places.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let pages = (0..).step_by(PAGE).zip(&self.pages);
        let places = pages.filter_map(|(first, page)| Some((first..).zip(page.as_ref()?.iter()))).flatten();
        places.filter_map(|(place, &position)| Some((place, self.values.get(position as usize)?)))
    }

    /// Returns all values, to be changed, in the order in which they were made.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.values.iter_mut()
    }

    /// Returns the position of the value at a place; [`NOTHING`] in a page without it.
    fn position(&self, place: u32) -> Option<u32> {
        let page = self.pages.get(place as usize / PAGE)?.as_ref()?;
        Some(page[place as usize % PAGE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_keeps_its_own_value_and_others_have_none() {
        let mut values = Sparse::<u64>::default();
        for place in [999, 0, 500, 63, 64] {
            *values.get_or_insert_with(place, u64::default) += u64::from(place) + 1;
        }
        *values.get_or_insert_with(500, || unreachable!()) += 1;
        let kept = [0, 500, 999, 63, 64].map(|place| values.get(place).copied());
        assert_eq!(kept, [Some(1), Some(502), Some(1_000), Some(64), Some(65)]);
        assert_eq!(values.get_mut(999).copied(), Some(1_000));
        for empty in [1, 300, 998, 1_000, u32::MAX] {
            assert_eq!(values.get(empty), None);
            assert_eq!(values.get_mut(empty), None);
        }
        let all: Vec<(u32, u64)> = values.iter().map(|(place, &value)| (place, value)).collect();
        assert_eq!(all, [(0, 1), (63, 64), (64, 65), (500, 502), (999, 1_000)]);
    }
}
