"""Classes that may lose packets, and in which order queues send."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.switches.importing.part import Setting
from xoff.switches.importing.port import CLASSES, classes, ratio, size, takes_all
from xoff.switches.lint.physics import alpha
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.importing.port import Port
    from xoff.switches.sonic.config_db import BufferPool, BufferProfile, Scheduler

_FOR_ACKNOWLEDGEMENTS = 256 << 10
"""Bytes for lossy classes, where no row gives a pool for them."""
_RATES = {"pir", "cir", "pbs", "cbs"}


def shared(port: Port) -> int:
    """Returns the bytes of lossy classes, reserves included."""
    pool = _pool(port)
    return _FOR_ACKNOWLEDGEMENTS if pool is None or not pool.size else pool.size // port.tables.mmus


def buffer(port: Port) -> Iterator[Setting]:
    """Yields the buffer policy of lossy classes and the reserve of each queue."""
    profiles = _profiles(port)
    if not profiles:
        return
    row = f"BUFFER_PROFILE|{several(_names(port))}"
    shares = {one: alpha(profile.dynamic_th) for one, profile in profiles.items() if profile.dynamic_th is not None}
    fixed = [profile.static_th for profile in profiles.values() if profile.static_th is not None]
    if shares or not fixed:
        alphas = [ratio(shares.get(one, Fraction(1))) for one in CLASSES]
        yield Setting("buffer", {"policy": "dynamic_threshold", "alpha_by_priority": alphas}, f"{row}|dynamic_th")
    else:
        yield Setting("buffer", {"policy": "static_threshold", "threshold": size(min(fixed))}, f"{row}|static_th")
    if reserved := min(profile.size for profile in profiles.values()):
        yield Setting("reserved_per_queue", size(reserved), f"{row}|size")


def buffer_notes(port: Port) -> Iterator[str]:
    """Yields notes on buffers that the scenario has otherwise than the switch."""
    found = _profiles(port)
    profiles = list(found.values())
    if without := [one for one in port.lossy if one not in found]:
        yield f"of alpha 1, since no row of BUFFER_QUEUE is about their queue: {classes(without)}"
    if len({profile.static_th is None for profile in profiles}) > 1:
        yield "lossy queues have dynamic_th and static_th: those with static_th have alpha 1"
    elif len({profile.static_th for profile in profiles}) > 1:
        yield "static_th differs between lossy queues: all have the least"
    if len({profile.size for profile in profiles}) > 1:
        yield "reserves differ between lossy queues: all have the least"
    if len({profile.pool for profile in profiles}) > 1:
        yield "lossy queues are in several pools: all share the first"
    pool = _pool(port)
    if pool is None or not pool.size:
        share = f"{_FOR_ACKNOWLEDGEMENTS:,} B, enough for acknowledgements"
        yield f"no size of a pool says what lossy classes share: they have {share}"
    lossless = {id(group) for group in port.lossless.values()}
    groups = [
        group.profile_name
        for group in port.tables.priority_groups
        if group.port == port.name and id(group) not in lossless and not takes_all(group)
    ]
    if groups:
        yield f"{several(groups)} limits what comes in, and a scenario holds lossy packets against their queue alone"


def scheduler(port: Port) -> Setting:
    """Returns the scheduler of the port's queues."""
    rows = _schedulers(port)
    if not rows:
        comment = "no row of QUEUE names one"
        return Setting(
            "scheduler", {"kind": "deficit_round_robin"}, f"{comment}; left out, the higher class first", True
        )
    strict = sorted((one for one, row in rows.items() if row.type == "STRICT"), reverse=True)
    weights = [rows[one].weight if one in rows and one not in strict else 1 for one in CLASSES]
    value: dict[str, object] = {"kind": "deficit_round_robin", "weights": weights}
    return Setting("scheduler", value | ({"strict": strict} if strict else {}), f"SCHEDULER|{several(_named(port))}")


def scheduler_notes(port: Port) -> Iterator[str]:
    """Yields notes on schedulers that the scenario has otherwise than the switch."""
    rows = _schedulers(port)
    if rows and (without := [one for one in port.classes if one not in rows]):
        yield f"of weight 1, since no row of QUEUE names their scheduler: {classes(without)}"
    if any(row.type == "WRR" for row in rows.values()):
        yield "WRR takes turns by packets, a scenario's by bytes"
    limited = sorted({rate for row in rows.values() for rate in _RATES & row.model_fields_set})
    if limited:
        yield f"{listed(limited)} of schedulers, rates of queues, are left out"


def pool_name(port: Port) -> str | None:
    """Returns the name of the pool that lossy classes share; None where no row names it."""
    return next((profile.pool for profile in _profiles(port).values()), None)


def _names(port: Port) -> list[str]:
    return [port.queues[one].profile_name for one in _profiles(port)]


def _profiles(port: Port) -> dict[int, BufferProfile]:
    found = {one: port.queues[one].profile for one in port.lossy if one in port.queues}
    return {one: profile for one, profile in found.items() if profile is not None}


def _pool(port: Port) -> BufferPool | None:
    return next((port.queues[one].pool for one in _profiles(port)), None)


def _named(port: Port) -> list[str]:
    """Schedulers of its queues."""
    return [name for one in port.classes if (name := port.scheduler_of(one))]


def _schedulers(port: Port) -> dict[int, Scheduler]:
    rows = port.tables.config.scheduler
    named = {one: port.scheduler_of(one) for one in port.classes}
    return {one: rows[name] for one, name in named.items() if name in rows}
