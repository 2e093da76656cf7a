//! Runs a scenario without Python, for `tools/bench.py` and for profilers, and prints one line of JSON:
//! `cargo run --release --example run -- FILE [--threads N] [--set KEY=VALUE]...`.
#![allow(clippy::print_stdout)]

use rustix::time::{ClockId, clock_gettime};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a scenario file");
    let (mut threads, mut overrides) = (1, Vec::new());
    while let Some(option) = arguments.next() {
        let value = arguments.next().unwrap_or_else(|| panic!("{option} needs a value"));
        match option.as_str() {
            "--threads" => threads = value.parse().expect("a number of threads"),
            "--set" => overrides.push(value),
            _ => panic!("{option} is not an option; expected --threads or --set"),
        }
    }
    let text = std::fs::read_to_string(&path).expect("a readable file");
    let scenario =
        xoff::Scenario::from_toml(&text, &overrides).unwrap_or_else(|error| panic!("{path}: {error}"));

    let (resident, wall, cpu) = (resident_kib("VmRSS:"), std::time::Instant::now(), cpu_seconds());
    let report = xoff::run(&scenario, &xoff::Files::new(), threads, &mut |_| true)
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    let (cpu, wall) = (cpu_seconds() - cpu, wall.elapsed().as_secs_f64());

    let line = serde_json::json!({
        "packet_hops": report.totals.packet_hops,
        "events": report.totals.events,
        "flows": report.totals.flows_finished,
        "dropped": report.totals.packets.dropped,
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "added_bytes": resident_kib("VmHWM:").saturating_sub(resident) * 1024,
        "digest": report.digest,
    });
    println!("{line}");
}

/// CPU time of all threads of this process.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Value that Linux reports for a key of this process's memory, in KiB; 0 on other systems.
fn resident_kib(key: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
