"""Table 1 of BCC, from the chips that scenarios can name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.scenario import catalogue

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points


def per_port(chip: str) -> float:
    """Packet memory of each port (KiB)."""
    return _chip(chip)["kibibytes_per_port"]


def per_port_per_gbps(chip: str) -> float:
    """Packet memory of each port for each Gbps of its rate (KiB)."""
    return _chip(chip)["kibibytes_per_port_per_gbps"]


def draw(points: Points, expected: list[Expected]) -> Figure:
    """Memory per port per Gbps, chip by chip, beside what is printed."""
    figure = Figure()
    ax = figure.subplots()
    printed = {str(row.at["chip"]): float(row.published) for row in expected if row.measure == "per_port_per_gbps"}
    places = range(len(printed))
    ax.bar([place - 0.2 for place in places], [per_port_per_gbps(chip) for chip in printed], 0.38, label="computed")
    ax.bar([place + 0.2 for place in places], list(printed.values()), 0.38, label="published")
    ax.set_xticks(places, list(printed))
    ax.set_yscale("log")
    style.logarithmic(ax.yaxis, ("",), *ax.get_ylim())
    ax.set_ylabel("buffer per port per Gbps (KiB)")
    ax.legend()
    return figure


def _chip(name: str) -> catalogue.Entry:
    return next(chip for chip in catalogue.chips() if chip["name"] == name)
