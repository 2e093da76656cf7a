"""Congestion notification packets (CNPs) that can be paused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.lossless import leading
from xoff.switches.lint.qos import DSCP_OF_CNPS
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def cnps_lossless(tables: Tables) -> Iterator[Fault]:
    """The DSCP that adapters give CNPs unless told otherwise, 48, with a traffic class that is lossless.

    A note: what DSCP adapters are set to, no table says.
    """
    for place, priority, ports in leading(tables, DSCP_OF_CNPS):
        yield Fault(
            Severity.NOTE,
            place,
            f"CNPs, to which adapters give DSCP {DSCP_OF_CNPS} unless told otherwise, have lossless priority "
            f"{priority} at {several(ports)}: they wait behind its data and its pauses, and senders hear of congestion "
            "too late",
            f"a traffic class without PFC for DSCP {DSCP_OF_CNPS}, or CNPs with another DSCP",
        )
