"""Marking that begins after pausing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.limits import limit_of
from xoff.switches.lint.physics import alpha, guaranteed_minimum
from xoff.switches.lint.ramps import ramps
from xoff.switches.lint.wording import alpha_text, bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.finding import Place
    from xoff.switches.lint.ramps import Ramp
    from xoff.switches.lint.tables import Buffer, Tables

_FEW = 2
"""Ports that may feed a queue in any switch, however few its tables have."""


class _Pair(NamedTuple):
    """A lossless priority group and the WRED profile of the queue of its class."""

    group: Buffer
    wred_name: str
    ramp: Ramp


def ecn_after_pfc(tables: Tables) -> Iterator[Fault]:
    """K_min above the occupancy at which senders are paused.

    A warning where a queue marks first if as many ports feed it as there are, and a note if two do, as in any incast. A
    note, too, where the order hangs on how traffic comes in, which DCQCN (section 4) rules out.
    """
    seen = set()
    for pair in _pairs(tables):
        limit = limit_of(tables, pair.group)
        key = (pair.wred_name, pair.ramp.colour, limit and limit.size)
        if key in seen:
            continue
        seen.add(key)
        yield from _always(tables, pair) or _sometimes(tables, pair)


def _pairs(tables: Tables) -> Iterator[_Pair]:
    groups = {(group.port, group.index): group for group in tables.priority_groups if group.lossless}
    for port, priority in tables.qos.pausing:
        group = groups.get((port, tables.qos.priority_group_of(port, priority)))
        name, wred = tables.wred.get((port, tables.qos.queue_of(port, priority)), ("", None))
        if group and wred:
            yield from (_Pair(group, name, ramp) for ramp in ramps(wred) if ramp.marks)


def _always(tables: Tables, pair: _Pair) -> list[Fault]:
    limit = limit_of(tables, pair.group)
    if limit is None or pair.ramp.minimum < limit.size:
        return []
    needed, there = _senders(tables, pair), len({group.port for group in tables.priority_groups if group.lossless}) - 1
    is_reached = needed is not None and needed <= max(_FEW, there)
    severity = Severity.WARNING if is_reached else Severity.ERROR
    return [
        Fault(
            Severity.NOTE if needed is not None and needed <= _FEW else severity,
            _place(tables, pair),
            f"senders into {pair.group.port} are paused from {bytes_text(limit.size)} on: {limit.formula}; "
            f"{_order(needed, is_reached=is_reached)}",
            f"{pair.ramp.colour}_min_threshold below {limit.size}, or {limit.more}",
        )
    ]


def _order(needed: int | None, *, is_reached: bool) -> str:
    if needed is None:
        return "no queue marks first, however many ports feed it"
    if not is_reached:
        return f"a queue marks first only if {needed} ports or more feed it, and there are fewer"
    return (
        f"a queue marks first if {needed} ports or more feed it; fewer that are faster than its port, or that a pause "
        "from downstream holds up, are paused unmarked"
    )


def _senders(tables: Tables, pair: _Pair) -> int | None:
    """Counts the ports that must feed the queue before it marks first; None if no number of ports does."""
    profile, minimum = pair.group.profile, pair.ramp.minimum
    pool = tables.shared(profile.pool) if profile else None
    if profile and profile.static_th and (pool is None or minimum < pool):
        return minimum // profile.static_th + 1
    if profile and profile.dynamic_th is not None and pool and minimum < pool:
        return int(minimum / (alpha(profile.dynamic_th) * (pool - minimum))) + 1
    return None


def _sometimes(tables: Tables, pair: _Pair) -> list[Fault]:
    profile, pool = pair.group.profile, pair.group.pool
    size = tables.shared(profile.pool) if profile else None
    if profile is None or profile.dynamic_th is None or not size:
        return []
    lossless = [group for group in tables.priority_groups if group.lossless and group.pool is pool]
    ports = tables.ports_of_mmu(len({group.port for group in lossless}))
    classes = max(sum(1 for group in lossless if group.port == port) for port in {group.port for group in lossless})
    bound = guaranteed_minimum(profile.dynamic_th, size, ports, classes)
    if pair.ramp.minimum <= bound:
        return []
    share = alpha_text(profile.dynamic_th)
    return [
        Fault(
            Severity.NOTE,
            _place(tables, pair),
            f"one port that feeds {ports} queues may be paused before any of them marks; never up to "
            f"{bytes_text(bound)} = {share} x {size} / ({ports} ports x (1 + {classes} classes x {share})) "
            "(DCQCN, section 4)",
            f"{pair.ramp.colour}_min_threshold of at most {bound}, if marks must always come before pauses",
        )
    ]


def _place(tables: Tables, pair: _Pair) -> Place:
    return tables.place("WRED_PROFILE", pair.wred_name, f"{pair.ramp.colour}_min_threshold")
