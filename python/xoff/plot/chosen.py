"""Choice of the lines to draw, if there are too many and none is more important than another."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from xoff.plot.over_time import MOST_LINES

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_NAMED = 3
"""Most lines left out that are named; of more, the number is given."""

Drawn = TypeVar("Drawn")


def evenly(lines: Mapping[str, Drawn], most: int = MOST_LINES) -> dict[str, Drawn]:
    """Returns at most `most` lines, evenly chosen, the first and the last among them."""
    labels = list(lines)
    if len(labels) <= most:
        return dict(lines)
    places = (round(place * (len(labels) - 1) / (most - 1)) for place in range(most))
    return {labels[place]: lines[labels[place]] for place in places}


def left_out(lines: Mapping[str, Drawn], most: int = MOST_LINES) -> str | None:
    """Returns a note on lines that are not drawn: their names, or their number if there are many."""
    shown = evenly(lines, most)
    missing = [label for label in lines if label not in shown]
    if not missing:
        return None
    if len(missing) <= _MOST_NAMED:
        return f"without {'; '.join(missing)}"
    return f"{len(shown)} of {len(lines)}, evenly from the first to the last"
