//! Pauses on the links of a switch, from `[pfc]`: reaction time, bytes that arrive after a pause, and the time of its
//! repetition.

use super::Subject;
use crate::kernel::units::{Bytes, Rate, Span};
use crate::packet::CNM_FRAME;
use crate::pause_frames;
use crate::plan::headroom::{self, Headroom, PAUSE_FRAME, QUANTUM, meanwhile};
use crate::scenario::{PauseForm, Pfc, Scenario, ScenarioError, Transport};
use crate::switch::cell::Cell;
use crate::topology::{Link, NodeId};

/// Returns the quanta between the arrival of a pause frame at a port of this rate and its effect.
pub fn reaction_quanta(pfc: &Pfc, rate: Rate) -> u16 {
    pfc.reaction_quanta.unwrap_or_else(|| headroom::reaction_quanta(rate))
}

/// Returns the most bytes of one class that may arrive over a link after the node at one end has decided to pause it.
pub fn headroom_of(link: &Link, node: NodeId, pfc: &Pfc, largest: Bytes, pool_may_be_full: bool) -> Bytes {
    let (rate, pause_rate) = (link.rate_to(node), link.rate_from(node));
    let reaction_quanta = reaction_quanta(pfc, rate);
    let link =
        headroom::Link { rate, pause_rate, delay: link.delay, largest, reaction_quanta, pool_may_be_full };
    Headroom::of(&link).total()
}

impl Subject<'_> {
    /// Most bytes of one class that may arrive over a link after the switch has decided to pause it: its headroom.
    pub(super) fn after_pause(&self, link: &Link, pool_may_be_full: bool) -> Bytes {
        headroom_of(link, self.node, &self.scenario.pfc, self.largest_on_wire(), pool_may_be_full)
    }

    /// Largest frame of any transport, or of a congestion notification message if any switch has a congestion point.
    pub(super) fn largest_frame(&self) -> Bytes {
        self.scenario.largest_frame().max(self.of_cnms(CNM_FRAME))
    }

    /// Largest frame on the wire of any transport, or of a congestion notification message, which is as long there as a
    /// pause frame.
    fn largest_on_wire(&self) -> Bytes {
        self.scenario.largest_packet_on_wire().max(self.of_cnms(PAUSE_FRAME))
    }

    fn of_cnms(&self, size: Bytes) -> Bytes {
        if self.scenario.congestion_points().next().is_some() { size } else { Bytes::ZERO }
    }

    /// Returns the most memory that packets of `wire` bytes on the wire together take in cells, whatever their sizes.
    pub(super) fn most_taken(&self, wire: Bytes, cell: Cell) -> Bytes {
        let by = |transport: &Transport| {
            cell.most_taken(wire, transport.frames(), transport.packet_sizes().wire_overhead)
        };
        self.scenario.transport.values().map(by).max().unwrap_or(wire)
    }
}

/// Returns the pause frames of a switch with lossless classes, and the time after which it repeats them.
pub(super) fn pause_frames(subject: &Subject<'_>) -> Result<pause_frames::Settings, ScenarioError> {
    let pfc = &subject.scenario.pfc;
    for link in subject.links() {
        check_quanta(pfc, link.rates, subject.largest_on_wire(), "")?;
    }
    Ok(pause_frames_over(pfc, subject.rates_in()))
}

/// Returns the pause frames of a node that receives at these rates, and the time after which it repeats them.
pub fn pause_frames_over(pfc: &Pfc, rates: impl Iterator<Item = Rate>) -> pause_frames::Settings {
    let half = u64::from(pfc.pause_quanta) / 2;
    let repeat_after: Vec<Span> = rates.map(|rate| rate.transmission_time(QUANTUM) * half).collect();
    pause_frames::Settings {
        ports: repeat_after.len(),
        quanta: pfc.pause_quanta,
        repeat_after: (pfc.form == PauseForm::Quanta).then_some(repeat_after),
    }
}

/// Rejects rates that a link takes by the event `event` and at which a pause may end before its repetition.
pub fn check_repeated_pauses(
    scenario: &Scenario,
    event: &str,
    rates: [Rate; 2],
) -> Result<(), ScenarioError> {
    if scenario.lossless_classes().is_empty() {
        return Ok(());
    }
    let when = format!(", at the rates of {event}");
    check_quanta(&scenario.pfc, rates, scenario.largest_packet_on_wire(), &when)
}

/// Rejects a pause so short that it ends before its repetition. That is due after half of it and may wait for the
/// largest packet to leave the wire, while the other end counts in quanta at its own rate.
fn check_quanta(pfc: &Pfc, rates: [Rate; 2], largest: Bytes, when: &str) -> Result<(), ScenarioError> {
    if pfc.form == PauseForm::OnOff {
        return Ok(());
    }
    let [there, back] = rates;
    let bytes = |own, other| meanwhile(largest + PAUSE_FRAME, own, other);
    let wait = bytes(there, back).max(bytes(back, there)).get().div_ceil(QUANTUM.get());
    if u64::from(pfc.pause_quanta / 2) >= wait {
        return Ok(());
    }
    let quanta = pfc.pause_quanta;
    let problem =
        format!("of {quanta} is over before it can be said again behind a packet of {largest}{when}");
    Err(ScenarioError::at("pfc.pause_quanta", problem, format!("expected at least {}", 2 * wait)))
}
