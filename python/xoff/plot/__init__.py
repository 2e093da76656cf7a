"""Figures of a result, for a notebook, a paper or the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.plot import completion, headroom, over_time, pauses, slowdown, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xoff.result import Result


class Plots:
    """Draws a result; each method draws into `ax`, or into a new figure, and returns the axes.

    Those that show something over time raise ValueError if the scenario's `[observe]` did not ask for it.
    """

    def __init__(self, result: Result) -> None:
        self._result = result

    def fct_cdf(self, ax: Axes | None = None) -> Axes:
        """Distribution of flow completion times, a line for each size class that has flows."""
        with style.context():
            return completion.draw(self._result, style.axes(ax))

    def slowdown_by_size(self, ax: Axes | None = None, *, groups: int = 20) -> Axes:
        """Slowdown (p50, p95, p99) against flow size, over `groups` groups of equally many flows."""
        with style.context():
            return slowdown.draw(self._result, style.axes(ax), groups)

    def over_time(self, quantity: str, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
        """Something observed, against time.

        Args:
            quantity: `queue`, `pool`, `throughput`, `window`, `rate`, `marks` or `drops`.
            ax: Where to draw.
            names: Of what, such as `leaf0.port3`; left out, those with the highest peaks, at most eight.
        """
        with style.context():
            return over_time.draw(self._result, quantity, style.axes(ax), names)

    def pauses(self, ax: Axes | None = None) -> Axes:
        """When ports were paused: a line for each port, those that were paused longest."""
        with style.context():
            return pauses.draw_timeline(self._result, style.axes(ax))

    def pause_tree(
        self,
        victim: str | int | None = None,
        ax: Axes | None = None,
        *,
        at_ns: float | None = None,
        between_ns: tuple[float, float] | None = None,
    ) -> Axes:
        """Why a victim was paused, back to where it began; the arguments are those of `Result.pause_tree`."""
        tree = self._result.pause_tree(victim, at_ns=at_ns, between_ns=between_ns)
        with style.context():
            return pauses.draw_tree(tree, style.axes(ax, pauses.size_inches(tree)))

    def headroom(self, ax: Axes | None = None) -> Axes:
        """Distribution of the headroom in use at its local maxima, as a share of what is set aside."""
        with style.context():
            return headroom.draw(self._result, style.axes(ax))

    def queues(self, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
        """Queue lengths over time."""
        return self.over_time("queue", ax, names=names)

    def throughput(self, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
        """Throughput of ports over time."""
        return self.over_time("throughput", ax, names=names)

    def windows(self, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
        """Windows of flows over time."""
        return self.over_time("window", ax, names=names)

    def rates(self, ax: Axes | None = None, *, names: list[str] | None = None) -> Axes:
        """Rates of flows over time."""
        return self.over_time("rate", ax, names=names)
