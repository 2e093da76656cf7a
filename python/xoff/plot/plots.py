"""Figures of a result, for a notebook, a paper or the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from xoff.plot import (
    collectives,
    completion,
    critical_path,
    headroom,
    inputs,
    links,
    over_time,
    pause_tree,
    pauses,
    queue_lengths,
    slowdown,
    style,
)
from xoff.plot import flows as flows_panels
from xoff.plot.stretch import Stretch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from xoff.plot.over_time import Names
    from xoff.plot.workloads import Workloads
    from xoff.results.result import Result


class Shown(TypedDict, total=False):
    """Arguments of `Plots.over_time` that select the drawn part of a quantity."""

    names: Names
    between_ns: tuple[float, float] | None
    label: str | None


class Plots:
    """Figures of a result; each method draws into `ax`, or into a new figure, and returns the axes.

    Figures over time raise ValueError if the scenario's `[observe]` did not ask for the quantity. Their arguments
    `names`, `between_ns` and `label` are those of `over_time`.
    """

    def __init__(self, result: Result) -> None:
        self._result = result

    def fct_cdf(self, ax: Axes | None = None, *, size_class: str | None = None, label: str | None = None) -> Axes:
        """Draws the distribution of flow completion times, a line for each size class that has flows.

        Args:
            ax: Axes to draw into; if they have lines already, the next colours are taken.
            size_class: `all`, `small`, `medium` or `large`; left out, a line for each.
            label: Name of this result in the legend.
        """
        with style.context():
            return completion.draw(self._result, style.axes(ax), size_class=size_class, label=label)

    def slowdown_cdf(self, ax: Axes | None = None, *, size_class: str | None = None, label: str | None = None) -> Axes:
        """Draws the distribution of FCT slowdowns; the arguments are those of `fct_cdf`."""
        with style.context():
            return completion.draw(
                self._result, style.axes(ax), completion.SLOWDOWN, size_class=size_class, label=label
            )

    def fct_cdf_by_workload(self, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draws the distribution of flow completion times, a line for each workload that has flows, at most eight."""
        with style.context():
            return completion.draw_workloads(self._result, style.axes(ax), label)

    def query_completion_cdf(self, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draws the distribution of query completion times. Raises ValueError if no query is complete."""
        with style.context():
            return completion.draw_queries(self._result, style.axes(ax), label)

    def queue_cdf(
        self,
        ax: Axes | None = None,
        *,
        names: Names = None,
        between_ns: tuple[float, float] | None = None,
        label: str | None = None,
    ) -> Axes:
        """Draws the distribution of queue lengths: the share of the time in which a queue was no longer than a length.

        The shares are exact for `every = "change"`; else each sample counts until the next one. The arguments are those
        of `over_time`, but without `between_ns` the figure is of the measured time, as are all distributions.
        """
        stretch = Stretch.of(self._result, between_ns)
        with style.context():
            return queue_lengths.draw(self._result, style.axes(ax), names, stretch, label)

    def bus_bandwidth(self, ax: Axes | None = None) -> Axes:
        """Draws the bus bandwidth of collectives against their start, a line for each of the slowest eight groups.

        Raises ValueError if no collective is complete.
        """
        with style.context():
            return collectives.draw(self._result, style.axes(ax))

    def slowdown_by_size(
        self, ax: Axes | None = None, *, groups: int | None = None, workloads: Workloads = None
    ) -> Axes:
        """Draws slowdown (p50, p95, p99) against flow size, over at most `groups` groups of about equally many flows.

        Args:
            ax: Axes to draw into.
            groups: Most groups; left out, 5 to 20, with more than 100 flows each where there are enough.
            workloads: Workloads of the flows: positions in the scenario or kinds such as `poisson`; left out, all.
        """
        with style.context():
            return slowdown.draw(self._result, style.axes(ax), groups, workloads)

    def over_time(
        self,
        quantity: str,
        ax: Axes | None = None,
        *,
        names: Names = None,
        between_ns: tuple[float, float] | None = None,
        label: str | None = None,
    ) -> Axes:
        """Draws an observed quantity against time.

        Args:
            quantity: `queue`, `pool`, `throughput`, `class_throughput`, `window`, `rate`, `marks`, `drops`,
                `flow_throughput`, `cnms`, `alpha`, `threshold`, `rtt` or `recovery_state`.
            ax: Axes to draw into; if they have lines already, the next colours are taken.
            names: Names or patterns as in `observe.of`: `leaf0.port3`, `leaf0.*`, or `host0` for its flows; left out,
                all. At most eight lines are drawn, those with the highest peaks, equal ones by their sum over time.
                A line of zeros is drawn only if it is named in full.
            between_ns: The time that is shown; left out, all of it.
            label: Name of this result in the legend.
        """
        stretch = Stretch.of(self._result, between_ns)
        with style.context():
            return over_time.draw(self._result, quantity, style.axes(ax), names, stretch, label)

    def pauses(self, ax: Axes | None = None, *, between_ns: tuple[float, float] | None = None) -> Axes:
        """Draws the pauses over time, a row for each of the ports that were paused longest.

        Args:
            ax: Axes to draw into.
            between_ns: The time that is shown, and in which pauses count; left out, all of it.
        """
        stretch = Stretch.of(self._result, between_ns)
        with style.context():
            return pauses.draw_timeline(self._result, style.axes(ax), stretch)

    def pause_tree(
        self,
        victim: str | int | None = None,
        ax: Axes | None = None,
        *,
        at_ns: float | None = None,
        between_ns: tuple[float, float] | None = None,
    ) -> Axes:
        """Draws the pause tree of a victim; the arguments are those of `Result.pause_tree`."""
        tree = self._result.pause_tree(victim, at_ns=at_ns, between_ns=between_ns)
        with style.context():
            return pause_tree.draw(tree, style.axes(ax, pause_tree.size_inches(tree)))

    def critical_path(self, flow: str, ax: Axes | None = None) -> Axes:
        """Draws the packets of a flow on their way, and its critical path; see `Result.critical_path`."""
        path = self._result.critical_path(flow)
        with style.context():
            return critical_path.draw(path, style.axes(ax, critical_path.size_inches(path)))

    def headroom(self, ax: Axes | None = None) -> Axes:
        """Draws the distribution of the headroom in use at its local maxima, as a share of the headroom set aside."""
        with style.context():
            return headroom.draw(self._result, style.axes(ax))

    def links(self, ax: Axes | None = None) -> Axes:
        """Draws the network, each link in the colour of its utilization over the run, in the busier direction."""
        with style.context():
            return links.draw(self._result, style.axes(ax, links.size_inches(self._result)))

    def queues(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws queue lengths over time."""
        return self.over_time("queue", ax, **shown)

    def pools(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws bytes in the shared memory of switches over time."""
        return self.over_time("pool", ax, **shown)

    def throughput(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws the throughput of ports over time."""
        return self.over_time("throughput", ax, **shown)

    def class_throughput(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws the throughput of the traffic classes of ports over time."""
        return self.over_time("class_throughput", ax, **shown)

    def marks(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws marked packets over time."""
        return self.over_time("marks", ax, **shown)

    def drops(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws dropped packets over time."""
        return self.over_time("drops", ax, **shown)

    def windows(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws windows of flows over time."""
        return self.over_time("window", ax, **shown)

    def alphas(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws alpha of DCTCP flows over time: the running share of marked bytes."""
        return self.over_time("alpha", ax, **shown)

    def thresholds(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws slow-start thresholds of TCP flows over time."""
        return self.over_time("threshold", ax, **shown)

    def rtts(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws smoothed round-trip times of TCP flows over time."""
        return self.over_time("rtt", ax, **shown)

    def recovery_states(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws the states in which TCP flows repair losses, over time."""
        return self.over_time("recovery_state", ax, **shown)

    def rates(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws rates of flows over time."""
        return self.over_time("rate", ax, **shown)

    def flow_throughput(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws the throughput of flows on the wire of their adapters, over time."""
        return self.over_time("flow_throughput", ax, **shown)

    def cnms(self, ax: Axes | None = None, **shown: Unpack[Shown]) -> Axes:
        """Draws the congestion notification messages that reached the adapters of flows, over time."""
        return self.over_time("cnms", ax, **shown)

    def inputs(
        self, ax: Axes | None = None, *, port: Names = None, between_ns: tuple[float, float] | None = None
    ) -> Axes:
        """Draws the bytes of flows in the input buffer of a port, stacked, with set point, XOFF and XON.

        Args:
            ax: Axes to draw into.
            port: Name such as `switch0.port1`; of a pattern, of several names, or of all if left out, the fullest.
            between_ns: The time that is shown; left out, all of it.
        """
        stretch = Stretch.of(self._result, between_ns)
        with style.context():
            ports = inputs.ports(self._result, port)
            axes = inputs.draw(self._result, style.axes(ax), ports[0], stretch=stretch)
            style.legend(axes, style.plain(inputs.title(ports)))
            return axes

    def flows_over_time(
        self,
        axes: Sequence[Axes] | None = None,
        *,
        quantities: Sequence[str] | None = None,
        flows: Mapping[str, str] | None = None,
        port: str | None = None,
        between_ns: tuple[float, float] | None = None,
    ) -> Sequence[Axes]:
        """Draws a row of panels over the same time, as QCN's papers do, with a colour for each flow.

        Args:
            axes: Axes to draw into, one for each panel; left out, a new figure with a legend.
            quantities: Some of `flow_throughput`, `rate`, `cnms` and `input`; left out, those that were observed.
            flows: Flows by name, such as `host0.flow3`, at most six, each with its label; left out, those with the
                highest peaks, each as a share of the highest in its panel.
            port: Port whose input buffer is drawn; left out, the fullest.
            between_ns: The time that is shown; left out, all of it.
        """
        with style.context():
            panels = flows_panels.panels_of(self._result, quantities)
            row = style.row_of_axes(len(panels)) if axes is None else axes
            hidden = flows_panels.draw(self._result, panels, row, flows=flows, port=port, between_ns=between_ns)
            if axes is None:
                style.shared_legend(row, hidden)
            return row
