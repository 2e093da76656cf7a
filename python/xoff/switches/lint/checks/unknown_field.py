"""Fields that SONiC does not have."""

from __future__ import annotations

from collections import defaultdict
from difflib import get_close_matches
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.qos import OF_WHOLE_SWITCH, WHOLE_SWITCH
from xoff.switches.lint.tables import several
from xoff.switches.sonic.config_db import PfcWatchdog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables
    from xoff.switches.sonic import ConfigDb
    from xoff.switches.sonic.config_db import WholeRow

_GLOBAL = "GLOBAL"
"""Key of a row of PFC_WD that is about no port of its own."""
_OF_GLOBAL = ("POLL_INTERVAL", "BIG_RED_SWITCH")
"""All fields of that row; those of ports have the others."""

_REDUNDANT = {("BUFFER_PROFILE", "mode")}
"""Fields that only repeat what others say: which threshold a profile has tells its mode."""


def unknown_field(tables: Tables) -> Iterator[Fault]:
    """Fields of buffers, WRED, schedulers, queues, classes and watchdogs that SONiC does not have, or not in that row.

    Such as misspelt ones, ECN on a pool, or PFC for all ports: of PORT_QOS_MAP|global it applies `dscp_to_tc_map`
    alone. A scheduler or a port's watchdog with such a field it refuses (sonic-swss, orchagent/qosorch.cpp and
    pfcwdorch.cpp).
    """
    yield from _of_no_model(tables)
    yield from _of_whole_switch(tables)


def _of_no_model(tables: Tables) -> Iterator[Fault]:
    """Yields one fault for each unknown field of tables whose rows have no model."""
    found: dict[tuple[str, str, str, bool], list[str]] = defaultdict(list)
    for table, key, row in _rows(tables.config):
        refused = table == "SCHEDULER" or (table == "PFC_WD" and key != _GLOBAL)
        for name, remedy in _unknown(key, row):
            found[table, name, remedy, refused].append(key)
    for (table, name, remedy, refused), keys in found.items():
        follows = "so that SONiC refuses the whole row" if refused else "so that nothing follows"
        problem = f"{several(keys)} of {table} has no such field, {follows}"
        severity = Severity.ERROR if refused else Severity.WARNING
        if (table, name) in _REDUNDANT:
            severity = Severity.NOTE
        yield Fault(severity, tables.place(table, keys[0], name), problem, remedy)


def _rows(config: ConfigDb) -> Iterator[tuple[str, str, WholeRow]]:
    """Table, key and row, where all fields that SONiC has are known."""
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
        ("QUEUE", config.queue),
        ("PORT_QOS_MAP", config.port_qos_map),
        ("PFC_WD", config.pfc_wd),
    ):
        yield from ((table, key, row) for key, row in rows.items())


def _unknown(key: str, row: WholeRow) -> Iterator[tuple[str, str]]:
    """Fields that a row is not to have, and what to do about each."""
    names = [field.alias or name for name, field in type(row).model_fields.items()]
    known = {name.lower(): name for name in names}
    for name in row.model_extra or {}:
        nearest = get_close_matches(name.lower(), known, n=1)
        yield name, f"did you mean {known[nearest[0]]}?" if nearest else "remove it"
    if isinstance(row, PfcWatchdog):
        yield from _misplaced(key, row)


def _misplaced(key: str, row: PfcWatchdog) -> Iterator[tuple[str, str]]:
    """Yields fields in the row of a port that only PFC_WD|GLOBAL has, and the other way round."""
    for attribute, field in type(row).model_fields.items():
        name = field.alias or attribute
        is_of_global = name in _OF_GLOBAL
        if getattr(row, attribute) is not None and is_of_global != (key == _GLOBAL):
            yield name, f"{name} in {'PFC_WD|GLOBAL' if is_of_global else 'the rows of ports'}"


def _of_whole_switch(tables: Tables) -> Iterator[Fault]:
    row = tables.config.port_qos_map.get(WHOLE_SWITCH)
    if row is None:
        return
    for name in type(row).model_fields:
        if name != OF_WHOLE_SWITCH and getattr(row, name):
            place = tables.place("PORT_QOS_MAP", WHOLE_SWITCH, name)
            problem = f"SONiC applies only {OF_WHOLE_SWITCH} to the whole switch, so that nothing follows for any port"
            yield Fault(Severity.WARNING, place, problem, f"{name} in the rows of ports")
