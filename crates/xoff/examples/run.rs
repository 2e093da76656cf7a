//! Runs a scenario without Python, for profilers: `cargo run --release --example run -- FILE [THREADS]`.
#![allow(clippy::print_stdout)]

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a scenario file");
    let threads = arguments.next().map_or(1, |threads| threads.parse().expect("a number of threads"));
    let text = std::fs::read_to_string(&path).expect("a readable file");
    let scenario = xoff::Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let start = std::time::Instant::now();
    let report = xoff::run(&scenario, &xoff::Files::new(), threads, &mut |_| true)
        .unwrap_or_else(|error| panic!("{error}"));
    let seconds = start.elapsed().as_secs_f64();
    let totals = &report.totals;
    println!("{totals:#?}");
    let slowdown: f64 = report.flows.slowdown.iter().sum::<f64>() / report.flows.slowdown.len() as f64;
    println!("mean slowdown {slowdown:.3}, digest {}", report.digest);
    println!("{seconds:.3} s, {:.1} ns per packet-hop", seconds * 1e9 / totals.packet_hops as f64);
}
