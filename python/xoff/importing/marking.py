"""ECN: the markers of queues, class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.importing.part import Setting
from xoff.importing.port import classes, size
from xoff.lint.ramps import ramps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.importing.port import Port
    from xoff.lint.ramps import Ramp


def markers(port: Port) -> Iterator[Setting]:
    """One for the queues of all classes where they have the same, else one for each class that has any."""
    found = _ramps(port)
    if len(found) == len(port.classes) and len(set(found.values())) == 1:
        found, keys = dict(list(found.items())[:1]), ["marking.queue"]
    else:
        keys = [f"marking.queue_by_priority.{one}" for one in found]
    for key, (name, ramp) in zip(keys, found.values(), strict=True):
        yield Setting(key, _marker(ramp), f"WRED_PROFILE|{name}, {ramp.colour}")


def marking_notes(port: Port) -> Iterator[str]:
    """What of it is not as the switch has it."""
    classes_by_ramp: dict[tuple[str, Ramp], list[int]] = {}
    for one, ramp_of_it in _ramps(port).items():
        classes_by_ramp.setdefault(ramp_of_it, []).append(one)
    for (name, ramp), of_it in classes_by_ramp.items():
        if not ramp.marks:
            dropped = f"{name} drops without ECN ({classes(of_it)})"
            yield f"{dropped}; a scenario marks packets that are ECN-capable, and drops the others"
        if len(ramps(port.tables.config.wred_profile[name])) > 1:
            yield f"{name} differs by colour: all packets are {ramp.colour}, as those that no policer has coloured"


def _marker(ramp: Ramp) -> dict[str, object]:
    if ramp.minimum == ramp.maximum and ramp.probability == 100:
        return {"kind": "threshold", "threshold": size(ramp.minimum)}
    ends = {"minimum": size(ramp.minimum), "maximum": size(ramp.maximum)}
    return {"kind": "red"} | ends | {"probability": ramp.probability / 100}


def _ramps(port: Port) -> dict[int, tuple[str, Ramp]]:
    """The first ramp of each class that has one, and the name of its profile."""
    found = {}
    for one in port.classes:
        name, wred = port.tables.wred.get((port.name, port.queue_of(one)), ("", None))
        if wred is not None and (of_it := ramps(wred)):
            found[one] = (name, of_it[0])
    return found
