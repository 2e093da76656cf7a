//! The pause frame, and how it travels among packets.

use crate::kernel::units::Bytes;
use crate::packet::{Control, PRIORITIES, Packet, classes_of};

/// Bytes of a frame without preamble and gap.
const FRAME: Bytes = Bytes::new(64);

/// Classes that are to pause or to resume (IEEE 802.3, annex 31D).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseFrame {
    /// Bit n is set if the frame says something about class n.
    pub enabled: u8,
    /// For how long each class is to pause, in quanta of 512 bit times; 0 resumes.
    pub quanta: [u16; PRIORITIES],
}

impl PauseFrame {
    /// Says how long classes are to pause, one bit each, over whatever was said of them before.
    pub fn say(&mut self, classes: u8, quanta: u16) {
        self.enabled |= classes;
        for class in classes_of(classes) {
            self.quanta[class] = quanta;
        }
    }

    /// Whether it pauses any class, rather than only resuming some.
    pub fn pauses(&self) -> bool {
        self.classes().any(|(_, quanta)| quanta > 0)
    }

    /// What it says, class by class.
    pub fn classes(&self) -> impl Iterator<Item = (usize, u16)> {
        let Self { enabled, quanta } = *self;
        classes_of(enabled).map(move |class| (class, quanta[class]))
    }
}

impl From<PauseFrame> for Packet {
    fn from(frame: PauseFrame) -> Self {
        let words = |classes: &[u16]| {
            classes.iter().rev().fold(0, |word, &quanta| word << u16::BITS | u64::from(quanta))
        };
        let (low, high) = frame.quanta.split_at(PRIORITIES / 2);
        Control { frame: FRAME, words: [words(low), words(high), u64::from(frame.enabled)] }.into()
    }
}

impl From<Control> for PauseFrame {
    fn from(control: Control) -> Self {
        let [low, high, enabled] = control.words;
        let quanta = std::array::from_fn(|class| {
            let word = if class < PRIORITIES / 2 { low } else { high };
            (word >> (class % (PRIORITIES / 2) * u16::BITS as usize)) as u16
        });
        Self { enabled: enabled as u8, quanta }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_says_what_was_said_last() {
        let mut frame = PauseFrame::default();
        for (classes, quanta) in [(1 << 3, 65535), (1 << 7, 0), (1, 12), (0b1_1000, 0), (1 << 4, 1)] {
            frame.say(classes, quanta);
        }
        assert_eq!(frame.classes().collect::<Vec<_>>(), [(0, 12), (3, 0), (4, 1), (7, 0)]);
    }

    #[test]
    fn a_frame_travels_as_a_packet() {
        let frame = PauseFrame { enabled: 0b1010_1010, quanta: [1, 2, 3, 4, 65535, 6, 7, 8] };
        let packet = Packet::from(frame);
        assert_eq!(packet.frame(), Bytes::new(64));
        assert_eq!(packet.control().map(PauseFrame::from), Some(frame));
    }
}
