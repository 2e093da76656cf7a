//! Data that threads share: a barrier, the times of what each has pending, and mail. Everything else belongs to one
//! thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::mail::Mail;
use super::standstill::Movement;
use crate::kernel::barrier::Barrier;

/// Flows and movement that one thread, or all of them, have counted by a check.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// Flows started.
    pub(super) started: u64,
    /// Flows finished.
    pub(super) finished: u64,
    pub(super) movement: Movement,
}

/// Numbers that one thread publishes for the others.
#[derive(Debug, Default)]
struct Board {
    /// Least pending time of each turn, for even and for odd windows.
    least: [[AtomicU64; 2]; 2],
    /// Memory of the records, for even and for odd windows.
    recorded: [AtomicU64; 2],
    started: AtomicU64,
    finished: AtomicU64,
    packets: AtomicU64,
    held: AtomicU64,
}

/// State that all threads share.
/// There are two sets of mail, for even and for odd windows: a fast thread may write the next while a slow one reads.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) threads: usize,
    pub(super) barrier: Barrier,
    boards: Vec<Board>,
    mail: [Vec<Mutex<Mail>>; 2],
    pub(super) interrupted: AtomicBool,
}

impl Shared {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads,
            barrier: Barrier::new(threads),
            boards: (0..threads).map(|_| Board::default()).collect(),
            mail: std::array::from_fn(|_| (0..threads * threads).map(|_| Mutex::default()).collect()),
            interrupted: AtomicBool::new(false),
        }
    }

    /// Publishes the least pending time of each turn of one thread, and returns the least of all threads.
    pub(super) fn exchange_least(&self, parity: usize, thread: usize, least: [u64; 2]) -> [u64; 2] {
        for (own, least) in self.boards[thread].least[parity].iter().zip(least) {
            own.store(least, Ordering::Relaxed);
        }
        self.barrier.wait();
        [0, 1].map(|turn| {
            let of_all = self.boards.iter().map(|board| board.least[parity][turn].load(Ordering::Relaxed));
            of_all.min().unwrap_or(u64::MAX)
        })
    }

    /// Publishes the memory that the records of one thread take, in bytes. [`Shared::exchange_least`] must follow.
    pub(super) fn publish_recorded(&self, parity: usize, thread: usize, bytes: u64) {
        self.boards[thread].recorded[parity].store(bytes, Ordering::Relaxed);
    }

    /// Returns the memory of the records of all threads, as they published it.
    pub(super) fn recorded(&self, parity: usize) -> u64 {
        let of_all = self.boards.iter().map(|board| board.recorded[parity].load(Ordering::Relaxed));
        of_all.fold(0, u64::saturating_add)
    }

    /// Publishes the tally of one thread, and returns the sum of all. A barrier must separate two calls.
    pub(super) fn exchange_tallies(&self, thread: usize, tally: Tally) -> Tally {
        let own = &self.boards[thread];
        own.started.store(tally.started, Ordering::Relaxed);
        own.finished.store(tally.finished, Ordering::Relaxed);
        own.packets.store(tally.movement.packets, Ordering::Relaxed);
        own.held.store(tally.movement.held, Ordering::Relaxed);
        self.barrier.wait();
        let sum = |number: fn(&Board) -> &AtomicU64| {
            self.boards.iter().map(|board| number(board).load(Ordering::Relaxed)).sum()
        };
        Tally {
            started: sum(|board| &board.started),
            finished: sum(|board| &board.finished),
            movement: Movement { packets: sum(|board| &board.packets), held: sum(|board| &board.held) },
        }
    }

    /// Writes the mail from one thread to another.
    pub(super) fn post(&self, parity: usize, from: usize, to: usize, write: impl FnOnce(&mut Mail)) {
        write(&mut self.mail_of(parity, from, to));
    }

    /// Reads the mail for one thread, in the order of the senders' numbers.
    pub(super) fn collect(&self, parity: usize, to: usize, mut accept: impl FnMut(&mut Mail)) {
        for from in (0..self.threads).filter(|&from| from != to) {
            accept(&mut self.mail_of(parity, from, to));
        }
    }

    fn mail_of(&self, parity: usize, from: usize, to: usize) -> MutexGuard<'_, Mail> {
        self.mail[parity][from * self.threads + to].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
