//! Headroom schemes: memory set aside for packets that arrive after a pause, and how early a sender is told to pause.
//!
//! A sender goes on for a while after the switch has told it to pause: the pause frame waits, crosses the link and is
//! reacted to, and what is on the wire arrives still. Headroom holds these packets. A scheme answers how much of it
//! there is for a port, how far below its threshold a queue pauses, and whether ports pause as a whole. It gets
//! thresholds and lengths as numbers, and never counts bytes: `ingress.rs` does (decision 17).
//!
//! To add one: its file here, and one line in the list below.

use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Rate, Span, Time};

/// Link of a port, as headroom sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Rate [C].
    pub rate: Rate,
    /// Propagation delay [D_prop].
    pub delay: Span,
    /// Bytes that one class may still send over the link after the sender was told to pause, by formula [Phi].
    pub worst_case: Bytes,
}

/// Packet that has just arrived, with its ingress queue.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Port by which the packet came in.
    pub port: usize,
    /// Class.
    pub priority: usize,
    /// Bytes of memory that the packet takes.
    pub frame: Bytes,
    /// Bytes of the packet's queue in the shared pool, the packet included if it waits [`omega_s`].
    pub shared: Bytes,
}

/// Headroom in use before a packet takes more of it.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Bytes of the packet's queue.
    pub queue: Bytes,
    /// Bytes of all queues of the packet's port.
    pub port: Bytes,
    /// Bytes of all queues of the switch.
    pub all: Bytes,
}

/// Sets memory aside for packets that arrive after a pause, and says how early a sender pauses.
/// Every method with a default suits schemes in which each queue has headroom of its own.
pub trait HeadroomScheme {
    /// Settings in a scenario.
    type Parameters;
    /// Adds to parameters `size` bytes for each lossless class of `ports`; `None` if the scheme computes sizes
    /// itself.
    fn with_size_at(parameters: Self::Parameters, ports: Vec<u32>, size: Bytes) -> Option<Self::Parameters>;
    /// Headroom in bytes that the scheme sets aside on the switch.
    fn set_aside(&self) -> Bytes;
    /// Bytes for which the scheme surely has room after the pause of a port's class, or of the port where ports pause
    /// as a whole.
    fn kept(&self, port: usize) -> Bytes;
    /// Headroom for a packet that came in by a port; one that does not fit is dropped.
    fn room(&self, port: usize, held: &Held) -> Room;
    /// Whether the scheme must hear of packets that are counted in, and may answer another margin afterwards.
    fn follows_arrivals(&self) -> bool {
        false
    }
    /// Hears of a packet that was counted in, or left at once without waiting.
    fn on_arrival(&mut self, _now: Time, _arrival: &Arrival) {}
    /// Whether the scheme must hear of packets that leave at once without waiting, too.
    fn watches_passing(&self) -> bool {
        false
    }
    /// Bytes below the buffer policy's threshold at which a queue's sender pauses [tau].
    fn margin(&self, _port: usize, _priority: usize) -> Bytes {
        Bytes::ZERO
    }
    /// Whether a port pauses as a whole once its queues hold more of the shared pool than all their thresholds together
    /// [`X_poff`].
    fn pauses_ports(&self) -> bool {
        false
    }
    /// Whether packets that arrive for a queue after its pause may use the shared pool.
    fn shares_after_pause(&self) -> bool {
        false
    }
    /// Whether packets that arrive by a port after the pause of the whole port may use the shared pool.
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
            /// Scheme that sets memory aside for packets that arrive after a pause.
            pub enum Parameters by "scheme" in "headroom" { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// Adds `size` bytes for each lossless class of `ports`, which go before the setting `size`; `None` if
            /// the scheme has no `size`.
            #[must_use]
            pub fn with_size_at(self, ports: Vec<u32>, size: Bytes) -> Option<Self> {
                match self {
                    $(Self::$name(parameters) => {
                        <$module::$name as HeadroomScheme>::with_size_at(parameters, ports, size).map(Self::$name)
                    })*
                }
            }

            /// Starts the scheme on a switch with `links` and `classes` lossless classes.
            ///
            /// # Errors
            ///
            /// Returns the key that the switch cannot have, with the problem and the remedy.
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
            /// See [`HeadroomScheme::follows_arrivals`].
            pub fn follows_arrivals(&self) -> bool {
                match self { $(Self::$name(scheme) => scheme.follows_arrivals(),)* }
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
    /// Key below the scheme's table.
    pub key: String,
    /// The problem.
    pub problem: String,
    /// The remedy.
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
