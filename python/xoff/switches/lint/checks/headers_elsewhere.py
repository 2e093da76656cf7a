"""Headers of trimmed packets that change their queue at the next switch."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several
from xoff.switches.lint.trimming import ports_by_queue, queue_of_dscp, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables

_DEFAULT_DSCP = 0
"""SAI's, where none is set."""


def headers_elsewhere(tables: Tables) -> Iterator[Fault]:
    """A dscp_value that leads to another queue than queue_index: headers wait there at the next switch."""
    row = settings(tables)
    if row is None or row.dscp_value == "from-tc":
        return
    dscp = _DEFAULT_DSCP if row.dscp_value is None else row.dscp_value
    for index, ports in ports_by_queue(tables).items():
        leads: dict[int, list[str]] = defaultdict(list)
        for port in ports:
            there = queue_of_dscp(tables, port, dscp)
            if there not in (None, index):
                leads[there].append(port)
        for there, its in leads.items():
            yield Fault(
                Severity.WARNING,
                tables.place("SWITCH_TRIMMING", "GLOBAL", "dscp_value"),
                f"headers carry DSCP {dscp}, which leads to queue {there} by the maps of {several(its)}, and not to "
                f"queue {index}, where this switch puts them: a next switch with these maps has them wait there",
                f"dscp_value that leads to queue {index}{_such_as(tables, its[0], index)}",
            )


def _such_as(tables: Tables, port: str, index: int) -> str:
    leading = (dscp for dscp in range(64) if queue_of_dscp(tables, port, dscp) == index)
    found = next(leading, None)
    return f", such as {found}" if found is not None else ", and a row of DSCP_TO_TC_MAP for it"
