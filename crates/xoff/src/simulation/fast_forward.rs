//! Fast-forward of a run: its settings, and what stands in its way from the start.

use super::Simulation;
use crate::congestion_control::Needs;
use crate::engine::FastForward;
use crate::kernel::units::{Span, Time};
use crate::layout::{self, SwitchLayout};
use crate::scenario::{Scenario, Transport, Workload};

impl Simulation {
    /// Says why nothing of any run can be skipped, with the key that is in the way; nothing where times may be skipped.
    pub fn never_skips(&self) -> Option<&'static str> {
        let Scenario { slow_receiver, switch, workload, transport, .. } = &self.scenario;
        let used = || workload.iter().filter_map(|workload| transport.get(workload.transport()));
        let is_on_credit = |transport: &Transport| matches!(transport, Transport::Roce(roce) if roce.needs() == Needs::Credit);
        let plans = &self.fabric.plans;
        let mut queries = (0..plans.all().len()).filter_map(|number| plans.query(number));
        let ends_at_a_time = queries.any(|plan| plan.end < Time::MAX);
        let is_driven = workload.iter().any(|workload| matches!(workload, Workload::Driven(_)));
        [
            (is_driven, "a program drives the run"),
            (self.watch.recorder.is_watching(), "[observe] records single packets or changes"),
            (!slow_receiver.is_empty(), "[[slow_receiver]] has adapters that are slow at times"),
            (ends_at_a_time, "a workload of kind \"query\" ends at a time"),
            (used().any(Transport::is_sprayed), "a transport sprays packets"),
            (used().any(is_on_credit), "a transport sends on credit"),
            (switch.iter().any(|table| table.trimming.is_some()), "switches trim packets"),
            (
                self.scenario.congestion_points().next().is_some(),
                "switches send congestion notification messages",
            ),
            (self.switches.iter().any(SwitchLayout::has_inputs), "switches of kind \"cioq\" queue at inputs"),
            (self.hosts_only_count(), "all traffic is of constant rate"),
        ]
        .into_iter()
        .find_map(|(is_in_the_way, why)| is_in_the_way.then_some(why))
    }

    /// Returns the settings of a run that skips steady times; nothing where none can be skipped.
    pub(super) fn fast_forward(&self) -> Option<FastForward> {
        let settings = self.scenario.fast_forward()?;
        if self.never_skips().is_some() {
            return None;
        }
        let packet = self.scenario.largest_packet_on_wire();
        let routes = [&self.routes];
        let on_links =
            layout::telemetry::longest_round_trip(&self.network, &routes, packet, packet, |_| true).base_rtt;
        let interval = (on_links + self.scenario.host.delay * 4).max(Span::from_nanoseconds(100));
        Some(FastForward { tolerance: settings.tolerance, interval, frame: self.scenario.largest_frame() })
    }
}
