//! Name patterns: `*` stands for any characters, `?` for one, `[8-15]` for any of these numbers.

use std::ops::RangeInclusive;

/// Whether `name` matches `pattern`.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = rest.as_str();
            let mut ends = name.char_indices().map(|(index, _)| index).chain([name.len()]);
            ends.any(|index| matches(rest, &name[index..]))
        }
        Some('[') if let Some((numbers, after)) = range(rest.as_str()) => {
            let digits = name.bytes().take_while(u8::is_ascii_digit).count();
            let is_one = |number: &str| {
                let has_zeros = number.starts_with('0') && number != "0";
                !has_zeros && number.parse().is_ok_and(|number: u64| numbers.contains(&number))
            };
            (1..=digits).any(|end| is_one(&name[..end]) && matches(after, &name[end..]))
        }
        Some(expected) => {
            let mut name = name.chars();
            name.next().is_some_and(|found| expected == '?' || expected == found)
                && matches(rest.as_str(), name.as_str())
        }
    }
}

/// Returns the range between brackets, of which the first is open, and the text behind; nothing where it is no range
/// of numbers.
fn range(text: &str) -> Option<(RangeInclusive<u64>, &str)> {
    let (inside, after) = text.split_once(']')?;
    let (least, most) = inside.split_once('-')?;
    Some((least.parse().ok()?..=most.parse().ok()?, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters_and_a_question_mark_for_one() {
        for (pattern, name, expected) in [
            ("*", "leaf0", true),
            ("leaf*", "leaf12", true),
            ("leaf*", "spine1", false),
            ("leaf?", "leaf12", false),
            ("leaf0", "leaf0", true),
            ("leaf0", "leaf01", false),
            ("*.port3", "leaf0.port3", true),
            ("l*f*.port?", "leaf0.port3", true),
            ("", "", true),
            ("", "a", false),
            ("host[8-15]", "host8", true),
            ("host[8-15]", "host15", true),
            ("host[8-15]", "host16", false),
            ("host[8-15]", "host08", false),
            ("host[8-15]", "host", false),
            ("host[0-3]*", "host12", true),
            ("leaf[0-1].port[2-3]", "leaf1.port3", true),
            ("leaf[0-1].port[2-3]", "leaf1.port4", false),
            ("a[b-c]", "a[b-c]", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
