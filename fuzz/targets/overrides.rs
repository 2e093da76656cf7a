#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| xoff_fuzz::targets::overrides(bytes));
