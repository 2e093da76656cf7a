//! Pause frame, and its form among packets.

use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::Bytes;
use crate::packet::{Control, Packet};

/// Bytes of a frame without preamble and gap.
const FRAME: Bytes = Bytes::new(64);

/// Classes that are to pause or to resume (IEEE 802.3, annex 31D).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseFrame {
    /// Classes that the frame is about.
    pub enabled: Classes,
    /// Time for which each class must pause, in quanta of 512 bit times; 0 resumes.
    pub quanta: [u16; PRIORITIES],
}

impl PauseFrame {
    /// Sets the quanta for which classes must pause, in place of the quanta set before.
    pub fn say(&mut self, classes: Classes, quanta: u16) {
        self.enabled |= classes;
        for class in classes.iter() {
            self.quanta[class] = quanta;
        }
    }

    /// Whether the frame pauses any class, rather than only resuming some.
    pub fn pauses(&self) -> bool {
        self.classes().any(|(_, quanta)| quanta > 0)
    }

    /// Classes that the frame is about, with the quanta of each.
    pub fn classes(&self) -> impl Iterator<Item = (usize, u16)> {
        let Self { enabled, quanta } = *self;
        enabled.iter().map(move |class| (class, quanta[class]))
    }
}

impl From<PauseFrame> for Packet {
    fn from(frame: PauseFrame) -> Self {
        let words = |classes: &[u16]| {
            classes.iter().rev().fold(0, |word, &quanta| word << u16::BITS | u64::from(quanta))
        };
        let (low, high) = frame.quanta.split_at(PRIORITIES / 2);
        Control { frame: FRAME, words: [words(low), words(high), u64::from(frame.enabled.mask())] }.into()
    }
}

impl From<Control> for PauseFrame {
    fn from(control: Control) -> Self {
        let [low, high, enabled] = control.words;
        let quanta = std::array::from_fn(|class| {
            let word = if class < PRIORITIES / 2 { low } else { high };
            (word >> (class % (PRIORITIES / 2) * u16::BITS as usize)) as u16
        });
        Self { enabled: Classes::from_mask(enabled as u8), quanta }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_says_what_was_said_last() {
        let mut frame = PauseFrame::default();
        for (classes, quanta) in [(1 << 3, 65535), (1 << 7, 0), (1, 12), (0b1_1000, 0), (1 << 4, 1)] {
            frame.say(Classes::from_mask(classes), quanta);
        }
        assert_eq!(frame.classes().collect::<Vec<_>>(), [(0, 12), (3, 0), (4, 1), (7, 0)]);
    }

    /// The bytes of a frame of the sender 02:00:00:00:00:01, as annex 31D lays them out, with the check sequence behind them.
    fn bytes(frame: PauseFrame) -> Vec<u8> {
        let mut bytes = vec![0x01, 0x80, 0xc2, 0, 0, 0x01, 0x02, 0, 0, 0, 0, 0x01, 0x88, 0x08, 0x01, 0x01];
        bytes.extend(u16::from(frame.enabled.mask()).to_be_bytes());
        bytes.extend(frame.quanta.iter().flat_map(|quanta| quanta.to_be_bytes()));
        bytes.resize(FRAME.get() as usize - 4, 0);
        let shift = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        let take = |crc, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| shift(crc));
        let check = !bytes.iter().fold(u32::MAX, take);
        bytes.extend(check.to_le_bytes());
        bytes
    }

    /// IEEE 802.3, annex 31D, with the check sequence computed by hand; all classes at once as in DSH (section IV-F).
    #[test]
    fn frames_have_the_fields_of_the_standard() {
        let said = |classes: Classes, quanta| {
            let mut frame = PauseFrame::default();
            frame.say(classes, quanta);
            bytes(frame)
        };
        let of_class = said(Classes::only(3), 65535);
        assert_eq!(of_class[16..26], [0, 8, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
        assert_eq!((of_class.len(), &of_class[60..]), (64, &[0xb0, 0xb2, 0x29, 0xc3][..]));
        assert_eq!(said(Classes::ALL, 65535)[16..34], [&[0, 0xff][..], &[0xff; 16]].concat());
    }

    #[test]
    fn a_frame_travels_as_a_packet() {
        let frame =
            PauseFrame { enabled: Classes::from_mask(0b1010_1010), quanta: [1, 2, 3, 4, 65535, 6, 7, 8] };
        let packet = Packet::from(frame);
        assert_eq!(packet.frame(), Bytes::new(64));
        assert_eq!(packet.control().map(PauseFrame::from), Some(frame));
    }
}
