"""Fields that SONiC passes over."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.qos import OF_WHOLE_SWITCH, WHOLE_SWITCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def unknown_field(tables: Tables) -> Iterator[Fault]:
    """Fields of buffers, WRED and schedulers that SONiC does not have, and what PORT_QOS_MAP|global has in vain.

    Such as misspelt ones, ECN on a pool, or PFC for all ports: of the whole switch it applies `dscp_to_tc_map` alone.
    A scheduler with such a field it refuses (sonic-swss, orchagent/qosorch.cpp).
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
        ("BUFFER_PORT_INGRESS_PROFILE_LIST", config.buffer_port_ingress_profile_list),
        ("BUFFER_PORT_EGRESS_PROFILE_LIST", config.buffer_port_egress_profile_list),
        ("SWITCH_TRIMMING", config.switch_trimming),
        ("WRED_PROFILE", config.wred_profile),
        ("SCHEDULER", config.scheduler),
    ):
        for key, row in rows.items():
            for name in row.model_extra or {}:
                nearest = get_close_matches(name, type(row).model_fields, n=1)
                remedy = f"did you mean {nearest[0]}?" if nearest else "remove it"
                refused = table == "SCHEDULER"
                follows = "so that SONiC refuses the whole row" if refused else "so that nothing follows"
                severity = Severity.ERROR if refused else Severity.WARNING
                yield Fault(severity, tables.place(table, key, name), f"{table} has no such field, {follows}", remedy)


def _of_whole_switch(tables: Tables) -> Iterator[Fault]:
    row = tables.config.port_qos_map.get(WHOLE_SWITCH)
    if row is None:
        return
    for name in type(row).model_fields:
        if name != OF_WHOLE_SWITCH and getattr(row, name):
            place = tables.place("PORT_QOS_MAP", WHOLE_SWITCH, name)
            problem = f"SONiC applies only {OF_WHOLE_SWITCH} to the whole switch, so that nothing follows for any port"
            yield Fault(Severity.WARNING, place, problem, f"{name} in the rows of ports")
