//! Runs a scenario without Python, for `tools/bench.py` and for profilers, and prints one line of JSON:
//! `cargo run --release --example run -- FILE [--threads N] [--set KEY=VALUE]... [--floor RUNS]`.
//!
//! With `--floor` the scenario runs so many times, each time followed by two replays of recorded packet-hops (`floor.rs`), so
//! that whatever slows the machine down meets all of them.
#![allow(clippy::print_stdout)]

mod floor;

use floor::Floor;
use rustix::time::{ClockId, clock_gettime};
use xoff::{Files, Report, Scenario, Simulation};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a scenario file");
    let (mut threads, mut overrides, mut runs) = (1, Vec::new(), None);
    while let Some(option) = arguments.next() {
        let value = arguments.next().unwrap_or_else(|| panic!("{option} needs a value"));
        match option.as_str() {
            "--threads" => threads = value.parse().expect("a number of threads"),
            "--set" => overrides.push(value),
            "--floor" => runs = Some(value.parse::<usize>().expect("a number of runs")),
            _ => panic!("{option} is not an option; expected --threads, --set or --floor"),
        }
    }
    let text = std::fs::read_to_string(&path).expect("a readable file");
    let scenario = Scenario::from_toml(&text, &overrides).unwrap_or_else(|error| panic!("{path}: {error}"));
    let run = || {
        xoff::run(&scenario, &Files::new(), threads, &mut |_| true)
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    };

    let (resident, wall, cpu) = (resident_kib("VmRSS:"), std::time::Instant::now(), cpu_seconds());
    let report = run();
    let (cpu, wall) = (cpu_seconds() - cpu, wall.elapsed().as_secs_f64());

    let mut line = serde_json::json!({
        "packet_hops": report.totals.packet_hops,
        "events": report.totals.events,
        "flows": report.totals.flows_finished,
        "dropped": report.totals.packets.dropped,
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "added_bytes": resident_kib("VmHWM:").saturating_sub(resident) * 1024,
        "digest": report.digest,
    });
    if let Some(runs) = runs {
        line["floor"] = beside_floor(&scenario, report, runs, cpu, run);
    }
    println!("{line}");
}

/// Repeats a run and replays its record in and out of the cache after each, the first run included.
///
/// Returns the CPU time of a packet-hop of all three, in ns, run by run, and the bytes that the record touches.
fn beside_floor(
    scenario: &Scenario,
    report: Report,
    runs: usize,
    first: f64,
    run: impl Fn() -> Report,
) -> serde_json::Value {
    let simulation = Simulation::new(scenario, &Files::new()).expect("the scenario has just run");
    let mut floor = Floor::of(&simulation, &report).expect("something moved");
    let (mut in_cache, hops) = (floor.in_cache(), report.totals.packet_hops as f64);
    drop((simulation, report));
    let ns = |seconds: f64| seconds * 1e9 / hops;
    let (mut of_runs, mut in_caches, mut floors) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..runs {
        let start = cpu_seconds();
        let again = (number > 0).then(&run);
        of_runs.push(ns(if again.is_some() { cpu_seconds() - start } else { first }));
        drop(again);
        in_caches.push(in_cache.replay());
        floors.push(floor.replay());
    }
    serde_json::json!({"runs": of_runs, "in_cache": in_caches, "own": floors, "bytes": floor.bytes()})
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
