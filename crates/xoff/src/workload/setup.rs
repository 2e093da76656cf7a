//! Scenario around one workload, and the checks that several kinds of workload share.

use super::{Files, FlowSpec};
use crate::kernel::rng::{Purpose, Rng, stream};
use crate::kernel::units::{Bytes, Time};
use crate::scenario::{Scenario, ScenarioError, Transport};
use crate::topology::{Names, Network, nearest};

/// Scenario around one workload.
pub(super) struct Setup<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) network: &'a Network,
    pub(super) names: &'a Names<'a>,
    pub(super) files: &'a Files,
    pub(super) index: usize,
}

impl<'a> Setup<'a> {
    /// Path of one of this workload's keys.
    pub(super) fn key(&self, name: &str) -> String {
        format!("workload[{}].{name}", self.index)
    }

    /// Makes an error at one of this workload's keys.
    pub(super) fn error(&self, name: &str, problem: impl Into<String>, expected: &str) -> ScenarioError {
        ScenarioError::at(self.key(name), problem, expected)
    }

    /// Makes the error of a file that holds no flow.
    pub(super) fn holds_no_flow(&self, file: &str) -> ScenarioError {
        self.error("file", format!("\"{file}\" holds no flow"), "expected a row for each")
    }

    /// Random stream of the workload for arrivals, ends and sizes.
    pub(super) fn rng(&self) -> Rng {
        self.stream(Purpose::Workload)
    }

    /// Random stream of the workload for a purpose.
    pub(super) fn stream(&self, purpose: Purpose) -> Rng {
        stream(self.scenario.seed, purpose, self.index as u64)
    }

    /// Finds a transport by name.
    pub(super) fn transport(&self, name: &str) -> Result<&'a Transport, ScenarioError> {
        self.scenario.transport.get(name).ok_or_else(|| {
            let expected = format!("expected the name of a table, as in [transport.{name}]");
            let error = self.error("transport", format!("\"{name}\" does not exist"), &expected);
            error.of_unknown_name(nearest(name, self.scenario.transport.keys().map(String::as_str)))
        })
    }

    /// Makes an incomplete flow of the transport named `transport`.
    pub(super) fn template(&self, transport: &str) -> Result<FlowSpec, ScenarioError> {
        self.transport(transport)?;
        let index = self.scenario.transport.keys().position(|name| name == transport);
        let transport = index.and_then(|index| u8::try_from(index).ok()).ok_or_else(|| {
            ScenarioError::at("transport", "there are more than 256 tables", "expected at most 256")
        })?;
        let (start, size, end) = (Time::ZERO, Bytes::MAX, Time::MAX);
        Ok(FlowSpec { start, source: 0, destination: 0, size, end, priority: 0, transport })
    }

    /// Checks that a flow size is not zero; `Bytes::MAX` if there is none.
    pub(super) fn size(&self, size: Option<Bytes>) -> Result<Bytes, ScenarioError> {
        size.map_or(Ok(Bytes::MAX), |size| self.size_of("size", size))
    }

    /// Checks that a size is not zero.
    pub(super) fn size_of(&self, name: &str, size: Bytes) -> Result<Bytes, ScenarioError> {
        if size > Bytes::ZERO {
            return Ok(size);
        }
        Err(self.error(name, "is zero", "expected at least 1B"))
    }

    /// Checks that a number is not zero.
    pub(super) fn at_least_one(&self, name: &str, number: u64) -> Result<(), ScenarioError> {
        if number > 0 {
            return Ok(());
        }
        Err(self.error(name, "is 0", "expected at least 1"))
    }

    /// Returns the number of hosts, which must be at least two.
    pub(super) fn two_hosts(&self) -> Result<u32, ScenarioError> {
        let hosts = self.network.fabric_hosts();
        if hosts >= 2 {
            return Ok(hosts);
        }
        Err(self.error("kind", "there is only one host to send and receive", "expected at least two hosts"))
    }

    /// Returns the text of a file that a key names.
    pub(super) fn text(&self, name: &str, file: &str) -> Result<&'a str, ScenarioError> {
        self.files
            .get(file)
            .map(String::as_str)
            .ok_or_else(|| self.error(name, format!("\"{file}\" was not read"), "expected a CSV file"))
    }
}
