"""ECN for colours whose WRED is off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.ramps import COLOURS, marked_colours, ramps
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables
    from xoff.switches.sonic.config_db import WredProfile


def wred_without_colour(tables: Tables) -> Iterator[Fault]:
    """ECN for a colour whose WRED switch is not true, which is its default: such packets are marked, and never dropped.

    A note: to SAI thresholds count where WRED is on for a colour, or ECN covers it (saiwred.h).
    """
    names = [name for name, wred in tables.config.wred_profile.items() if _only_marks(wred)]
    if names:
        wred = tables.config.wred_profile[names[0]]
        off = [colour for colour in marked_colours(wred) if not getattr(wred, f"wred_{colour}_enable")]
        switches = [f"wred_{colour}_enable" for colour in off]
        yield Fault(
            Severity.NOTE,
            tables.place("WRED_PROFILE", names[0], switches[0] if switches[0] in wred.model_fields_set else "ecn"),
            f"{several(names)}: {wred.ecn} marks {listed(off)} packets, whose WRED is off: those that are not "
            "ECN-capable are not dropped by these thresholds, and fill the queue unhindered",
            f"{listed(switches)} true, if that is not meant",
        )


def _only_marks(wred: WredProfile) -> bool:
    """Whether packets that nothing has coloured are marked, and not dropped."""
    return any(ramp.colour == COLOURS[0] and ramp.marks and not ramp.drops for ramp in ramps(wred))
