//! Calls of Python methods that are under way, for a watcher who tells which one does not return.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;

/// Most threads whose calls can be watched.
const MOST_THREADS: usize = 256;

/// Calls of one thread.
struct Slot {
    /// Python's number of the thread; zero where the slot is free.
    thread: AtomicU64,
    /// Calls begun and ended: odd while one is under way.
    count: AtomicU64,
}

static SLOTS: [Slot; MOST_THREADS] =
    [const { Slot { thread: AtomicU64::new(0), count: AtomicU64::new(0) } }; MOST_THREADS];

thread_local! {
    static OWN: Cell<Option<&'static Slot>> = const { Cell::new(None) };
}

/// Returns the slot of this thread, or takes one.
fn slot(py: Python<'_>) -> Option<&'static Slot> {
    if let Some(own) = OWN.get() {
        return Some(own);
    }
    let thread: u64 = py.import("threading").ok()?.call_method0("get_ident").ok()?.extract().ok()?;
    let found = SLOTS.iter().find(|slot| {
        let known = slot.thread.load(Ordering::Relaxed);
        known == thread
            || known == 0
                && slot.thread.compare_exchange(0, thread, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    })?;
    OWN.set(Some(found));
    Some(found)
}

/// Does a call of Python that can be watched.
#[inline]
pub(super) fn watched<T>(py: Python<'_>, call: impl FnOnce() -> T) -> T {
    let Some(slot) = slot(py) else { return call() };
    // Only this thread writes.
    let count = slot.count.load(Ordering::Relaxed);
    slot.count.store(count + 1, Ordering::Relaxed);
    let answer = call();
    slot.count.store(count + 2, Ordering::Relaxed);
    answer
}

/// Returns, for each thread that has called a scheme, Python's number of the thread and its calls begun and ended.
#[pyfunction]
pub(crate) fn scheme_calls() -> Vec<(u64, u64)> {
    let seen =
        SLOTS.iter().map(|slot| (slot.thread.load(Ordering::Relaxed), slot.count.load(Ordering::Relaxed)));
    seen.take_while(|(thread, _)| *thread != 0).collect()
}
