//! Steps of a packet through a shared-memory switch: the events at which they happen, the same for every kind.

use crate::agenda::{Agenda, Context};
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::packet::Packet;

/// Events of a switch, which its kind turns into steps of a packet.
pub trait Steps {
    /// Number of ports.
    fn count_ports(&self) -> usize;
    /// Takes in a packet that has arrived whole by a port.
    fn on_arrival(
        &mut self,
        ingress: u32,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    );
    /// Sends the next packet of a port whose transmission has ended, and returns when the end of that one must be heard of.
    fn on_end_of_transmission(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time;
    /// Does what is due about pauses, and returns when something is due next.
    fn on_pause_due(&mut self, _context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        Time::MAX
    }
}
