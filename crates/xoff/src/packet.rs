//! The packet: a small header that is copied from ring to ring.

use crate::kernel::units::{Bytes, Time};
use crate::routing::{FiveTuple, SharedTuples};
use crate::topology::{NodeId, PortId};

/// The acknowledgement of a receiver that has everything, whatever the flow's size.
pub const EVERYTHING: u64 = SEQUENCE_MASK;

/// A flow has fewer bytes than so many bits can tell. Above them is the entropy of a packet, where flows are sprayed.
const SEQUENCE_BITS: u32 = 48;
const SEQUENCE_MASK: u64 = (1 << SEQUENCE_BITS) - 1;

/// The length of a packet whose payload a switch has cut off, and of the acknowledgement that answers it, whose sequence is the first
/// byte of what was cut off.
pub const TRIMMED: u32 = u32::MAX;
/// The length of a packet that gives credit: it goes the way of acknowledgements, and acknowledges nothing. Its sequence is all credit that
/// its flow was given.
pub const CREDIT: u32 = u32::MAX - 1;

/// What one data packet or acknowledgement carries, field by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Data: first byte of the payload. Acknowledgement: first byte not yet received.
    pub sequence: u64,
    /// When the sender sent it, in picoseconds, or [`deferred_stamp`]; an acknowledgement gives it back. Of data that is sent on credit:
    /// [`asking_stamp`].
    pub stamp: u64,
    /// Host that sends this packet.
    pub source: NodeId,
    /// Host that it is for.
    pub destination: NodeId,
    /// Number of the flow at the host that sends its data.
    pub flow: u32,
    /// Data: number of the flow at the host that receives its data.
    /// Acknowledgement: start of a received block, counted from `sequence`.
    pub reception: u32,
    /// Data: payload bytes. Acknowledgement: length of a received block, 0 for none, or [`CREDIT`]. Of both, or [`TRIMMED`].
    pub length: u32,
    /// Bytes that buffers count.
    pub frame: u16,
    /// Index of the transport in the scenario's tables.
    pub transport: u8,
    /// The bits below, and the priority in the lowest three.
    pub flags: u8,
}

/// A header as it travels: packed into words, because a struct of many fields is copied field by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Below the entropy.
    sequence: u64,
    /// Below the port by which the packet came into the switch that holds it.
    stamp: u64,
    /// Source below destination.
    addresses: u64,
    /// Flow below reception.
    numbers: u64,
    /// From the lowest bits: flags, transport, frame, length.
    rest: u64,
}

/// A run is shorter than half of what so many bits of picoseconds can tell.
const STAMP_BITS: u32 = 51;
const STAMP_MASK: u64 = (1 << STAMP_BITS) - 1;
/// Set where the rest of the stamp is no time but the number of the packet's telemetry record.
const DEFERRED: u64 = 1 << (STAMP_BITS - 1);
/// The number where there is no record.
const NO_RECORD: u32 = 0;
/// Above the number of the record: how many switches have written there. Beside the number, so that a switch writes without
/// reading the record first.
const HOP: u64 = 1 << u32::BITS;
const HOPS: u64 = 0b111;
/// The most switches that it can tell of.
pub const MOST_HOPS_COUNTED: usize = HOPS as usize;
/// Above that, which way it has come: HPCC's pathID has as many bits.
const PATH: u64 = HOP << 3;
const PATH_BITS: u32 = 12;
const _: () = assert!(PATH << PATH_BITS <= DEFERRED);
/// The most ports of a switch that has lossless classes.
pub const MOST_INGRESS_PORTS: usize = 1 << (u64::BITS - STAMP_BITS);

/// The bits of its flags that are a packet's class.
pub const PRIORITY_MASK: u8 = 0b0000_0111;
/// An acknowledgement, not data.
pub const ACKNOWLEDGEMENT: u8 = 0b0000_1000;
/// The last data packet of its flow.
pub const LAST: u8 = 0b0001_0000;
/// Of an acknowledgement: something is missing that should have come (NACK). The bit is that of the last data packet.
pub const NEGATIVE: u8 = LAST;
/// ECN-capable (ECT).
pub const ECN_CAPABLE: u8 = 0b0010_0000;
/// Congestion Experienced (CE).
pub const MARKED: u8 = 0b0100_0000;
/// Of an acknowledgement: the receiver's echo of a mark (ECE); where marks are answered by CNPs, that it is one, which acknowledges
/// nothing.
pub const ECHO: u8 = 0b1000_0000;
/// Of data: the sender has reduced its window (CWR). The bit is that of the echo, since a packet has a use for one only.
pub const WINDOW_REDUCED: u8 = ECHO;

/// The stamp of a packet that has its time only when its first bit leaves the adapter: in its telemetry record, if it has one.
pub fn deferred_stamp(record: Option<u32>) -> u64 {
    DEFERRED | u64::from(record.unwrap_or(NO_RECORD))
}

/// So many bits of the stamp of data that is sent on credit say up to which credit its sender asks for more; above them is the class
/// of the data, which the header of a trimmed packet no longer has.
const ASKED_BITS: u32 = 47;
const _: () = assert!((PRIORITY_MASK as u64) << ASKED_BITS < DEFERRED);

/// The stamp of data in this class that is sent on credit, and asks for so much.
pub fn asking_stamp(asked: Bytes, priority: u8) -> u64 {
    debug_assert!(asked.get() < 1 << ASKED_BITS, "it fits");
    u64::from(priority) << ASKED_BITS | asked.get()
}

impl From<Header> for Packet {
    #[inline]
    fn from(header: Header) -> Self {
        debug_assert!(header.sequence <= SEQUENCE_MASK, "it fits");
        Self {
            sequence: header.sequence,
            stamp: header.stamp,
            addresses: u64::from(header.source) | u64::from(header.destination) << 32,
            numbers: u64::from(header.flow) | u64::from(header.reception) << 32,
            rest: u64::from(header.flags)
                | u64::from(header.transport) << 8
                | u64::from(header.frame) << 16
                | u64::from(header.length) << 32,
        }
    }
}

impl Packet {
    /// Bytes of its flow before its own; of a packet without data more than any flow has.
    pub const fn offset(&self) -> u64 {
        if self.has_payload() { self.sequence() } else { u64::MAX }
    }

    /// See [`Header::sequence`].
    #[inline]
    pub const fn sequence(&self) -> u64 {
        self.sequence & SEQUENCE_MASK
    }
    /// What is hashed for the source port of its flow, if that is sprayed; acknowledgements have that of the packet which they answer.
    #[inline]
    pub const fn entropy(&self) -> u16 {
        (self.sequence >> SEQUENCE_BITS) as u16
    }
    /// The same packet, which has none yet, with an entropy.
    #[inline]
    #[must_use]
    pub const fn with_entropy(self, entropy: u16) -> Self {
        Self { sequence: self.sequence | (entropy as u64) << SEQUENCE_BITS, ..self }
    }
    /// See [`Header::stamp`].
    #[inline]
    pub const fn stamp(&self) -> u64 {
        self.stamp & STAMP_MASK
    }
    /// The same packet with another stamp.
    #[inline]
    #[must_use]
    pub const fn with_stamp(self, stamp: u64) -> Self {
        Self { stamp: self.stamp & !STAMP_MASK | stamp, ..self }
    }
    /// Whether its stamp is no time: see [`deferred_stamp`].
    #[inline]
    pub const fn has_deferred_stamp(&self) -> bool {
        self.stamp & DEFERRED != 0
    }
    /// Whether no transport has sent it, but an adapter or a switch, and the adapter is who it is for: a pause frame or a CNM.
    #[inline]
    pub const fn is_of_adapter(&self) -> bool {
        self.transport() == NO_TRANSPORT
    }
    /// The number of its telemetry record.
    #[inline]
    pub const fn record(&self) -> Option<u32> {
        let number = self.stamp as u32;
        if self.has_deferred_stamp() && number != NO_RECORD { Some(number) } else { None }
    }
    /// How many switches have written in its telemetry record.
    #[inline]
    pub const fn hops(&self) -> usize {
        ((self.stamp / HOP) & HOPS) as usize
    }
    /// The same packet after one more switch has written in its telemetry record, as it left by `port`.
    #[inline]
    #[must_use]
    pub const fn after_hop(self, port: PortId) -> Self {
        let mixed = port.wrapping_mul(0x9e37_79b9) >> (u32::BITS - PATH_BITS);
        Self { stamp: (self.stamp + HOP) ^ (mixed as u64 * PATH), ..self }
    }
    /// What the ports by which it has left the switches of its way come to [pathID].
    #[inline]
    pub const fn path(&self) -> u16 {
        (self.stamp / PATH) as u16 & ((1 << PATH_BITS) - 1)
    }
    /// See [`Header::source`].
    #[inline]
    pub const fn source(&self) -> NodeId {
        self.addresses as NodeId
    }
    /// See [`Header::destination`].
    #[inline]
    pub const fn destination(&self) -> NodeId {
        (self.addresses >> 32) as NodeId
    }
    /// Source and destination of its flow; an acknowledgement goes from the one of these to the other the way back.
    #[inline]
    pub const fn flow_ends(&self) -> (NodeId, NodeId) {
        let (source, destination) = (self.source(), self.destination());
        if self.is(ACKNOWLEDGEMENT) { (destination, source) } else { (source, destination) }
    }
    /// The port by which it came into the switch that holds it.
    #[inline]
    pub const fn ingress(&self) -> u16 {
        (self.stamp >> STAMP_BITS) as u16
    }
    /// Notes the port by which it came in.
    #[inline]
    pub fn set_ingress(&mut self, port: u16) {
        self.stamp = self.stamp & STAMP_MASK | u64::from(port) << STAMP_BITS;
    }
    /// See [`Header::flow`].
    #[inline]
    pub const fn flow(&self) -> u32 {
        self.numbers as u32
    }
    /// See [`Header::reception`].
    #[inline]
    pub const fn reception(&self) -> u32 {
        (self.numbers >> 32) as u32
    }
    /// See [`Header::length`].
    #[inline]
    pub const fn length(&self) -> u64 {
        self.rest >> 32
    }
    /// See [`Header::frame`].
    #[inline]
    pub const fn frame(&self) -> Bytes {
        Bytes::new((self.rest >> 16) & 0xffff)
    }
    /// What to keep of it once it goes on.
    #[inline]
    pub const fn stub(&self) -> Stub {
        Stub(self.rest as u32)
    }
    /// See [`Header::transport`].
    #[inline]
    pub const fn transport(&self) -> u8 {
        (self.rest >> 8) as u8
    }
    /// What it says if it is a frame between the two ends of one link.
    #[inline]
    pub const fn control(&self) -> Option<Control> {
        if self.rest & CNM != CONTROL_FRAME {
            return None;
        }
        Some(Control { frame: self.frame(), words: [self.sequence, self.stamp, self.addresses] })
    }
    /// A congestion notification message (802.1Qau) from where `culprit` is to the host that sends it, of this class: it
    /// travels as if the culprit's destination had sent it.
    pub fn cnm(culprit: &Self, feedback: u8, priority: u8) -> Self {
        Header {
            source: culprit.destination(),
            destination: culprit.source(),
            flow: culprit.flow(),
            length: feedback.into(),
            frame: CNM_FRAME.get() as u16,
            transport: NO_TRANSPORT,
            flags: ACKNOWLEDGEMENT | ECHO | priority,
            ..Header::default()
        }
        .into()
    }
    /// Whether it is a congestion notification message, whose length is its quantised feedback, 1 to 63.
    #[inline]
    pub const fn is_cnm(&self) -> bool {
        self.rest & CNM == CNM
    }
    /// Whether this flag bit is set.
    #[inline]
    pub const fn is(&self, flag: u8) -> bool {
        self.rest & flag as u64 != 0
    }
    /// Sets the mark.
    #[inline]
    pub const fn mark(&mut self) {
        self.rest |= MARKED as u64;
    }
    /// What is left of it where its payload is cut off: a frame of this size in this class.
    #[must_use]
    pub fn trimmed(self, frame: Bytes, priority: u8) -> Self {
        let kept = self.rest & (0xffff & !u64::from(PRIORITY_MASK));
        let rest = kept | u64::from(priority) | frame.get() << 16 | u64::from(TRIMMED) << 32;
        Self { rest, ..self }
    }
    /// Whether its payload was cut off; of an acknowledgement, whether it answers such a packet.
    #[inline]
    pub const fn is_trimmed(&self) -> bool {
        self.length() == TRIMMED as u64
    }
    /// Of data that is sent on credit: up to which credit its sender asks for more.
    pub const fn asked(&self) -> Bytes {
        Bytes::new(self.stamp() & ((1 << ASKED_BITS) - 1))
    }
    /// Of the same: the class in which it was sent.
    pub const fn asking_priority(&self) -> u8 {
        (self.stamp() >> ASKED_BITS) as u8
    }
    /// Whether it gives its flow credit.
    #[inline]
    pub const fn is_credit(&self) -> bool {
        self.length() == CREDIT as u64
    }
    /// Whether it is data, with its payload.
    #[inline]
    pub const fn has_payload(&self) -> bool {
        !self.is(ACKNOWLEDGEMENT) && !self.is_trimmed()
    }
    /// Whether it is a header of data that has lost its payload.
    #[inline]
    pub const fn is_header(&self) -> bool {
        !self.is(ACKNOWLEDGEMENT) && self.is_trimmed()
    }
    /// Takes in the payload of the packet that follows it.
    #[inline]
    pub fn join(&mut self, next: &Self) {
        debug_assert_eq!(self.sequence + self.length(), next.sequence, "what follows");
        self.rest += next.length() << 32;
        self.rest |= next.rest & u64::from(LAST);
    }
    /// Traffic class, 0 to 7.
    #[inline]
    pub const fn priority(&self) -> usize {
        (self.rest & PRIORITY_MASK as u64) as usize
    }
    /// What switches hash to choose among next hops, where nothing is sprayed.
    #[inline]
    pub fn five_tuple(&self, shared: &SharedTuples) -> FiveTuple {
        self.five_tuple_with(shared.number(self.transport(), self.flow()))
    }
    /// The same where its flow may be sprayed, so that its entropy is hashed.
    pub fn sprayed_five_tuple(&self, shared: &SharedTuples) -> FiveTuple {
        if shared.is_sprayed(self.transport()) {
            return self.five_tuple_with(self.entropy().into());
        }
        self.five_tuple(shared)
    }
    #[inline]
    fn five_tuple_with(&self, number: u32) -> FiveTuple {
        FiveTuple::of_packet(self.source(), self.destination(), number, self.is(ACKNOWLEDGEMENT))
    }
}

/// What is still known of a packet that has gone on: the lower half of its last word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stub(u32);

impl Stub {
    /// See [`Header::frame`].
    #[inline]
    pub const fn frame(self) -> Bytes {
        Bytes::new((self.0 >> 16) as u64)
    }
    /// See [`Header::transport`].
    #[inline]
    pub const fn transport(self) -> u8 {
        (self.0 >> 8) as u8
    }
    /// See [`Packet::priority`].
    #[inline]
    pub const fn priority(self) -> usize {
        self.0 as usize & PRIORITY_MASK as usize
    }
    /// Whether this flag bit was set.
    #[inline]
    pub const fn is(self, flag: u8) -> bool {
        self.0 & flag as u32 != 0
    }
}

/// A frame between the two ends of one link, which no transport sends or sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Bytes on the wire without preamble and gap.
    pub frame: Bytes,
    /// What it says.
    pub words: [u64; 3],
}

/// The transport of what no transport sends: frames between the two ends of one link, and congestion notification messages.
pub const NO_TRANSPORT: u8 = u8::MAX;
/// Frame of a congestion notification message.
pub const CNM_FRAME: Bytes = Bytes::new(64);
const CONTROL_FRAME: u64 = (NO_TRANSPORT as u64) << 8;
/// Set in congestion notification messages only; frames between the two ends of one link have no echo.
const CNM: u64 = CONTROL_FRAME | ECHO as u64;

impl From<Control> for Packet {
    fn from(control: Control) -> Self {
        let [sequence, stamp, addresses] = control.words;
        let rest = u64::from(NO_TRANSPORT) << 8 | control.frame.get() << 16;
        Self { sequence, stamp, addresses, numbers: 0, rest }
    }
}

/// A packet and when it gets where it is going.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flight {
    /// When its last bit arrives.
    pub arrives: Time,
    /// The packet.
    pub packet: Packet,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_forty_bytes() {
        assert_eq!(size_of::<Packet>(), 40);
        assert_eq!(size_of::<Flight>(), 48);
    }

    #[test]
    fn a_packet_keeps_its_header() {
        let header = Header {
            sequence: 1 << 40,
            stamp: 1 << 49,
            source: 3,
            destination: 4,
            flow: u32::MAX,
            reception: 6,
            length: u32::MAX - 1,
            frame: u16::MAX,
            transport: 9,
            flags: 7 | ECHO,
        };
        let mut packet = Packet::from(header);
        let numbers = (packet.sequence(), packet.stamp(), packet.flow(), packet.reception(), packet.length());
        assert_eq!(numbers, (1 << 40, 1 << 49, u32::MAX, 6, u64::from(u32::MAX - 1)));
        assert_eq!((packet.source(), packet.destination(), packet.transport()), (3, 4, 9));
        assert_eq!((packet.frame(), packet.priority()), (Bytes::new(65_535), 7));
        assert!(packet.is(ECHO) && !packet.is(MARKED));
        packet.mark();
        assert!(packet.is(MARKED) && packet.is(ECHO));
        packet.set_ingress(8191);
        packet.set_ingress(5);
        assert_eq!((packet.stamp(), packet.ingress()), (1 << 49, 5));
        assert!(!packet.has_deferred_stamp());
    }

    #[test]
    fn an_entropy_is_beside_the_sequence() {
        let header = Header { sequence: EVERYTHING, stamp: 77, ..Header::default() };
        let packet = Packet::from(header).with_entropy(u16::MAX - 1);
        assert_eq!((packet.sequence(), packet.entropy(), packet.stamp()), (EVERYTHING, u16::MAX - 1, 77));
        let packet = Packet::from(Header { sequence: 5, ..header });
        assert_eq!((packet.entropy(), packet.with_entropy(9).sequence()), (0, 5));
    }

    #[test]
    fn of_a_trimmed_packet_the_header_is_left_in_another_class() {
        let header = Header {
            sequence: 3000,
            stamp: 77,
            source: 3,
            destination: 4,
            flow: 5,
            reception: 6,
            length: 1000,
            frame: 1062,
            transport: 9,
            flags: 2 | LAST | ECN_CAPABLE,
        };
        let left = Header { length: TRIMMED, frame: 64, flags: 6 | LAST | ECN_CAPABLE, ..header };
        let packet = Packet::from(header);
        let trimmed = packet.trimmed(Bytes::new(64), 6);
        assert_eq!(trimmed, Packet::from(left));
        assert_eq!((packet.is_trimmed(), trimmed.is_trimmed()), (false, true));
        assert_eq!(
            [packet, trimmed].map(|packet| (packet.has_payload(), packet.is_header())),
            [(true, false), (false, true)]
        );
    }

    #[test]
    fn a_congestion_notification_message_goes_to_the_culprits_source_and_is_no_control_frame() {
        let culprit =
            Packet::from(Header { source: 3, destination: 4, flow: 9, flags: 5, ..Header::default() });
        let mut cnm = Packet::cnm(&culprit, 63, 6);
        cnm.set_ingress(8191);
        assert_eq!((cnm.source(), cnm.destination(), cnm.flow(), cnm.length()), (4, 3, 9, 63));
        assert_eq!((cnm.frame(), cnm.priority(), cnm.is(ACKNOWLEDGEMENT)), (Bytes::new(64), 6, true));
        assert!(cnm.is_cnm() && cnm.control().is_none() && cnm.record().is_none());
        let control = Packet::from(Control { frame: Bytes::new(64), words: [1, 2, 3] });
        assert!(!control.is_cnm() && control.control().is_some());
        let echo =
            Packet::from(Header { transport: 254, flags: ACKNOWLEDGEMENT | ECHO, ..Header::default() });
        assert!(!echo.is_cnm() && echo.control().is_none() && !culprit.is_cnm());
    }

    #[test]
    fn a_stamp_is_a_time_or_a_record_or_neither_yet() {
        let of = |stamp| Packet::from(Header { stamp, ..Header::default() });
        let mut packet = of(deferred_stamp(Some(u32::MAX)));
        packet.set_ingress(8191);
        let packet = (0..5).fold(packet, Packet::after_hop);
        assert_eq!((packet.has_deferred_stamp(), packet.record(), packet.hops()), (true, Some(u32::MAX), 5));
        assert_eq!(of(packet.stamp()).hops(), 5, "an acknowledgement takes it over");
        let mut packet = of(deferred_stamp(None));
        packet.set_ingress(3);
        assert_eq!((packet.has_deferred_stamp(), packet.record()), (true, None));
        let packet = packet.with_stamp(77);
        assert_eq!((packet.has_deferred_stamp(), packet.stamp(), packet.ingress()), (false, 77, 3));
    }
}
