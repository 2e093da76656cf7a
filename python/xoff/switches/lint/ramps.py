"""A WRED profile by colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from xoff.switches.sonic.config_db import WredProfile

COLOURS = ("green", "yellow", "red")
"""The first is that of packets which nothing has coloured."""


class Ramp(NamedTuple):
    """From where to where packets are marked, or dropped."""

    colour: str
    """The first of those that have the same."""
    minimum: int
    maximum: int
    probability: int
    """At the maximum, in percent."""
    marks: bool
    """Whether ECN-capable packets are marked; else they are dropped."""
    drops: bool
    """Whether packets that are not ECN-capable are dropped: WRED is on."""


def marked_colours(wred: WredProfile) -> tuple[str, ...]:
    """Returns the colours for which ECN is on."""
    return COLOURS if wred.ecn == "ecn_all" else tuple(colour for colour in COLOURS if colour in wred.ecn.split("_"))


def ramps(wred: WredProfile) -> list[Ramp]:
    """Returns the ramps that are switched on, each once.

    A colour's thresholds count if its WRED is on, or ECN is on for the colour (SAI saiwred.h). Packets that are not
    ECN-capable are dropped in the first case only.
    """
    marked = marked_colours(wred)
    found: dict[tuple[int, int, int, bool], Ramp] = {}
    for colour in COLOURS:
        minimum = getattr(wred, f"{colour}_min_threshold")
        maximum = getattr(wred, f"{colour}_max_threshold")
        probability = getattr(wred, f"{colour}_drop_probability")
        drops = getattr(wred, f"wred_{colour}_enable")
        if (drops or colour in marked) and minimum is not None and maximum is not None:
            key = (minimum, maximum, 100 if probability is None else probability, colour in marked)
            found.setdefault(key, Ramp(colour, *key, drops))
    return list(found.values())
