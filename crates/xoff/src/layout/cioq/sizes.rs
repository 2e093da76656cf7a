//! How large the buffers of inputs and outputs are, and when senders pause, in units of the switch's memory.

use crate::kernel::units::Bytes;
use crate::layout::Subject;
use crate::plan::headroom::PAUSE_FRAME;
use crate::scenario::{CioqSettings, ScenarioError};
use crate::switch::cioq::{Sizes, Thresholds};
use crate::topology::Link;

/// The smallest frame with its preamble and gap.
const SMALLEST_ON_WIRE: Bytes = PAUSE_FRAME;

/// The memory of one switch, which is counted in units.
pub(super) struct Units {
    /// Bytes of a unit.
    unit: Bytes,
    /// Classes in use, which have equal parts of a buffer.
    classes: u32,
    /// Units of the largest frame.
    pub(super) largest: u32,
}

impl Units {
    /// Whole units in so many bytes.
    fn whole(&self, bytes: Bytes) -> u32 {
        (bytes.get() / self.unit.get()) as u32
    }

    /// Of a buffer of so many bytes, the part of each class.
    pub(super) fn of_class(&self, buffer: Bytes) -> u32 {
        self.whole(buffer) / self.classes.max(1)
    }

    /// Bytes of so many units.
    fn bytes(&self, units: u32) -> Bytes {
        self.unit * u64::from(units)
    }
}

impl Subject<'_> {
    /// Memory in units of so many bytes.
    pub(super) fn units(&self, unit: Bytes) -> Units {
        let largest = self.scenario.largest_frame().get().div_ceil(unit.get()) as u32;
        Units { unit, classes: self.fabric.classes.count_ones(), largest }
    }

    /// Sizes of all buffers, and the thresholds that fit them.
    pub(super) fn sizes(
        &self,
        cioq: &CioqSettings,
        lossless: u8,
    ) -> Result<(Sizes, Thresholds), ScenarioError> {
        let units = self.units(cioq.unit);
        self.check_buffers(cioq, &units)?;
        let buffer = units.whole(cioq.input.buffer);
        let sizes = Sizes {
            unit: cioq.unit,
            largest: units.largest,
            input: buffer,
            lossy: buffer,
            output: units.of_class(cioq.output.buffer),
            internal_input: units.of_class(cioq.internal.input),
            internal_output: units.of_class(cioq.internal.output),
        };
        if lossless == 0 {
            return Ok((sizes, Thresholds { xoff: buffer, xon: buffer }));
        }
        let later = self.units_after_pause(&units);
        let thresholds = self.thresholds(cioq, lossless, later, &units)?;
        let lossy = buffer - lossless.count_ones() * (thresholds.xoff + later);
        if self.has_lossy(lossless) && lossy < units.largest {
            let problem = format!("leaves {} for classes that are not lossless", units.bytes(lossy));
            let frame = self.scenario.largest_frame();
            let expected = format!("expected at least {frame} for them: a larger buffer, or a lower xoff");
            return Err(self.refuse_cioq("input.buffer", &problem, &expected));
        }
        Ok((Sizes { lossy, ..sizes }, thresholds))
    }

    /// Refuses buffers that cannot hold the largest frame.
    fn check_buffers(&self, cioq: &CioqSettings, units: &Units) -> Result<(), ScenarioError> {
        let CioqSettings { input, output, internal, .. } = cioq;
        self.check_parts("output.buffer", output.buffer, "for each output", units)?;
        if units.whole(input.buffer) < units.largest {
            let frame = units.bytes(units.largest);
            let problem = format!("has {} for each input, and a frame takes {frame}", input.buffer);
            return Err(self.refuse_cioq("input.buffer", &problem, "expected room for at least one"));
        }
        if self.links().any(Link::has_credits) {
            self.check_parts("internal.input", internal.input, "there", units)?;
            self.check_parts("internal.output", internal.output, "there", units)?;
        }
        Ok(())
    }

    /// Refuses a buffer in which the part of a class cannot hold the largest frame.
    fn check_parts(&self, key: &str, buffer: Bytes, place: &str, units: &Units) -> Result<(), ScenarioError> {
        if units.of_class(buffer) >= units.largest {
            return Ok(());
        }
        let (classes, frame) = (units.classes, units.bytes(units.largest));
        let problem =
            format!("has {buffer} {place}, and a frame of each of its {classes} classes takes {frame}");
        Err(self.refuse_cioq(key, &problem, "expected room for at least one of each"))
    }

    /// When senders of lossless classes pause and resume; `later` is what may come of each after that.
    fn thresholds(
        &self,
        cioq: &CioqSettings,
        lossless: u8,
        later: u32,
        units: &Units,
    ) -> Result<Thresholds, ScenarioError> {
        let input = &cioq.input;
        let xoff = self.xoff(cioq, lossless, later, units)?;
        let xon = input.xon.map_or(xoff.saturating_sub(2 * units.largest), |xon| units.whole(xon));
        if xon >= xoff {
            let problem =
                format!("resumes at {}, which is not below its xoff", input.xon.unwrap_or_default());
            let xoff = input.xoff.unwrap_or(units.bytes(xoff));
            let expected = format!("expected less than {xoff}, where senders pause");
            return Err(self.refuse_cioq("input.xon", &problem, &expected));
        }
        Ok(Thresholds { xoff, xon })
    }

    fn xoff(
        &self,
        cioq: &CioqSettings,
        lossless: u8,
        later: u32,
        units: &Units,
    ) -> Result<u32, ScenarioError> {
        let input = &cioq.input;
        let (buffer, count) = (units.whole(input.buffer), lossless.count_ones());
        let most = (buffer / count).checked_sub(later).filter(|&most| most > 0);
        // Classes that are not lossless have together as much as one that is.
        let equal = (buffer / (count + u32::from(self.has_lossy(lossless)))).checked_sub(later);
        let xoff = input.xoff.map_or(equal, |xoff| Some(units.whole(xoff)));
        if let Some(xoff) = xoff.filter(|&xoff| most.is_some_and(|most| xoff <= most)) {
            return Ok(xoff);
        }
        let problem = format!(
            "leaves too little of {} for the {} that may come of each lossless class after its sender is told to pause",
            input.buffer,
            units.bytes(later)
        );
        let expected = match most {
            Some(most) => format!("expected at most {}", units.bytes(most)),
            None => "expected a larger input.buffer, or fewer lossless classes".to_owned(),
        };
        Err(self.refuse_cioq("input.xoff", &problem, &expected))
    }

    fn has_lossy(&self, lossless: u8) -> bool {
        self.fabric.classes & !lossless != 0
    }

    /// The most that may come of a class by any port after its sender is told to pause: the headroom, what small frames leave of
    /// their units, and the frame that asked for the pause.
    fn units_after_pause(&self, units: &Units) -> u32 {
        let unit = units.unit.get();
        let bytes = self.links().map(|link| self.after_pause(link, false)).max().unwrap_or_default();
        let frames = bytes.get().div_ceil(SMALLEST_ON_WIRE.get());
        (bytes.get() + frames * (unit - 1)).div_ceil(unit) as u32 + units.largest
    }
}
