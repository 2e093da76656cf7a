//! Where threads meet at the end of a window: a short spin, then the processor is given away.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::yield_now;

/// Turns of the spin before the thread yields; about a microsecond, a fraction of a window's work.
const SPINS: u32 = 2_000;

/// A barrier for a fixed number of threads that is met millions of times.
#[derive(Debug)]
pub struct Barrier {
    threads: usize,
    waiting: AtomicUsize,
    round: AtomicUsize,
    poisoned: AtomicBool,
}

/// Lets the other threads go, into a panic of their own, if this one panics.
#[derive(Debug)]
pub struct Poison<'a>(&'a Barrier);

impl Drop for Poison<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.poisoned.store(true, Ordering::Release);
        }
    }
}

impl Barrier {
    /// A barrier at which `threads` threads meet.
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            waiting: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            poisoned: AtomicBool::new(false),
        }
    }

    /// Held by a thread while it runs.
    pub fn poison_on_panic(&self) -> Poison<'_> {
        Poison(self)
    }

    /// Returns once every thread has called it; what a thread wrote before is then seen by all.
    pub fn wait(&self) {
        if self.threads == 1 {
            return;
        }
        let round = self.round.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.waiting.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0;
        while self.round.load(Ordering::Acquire) == round {
            assert!(!self.poisoned.load(Ordering::Acquire), "another thread panicked");
            if spins < SPINS {
                spins += 1;
                spin_loop();
            } else {
                yield_now();
            }
        }
    }
}
