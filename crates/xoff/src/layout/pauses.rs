//! What `[pfc]` comes to on the links of a switch, of either kind: when a pause takes effect, what may come until then, and when it
//! is said again.

use super::Subject;
use crate::kernel::units::{Bytes, Rate, Span};
use crate::packet::CNM_FRAME;
use crate::pause_frames;
use crate::plan::headroom::{self, Headroom, PAUSE_FRAME, QUANTUM};
use crate::scenario::{PauseForm, Pfc, ScenarioError, Transport};
use crate::switch::cell::Cell;
use crate::topology::Link;

/// Quanta between the arrival of a pause frame at a port of this rate and its effect.
pub fn reaction_quanta(pfc: &Pfc, rate: Rate) -> u16 {
    pfc.reaction_quanta.unwrap_or_else(|| headroom::reaction_quanta(rate))
}

impl Subject<'_> {
    /// The most that may come of one class over a link after the switch has decided to pause it: its headroom.
    pub(super) fn after_pause(&self, link: &Link, pool_may_be_full: bool) -> Bytes {
        let &Link { rate, delay, .. } = link;
        let largest = self.largest_on_wire();
        let reaction_quanta = reaction_quanta(&self.scenario.pfc, rate);
        Headroom::of(&headroom::Link { rate, delay, largest, reaction_quanta, pool_may_be_full }).total()
    }

    /// The largest frame of any transport, or of a message of a congestion point if there is one anywhere.
    pub(super) fn largest_frame(&self) -> Bytes {
        self.scenario.largest_frame().max(self.of_cnms(CNM_FRAME))
    }

    /// The same as links carry it: a message is as long there as a pause frame.
    fn largest_on_wire(&self) -> Bytes {
        self.scenario.largest_packet_on_wire().max(self.of_cnms(PAUSE_FRAME))
    }

    fn of_cnms(&self, size: Bytes) -> Bytes {
        if self.scenario.congestion_points().next().is_some() { size } else { Bytes::ZERO }
    }

    /// The most memory in these cells that so many bytes on the wire can take, whatever packets they are.
    pub(super) fn most_taken(&self, wire: Bytes, cell: Cell) -> Bytes {
        let by = |transport: &Transport| {
            cell.most_taken(wire, transport.frames(), transport.packet_sizes().wire_overhead)
        };
        self.scenario.transport.values().map(by).max().unwrap_or(wire)
    }
}

/// What a switch with lossless classes says, and when it says it again.
pub(super) fn pause_frames(subject: &Subject<'_>) -> Result<pause_frames::Settings, ScenarioError> {
    let pfc = &subject.scenario.pfc;
    if pfc.form == PauseForm::Quanta {
        check_quanta(pfc.pause_quanta, subject.largest_on_wire())?;
    }
    Ok(pause_frames_over(pfc, subject.links().map(|link| link.rate)))
}

/// What a node says over links of these rates, and when it says it again.
pub fn pause_frames_over(pfc: &Pfc, rates: impl Iterator<Item = Rate>) -> pause_frames::Settings {
    let half = u64::from(pfc.pause_quanta) / 2;
    let repeat_after: Vec<Span> = rates.map(|rate| rate.transmission_time(QUANTUM) * half).collect();
    pause_frames::Settings {
        ports: repeat_after.len(),
        quanta: pfc.pause_quanta,
        repeat_after: (pfc.form == PauseForm::Quanta).then_some(repeat_after),
    }
}

/// A pause is said again when half of it is over, and that frame may wait for the largest packet to leave the wire.
fn check_quanta(quanta: u16, largest: Bytes) -> Result<(), ScenarioError> {
    let wait = (largest + PAUSE_FRAME).get().div_ceil(QUANTUM.get());
    if u64::from(quanta / 2) >= wait {
        return Ok(());
    }
    let problem = format!("of {quanta} is over before it can be said again behind a packet of {largest}");
    Err(ScenarioError::at("pfc.pause_quanta", problem, format!("expected at least {}", 2 * wait)))
}
