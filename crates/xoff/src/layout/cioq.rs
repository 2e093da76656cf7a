//! Layout of a switch with queues at inputs and outputs (CIOQ), from its settings.

mod marking;
mod sizes;

use std::collections::BTreeSet;

use super::Subject;
use super::pauses::pause_frames;
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::bit_set::BitSet;
use crate::kernel::rng::Rng;
use crate::kernel::timers::Timer;
use crate::kernel::units::Rate;
use crate::pause_frames::Settings as PauseFrames;
use crate::pfc::Reactions;
use crate::port::Port;
use crate::routing::SwitchRoutes;
use crate::scenario::{CioqSettings, Queues, ScenarioError, SwitchKind, SwitchSettings};
use crate::scheduler;
use crate::switch::cioq::{CongestionPoints, Downstream, Parts, Sizes, Thresholds, Voqs};
use crate::switch::congestion_point::{self, CongestionPoint};
use crate::switch::matching;
use crate::topology::{Link, NodeId, PortId};
use marking::Marks;

/// Layout of one switch with queues at inputs and outputs.
#[derive(Clone, Debug)]
pub struct CioqLayout {
    classes: Classes,
    lossless: Classes,
    sizes: Sizes,
    thresholds: Thresholds,
    pause_frames: Option<PauseFrames>,
    voqs: Voqs,
    hosts: u32,
    crossbar: Rate,
    matching: matching::Parameters,
    downstream: Vec<Option<Downstream>>,
    reliable_delivery: bool,
    at_inputs: Option<congestion_point::Parameters>,
    at_outputs: Option<congestion_point::Parameters>,
    marks: Marks,
    /// Scheduler that picks which queue of a port sends next.
    pub scheduler: scheduler::Parameters,
}

/// Numbers that tell a port's congestion points apart: one at the input and one at the output for each class.
pub const POINTS_OF_A_PORT: u64 = 2 * PRIORITIES as u64;

impl CioqLayout {
    /// Collects the parts from which the switch is built.
    ///
    /// `rng` makes the random stream of a congestion point from its port and its number there, below
    /// [`POINTS_OF_A_PORT`]. `of_markers` are the streams of the markers at inputs and at outputs.
    pub fn parts(
        &self,
        ports: Vec<Port>,
        reactions: Reactions,
        routes: SwitchRoutes,
        rng: impl Fn(PortId, u64) -> Rng,
        of_markers: [Rng; 2],
    ) -> Parts {
        let congestion_points = self.congestion_points(&ports, rng);
        Parts {
            hosts: self.hosts,
            downstream: self.downstream.clone(),
            reliable_delivery: self.reliable_delivery,
            congestion_points,
            marking: self.marks.start(of_markers),
            ports,
            routes,
            reactions,
            classes: self.classes,
            lossless: self.lossless,
            sizes: self.sizes.clone(),
            thresholds: self.thresholds,
            pause_frames: self.pause_frames.as_ref().map(PauseFrames::start),
            voqs: self.voqs,
            crossbar: self.crossbar,
            matching: self.matching.clone(),
        }
    }

    /// Makes the congestion points at inputs, outputs or both: one for each class of each port whose link has no
    /// credits.
    fn congestion_points(&self, ports: &[Port], rng: impl Fn(PortId, u64) -> Rng) -> CongestionPoints {
        let of = |parameters: &congestion_point::Parameters, side: u64| {
            let points = ports.iter().zip(&self.downstream).flat_map(|(port, downstream)| {
                let rng = &rng;
                (0..PRIORITIES).map(move |class| {
                    let has_one = downstream.is_none() && self.classes.contains(class);
                    has_one.then(|| CongestionPoint::new(parameters, rng(port.id(), class as u64 * 2 + side)))
                })
            });
            points.collect::<Vec<_>>()
        };
        let inputs = self.at_inputs.as_ref().map(|parameters| of(parameters, 0)).unwrap_or_default();
        CongestionPoints {
            keep_alives: vec![Timer::default(); inputs.len()],
            inputs,
            outputs: self.at_outputs.as_ref().map(|parameters| of(parameters, 1)).unwrap_or_default(),
        }
    }

    /// Whether packets leave outputs as soon as the port is free, and no congestion point or marker looks at the queues
    /// there.
    pub fn leaves_outputs_alone(&self) -> bool {
        let unasked = self.at_inputs.is_none() && self.at_outputs.is_none() && !self.marks.mark_outputs();
        unasked && self.downstream.iter().all(Option::is_none)
    }

    /// Notes that senders of lossless classes pause before anything is marked at inputs, if they do.
    pub fn notes(&self) -> BTreeSet<String> {
        let xoff = self.sizes.bytes(self.thresholds.xoff);
        let threshold =
            self.marks.input_threshold().filter(|&threshold| threshold >= xoff && !self.lossless.is_empty());
        let note = threshold.map(|threshold| {
            format!(
                "PFC comes before ECN: a sender is paused when an input holds {xoff} of a class, and virtual output queues mark \
                 above {threshold}"
            )
        });
        note.into_iter().collect()
    }

    /// Whether the switch marks packets, of whatever class.
    pub fn marks(&self) -> bool {
        self.marks.are_some()
    }

    /// Whether the switch drops packets that are not ECN-capable, where it would mark them.
    pub fn drops_incapable(&self) -> bool {
        self.marks.drop_incapable()
    }

    /// Rate of the switch's crossbar.
    pub fn crossbar(&self) -> Rate {
        self.crossbar
    }
}

/// Lays out a switch from its settings.
pub(super) fn of(settings: SwitchSettings, subject: &Subject<'_>) -> Result<CioqLayout, ScenarioError> {
    let SwitchSettings { cioq, scheduler, .. } = settings;
    let ports = subject.links().count();
    if ports > BitSet::LIMIT {
        let expected = format!(
            "expected at most {}, which is as many as a crossbar here has; a fabric of several has more",
            BitSet::LIMIT
        );
        return Err(subject.refuse_cioq("kind", &format!("has {ports} ports"), &expected));
    }
    let (classes, lossless) = (subject.fabric.classes, subject.scenario.lossless_classes());
    let (sizes, thresholds, most) = subject.sizes(&cioq, lossless)?;
    let fastest = subject.rates_out().chain(subject.rates_in()).max().unwrap_or_default();
    subject.check_congestion_points(&cioq)?;
    let downstream = subject.downstream()?;
    let is_inside = downstream.iter().all(Option::is_some);
    let marks = if is_inside { Marks::default() } else { subject.marks(&cioq, most)? };
    if cioq.reliable_delivery
        && downstream.iter().any(Option::is_none)
        && cioq.input.queues != Queues::PerDestination
        && downstream.iter().any(Option::is_some)
    {
        let problem = "keeps copies of packets, which it finds by their destinations";
        let expected = "expected input.queues = \"per_destination\", or reliable_delivery = false";
        return Err(subject.refuse_cioq("reliable_delivery", problem, expected));
    }
    Ok(CioqLayout {
        classes,
        lossless,
        hosts: subject.fabric.network.hosts,
        downstream,
        reliable_delivery: cioq.reliable_delivery,
        at_inputs: cioq.input.congestion_point,
        at_outputs: cioq.output.congestion_point,
        marks,
        thresholds,
        sizes,
        pause_frames: (!lossless.is_empty()).then(|| pause_frames(subject)).transpose()?,
        voqs: match cioq.input.queues {
            Queues::PerOutput => Voqs::PerOutput,
            Queues::PerDestination => Voqs::PerDestination,
            Queues::One => Voqs::One,
        },
        crossbar: cioq.crossbar.speedup().of_rate(fastest),
        matching: cioq.crossbar,
        scheduler,
    })
}

impl Subject<'_> {
    /// Returns the buffer at the other end of each port's link, where that has credits.
    fn downstream(&self) -> Result<Vec<Option<Downstream>>, ScenarioError> {
        let of_link = |(link, peer): (&Link, NodeId)| {
            if !link.has_credits() {
                return Ok(None);
            }
            let name = &self.fabric.network.nodes[peer as usize].name;
            let settings = self.scenario.switch_settings(name);
            if settings.kind != SwitchKind::Cioq {
                let problem = format!("is joined by a link with credits to {name}, which is of another kind");
                let expected =
                    format!("expected kind = \"cioq\" for {name} as well, or flow_control = \"pause\"");
                return Err(self.refuse_cioq("kind", &problem, &expected));
            }
            if link.corrupts() {
                let problem = format!(
                    "loses packets on its link with {name}, and with them credits that never come back"
                );
                return Err(self.refuse_cioq(
                    "kind",
                    &problem,
                    "expected no error_rate on links with credits",
                ));
            }
            let CioqSettings { unit, internal, .. } = settings.cioq;
            Ok(Some(self.units(unit).downstream(internal.input)))
        };
        self.ends().map(of_link).collect()
    }

    /// Rejects congestion points that could measure nothing.
    fn check_congestion_points(&self, cioq: &CioqSettings) -> Result<(), ScenarioError> {
        for (side, point) in
            [("input", &cioq.input.congestion_point), ("output", &cioq.output.congestion_point)]
        {
            let Some(point) = point else { continue };
            let key = format!("{side}.congestion_point");
            if side == "output" && !matches!(point, congestion_point::Parameters::Arrival(_)) {
                let problem = format!(
                    "samples the {} of outputs, which send in the order of arrival",
                    point.spelling()
                );
                let expected = "expected sampling = \"arrival\", or the congestion point in `input`";
                return Err(self.refuse_cioq(&key, &problem, expected));
            }
            if matches!(point, congestion_point::Parameters::Arrival(_))
                && point.settings().keep_alive.is_some()
            {
                let problem = "would measure while nothing arrives, and there is no arrival to blame";
                let expected = "expected another sampling, or no keep_alive";
                return Err(self.refuse_cioq(&format!("{key}.keep_alive"), problem, expected));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::workload::Files;
    use crate::{Scenario, Simulation};

    fn problem(switch: &str) -> String {
        problem_of("payload = '1464B'", switch)
    }

    fn problem_of(frames: &str, switch: &str) -> String {
        let text = format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '100ns' }} }}\n\
             class = [{{ priority = 0, lossless = true }}]\n\
             transport.raw = {{ kind = 'constant_rate', {frames} }}\n\
             workload = [{{ kind = 'permutation', transport = 'raw', size = '1MB' }}]\n\
             switch = [{{ kind = 'cioq', {switch} }}]"
        );
        let simulation =
            Scenario::from_toml(&text, &[]).and_then(|scenario| Simulation::new(&scenario, &Files::new()));
        simulation.map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
    }

    #[test]
    fn buffers_must_hold_what_they_promise() {
        for (switch, line) in [
            (
                "input = { xoff = '140kB' }",
                "input.xoff: switch0 leaves too little of 150kB for the 15040B that may come of each lossless class after its \
                 sender is told to pause; expected at most 134912B",
            ),
            (
                "input = { buffer = '10kB' }",
                "input.xoff: switch0 leaves too little of 10kB for the 15040B that may come of each lossless class after its \
                 sender is told to pause; expected a larger input.buffer, or fewer lossless classes",
            ),
            (
                "input = { buffer = '1kB' }",
                "input.buffer: switch0 has 1kB for each input, and a frame takes 1536B; expected room for at least one",
            ),
            (
                "output = { buffer = '1kB' }",
                "output.buffer: switch0 has 1kB for each output, and a frame of each of its 1 classes takes 1536B; \
                 expected room for at least one of each",
            ),
            (
                "total = '1MB'",
                "total: switch0 has queues at inputs and outputs, and no use for this key; \
                 expected `input`, `output` and `crossbar` instead",
            ),
            (
                "unit = '1B', input = { buffer = '5GB' }",
                "input.buffer: switch0 has 5GB there, which is 5000000000 units of 1B; \
                 expected at most 2147483648 units: a smaller buffer, or a larger `unit`",
            ),
            (
                "unit = '1B', output = { buffer = '4GiB' }",
                "output.buffer: switch0 has 4GiB there, which is 4294967296 units of 1B; \
                 expected at most 2147483648 units: a smaller buffer, or a larger `unit`",
            ),
            (
                "input = { xoff = '134912B' }, output = { congestion_point = { sampling = 'arrival' } }",
                "input.xoff: switch0 leaves too little of 150kB for the 15040B that may come of each lossless class after its \
                 sender is told to pause, and 256B of CNMs; expected at most 134656B",
            ),
            (
                "reliable_delivery = true",
                "reliable_delivery: switch0 has no link with credits, and no use for this key; \
                 expected a link with flow_control = \"credits\", or not this key",
            ),
            (
                "internal = { input = '10kB' }",
                "internal: switch0 has no link with credits, and no use for this key; \
                 expected a link with flow_control = \"credits\", or not this key",
            ),
            (
                "crossbar = { matching = 'islip', speedup = 0 }",
                "crossbar.speedup: 0 is too small; expected a value above 0",
            ),
        ] {
            assert_eq!(problem(switch), format!("switch[0].{line}"));
        }
        assert_eq!(problem("input = { buffer = '20kB' }"), "accepted");
        assert_eq!(problem("input = { xoff = '134912B' }"), "accepted");
    }

    #[test]
    fn where_there_are_messages_buffers_hold_one_of_them() {
        let small = |point| {
            problem_of(
                "payload = '1B', headers = '10B'",
                &format!("unit = '1B', output = {{ buffer = '50B' }}, input = {{ buffer = '60kB'{point} }}"),
            )
        };
        assert_eq!(small(""), "accepted");
        assert_eq!(
            small(", congestion_point = { sampling = 'arrival' }"),
            "switch[0].output.buffer: switch0 has 50B for each output, and a frame of each of its 1 classes takes 64B; \
             expected room for at least one of each"
        );
    }

    #[test]
    fn congestion_points_must_have_something_to_measure() {
        let point =
            |settings: &str| problem(&format!("input.congestion_point = {{ sampling = {settings} }}"));
        assert_eq!(point("'occupancy', set_point = '60kB', keep_alive = '20us'"), "accepted");
        let at = "switch[0].input.congestion_point";
        assert_eq!(
            point("'arrival', keep_alive = '20us'"),
            format!(
                "{at}.keep_alive: switch0 would measure while nothing arrives, and there is no arrival to blame; \
                 expected another sampling, or no keep_alive"
            )
        );
        assert_eq!(
            problem("output.congestion_point = { sampling = 'occupancy' }"),
            "switch[0].output.congestion_point: switch0 samples the occupancy of outputs, which send in the order of arrival; \
             expected sampling = \"arrival\", or the congestion point in `input`"
        );
    }

    /// A class has 40 kB until it pauses, and 15040 B after that.
    #[test]
    fn set_points_are_below_what_a_class_can_have() {
        let at_input = |rest: &str| problem(&format!("input = {{ {rest} }}"));
        let point =
            |set_point| format!("congestion_point = {{ sampling = 'occupancy', set_point = '{set_point}' }}");
        let refused = |side: &str, set_point: &str, most: &str, remedy: &str| {
            format!(
                "switch[0].{side}.congestion_point.set_point: switch0 has a set point of {set_point}, and no class has ever more \
                 than {most} there; expected less than that, or a {remedy}"
            )
        };
        assert_eq!(at_input(&point("150kB")), refused("input", "150kB", "149952B", "larger input.buffer"));
        assert_eq!(
            at_input(&format!("xoff = '40kB', {}", point("60kB"))),
            refused("input", "60kB", "55040B", "higher input.xoff")
        );
        assert_eq!(at_input(&format!("xoff = '40kB', {}", point("55kB"))), "accepted");
        assert_eq!(
            problem(
                "output = { buffer = '20kB', congestion_point = { sampling = 'arrival', set_point = '20kB' } }"
            ),
            refused("output", "20kB", "19968B", "larger output.buffer")
        );
    }

    #[test]
    fn markers_fit_what_they_sit_on() {
        let marking =
            |side: &str, marker: &str| problem(&format!("{side} = {{ marking = {{ kind = {marker} }} }}"));
        for side in ["input", "output"] {
            assert_eq!(marking(side, "'threshold', threshold = '100kB'"), "accepted");
            assert_eq!(
                marking(side, "'red', minimum = '100kB', maximum = '150kB', probability = 0.1"),
                format!(
                    "switch[0].{side}.marking: switch0 has a marker set to 150kB, and no class has ever more than 149952B there; \
                     expected less than that, or a larger {side}.buffer"
                )
            );
            assert_eq!(
                marking(side, "'codel'"),
                format!(
                    "switch[0].{side}.marking: switch0 cannot have this marker: codel drops what leaves a queue of a switch; \
                     expected it in marking.queue of a switch with a shared memory"
                )
            );
        }
        assert_eq!(
            problem("marking.queue = { kind = 'threshold', threshold = '100kB' }"),
            "switch[0].marking: switch0 has queues at inputs and outputs, and no use for this key; \
             expected input.marking or output.marking instead"
        );
    }

    #[test]
    fn senders_resume_below_where_they_pause() {
        assert_eq!(problem("input = { xoff = '110kB', xon = '44kB' }"), "accepted");
        assert_eq!(
            problem("input = { xoff = '44kB', xon = '110kB' }"),
            "switch[0].input.xon: switch0 resumes at 110kB, which is not below its xoff; \
             expected less than 44kB, where senders pause"
        );
    }
}
