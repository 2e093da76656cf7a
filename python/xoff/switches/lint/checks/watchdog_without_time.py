"""A watchdog that is not told how long a storm lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def watchdog_without_time(tables: Tables) -> Iterator[Fault]:
    """Rows of PFC_WD without detection_time: SONiC refuses them (orchagent/pfcwdorch.cpp), and nothing is watched."""
    rows = {port: row for port, row in tables.config.pfc_wd.items() if port != "GLOBAL"}
    timed = sorted(row.detection_time for row in rows.values() if row.detection_time is not None)
    untimed = [port for port, row in rows.items() if row.detection_time is None]
    if untimed:
        yield Fault(
            Severity.ERROR,
            tables.place("PFC_WD", untimed[0]),
            f"SONiC refuses a row without detection_time: {several(untimed)} has no watchdog, and a storm there lasts",
            f"detection_time in ms, {f'such as {timed[0]} of another port' if timed else '100 to 5000'}",
        )
