//! Transcript of a connection: every packet with the time at which its first bit left, and values that its ends keep.

use std::fmt;

use xoff::units::{Span, Time};

/// End of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The host that sends data.
    Sender,
    /// The host that receives data.
    Receiver,
}

/// Packet as a script names it. Packets of data count from 1; numbers of bytes are turned into those of packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// Opening of a connection, or the answer to it.
    Syn,
    /// Data, with whether it was sent before and whether it tells of a reduced window (CWR).
    Data { number: u64, again: bool, reduced: bool },
    /// Acknowledgement of all packets up to one.
    Ack { number: u64, block: Option<(u64, u64)>, repeats: bool, echo: bool },
    /// Complaint that a packet is missing (NACK).
    Nack { number: u64, block: Option<(u64, u64)> },
    /// Congestion notification packet.
    Cnp,
}

/// Number in an acknowledgement of everything, which answers a packet that comes late.
pub(crate) const ALL: u64 = u64::MAX;

/// Packet that an end sends, of which flow, counted from 1, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub time: Time,
    pub end: End,
    pub flow: u32,
    pub sent: Sent,
}

/// Change of a class between the switch and the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// The switch tells the sender to pause.
    Xoff,
    /// The sender pauses.
    Stops,
    /// The sender goes on.
    GoesOn,
}

/// Everything that a script may ask about.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    /// Packets in order of time.
    pub lines: Vec<Line>,
    /// Pauses of classes, in order of time.
    pub pauses: Vec<(Time, Pause, u8)>,
    /// Values over time by their name, each from its time on.
    pub values: Vec<(Time, &'static str, f64)>,
    /// Sums over the run by their name.
    pub totals: Vec<(&'static str, u64)>,
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = |said: bool, word: &'static str| if said { word } else { "" };
        let range = |block: &Option<(u64, u64)>| {
            block.map_or(String::new(), |(first, last)| format!(" sack {first}-{last}"))
        };
        match self {
            Self::Syn => write!(f, "syn"),
            Self::Data { number, again, reduced } => {
                write!(f, "{number}{}{}", said(*again, " again"), said(*reduced, " cwr"))
            }
            Self::Ack { number, block, repeats, echo } => {
                let (repeats, echo) = (said(*repeats, " dsack"), said(*echo, " ece"));
                let number = if *number == ALL { "all".to_owned() } else { number.to_string() };
                write!(f, "ack {number}{}{repeats}{echo}", range(block))
            }
            Self::Nack { number, block } => write!(f, "nack {number}{}", range(block)),
            Self::Cnp => write!(f, "cnp"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = match self.end {
            End::Sender => "sender",
            End::Receiver => "receiver",
        };
        let flow = if self.flow == 1 { String::new() } else { format!("flow {} ", self.flow) };
        write!(f, "{:>12}  {end:<8}  {flow}{}", at(self.time), self.sent)
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        for (time, pause, class) in &self.pauses {
            writeln!(f, "{:>12}  {pause:?} class {class}", at(*time))?;
        }
        let mut last: Vec<(&str, f64)> = Vec::new();
        for &(time, name, value) in &self.values {
            if !last.iter().any(|&(other, before)| other == name && before.to_bits() == value.to_bits()) {
                writeln!(f, "{:>12}  {name} {value}", at(time))?;
            }
            last.retain(|&(other, _)| other != name);
            last.push((name, value));
        }
        self.totals.iter().try_for_each(|(name, value)| writeln!(f, "{:>12}  {name} {value}", "total"))
    }
}

/// Time as scripts write it.
pub(crate) fn at(time: Time) -> String {
    format!("{:.3} us", time.since(Time::ZERO).get() as f64 / Span::from_microseconds(1).get() as f64)
}
