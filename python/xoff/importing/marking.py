"""ECN: a scenario's switch has one marker for the queues of all classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.importing.part import Setting
from xoff.importing.port import classes, size
from xoff.lint.ramps import ramps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.importing.port import Port
    from xoff.lint.ramps import Ramp


def marker(port: Port) -> Iterator[Setting]:
    """That of the first lossless class, or of the first class that has one."""
    for name, ramp in list(_ramps(port).values())[:1]:
        value: dict[str, object] = {"kind": "threshold", "threshold": size(ramp.minimum)}
        if ramp.minimum != ramp.maximum or ramp.probability != 100:
            ends = {"minimum": size(ramp.minimum), "maximum": size(ramp.maximum)}
            value = {"kind": "red"} | ends | {"probability": ramp.probability / 100}
        yield Setting("marking.queue", value, f"WRED_PROFILE|{name}, {ramp.colour}")


def marking_notes(port: Port) -> Iterator[str]:
    """What of it is not as the switch has it."""
    found = _ramps(port)
    if not found:
        return
    first, (name, ramp) = next(iter(found.items()))
    others = [one for one in port.classes if one not in found or found[one][1] != ramp]
    if others:
        like = f"marked like class {first}, by {name}"
        yield f"{like}, since a scenario's switch has one marker for all queues: {classes(others)}"
    if not ramp.marks:
        yield f"{name} drops without ECN; a scenario marks packets that are ECN-capable, and drops the others"
    colours = len(ramps(port.tables.config.wred_profile[name]))
    if colours > 1:
        yield f"{name} differs by colour: all packets are {ramp.colour}, as those that no policer has coloured"


def _ramps(port: Port) -> dict[int, tuple[str, Ramp]]:
    """The first ramp of each class and the name of its profile; lossless classes first."""
    found = {}
    for one in (*port.lossless, *port.lossy):
        name, wred = port.tables.wred.get((port.name, port.queue_of(one)), ("", None))
        if wred is not None and (of_it := ramps(wred)):
            found[one] = (name, of_it[0])
    return found
