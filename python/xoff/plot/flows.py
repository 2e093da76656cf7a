"""Flows over time, side by side: what they send, may send and are told of, and what they have in an input buffer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from xoff.plot import inputs, over_time, style
from xoff.plot.stretch import Stretch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from xoff.result import Result

QUANTITIES = ("flow_throughput", "rate", "cnms", "input")


def panels_of(result: Result, quantities: Sequence[str] | None) -> list[str]:
    """What there is a panel of. Raises ValueError if nothing was observed that tells of flows."""
    observed = over_time.quantities(result)
    panels = [quantity for quantity in quantities or QUANTITIES if quantities or quantity in observed]
    if not panels:
        message = f"none of {', '.join(QUANTITIES)} was observed; the scenario's [observe] says what is recorded"
        raise ValueError(message)
    return panels


def draw(
    result: Result,
    panels: Sequence[str],
    axes: Sequence[Axes],
    *,
    flows: Mapping[str, str] | None = None,
    port: str | None = None,
    between_ns: tuple[float, float] | None = None,
) -> None:
    """One quantity into each of the axes; a flow has the same colour in all.

    Args:
        result: What is drawn.
        panels: Of `QUANTITIES`, as many as there are axes.
        axes: Where to draw.
        flows: Names such as `host0.flow3`, at most six, and what they are called; left out, the highest peaks.
        port: Whose input buffer is drawn; left out, the one that was fullest.
        between_ns: The time that is shown; left out, all of it.
    """
    stretch = Stretch.of(result, between_ns)
    flows = flows or _highest(result, panels[0], port)
    colours = dict(zip(flows, style.COLOURS, strict=False))
    for quantity, ax in zip(panels, axes, strict=True):
        if quantity == "input":
            inputs.draw(result, ax, port, flows, stretch)
        else:
            lines = {line.label: line for line in over_time.lines_of(result, quantity)}
            for flow in filter(lines.__contains__, flows):
                over_time.draw_line(result, quantity, lines[flow], ax, colours[flow], flows[flow], stretch)
            over_time.draw_axes(result, quantity, ax, stretch)
        ax.set_title(ax.get_ylabel())
        ax.set_ylabel("")
        ax.xaxis.set_major_locator(MaxNLocator(4))


def _highest(result: Result, quantity: str, port: str | None) -> dict[str, str]:
    """The flows with the highest peaks, in the order of their names."""
    if quantity == "input":
        names = list(inputs.occupancy(result, port or inputs.ports(result)[0]).by_flow)
    else:
        names = [line.label for line in over_time.lines_of(result, quantity)]
    return {name: style.plain(name) for name in sorted(names[: inputs.MOST_FLOWS], key=_numbers)}


def _numbers(name: str) -> list[tuple[str, int]]:
    """`host2.flow10` after `host2.flow9`."""
    return [(word, int(number or 0)) for word, number in re.findall(r"(\D+)(\d*)", name)]
