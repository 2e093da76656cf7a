"""Measures and plot of DSH's figure 15: completion times of one class beside the load of others."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels
from xoff.reproduce.names import CONGESTION_CONTROLS, HEADROOM_SCHEMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

INTERFERED = measures.mean_fct_us("interfered")
LAYOUT = panels.Layout(
    along="interfering_load",
    lines=("scheme", HEADROOM_SCHEMES | {"without": "DSH without shared headroom"}),
    columns=("congestion_control", CONGESTION_CONTROLS),
    logarithmic=True,  # one line is far above
)

dsh_over_sih = partial(measures.greatest_ratio, INTERFERED, scheme=("dsh", "sih"))
without_over_dsh = partial(measures.greatest_ratio, INTERFERED, scheme=("without", "dsh"))
most_dropped = measures.most_dropped
widest_interval = partial(measures.widest_interval, [INTERFERED], scheme=("dsh", "sih"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A column for each congestion control, as the paper has them."""
    return panels.means(points, {"FCT of interfered\nflows (us)": INTERFERED}, LAYOUT)
