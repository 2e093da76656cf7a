"""Measures and plot of flows that come and go, one at each ninth of the run; throughputs in Mbps on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce.names import DCTCP_AND_TCP

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

    Array = npt.NDArray[np.float64]

SENDERS = range(1, 6)
STEPS = 9
"""The first sender has the link alone in the first step and in the last, and shares it in the others."""


def least_jain(points: Points) -> float:
    """Jain's index of the flows' mean throughputs, least of all steps of several flows."""
    return points.mean(lambda point: min(_jain(flows.mean(axis=1)) for flows in _steps(point)))


def deviation_of_dctcp_over_tcp(points: Points) -> float:
    """Standard deviation of a flow's throughput in a step, mean of flows and steps: DCTCP over TCP."""
    return points.mean(_deviation, control="dctcp") / points.mean(_deviation, control="tcp")


def _deviation(point: Point) -> float:
    return float(np.concatenate([flows.std(axis=1) for flows in _steps(point)]).mean())


def _jain(throughputs: Array) -> float:
    return float(throughputs.sum() ** 2 / (len(throughputs) * (throughputs**2).sum()))


def _steps(point: Point) -> Iterator[Array]:
    """Throughputs of the flows that are there in each step of several flows: a row for each."""
    step_ms = point.summary["end_ns"] / 1e6 / STEPS
    for step in range(1, STEPS - 1):
        there = [1, *(sender for sender in SENDERS[1:] if sender - 1 <= step < sender + 3)]
        yield np.array([_throughput(point, sender, step * step_ms, (step + 1) * step_ms)[1] for sender in there])


def _throughput(point: Point, sender: int, after_ms: float, until_ms: float) -> tuple[Array, Array]:
    samples = point.samples("flow_throughput", f"host{sender}.flow0", after_ms=after_ms, until_ms=until_ms)
    return samples.time_ms / 1e3, samples.value / 1e6


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput of each flow over time, a panel for each control."""
    figure = Figure(figsize=(8.4, 3.2))
    row = figure.subplots(1, len(DCTCP_AND_TCP), sharey=True)
    for ax, (control, name) in zip(row, DCTCP_AND_TCP.items(), strict=True):
        point = next(iter(points.where(control=control)))
        for sender in SENDERS:
            ax.plot(*_throughput(point, sender, 0, np.inf), linewidth=1, label=f"flow {sender}")
        ax.set_title(name)
        ax.set_xlabel("time (s)")
        ax.set_xlim(0, point.summary["end_ns"] / 1e9)
        ax.set_ylim(0, 1050)
    row[0].set_ylabel("throughput (Mbps)")
    style.shared_legend(row)
    return figure
