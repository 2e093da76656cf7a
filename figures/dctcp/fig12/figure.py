"""Measures and plot of the queue's sawtooth, simulated and in closed form; queues in packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from xoff.fluid.dctcp import Bottleneck, SteadyState
from xoff.plot import style

if TYPE_CHECKING:
    import numpy.typing as npt

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

    Array = npt.NDArray[np.float64]

PACKET_BYTES = 1500
THRESHOLD = 40
BOTTLENECK = Bottleneck(rate_bps=10e9, round_trip_ns=100_000, packet_bytes=PACKET_BYTES)
ROUND_TRIP_MS = (BOTTLENECK.in_flight + THRESHOLD) * PACKET_BYTES * 8 / BOTTLENECK.rate_bps * 1e3
"""Round trip with as many packets in the queue as it has when windows are cut, in ms."""

SETTLED_MS = 10
STEP_MS = 1e-3
DRAWN_MS = 3


class Queue(NamedTuple):
    """The queue at steps of a microsecond, and its extremes: means over stretches of two periods of the closed form."""

    length: Array
    highest: float
    lowest: float


def highest(points: Points) -> float:
    """Highest queue of a cycle."""
    return points.mean(lambda point: _queue(point).highest)


def amplitude(points: Points) -> float:
    """Highest less lowest queue of a cycle."""
    return points.mean(lambda point: _queue(point).highest - _queue(point).lowest)


def period(points: Points) -> float:
    """Length of a cycle in round trips, from the strongest frequency."""
    return points.mean(_period)


def highest_over_closed_form(points: Points) -> float:
    """Highest queue of a cycle less that of the closed form, in packets."""
    return points.mean(lambda point: _queue(point).highest - _closed_form(point).queue_max)


def amplitude_over_closed_form(points: Points) -> float:
    """Highest less lowest queue of a cycle, over that of the closed form."""
    return amplitude(points) / points.mean(lambda point: _closed_form(point).amplitude)


def period_over_closed_form(points: Points) -> float:
    """Length of a cycle over that of the closed form."""
    return period(points) / points.mean(lambda point: _closed_form(point).period_round_trips)


def _closed_form(point: Point) -> SteadyState:
    return SteadyState(bottleneck=BOTTLENECK, flows=int(point.at["flows"]), threshold=THRESHOLD)


def _queue(point: Point) -> Queue:
    length = _steps(point)
    stretch = round(2 * _closed_form(point).period_round_trips * ROUND_TRIP_MS / STEP_MS)
    cycles = length[: len(length) // stretch * stretch].reshape(-1, stretch)
    return Queue(length, float(cycles.max(axis=1).mean()), float(cycles.min(axis=1).mean()))


def _steps(point: Point) -> Array:
    samples = point.samples("queue", "switch0.port0")
    at = np.arange(SETTLED_MS, samples.time_ms[-1], STEP_MS)
    return samples.value[np.searchsorted(samples.time_ms, at, side="right") - 1] / PACKET_BYTES


def _period(point: Point) -> float:
    length = _steps(point)
    strengths = np.abs(np.fft.rfft(length - length.mean()))
    return float(len(length) * STEP_MS / np.argmax(strengths) / ROUND_TRIP_MS)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """The queue over time, a panel for each number of flows, with what the closed form says of its extremes."""
    figure = Figure(figsize=(9.9, 2.9))
    row = figure.subplots(1, len(points), sharey=True)
    for ax, point in zip(row, points, strict=True):
        form = _closed_form(point)
        drawn = _steps(point)[: round(DRAWN_MS / STEP_MS)]
        ax.plot(np.arange(len(drawn)) * STEP_MS, drawn, linewidth=1, label="simulated")
        for limit in (form.queue_max, form.queue_min):
            ax.axhline(
                limit, color=style.COLOURS[3], linewidth=1.2, linestyle="--", label="closed form: highest, lowest"
            )
        ax.set_title(f"{form.flows} flows")
        ax.set_xlabel("time (ms)")
        ax.set_ylim(0, 100)
        ax.set_xticks(range(DRAWN_MS + 1))
        ax.set_xlim(0, DRAWN_MS)
    row[0].set_ylabel("queue (packets)")
    style.shared_legend(row)
    return figure
