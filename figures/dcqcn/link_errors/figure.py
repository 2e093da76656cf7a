"""Measures and plot of goodput under link errors, in Gbps of payload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

PACKET = (1024 + 62 + 20) * 8 / 40e9
"""Time of a full packet on the wire, in seconds."""
REPETITION = 500e-6
"""Time until a packet is named again in a NACK, in seconds."""
NAMES = {"go_back_n": "go-back-N", "selective_repeat": "selective repeat (IRN)"}


def goodput(points: Points) -> float:
    """Goodput of the only flow."""
    return points.mean(_goodput)


def share(points: Points) -> float:
    """Goodput over that without errors, the least of all error rates there are."""
    full = goodput(points.where(error_rate=0))
    return min(goodput(points.where(error_rate=at)) / full for at in points.axis("error_rate"))


def model(error_rate: float) -> float:
    """Share of goodput left under go-back-N.

    A loss costs a round trip of packets, and where the packet that is sent again or the NACK is lost too, the time
    until the next NACK.
    """
    round_trip = 4 * 1.5e-6 + 2 * PACKET + 2 * (66 + 20) * 8 / 40e9
    wasted = 2.5 + round_trip / PACKET + 2 * error_rate * REPETITION / PACKET
    return 1 / (1 + error_rate * wasted)


def greatest_difference_from_model(points: Points) -> float:
    """Greatest difference of the share of goodput under go-back-N from the model."""
    full = goodput(points.where(error_rate=0))
    rates = [float(at) for at in points.axis("error_rate")]
    return max(abs(goodput(points.where(error_rate=at)) / full - model(at)) for at in rates)


def _goodput(point: Point) -> float:
    flows = point.result().flows
    return float(flows["size_bytes"][0].as_py() * 8 / flows["fct_ns"][0].as_py())


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Goodput against the error rate."""
    figure = Figure()
    ax = figure.subplots()
    rates = [float(at) for at in points.axis("error_rate") if at]
    for recovery, colour in zip(points.axis("recovery"), style.COLOURS, strict=False):
        of_it = points.where(recovery=recovery)
        ax.plot(
            rates, [goodput(of_it.where(error_rate=at)) for at in rates], "o-", color=colour, label=NAMES[str(recovery)]
        )
    full = goodput(points.where(recovery="go_back_n", error_rate=0))
    ax.plot(rates, [full * model(at) for at in rates], ":", color=style.COLOURS[6], label="go-back-N, closed form")
    ax.set_xscale("log")
    ax.set_xlabel("share of packets corrupted")
    ax.set_ylabel("goodput (Gbps)")
    ax.set_ylim(bottom=0)
    ax.legend()
    return figure
