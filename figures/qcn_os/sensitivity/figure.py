"""Measures and plot of how verdicts on a fabric hang on what the paper leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2"}
SETTLED_MS, END_MS = 100, 150
THROUGHPUTS = {
    name: measures.mean_gbps("flow_throughput", flow, after_ms=SETTLED_MS, until_ms=END_MS)
    for flow, name in FLOWS.items()
}
"""Of a flow at its adapter's exit once it has settled, on the wire."""
VICTIM = THROUGHPUTS["f1"]


def _victims(points: Points) -> list[float]:
    return [points.mean(VICTIM, change=change) for change in points.axis("change")]


def least_victim(points: Points) -> float:
    """Throughput of f1, least of all changes."""
    return min(_victims(points))


def greatest_victim(points: Points) -> float:
    """Throughput of f1, greatest of all changes."""
    return max(_victims(points))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput of f1 and f2 in each figure, for each change."""
    changes = points.axis("change")
    cases = points.axis("figure")
    figure = Figure(figsize=(2 * len(cases) + 2, 0.2 * len(changes) + 1))
    row = figure.subplots(1, len(cases), sharex=True, sharey=True)
    for ax, case in zip(row, cases, strict=True):
        for (name, throughput), marker in zip(THROUGHPUTS.items(), "os", strict=True):
            values = [points.mean(throughput, figure=case, change=change) for change in changes]
            ax.plot(values, range(len(changes)), marker, label=name)
        ax.set_title(str(case).replace(" in", "\nin"))
        ax.set_xlim(0, 5.5)
    row[0].set_yticks(range(len(changes)), [str(change) for change in changes])
    row[0].invert_yaxis()
    figure.supxlabel("throughput (Gbps)", fontsize="medium")
    style.shared_legend(row)
    return figure
