//! Driven: messages that a program sends while the simulation runs, so no flow is drawn here.

use super::FlowSpec;
use super::setup::Setup;
use crate::scenario::{self, ScenarioError};

/// Source of no flows beforehand.
#[derive(Clone, Debug)]
pub(super) struct Driven;

impl Driven {
    pub(super) fn new(settings: &scenario::Driven, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        setup.template(&settings.transport)?;
        Ok(Self)
    }
}

impl Iterator for Driven {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        None
    }
}
