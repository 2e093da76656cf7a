"""The network, with each link in the colour of its utilization."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.colors import Normalize

from xoff.plot import topology

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

    from xoff.results.result import Result
    from xoff.scenario.topology import Port

_COLOURS, _STEPS = "viridis_r", 20
"""Colours from light to dark, readable without colour vision; Matplotlib makes a bitmap of more than 50."""


def size_inches(result: Result) -> tuple[float, float]:
    """Returns the size of a figure with the network and a bar of colours."""
    width, height = topology.size_inches(result.topology)
    return width, height + 0.2


def draw(result: Result, ax: Axes) -> Axes:
    """Draws the network; the busier direction of a link counts, and links that failed before the run are dotted."""
    of_ports = result.ports.select(["port", "utilization"]).to_pylist()
    busy = {row["port"]: row["utilization"] for row in of_ports}
    most = max(1.0, *busy.values())
    colours = mpl.colormaps[_COLOURS].resampled(_STEPS)

    def ranked(port: Port) -> tuple[float, ColorType]:
        busier = max(busy[port.name], busy[port.peer])
        return busier, colours(busier / most)

    topology.draw(result.topology, ax, ranked)
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.colorbar(
        mpl.cm.ScalarMappable(Normalize(0, 100 * most), colours),
        ax=ax,
        location="bottom",
        fraction=0.04,
        pad=0.02,
        aspect=50,
        label="utilization of the busier way over the run (%)",
    )
    return ax
