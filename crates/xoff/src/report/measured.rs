//! Bytes received in the measured time.

use serde::Serialize;

use super::{Outcome, Simulation};
use crate::host::Flow;
use crate::kernel::units::{Bytes, Time};
use crate::topology::NodeId;

/// Measured time, as far as the run went, and the bytes received in it.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct MeasuredTotals {
    /// Begin of the measured time.
    pub start_ns: u64,
    /// End of the measured time.
    pub end_ns: u64,
    /// Payload bytes received in the measured time, each once.
    pub payload_delivered_bytes: u64,
}

/// Look-up of the bytes that had been received where the measured time begins and ends.
pub(super) struct Measured<'a> {
    simulation: &'a Simulation,
    outcome: &'a Outcome,
    /// Begin and end of the measured time, as far as the run went.
    time: [Time; 2],
}

impl<'a> Measured<'a> {
    pub(super) fn new(simulation: &'a Simulation, outcome: &'a Outcome, end: Time) -> Self {
        Self { simulation, outcome, time: simulation.scenario().measure.time().map(|at| at.min(end)) }
    }

    pub(super) fn totals(&self) -> MeasuredTotals {
        let received = [0, 1].map(|which| match &self.outcome.received[which] {
            Some(received) => received.payload,
            None => self.outcome.hosts.iter().map(|host| host.counters.goodput()).sum(),
        });
        let [start, end] = self.time;
        MeasuredTotals {
            start_ns: start.as_nanoseconds(),
            end_ns: end.as_nanoseconds(),
            payload_delivered_bytes: (received[1] - received[0]).get(),
        }
    }

    /// Returns the goodput of an unfinished flow in Gbps, over the part of the measured time after its start; NaN if
    /// there was none.
    pub(super) fn goodput_gbps(&self, source: NodeId, flow: &Flow) -> f64 {
        let [start, end] = self.time;
        let received = [0, 1].map(|which| self.received(which, source, flow).min(flow.size));
        let lasted = end.max(flow.start).since(start.max(flow.start)).as_seconds();
        if lasted > 0.0 { (received[1] - received[0]).as_f64() * 8e-9 / lasted } else { f64::NAN }
    }

    /// Returns the bytes of a flow that were received where the measured time begins (`which` = 0) or ends (1).
    fn received(&self, which: usize, source: NodeId, flow: &Flow) -> Bytes {
        let destination = &self.outcome.hosts[flow.destination as usize];
        let plans = &self.simulation.fabric().plans;
        let Some(received) = &self.outcome.received[which] else {
            let received = destination.received_of(flow.reception, plans);
            return received.saturating_add(self.outcome.skips.of(source, flow.number));
        };
        received.of(source, flow.number).unwrap_or_else(|| {
            let whole =
                destination.received_at(flow.reception, plans).is_some_and(|at| at < self.time[which]);
            if whole { flow.size } else { Bytes::ZERO }
        })
    }
}
