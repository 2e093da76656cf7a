//! Keys of `[[switch]]` that only one kind of switch uses.

use super::Subject;
use crate::scenario::{ScenarioError, SwitchKind, SwitchTable};
use crate::topology::Link;

/// Key of `[[switch]]`, and whether a table sets it.
type Key = (&'static str, fn(&SwitchTable) -> bool);

/// Key of the markers of a shared memory.
const MARKING: Key = ("marking", |table| table.marking.is_some());

/// Further keys that only a switch with shared memory uses.
const OF_SHARED_MEMORY: &[Key] = &[
    ("chip", |table| table.chip.is_some()),
    ("total", |table| table.total.is_some()),
    ("shared_per_pool", |table| table.shared_per_pool.is_some()),
    ("ports_per_pool", |table| table.ports_per_pool.is_some()),
    ("pools", |table| table.pools.is_some()),
    ("cell", |table| table.cell.is_some()),
    ("reserved_per_queue", |table| table.reserved_per_queue.is_some()),
    ("reserved_per_port", |table| table.reserved_per_port.is_some()),
    ("buffer", |table| table.buffer.is_some()),
    ("release", |table| table.release.is_some()),
    ("trimming", |table| table.trimming.is_some()),
    ("shapers", |table| !table.shapers.is_empty()),
    ("pfc", |table| table.pfc.is_some()),
    ("quirks", |table| table.quirks.is_some()),
];

/// Keys that only a switch with queues at inputs and outputs uses.
const OF_CIOQ: &[Key] = &[
    ("unit", |table| table.unit.is_some()),
    ("input", |table| table.input.is_some()),
    ("output", |table| table.output.is_some()),
    ("crossbar", |table| table.crossbar.is_some()),
];

/// Keys that only a switch with credits on its links uses.
const OF_CREDITS: &[Key] = &[
    ("internal", |table| table.internal.is_some()),
    ("reliable_delivery", |table| table.reliable_delivery.is_some()),
];

/// Key that chooses between the two kinds.
const KIND: Key = ("kind", |table| table.kind.is_some());

impl Subject<'_> {
    /// Makes an error at a key of a switch with queues at inputs and outputs, or at `kind`.
    pub(super) fn refuse_cioq(&self, key: &str, problem: &str, expected: &str) -> ScenarioError {
        let first = key.split('.').next();
        let mut keys = OF_CIOQ.iter().chain(OF_CREDITS);
        let (_, says) = keys.find(|&&(table, _)| Some(table) == first).unwrap_or(&KIND);
        self.refuse(key, says, problem, expected)
    }

    /// Rejects keys that a switch of this kind with these links does not use.
    pub(super) fn check_kind(&self, kind: SwitchKind) -> Result<(), ScenarioError> {
        match kind {
            SwitchKind::SharedMemory => {
                if self.has_credits() {
                    let problem = "has a link with credits, which a shared memory does not give";
                    let expected =
                        "expected kind = \"cioq\" for it, or flow_control = \"pause\" on its links";
                    return Err(self.refuse_cioq("kind", problem, expected));
                }
                let (has, expected) = ("one shared memory", "expected kind = \"cioq\", or not this key");
                self.check_unsaid(OF_CIOQ, has, expected)?;
                self.check_unsaid(OF_CREDITS, has, expected)
            }
            SwitchKind::Cioq => {
                let expected = "expected input.marking or output.marking instead";
                self.check_unsaid(&[MARKING], "queues at inputs and outputs", expected)?;
                let expected = "expected `input`, `output` and `crossbar` instead";
                self.check_unsaid(OF_SHARED_MEMORY, "queues at inputs and outputs", expected)?;
                if self.has_credits() {
                    return Ok(());
                }
                let expected = "expected a link with flow_control = \"credits\", or not this key";
                self.check_unsaid(OF_CREDITS, "no link with credits", expected)
            }
        }
    }

    /// Rejects keys that a switch does not use, if a table sets them.
    fn check_unsaid(&self, keys: &[Key], has: &str, expected: &str) -> Result<(), ScenarioError> {
        let tables = || self.scenario.switch.iter().filter(|table| table.matches(self.name));
        let said = keys.iter().find(|(_, says)| tables().any(says));
        said.map_or(Ok(()), |(key, says)| {
            Err(self.refuse(key, says, &format!("has {has}, and no use for this key"), expected))
        })
    }

    /// Whether one of the switch's links has credits.
    pub(super) fn has_credits(&self) -> bool {
        self.links().any(Link::has_credits)
    }
}
