//! From what is said of a switch with queues at inputs and outputs to the sizes of its buffers, in units.

use super::Subject;
use super::pauses::pause_frames;
use crate::kernel::bit_set::BitSet;
use crate::kernel::rng::Rng;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Rate};
use crate::packet::PRIORITIES;
use crate::pfc::Reactions;
use crate::plan::headroom::PAUSE_FRAME;
use crate::port::Port;
use crate::routing::SwitchRoutes;
use crate::scenario::{
    CioqSettings, Internal, Queues, ScenarioError, SwitchKind, SwitchSettings, SwitchTable,
};
use crate::scheduler;
use crate::switch::cioq::{CongestionPoints, Downstream, Parts, Sizes, Thresholds, Voqs};
use crate::switch::congestion_point::{self, CongestionPoint};
use crate::switch::matching;
use crate::switch::pause_frames::Settings as PauseFrames;
use crate::topology::{Link, NodeId};

/// One switch with queues at inputs and outputs before the run.
#[derive(Clone, Debug)]
pub struct CioqLayout {
    classes: u8,
    lossless: u8,
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
    /// Which queue of a port sends next.
    pub scheduler: scheduler::Parameters,
}

impl CioqLayout {
    /// What the switch is built from; `rng` is the stream of a congestion point, by its number in the network.
    pub fn parts(
        &self,
        ports: Vec<Port>,
        reactions: Reactions,
        routes: SwitchRoutes,
        rng: impl Fn(u64) -> Rng,
    ) -> Parts {
        let congestion_points = self.congestion_points(&ports, rng);
        Parts {
            hosts: self.hosts,
            downstream: self.downstream.clone(),
            reliable_delivery: self.reliable_delivery,
            congestion_points,
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

    /// One for each class of each port whose link has no credits, at inputs, outputs or both.
    fn congestion_points(&self, ports: &[Port], rng: impl Fn(u64) -> Rng) -> CongestionPoints {
        let of = |parameters: &congestion_point::Parameters, side: u64| {
            let points = ports.iter().zip(&self.downstream).flat_map(|(port, downstream)| {
                let rng = &rng;
                (0..PRIORITIES).map(move |class| {
                    let has_one = downstream.is_none() && self.classes & 1 << class != 0;
                    let number = (u64::from(port.id()) * PRIORITIES as u64 + class as u64) * 2 + side;
                    has_one.then(|| CongestionPoint::new(parameters, rng(number)))
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

    /// The rate of its crossbar.
    pub fn crossbar(&self) -> Rate {
        self.crossbar
    }
}

/// What the settings of a switch come to.
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
    let sizes = subject.sizes(&cioq, lossless)?;
    let fastest = subject.links().map(|link| link.rate).max().unwrap_or_default();
    subject.check_congestion_points(&cioq)?;
    let downstream = subject.downstream()?;
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
        thresholds: sizes.thresholds,
        sizes: sizes.sizes,
        pause_frames: (lossless != 0).then(|| pause_frames(subject)).transpose()?,
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

/// Sizes and thresholds that fit each other.
struct Fitting {
    sizes: Sizes,
    thresholds: Thresholds,
}

/// The smallest frame with its preamble and gap.
const SMALLEST_ON_WIRE: Bytes = PAUSE_FRAME;

impl Subject<'_> {
    fn refuse_cioq(&self, key: &str, problem: &str, expected: &str) -> ScenarioError {
        let says = |table: &SwitchTable| match key.split('.').next() {
            Some("input") => table.input.is_some(),
            Some("output") => table.output.is_some(),
            Some("unit") => table.unit.is_some(),
            Some("internal") => table.internal.is_some(),
            Some("reliable_delivery") => table.reliable_delivery.is_some(),
            _ => table.kind.is_some(),
        };
        self.refuse(key, says, problem, expected)
    }

    fn sizes(&self, cioq: &CioqSettings, lossless: u8) -> Result<Fitting, ScenarioError> {
        let CioqSettings { unit, input, output, .. } = cioq;
        let units = |bytes: Bytes| (bytes.get() / unit.get()) as u32;
        let frame = self.scenario.largest_frame();
        let largest = frame.get().div_ceil(unit.get()) as u32;
        let classes = self.fabric.classes.count_ones();
        let of_output = units(output.buffer) / classes.max(1);
        let of_frame = *unit * u64::from(largest);
        if of_output < largest {
            let problem = format!(
                "has {} for each output, and a frame of each of its {classes} classes takes {of_frame}",
                output.buffer
            );
            return Err(self.refuse_cioq(
                "output.buffer",
                &problem,
                "expected room for at least one of each",
            ));
        }
        let buffer = units(input.buffer);
        if buffer < largest {
            let problem = format!("has {} for each input, and a frame takes {of_frame}", input.buffer);
            return Err(self.refuse_cioq("input.buffer", &problem, "expected room for at least one"));
        }
        let Internal { input: internal_input, output: internal_output } = cioq.internal;
        let has_credits = self.links().any(Link::has_credits);
        for (key, size) in [("internal.input", internal_input), ("internal.output", internal_output)] {
            if has_credits && units(size) / classes.max(1) < largest {
                let problem = format!(
                    "has {size} there, and a frame of each of its {classes} classes takes {of_frame}"
                );
                return Err(self.refuse_cioq(key, &problem, "expected room for at least one of each"));
            }
        }
        let mut sizes = Sizes {
            unit: *unit,
            largest,
            input: buffer,
            lossy: buffer,
            output: of_output,
            internal_input: units(internal_input) / classes.max(1),
            internal_output: units(internal_output) / classes.max(1),
        };
        let mut thresholds = Thresholds { xoff: buffer, xon: buffer };
        if lossless != 0 {
            let count = lossless.count_ones();
            let later = self.units_after_pause(*unit) + largest;
            let most = (buffer / count).checked_sub(later).filter(|&most| most > 0);
            let has_lossy = self.fabric.classes & !lossless != 0;
            // Classes that are not lossless have together as much as one that is.
            let equal = (buffer / (count + u32::from(has_lossy))).checked_sub(later);
            let xoff = input.xoff.map_or(equal, |xoff| Some(units(xoff)));
            let Some(xoff) = xoff.filter(|&xoff| most.is_some_and(|most| xoff <= most)) else {
                let still = *unit * u64::from(later);
                let problem = format!(
                    "leaves too little of {} for the {still} that may come of each lossless class after its sender is told to pause",
                    input.buffer
                );
                let expected = match most {
                    Some(most) => format!("expected at most {}", *unit * u64::from(most)),
                    None => "expected a larger input.buffer, or fewer lossless classes".to_owned(),
                };
                return Err(self.refuse_cioq("input.xoff", &problem, &expected));
            };
            let xon = input.xon.map_or(xoff.saturating_sub(2 * largest), units);
            if xon >= xoff {
                let xoff = input.xoff.unwrap_or(*unit * u64::from(xoff));
                let problem =
                    format!("resumes at {}, which is not below its xoff", input.xon.unwrap_or_default());
                let expected = format!("expected less than {xoff}, where senders pause");
                return Err(self.refuse_cioq("input.xon", &problem, &expected));
            }
            sizes.lossy = buffer - count * (xoff + later);
            thresholds = Thresholds { xoff, xon };
            if has_lossy && sizes.lossy < largest {
                let problem =
                    format!("leaves {} for classes that are not lossless", *unit * u64::from(sizes.lossy));
                let expected =
                    format!("expected at least {frame} for them: a larger buffer, or a lower xoff");
                return Err(self.refuse_cioq("input.buffer", &problem, &expected));
            }
        }
        Ok(Fitting { sizes, thresholds })
    }

    /// The buffers at the other ends of links with credits.
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
            if link.error_rate.numerator() != 0 {
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
            let classes = self.fabric.classes.count_ones().max(1);
            let largest = self.scenario.largest_frame().get().div_ceil(unit.get()) as u32;
            Ok(Some(Downstream {
                unit,
                units: (internal.input.get() / unit.get()) as u32 / classes,
                largest,
            }))
        };
        self.ends().map(of_link).collect()
    }

    /// Refuses congestion points that could measure nothing.
    fn check_congestion_points(&self, cioq: &CioqSettings) -> Result<(), ScenarioError> {
        let points = [
            ("input", cioq.input.buffer, &cioq.input.congestion_point),
            ("output", cioq.output.buffer, &cioq.output.congestion_point),
        ];
        for (side, buffer, point) in points {
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
            let set_point = point.settings().set_point;
            if set_point >= buffer {
                let problem = format!("has a set point of {set_point} in a buffer of {buffer}");
                return Err(self.refuse_cioq(
                    &format!("{key}.set_point"),
                    &problem,
                    "expected one below the buffer",
                ));
            }
        }
        Ok(())
    }

    /// The most that may come by any port after its sender is told to pause: the headroom, and what small frames leave of their
    /// units.
    fn units_after_pause(&self, unit: Bytes) -> u32 {
        let bytes = self.links().map(|link| self.after_pause(link, false)).max().unwrap_or_default();
        let frames = bytes.get().div_ceil(SMALLEST_ON_WIRE.get());
        (bytes.get() + frames * (unit.get() - 1)).div_ceil(unit.get()) as u32
    }

    /// Refuses keys that a switch of this kind has no use for.
    pub(super) fn check_kind(&self, kind: SwitchKind) -> Result<(), ScenarioError> {
        type Key = (&'static str, fn(&SwitchTable) -> bool);
        const OF_SHARED_MEMORY: &[Key] = &[
            ("chip", |table| table.chip.is_some()),
            ("total", |table| table.total.is_some()),
            ("shared_per_pool", |table| table.shared_per_pool.is_some()),
            ("ports_per_pool", |table| table.ports_per_pool.is_some()),
            ("pools", |table| table.pools.is_some()),
            ("reserved_per_queue", |table| table.reserved_per_queue.is_some()),
            ("reserved_per_port", |table| table.reserved_per_port.is_some()),
            ("buffer", |table| table.buffer.is_some()),
            ("marking", |table| table.marking.is_some()),
            ("release", |table| table.release.is_some()),
            ("pfc", |table| table.pfc.is_some()),
            ("quirks", |table| table.quirks.is_some()),
        ];
        const OF_CIOQ: &[Key] = &[
            ("unit", |table| table.unit.is_some()),
            ("input", |table| table.input.is_some()),
            ("output", |table| table.output.is_some()),
            ("internal", |table| table.internal.is_some()),
            ("reliable_delivery", |table| table.reliable_delivery.is_some()),
            ("crossbar", |table| table.crossbar.is_some()),
        ];
        let (keys, has, expected) = match kind {
            SwitchKind::SharedMemory => {
                (OF_CIOQ, "one shared memory", "expected kind = \"cioq\", or not this key")
            }
            SwitchKind::Cioq => (
                OF_SHARED_MEMORY,
                "queues at inputs and outputs",
                "expected `input`, `output` and `crossbar` instead",
            ),
        };
        if kind == SwitchKind::SharedMemory && self.links().any(Link::has_credits) {
            let expected = "expected kind = \"cioq\" for it, or flow_control = \"pause\" on its links";
            return Err(self.refuse_cioq(
                "kind",
                "has a link with credits, which a shared memory does not give",
                expected,
            ));
        }
        for (key, says) in keys {
            let matching = self.scenario.switch.iter();
            if matching.filter(|table| table.matches(self.name)).any(says) {
                return Err(self.refuse(key, says, &format!("has {has}, and no use for this key"), expected));
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
        let text = format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '100ns' }} }}\n\
             class = [{{ priority = 0, lossless = true }}]\n\
             transport.raw = {{ kind = 'constant_rate', payload = '1464B' }}\n\
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
                "crossbar = { matching = 'islip', speedup = 0 }",
                "crossbar.speedup: 0 is too small; expected a value above 0",
            ),
        ] {
            assert_eq!(problem(switch), format!("switch[0].{line}"));
        }
        assert_eq!(problem("input = { buffer = '20kB' }"), "accepted");
    }

    #[test]
    fn congestion_points_must_have_something_to_measure() {
        let point =
            |settings: &str| problem(&format!("input.congestion_point = {{ sampling = {settings} }}"));
        assert_eq!(point("'occupancy', set_point = '60kB', keep_alive = '20us'"), "accepted");
        let at = "switch[0].input.congestion_point";
        assert_eq!(
            point("'occupancy', set_point = '150kB'"),
            format!(
                "{at}.set_point: switch0 has a set point of 150kB in a buffer of 150kB; expected one below the buffer"
            )
        );
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
