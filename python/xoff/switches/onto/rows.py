"""Rows and fields that a scenario's key is about, and the text that each value has there."""

from __future__ import annotations

from fractions import Fraction
from math import log2
from typing import TYPE_CHECKING, TypeAlias

from xoff.switches.importing import queues
from xoff.switches.importing.pauses import Pauses
from xoff.switches.lint.ramps import COLOURS, marked_colours
from xoff.switches.lint.tables import COMPUTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from xoff.switches.importing.port import Port
    from xoff.switches.lint.tables import Buffer
    from xoff.switches.scenario_values import Key, Value
    from xoff.switches.sonic.config_db import WredProfile

Path: TypeAlias = tuple[str, ...]
"""Table, row and field; of a lookup table row and column."""
Edits: TypeAlias = dict[Path, str]
Writer: TypeAlias = "Callable[[Port, int | None, Value], Edits]"
"""Function of a port, a class (if the key has one for each) and a value, which answers the fields to change."""
Written: TypeAlias = "Callable[[Value], str | None]"
"""As a field has it; None where it cannot have it, and stays as it is."""

_OF_LOOKUP = {"dynamic_th": "threshold", "static_th": "threshold"}
"""Fields of a profile by their names in a lookup table."""
_EXPONENTS = range(-8, 8)


def edits(stage: Mapping[str, Writer], port: Port, key: Key, value: Value) -> Edits:
    """Returns the fields that a stage changes for a key; none where the key is not the stage's or no row has it."""
    return stage[key.name](port, key.one, value) if key.name in stage else {}


def _fields(paths: Iterable[Path], text: str | None) -> Edits:
    return {} if text is None else dict.fromkeys(paths, text)


def _whole(value: Value) -> int:
    return round(Fraction(value))


def _number(value: Value) -> str | None:
    return str(_whole(value)) if Fraction(value) == _whole(value) else None


def _percent(value: Value) -> str | None:
    return _number(100 * Fraction(value))


def _exponent(value: Value) -> str | None:
    """Returns the exponent of a power of two that SONiC has; None for other values."""
    exponent = round(log2(Fraction(value)))
    return str(exponent) if exponent in _EXPONENTS and Fraction(2) ** exponent == value else None


def _type(value: Value) -> str:
    return "STRICT" if value else "DWRR"


def _told(value: Value) -> str:
    return str(value)


def _ramp(field: str, written: Written) -> Writer:
    """Returns a writer of a ramp's field for green packets, and for other colours with the same ramp."""

    def write(port: Port, one: int | None, value: Value) -> Edits:
        named = port.tables.wred.get((port.name, port.queue_of(one or 0)))
        if named is None:
            return {}
        name, wred = named
        return _fields((("WRED_PROFILE", name, f"{colour}_{field}") for colour in _as_green(wred)), written(value))

    return write


def _wred(port: Port, one: int | None, value: Value) -> Edits:
    """Switches WRED of green packets on or off, and that of other colours with the same ramp."""
    named = port.tables.wred.get((port.name, port.queue_of(one or 0)))
    if named is None:
        return {}
    name, wred = named
    return _fields((("WRED_PROFILE", name, f"wred_{colour}_enable") for colour in _as_green(wred)), _drops(value))


def _drops(marks_only: Value) -> str:
    return "false" if marks_only else "true"


def _as_green(wred: WredProfile) -> list[str]:
    """Returns the colours with the ramp of green packets; none if that is off."""
    green = _numbers(wred, COLOURS[0])
    return [colour for colour in COLOURS if _numbers(wred, colour) == green] if green else []


def _numbers(wred: WredProfile, colour: str) -> tuple[object, ...] | None:
    """Returns all that a WRED profile says of a colour; None if the colour is off."""
    if not getattr(wred, f"wred_{colour}_enable") and colour not in marked_colours(wred):
        return None
    fields = ("min_threshold", "max_threshold", "drop_probability")
    return (*(getattr(wred, f"{colour}_{field}") for field in fields), colour in marked_colours(wred))


def _of_queue(field: str, written: Written) -> Writer:
    """Returns a writer of a field in the profile of a lossy queue, or of all lossy queues."""

    def write(port: Port, one: int | None, value: Value) -> Edits:
        classes = port.lossy if one is None else (one,)
        found = [port.queues[one] for one in classes if one in port.queues]
        named = [queue for queue in found if queue.profile and getattr(queue.profile, field) is not None]
        return _fields((("BUFFER_PROFILE", queue.profile_name, field) for queue in named), written(value))

    return write


def _of_group(field: str, written: Written) -> Writer:
    """Returns a writer of a field in the profile of a lossless priority group, or of all such groups."""

    def write(port: Port, one: int | None, value: Value) -> Edits:
        groups = [port.lossless[one] for one in (port.lossless if one is None else (one,))]
        text, found = written(value), Edits()
        for group in groups:
            says = group.profile is None or getattr(group.profile, field) is not None
            found |= _profile(port, group, field, text) if says and text is not None else {}
        return found

    return write


def _profile(port: Port, group: Buffer, field: str, value: str) -> Edits:
    """Returns the changed field of a group's profile: in a row of its own, or in one of the lookup table."""
    tables, name = port.tables, group.profile_name
    if group.profile is not None and tables.has("BUFFER_PROFILE", name):
        return {("BUFFER_PROFILE", name, field): value}
    looked_up = tables.looked_up(port.name)
    if group.profile is not None and looked_up is not None:
        return {(looked_up[1].key, _OF_LOOKUP.get(field, field)): value}
    if name == COMPUTED and field == "dynamic_th":
        rows = tables.config.default_lossless_buffer_parameter
        return {("DEFAULT_LOSSLESS_BUFFER_PARAMETER", row, "default_dynamic_th"): value for row in rows}
    return {}


def _headroom(port: Port, _: int | None, value: Value) -> Edits:
    """With the `size` that holds it, where it does."""
    found: Edits = {}
    for group in port.lossless.values():
        found |= _profile(port, group, "xoff", str(_whole(value)))
        if group.profile is not None and group.reserve != group.profile.size:
            found |= _profile(port, group, "size", str(group.reserve + _whole(value)))
    return found


def _reserved(port: Port, _: int | None, value: Value) -> Edits:
    found: Edits = {}
    for group in port.lossless.values():
        if group.profile is not None:
            beside = group.profile.size - group.reserve
            found |= _profile(port, group, "size", str(beside + _whole(value)))
    return found


def _resuming(port: Port, _: int | None, value: Value) -> Edits:
    """As far below the pause, by `xon_offset`, and where a static threshold has an `xon` of its own by that, too."""
    found: Edits = {}
    for group in port.lossless.values():
        found |= _profile(port, group, "xon_offset", str(_whole(value)))
        if group.profile is not None and group.profile.static_th is not None and group.profile.xon:
            found |= _profile(port, group, "xon", str(max(0, group.profile.static_th - _whole(value))))
    return found


def _scheduler(field: str, written: Written) -> Writer:
    def write(port: Port, one: int | None, value: Value) -> Edits:
        name = port.scheduler_of(one or 0)
        return _fields([("SCHEDULER", name, field)], written(value)) if name in port.tables.config.scheduler else {}

    return write


def _watchdog(field: str, written: Written) -> Writer:
    def write(port: Port, _: int | None, value: Value) -> Edits:
        return _fields([("PFC_WD", port.name, field)], written(value)) if port.name in port.tables.config.pfc_wd else {}

    return write


def _lossless_pool(port: Port, _: int | None, value: Value) -> Edits:
    tables, name = port.tables, Pauses.of(port).pool_name
    beside = tables.reserves_within(name) + tables.headroom_within(name)
    return _pool_size(port, name, _whole(value) * tables.mmus + beside)


def _pool_size(port: Port, name: str, size: int) -> Edits:
    """With the thresholds that were as large as the pool, since what they limit may have all of it."""
    config = port.tables.config
    before = config.buffer_pool[name].size
    whole = [
        row for row, profile in config.buffer_profile.items() if (profile.pool, profile.static_th) == (name, before)
    ]
    thresholds: Edits = {("BUFFER_PROFILE", row, "static_th"): str(size) for row in whole}
    return {("BUFFER_POOL", name, "size"): str(size)} | thresholds


def _headroom_pool(port: Port, _: int | None, value: Value) -> Edits:
    """Sizes the headroom pool as a part of all groups' headroom; a part of 1 without such a pool changes nothing."""
    pauses = Pauses.of(port)
    pool = port.tables.config.buffer_pool[pauses.pool_name]
    if value == 1 and not pool.xoff:
        return {}
    return {("BUFFER_POOL", pauses.pool_name, "xoff"): str(int(Fraction(value) * pauses.headroom_of_all))}


def lossy_pool(port: Port, more_bytes: int) -> Edits:
    """Returns the fields that enlarge or shrink the pool of lossy classes; none where no pool has a size."""
    tables, name = port.tables, queues.pool_name(port)
    pool = tables.config.buffer_pool.get(name or "")
    if name is None or pool is None or not pool.size or pool.size + more_bytes <= 0:
        return {}
    return _pool_size(port, name, pool.size + more_bytes)


_ROWS: dict[str, Writer] = {
    "switch.marking.queue_by_priority.{}.minimum": _ramp("min_threshold", _number),
    "switch.marking.queue_by_priority.{}.maximum": _ramp("max_threshold", _number),
    "switch.marking.queue_by_priority.{}.probability": _ramp("drop_probability", _percent),
    "switch.marking.queue_by_priority.{}.marks_only": _wred,
    "switch.buffer.alpha_by_priority[{}]": _of_queue("dynamic_th", _exponent),
    "switch.buffer.threshold": _of_queue("static_th", _number),
    "switch.reserved_per_queue": _of_queue("size", _number),
    "switch.scheduler.strict[{}]": _scheduler("type", _type),
    "switch.scheduler.weights[{}]": _scheduler("weight", _number),
    "switch.pfc.xoff.alpha_by_priority[{}]": _of_group("dynamic_th", _exponent),
    "switch.pfc.xoff.threshold": _of_group("static_th", _number),
    "switch.pfc.xon_offset": _resuming,
    "switch.pfc.headroom.size": _headroom,
    "pfc.watchdog.action": _watchdog("action", _told),
    "pfc.detection_time": _watchdog("detection_time", _number),
    "pfc.watchdog.restoration_time": _watchdog("restoration_time", _number),
}
"""Writers of keys of queues, priority groups and ports."""

_POOLS: dict[str, Writer] = {"switch.pfc.lossless_pool": _lossless_pool, "switch.pfc.headroom.ratio": _headroom_pool}
"""Keys of pools, which follow from the rows above."""
STAGES: tuple[dict[str, Writer], ...] = (_ROWS, {"switch.pfc.reserved": _reserved}, _POOLS)
"""One after another: a reserve goes by the headroom in the same field."""
