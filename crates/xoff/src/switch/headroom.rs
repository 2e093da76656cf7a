//! Headroom schemes: how much memory is set aside for what arrives after a pause, when a sender is to pause, and whether
//! one packet more fits. A scheme gets thresholds as numbers; it never counts bytes, `ingress.rs` does.
//! To add one: its file here, and one line in the list below.

use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Rate, Span, Time};

/// The link of a port, as headroom sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its rate [C].
    pub rate: Rate,
    /// Its propagation delay [D_prop].
    pub delay: Span,
    /// What one class of it may still send after its sender was told to pause, by formula [Phi].
    pub worst_case: Bytes,
}

/// A packet that has just come, and its queue.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Port by which it came in.
    pub port: usize,
    /// Its class.
    pub priority: usize,
    /// Bytes of it.
    pub frame: Bytes,
    /// Bytes of its queue in the shared pool, with it if it waits [`omega_s`].
    pub shared: Bytes,
}

/// Headroom in use, before a packet takes more of it.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// By the packet's queue.
    pub queue: Bytes,
    /// By all queues of its port.
    pub port: Bytes,
    /// By all queues of the switch.
    pub all: Bytes,
}

/// Sets memory aside for what arrives after a pause, and says when a sender is to pause. Every question has a default that
/// suits queues each of which has headroom of its own.
pub trait HeadroomScheme {
    /// What can be set of this scheme.
    type Parameters;
    /// Parameters with so many bytes for each lossless class of some ports; nothing where it computes them itself.
    fn with_size_at(parameters: Self::Parameters, ports: Vec<u16>, size: Bytes) -> Option<Self::Parameters>;
    /// All memory that it sets aside on the switch.
    fn set_aside(&self) -> Bytes;
    /// What it is sure to have room for when a class of a port, or where ports pause as a whole the port, has been paused.
    fn kept(&self, port: usize) -> Bytes;
    /// What headroom there is for a packet that came in by a port; one that does not fit is dropped.
    fn room(&self, port: usize, held: &Held) -> Room;
    /// A packet was counted in, or left at once.
    fn on_arrival(&mut self, _now: Time, _arrival: &Arrival) {}
    /// Whether it must hear of packets that leave at once, too.
    fn watches_passing(&self) -> bool {
        false
    }
    /// How far below the threshold of the buffer policy a queue's sender pauses [tau].
    fn margin(&self, _port: usize, _priority: usize) -> Bytes {
        Bytes::ZERO
    }
    /// Whether a port pauses as a whole once its queues together hold more of the shared pool than all their thresholds
    /// [`X_poff`].
    fn pauses_ports(&self) -> bool {
        false
    }
    /// Whether what arrives for a queue after its pause may use the shared pool.
    fn shares_after_pause(&self) -> bool {
        false
    }
    /// Whether what arrives by a port after the pause of the whole port may.
    fn shares_after_port_pause(&self, _port: usize) -> bool {
        false
    }
}

mod at_ports;
mod per_queue;

pub use at_ports::PortHeadroom;

macro_rules! headroom_schemes {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// How memory is set aside for what arrives after a pause.
            pub enum Parameters by "scheme" in "headroom" { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// The same with so many bytes for each lossless class of some ports, over `size`, where it has one.
            #[must_use]
            pub fn with_size_at(self, ports: Vec<u16>, size: Bytes) -> Option<Self> {
                match self {
                    $(Self::$name(parameters) => {
                        <$module::$name as HeadroomScheme>::with_size_at(parameters, ports, size).map(Self::$name)
                    })*
                }
            }

            /// The scheme on a switch with these links, whose lossless classes are so many.
            ///
            /// # Errors
            ///
            /// What cannot be: the key, the problem, and what is expected.
            pub fn start(&self, links: &[Link], classes: u64) -> Result<Scheme, Refusal> {
                match self {
                    $(Self::$name(parameters) => $module::$name::new(parameters, links, classes).map(Scheme::$name),)*
                }
            }
        }

        /// One of the schemes, on one switch.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Scheme { $($name($module::$name),)* }

        impl Scheme {
            /// See [`HeadroomScheme::set_aside`].
            pub fn set_aside(&self) -> Bytes {
                match self { $(Self::$name(scheme) => scheme.set_aside(),)* }
            }
            /// See [`HeadroomScheme::kept`].
            pub fn kept(&self, port: usize) -> Bytes {
                match self { $(Self::$name(scheme) => scheme.kept(port),)* }
            }
            /// See [`HeadroomScheme::room`].
            pub fn room(&self, port: usize, held: &Held) -> Room {
                match self { $(Self::$name(scheme) => scheme.room(port, held),)* }
            }
            /// See [`HeadroomScheme::on_arrival`].
            #[inline]
            pub fn on_arrival(&mut self, now: Time, arrival: &Arrival) {
                match self { $(Self::$name(scheme) => scheme.on_arrival(now, arrival),)* }
            }
            /// See [`HeadroomScheme::watches_passing`].
            #[inline]
            pub fn watches_passing(&self) -> bool {
                match self { $(Self::$name(scheme) => scheme.watches_passing(),)* }
            }
            /// See [`HeadroomScheme::margin`].
            #[inline]
            pub fn margin(&self, port: usize, priority: usize) -> Bytes {
                match self { $(Self::$name(scheme) => scheme.margin(port, priority),)* }
            }
            /// See [`HeadroomScheme::pauses_ports`].
            #[inline]
            pub fn pauses_ports(&self) -> bool {
                match self { $(Self::$name(scheme) => scheme.pauses_ports(),)* }
            }
            /// See [`HeadroomScheme::shares_after_pause`].
            #[inline]
            pub fn shares_after_pause(&self) -> bool {
                match self { $(Self::$name(scheme) => scheme.shares_after_pause(),)* }
            }
            /// See [`HeadroomScheme::shares_after_port_pause`].
            #[inline]
            pub fn shares_after_port_pause(&self, port: usize) -> bool {
                match self { $(Self::$name(scheme) => scheme.shares_after_port_pause(port),)* }
            }
        }
    };
}

headroom_schemes! {
    sih::Sih,
    dsh::Dsh,
    adaptive::Adaptive,
    oversubscribed::Oversubscribed,
}

impl Default for Parameters {
    fn default() -> Self {
        Self::Sih(sih::Parameters::default())
    }
}

/// Parameters that no switch with these links can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The key.
    pub key: String,
    /// What is wrong with it.
    pub problem: String,
    /// What would be right.
    pub expected: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::from_text;

    /// DSH (ToN 2025, section V-A): 32 ports of 100 Gb/s, 7 classes, Phi 60,000 B; by its equation 1 it is 56,840 B.
    pub(super) fn tomahawk(scheme: &str) -> Scheme {
        let link = Link {
            rate: Rate::from_gbps(100),
            delay: Span::from_microseconds(2),
            worst_case: Bytes::new(56_840),
        };
        from_text::<Parameters>(scheme).start(&[link; 32], 7).unwrap()
    }

    #[test]
    fn each_scheme_sets_aside_what_the_paper_says() {
        for (scheme, bytes) in [
            ("scheme = 'sih'\nsize = '60000B'", 13_440_000),
            ("scheme = 'dsh'\nsize = '60000B'", 1_920_000),
            ("scheme = 'dsh'\nsize = '60000B'\ninsurance = '0B'", 0),
            ("scheme = 'adaptive'", 12_732_160),
            ("scheme = 'oversubscribed'\nsize = '60000B'\nratio = 0.8", 10_752_000),
        ] {
            assert_eq!(tomahawk(scheme).set_aside(), Bytes::new(bytes), "{scheme}");
        }
    }

    /// Phi by DSH's equation 1: 24 ports of 25 Gb/s and 8 of 100 Gb/s, 1.5 us and 1500 bytes, with two classes.
    #[test]
    fn ports_that_differ_set_aside_what_each_needs() {
        let link = |gbps, worst_case| Link {
            rate: Rate::from_gbps(gbps),
            delay: Span::from_nanoseconds(1500),
            worst_case: Bytes::new(worst_case),
        };
        let links: Vec<Link> =
            [[link(25, 16_215); 8]; 3].into_iter().chain([[link(100, 44_340); 8]]).flatten().collect();
        let down = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]";
        let up = "[24, 25, 26, 27, 28, 29, 30, 31]";
        let of_one_class = 24 * 16_215 + 8 * 44_340;
        for (scheme, bytes, kept) in [
            ("scheme = 'sih'".to_owned(), 2 * of_one_class, [16_215, 44_340]),
            ("scheme = 'dsh'".to_owned(), of_one_class, [16_215, 44_340]),
            // 1.5 us is measured as 1504 ns: 25 and 100 bytes more, there and back.
            ("scheme = 'adaptive'".to_owned(), 2 * (of_one_class + 24 * 25 + 8 * 100), [16_240, 44_440]),
            ("scheme = 'oversubscribed'\nratio = '1/2'".to_owned(), of_one_class, [0, 0]),
            (
                format!("scheme = 'sih'\nsize = '45kB'\nat_ports = [{{ ports = {down}, size = '17kB' }}]"),
                2 * (24 * 17_000 + 8 * 45_000),
                [17_000, 45_000],
            ),
            (
                format!(
                    "scheme = 'dsh'\nat_ports = [{{ ports = {down}, insurance = '0B' }}, {{ ports = {up}, size = '50kB' }}]"
                ),
                8 * 50_000,
                [0, 50_000],
            ),
            (
                format!(
                    "scheme = 'oversubscribed'\nratio = '3/4'\nof = 'queue'\nat_ports = [{{ ports = {up}, size = '60kB' }}]"
                ),
                2 * (24 * 12_161 + 8 * 45_000),
                [12_161, 45_000],
            ),
        ] {
            let scheme_of_ports = from_text::<Parameters>(&scheme).start(&links, 2).unwrap();
            assert_eq!(scheme_of_ports.set_aside(), Bytes::new(bytes), "{scheme}");
            assert_eq!([0, 31].map(|port| scheme_of_ports.kept(port).get()), kept, "{scheme}");
        }
    }
}
