//! A flow on a queue pair: its sender, and what the adapter keeps beside it.

use super::sprayers::NOT_SPRAYED;
use crate::agenda::{Agenda, Context};
use crate::congestion_control::Needs;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Time};
use crate::observer::Observer;
use crate::packet::{Packet, asking_stamp, deferred_stamp};
use crate::transport::roce::{RoceSender, with_reading};

/// A flow on a queue pair.
#[derive(Debug)]
pub(super) struct QueuePair {
    pub(super) sender: RoceSender,
    pub(super) needs: Needs,
    /// Timer until the rate allows the next packet.
    pub(super) pacing: Timer,
    /// Timer of the congestion control.
    pub(super) control: Timer,
    pub(super) in_turn: bool,
    /// Place of the sprayer of the flow's packets, or [`NOT_SPRAYED`].
    pub(super) sprayer: u32,
    /// Place of the flow's persistent queue pair; `None` if the flow has a queue pair of its own.
    pub(super) place: Option<u32>,
}

impl QueuePair {
    /// A flow whose congestion control has `needs`, on the persistent queue pair at `place` if there is one.
    pub(super) fn new(sender: RoceSender, needs: Needs, place: Option<u32>) -> Self {
        let (pacing, control) = (Timer::default(), Timer::default());
        Self { sender, needs, pacing, control, in_turn: false, sprayer: NOT_SPRAYED, place }
    }

    /// Returns the stamp of the flow's next packet, of class `priority`. `behind` are the bytes that flows behind it
    /// on a persistent queue pair have to send.
    pub(super) fn stamp(
        &self,
        priority: u8,
        behind: Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> u64 {
        match self.needs {
            Needs::Telemetry { sent_window } => {
                let telemetry = context.agenda.telemetry();
                let record = telemetry.take();
                if sent_window && let Some(window) = self.sender.window() {
                    telemetry.remember(record, window);
                }
                deferred_stamp(Some(record))
            }
            Needs::Delay { .. } => deferred_stamp(None),
            Needs::Credit => asking_stamp(self.sender.asks_for(behind), priority),
            Needs::Acknowledgements(_) | Needs::Cnps(_) => context.now.get(),
        }
    }

    /// Hands an ACK or a NACK to the sender, with what it brings back. Returns whether it acknowledges anything new,
    /// and when the packet left that it answers.
    pub(super) fn acknowledge(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> (bool, Time) {
        let now = context.now;
        with_reading(self.needs, packet, context.agenda.telemetry(), now, |departure, telemetry| {
            (self.sender.on_acknowledgement(now, packet, departure, telemetry), departure)
        })
    }
}
