"""Measures and plot of DSH's figures 6 to 10: how much of SIH's headroom is used, and why so little."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow.compute as pc
from matplotlib.figure import Figure

from xoff.plot import style
from xoff.results import folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

Distribution: TypeAlias = "Callable[[Path], np.ndarray]"
"""Something measured many times in a run, from the run's folder."""

HEADROOM_OF_A_QUEUE_BYTES = 60_000
LINES = {7: "seven classes", 1: "one class"}


@cache
def utilisation(run: Path) -> np.ndarray:
    """Headroom of a switch in use at each local maximum (%)."""
    maxima = folder.read(run).headroom
    assert maxima is not None
    shares: np.ndarray = maxima["used_bytes"].to_numpy() / maxima["set_aside_bytes"].to_numpy()
    return shares * 100


@cache
def queues_off(run: Path) -> np.ndarray:
    """Queues whose senders were paused at each local maximum, of all queues of the switch (%)."""
    maxima = folder.read(run).headroom
    assert maxima is not None
    queues = maxima["set_aside_bytes"].to_numpy() / HEADROOM_OF_A_QUEUE_BYTES
    shares: np.ndarray = maxima["queues_off"].to_numpy() / queues
    return shares * 100


@cache
def utilisation_of_queues(run: Path) -> np.ndarray:
    """Most of its own headroom that a queue used from XOFF to XON (%)."""
    off_times = folder.read(run).off_times
    assert off_times is not None
    used: np.ndarray = off_times["headroom_bytes"].to_numpy()
    return used / HEADROOM_OF_A_QUEUE_BYTES * 100


def arrival_rate(run: Path) -> np.ndarray:
    """Arrival rate of each queue that was off, up to the last arrival (Gbps)."""
    return _rates(run)[0]


def departure_rate(run: Path) -> np.ndarray:
    """Departure rate of each queue that was off, up to the last arrival (Gbps)."""
    return _rates(run)[1]


@cache
def _rates(run: Path) -> tuple[np.ndarray, np.ndarray]:
    """Arrival and departure rates; a queue to which nothing came while it was off has none."""
    off_times = folder.read(run).off_times
    assert off_times is not None
    came = off_times.filter(pc.greater(off_times["last_arrival_ns"], off_times["xoff_ns"]))
    lengths_ns = came["last_arrival_ns"].to_numpy() - came["xoff_ns"].to_numpy()
    return came["arrived_bytes"].to_numpy() * 8 / lengths_ns, came["departed_bytes"].to_numpy() * 8 / lengths_ns


def median_utilisation(points: Points) -> float:
    """Headroom of a switch in use, median over its local maxima (%)."""
    return _quantile(points, utilisation, 0.5)


def high_utilisation(points: Points) -> float:
    """Headroom of a switch in use, 99th percentile over its local maxima (%)."""
    return _quantile(points, utilisation, 0.99)


def median_utilisation_of_queues(points: Points) -> float:
    """Headroom of a queue in use, median over its times from XOFF to XON (%)."""
    return _quantile(points, utilisation_of_queues, 0.5)


def high_utilisation_of_queues(points: Points) -> float:
    """Headroom of a queue in use, 99th percentile over its times from XOFF to XON (%)."""
    return _quantile(points, utilisation_of_queues, 0.99)


def fewer_than_half_off(points: Points) -> float:
    """Local maxima at which fewer than half of a switch's queues were off (%)."""
    return float(np.mean(_all(points, queues_off) < 50)) * 100


def median_arrival_rate(points: Points) -> float:
    """Median arrival rate of a queue that is off (Gbps)."""
    return _quantile(points, arrival_rate, 0.5)


def median_departure_rate(points: Points) -> float:
    """Median departure rate of a queue that is off (Gbps)."""
    return _quantile(points, departure_rate, 0.5)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A panel for each figure, but one for both figures of arrival rates."""
    panels: dict[str, Distribution] = {
        "headroom in use at local maxima (%)": utilisation,
        "queues off at local maxima (%)": queues_off,
        "arrival rate of a queue that is off (Gbps)": arrival_rate,
        "departure rate of a queue that is off (Gbps)": departure_rate,
    }
    figure = Figure(figsize=(8.4, 5.6))
    for ax, (label, distribution) in zip(figure.subplots(2, 2).flat, panels.items(), strict=True):
        for (classes, name), colour in zip(LINES.items(), style.COLOURS, strict=False):
            _cumulative(ax, _all(points.where(classes=classes), distribution), colour, name)
        ax.set_xlabel(label)
        ax.set_xlim(left=0)
        ax.set_ylim(0, 1)
        ax.set_ylabel("share below")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=len(LINES))
    return figure


def _cumulative(ax: Axes, values: np.ndarray, colour: str, name: str) -> None:
    shares = np.linspace(0, 1, 501)
    ax.plot(np.quantile(values, shares), shares, color=colour, label=name)


def _quantile(points: Points, distribution: Distribution, share: float) -> float:
    return float(np.quantile(_all(points, distribution), share))


def _all(points: Points, distribution: Distribution) -> np.ndarray:
    return np.concatenate([distribution(point.folder) for point in points])
