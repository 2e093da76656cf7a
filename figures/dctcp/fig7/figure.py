"""Measures and plot of one query: the one with the fewest responses that have a timeout, of those that have any."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow.compute as pc
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from xoff.plot import style

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

PORT = "switch0.port0"
"""Port to the aggregator."""


class Flows(NamedTuple):
    """Requests or responses, one for each worker, in the same order."""

    start_ms: npt.NDArray[np.float64]
    received_ms: npt.NDArray[np.float64]
    timeouts: npt.NDArray[np.int64]


class Incast(NamedTuple):
    """One query."""

    start_ms: float
    """Time when the query began; its flows count from there."""
    requests: Flows
    responses: Flows


def lost_responses(points: Points) -> float:
    """Responses of the query that have a timeout."""
    return float(np.count_nonzero(_incast(points).responses.timeouts))


def requests_ms(points: Points) -> float:
    """Time until the last request has arrived."""
    return float(_incast(points).requests.received_ms.max())


def responses_ms(points: Points) -> float:
    """Time from the first response to the last of those without a timeout."""
    responses = _incast(points).responses
    received = responses.received_ms[responses.timeouts == 0]
    return float(np.ptp(received))


def lost_response_ms(points: Points) -> float:
    """Time that responses with a timeout take, the mean of them."""
    responses = _incast(points).responses
    times = responses.received_ms - responses.start_ms
    return float(times[responses.timeouts > 0].mean())


def _incast(points: Points) -> Incast:
    (point,) = points
    flows = point.result().flows
    responses = flows.filter(pc.and_(pc.equal(flows["destination"], "host0"), pc.is_valid(flows["query_id"])))
    late = responses.filter(pc.greater(responses["timeouts"], 0))
    counts = late.group_by("query_id").aggregate([("timeouts", "count")]).sort_by("timeouts_count")
    query = counts["query_id"][0]
    of_query = flows.filter(pc.equal(flows["query_id"], query))
    start_ns = pc.min(of_query["start_ns"]).as_py()

    def sorted_flows(here: str, there: str) -> Flows:
        chosen = of_query.filter(pc.equal(of_query[here], "host0"))
        order = np.argsort([int(name.removeprefix("host")) for name in chosen[there].to_pylist()])
        start_ms, received_ms = (
            (chosen[name].to_numpy()[order] - start_ns) / 1e6 for name in ("start_ns", "received_ns")
        )
        return Flows(start_ms, received_ms, chosen["timeouts"].to_numpy()[order])

    return Incast(start_ns / 1e6, sorted_flows("source", "destination"), sorted_flows("destination", "source"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Requests and responses as bars beside their workers, and the queue to the aggregator below; the time is cut."""
    incast = _incast(points)
    end_ms = float(np.ceil(incast.responses.received_ms.max())) + 1
    figure = Figure(figsize=(7.4, 5.2))
    rows = figure.subplots(2, 2, sharex="col", sharey="row", width_ratios=(3, 2), height_ratios=(4, 1))
    (point,) = points
    for ax in rows[0]:
        _draw_flows(ax, incast)
    for ax in rows[1]:
        _draw_queue(ax, point, incast.start_ms)
        ax.set_xlabel("time (ms)")
    begin, end = rows[1]
    begin.set_xlim(-1, 20)
    end.set_xlim(end_ms - 14, end_ms)
    for ax in rows[:, 1]:
        ax.spines["left"].set_visible(False)
        ax.tick_params(left=False)
    rows[0, 0].set_ylabel("worker")
    begin.set_ylabel("queue (kB)")
    begin.set_ylim(bottom=0)
    for ax in rows[1]:
        ax.xaxis.set_major_locator(MultipleLocator(5))
    style.shared_legend(rows[0])
    return figure


def _draw_flows(ax: Axes, incast: Incast) -> None:
    requests, responses = incast.requests, incast.responses
    workers = np.arange(1, len(responses.start_ms) + 1)
    is_lost = responses.timeouts > 0
    for flows, chosen, name, colour in (
        (requests, np.ones_like(is_lost), "request", style.COLOURS[0]),
        (responses, ~is_lost, "response", style.COLOURS[2]),
        (responses, is_lost, "response, lost and sent again", style.COLOURS[3]),
    ):
        lengths = flows.received_ms - flows.start_ms
        ax.barh(workers[chosen], lengths[chosen], 0.8, flows.start_ms[chosen], color=colour, label=name)
    ax.grid(visible=False, axis="y")


def _draw_queue(ax: Axes, point: Point, start_ms: float) -> None:
    queue = point.samples("queue", PORT)
    ax.plot(queue.time_ms - start_ms, queue.value / 1e3, color=style.COLOURS[6])
