//! Time that a run skips: how fast flows go that are under way, and what becomes of a host when time is skipped.
//!
//! The host's own clock goes on as if nothing had happened. A flow has fewer bytes left to send. Whatever a workload or
//! an application has planned comes sooner on that clock.

use super::sendings::Sender;
use super::{Host, Sending};
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::topology::NodeId;

/// Sending state of a flow under way, of which [`Host::skip_bytes`] may take bytes.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Number of the flow at its source.
    pub number: u32,
    /// Receiving host.
    pub destination: NodeId,
    /// Transport and class of the flow.
    pub kind: [u8; 2],
    /// Bytes of the flow, without those that were skipped; `Bytes::MAX` for a flow without end.
    pub size: Bytes,
    /// Bytes sent, each counted once.
    pub sent: Bytes,
    /// Payload of a full packet.
    pub packet: Bytes,
    /// Window that the transport allows, or zero.
    pub window: Bytes,
    /// Rate that the transport allows, or zero.
    pub rate: Rate,
    /// Time at which the congestion control changes the rate by itself; `Time::MAX` for never.
    pub timer: Time,
    /// Whether nothing is to be repaired, the connection is open, and something is left to send.
    pub is_whole: bool,
}

impl Host {
    /// States of the flows under way at `now`, without flows that wait for their queue pair.
    pub fn paces(&self, now: Time) -> impl Iterator<Item = Pace> {
        self.sendings.iter().filter_map(move |sending| self.pace(sending, now))
    }

    fn pace(&self, sending: &Sending, now: Time) -> Option<Pace> {
        let flow = &sending.flow;
        let mut pace = Pace {
            number: flow.number,
            destination: flow.destination,
            kind: [flow.transport, flow.priority],
            size: flow.size,
            sent: Bytes::ZERO,
            packet: Bytes::new(1),
            window: sending.window().unwrap_or_default(),
            rate: Rate::ZERO,
            timer: Time::MAX,
            is_whole: false,
        };
        match &sending.sender {
            Sender::Tcp(sender) => {
                (pace.sent, pace.packet) = (sender.sent(), sender.segment());
                pace.is_whole = sender.is_whole();
            }
            Sender::Handshake(_) => {}
            Sender::QueuePair(pair) => {
                let is_passed_on = self.passed_on(sending).is_some();
                (pace.sent, pace.packet) = (pair.sender.sent(), pair.sender.packet());
                if is_passed_on && pace.sent == Bytes::ZERO {
                    return None;
                }
                pace.is_whole = !is_passed_on && pair.sender.is_whole();
                if !is_passed_on {
                    pace.rate = pair.sender.rate_at(now);
                    if pace.rate < self.port().rate() {
                        pace.timer = pair.sender.next_timer_after(now);
                    }
                }
            }
            Sender::ConstantRate(sender) => {
                (pace.sent, pace.packet) = (sender.sent(), sender.payload());
                pace.is_whole = true;
            }
        }
        pace.is_whole &= pace.sent < pace.size;
        Some(pace)
    }

    /// Time of the first thing that a workload or an application has planned here; `Time::MAX` for none.
    pub fn next_planned(&self) -> Time {
        let ends = self.sendings.iter().filter_map(|sending| match &sending.sender {
            Sender::ConstantRate(sender) => Some(sender.end()),
            _ => None,
        });
        ends.min().unwrap_or(Time::MAX).min(self.pending.next_planned())
    }

    /// Takes bytes off a flow that were sent in skipped time, in so many packets.
    pub fn skip_bytes(&mut self, number: u32, bytes: Bytes, packets: u64) {
        self.counters.data_sent += packets;
        let Some(slot) = self.sendings.slot(number) else { return };
        let sending = &mut self.sendings[slot];
        if sending.flow.size == Bytes::MAX {
            return;
        }
        sending.flow.size = match &mut sending.sender {
            Sender::Tcp(sender) => sender.skip(bytes),
            Sender::QueuePair(pair) => pair.sender.skip(bytes),
            Sender::ConstantRate(sender) => sender.skip(bytes),
            Sender::Handshake(_) => sending.flow.size,
        };
    }

    /// Brings everything forward by `span` that a workload or an application has planned here.
    pub fn skip(&mut self, span: Span) {
        self.pending.skip(span);
        self.connections.rest_for(span);
        for sending in self.sendings.iter_mut() {
            if let Sender::ConstantRate(sender) = &mut sending.sender {
                sender.bring_forward(span);
            }
        }
    }

    /// Writes every time as `reported` has it, and gives each flow the bytes back that were skipped, once the run is
    /// over.
    pub fn report_skipped(&mut self, reported: impl Fn(Time) -> Time, skipped: impl Fn(u32) -> Bytes) {
        let under_way = self.sendings.iter_mut().map(|sending| &mut sending.flow);
        let finished = self.finished.iter_mut().map(|finished| {
            finished.finish = reported(finished.finish);
            &mut finished.flow
        });
        for flow in under_way.chain(finished) {
            flow.start = reported(flow.start);
            flow.size = flow.size.saturating_add(skipped(flow.number));
        }
        self.receptions.flows.report_times(&reported);
        self.applications.report_times(&reported);
    }
}
