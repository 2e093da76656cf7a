//! Fuzz targets under stable Rust: each file of `fuzz/corpora` once. `make fuzz` looks for more such files.

#[path = "../common/accounts.rs"]
mod accounts;
#[path = "../common/random.rs"]
mod random;
#[path = "../reference/mod.rs"]
mod reference;
mod targets;

use std::path::Path;

/// Runs a target on every file of its corpus. The file that fails is the last one printed.
#[allow(clippy::print_stdout, reason = "libtest shows it if the test fails")]
fn run_corpus(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpora").join(name);
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has files", folder.display());
    for path in paths {
        println!("{}", path.display());
        target(&std::fs::read(&path).expect("it can be read"));
    }
}

macro_rules! corpora {
    ($($target:ident),+) => {
        $(#[test]
        fn $target() {
            run_corpus(stringify!($target), targets::$target);
        })+
    };
}

corpora!(scenario, overrides, tables, plan, switch, network);
