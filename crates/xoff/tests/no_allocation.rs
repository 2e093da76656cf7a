//! Law that a run allocates nothing after the warm-up but what must grow: fewer than one allocation in 100,000
//! packet-hops.
//!
//! This is the only test of its process, because it counts what the whole process allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use xoff::Execution;
use xoff::{Files, Report, Scenario, Simulation};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static GROWTHS: AtomicU64 = AtomicU64::new(0);

#[allow(unsafe_code)]
// Safety: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        GROWTHS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Allocations, growths in place and packet-hops of a run up to a simulated time.
#[derive(Clone, Copy)]
struct Taken {
    allocations: u64,
    growths: u64,
    hops: u64,
}

fn taken_by(end: &str) -> Taken {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/web_search.toml");
    let text = std::fs::read_to_string(path).expect("the scenario is shipped");
    let overrides = [format!("stop.at={end}"), "stop.arrivals_end=1s".to_owned()];
    let scenario = Scenario::from_toml(&text, &overrides).unwrap_or_else(|error| panic!("{error}"));
    let simulation = Simulation::new(&scenario, &Files::new()).unwrap_or_else(|error| panic!("{error}"));
    let before = (ALLOCATIONS.load(Ordering::Relaxed), GROWTHS.load(Ordering::Relaxed));
    let mut outcome = simulation.run(Execution::with_threads(1), &mut |_| true);
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before.0;
    let growths = GROWTHS.load(Ordering::Relaxed) - before.1;
    Taken { allocations, growths, hops: Report::new(&simulation, &mut outcome).totals.packet_hops }
}

/// Rings are allocated anew when they grow, and are counted. Tables of flows double in place: over the second half of a
/// run each of a host's tables does so about once.
#[test]
#[allow(clippy::print_stdout)]
fn nothing_is_allocated_after_the_warm_up() {
    const HOSTS: u64 = 32;
    const TABLES_OF_A_HOST: u64 = 6;
    let (half, whole) = (taken_by("20ms"), taken_by("40ms"));
    let (allocations, growths) = (whole.allocations - half.allocations, whole.growths - half.growths);
    let hops = whole.hops - half.hops;
    println!("{allocations} allocations and {growths} growths in {hops} packet-hops");
    assert!(hops > 10_000_000);
    assert!(allocations * 100_000 < hops, "{allocations} allocations in {hops} packet-hops");
    assert!(growths <= HOSTS * TABLES_OF_A_HOST, "{growths} growths");
}
