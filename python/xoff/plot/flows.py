"""Flows over time in panels: throughput, rate, congestion messages, and bytes in an input buffer."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from xoff.plot import inputs, over_time, style
from xoff.plot.stretch import Stretch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from xoff.results.result import Result

QUANTITIES = ("flow_throughput", "rate", "cnms", "input")


def panels_of(result: Result, quantities: Sequence[str] | None) -> list[str]:
    """Returns the quantities to draw. Raises ValueError if no quantity of flows was observed."""
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
) -> str | None:
    """Draws one quantity into each of the axes, with a colour per flow, and returns a note on flows left out.

    Args:
        result: The result.
        panels: Quantities of `QUANTITIES`, one for each of the axes.
        axes: The axes.
        flows: Flows by name, such as `host0.flow3`, at most six, each with its label; left out, those with the highest
            peaks, each as a share of the highest in its panel.
        port: Port whose input buffer is drawn; left out, the fullest.
        between_ns: The time that is shown; left out, all of it.
    """
    stretch = Stretch.of(result, between_ns)
    hidden = None
    if not flows:
        flows, hidden = _highest(result, panels, port, stretch)
    numbers = {flow: number for number, flow in enumerate(flows)}
    for quantity, ax in zip(panels, axes, strict=True):
        if quantity == "input":
            inputs.draw(result, ax, port, flows, stretch)
        else:
            lines = {line.label: line for line in over_time.lines_of(result, quantity)}
            for flow in filter(lines.__contains__, flows):
                number = numbers[flow]
                dashes = "--" if number % 2 else "-"  # lines before it show through
                colour = style.COLOURS[number % len(style.COLOURS)]
                over_time.draw_line(result, quantity, lines[flow], ax, colour, flows[flow], stretch, dashes)
            over_time.draw_axes(result, quantity, ax, stretch)
        ax.set_title(ax.get_ylabel())
        ax.set_ylabel("")
        ax.xaxis.set_major_locator(MaxNLocator(4))
    return hidden


def _highest(
    result: Result, panels: Sequence[str], port: str | None, stretch: Stretch | None
) -> tuple[dict[str, str], str | None]:
    """Returns the flows with the highest peaks, in the order of their names, and a note on the others.

    A peak counts as a share of the highest in its panel, and a flow by its highest share. Many flows begin at the rate
    of their link and so have a share of 1; their peaks in the other panels then decide.
    """
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for quantity in panels:
        peaks = _peaks(result, quantity, port, stretch)
        highest = max(peaks.values(), default=0.0)
        for flow, peak in peaks.items():
            shares[flow].append(peak / highest if highest > 0 else 0.0)
    flows = sorted((flow for flow in shares if any(shares[flow])), key=_numbers)
    chosen = sorted(flows, key=lambda flow: (max(shares[flow]), sum(shares[flow])), reverse=True)[: inputs.MOST_FLOWS]
    hidden = over_time.left_out(len(chosen), len(flows), len(shares) - len(flows))
    return {flow: style.plain(flow) for flow in sorted(chosen, key=_numbers)}, hidden


def _peaks(result: Result, quantity: str, port: str | None, stretch: Stretch | None) -> dict[str, float]:
    """Returns the peak of each flow in a panel."""
    if quantity == "input":
        occupancy = inputs.occupancy(result, port or inputs.ports(result)[0]).within(stretch)
        return {flow: value.max(initial=0.0) for flow, value in occupancy.by_flow.items()}
    lines = over_time.lines_of(result, quantity)
    return {line.label: over_time.peak(result, quantity, line, stretch) or 0.0 for line in lines}


def _numbers(name: str) -> list[tuple[str, int]]:
    """Returns a sort key that puts `host2.flow10` after `host2.flow9`."""
    return [(word, int(number or 0)) for word, number in re.findall(r"(\D+)(\d*)", name)]
