"""ECN: the markers of queues, class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.importing.part import Setting
from xoff.switches.importing.port import classes, size
from xoff.switches.lint.ramps import COLOURS, ramps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.importing.port import Port
    from xoff.switches.lint.ramps import Ramp
    from xoff.switches.sonic.config_db import WredProfile


def markers(port: Port) -> Iterator[Setting]:
    """Yields one marker for all queues where all classes have the same, else one for each class with a marker."""
    found = {one: of_it for one, of_it in _ramps(port).items() if of_it[1].marks or one not in port.lossless}
    if len(found) == len(port.classes) and len(set(found.values())) == 1:
        found, keys = dict(list(found.items())[:1]), ["marking.queue"]
    else:
        keys = [f"marking.queue_by_priority.{one}" for one in found]
    for key, (name, ramp) in zip(keys, found.values(), strict=True):
        yield Setting(key, _marker(ramp), f"WRED_PROFILE|{name}, {ramp.colour}")


def markers_at_rate(port: Port, other: Port) -> Iterator[Setting]:
    """Yields the markers of a port with links of another rate, where they differ."""
    own = {marker.key: marker.value for marker in markers(port)}
    for marker in markers(other):
        if own.get(marker.key) != marker.value:
            yield marker._replace(key=f"marking.at_rate.{other.rate}.{marker.key.removeprefix('marking.')}")


def marking_notes(port: Port) -> Iterator[str]:
    """Yields notes on marking that the scenario has otherwise than the switch."""
    classes_by_ramp: dict[tuple[str, Ramp], list[int]] = {}
    for one, ramp_of_it in _ramps(port).items():
        classes_by_ramp.setdefault(ramp_of_it, []).append(one)
    for (name, ramp), of_it in classes_by_ramp.items():
        if not ramp.marks:
            yield from _dropping_notes(port, name, of_it)
        if len(ramps(port.tables.config.wred_profile[name])) > 1:
            yield f"{name} differs by colour: all packets are {ramp.colour}, as those that no policer has coloured"
    yield from _coloured_notes(port)


def _dropping_notes(port: Port, name: str, of_it: list[int]) -> Iterator[str]:
    lossless = [one for one in of_it if one in port.lossless]
    lossy = [one for one in of_it if one not in port.lossless]
    if lossless:
        dropped = f"{name} drops packets of lossless classes without ECN ({classes(lossless)})"
        yield f"{dropped}, which a scenario does not: it is left out there (wred_drops_lossless)"
    if lossy:
        dropped = f"{name} drops without ECN ({classes(lossy)})"
        yield f"{dropped}; a scenario marks packets that are ECN-capable, and drops the others"


def _coloured_notes(port: Port) -> Iterator[str]:
    """Yields notes on WRED profiles that have a ramp for other colours, and none for green packets."""
    classes_by_name: dict[str, list[int]] = {}
    for one, (name, wred) in _profiles(port).items():
        if ramps(wred) and _green(wred) is None:
            classes_by_name.setdefault(name, []).append(one)
    for name, of_it in classes_by_name.items():
        coloured = "is for yellow and red packets alone, which a policer has coloured, and a scenario has none"
        yield f"{name} {coloured}: it is left out ({classes(of_it)})"


def _marker(ramp: Ramp) -> dict[str, object]:
    marks_only: dict[str, object] = {} if ramp.drops else {"marks_only": True}
    if ramp.minimum == ramp.maximum:
        return {"kind": "threshold", "threshold": size(ramp.minimum), **marks_only}
    ends = {"minimum": size(ramp.minimum), "maximum": size(ramp.maximum)}
    return {"kind": "red", **ends, "probability": ramp.probability / 100, **marks_only}


def ramp_of_green(port: Port, one: int) -> tuple[str, Ramp] | None:
    """Returns the ramp of green packets in a class, and the name of its profile; None if the class has no ramp."""
    return _ramps(port).get(one)


def _ramps(port: Port) -> dict[int, tuple[str, Ramp]]:
    """Returns the ramp of green packets in each class that has a ramp, and the name of the profile."""
    found = {one: (name, _green(wred)) for one, (name, wred) in _profiles(port).items()}
    return {one: (name, ramp) for one, (name, ramp) in found.items() if ramp is not None}


def _green(wred: WredProfile) -> Ramp | None:
    """Returns the marking ramp of green packets, which no policer has coloured."""
    return next((ramp for ramp in ramps(wred) if ramp.colour == COLOURS[0]), None)


def _profiles(port: Port) -> dict[int, tuple[str, WredProfile]]:
    """Returns the profile of each class that has a profile, and the profile's name."""
    found = {one: port.tables.wred.get((port.name, port.queue_of(one))) for one in port.classes}
    return {one: named for one, named in found.items() if named is not None}
