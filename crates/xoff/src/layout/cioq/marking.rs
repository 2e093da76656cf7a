//! Markers of a switch with queues at inputs and outputs, started from its settings.

use super::sizes::Most;
use crate::classes::PRIORITIES;
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Rate};
use crate::layout::Subject;
use crate::scenario::{CioqSettings, Queues, ScenarioError};
use crate::switch::cioq::Marking;
use crate::switch::markers::Placed;
use crate::switch::marking::{self, AnyMarker, Place, QueueMarker, Unfit};

/// Markers at inputs and outputs before the run.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    inputs: Placed,
    outputs: Placed,
}

impl Marks {
    /// Starts the markers, with the random streams of inputs and outputs.
    pub(super) fn start(&self, [inputs, outputs]: [Rng; 2]) -> Marking {
        let start = |placed: &Placed, rng| {
            placed.marker.clone().map(|marker| QueueMarker::new(marker, placed.when, rng))
        };
        Marking { inputs: start(&self.inputs, inputs), outputs: start(&self.outputs, outputs) }
    }

    /// Whether there is a marker at inputs or outputs.
    pub(super) fn are_some(&self) -> bool {
        self.inputs.marker.is_some() || self.mark_outputs()
    }

    /// Whether a marker drops packets that are not ECN-capable.
    pub(super) fn drop_incapable(&self) -> bool {
        [&self.inputs, &self.outputs]
            .into_iter()
            .any(|placed| placed.marker.as_ref().is_some_and(AnyMarker::drops_incapable))
    }

    /// Whether there is a marker at outputs.
    pub(super) fn mark_outputs(&self) -> bool {
        self.outputs.marker.is_some()
    }

    /// Length of a virtual output queue above which packets begin to be marked.
    pub(super) fn input_threshold(&self) -> Option<Bytes> {
        self.inputs.marker.as_ref()?.range(0).map(|range| range.none_up_to)
    }
}

impl Subject<'_> {
    /// Makes the markers of inputs and outputs, and rejects thresholds above `most`, the most bytes of a class on each
    /// side.
    pub(super) fn marks(&self, cioq: &CioqSettings, most: [Most; 2]) -> Result<Marks, ScenarioError> {
        let [of_input, of_output] = most;
        let (inputs, outputs) = (cioq.input.marking.as_ref(), cioq.output.marking.as_ref());
        let at_inputs = || self.places_at_inputs(cioq.input.queues);
        Ok(Marks {
            inputs: self.place_in("input.marking", inputs, at_inputs, of_input)?,
            outputs: self.place_in("output.marking", outputs, || self.places_at_outputs(), of_output)?,
        })
    }

    /// Makes the marker in the buffers of one side, if the settings have one.
    fn place_in(
        &self,
        key: &str,
        parameters: Option<&marking::Parameters>,
        places: impl FnOnce() -> Vec<Place>,
        most: Most,
    ) -> Result<Placed, ScenarioError> {
        let Some(parameters) = parameters else { return Ok(Placed::default()) };
        let marker = parameters.start(&places()).map_err(|Unfit { problem, expected }| {
            self.refuse_cioq(key, &format!("cannot have this marker: {problem}"), expected)
        })?;
        if let Some(reach) = marker.reach(0) {
            self.check_reached(key, "a marker set to", reach.all_above, most)?;
        }
        Ok(Placed { marker: Some(marker), when: parameters.when() })
    }

    /// Lists the virtual output queues of all inputs, each with the rate at which it empties.
    ///
    /// A queue for one output empties at that output's rate. Any other empties at the rate of the link by which its
    /// packets came.
    fn places_at_inputs(&self, queues: Queues) -> Vec<Place> {
        let rates_out: Vec<Rate> = self.rates_out().collect();
        let of_input = |own: Rate| match queues {
            Queues::PerOutput => rates_out.clone(),
            Queues::PerDestination => vec![own; self.fabric.network.hosts as usize],
            Queues::One => vec![own],
        };
        let of_class = |rate| vec![self.of_rate(rate); self.fabric.classes.count() as usize];
        self.rates_in().flat_map(of_input).flat_map(of_class).collect()
    }

    /// Lists the queues of all outputs, class by class.
    fn places_at_outputs(&self) -> Vec<Place> {
        self.rates_out().flat_map(|rate| [self.of_rate(rate); PRIORITIES]).collect()
    }

    fn of_rate(&self, rate: Rate) -> Place {
        Place::at(rate, self.scenario.largest_frame())
    }
}
