//! Schedulers: which of a port's queues sends next.
//!
//! A scheduler sees which queues are ready and how large their first packets are, and picks one. A new scheduler takes
//! a file in this folder and a line in the list below.

use crate::classes::Classes;
use crate::kernel::units::Bytes;

/// State machine that picks among the queues of one port.
pub trait Scheduler {
    /// Settings of the scheduler.
    type Parameters;
    /// Makes the state of one port.
    fn new(parameters: &Self::Parameters) -> Self;
    /// Returns the class that sends next.
    ///
    /// The classes in `ready`, at least one, have a packet and are not paused. `head` returns the frame size of a ready
    /// class's first packet.
    fn pick(&mut self, ready: Classes, head: impl Fn(usize) -> Bytes) -> usize;
    /// Takes in that the packet picked was the last of its queue.
    fn on_empty(&mut self, _priority: usize) {}
}

macro_rules! schedulers {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// Rule that picks the queue of a port that sends next.
            pub enum Parameters by "kind" in "scheduler" { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// Makes the state of one port.
            pub fn start(&self) -> Algorithm {
                match self { $(Self::$name(parameters) => Algorithm::$name($module::$name::new(parameters)),)* }
            }
        }

        /// State of one port under one of the algorithms.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Algorithm { $($name($module::$name),)* }

        impl Algorithm {
            /// See [`Scheduler::pick`].
            #[inline]
            pub fn pick(&mut self, ready: Classes, head: impl Fn(usize) -> Bytes) -> usize {
                match self { $(Self::$name(algorithm) => algorithm.pick(ready, head),)* }
            }
            /// See [`Scheduler::on_empty`].
            #[inline]
            pub fn on_empty(&mut self, priority: usize) {
                match self { $(Self::$name(algorithm) => algorithm.on_empty(priority),)* }
            }
        }
    };
}

schedulers! {
    strict_priority::StrictPriority,
    deficit_round_robin::DeficitRoundRobin,
}

impl Parameters {
    /// Classes that go before all others by name.
    pub fn strict(&self) -> &[u8] {
        match self {
            Self::StrictPriority(_) => &[],
            Self::DeficitRoundRobin(parameters) => &parameters.strict,
        }
    }
}

impl Default for Parameters {
    fn default() -> Self {
        Self::StrictPriority(strict_priority::Parameters {})
    }
}
