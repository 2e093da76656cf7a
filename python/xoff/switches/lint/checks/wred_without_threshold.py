"""WRED that is switched on, and not told where it begins and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.ramps import COLOURS, marked_colours
from xoff.switches.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables
    from xoff.switches.sonic.config_db import WredProfile


def wred_without_threshold(tables: Tables) -> Iterator[Fault]:
    """WRED or ECN that is switched on for a colour without both thresholds: nothing says where it begins and ends.

    Of colours whose WRED is off only those that nothing has coloured are looked at: `ecn_all` is often for them alone.
    """
    for name, wred in tables.config.wred_profile.items():
        for colour in COLOURS:
            lacking = [end for end in _ends(colour) if getattr(wred, end) is None]
            if lacking and _is_on(wred, colour):
                severity, physics = _follows(wred, colour)
                place = tables.place("WRED_PROFILE", name, lacking[0])
                yield Fault(severity, place, physics, f"{listed(lacking)} in bytes")


def _ends(colour: str) -> tuple[str, str]:
    return f"{colour}_min_threshold", f"{colour}_max_threshold"


def _is_on(wred: WredProfile, colour: str) -> bool:
    marked = colour == COLOURS[0] and colour in marked_colours(wred)
    return marked or bool(getattr(wred, f"wred_{colour}_enable"))


def _follows(wred: WredProfile, colour: str) -> tuple[Severity, str]:
    """Says what the switch does then, as in orchagent/qosorch.cpp of sonic-swss and in SAI's saiwred.h."""
    minimum = getattr(wred, _ends(colour)[0])
    if minimum:
        return Severity.ERROR, f"SONiC takes it for 0, below {_ends(colour)[0]} = {minimum}, and refuses the profile"
    severity = Severity.ERROR if colour == COLOURS[0] else Severity.NOTE
    happens = "marked" if colour in marked_colours(wred) else "dropped"
    return severity, (
        f"{colour} packets are to be {happens}, and nothing says where that begins or ends: to SAI a threshold that is "
        "not set is the size of the buffer, before which nothing happens"
    )
