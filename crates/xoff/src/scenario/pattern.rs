//! Name patterns: `*` stands for any characters, `?` for one.

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
        Some(expected) => {
            let mut name = name.chars();
            name.next().is_some_and(|found| expected == '?' || expected == found)
                && matches(rest.as_str(), name.as_str())
        }
    }
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
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
