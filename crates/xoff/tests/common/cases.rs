//! The number of cases that random laws are tried in.

/// Returns how many cases of a law to try where `cases` are enough for one change.
///
/// `XOFF_NIGHTLY=1` asks for 20 times as many, as `make nightly` does.
pub(crate) fn cases(cases: u32) -> u32 {
    let nightly = std::env::var("XOFF_NIGHTLY").is_ok_and(|value| value == "1");
    if nightly { 20 * cases } else { cases }
}
