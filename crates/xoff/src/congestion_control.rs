//! Congestion controls: how fast one flow may send.
//! Each hears of acknowledgements, losses and notifications and answers a window or a rate; the transport does
//! everything else.
//! To add one: its file here, and one line in the list below.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::telemetry::Reading;
pub use dcqcn::{Marks, NotificationPoint};
pub use rccc::{Granting, Grants};

/// How DCTCP's receiver answers when marked packets begin or end while an acknowledgement is pending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EchoReading {
    /// At once, for what was pending and with the old state; the new packet begins a new run (SIGCOMM 2010, figure 10).
    #[default]
    OldState,
    /// At once, for the new packet too and with the new state (RFC 8257, section 3.2, to the letter).
    NewState,
}

/// How acknowledgements echo marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Not at all.
    None,
    /// Runs of marked packets exactly (DCTCP).
    Exact(EchoReading),
    /// From the first mark until the sender says that it has reduced its window (RFC 3168, section 6.1.3).
    Latched,
}

/// What an algorithm must hear of; a scenario whose transport or switches do not tell it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Acknowledgements, losses, and marks in this way.
    Acknowledgements(Echo),
    /// Packets that tell of marks, which the notification point sends (DCQCN).
    Cnps(NotificationPoint),
    /// The round-trip time of every acknowledged packet, by the adapter's clock.
    Delay {
        /// And whether that packet was marked.
        echoes: bool,
    },
    /// That, and what every switch on its way has written into the packet.
    Telemetry {
        /// And how large the window was when the packet was sent.
        sent_window: bool,
    },
    /// Packets that give credit, which receivers send to flows that ask for it (RCCC).
    Credit,
}

impl Needs {
    /// How acknowledgements echo marks.
    pub fn echo(self) -> Echo {
        match self {
            Self::Acknowledgements(echo) => echo,
            Self::Cnps(_) | Self::Delay { .. } | Self::Telemetry { .. } | Self::Credit => Echo::None,
        }
    }

    /// Whether it reads what switches write into packets.
    pub fn reads_telemetry(self) -> bool {
        matches!(self, Self::Telemetry { .. })
    }

    /// Whether acknowledgements of adapters tell if their packet was marked.
    pub fn reads_echoes(self) -> bool {
        self == Self::Delay { echoes: true }
    }

    /// Whether it goes by what packets meet on their path.
    pub fn goes_by_path(self) -> bool {
        matches!(self, Self::Delay { .. }) || self.reads_telemetry()
    }

    /// Whether it asks how long the fabric's longest path is.
    pub fn asks_for_path(self) -> bool {
        self.goes_by_path() || self == Self::Credit
    }

    /// Whether it goes by marks; elsewhere packets are not ECN-capable.
    pub fn marks(self) -> bool {
        matches!(self, Self::Cnps(_)) || self.reads_echoes() || self.echo() != Echo::None
    }
}

/// A path, as far as congestion controls by delay or telemetry ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Switches on it.
    pub switches: u32,
    /// What a full packet and its acknowledgement take there and back where nothing waits.
    pub base_rtt: Span,
}

/// What a flow knows of itself when its congestion control is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flow {
    /// Payload of a full segment [SMSS].
    pub segment: Bytes,
    /// What its packet takes on the wire beyond that: headers, preamble and gap; zero where the transport does not pace.
    pub overhead: Bytes,
    /// Window to start with.
    pub initial_window: Bytes,
    /// Rate of the adapter's link; `Rate::MAX` where the transport does not pace.
    pub line_rate: Rate,
    /// Its own switches, and the base round trip of the fabric's longest path; not known where the algorithm needs neither
    /// delay nor telemetry nor credit.
    pub path: Path,
}

/// One acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ack<'a> {
    /// Payload bytes acknowledged for the first time.
    pub newly_acked: Bytes,
    /// Whether it carries an ECN echo.
    pub echo: bool,
    /// First byte not yet acknowledged [snd_una].
    pub cumulative: u64,
    /// First byte not yet sent [snd_nxt].
    pub next_sequence: u64,
    /// Payload bytes that have been sent and are not known to have arrived: of flows before on its queue pair those that are not
    /// acknowledged, and with go-back-N from what is sent again. Only adapters tell.
    pub in_flight: Bytes,
    /// Whether the window, and not the application or the adapter, held the flow back.
    pub window_limited: bool,
    /// From the first bit of the acknowledged packet on the wire to its acknowledgement, by the adapter's clock [RTT].
    pub rtt: Option<Span>,
    /// Payload bytes of that packet.
    pub timed: Bytes,
    /// What the switches on the packet's way have written.
    pub telemetry: Option<Reading<'a>>,
}

/// One packet that has arrived without its payload, because a switch had no room for that.
#[derive(Clone, Copy, Debug)]
pub struct Trimmed {
    /// Payload bytes that were cut off.
    pub payload: Bytes,
    /// Payload bytes that have been sent and are not known to have arrived or to be lost; these bytes no longer count, unless they
    /// are of an earlier flow of a persistent queue pair.
    pub in_flight: Bytes,
}

/// How a loss was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// By duplicate or selective acknowledgements.
    Recovery,
    /// By the retransmission timer.
    Timeout,
}

/// One loss.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Bytes sent and not acknowledged before the loss was noticed [FlightSize].
    pub in_flight: Bytes,
    /// How it was noticed.
    pub kind: LossKind,
    /// First byte not acknowledged [snd_una]: the first that is lost.
    pub first_lost: u64,
    /// First byte not yet sent [snd_nxt].
    pub next_sequence: u64,
}

/// Decides how many bytes one flow may have in flight and how fast it may send. Every event has an empty default; an
/// algorithm answers a window, a rate or both.
pub trait CongestionControl {
    /// What can be set of this algorithm.
    type Parameters;
    /// What it must hear of.
    fn needs(_parameters: &Self::Parameters) -> Needs {
        Needs::Acknowledgements(Echo::None)
    }
    /// How receivers give it credit, if it needs that.
    fn granting(_parameters: &Self::Parameters) -> Option<Granting> {
        None
    }
    /// New data was acknowledged. While a loss is repaired the window is never what limits the flow.
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}
    /// A loss was noticed; called once for each recovery and for each timeout, by adapters for timeouts only.
    fn on_loss(&mut self, _now: Time, _loss: &Loss) {}
    /// A packet was trimmed by a switch; called once for each.
    fn on_trimmed(&mut self, _now: Time, _trimmed: &Trimmed) {}
    /// Everything that was in flight at the loss is acknowledged, where fast recovery had inflated the window (RFC 6582);
    /// `in_flight` is what is out now.
    fn on_recovered(&mut self, _now: Time, _in_flight: Bytes) {}
    /// So many bytes were put on the wire, headers and all. Returns whether that changes the rate.
    fn on_sent(&mut self, _now: Time, _size: Bytes) -> bool {
        false
    }
    /// A congestion notification packet has arrived.
    fn on_cnp(&mut self, _now: Time) {}
    /// The receiver has given so many bytes of credit since the flow started.
    fn on_credit(&mut self, _now: Time, _total: Bytes) {}
    /// Up to which credit it asks its receiver for more, with so many bytes still to send.
    fn asks_for(&self, _backlog: Bytes) -> Bytes {
        Bytes::ZERO
    }
    /// Nothing of its queue pair is in flight, and a flow is to go on, or after a rest to begin.
    fn on_quiet(&mut self, _rested: bool) {}
    /// When its timer is due; `Time::MAX` for never.
    fn next_timer(&self) -> Time {
        Time::MAX
    }
    /// Its timer is due.
    fn on_timer(&mut self, _now: Time) {}
    /// All is acknowledged, and the connection's next flow starts, which counts its bytes from 0: what was told of bytes
    /// before is of the past.
    fn on_next_flow(&mut self) {}
    /// The connection was idle for longer than its retransmission timeout: the window becomes this if it is larger
    /// (RFC 5681, section 4.1).
    fn on_idle(&mut self, _restart_window: Bytes) {}
    /// Bytes that may be in flight [cwnd].
    fn window(&self) -> Bytes {
        Bytes::MAX
    }
    /// How fast packets may follow one another on the wire; above the line rate for no limit, zero where none may go.
    fn rate(&self) -> Rate {
        Rate::MAX
    }
}

mod once_a_window;
mod paced_window;
pub mod qcn;

macro_rules! congestion_controls {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// Decides the window, by algorithm.
            pub enum Parameters by "algorithm" in "congestion_control" { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// The state of one flow under this algorithm.
            pub fn start(&self, flow: &Flow) -> Algorithm {
                match self { $(Self::$name(parameters) => Algorithm::$name($module::$name::new(parameters, flow)),)* }
            }
            /// What this algorithm must hear of.
            pub fn needs(&self) -> Needs {
                match self { $(Self::$name(parameters) => $module::$name::needs(parameters),)* }
            }
            /// How receivers give it credit, if it needs that.
            pub fn granting(&self) -> Option<Granting> {
                match self { $(Self::$name(parameters) => $module::$name::granting(parameters),)* }
            }
            /// Whether a flow in an adapter waits for its window to open, and not for its rate alone.
            pub fn has_window(&self) -> bool {
                let path = Path { switches: 1, base_rtt: Span::from_microseconds(10) };
                let (segment, line_rate) = (Bytes::new(1_000), Rate::from_gbps(100));
                let flow = Flow { segment, initial_window: Bytes::MAX, line_rate, path, ..Flow::default() };
                self.start(&flow).window() < Bytes::MAX
            }
        }

        /// The state of one flow under one of the algorithms.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Algorithm { $($name($module::$name),)* }

        impl Algorithm {
            /// See [`CongestionControl::on_ack`].
            // Called at two places, and as a call a third of its own cost.
            #[inline(always)]
            #[allow(clippy::inline_always)]
            pub fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
                match self { $(Self::$name(algorithm) => algorithm.on_ack(now, ack),)* }
            }
            /// See [`CongestionControl::on_loss`].
            pub fn on_loss(&mut self, now: Time, loss: &Loss) {
                match self { $(Self::$name(algorithm) => algorithm.on_loss(now, loss),)* }
            }
            /// See [`CongestionControl::on_trimmed`].
            pub fn on_trimmed(&mut self, now: Time, trimmed: &Trimmed) {
                match self { $(Self::$name(algorithm) => algorithm.on_trimmed(now, trimmed),)* }
            }
            /// See [`CongestionControl::on_recovered`].
            pub fn on_recovered(&mut self, now: Time, in_flight: Bytes) {
                match self { $(Self::$name(algorithm) => algorithm.on_recovered(now, in_flight),)* }
            }
            /// See [`CongestionControl::on_sent`].
            #[inline]
            pub fn on_sent(&mut self, now: Time, size: Bytes) -> bool {
                match self { $(Self::$name(algorithm) => algorithm.on_sent(now, size),)* }
            }
            /// See [`CongestionControl::on_cnp`].
            pub fn on_cnp(&mut self, now: Time) {
                match self { $(Self::$name(algorithm) => algorithm.on_cnp(now),)* }
            }
            /// See [`CongestionControl::on_credit`].
            pub fn on_credit(&mut self, now: Time, total: Bytes) {
                match self { $(Self::$name(algorithm) => algorithm.on_credit(now, total),)* }
            }
            /// See [`CongestionControl::asks_for`].
            pub fn asks_for(&self, backlog: Bytes) -> Bytes {
                match self { $(Self::$name(algorithm) => algorithm.asks_for(backlog),)* }
            }
            /// See [`CongestionControl::on_quiet`].
            pub fn on_quiet(&mut self, rested: bool) {
                match self { $(Self::$name(algorithm) => algorithm.on_quiet(rested),)* }
            }
            /// See [`CongestionControl::next_timer`].
            pub fn next_timer(&self) -> Time {
                match self { $(Self::$name(algorithm) => algorithm.next_timer(),)* }
            }
            /// See [`CongestionControl::on_timer`].
            pub fn on_timer(&mut self, now: Time) {
                match self { $(Self::$name(algorithm) => algorithm.on_timer(now),)* }
            }
            /// See [`CongestionControl::rate`].
            #[inline]
            pub fn rate(&self) -> Rate {
                match self { $(Self::$name(algorithm) => algorithm.rate(),)* }
            }
            /// See [`CongestionControl::on_next_flow`].
            pub fn on_next_flow(&mut self) {
                match self { $(Self::$name(algorithm) => algorithm.on_next_flow(),)* }
            }
            /// See [`CongestionControl::on_idle`].
            pub fn on_idle(&mut self, restart_window: Bytes) {
                match self { $(Self::$name(algorithm) => algorithm.on_idle(restart_window),)* }
            }
            /// See [`CongestionControl::window`].
            #[inline]
            pub fn window(&self) -> Bytes {
                match self { $(Self::$name(algorithm) => algorithm.window(),)* }
            }
        }
    };
}

congestion_controls! {
    reno::Reno,
    cubic::Cubic,
    dctcp::Dctcp,
    ecn_star::EcnStar,
    dcqcn::Dcqcn,
    hpcc::Hpcc,
    power_tcp::PowerTcp,
    theta_power_tcp::ThetaPowerTcp,
    timely::Timely,
    swift::Swift,
    nscc::Nscc,
    rccc::Rccc,
}

const _: () = assert!(size_of::<Algorithm>() <= 152, "every flow has one, whatever the algorithm");

#[cfg(test)]
mod testing {
    use super::*;

    /// A flow of segments of 1000 bytes at a line rate in Gb/s, past one switch and with a base round trip in microseconds.
    pub(super) fn flow(line_rate: u64, base_rtt: u64) -> Flow {
        Flow {
            segment: Bytes::new(1000),
            line_rate: Rate::from_gbps(line_rate),
            path: Path { switches: 1, base_rtt: Span::from_microseconds(base_rtt) },
            ..Flow::default()
        }
    }
}

/// The recipe of CONTRIBUTING.md.
#[cfg(test)]
#[path = "../recipes/halving.rs"]
pub mod recipe;
