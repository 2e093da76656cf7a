"""Figure 11 of DCQCN from its fluid model: two flows that start at 40 and 5 Gbps; their difference in Gbps."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.figure import Figure

from xoff.fluid.model import Fluid
from xoff.plot import style

if TYPE_CHECKING:
    from xoff.fluid.model import Trajectory
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

STRAWMAN = {
    "byte_counter": "150kB",
    "timer": "1500us",
    "minimum": "40kB",
    "maximum": "40kB",
    "probability": 1,
    "gain": "1/16",
}
"""QCN's parameters and DCTCP's threshold, section 4.2."""


class Panel(NamedTuple):
    """One parameter is changed, from the strawman's value to the deployed one."""

    key: str
    values: list[str | float]
    others: dict[str, object]
    label: str


PANELS = {
    "byte_counter": Panel("byte_counter", ["150kB", "1MB", "5MB", "10MB"], {}, "byte counter"),
    "timer": Panel("timer", ["1500us", "600us", "300us", "150us", "55us"], {"byte_counter": "10MB"}, "timer"),
    "maximum": Panel("maximum", ["40kB", "80kB", "120kB", "160kB", "200kB"], {}, "$K_{max}$"),
    "probability": Panel("probability", [1, 0.5, 0.1, 0.01], {"maximum": "200kB"}, "$P_{max}$"),
}
LATE_S = 0.18


def apart(panel: str, value: str | float) -> float:
    """Difference of the rates, mean of the last 20 ms of 200."""
    return float(_ran(panel, value).after(LATE_S).difference_bps.mean() / 1e9)


def least_apart(panel: str) -> float:
    """The least of a panel."""
    return min(apart(panel, value) for value in PANELS[panel].values)


def least_fall(panel: str) -> float:
    """By how much a value brings rates nearer than the one before, the least of a panel."""
    return min(before - after for before, after in pairwise(apart(panel, value) for value in PANELS[panel].values))


def deployed_apart() -> float:
    """Difference of the rates after 50 ms with the parameters as deployed."""
    return float(Fluid.of("dcqcn", duration="50ms").run().difference_bps[-1] / 1e9)


@cache
def _ran(panel: str, value: str | float) -> Trajectory:
    key, _, others, _ = PANELS[panel]
    return Fluid.of("dcqcn", **{**STRAWMAN, **others, key: value, "every": "100us"}).run()


def draw(_points: Points, _expected: list[Expected]) -> Figure:
    """A panel for each parameter: the difference of the rates over time."""
    figure = Figure(figsize=(9.9, 5.4))
    for ax, (name, panel) in zip(figure.subplots(2, 2, sharex=True, sharey=True).flat, PANELS.items(), strict=True):
        for value, colour in zip(panel.values, style.COLOURS, strict=False):
            ran = _ran(name, value)
            label = f"{value:g}" if isinstance(value, float | int) else value
            ax.plot(ran.seconds * 1e3, ran.difference_bps / 1e9, linewidth=1.1, color=colour, label=label)
        ax.set_title(panel.label)
        ax.legend(fontsize=7, loc="upper right", ncols=3)
        ax.set_ylim(0, 45)
        ax.set_xlim(0, 200)
    for ax in figure.axes[2:]:
        ax.set_xlabel("time (ms)")
    for ax in figure.axes[::2]:
        ax.set_ylabel("$|R_1 - R_2|$ (Gbps)")
    return figure
