//! Means without rounding on the way, and quantiles.

/// Returns element `floor(permille * n / 1000)` of `n` values in order; none of no values.
pub fn quantile(ordered: &[f64], permille: usize) -> Option<f64> {
    ordered.get(permille * ordered.len() / 1000).copied()
}

/// Returns the mean of finite values, whose sum is rounded once; none of no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| sum(values) / values.len() as f64)
}

/// Returns the sum of finite values, rounded once (Shewchuk 1997, as Python's `math.fsum`).
///
/// Therefore the order of the values does not matter.
pub fn sum(values: &[f64]) -> f64 {
    // Parts that do not overlap, the least first. Together they are the exact sum.
    let mut parts: Vec<f64> = Vec::new();
    for &value in values {
        let (mut rest, mut kept) = (value, 0);
        for place in 0..parts.len() {
            let (high, low) = two_sum(rest, parts[place]);
            if low != 0.0 {
                parts[kept] = low;
                kept += 1;
            }
            rest = high;
        }
        parts.truncate(kept);
        parts.push(rest);
    }
    let Some(mut total) = parts.pop() else { return 0.0 };
    while let Some(part) = parts.pop() {
        let (high, low) = two_sum(total, part);
        total = high;
        if low != 0.0 {
            // Half a unit in the last place is rounded by what lies below it.
            let is_pulled = parts.last().is_some_and(|below| (low < 0.0) == (*below < 0.0));
            let rounded = total + 2.0 * low;
            return if is_pulled && rounded - total - 2.0 * low == 0.0 { rounded } else { total };
        }
    }
    total
}

/// Returns the rounded sum of two values, and what rounding took away.
fn two_sum(one: f64, other: f64) -> (f64, f64) {
    let (large, small) = if one.abs() < other.abs() { (other, one) } else { (one, other) };
    let high = large + small;
    (high, small - (high - large))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_element_floor_of_p_n() {
        let ordered: Vec<f64> = (0..2000).map(f64::from).collect();
        for (count, permille, index) in
            [(1, 990, 0.0), (99, 990, 98.0), (100, 990, 99.0), (101, 990, 99.0), (200, 990, 198.0)]
        {
            assert_eq!(quantile(&ordered[..count], permille), Some(index), "{permille} of {count}");
        }
        for (count, index) in [(1, 0.0), (999, 998.0), (1000, 999.0), (2000, 1998.0)] {
            assert_eq!(quantile(&ordered[..count], 999), Some(index), "999 of {count}");
        }
        assert_eq!(quantile(&[], 500), None);
    }

    #[test]
    fn a_sum_is_rounded_once() {
        let large = 2f64.powi(53);
        let cases: [(&[f64], f64); 5] = [
            (&[0.1; 10], 1.0),
            (&[1e100, 1.0, -1e100], 1.0),
            // Between 2^53 and its successor, half way and a little more.
            (&[large, 1.0], large),
            (&[large, 1.0, 2f64.powi(-53)], large + 2.0),
            (&[], 0.0),
        ];
        for (values, expected) in cases {
            assert_eq!(sum(values).to_bits(), expected.to_bits(), "{values:?}");
        }
        assert_eq!(mean(&[1.0, 2.0, 4.5]), Some(2.5));
        assert_eq!(mean(&[]), None);
    }
}
