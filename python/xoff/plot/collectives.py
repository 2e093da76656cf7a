"""Bus bandwidth of collectives over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from xoff.plot import room, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xoff.results.result import Result

MOST_GROUPS = 8
_TICKS = 6


def draw(result: Result, ax: Axes) -> Axes:
    """Draws the bus bandwidth of each collective against its start, a line per group, those with the least.

    Raises ValueError if no collective is complete.
    """
    if result.collectives is None:
        message = "no collective is complete; a workload of kind `collective` makes some"
        raise ValueError(message)
    names = ("workload", "group", "start_ns", "bus_bandwidth_gbps")
    workload, group, start_ns, bandwidth = (result.collectives[name].to_numpy() for name in names)
    of_group = {key: (workload == key[0]) & (group == key[1]) for key in set(zip(workload, group, strict=True))}
    slowest = sorted(of_group, key=lambda key: (float(np.mean(bandwidth[of_group[key]])), key))[:MOST_GROUPS]
    for key in sorted(slowest):
        members = of_group[key]
        ax.plot(start_ns[members] / 1000, bandwidth[members], marker="o", markersize=3, label=_label(result, *key))
    ax.set_xlim(0, pc.max(result.collectives["finish_ns"]).as_py() / 1000)
    ax.xaxis.set_major_locator(room.RoomyLocator(_TICKS))
    ax.set_ylim(0, 1.05 * ax.dataLim.y1)
    ax.xaxis.set_major_formatter(style.ticks(style.TIME_UNITS))
    ax.set_xlabel("begin of the collective")
    ax.set_ylabel("bus bandwidth (Gbps)")
    style.legend(ax, title=_title(len(of_group)))
    return ax


def _label(result: Result, workload: int, group: int) -> str:
    told = result.summary["collectives"]
    [this] = [each for each in told if each["workload"] == workload]
    name = f"workload[{workload}]: " if len(told) > 1 else ""
    which = f", group {group}" if this["groups"] > 1 else ""
    return f"{name}{this['operation']}{which}"


def _title(groups: int) -> str | None:
    return f"the slowest {MOST_GROUPS} of {groups} groups" if groups > MOST_GROUPS else None
