//! The cases in which random laws are tried: how many, and which.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use proptest::test_runner::{Config, RngSeed};

/// Seed of all cases. It is 0, or what `XOFF_SEED` says, or in nightly tests another one in each run.
pub(crate) static SEED: LazyLock<u64> = LazyLock::new(|| match std::env::var("XOFF_SEED") {
    Ok(seed) => seed.parse().expect("XOFF_SEED is a whole number"),
    Err(_) if is_nightly() => u64::from(RandomState::new().hash_one(0) as u32),
    Err(_) => 0,
});

fn is_nightly() -> bool {
    std::env::var("XOFF_NIGHTLY").is_ok_and(|value| value == "1")
}

/// Returns the cases of a law of which `number` are enough for one change.
///
/// Every run draws equal cases. `XOFF_NIGHTLY=1` draws 20 times as many, and others in every run, as `make nightly`
/// does. `XOFF_SEED=NUMBER` draws those of that seed. proptest keeps the seeds of cases that fail in
/// `proptest-regressions`, and tries them first from then on.
pub(crate) fn cases(number: u32) -> Config {
    let cases = if is_nightly() { 20 * number } else { number };
    // A generator that a law refuses four times of five still finds them all.
    let rejects = 16 * cases;
    Config { rng_seed: RngSeed::Fixed(*SEED), max_global_rejects: rejects, ..Config::with_cases(cases) }
}
