//! Notes from the layout of each switch.

use super::{Simulation, by_note};
use crate::topology::NodeId;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let nodes = simulation.network().hosts..simulation.network().nodes.len() as NodeId;
    by_note(
        nodes.zip(simulation.switches()).flat_map(|(node, layout)| {
            layout.notes().into_iter().map(move |note| (note, simulation.name(node)))
        }),
    )
}
