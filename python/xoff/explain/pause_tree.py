"""The pause tree: from a victim back to the queues that its pauses began with."""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from xoff.text.units import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import networkx as nx
    import pyarrow as pa

    from xoff.explain.pauses import Pauses, Queue

    Nanoseconds = defaultdict[int, float]
    Reasons = Callable[[int], dict[int, float]]

MOST_FLOWS = 4
LEAST_SHARE = 0.01
"""Least share of the victim's paused time that a branch of the tree accounts for."""
_LEAST_SHARE_IN_CIRCLES = 0.001
"""Least share of the victim's paused time from which a path in a circle of queues is followed."""


class Root(NamedTuple):
    """A queue that was not paused itself while it filled: where pauses begin."""

    queue: Queue
    paused_us: float
    """Victim's paused time that began with this queue."""
    share: float
    """Share of the victim's paused time."""
    flows: tuple[str, ...]
    """Flows with most bytes in the queue when it caused pauses."""


@dataclass(frozen=True, eq=False)
class PauseTree:
    """The queues that a victim waited for, the queues these waited for, and so on to the roots.

    `graph` is a tree of Networkx whose edges point from a paused queue to the queue that caused the pause. Node 0 is
    the victim. Every node has `name`, `queue` (None for the victim), `is_root`, and `paused_us`, the victim's paused
    time that it accounts for. At a root, `flow_bytes` counts each flow's bytes in the queue when it caused pauses.
    """

    victim: str
    paused_us: float
    """Paused time of the victim: for a flow, wherever it waited; for other victims, the sum over ports."""
    graph: nx.DiGraph

    roots: list[Root] = field(default_factory=list)
    """Queues with which pauses began, the greatest share first, including branches too small for the tree."""

    @property
    def left_out_us(self) -> float:
        """Victim's paused time in branches too small for the tree."""
        nodes = (node for _, node in self.graph.nodes(data=True))
        followed: float = sum(node["paused_us"] for node in nodes if node["is_root"])
        return self.paused_us - followed

    @property
    def rootless_us(self) -> float:
        """Victim's paused time on paths in circles too small to be followed."""
        return max(0.0, self.paused_us - sum(root.paused_us for root in self.roots))

    def children(self, node: int = 0) -> list[int]:
        """Returns the nodes that a node waited for, the longest first."""
        return sorted(self.graph.successors(node), key=lambda child: -self.graph.nodes[child]["paused_us"])

    def label(self, node: int) -> str:
        """Returns the name of a node, with its time and share of the victim's pauses."""
        data = self.graph.nodes[node]
        return f"{data['name']}  {duration(data['paused_us'])} ({self.share(node):.0%})"

    def share(self, node: int) -> float:
        """Returns the share of the victim's paused time that a node accounts for."""
        paused_us: float = self.graph.nodes[node]["paused_us"]
        return paused_us / self.paused_us if self.paused_us else 0.0

    def flows(self, node: int) -> tuple[str, ...]:
        """Returns the flows with most bytes at a root."""
        return _most(self.graph.nodes[node]["flow_bytes"])

    def as_data(self, *, whole: bool = True) -> dict[str, object]:
        """Returns victim, roots and, with `whole`, the tree, as data for JSON; queues by name."""
        roots = [root._asdict() | {"queue": str(root.queue)} for root in self.roots]
        numbers = {"victim": self.victim, "paused_us": self.paused_us, "left_out_us": self.rootless_us}
        return numbers | {"roots": roots} | ({"tree": self._node(0)} if whole else {})

    def _node(self, node: int) -> dict[str, object]:
        data = self.graph.nodes[node]
        own = {name: data[name] for name in ("name", "paused_us", "is_root")}
        return own | {"children": [self._node(child) for child in self.children(node)]}

    def __str__(self) -> str:
        return "\n".join([*self._lines(0, ""), *self._left_out()])

    def _left_out(self) -> Iterator[str]:
        if self.left_out_us > self.paused_us * LEAST_SHARE:
            together = f"{duration(self.left_out_us)} ({self.left_out_us / self.paused_us:.0%}) together"
            yield f"Left out of the tree: ways below 1 % each, {together}"

    def _lines(self, node: int, indent: str) -> Iterator[str]:
        data = self.graph.nodes[node]
        yield self.label(node) + (f"  root: {', '.join(self.flows(node))}" if data["is_root"] else "")
        children = self.children(node)
        for child in children:
            branch, below = ("└─ ", "   ") if child == children[-1] else ("├─ ", "│  ")
            first, *rest = self._lines(child, indent)
            yield branch + first
            yield from (below + line for line in rest)


def build(
    pauses: Pauses,
    flows: pa.Table,
    victim: str,
    considered: Mapping[Queue, Sequence[int]],
    between_ns: tuple[float, float],
    *,
    one_after_another: bool,
) -> PauseTree:
    """Returns the pause tree of a victim.

    Args:
        pauses: All pauses of a run.
        flows: A table with the columns of `pause_flows.parquet`.
        victim: Name of the victim.
        considered: Queues in which the victim may have waited, each with the rows of its pauses that count.
        between_ns: Instants between which pauses count.
        one_after_another: Whether the victim waits in one queue at a time; overlapping pauses then count for the first.
    """
    reasons, flows_by_pause = cache(pauses.reasons), _flows_by_pause(flows)
    builder = _Builder(pauses, reasons, flows_by_pause)
    weights: dict[Queue, dict[int, float]] = {}
    taken: list[tuple[float, float]] = []
    for queue, of_queue in considered.items():
        weights[queue] = {row: _left(pauses, row, between_ns, taken) for row in of_queue}
        weights[queue] = {row: time for row, time in weights[queue].items() if time > 0}
        if one_after_another:
            taken = _union(taken, [(float(pauses.start_ns[row]), float(pauses.end_ns[row])) for row in weights[queue]])
    total = sum(sum(rows.values()) for rows in weights.values())
    builder.add(victim, None, total)
    for queue, rows in weights.items():
        if sum(rows.values()) > total * LEAST_SHARE:
            builder.grow(0, queue, rows, (), total * LEAST_SHARE)
    began = _Began(pauses, reasons, total * _LEAST_SHARE_IN_CIRCLES)
    began.trace(weights)
    return PauseTree(victim, total / 1000, builder.graph, began.roots(total, flows_by_pause))


class _Builder:
    """A builder of the tree, from pauses weighted by nanoseconds of the victim's paused time."""

    def __init__(self, pauses: Pauses, reasons: Reasons, flows: Mapping[int, Counter[str]]) -> None:
        import networkx as nx  # takes half a second to load

        self._pauses = pauses
        self._reasons = reasons
        self._flows = flows
        self.graph = nx.DiGraph()

    def add(self, name: str, queue: Queue | None, time_ns: float) -> int:
        """Adds a node and returns its number."""
        node = len(self.graph)
        self.graph.add_node(
            node,
            name=name,
            queue=queue,
            paused_us=time_ns / 1000,
            is_root=False,
            flow_bytes=Counter(),
        )
        return node

    def grow(self, parent: int, queue: Queue, weights: dict[int, float], path: tuple[Queue, ...], least: float) -> None:
        """Adds a paused queue, and below it the queues that caused its pauses."""
        node = self.add(_name(queue, path), queue, sum(weights.values()))
        self.graph.add_edge(parent, node)
        by_cause: defaultdict[Queue, dict[int, float]] = defaultdict(dict)
        for row, time in weights.items():
            by_cause[self._pauses.cause[row]][row] = time
        for cause, rows in by_cause.items():
            if sum(rows.values()) >= least:
                self._explain(node, cause, rows, (*path, queue), least)

    def _explain(self, node: int, cause: Queue, rows: dict[int, float], path: tuple[Queue, ...], least: float) -> None:
        """Adds the queue that caused some pauses: as a root, as far as it was not paused itself."""
        reached: defaultdict[int, float] = defaultdict(float)
        began: dict[int, float] = {}
        for row, time in rows.items():
            reasons = {} if cause in path else self._reasons(row)
            for reason, share in reasons.items():
                reached[reason] += time * share
            began[row] = time * max(0.0, 1 - sum(reasons.values()))
        if sum(began.values()) >= least:
            name = _name(cause, path)
            self._add_root(node, f"{name}, which waits for itself" if cause in path else name, cause, began)
        if sum(reached.values()) >= least:
            self.grow(node, cause, dict(reached), path, least)

    def _add_root(self, node: int, name: str, cause: Queue, began: dict[int, float]) -> None:
        root = self.add(name, cause, sum(began.values()))
        flow_bytes: Counter[str] = Counter()
        for row in (row for row, time in began.items() if time > 0):
            flow_bytes.update(self._flows.get(row, Counter()))
        self.graph.nodes[root].update(is_root=True, flow_bytes=flow_bytes)
        self.graph.add_edge(node, root)


class _Began:
    """A search for the queues with which the victim's pauses began.

    Queues are taken after all queues that wait for them, so that every pause is followed once, with the sum of all
    paths to it. Queues that wait for one another in a circle have no such order; there each path is followed by itself.
    """

    def __init__(self, pauses: Pauses, reasons: Reasons, least: float) -> None:
        self._pauses = pauses
        self._reasons = reasons
        self._least = least
        self._waiting: defaultdict[Queue, Nanoseconds] = defaultdict(lambda: defaultdict(float))
        self._by_root: defaultdict[Queue, Nanoseconds] = defaultdict(lambda: defaultdict(float))

    def trace(self, weights: Mapping[Queue, Mapping[int, float]]) -> None:
        """Follows pauses to where they began."""
        for queue, rows in weights.items():
            _add(self._waiting[queue], rows)
        for circle in _in_order(self._pauses):
            for queue, rows in [(queue, self._waiting.pop(queue)) for queue in circle if queue in self._waiting]:
                self._follow((queue,), rows, circle)

    def roots(self, total: float, flows: Mapping[int, Counter[str]]) -> list[Root]:
        """Returns the queues with which pauses began, the most time first."""
        found = []
        for queue, rows in self._by_root.items():
            flow_bytes: Counter[str] = Counter()
            for row in rows:
                flow_bytes.update(flows.get(row, Counter()))
            time = sum(rows.values())
            found.append(Root(queue, time / 1000, time / total, _most(flow_bytes)))
        return sorted(found, key=lambda root: -root.paused_us)

    def _follow(self, path: tuple[Queue, ...], rows: Mapping[int, float], circle: Sequence[Queue]) -> None:
        """Follows pauses of the last queue of a path to the pauses that caused them; recurses within its circle."""
        reached: defaultdict[Queue, Nanoseconds] = defaultdict(lambda: defaultdict(float))
        for row, time in rows.items():
            cause = self._pauses.cause[row]
            reasons = {} if cause in path else self._reasons(row)
            _add(reached[cause], {reason: time * share for reason, share in reasons.items()})
            if (began := time * max(0.0, 1 - sum(reasons.values()))) > 0:
                self._by_root[cause][row] += began
        for cause, of_cause in reached.items():
            if cause not in circle:
                _add(self._waiting[cause], of_cause)
            elif sum(of_cause.values()) >= self._least:
                self._follow((*path, cause), of_cause, circle)


def _in_order(pauses: Pauses) -> Iterator[list[Queue]]:
    """Yields circles of queues that wait for one another, each before the queues that it waits for."""
    import networkx as nx  # takes half a second to load

    waits = nx.DiGraph(zip(pauses.paused, pauses.cause, strict=True))
    circles = nx.condensation(waits)
    for circle in nx.topological_sort(circles):
        yield sorted(circles.nodes[circle]["members"])


def _add(to: Nanoseconds, more: Mapping[int, float]) -> None:
    for row, time in more.items():
        to[row] += time


def _name(queue: Queue, path: tuple[Queue, ...]) -> str:
    """Returns the name of a queue, with its class if that differs from the class of the queue before it."""
    if not path:
        return str(queue)
    return queue.port if queue.priority == path[-1].priority else f"{queue.port} priority {queue.priority}"


def _left(pauses: Pauses, row: int, between_ns: tuple[float, float], taken: list[tuple[float, float]]) -> float:
    """Returns nanoseconds of a pause between two instants and outside of `taken`, intervals in order and apart."""
    start, end = max(float(pauses.start_ns[row]), between_ns[0]), min(float(pauses.end_ns[row]), between_ns[1])
    first = bisect(taken, start, key=lambda interval: interval[1])
    overlaps = (
        min(end, interval[1]) - max(start, interval[0])
        for interval in takewhile(lambda interval: interval[0] < end, islice(taken, first, None))
    )
    return max(0.0, end - start - sum(overlaps))


def _union(intervals: list[tuple[float, float]], others: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Returns the union of two lists of intervals, in order and apart."""
    union: list[tuple[float, float]] = []
    for start, end in sorted(intervals + others):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(end, union[-1][1]))
        else:
            union.append((start, end))
    return union


def _most(flow_bytes: Counter[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in flow_bytes.most_common(MOST_FLOWS))


def _flows_by_pause(flows: pa.Table) -> dict[int, Counter[str]]:
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    columns = (flows[name].to_pylist() for name in ("pause_id", "source", "number", "bytes"))
    for pause, source, number, count in zip(*columns, strict=True):
        found[pause][f"{source}.flow{number}"] += count
    return found
