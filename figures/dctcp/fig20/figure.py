"""Plot of the incasts of all hosts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.reproduce import panels
from xoff.reproduce.names import DCTCP_AND_TCP

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

LINES = {name: {"control": control} for control, name in DCTCP_AND_TCP.items()}


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Distributions of completion times."""
    return panels.completion_of_queries(points, LINES)
