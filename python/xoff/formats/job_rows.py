"""Rows of a job, between hosts by their numbers in a file.

A rank whose host has several links sends an even part of each flow over each of them. Flows over one link then wait for
flows over that link alone, as a host knows of its own flows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xoff.formats.draft import Network

COLUMNS = "flow,source,destination,size_bytes,priority,after,delay_ns\n"
FEW = 2
"""Flows that each of the next ones waits for by itself; of more, an operation of the rank joins them."""
ALL_COLUMNS = COLUMNS.replace("\n", ",compute_ns,stream\n")


class Ranks:
    """Hosts of a network by rank: in the order of their numbers."""

    def __init__(self, network: Network, priority: int) -> None:
        self.hosts: Sequence[Sequence[str]] = [*network.numbers.values()]
        self.links = min(map(len, self.hosts), default=1)
        """Links over which every rank can send."""
        self.priority = priority

    def __len__(self) -> int:
        return len(self.hosts)

    def rows(
        self, name: str, source: int, destination: int, size: int, after: Sequence[str], delay_ns: int = 0
    ) -> Iterator[str]:
        """Yields the rows of one flow: one for each link, named alike."""
        part = -(-size // self.links)
        for link in range(self.links):
            suffix = f"_{link + 1}" if link else ""
            ends = f"{self.hosts[source][link]},{self.hosts[destination][link]}"
            before = " ".join(f"{each}{suffix}" for each in after)
            yield f"{name}{suffix},{ends},{part},{self.priority},{before},{delay_ns}\n"

    def flows(
        self, name: str, source: int, destination: int, size: int, after: Sequence[str], delay_ns: int = 0
    ) -> Iterator[str]:
        """Yields the rows of one flow in all columns."""
        for row in self.rows(name, source, destination, size, after, delay_ns):
            yield row.replace("\n", ",,\n")

    def joins(self, name: str, rank: int, after: Sequence[str]) -> Iterator[str]:
        """Yields rows of all columns that only join what they wait for."""
        return self.flows(name, rank, rank, 0, after)

    def computes(self, name: str, rank: int, compute_ns: int, stream: int, after: Sequence[str]) -> Iterator[str]:
        """Yields rows of all columns that keep a stream of the rank for a time."""
        for link in range(self.links):
            suffix = f"_{link + 1}" if link else ""
            before = " ".join(f"{each}{suffix}" for each in after)
            yield f"{name}{suffix},{self.hosts[rank][link]},,,,{before},0,{compute_ns},{stream}\n"
