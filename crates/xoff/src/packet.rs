//! The packet: five words that are copied from ring to ring, and no payload.
//! [`Header`] names the fields, [`Packet`] packs them, and [`Stub`] is the half word that a port keeps of a packet on the wire.

use crate::kernel::units::{Bytes, Time};
use crate::routing::{FiveTuple, SharedTuples};
use crate::topology::{NodeId, PortId};

/// Sequence of an acknowledgement whose receiver has every byte of the flow, whatever its size.
pub const EVERYTHING: u64 = SEQUENCE_MASK;

/// Bits of a sequence: a flow has fewer than 2^48 bytes. The 16 bits above are the entropy of a packet, where flows are
/// sprayed.
const SEQUENCE_BITS: u32 = 48;
const SEQUENCE_MASK: u64 = (1 << SEQUENCE_BITS) - 1;

/// Length of a packet whose payload a switch has cut off, and of the acknowledgement that answers it.
/// The sequence of that acknowledgement is the first byte that was cut off.
pub const TRIMMED: u32 = u32::MAX;
/// Length of a packet that gives credit: it goes the way of acknowledgements, and acknowledges nothing.
/// Its sequence is the sum of all credit that the flow was given.
pub const CREDIT: u32 = u32::MAX - 1;

/// Returns start and length of a received block as an acknowledgement up to `next` tells of them. Of a block that is too far
/// away or too long, the acknowledgement tells of the part that its fields can express.
pub fn told_block(next: u64, (start, end): (u64, u64)) -> (u32, u32) {
    let length = (end - start).min(u64::from(CREDIT - 1)) as u32;
    u32::try_from(start - next).map_or((0, 0), |start| (start, length))
}

/// Fields of one data packet or acknowledgement, each by itself. [`Packet`] is the packed form that travels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Data: first byte of the payload. Acknowledgement: first byte not yet received.
    pub sequence: u64,
    /// Time when the sender sent the packet, in picoseconds, or [`deferred_stamp`]; an acknowledgement returns the
    /// stamp. Data that is sent on credit has [`asking_stamp`] here.
    pub stamp: u64,
    /// Host that sends this packet.
    pub source: NodeId,
    /// Host that receives this packet.
    pub destination: NodeId,
    /// Number of the flow at the host that sends its data.
    pub flow: u32,
    /// Data: number of the flow at the host that receives its data.
    /// Acknowledgement: start of a received block, counted from `sequence`.
    pub reception: u32,
    /// Data: payload bytes. Acknowledgement: length of a received block, 0 for none, or [`CREDIT`]. Either:
    /// [`TRIMMED`].
    pub length: u32,
    /// Bytes that buffers count.
    pub frame: u16,
    /// Index of the transport in the scenario's tables.
    pub transport: u8,
    /// Flag bits, such as [`MARKED`], and the priority in the lowest three.
    pub flags: u8,
}

/// Packet of 40 bytes, a header packed into five words. A struct of many fields would be copied field by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Entropy, 16 bits, above the sequence, 48 bits.
    sequence: u64,
    /// Ingress port at the switch that holds the packet, 13 bits, above the stamp, 51 bits.
    stamp: u64,
    /// Destination above source, 32 bits each.
    addresses: u64,
    /// Reception above flow, 32 bits each.
    numbers: u64,
    /// From the lowest bits: flags, transport, frame, length.
    rest: u64,
}

/// Bits of a stamp. A run lasts less than 2^50 ps.
const STAMP_BITS: u32 = 51;
const STAMP_MASK: u64 = (1 << STAMP_BITS) - 1;
/// Bit that is set where the rest of the stamp is the number of the packet's telemetry record and no time.
const DEFERRED: u64 = 1 << (STAMP_BITS - 1);
/// Record number that stands for no telemetry record.
const NO_RECORD: u32 = 0;
/// Lowest bit of the number of switches that have written in the record, above the record's number.
/// It travels in the packet, so that a switch writes without reading the record first.
const HOP: u64 = 1 << u32::BITS;
const HOPS: u64 = 0b111;
/// Most switches whose writing a packet can count.
pub const MOST_HOPS_COUNTED: usize = HOPS as usize;
/// Lowest bit of the path, above the number of switches. HPCC's pathID has 12 bits, too.
const PATH: u64 = HOP << 3;
const PATH_BITS: u32 = 12;
const _: () = assert!(PATH << PATH_BITS <= DEFERRED);
/// Most ports of a switch that has lossless classes.
pub const MOST_INGRESS_PORTS: usize = 1 << (u64::BITS - STAMP_BITS);

/// Flag bits that hold a packet's class.
pub const PRIORITY_MASK: u8 = 0b0000_0111;
/// Flag of an acknowledgement, as opposed to data.
pub const ACKNOWLEDGEMENT: u8 = 0b0000_1000;
/// Flag of the last data packet of a flow.
pub const LAST: u8 = 0b0001_0000;
/// Flag of an acknowledgement by a receiver that misses something (NACK); the same bit as [`LAST`].
pub const NEGATIVE: u8 = LAST;
/// Flag of TCP's acknowledgement of data that its receiver had already (D-SACK, RFC 2883); the same bit as [`LAST`].
pub const REPEATED: u8 = LAST;
/// Flag of an ECN-capable packet (ECT).
pub const ECN_CAPABLE: u8 = 0b0010_0000;
/// Flag of a packet that a marker has marked: Congestion Experienced (CE).
pub const MARKED: u8 = 0b0100_0000;
/// Flag of an acknowledgement that echoes a mark (ECE).
/// Where CNPs answer marks, the flag makes the packet a CNP, which acknowledges nothing.
pub const ECHO: u8 = 0b1000_0000;
/// Flag of data whose sender has reduced its window (CWR); the same bit as [`ECHO`], which data has no use for.
pub const WINDOW_REDUCED: u8 = ECHO;

/// Returns the stamp of a packet that gets its time when its first bit leaves the adapter. The time is in `record`, if
/// it has one.
pub fn deferred_stamp(record: Option<u32>) -> u64 {
    DEFERRED | u64::from(record.unwrap_or(NO_RECORD))
}

/// Bits of the stamp that say up to which credit the sender of data on credit asks for more.
/// The data's class is above them, because the header of a trimmed packet no longer has it.
const ASKED_BITS: u32 = 47;
const _: () = assert!((PRIORITY_MASK as u64) << ASKED_BITS < DEFERRED);

/// Returns the stamp of data in class `priority` that is sent on credit, and asks for credit up to `asked`.
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
    /// Returns the number of the flow's bytes before this packet's payload; a packet without payload has `u64::MAX`.
    pub const fn offset(&self) -> u64 {
        if self.has_payload() { self.sequence() } else { u64::MAX }
    }

    /// See [`Header::sequence`].
    #[inline]
    pub const fn sequence(&self) -> u64 {
        self.sequence & SEQUENCE_MASK
    }
    /// Returns the value that switches hash instead of the source port of a sprayed flow. Acknowledgements return that
    /// of their data.
    #[inline]
    pub const fn entropy(&self) -> u16 {
        (self.sequence >> SEQUENCE_BITS) as u16
    }
    /// Returns the packet with an entropy; the packet must have none yet.
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
    /// Returns the packet with another stamp.
    #[inline]
    #[must_use]
    pub const fn with_stamp(self, stamp: u64) -> Self {
        Self { stamp: self.stamp & !STAMP_MASK | stamp, ..self }
    }
    /// Whether the stamp is no time: see [`deferred_stamp`].
    #[inline]
    pub const fn has_deferred_stamp(&self) -> bool {
        self.stamp & DEFERRED != 0
    }
    /// Whether an adapter or a switch has sent the packet to an adapter, as a pause frame or a CNM, rather than a
    /// transport.
    #[inline]
    pub const fn is_of_adapter(&self) -> bool {
        self.transport() == NO_TRANSPORT
    }
    /// Returns the number of the packet's telemetry record, if it has one.
    #[inline]
    pub const fn record(&self) -> Option<u32> {
        let number = self.stamp as u32;
        if self.has_deferred_stamp() && number != NO_RECORD { Some(number) } else { None }
    }
    /// Returns the number of switches that have written in the packet's telemetry record.
    #[inline]
    pub const fn hops(&self) -> usize {
        ((self.stamp / HOP) & HOPS) as usize
    }
    /// Returns the packet after one more switch has written in its telemetry record, as it left by `port`.
    #[inline]
    #[must_use]
    pub const fn after_hop(self, port: PortId) -> Self {
        let mixed = port.wrapping_mul(0x9e37_79b9) >> (u32::BITS - PATH_BITS);
        Self { stamp: (self.stamp + HOP) ^ (mixed as u64 * PATH), ..self }
    }
    /// Returns a hash of the ports by which the packet has left the switches of its path [pathID].
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
    /// Returns source and destination of the flow. Acknowledgements travel from the destination to the source.
    #[inline]
    pub const fn flow_ends(&self) -> (NodeId, NodeId) {
        let (source, destination) = (self.source(), self.destination());
        if self.is(ACKNOWLEDGEMENT) { (destination, source) } else { (source, destination) }
    }
    /// Returns the port by which the packet came into the switch that holds it.
    #[inline]
    pub const fn ingress(&self) -> u32 {
        (self.stamp >> STAMP_BITS) as u32
    }
    /// Notes the port by which the packet came into the switch.
    #[inline]
    pub fn set_ingress(&mut self, port: u32) {
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
    /// Returns the part to keep of a packet that goes on.
    #[inline]
    pub const fn stub(&self) -> Stub {
        Stub(self.rest as u32)
    }
    /// See [`Header::transport`].
    #[inline]
    pub const fn transport(&self) -> u8 {
        (self.rest >> 8) as u8
    }
    /// Returns the content of a frame between the two ends of one link; nothing for any other packet.
    #[inline]
    pub const fn control(&self) -> Option<Control> {
        if self.rest & CNM != CONTROL_FRAME {
            return None;
        }
        Some(Control { frame: self.frame(), words: [self.sequence, self.stamp, self.addresses] })
    }
    /// Returns a congestion notification message (802.1Qau) for the host that sends `culprit`, in class `priority`.
    /// It travels as if the culprit's destination had sent it.
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
    /// Whether the packet is a congestion notification message. Its length is the quantised feedback, 1 to 63.
    #[inline]
    pub const fn is_cnm(&self) -> bool {
        self.rest & CNM == CNM
    }
    /// Whether a flag bit is set.
    #[inline]
    pub const fn is(&self, flag: u8) -> bool {
        self.rest & flag as u64 != 0
    }
    /// Sets Congestion Experienced.
    #[inline]
    pub const fn mark(&mut self) {
        self.rest |= MARKED as u64;
    }
    /// Returns the packet without its payload: a header of `frame` bytes in class `priority`.
    #[must_use]
    pub fn trimmed(self, frame: Bytes, priority: u8) -> Self {
        let kept = self.rest & (0xffff & !u64::from(PRIORITY_MASK));
        let rest = kept | u64::from(priority) | frame.get() << 16 | u64::from(TRIMMED) << 32;
        Self { rest, ..self }
    }
    /// Whether a switch has cut off the payload. An acknowledgement is trimmed if it answers such a packet.
    #[inline]
    pub const fn is_trimmed(&self) -> bool {
        self.length() == TRIMMED as u64
    }
    /// Returns the credit up to which the sender asks for more; only of data that is sent on credit.
    pub const fn asked(&self) -> Bytes {
        Bytes::new(self.stamp() & ((1 << ASKED_BITS) - 1))
    }
    /// Returns the class in which the packet was sent; only of data that is sent on credit.
    pub const fn asking_priority(&self) -> u8 {
        (self.stamp() >> ASKED_BITS) as u8
    }
    /// Whether the packet gives its flow credit.
    #[inline]
    pub const fn is_credit(&self) -> bool {
        self.length() == CREDIT as u64
    }
    /// Whether the packet is data, with its payload.
    #[inline]
    pub const fn has_payload(&self) -> bool {
        !self.is(ACKNOWLEDGEMENT) && !self.is_trimmed()
    }
    /// Whether the packet is the header of data that has lost its payload.
    #[inline]
    pub const fn is_header(&self) -> bool {
        !self.is(ACKNOWLEDGEMENT) && self.is_trimmed()
    }
    /// Appends the payload of the packet that follows in the flow.
    #[inline]
    pub fn join(&mut self, next: &Self) {
        debug_assert_eq!(self.sequence + self.length(), next.sequence, "what follows");
        self.rest += next.length() << 32;
        self.rest |= next.rest & u64::from(LAST);
    }
    /// Returns the traffic class, 0 to 7.
    #[inline]
    pub const fn priority(&self) -> usize {
        (self.rest & PRIORITY_MASK as u64) as usize
    }
    /// Returns the five-tuple that switches hash to choose among next hops, where no flow is sprayed.
    #[inline]
    pub fn five_tuple(&self, shared: &SharedTuples) -> FiveTuple {
        self.five_tuple_with(shared.number(self.transport(), self.flow()))
    }
    /// Returns the five-tuple that switches hash where flows may be sprayed: with the packet's entropy if this flow is.
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

/// Size, transport, class and flags of a packet that has gone on: the lower half of its last word.
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
    /// Whether a flag bit was set.
    #[inline]
    pub const fn is(self, flag: u8) -> bool {
        self.0 & flag as u32 != 0
    }
}

/// Frame between the two ends of one link, which no transport sends or sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Bytes on the wire without preamble and gap.
    pub frame: Bytes,
    /// Content of the frame, whose meaning the two ends agree on.
    pub words: [u64; 3],
}

/// Transport of frames that no transport sends: frames between the ends of one link, and congestion notification
/// messages.
pub const NO_TRANSPORT: u8 = u8::MAX;
/// Frame of a congestion notification message, 64 bytes.
pub const CNM_FRAME: Bytes = Bytes::new(64);
const CONTROL_FRAME: u64 = (NO_TRANSPORT as u64) << 8;
/// Bits of congestion notification messages. Frames between the two ends of one link have no echo.
const CNM: u64 = CONTROL_FRAME | ECHO as u64;

impl From<Control> for Packet {
    fn from(control: Control) -> Self {
        let [sequence, stamp, addresses] = control.words;
        let rest = u64::from(NO_TRANSPORT) << 8 | control.frame.get() << 16;
        Self { sequence, stamp, addresses, numbers: 0, rest }
    }
}

/// Packet on its way, with its time of arrival.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flight {
    /// Time when the last bit arrives.
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
    fn blocks_beyond_four_gigabytes_are_told_in_part() {
        let far = 1 << 32;
        assert_eq!(told_block(7, (10, 30)), (3, 20));
        assert_eq!(told_block(7, (10, 10 + far)), (3, CREDIT - 1));
        assert_eq!(told_block(7, (6 + far, 8 + far)), (u32::MAX, 2));
        assert_eq!(told_block(7, (7 + far, 9 + far)), (0, 0));
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
