"""Trimming where SONiC has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.trimming import never_trimmed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def trimming_refused(tables: Tables) -> Iterator[Fault]:
    """packet_discard_action trim in a profile of a priority group or of a port's list, which SONiC refuses.

    Trimming is for profiles of queues alone (sonic-swss, orchagent/bufferorch.cpp).
    """
    for name, where in never_trimmed(tables).items():
        profile = tables.config.buffer_profile.get(name)
        if profile is not None and profile.packet_discard_action == "trim":
            yield Fault(
                Severity.ERROR,
                tables.place("BUFFER_PROFILE", name, "packet_discard_action"),
                f"SONiC refuses it, since {where} names this profile, and packets are trimmed in queues alone",
                "a profile of their own for queues that trim, named by BUFFER_QUEUE and nothing else",
            )
