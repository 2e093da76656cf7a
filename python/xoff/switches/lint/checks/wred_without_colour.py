"""ECN switched on for colours that are switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.ramps import COLOURS, marked_colours
from xoff.switches.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def wred_without_colour(tables: Tables) -> Iterator[Fault]:
    """ECN for a colour whose WRED switch is not true, which is its default: packets of that colour are never marked."""
    for name, wred in tables.config.wred_profile.items():
        off = [colour for colour in marked_colours(wred) if not getattr(wred, f"wred_{colour}_enable")]
        if not off:
            continue
        switch = f"wred_{off[0]}_enable"
        some = "all that no policer has coloured" if off[0] == COLOURS[0] else "those that a policer has coloured so"
        yield Fault(
            Severity.ERROR if off[0] == COLOURS[0] else Severity.NOTE,
            tables.place("WRED_PROFILE", name, switch if switch in wred.model_fields_set else "ecn"),
            f"{wred.ecn} marks {listed(off)} packets only where wred_COLOUR_enable is true, its default is false: "
            f"{off[0]} packets, {some}, are never marked",
            f"{listed([f'wred_{colour}_enable' for colour in off])} true",
        )
