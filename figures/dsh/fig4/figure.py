"""Figure 4 of DSH and the numbers of its section III-A, from the chips that scenarios can name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.scenario import catalogue
from xoff.switches import headroom

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

CLASSES = 8
DELAY_NS = 1500
MTU_BYTES = 1500
MEBIBYTE = 1 << 20

EVALUATED_CLASSES = 7
EVALUATED_HEADROOM_BYTES = 60_000
EVALUATED_DELAY_NS = 2000

# Oldest first. The paper does not name its chips: these are the ones with most ports of each generation.
TREND = {
    "trident_plus": "Trident+\n48 x 10G",
    "trident_2": "Trident II\n32 x 40G",
    "tomahawk": "Tomahawk\n32 x 100G",
    "tomahawk_2": "Tomahawk 2\n64 x 100G",
    "tomahawk_3": "Tomahawk 3\n32 x 400G",
    "tomahawk_4": "Tomahawk 4\n64 x 400G",
}


def buffer_per_capacity(chip: str) -> float:
    """Time in which all ports together carry as much as the memory holds (us)."""
    found = _chip(chip)
    return found["memory_bytes"] * 8 / (found["ports"] * found["rate_bps"]) * 1e6


def headroom_mebibytes(chip: str) -> float:
    """Headroom that all classes of all ports need together, equation 3 (MiB)."""
    return _headroom_bytes(_chip(chip)) / MEBIBYTE


def share_of_headroom(chip: str) -> float:
    """Headroom of all classes and ports over all memory (%)."""
    found = _chip(chip)
    return _headroom_bytes(found) / found["memory_bytes"] * 100


def decrease() -> float:
    """Buffer over capacity of the first chip over that of the last."""
    first, *_, last = TREND
    return buffer_per_capacity(first) / buffer_per_capacity(last)


def increase() -> float:
    """Share of headroom in the last chip over that in the first, less one (%)."""
    first, *_, last = TREND
    return (share_of_headroom(last) / share_of_headroom(first) - 1) * 100


def evaluated_headroom() -> float:
    """Headroom of a Tomahawk in the paper's simulations, whose headroom of a queue is a setting (MiB)."""
    return _chip("tomahawk")["ports"] * EVALUATED_CLASSES * EVALUATED_HEADROOM_BYTES / MEBIBYTE


def headroom_of_a_queue() -> float:
    """Headroom of a queue by the paper's formula, for the links of its simulations (B)."""
    return _of_a_queue(_chip("tomahawk")["rate_bps"], EVALUATED_DELAY_NS)


def draw(_points: Points, expected: list[Expected]) -> Figure:
    """Both trends, chip by chip, beside what is printed of the first and the last."""
    figure = Figure()
    panels = figure.subplots(2, sharex=True)
    labels = {buffer_per_capacity: "buffer over\ncapacity (us)", share_of_headroom: "headroom\n(% of memory)"}
    for ax, (measure, label), colour in zip(panels, labels.items(), style.COLOURS, strict=False):
        ax.plot(list(TREND.values()), [measure(chip) for chip in TREND], "o-", color=colour, label="computed")
        printed = {
            TREND[str(row.at["chip"])]: float(row.published) for row in expected if row.measure == measure.__name__
        }
        ax.plot(list(printed), list(printed.values()), "kx", markersize=8, label="published")
        ax.set_ylabel(label)
        ax.set_ylim(0, 1.2 * max(map(measure, TREND)))
    panels[0].legend()
    return figure


def _headroom_bytes(chip: catalogue.Entry) -> int:
    return chip["ports"] * CLASSES * _of_a_queue(chip["rate_bps"], DELAY_NS)


def _of_a_queue(rate_bps: int, delay_ns: int) -> int:
    return headroom.published_headroom(rate_bps=rate_bps, delay_ns=delay_ns, largest_bytes=MTU_BYTES)["total_bytes"]


def _chip(name: str) -> catalogue.Entry:
    return next(chip for chip in catalogue.chips() if chip["name"] == name)
