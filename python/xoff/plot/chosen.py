"""Which of too many lines are drawn, where none is more important than another."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from xoff.plot.over_time import MOST_LINES

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_NAMED = 3
"""Of more that are left out it is said how many there are."""

Drawn = TypeVar("Drawn")


def evenly(lines: Mapping[str, Drawn], most: int = MOST_LINES) -> dict[str, Drawn]:
    """At most so many, the first and the last among them."""
    labels = list(lines)
    if len(labels) <= most:
        return dict(lines)
    places = (round(place * (len(labels) - 1) / (most - 1)) for place in range(most))
    return {labels[place]: lines[labels[place]] for place in places}


def left_out(lines: Mapping[str, Drawn], most: int = MOST_LINES) -> str | None:
    """What is said if some are not drawn: which, or of many how many."""
    shown = evenly(lines, most)
    missing = [label for label in lines if label not in shown]
    if not missing:
        return None
    if len(missing) <= _MOST_NAMED:
        return f"without {'; '.join(missing)}"
    return f"{len(shown)} of {len(lines)}, evenly from the first to the last"
