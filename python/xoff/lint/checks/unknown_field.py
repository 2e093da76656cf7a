"""Fields that SONiC passes over."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.tables import OF_WHOLE_SWITCH, WHOLE_SWITCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def unknown_field(tables: Tables) -> Iterator[Fault]:
    """Fields of buffers and WRED that SONiC's models do not have, and fields that PORT_QOS_MAP|global has in vain.

    Such as misspelt ones, ECN on a pool, or PFC for all ports: of the whole switch it applies `dscp_to_tc_map` alone.
    """
    yield from _of_no_model(tables)
    yield from _of_whole_switch(tables)


def _of_no_model(tables: Tables) -> Iterator[Fault]:
    config = tables.config
    for table, rows in (
        ("BUFFER_POOL", config.buffer_pool),
        ("BUFFER_PROFILE", config.buffer_profile),
        ("BUFFER_PG", config.buffer_pg),
        ("BUFFER_QUEUE", config.buffer_queue),
        ("WRED_PROFILE", config.wred_profile),
    ):
        for key, row in rows.items():
            for name in row.model_extra or {}:
                nearest = get_close_matches(name, type(row).model_fields, n=1)
                remedy = f"did you mean {nearest[0]}?" if nearest else "remove it"
                place = tables.place(table, key, name)
                yield Fault(Severity.WARNING, place, f"{table} has no such field, so that nothing follows", remedy)


def _of_whole_switch(tables: Tables) -> Iterator[Fault]:
    row = tables.config.port_qos_map.get(WHOLE_SWITCH)
    if row is None:
        return
    for name in type(row).model_fields:
        if name != OF_WHOLE_SWITCH and getattr(row, name):
            place = tables.place("PORT_QOS_MAP", WHOLE_SWITCH, name)
            problem = f"SONiC applies only {OF_WHOLE_SWITCH} to the whole switch, so that nothing follows for any port"
            yield Fault(Severity.WARNING, place, problem, f"{name} in the rows of ports")
