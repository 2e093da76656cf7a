"""Bytes of flows in the input buffer of a port."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
import numpy as np

from xoff.plot import over_time, style
from xoff.scenario import patterns
from xoff.text import toml_text
from xoff.text.units import bytes_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from xoff.plot.over_time import Names
    from xoff.plot.stretch import Stretch
    from xoff.results.result import Result

MOST_FLOWS = 6
"""Most flows with a colour of their own; the next colour is that of all others."""


class Occupancy(NamedTuple):
    """Bytes in one input buffer at the times at which it was sampled."""

    time_us: np.ndarray
    by_flow: dict[str, np.ndarray]

    def within(self, stretch: Stretch | None) -> Occupancy:
        """Returns the part in a stretch of time."""
        if stretch is None:
            return self
        time_us, _ = stretch.cut(self.time_us, self.time_us, before=False)
        cut = {flow: stretch.cut(self.time_us, value, before=False)[1] for flow, value in self.by_flow.items()}
        return Occupancy(time_us, cut)


def ports(result: Result, names: Names = None) -> list[str]:
    """Returns the ports whose input buffers were observed, the fullest first.

    Raises ValueError if none was, or if a name or pattern fits none.
    """
    peaks: dict[str, float] = {}
    for line in over_time.lines_of(result, "input", names):
        port = line.label.partition(",")[0]
        peaks[port] = max(peaks.get(port, 0.0), line.value.max(initial=0.0))
    return sorted(peaks, key=lambda port: -peaks[port])


def title(ports: Sequence[str]) -> str:
    """Returns the legend's title: the port that is drawn, and of how many ports it is the fullest."""
    return ports[0] if len(ports) == 1 else f"{ports[0]}, the fullest of {len(ports)}"


def occupancy(result: Result, port: str) -> Occupancy:
    """Returns the bytes of each flow in the input buffer of a port, flows with most bytes first.

    Raises ValueError if the port was not observed.
    """
    lines = [line for line in over_time.lines_of(result, "input") if line.label.partition(",")[0] == port]
    if not lines:
        message = f"the input buffer of {port} was not observed; observe.inputs.of in the scenario names ports"
        raise ValueError(message)
    time_us = np.unique(np.concatenate([line.time_us for line in lines]))
    by_flow: dict[str, np.ndarray] = {}
    if "input_of_flow" in over_time.quantities(result):
        for line in over_time.lines_of(result, "input_of_flow"):
            place, _, flow = line.label.partition("/")
            if place == port:
                of_flow = by_flow.setdefault(flow.partition(",")[0], np.zeros(len(time_us)))
                np.add.at(of_flow, np.searchsorted(time_us, line.time_us), line.value)
    return Occupancy(time_us, dict(sorted(by_flow.items(), key=lambda item: -item[1].sum())))


def draw(
    result: Result,
    ax: Axes,
    port: str | None = None,
    flows: Mapping[str, str] | None = None,
    stretch: Stretch | None = None,
) -> Axes:
    """Draws flows stacked one on another, with lines for set point, XOFF and XON if the scenario has them.

    Args:
        result: The result.
        ax: The axes.
        port: Port whose input buffer is drawn; left out, the fullest.
        flows: Flows from the bottom up, at most six, each with its label; left out, those with most bytes.
        stretch: The time that is shown; left out, all of it.
    """
    port = port or ports(result)[0]
    time_us, by_flow = occupancy(result, port).within(stretch)
    flows = flows or {flow: style.plain(flow) for flow in list(by_flow)[:MOST_FLOWS]}
    none = np.zeros(len(time_us))
    shown = {called: by_flow.get(flow, none) for flow, called in flows.items()}
    shown["other flows"] = sum((by_flow[flow] for flow in by_flow if flow not in flows), start=none)
    kept = over_time.kept(sum(shown.values(), start=none))
    if len(shown) > 1 and not shown["other flows"].any():
        del shown["other flows"]
    ax.stackplot(
        time_us[kept],
        *(value[kept] for value in shown.values()),
        labels=list(shown),
        colors=[*style.COLOURS[: len(flows)], style.COLOURS[MOST_FLOWS]],
        step="post",
        linewidth=0,
    )
    for (name, height), dashes in zip(_thresholds(result, port).items(), ("--", "-.", ":"), strict=False):
        ax.axhline(height, color=mpl.rcParams["axes.edgecolor"], linewidth=0.9, linestyle=dashes)
        ax.annotate(name, (1.01, height), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    over_time.draw_axes(result, "input", ax, stretch)
    return ax


def _thresholds(result: Result, port: str) -> dict[str, float]:
    """Returns the thresholds of a port's input buffer in bytes; later tables of the scenario override, key by key."""
    found: dict[str, Any] = {}
    for table in toml_text.parse(result.scenario).get("switch", []):
        if patterns.matches(table.get("nodes", "*"), port.rpartition(".")[0]):
            found |= table.get("input", {})
    found |= found.get("congestion_point", {})
    names = {"set_point": "set point", "xoff": "XOFF", "xon": "XON"}
    return {name: bytes_of(found[key]) for key, name in names.items() if isinstance(found.get(key), str)}
