//! Workloads: sources of flows, drawn before they are needed.
//!
//! An open-loop source never depends on the network. It is an iterator over flows in order of their start, and owns its
//! random stream. Applications, such as queries and collectives, start a flow when others have arrived; for these only
//! the plan is made here. A new workload takes a file in this folder, its settings among the scenario's workloads, and
//! a line in the list below.

mod csv_rows;
mod ends;
mod load;
pub mod overload;
mod priorities;
mod setup;
pub mod sizes;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::application::{Plan, Plans};
use crate::classes::Classes;
use crate::kernel::units::{Bytes, Time};
use crate::scenario::{Scenario, ScenarioError, Workload};
use crate::topology::{Network, NodeId};
use priorities::Priorities;
use setup::Setup;

/// Flow before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowSpec {
    /// Time at which the application hands the flow to the transport.
    pub start: Time,
    /// Sending host.
    pub source: NodeId,
    /// Receiving host, never the sending one.
    pub destination: NodeId,
    /// Application bytes, at least 1; `Bytes::MAX` for a flow without end.
    pub size: Bytes,
    /// Time at which the flow ends even if it has not sent all bytes; `Time::MAX` for never.
    pub end: Time,
    /// Traffic class, 0 to 7.
    pub priority: u8,
    /// Index of the transport in the scenario's tables, in order of name.
    pub transport: u8,
}

/// Text of every file that a scenario names, by its path as written there.
pub type Files = BTreeMap<String, String>;

/// Flows of one workload, in order of their start.
#[derive(Clone, Debug)]
pub struct Source {
    kind: Kind,
    end: Time,
    /// Source of the flows' classes; none where each flow has its own.
    priorities: Option<Priorities>,
    classes: Classes,
}

impl Source {
    /// Time from which on no flow starts.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Returns the source's flows that have no size.
    pub fn without_end(&self) -> impl Iterator<Item = FlowSpec> + use<> {
        let has_some = matches!(self.kind, Kind::LongLived(_) | Kind::Permutation(_));
        let flows = has_some.then(|| self.clone()).into_iter().flatten();
        flows.filter(|flow| flow.size == Bytes::MAX)
    }

    /// Counts the rows of a trace that start at `end` or later, and all of its rows. None for other workloads.
    pub fn rows_from(&self, end: Time) -> Option<(usize, usize)> {
        let Kind::Trace(trace) = &self.kind else { return None };
        let starts = trace.clone().map(|flow| flow.start);
        Some((starts.clone().filter(|start| *start >= end).count(), starts.count()))
    }

    /// Traffic classes of the source's flows.
    pub fn classes(&self) -> Classes {
        self.classes
    }
}

impl Iterator for Source {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        let flow = self.kind.next().filter(|flow| flow.start < self.end)?;
        let priority = self.priorities.as_mut().map_or(flow.priority, Priorities::draw);
        Some(FlowSpec { priority, ..flow })
    }
}

/// Returns the plans of the sources that are applications, in their order.
pub fn plans(sources: &[Source]) -> Result<Plans, ScenarioError> {
    let plans = sources.iter().flat_map(|source| match &source.kind {
        Kind::Query(query) => vec![Plan::Query(query.plan.clone())],
        Kind::Collective(collective) => collective.plans.iter().cloned().map(Plan::Collective).collect(),
        Kind::Job(job) => vec![Plan::Job(Arc::clone(&job.plan))],
        _ => Vec::new(),
    });
    let plans = Plans::new(plans.collect());
    query::check_turns(&plans)?;
    collective::check_turns(&plans)?;
    job::check_turns(&plans)?;
    Ok(plans.within_turns())
}

/// Makes the source of every workload, in the order of the scenario.
pub fn sources(scenario: &Scenario, network: &Network, files: &Files) -> Result<Vec<Source>, ScenarioError> {
    let end = scenario.stop.arrivals_end.map_or(Time::MAX, |end| Time::ZERO + end);
    let names = network.names();
    (scenario.workload.iter().enumerate())
        .map(|(index, workload)| {
            let setup = Setup { scenario, network, names: &names, files, index };
            let kind = Kind::new(workload, &setup)?;
            let priorities =
                workload.priority().map(|priority| Priorities::new(priority, &setup)).transpose()?;
            let classes = match &priorities {
                Some(priorities) => priorities.classes(),
                None => kind.classes(),
            };
            Ok(Source { kind, end, priorities, classes })
        })
        .collect()
}

impl Kind {
    /// Traffic classes of flows that each have their own.
    fn classes(&self) -> Classes {
        match self {
            Self::Job(job) => job.plan.classes(),
            drawn => drawn.clone().map(|flow| flow.priority).collect(),
        }
    }
}

macro_rules! workloads {
    ($($module:ident::$name:ident),* $(,)?) => {
        $(mod $module;)*

        /// Source of flows, by kind.
        #[derive(Clone, Debug)]
        enum Kind { $($name($module::$name),)* }

        impl Kind {
            fn new(workload: &Workload, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
                match workload {
                    $(Workload::$name(settings) => $module::$name::new(settings, setup).map(Self::$name),)*
                }
            }
        }

        impl Iterator for Kind {
            type Item = FlowSpec;

            fn next(&mut self) -> Option<FlowSpec> {
                match self { $(Self::$name(source) => source.next(),)* }
            }
        }
    };
}

workloads! {
    poisson::Poisson,
    long_lived::LongLived,
    incast::Incast,
    permutation::Permutation,
    trace::Trace,
    query::Query,
    collective::Collective,
    job::Job,
    driven::Driven,
}

#[cfg(test)]
mod testing {
    use super::*;
    use crate::reading::from_text;
    use crate::topology::testing::{FABRIC_LINK, HOST_LINK};

    /// Writes the scenario of one workload table on a topology. Its transport is called `plain`.
    pub(super) fn scenario(topology: &str, workload: &str) -> Scenario {
        let text = format!(
            "[topology]\n{topology}\n{HOST_LINK}\n[transport.other]\nkind = 'constant_rate'\n\
             [transport.plain]\nkind = 'constant_rate'\n[[workload]]\ntransport = 'plain'\n{workload}"
        );
        from_text(&text)
    }

    /// Writes four leaves with four hosts each and four spines.
    pub(super) fn clos() -> String {
        format!("kind = 'leaf_spine'\nleaves = 4\nspines = 4\nhosts_per_leaf = 4\n{FABRIC_LINK}")
    }

    /// Writes `hosts` hosts around one switch.
    pub(super) fn star(hosts: u32) -> String {
        format!("kind = 'star'\nhosts = {hosts}")
    }

    /// Builds the network and the only source of a scenario.
    pub(super) fn source_with(
        scenario: &Scenario,
        files: &Files,
    ) -> Result<(Network, Source), ScenarioError> {
        let network = Network::build(&scenario.topology, scenario.scale_up.as_ref())?;
        let source = sources(scenario, &network, files)?.remove(0);
        Ok((network, source))
    }

    /// Builds the source of one workload table.
    pub(super) fn source(topology: &str, workload: &str) -> Source {
        source_with(&scenario(topology, workload), &Files::new()).expect("the test's workload is right").1
    }

    /// Returns the one line that rejects a workload table.
    pub(super) fn refusal(topology: &str, workload: &str) -> String {
        let error = source_with(&scenario(topology, workload), &Files::new());
        error.expect_err("the test's workload is refused").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::*;
    use super::*;
    use crate::kernel::units::Span;

    const FAN: &str = "kind = 'incast'\nfan_in = 2\nsize = '1kB'\nreceivers = ['host0']\nevery = '10us'";

    #[test]
    fn no_flow_starts_at_or_after_the_end_of_arrivals() {
        let mut scenario = scenario(&star(4), FAN);
        scenario.stop.arrivals_end = Some(Span::from_microseconds(20));
        let (_, source) = source_with(&scenario, &Files::new()).unwrap();
        let starts: Vec<u64> = source.map(|flow| flow.start.as_nanoseconds()).collect();
        assert_eq!(starts, [0, 0, 10_000, 10_000]);
    }

    #[test]
    fn transports_are_numbered_in_order_of_name() {
        assert_eq!(source(&star(4), FAN).next().unwrap().transport, 1);
        let mut scenario = scenario(&star(4), FAN);
        scenario.transport.clear();
        let error = source_with(&scenario, &Files::new()).unwrap_err().to_string();
        assert!(error.contains("workload[0].transport: \"plain\" does not exist"), "{error}");
    }
}
