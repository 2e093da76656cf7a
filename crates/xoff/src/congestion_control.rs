//! Congestion controls: how fast one flow may send.
//! The transport reports acknowledgements, losses and notifications to a flow's congestion control. The congestion
//! control answers with a window in bytes, a rate, or both, and the transport does everything else. A new algorithm
//! takes a file in this folder and a line in the list below.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::rng::{Purpose, Rng, below, stream};
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::telemetry::Reading;
pub use dcqcn::{CnpClock, Marks, NotificationPoint};
pub use foreign::{Foreign, ForeignFlow, scheme};
pub use rccc::{Granting, Grants};

/// Echo that DCTCP's receiver sends when marked packets begin or end while it is delaying an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EchoReading {
    /// Acknowledges the pending packets at once with the old state; the new packet begins a new run (SIGCOMM 2010,
    /// figure 10).
    #[default]
    OldState,
    /// Acknowledges the pending packets and the new one at once with the new state (RFC 8257, section 3.2, to the
    /// letter).
    NewState,
}

/// Amount by which an acknowledgement of several segments lets a window grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// Each acknowledgement counts as one segment, however many it covers (RFC 5681, section 3.1).
    #[default]
    Acknowledgements,
    /// Each acknowledged byte counts, in slow start two segments an acknowledgement at most (RFC 3465, section 2).
    Bytes,
    /// Each acknowledged segment counts, in slow start too, up to the threshold (Linux since 4.0).
    Segments,
}

/// Unit in which a window grows and shrinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowUnit {
    /// Bytes, so that each acknowledgement adds its share of a segment (RFC 5681, section 3.1, equation 3).
    #[default]
    Bytes,
    /// Whole segments: a counter adds one segment once a window of segments is acknowledged (Linux).
    Segments,
}

/// Rule by which acknowledgements echo marks to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// No echo.
    None,
    /// Each run of marked packets is echoed exactly (DCTCP).
    Exact(EchoReading),
    /// Every acknowledgement echoes, from the first mark until the sender says that it has reduced its window (RFC
    /// 3168, section 6.1.3).
    Latched,
}

/// Signals that an algorithm reacts to. A scenario whose transport or switches do not deliver them is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Acknowledgements, losses, and marks echoed by the given rule.
    Acknowledgements(Echo),
    /// Congestion notification packets, which the receiver's notification point sends (DCQCN).
    Cnps(NotificationPoint),
    /// Round-trip time of every acknowledged packet, by the adapter's clock.
    Delay {
        /// Whether the acknowledgement also says that its packet was marked.
        echoes: bool,
    },
    /// Round-trip time of every acknowledged packet, and the telemetry that every switch on its path wrote into it.
    Telemetry {
        /// Whether the packet also carries the window at the time it was sent.
        sent_window: bool,
    },
    /// Packets of credit, which a receiver sends to the flows that ask for it (RCCC).
    Credit,
}

impl Needs {
    /// Returns the rule by which acknowledgements echo marks.
    pub fn echo(self) -> Echo {
        match self {
            Self::Acknowledgements(echo) => echo,
            Self::Cnps(_) | Self::Delay { .. } | Self::Telemetry { .. } | Self::Credit => Echo::None,
        }
    }

    /// Whether the algorithm reads the telemetry that switches write into packets.
    pub fn reads_telemetry(self) -> bool {
        matches!(self, Self::Telemetry { .. })
    }

    /// Whether the adapter's acknowledgements must say that their packet was marked.
    pub fn reads_echoes(self) -> bool {
        self == Self::Delay { echoes: true }
    }

    /// Whether CNPs answer marks.
    pub fn has_cnps(self) -> bool {
        matches!(self, Self::Cnps(_))
    }

    /// Whether the algorithm measures the path of each packet, by delay or telemetry.
    pub fn goes_by_path(self) -> bool {
        matches!(self, Self::Delay { .. }) || self.reads_telemetry()
    }

    /// Whether the algorithm needs [`Flow::path`]: the number of switches and the base round-trip time.
    pub fn asks_for_path(self) -> bool {
        self.goes_by_path() || self == Self::Credit
    }

    /// Whether the algorithm reacts to marks. Packets of the other algorithms are not ECN-capable.
    pub fn marks(self) -> bool {
        self.has_cnps() || self.reads_echoes() || self.echo() != Echo::None
    }
}

/// Properties of a path that congestion controls by delay, telemetry or credit need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Number of switches on the path.
    pub switches: u32,
    /// Time from sending a full packet to receiving its acknowledgement, with all queues empty.
    pub base_rtt: Span,
}

/// Flow of the run, for messages and random numbers alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Number of the host that sends the flow.
    pub source: u32,
    /// Number of the flow there.
    pub number: u32,
    /// Seed of the run.
    pub seed: u64,
}

impl Identity {
    /// Returns the random stream of the flow, which nobody else draws from.
    pub fn random(self) -> Rng {
        stream(self.seed, Purpose::Scheme, u64::from(self.source) << 32 | u64::from(self.number))
    }

    /// Returns a seed for a generator of the scheme's own, another for each flow.
    pub fn entropy(self) -> u64 {
        below(&mut self.random(), u64::MAX)
    }
}

/// Constants of a flow from which its congestion control is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flow {
    /// Flow for which it is made; on a persistent connection or queue pair the first.
    pub identity: Identity,
    /// Payload of a full segment [SMSS].
    pub segment: Bytes,
    /// Bytes of a packet on the wire besides its payload: headers, preamble and gap. Zero where the transport does not
    /// pace.
    pub overhead: Bytes,
    /// Window with which the flow starts.
    pub initial_window: Bytes,
    /// Slow-start threshold with which the flow starts; without one, slow start lasts until the first reduction.
    pub initial_threshold: Option<Bytes>,
    /// Amount by which an acknowledgement lets the window grow.
    pub growth: Growth,
    /// Unit of the window.
    pub window_unit: WindowUnit,
    /// Rate of the adapter's link; `Rate::MAX` where the transport does not pace.
    pub line_rate: Rate,
    /// The flow's own number of switches, and the base round-trip time of the fabric's longest path. Zero where the
    /// algorithm needs neither delay nor telemetry nor credit.
    pub path: Path,
}

/// Acknowledgement that a sender has received.
///
/// The bytes of all flows of a connection or queue pair are numbered on. What an algorithm remembers of sequences holds
/// for the next flow too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ack<'a> {
    /// Payload bytes that no earlier acknowledgement has told of, neither cumulatively nor by a block.
    pub newly_acked: Bytes,
    /// Whether the acknowledgement carries an ECN echo.
    pub echo: bool,
    /// First byte of the connection or queue pair not yet acknowledged [snd_una].
    pub cumulative: u64,
    /// First byte of the connection or queue pair not yet sent [snd_nxt].
    pub next_sequence: u64,
    /// Payload bytes that were sent and are not known to have arrived. Bytes of earlier flows on the queue pair count
    /// until they are acknowledged, and go-back-N counts from the packet that it resends. Zero for TCP.
    pub in_flight: Bytes,
    /// Whether the window limited the flow, and not the application or the adapter.
    pub window_limited: bool,
    /// Time from the first bit of the acknowledged packet on the wire to its acknowledgement, by the adapter's clock
    /// [RTT].
    pub rtt: Option<Span>,
    /// Payload bytes of the packet that `rtt` was measured on.
    pub timed: Bytes,
    /// Telemetry that the switches wrote into the acknowledged packet.
    pub telemetry: Option<Reading<'a>>,
}

/// Packet that arrived without its payload, because a switch had no room and trimmed it.
#[derive(Clone, Copy, Debug)]
pub struct Trimmed {
    /// Payload bytes that were cut off.
    pub payload: Bytes,
    /// Payload bytes that were sent and are not known to have arrived or to be lost. The trimmed bytes no longer count,
    /// unless they belong to an earlier flow of a persistent queue pair.
    pub in_flight: Bytes,
}

/// Way in which the transport noticed a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// Duplicate or selective acknowledgements.
    Recovery,
    /// Expiry of the retransmission timer.
    Timeout,
}

/// Loss that the transport has noticed.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// Bytes sent and not acknowledged just before the loss was noticed [FlightSize].
    pub in_flight: Bytes,
    /// Way in which the loss was noticed.
    pub kind: LossKind,
    /// First byte of the connection or queue pair not acknowledged, which is the first lost [snd_una].
    pub first_lost: u64,
    /// First byte of the connection or queue pair not yet sent [snd_nxt].
    pub next_sequence: u64,
}

/// State machine that decides how many bytes one flow may have in flight, and how fast it may send.
///
/// Every event has an empty default. An algorithm answers with a window, a rate or both.
pub trait CongestionControl {
    /// Settings of the algorithm.
    type Parameters
    where
        Self: Sized;
    /// Returns the signals that the algorithm reacts to.
    fn needs(_parameters: &Self::Parameters) -> Needs
    where
        Self: Sized,
    {
        Needs::Acknowledgements(Echo::None)
    }
    /// Returns the rule by which receivers give credit, for an algorithm that needs it.
    fn granting(_parameters: &Self::Parameters) -> Option<Granting>
    where
        Self: Sized,
    {
        None
    }
    /// Whether acknowledgements may change anything. If not, adapters do not tell of them.
    fn hears_acknowledgements(&self) -> bool {
        true
    }
    /// Takes in an acknowledgement of new data, cumulatively or by a block. While a loss is being repaired or the
    /// transport spreads a reduction over a round trip, `window_limited` is false.
    fn on_ack(&mut self, _now: Time, _ack: &Ack<'_>) {}
    /// Takes in a loss. Called once for each recovery and each timeout; adapters report timeouts only.
    fn on_loss(&mut self, _now: Time, _loss: &Loss) {}
    /// Takes in a packet that a switch has trimmed. Called once for each.
    fn on_trimmed(&mut self, _now: Time, _trimmed: &Trimmed) {}
    /// Ends fast recovery: everything that was in flight at the loss is acknowledged. `in_flight` is what is out now
    /// (RFC 6582).
    fn on_recovered(&mut self, _now: Time, _in_flight: Bytes) {}
    /// Takes in that `size` bytes, headers included, were put on the wire. Returns whether that changes the rate.
    fn on_sent(&mut self, _now: Time, _size: Bytes) -> bool {
        false
    }
    /// Takes in a congestion notification packet.
    fn on_cnp(&mut self, _now: Time) {}
    /// Takes in credit: the receiver has given `total` bytes since the flow started.
    fn on_credit(&mut self, _now: Time, _total: Bytes) {}
    /// Returns the total credit that the flow asks its receiver for, with `backlog` bytes still to send.
    fn asks_for(&self, _backlog: Bytes) -> Bytes {
        Bytes::ZERO
    }
    /// Takes in that nothing of the connection or queue pair is in flight, and a flow is about to go on, or, if `rested`,
    /// to begin after a pause.
    fn on_quiet(&mut self, _rested: bool) {}
    /// Returns when the algorithm's timer is due; `Time::MAX` for never.
    fn next_timer(&self) -> Time {
        Time::MAX
    }
    /// Handles the timer at its due time.
    fn on_timer(&mut self, _now: Time) {}
    /// Lowers the window to `restart_window`, if it is larger: the connection was idle for longer than its
    /// retransmission timeout (RFC 5681, section 4.1).
    fn on_idle(&mut self, _restart_window: Bytes) {}
    /// Bytes that may be in flight [cwnd].
    fn window(&self) -> Bytes {
        Bytes::MAX
    }
    /// Rate at which packets may follow one another on the wire. Above the line rate means no limit, and zero means
    /// that none may go.
    fn rate(&self) -> Rate {
        Rate::MAX
    }
    /// Running share of marked bytes, 0 to 1, where the algorithm keeps one [alpha].
    fn alpha(&self) -> Option<f64> {
        None
    }
    /// Window above which slow start ends, from the first reduction on, where the algorithm has one [ssthresh].
    fn threshold(&self) -> Option<Bytes> {
        None
    }
}

mod foreign;
mod once_a_window;
mod paced_window;
pub mod qcn;

macro_rules! congestion_controls {
    ($($(#[$doc:meta])* $module:ident::$name:ident),* $(,)?) => {
        $(pub mod $module;)*

        crate::tagged! {
            /// Decides the window, by algorithm.
            pub enum Parameters by "algorithm" in "congestion_control" open to dyn Foreign { $($(#[$doc])* $module => $name($module::Parameters),)* }
        }

        impl Parameters {
            /// Makes the state of one flow under this algorithm.
            pub fn start(&self, flow: &Flow) -> Algorithm {
                match self {
                    $(Self::$name(parameters) => Algorithm::$name($module::$name::new(parameters, flow)),)*
                    Self::Outside(outside) => Algorithm::Outside(outside.scheme().start(flow)),
                }
            }
            /// Returns the signals that this algorithm reacts to.
            pub fn needs(&self) -> Needs {
                match self {
                    $(Self::$name(parameters) => $module::$name::needs(parameters),)*
                    Self::Outside(outside) => {
                        outside.made().map_or(Needs::Acknowledgements(Echo::None), Foreign::needs)
                    }
                }
            }
            /// Returns the rule by which receivers give credit, for an algorithm that needs it.
            pub fn granting(&self) -> Option<Granting> {
                match self {
                    $(Self::$name(parameters) => $module::$name::granting(parameters),)*
                    Self::Outside(outside) => outside.made().and_then(Foreign::granting),
                }
            }
            /// Whether it is one of this crate's, or one from outside that was looked for. Of others nobody knows what they
            /// need.
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::Outside(outside) if outside.made().is_none())
            }
            /// Whether a flow in an adapter waits for its window to open, and not for its rate alone.
            pub fn has_window(&self) -> bool {
                if !self.is_known() {
                    return true;
                }
                let path = Path { switches: 1, base_rtt: Span::from_microseconds(10) };
                let (segment, line_rate) = (Bytes::new(1_000), Rate::from_gbps(100));
                let flow = Flow { segment, initial_window: Bytes::MAX, line_rate, path, ..Flow::default() };
                self.start(&flow).window() < Bytes::MAX
            }
        }

        /// State of one flow under one of the algorithms.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Algorithm {
            $($name($module::$name),)*
            Outside(Box<dyn ForeignFlow>),
        }

        impl Algorithm {
            /// See [`CongestionControl::hears_acknowledgements`].
            #[inline]
            pub fn hears_acknowledgements(&self) -> bool {
                match self {
                    $(Self::$name(algorithm) => algorithm.hears_acknowledgements(),)*
                    Self::Outside(algorithm) => algorithm.hears_acknowledgements(),
                }
            }
            /// See [`CongestionControl::on_ack`].
            // Called at two places, and as a call a third of its own cost.
            #[inline(always)]
            #[allow(clippy::inline_always)]
            pub fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
                match self {
                    $(Self::$name(algorithm) => algorithm.on_ack(now, ack),)*
                    Self::Outside(algorithm) => algorithm.on_ack(now, ack),
                }
            }
            /// See [`CongestionControl::on_loss`].
            pub fn on_loss(&mut self, now: Time, loss: &Loss) {
                match self {
                    $(Self::$name(algorithm) => algorithm.on_loss(now, loss),)*
                    Self::Outside(algorithm) => algorithm.on_loss(now, loss),
                }
            }
            /// See [`CongestionControl::on_trimmed`].
            pub fn on_trimmed(&mut self, now: Time, trimmed: &Trimmed) {
                match self {
                    $(Self::$name(algorithm) => algorithm.on_trimmed(now, trimmed),)*
                    Self::Outside(algorithm) => algorithm.on_trimmed(now, trimmed),
                }
            }
            /// See [`CongestionControl::on_recovered`].
            pub fn on_recovered(&mut self, now: Time, in_flight: Bytes) {
                match self {
                    $(Self::$name(algorithm) => algorithm.on_recovered(now, in_flight),)*
                    Self::Outside(algorithm) => algorithm.on_recovered(now, in_flight),
                }
            }
            /// See [`CongestionControl::on_sent`].
            #[inline]
            pub fn on_sent(&mut self, now: Time, size: Bytes) -> bool {
                match self {
                    $(Self::$name(algorithm) => algorithm.on_sent(now, size),)*
                    Self::Outside(algorithm) => algorithm.on_sent(now, size),
                }
            }
            /// See [`CongestionControl::on_cnp`].
            pub fn on_cnp(&mut self, now: Time) {
                match self {
                    $(Self::$name(algorithm) => algorithm.on_cnp(now),)*
                    Self::Outside(algorithm) => algorithm.on_cnp(now),
                }
            }
            /// See [`CongestionControl::on_credit`].
            pub fn on_credit(&mut self, now: Time, total: Bytes) {
                match self {
                    $(Self::$name(algorithm) => algorithm.on_credit(now, total),)*
                    Self::Outside(algorithm) => algorithm.on_credit(now, total),
                }
            }
            /// See [`CongestionControl::asks_for`].
            pub fn asks_for(&self, backlog: Bytes) -> Bytes {
                match self {
                    $(Self::$name(algorithm) => algorithm.asks_for(backlog),)*
                    Self::Outside(algorithm) => algorithm.asks_for(backlog),
                }
            }
            /// See [`CongestionControl::on_quiet`].
            pub fn on_quiet(&mut self, rested: bool) {
                match self {
                    $(Self::$name(algorithm) => algorithm.on_quiet(rested),)*
                    Self::Outside(algorithm) => algorithm.on_quiet(rested),
                }
            }
            /// See [`CongestionControl::next_timer`].
            pub fn next_timer(&self) -> Time {
                match self {
                    $(Self::$name(algorithm) => algorithm.next_timer(),)*
                    Self::Outside(algorithm) => algorithm.next_timer(),
                }
            }
            /// See [`CongestionControl::on_timer`].
            pub fn on_timer(&mut self, now: Time) {
                match self {
                    $(Self::$name(algorithm) => algorithm.on_timer(now),)*
                    Self::Outside(algorithm) => algorithm.on_timer(now),
                }
            }
            /// See [`CongestionControl::rate`].
            #[inline]
            pub fn rate(&self) -> Rate {
                match self {
                    $(Self::$name(algorithm) => algorithm.rate(),)*
                    Self::Outside(algorithm) => algorithm.rate(),
                }
            }
            /// See [`CongestionControl::on_idle`].
            pub fn on_idle(&mut self, restart_window: Bytes) {
                match self {
                    $(Self::$name(algorithm) => algorithm.on_idle(restart_window),)*
                    Self::Outside(algorithm) => algorithm.on_idle(restart_window),
                }
            }
            /// See [`CongestionControl::window`].
            #[inline]
            pub fn window(&self) -> Bytes {
                match self {
                    $(Self::$name(algorithm) => algorithm.window(),)*
                    Self::Outside(algorithm) => algorithm.window(),
                }
            }
            /// See [`CongestionControl::alpha`].
            pub fn alpha(&self) -> Option<f64> {
                match self {
                    $(Self::$name(algorithm) => algorithm.alpha(),)*
                    Self::Outside(algorithm) => algorithm.alpha(),
                }
            }
            /// See [`CongestionControl::threshold`].
            pub fn threshold(&self) -> Option<Bytes> {
                match self {
                    $(Self::$name(algorithm) => algorithm.threshold(),)*
                    Self::Outside(algorithm) => algorithm.threshold(),
                }
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

    /// Makes a flow with segments of 1000 bytes, past one switch. `line_rate` is in Gb/s and `base_rtt` in
    /// microseconds.
    pub(super) fn flow(line_rate: u64, base_rtt: u64) -> Flow {
        Flow {
            segment: Bytes::new(1000),
            line_rate: Rate::from_gbps(line_rate),
            path: Path { switches: 1, base_rtt: Span::from_microseconds(base_rtt) },
            ..Flow::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::flow;
    use super::*;

    /// Returns alpha and threshold of a new flow with a window of 10 segments, and those after a loss.
    fn before_and_after_a_loss(parameters: &Parameters) -> [(Option<f64>, Option<u64>); 2] {
        let in_flight = Bytes::new(10_000);
        let mut algorithm = parameters.start(&Flow { initial_window: in_flight, ..flow(10, 10) });
        let seen = |of: &Algorithm| (of.alpha(), of.threshold().map(Bytes::get));
        let before = seen(&algorithm);
        let loss = Loss { in_flight, kind: LossKind::Recovery, first_lost: 0, next_sequence: 10_000 };
        algorithm.on_loss(Time::ZERO, &loss);
        [before, seen(&algorithm)]
    }

    #[test]
    fn the_first_loss_sets_the_threshold() {
        let after = |parameters: Parameters| before_and_after_a_loss(&parameters);
        assert_eq!(after(Parameters::Reno(reno::Parameters {})), [(None, None), (None, Some(5_000))]);
        assert_eq!(after(Parameters::EcnStar(ecn_star::Parameters {})), [(None, None), (None, Some(5_000))]);
        assert_eq!(
            after(Parameters::Cubic(cubic::Parameters::default())),
            [(None, None), (None, Some(7_000))]
        );
        let dctcp = Parameters::Dctcp(dctcp::Parameters::default());
        assert_eq!(after(dctcp), [(Some(1.0), None), (Some(1.0), Some(5_000))]);
        let swift = Parameters::Swift(swift::Parameters::default());
        assert_eq!(after(swift), [(None, None); 2]);
    }

    #[test]
    fn every_flow_has_a_random_stream_of_its_own() {
        let identity = |source, number, seed| Identity { source, number, seed };
        let all = [identity(3, 5, 1), identity(2, 5, 1), identity(3, 4, 1), identity(3, 5, 2)];
        let drawn: std::collections::BTreeSet<u64> = all.map(Identity::entropy).into_iter().collect();
        assert_eq!(drawn.len(), all.len(), "{drawn:?}");
        assert_eq!(identity(3, 5, 1).entropy(), identity(3, 5, 1).entropy());
    }
}
