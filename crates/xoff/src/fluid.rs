//! Fluid models: rates, windows and queues as real numbers that follow delay differential equations.
//!
//! The simulator counts packets; a fluid model follows averages, which is fast and shows where a control loop settles
//! or swings. A new model takes a file in this folder, a line in the list below, one in `Parameters::model`, and its
//! name for `xoff fluid`. `integration.rs` advances any of them.
//!
//! ```
//! use xoff::fluid::{Parameters, dctcp};
//!
//! let model = Parameters::Dctcp(dctcp::Parameters::default());
//! let trajectory = model.run(&mut |_done| true);
//! let queue = trajectory.series.iter().find(|series| series.quantity == "queue").expect("it is recorded");
//!
//! // DCTCP has no fixed point: the queue swings about the threshold of 60 kB.
//! let late = &queue.values[queue.values.len() / 2..];
//! assert!(late.iter().any(|&bytes| bytes < 60e3) && late.iter().any(|&bytes| bytes > 60e3));
//! ```

pub mod dcqcn;
pub mod dctcp;
mod integration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Bytes, Rate, Span};
use integration::{Model, integrate};

crate::tagged! {
    /// Fluid model with its parameters.
    pub enum Parameters by "model" in "fluid" {
        dcqcn => Dcqcn(dcqcn::Parameters),
        dctcp => Dctcp(dctcp::Parameters),
    }
}

/// Size of a packet, the unit in which the equations count.
#[derive(Clone, Copy, Debug)]
struct Packets {
    bytes: f64,
}

impl Packets {
    fn of(packet: Bytes) -> Self {
        Self { bytes: packet.as_f64() }
    }

    fn in_bytes(self, bytes: Bytes) -> f64 {
        bytes.as_f64() / self.bytes
    }

    fn per_second(self, rate: Rate) -> f64 {
        rate.as_f64() / self.bits()
    }

    fn bits(self) -> f64 {
        8.0 * self.bytes
    }
}

/// Time span and step of an integration.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
pub struct Integration {
    /// Time for which the flows are followed.
    #[schemars(extend("x-at-least-key" = "every"))]
    pub duration: Span,
    /// Time from one evaluation of the equations to the next.
    #[schemars(extend("x-above" = "0s"))]
    pub step: Span,
    /// Time from one recorded state to the next, in whole steps.
    #[schemars(extend("x-at-least-key" = "step"))]
    pub every: Span,
}

impl Default for Integration {
    fn default() -> Self {
        let (step, every) = (Span::from_microseconds(1), Span::from_microseconds(10));
        Self { duration: Span::from_milliseconds(200), step, every }
    }
}

/// Values of one quantity over time, in the units of results: bytes, bits per second, or a share of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name of the quantity, such as `queue` or `rate`.
    pub quantity: &'static str,
    /// Number of the flow, where each flow has its own values.
    pub flow: Option<u32>,
    /// Value at each of the trajectory's times.
    pub values: Vec<f64>,
}

/// Recorded course of a model over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Times at which states were recorded, in seconds.
    pub seconds: Vec<f64>,
    /// Recorded quantities.
    pub series: Vec<Series>,
}

impl Parameters {
    /// Integrates the model. Now and then it calls `goes_on` with the share that is done, and stops if that returns
    /// false.
    pub fn run(&self, goes_on: &mut dyn FnMut(f64) -> bool) -> Trajectory {
        let (model, integration) = self.model();
        follow(&*model, integration, goes_on)
    }

    /// Count of numbers that a run records.
    pub fn recorded_numbers(&self) -> u64 {
        let (model, integration) = self.model();
        let times = integration.duration.get() / integration.every.get() + 1;
        times.saturating_mul(model.width() as u64 + 1)
    }

    /// Count of past numbers that a run remembers until their effect is felt.
    pub fn remembered_numbers(&self) -> u64 {
        let (model, integration) = self.model();
        let steps = (model.delay() / integration.step.as_seconds()) as u64;
        steps.saturating_mul(model.echo_width() as u64)
    }

    fn model(&self) -> (Box<dyn Observed>, &Integration) {
        match self {
            Self::Dcqcn(parameters) => (Box::new(dcqcn::Dcqcn::new(parameters)), &parameters.integration),
            Self::Dctcp(parameters) => (Box::new(dctcp::Dctcp::new(parameters)), &parameters.integration),
        }
    }
}

/// Model that says which quantities of a state to record.
trait Observed: Model {
    /// Lists the recorded quantities, without values.
    fn series(&self) -> Vec<Series>;
    /// Appends the values of a state to the recorded quantities.
    fn record(&self, seconds: f64, state: &[f64], series: &mut [Series]);
}

fn follow(
    model: &dyn Observed,
    integration: &Integration,
    goes_on: &mut dyn FnMut(f64) -> bool,
) -> Trajectory {
    let mut trajectory = Trajectory { seconds: Vec::new(), series: model.series() };
    integrate(
        model,
        integration,
        &mut |seconds, state| {
            trajectory.seconds.push(seconds);
            model.record(seconds, state, &mut trajectory.series);
        },
        goes_on,
    );
    trajectory
}
