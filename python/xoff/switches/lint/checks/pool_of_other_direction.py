"""Buffers that are counted where their packets are not."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Buffer, Tables
    from xoff.switches.sonic.config_db import ProfileList


def pool_of_other_direction(tables: Tables) -> Iterator[Fault]:
    """Ingress (a priority group, a port's list) by a profile of an egress pool, or egress by one of an ingress pool.

    A note where the chip is not known: with some vendors a pool counts both directions, whatever its type says.
    """
    yield from _of(tables, tables.priority_groups, "BUFFER_PG", "priority group", "ingress")
    yield from _of(tables, tables.queues, "BUFFER_QUEUE", "queue", "egress")
    yield from _of_lists(tables, tables.config.buffer_port_ingress_profile_list, "ingress")
    yield from _of_lists(tables, tables.config.buffer_port_egress_profile_list, "egress")


def _of(tables: Tables, buffers: tuple[Buffer, ...], table: str, what: str, direction: str) -> Iterator[Fault]:
    wrong: dict[str, list[Buffer]] = defaultdict(list)
    for buffer in buffers:
        if buffer.pool and buffer.pool.type not in (direction, "both"):
            wrong[buffer.profile_name].append(buffer)
    for name, its in wrong.items():
        first = its[0]
        assert first.profile is not None, "it has a pool"
        assert first.pool is not None, "it was looked at"
        yield Fault(
            _severity(tables),
            tables.place(table, first.row, "profile"),
            f"{what} {first.index} of {several(buffer.port for buffer in its)} is limited by {first.profile.pool}, an "
            f"{first.pool.type} pool: a {what} counts packets {_WHERE[direction]}",
            f"a profile of an {direction} pool, or an {direction} pool for {name}",
        )


def _of_lists(tables: Tables, rows: dict[str, ProfileList], direction: str) -> Iterator[Fault]:
    for key, row in rows.items():
        for name in row.profile_list:
            profile = tables.config.buffer_profile.get(name)
            pool = tables.config.buffer_pool.get(profile.pool) if profile else None
            if profile and pool and pool.type not in (direction, "both"):
                place = tables.place(f"BUFFER_PORT_{direction.upper()}_PROFILE_LIST", key, "profile_list")
                physics = (
                    f"{name} is of {profile.pool}, an {pool.type} pool: this list counts packets {_WHERE[direction]}"
                )
                yield Fault(_severity(tables), place, physics, f"profiles of {direction} pools alone")


_WHERE = {"ingress": "as they come in", "egress": "as they wait to leave"}


def _severity(tables: Tables) -> Severity:
    return Severity.NOTE if tables.chip is None else Severity.ERROR
