"""Packet trimming put onto tables: how packets are trimmed, and which queues ask for it."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING

from xoff.switches.importing.trimming import trimmed_classes
from xoff.switches.lint.trimming import lossless_queues, never_trimmed, queue_of_dscp, settings
from xoff.switches.scenario_values import TRIMMING, TRIMMING_PRIORITY, TRIMMING_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable

    from xoff.switches.importing.port import Port
    from xoff.switches.lint.tables import Buffer, Tables
    from xoff.switches.onto.rows import Edits, Writer
    from xoff.switches.scenario_values import Value

_ACTION = "packet_discard_action"


def stage(classes: tuple[int, ...]) -> dict[str, Writer]:
    """Returns the writers of trimming for a scenario in which data of these classes is trimmed."""

    def of_queues(port: Port, _: int | None, value: Value) -> Edits:
        return _to_be_trimmed(port, classes) if value else _dropped(port)

    def of_switch(written: Callable[[Port, Value], Edits]) -> Writer:
        """Returns a writer that acts where some queue is trimmed, or is to be."""

        def write(port: Port, _: int | None, value: Value) -> Edits:
            return written(port, value) if trimmed_classes(port) or _to_be_trimmed(port, classes) else {}

        return write

    return {
        TRIMMING.name: of_queues,
        TRIMMING_SIZE.name: of_switch(_size),
        TRIMMING_PRIORITY.name: of_switch(_priority),
    }


def _dropped(port: Port) -> Edits:
    names = {port.queues[one].profile_name for one in trimmed_classes(port)}
    return {("BUFFER_PROFILE", name, _ACTION): "drop" for name in names}


def _to_be_trimmed(port: Port, classes: tuple[int, ...]) -> Edits:
    """Turns on trimming in each queue's profile, or in a copy where SONiC refuses that or others use the profile.

    None where what is said of the whole switch is invalid, and nothing can be added to it.
    """
    tables = port.tables
    if any(invalid.path[0] == "SWITCH_TRIMMING" for invalid in tables.invalid):
        return {}
    named = {port.queues[one].row for one in classes if one in port.queues}
    rows = {key: its for key in named if not _has_lossless(tables, its := _queues_of(tables, key))}
    indices = {queue.index for its in rows.values() for queue in its}
    found: Edits = {}
    for key, (queue, *_) in sorted(rows.items()):
        name, profile = queue.profile_name, queue.profile
        if profile is None:
            continue
        shared = any(other.profile_name == name and other.index not in indices for other in tables.queues)
        if shared or name in never_trimmed(tables):
            name = _name_of_copy(tables, name)
            fields = profile.model_dump(exclude_unset=True, exclude_none=True, include=set(type(profile).model_fields))
            found |= {("BUFFER_PROFILE", name, field): str(value) for field, value in fields.items()}
            found[("BUFFER_QUEUE", key, "profile")] = name
        found[("BUFFER_PROFILE", name, _ACTION)] = "trim"
    return found


def _name_of_copy(tables: Tables, name: str) -> str:
    """Returns a name for the copy of a profile that no row of BUFFER_PROFILE has."""
    names = (f"{name}_trim{f'_{number}' if number > 1 else ''}" for number in count(1))
    return next(one for one in names if not tables.has("BUFFER_PROFILE", one))


def _queues_of(tables: Tables, key: str) -> list[Buffer]:
    """Returns the queues that a row of BUFFER_QUEUE is about."""
    return [queue for queue in tables.queues if queue.row == key]


def _has_lossless(tables: Tables, queues: list[Buffer]) -> bool:
    return any(queue.index in lossless_queues(tables, queue.port) for queue in queues)


def _size(_port: Port, value: Value) -> Edits:
    return {("SWITCH_TRIMMING", "GLOBAL", "size"): str(value)}


def _priority(port: Port, value: Value) -> Edits:
    """With a DSCP that leads into the same class at the next switch, unless ports set it themselves."""
    row, queue = settings(port.tables), int(Fraction(value))
    before = row.dscp_value if row else None
    found: Edits = {}
    if before != "from-tc":
        found[("SWITCH_TRIMMING", "GLOBAL", "dscp_value")] = str(_dscp(port, before, queue))
    return found | {("SWITCH_TRIMMING", "GLOBAL", "queue_index"): str(queue)}


def _dscp(port: Port, before: int | None, queue: int) -> int:
    """Returns a DSCP for `queue`: `before` if it leads there, else the least that does, else the class selector."""
    mapped = sorted(int(one.removeprefix("DSCP ")) for one in port.dscps(queue) if one.startswith("DSCP "))
    if before is not None and queue_of_dscp(port.tables, port.name, before) in (None, queue):
        return before
    return mapped[0] if mapped else 8 * queue
