//! Writes `xoff.h` from the source of the C interface, or with `--check` says whether it is up to date.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in that of the interface");
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("the settings can be read");
    let written = cbindgen::Builder::new().with_config(config).with_src(root.join("src/lib.rs")).generate();
    let mut header = Vec::new();
    written.expect("the interface can be written in C").write(&mut header);
    let path = root.join("include/xoff.h");
    if !std::env::args().any(|argument| argument == "--check") {
        std::fs::write(&path, &header).expect("the header can be written");
    } else if std::fs::read(&path).ok().as_ref() != Some(&header) {
        eprintln!("{}: is not what cbindgen writes; `make header` writes it anew", path.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
