//! From what is said of a switch with queues at inputs and outputs to the sizes of its buffers, in units.

use super::Subject;
use super::lossless::pause_frames;
use crate::kernel::bit_set::BitSet;
use crate::kernel::units::{Bytes, Rate};
use crate::pfc::Reactions;
use crate::plan::headroom::{Headroom, Link, PAUSE_FRAME, reaction_quanta};
use crate::port::Port;
use crate::routing::SwitchRoutes;
use crate::scenario::{CioqSettings, Queues, ScenarioError, SwitchKind, SwitchSettings, SwitchTable};
use crate::scheduler;
use crate::switch::cioq::{Parts, Sizes, Thresholds, Voqs};
use crate::switch::matching;
use crate::switch::pause_frames::Settings as PauseFrames;

/// One switch with queues at inputs and outputs before the run.
#[derive(Clone, Debug)]
pub struct CioqLayout {
    classes: u8,
    lossless: u8,
    sizes: Sizes,
    thresholds: Thresholds,
    pause_frames: Option<PauseFrames>,
    voqs: Voqs,
    crossbar: Rate,
    matching: matching::Parameters,
    /// Which queue of a port sends next.
    pub scheduler: scheduler::Parameters,
}

impl CioqLayout {
    /// What the switch is built from.
    pub fn parts(&self, ports: Vec<Port>, reactions: Reactions, routes: SwitchRoutes) -> Parts {
        Parts {
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
    let fastest = subject.links().map(|(rate, _)| rate).max().unwrap_or_default();
    Ok(CioqLayout {
        classes,
        lossless,
        thresholds: sizes.thresholds,
        sizes: sizes.sizes,
        pause_frames: (lossless != 0).then(|| pause_frames(subject)).transpose()?,
        voqs: match cioq.input.queues {
            Queues::PerOutput => Voqs::PerOutput,
            Queues::PerDestination => Voqs::PerDestination(subject.fabric.network.hosts),
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
        let mut sizes = Sizes { unit: *unit, largest, input: buffer, lossy: buffer, output: of_output };
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

    /// The most that may come by any port after its sender is told to pause: the headroom, and what small frames leave of their
    /// units.
    fn units_after_pause(&self, unit: Bytes) -> u32 {
        let largest = self.scenario.largest_packet_on_wire();
        let headroom = |(rate, delay)| {
            let quanta = self.scenario.pfc.reaction_quanta;
            let reaction_quanta = quanta.unwrap_or_else(|| reaction_quanta(rate));
            Headroom::of(&Link { rate, delay, largest, reaction_quanta, pool_may_be_full: false }).total()
        };
        let bytes = self.links().map(headroom).max().unwrap_or_default();
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
    fn senders_resume_below_where_they_pause() {
        assert_eq!(problem("input = { xoff = '110kB', xon = '44kB' }"), "accepted");
        assert_eq!(
            problem("input = { xoff = '44kB', xon = '110kB' }"),
            "switch[0].input.xon: switch0 resumes at 110kB, which is not below its xoff; \
             expected less than 44kB, where senders pause"
        );
    }
}
