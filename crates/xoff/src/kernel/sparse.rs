//! Values at few of many places: a word for each place, and room only for the values that there are.

/// Where there is no value.
const NOTHING: u32 = u32::MAX;

/// Values by their place.
#[derive(Clone, Debug, Default)]
pub struct Sparse<T> {
    positions: Vec<u32>,
    values: Vec<T>,
}

impl<T: Default> Sparse<T> {
    /// So many places without a value.
    pub fn with_places(places: usize) -> Self {
        Self { positions: vec![NOTHING; places], values: Vec::new() }
    }

    /// The value at a place, if there is one.
    pub fn get(&self, place: u32) -> Option<&T> {
        self.values.get(self.positions[place as usize] as usize)
    }

    /// The value at a place, which is the default one if there was none.
    pub fn get_or_default(&mut self, place: u32) -> &mut T {
        let position = &mut self.positions[place as usize];
        if *position == NOTHING {
            *position = self.values.len() as u32;
            self.values.push(T::default());
        }
        &mut self.values[*position as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_keeps_its_own_value_and_others_have_none() {
        let mut values = Sparse::<u64>::with_places(1_000);
        for place in [999, 0, 500] {
            *values.get_or_default(place) += u64::from(place) + 1;
        }
        *values.get_or_default(500) += 1;
        assert_eq!([0, 500, 999].map(|place| values.get(place).copied()), [Some(1), Some(502), Some(1_000)]);
        assert_eq!((values.get(1), values.values.len()), (None, 3));
    }
}
