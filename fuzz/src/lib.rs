//! Fuzz targets of xoff, which its tests have, too.

#[path = "../../crates/xoff/tests/common/accounts.rs"]
mod accounts;
#[path = "../../crates/xoff/tests/common/random.rs"]
mod random;
#[path = "../../crates/xoff/tests/reference/mod.rs"]
mod reference;
#[path = "../../crates/xoff/tests/fuzzing/targets.rs"]
pub mod targets;
