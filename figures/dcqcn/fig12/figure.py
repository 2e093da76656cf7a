"""Figure 12 of DCQCN from its fluid model: the queue of flows that start together at line rate; queues in kB."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.fluid.model import Fluid
from xoff.plot import style

if TYPE_CHECKING:
    from xoff.fluid.model import Array, Trajectory
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

SENDERS = (2, 8, 16)
GAINS = ("1/16", "1/256")
SETTLED_S = 0.1


def mean_ratio(senders: float) -> float:
    """Mean of the queue once settled under the smaller gain, over that under the larger."""
    large, small = (_late(int(senders), gain).mean() for gain in GAINS)
    return float(small / large)


def deviation_ratio(senders: float) -> float:
    """Standard deviation of the queue once settled under the smaller gain, over that under the larger."""
    large, small = (_late(int(senders), gain).std() for gain in GAINS)
    return float(small / large)


def spread(senders: float, gain: str) -> float:
    """Greatest less least of the queue once settled."""
    late = _late(int(senders), gain)
    return float(late.max() - late.min()) / 1e3


def _late(senders: int, gain: str) -> Array:
    return _ran(senders, gain).after(SETTLED_S).queue_bytes


@cache
def _ran(senders: int, gain: str) -> Trajectory:
    return Fluid.of("dcqcn", flows=senders, gain=gain, initial_rates=["40Gbps"]).run()


def draw(_points: Points, _expected: list[Expected]) -> Figure:
    """A panel for each number of senders: the queue over the first 100 ms under both gains."""
    figure = Figure(figsize=(9.9, 2.9))
    row = list(figure.subplots(1, len(SENDERS), sharey=True))
    for ax, senders in zip(row, SENDERS, strict=True):
        for gain in GAINS:
            ran = _ran(senders, gain)
            ax.plot(ran.seconds * 1e3, ran.queue_bytes / 1e3, linewidth=1, label=f"g = {gain}")
        ax.set_title(f"{senders} : 1")
        ax.set_xlabel("time (ms)")
        ax.set_xlim(0, SETTLED_S * 1e3)
        ax.set_ylim(0, 300)
    row[0].set_ylabel("queue (kB)")
    style.shared_legend(row)
    return figure
