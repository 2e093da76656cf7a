"""One pass of training, forward through all layers and back, as flows that wait for one another.

All ranks compute, and then communicate in groups. Forward and for gradients of inputs they wait for the collective; for
those of weights they go on, and the collectives of a group come one after another. Rings carry out all operations but
all-to-all, where each rank sends to all others at once. Every flow waits a while before it is sent, as in SimAI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xoff.errors import InputError
from xoff.formats.job_rows import FEW

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from xoff.formats.job_rows import Ranks

NAMES = ("forward", "input", "weights")
"""Names of a layer's parts."""
LATENCY_NS = 6000
"""Nanoseconds before a flow is sent, as SimAI has them by default."""
_MOST_ROWS = 5_000_000
"""Most flows of a job, and most of the flows that they wait for."""


class Part(NamedTuple):
    """Computation of a layer, and the collective that follows."""

    compute_ns: int
    operation: str
    """Operation as AICB names it, such as `ALLREDUCE`; empty for none."""
    group: str
    """Group that carries it out: `TP`, `DP`, `EP` or `DP_EP`."""
    size: int


class Layer(NamedTuple):
    """A layer, with its parts forward, for the gradient of its input and for that of its weights."""

    line: int
    parts: tuple[Part, Part, Part]
    update_ns: int
    """Time that follows each collective."""


class Groups(NamedTuple):
    """Groups of ranks, as SimAI divides them (`MockNcclGroup`).

    Tensor-parallel ranks (TP) follow one another. Data-parallel ones (DP) are as far apart as a group of those is
    large. Expert-parallel ones (EP) are neighbours among them, and DP_EP are those in between.
    """

    gpus: int
    tensor: int
    expert: int

    def size(self, group: str) -> int:
        """Returns the number of ranks of each group.

        >>> [Groups(32, 4, 2).size(group) for group in ("TP", "DP", "EP", "DP_EP")]
        [4, 8, 2, 4]
        """
        data = self.gpus // self.tensor
        return {"TP": self.tensor, "DP": data, "EP": self.expert, "DP_EP": data // self.expert}[group]

    def ranks(self, group: str) -> Iterator[range]:
        """Yields the ranks of each group.

        >>> [[*ranks] for ranks in Groups(8, 2, 2).ranks("EP")]
        [[0, 2], [1, 3], [4, 6], [5, 7]]
        """
        step = {"TP": 1, "DP": self.tensor, "EP": self.tensor, "DP_EP": self.tensor * self.expert}[group]
        span = step * self.size(group)
        for first in range(0, self.gpus, span):
            yield from (range(start, first + span, step) for start in range(first, first + step))

    def __str__(self) -> str:
        return ", ".join(f"{group} {self.size(group)}" for group in ("TP", "DP", "EP"))


class _Step(NamedTuple):
    """A part in its turn."""

    name: str
    line: int
    part: Part
    update_ns: int
    waits: bool
    """Whether ranks wait for the collective before they go on."""


class Pass:
    """A pass, whose flows are counted at once and written as often as they are wanted.

    Raises:
        InputError: There are more flows than memory would hold.
    """

    def __init__(self, path: Path, groups: Groups, ranks: Ranks, layers: Sequence[Layer], *, one_way: bool) -> None:
        self.groups = groups
        self.ranks = ranks
        self.layers = layers
        self.one_way = one_way
        """Whether only the collectives of weights are carried out, one after another."""
        self.flows = self.collectives = self.alone = 0
        self.rest_ns = 0
        """Computation behind the last collective."""
        waited_for = self._measure()
        if max(self.flows, waited_for) * ranks.links > _MOST_ROWS:
            problem = f"comes to {self.flows:,} flows, which wait for {waited_for:,}"
            expected = f"expected up to {_MOST_ROWS:,} of each; lower the number of layers, or take fewer GPUs"
            raise InputError(str(path), "", problem, expected)

    def _steps(self) -> Iterator[_Step]:
        if self.one_way:
            yield from (self._step(layer, 2, waits=True) for layer in self.layers)
            return
        yield from (self._step(layer, 0, waits=True) for layer in self.layers)
        for layer in reversed(self.layers):
            yield self._step(layer, 1, waits=True)
            yield self._step(layer, 2, waits=False)

    def _step(self, layer: Layer, number: int, *, waits: bool) -> _Step:
        return _Step(f"line{layer.line}.{NAMES[number]}", layer.line, layer.parts[number], layer.update_ns, waits)

    def _measure(self) -> int:
        """Counts flows and collectives. Returns how many flows they wait for in all."""
        last, waited_for = 0, 0
        for step in self._steps():
            self.rest_ns += step.part.compute_ns
            size = self.groups.size(step.part.group) if step.part.operation else 0
            self.alone += size == 1
            if size > 1:
                turns, fan = _shape(step.part.operation, size)
                self.collectives += 1
                self.flows += self.groups.gpus * turns * fan
                waited_for += self.groups.gpus * (fan * last + turns - 1 + 2 * fan)
                self.rest_ns = 0
                if step.waits:
                    last = FEW
        return waited_for

    def rows(self) -> Iterator[str]:
        """Yields the rows of all flows."""
        before: list[list[str]] = [[] for _ in range(self.groups.gpus)]
        aside: dict[str, list[list[str]]] = {}
        delay_ns = 0
        for step in self._steps():
            group = step.part.group
            delay_ns += step.part.compute_ns
            if not step.part.operation or self.groups.size(group) == 1:
                continue
            after, of_step_ns = before, delay_ns
            if not step.waits and group in aside:
                after = yield from self._behind(step, before, delay_ns, aside[group])
                of_step_ns = 0
            last: list[list[str]] = [[] for _ in range(self.groups.gpus)]
            for ranks in self.groups.ranks(group):
                yield from self._collective(step, ranks, after, last, of_step_ns)
            if len(last[0]) > FEW:
                for rank, flows in enumerate(last):
                    yield from self.ranks.joins(f"{step.name}.{rank}.all", rank, flows)
                last = [[f"{step.name}.{rank}.all"] for rank in range(self.groups.gpus)]
            if step.waits:
                before, delay_ns = last, step.update_ns
            else:
                aside[group] = last
        if self.rest_ns:
            for rank, flows in enumerate(before):
                yield from self.ranks.computes(f"end.{rank}", rank, delay_ns, 0, flows)

    def _behind(
        self, step: _Step, before: list[list[str]], delay_ns: int, earlier: list[list[str]]
    ) -> Generator[str, None, list[list[str]]]:
        """Yields computation beside an earlier collective of the group. Returns what the next one waits for."""
        after = []
        for rank, flows in enumerate(earlier):
            name = f"{step.name}.{rank}.compute"
            yield from self.ranks.computes(name, rank, delay_ns, step.line, before[rank])
            after.append([name, *flows])
        return after

    def _collective(
        self, step: _Step, ranks: Sequence[int], after: list[list[str]], last: list[list[str]], delay_ns: int
    ) -> Iterator[str]:
        """Yields the rows of one group's collective, and puts the flows that end it for each rank into `last`."""
        size = len(ranks)
        part = -(-step.part.size // size)
        turns, fan = _shape(step.part.operation, size)
        for turn in range(turns):
            for place, rank in enumerate(ranks):
                before = after[rank] if turn == 0 else [f"{step.name}.{ranks[place - 1]}.{turn - 1}"]
                for away in range(1, fan + 1):
                    other = ranks[(place + away) % size]
                    name = f"{step.name}.{rank}.{turn + away - 1}"
                    wait_ns = LATENCY_NS + (0 if turn else delay_ns)
                    yield from self.ranks.flows(name, rank, other, part, before, wait_ns)
                    if turn == turns - 1:
                        last[rank].append(name)
                        last[other].append(name)


def _shape(operation: str, size: int) -> tuple[int, int]:
    """Returns the number of turns of an operation, and to how many others each rank sends in one."""
    if operation == "ALLTOALL":
        return 1, size - 1
    return (2 if operation == "ALLREDUCE" else 1) * (size - 1), 1
