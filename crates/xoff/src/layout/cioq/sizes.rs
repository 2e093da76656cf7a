//! Sizes of the buffers at inputs and outputs, and the thresholds at which senders pause, in units of the switch's
//! memory.

use crate::classes::Classes;
use crate::kernel::units::Bytes;
use crate::layout::Subject;
use crate::packet::CNM_FRAME;
use crate::plan::headroom::PAUSE_FRAME;
use crate::scenario::{CioqSettings, ScenarioError};
use crate::switch::cioq::{Downstream, Sizes, Thresholds};

/// Smallest frame on the wire, with preamble and gap.
const SMALLEST_ON_WIRE: Bytes = PAUSE_FRAME;

/// Most units of one buffer, so that a buffer and a frame together are counted in 32 bits.
const MOST_UNITS: u64 = 1 << 31;

/// Units in which a switch's memory is counted.
pub(super) struct Units {
    /// Bytes of one unit.
    unit: Bytes,
    /// Number of classes in use, each with an equal part of a buffer.
    classes: u64,
    /// Units of the largest frame.
    largest: u64,
}

impl Units {
    /// Returns the whole units in `bytes`.
    fn whole(&self, bytes: Bytes) -> u64 {
        bytes.get() / self.unit.get()
    }

    /// Returns the units that a frame takes.
    fn of_frame(&self, frame: Bytes) -> u64 {
        frame.get().div_ceil(self.unit.get())
    }

    /// Returns the units that each class has of a buffer.
    fn of_class(&self, buffer: Bytes) -> u64 {
        self.whole(buffer) / self.classes.max(1)
    }

    /// Returns the bytes of `units` units.
    fn bytes(&self, units: u64) -> Bytes {
        self.unit * units
    }

    /// Returns the buffer of an input on a link with credits.
    pub(super) fn downstream(&self, buffer: Bytes) -> Downstream {
        Downstream { unit: self.unit, units: self.of_class(buffer) as u32, largest: self.largest as u32 }
    }
}

/// Parts of an input's buffer, in units.
struct Parts {
    /// Units of a lossless class at which its sender pauses.
    xoff: u64,
    /// Units of a lossless class at which its sender resumes.
    xon: u64,
    /// Units that all lossy classes share.
    lossy: u64,
    /// Most units that any one class can have.
    most: u64,
}

/// Most bytes that any class can have on one side of a switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    bytes: Bytes,
    /// Change of the settings that would raise the most bytes of a class.
    remedy: &'static str,
}

impl Subject<'_> {
    /// Returns the units of a memory with `unit` bytes each.
    pub(super) fn units(&self, unit: Bytes) -> Units {
        let largest = self.largest_frame().get().div_ceil(unit.get());
        Units { unit, classes: self.fabric.classes.count().into(), largest }
    }

    /// Computes the sizes of all buffers, the thresholds that fit them, and the most bytes of a class at inputs and at
    /// outputs.
    pub(super) fn sizes(
        &self,
        cioq: &CioqSettings,
        lossless: Classes,
    ) -> Result<(Sizes, Thresholds, [Most; 2]), ScenarioError> {
        let units = self.units(cioq.unit);
        self.check_buffers(cioq, &units)?;
        let parts = self.parts(cioq, lossless, &units)?;
        let most = Self::mosts(cioq, &parts, &units);
        self.check_set_points(cioq, most)?;
        // Checked to fit.
        let small = |units: u64| units as u32;
        let sizes = Sizes {
            unit: cioq.unit,
            largest: small(units.largest),
            input: small(units.whole(cioq.input.buffer)),
            lossy: small(parts.lossy),
            output: small(units.of_class(cioq.output.buffer)),
            internal_input: small(units.of_class(cioq.internal.input)),
            internal_output: small(units.of_class(cioq.internal.output)),
        };
        Ok((sizes, Thresholds { xoff: small(parts.xoff), xon: small(parts.xon) }, most))
    }

    /// Rejects buffers that cannot hold the largest frame, or have more units than can be counted.
    fn check_buffers(&self, cioq: &CioqSettings, units: &Units) -> Result<(), ScenarioError> {
        let CioqSettings { input, output, internal, .. } = cioq;
        self.check_count("input.buffer", input.buffer, units)?;
        self.check_parts("output.buffer", output.buffer, "for each output", units)?;
        if units.whole(input.buffer) < units.largest {
            let frame = units.bytes(units.largest);
            let problem = format!("has {} for each input, and a frame takes {frame}", input.buffer);
            return Err(self.refuse_cioq("input.buffer", &problem, "expected room for at least one"));
        }
        if self.has_credits() {
            self.check_parts("internal.input", internal.input, "there", units)?;
            self.check_parts("internal.output", internal.output, "there", units)?;
        }
        Ok(())
    }

    /// Rejects a buffer of more units than can be counted.
    fn check_count(&self, key: &str, buffer: Bytes, units: &Units) -> Result<(), ScenarioError> {
        let count = units.whole(buffer);
        if count <= MOST_UNITS {
            return Ok(());
        }
        let problem = format!("has {buffer} there, which is {count} units of {}", units.unit);
        let expected = format!("expected at most {MOST_UNITS} units: a smaller buffer, or a larger `unit`");
        Err(self.refuse_cioq(key, &problem, &expected))
    }

    /// Rejects a buffer in which the part of a class cannot hold the largest frame.
    fn check_parts(&self, key: &str, buffer: Bytes, place: &str, units: &Units) -> Result<(), ScenarioError> {
        self.check_count(key, buffer, units)?;
        if units.of_class(buffer) >= units.largest {
            return Ok(());
        }
        let (classes, frame) = (units.classes, units.bytes(units.largest));
        let problem =
            format!("has {buffer} {place}, and a frame of each of its {classes} classes takes {frame}");
        Err(self.refuse_cioq(key, &problem, "expected room for at least one of each"))
    }

    /// Divides the buffer of an input among classes.
    ///
    /// A lossless class has the units up to its pause threshold and those that may come after a pause. All lossy
    /// classes share the rest, with the CNMs that outputs send by way of their own inputs.
    fn parts(&self, cioq: &CioqSettings, lossless: Classes, units: &Units) -> Result<Parts, ScenarioError> {
        let buffer = units.whole(cioq.input.buffer);
        if lossless.is_empty() {
            return Ok(Parts { xoff: buffer, xon: buffer, lossy: buffer, most: buffer });
        }
        let later = self.units_after_pause(units);
        let xoff = self.xoff(cioq, lossless, later, units)?;
        let xon = self.xon(cioq, xoff, units)?;
        let of_class = xoff + later;
        let lossy = buffer - u64::from(lossless.count()) * of_class;
        let most = if self.has_lossy(lossless) { of_class.max(lossy) } else { of_class };
        Ok(Parts { xoff, xon, lossy, most })
    }

    /// Returns the allocation units at which senders of lossless classes resume (XON).
    fn xon(&self, cioq: &CioqSettings, xoff: u64, units: &Units) -> Result<u64, ScenarioError> {
        let input = &cioq.input;
        let xon = input.xon.map_or(xoff.saturating_sub(2 * units.largest), |xon| units.whole(xon));
        if xon < xoff {
            return Ok(xon);
        }
        let problem = format!("resumes at {}, which is not below its xoff", input.xon.unwrap_or_default());
        let xoff = input.xoff.unwrap_or(units.bytes(xoff));
        let expected = format!("expected less than {xoff}, where senders pause");
        Err(self.refuse_cioq("input.xon", &problem, &expected))
    }

    /// Returns the units at which senders of lossless classes pause; `later` units of a class may arrive after the
    /// pause.
    fn xoff(
        &self,
        cioq: &CioqSettings,
        lossless: Classes,
        later: u64,
        units: &Units,
    ) -> Result<u64, ScenarioError> {
        let input = &cioq.input;
        let (count, cnms) = (u64::from(lossless.count()), self.units_of_cnms(cioq, units));
        let buffer = units.whole(input.buffer).saturating_sub(cnms);
        let has_lossy = u64::from(self.has_lossy(lossless));
        let of_lossless = buffer.saturating_sub(has_lossy * units.largest);
        let most = (of_lossless / count).checked_sub(later).filter(|&most| most > 0);
        // Classes that are not lossless have together as much as one that is, or a frame where there is not that much.
        let equal = (buffer / (count + has_lossy)).checked_sub(later).filter(|&equal| equal > 0);
        let xoff = input.xoff.map_or(equal.or(most), |xoff| Some(units.whole(xoff)));
        if let Some(xoff) = xoff.filter(|&xoff| most.is_some_and(|most| xoff <= most)) {
            return Ok(xoff);
        }
        let of_cnms = if cnms > 0 { format!(", and {} of CNMs", units.bytes(cnms)) } else { String::new() };
        let problem = format!(
            "leaves too little of {} for the {} that may come of each lossless class after its sender is told to pause{of_cnms}",
            input.buffer,
            units.bytes(later)
        );
        let expected = match most {
            Some(most) => format!("expected at most {}", units.bytes(most)),
            None => "expected a larger input.buffer, or fewer lossless classes".to_owned(),
        };
        Err(self.refuse_cioq("input.xoff", &problem, &expected))
    }

    /// Units kept in an input for CNMs of its output, which no pause holds back: a CNM for each queue that it may wait
    /// in.
    fn units_of_cnms(&self, cioq: &CioqSettings, units: &Units) -> u64 {
        let queues = if cioq.output.congestion_point.is_some() { self.links().count() } else { 0 };
        queues as u64 * units.of_frame(CNM_FRAME)
    }

    /// Returns the most bytes that any class can have at an input and at an output.
    fn mosts(cioq: &CioqSettings, parts: &Parts, units: &Units) -> [Most; 2] {
        let of_input = if cioq.input.xoff.is_some() { "higher input.xoff" } else { "larger input.buffer" };
        let of_output = units.of_class(cioq.output.buffer);
        [(parts.most, of_input), (of_output, "larger output.buffer")]
            .map(|(most, remedy)| Most { bytes: units.bytes(most), remedy })
    }

    /// Rejects set points that no queue of a class can exceed.
    fn check_set_points(&self, cioq: &CioqSettings, most: [Most; 2]) -> Result<(), ScenarioError> {
        let CioqSettings { input, output, .. } = cioq;
        let points = [("input", &input.congestion_point), ("output", &output.congestion_point)];
        for ((side, point), most) in points.into_iter().zip(most) {
            if let Some(point) = point {
                let key = format!("{side}.congestion_point.set_point");
                self.check_reached(&key, "a set point of", point.settings().set_point, most)?;
            }
        }
        Ok(())
    }

    /// Rejects a threshold that no queue of a class can exceed.
    pub(super) fn check_reached(
        &self,
        key: &str,
        what: &str,
        length: Bytes,
        most: Most,
    ) -> Result<(), ScenarioError> {
        let Most { bytes, remedy } = most;
        if length < bytes {
            return Ok(());
        }
        let problem = format!("has {what} {length}, and no class has ever more than {bytes} there");
        Err(self.refuse_cioq(key, &problem, &format!("expected less than that, or a {remedy}")))
    }

    fn has_lossy(&self, lossless: Classes) -> bool {
        !(self.fabric.classes - lossless).is_empty()
    }

    /// Most units of a class that may arrive by any port after its sender was told to pause: the headroom, the unused
    /// ends of units, and the frame that triggered the pause.
    fn units_after_pause(&self, units: &Units) -> u64 {
        let unit = units.unit.get();
        let bytes = self.links().map(|link| self.after_pause(link, false)).max().unwrap_or_default();
        let frames = bytes.get().div_ceil(SMALLEST_ON_WIRE.get());
        (bytes.get() + frames * (unit - 1)).div_ceil(unit) + units.largest
    }
}
