"""Measures and plot of what insurance headroom is for: losses without it, where memory is full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.reproduce import measures
from xoff.reproduce.names import CONGESTION_CONTROLS

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

DROPPED = "packets.dropped"
SCHEMES = {"dsh": "DSH", "without": "DSH without insurance"}


most_dropped = measures.most_dropped


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Packets dropped, mean over the seeds, by congestion control."""
    figure = Figure(figsize=(5.2, 3.6))
    ax = figure.subplots()
    controls = points.axis("congestion_control")
    places = np.arange(len(controls))
    for number, (scheme, name) in enumerate(SCHEMES.items()):
        dropped = [points.mean(DROPPED, congestion_control=control, scheme=scheme) for control in controls]
        bars = ax.bar(places + 0.4 * number - 0.2, dropped, 0.4, label=name)
        ax.bar_label(bars, fmt="%.0f")
    ax.set_xticks(places, [CONGESTION_CONTROLS[str(control)] for control in controls])
    ax.set_ylabel("packets dropped")
    ax.legend()
    return figure
