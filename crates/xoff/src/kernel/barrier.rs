//! Barrier at which threads meet at the end of a window: they spin for a short time, then sleep.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Turns of the spin before a thread sleeps: about 25 us. To sleep and to be woken takes longer than most waits at the end
/// of a window, above all on a virtual machine (decision 11). A thread that waits longer may wait for one without a
/// processor, and should give its own away.
const SPINS: u32 = 1000;

/// Barrier for a fixed number of threads, which meet there millions of times.
#[derive(Debug)]
pub struct Barrier {
    threads: usize,
    waiting: AtomicUsize,
    round: AtomicUsize,
    poisoned: AtomicBool,
    /// Number of threads that sleep or are about to. If there are none, nobody has to be woken.
    sleeping: AtomicUsize,
    lock: Mutex<()>,
    all_came: Condvar,
}

/// Guard of one running thread. If this thread panics, the others panic instead of waiting for ever.
#[derive(Debug)]
pub struct Poison<'a>(&'a Barrier);

impl Drop for Poison<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.poisoned.store(true, Ordering::SeqCst);
            self.0.wake();
        }
    }
}

impl Barrier {
    /// Returns a barrier at which `threads` threads meet.
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            waiting: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            poisoned: AtomicBool::new(false),
            sleeping: AtomicUsize::new(0),
            lock: Mutex::new(()),
            all_came: Condvar::new(),
        }
    }

    /// Returns the guard that a thread holds while it runs.
    pub fn poison_on_panic(&self) -> Poison<'_> {
        Poison(self)
    }

    /// Waits until every thread has called `wait`. All threads then see everything that any thread wrote before.
    pub fn wait(&self) {
        if self.threads == 1 {
            return;
        }
        let round = self.round.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.waiting.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::SeqCst);
            self.wake();
            return;
        }
        for _ in 0..SPINS {
            if self.is_over(round) {
                return;
            }
            spin_loop();
        }
        self.sleep_until_over(round);
    }

    /// Whether the round `round` is over: every thread has come to the barrier.
    fn is_over(&self, round: usize) -> bool {
        assert!(!self.poisoned.load(Ordering::SeqCst), "another thread panicked");
        self.round.load(Ordering::SeqCst) != round
    }

    #[cold]
    fn sleep_until_over(&self, round: usize) {
        self.sleeping.fetch_add(1, Ordering::SeqCst);
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_over(round) {
            held = self.all_came.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        drop(held);
        self.sleeping.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes all sleepers; called after the new round is written.
    /// A thread that counts itself among the sleepers later then sees the new round.
    fn wake(&self) {
        if self.sleeping.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.all_came.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Number of threads, above the number of processors of most machines, so that some sleep.
    const THREADS: usize = 9;

    #[test]
    fn nobody_goes_on_before_all_have_come() {
        let (barrier, came) = (Barrier::new(THREADS), AtomicUsize::new(0));
        let meet = || {
            let _poison = barrier.poison_on_panic();
            for round in 1..=500 {
                came.fetch_add(1, Ordering::Relaxed);
                barrier.wait();
                assert_eq!(came.load(Ordering::Relaxed), round * THREADS);
                barrier.wait();
            }
        };
        thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(meet))));
    }

    #[test]
    fn who_panics_takes_those_along_who_wait() {
        let barrier = Barrier::new(THREADS);
        let waits = || barrier.wait();
        let panics = || {
            let _poison = barrier.poison_on_panic();
            panic!("one of all");
        };
        thread::scope(|scope| {
            let waiting: Vec<_> = (1..THREADS).map(|_| scope.spawn(waits)).collect();
            assert!(scope.spawn(panics).join().is_err());
            assert!(waiting.into_iter().all(|thread| thread.join().is_err()));
        });
    }
}
