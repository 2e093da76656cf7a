"""Common result of reading other tools' files: a network, flows and settings, each with the line it comes from.

A reader fills in a `Draft`: nodes and links, flows, tables of keys, and what xoff cannot carry over. `scenario_text.py`
writes the draft as a scenario. So a format knows nothing of TOML, and the writer nothing of formats.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from xoff.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path


class Place(NamedTuple):
    """Line of a file that a value comes from."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Found(NamedTuple):
    """One file that was read."""

    file: str
    format: str
    """Name of its format."""
    content: str
    """Content in a few words, such as `320 hosts, 56 switches, 480 links`."""

    def __str__(self) -> str:
        return f"{self.file}: {self.format}: {self.content}"


class LeftOut(NamedTuple):
    """Something in a file that the scenario does not have."""

    place: str
    """File and line, or lines."""
    content: str
    """Text of the file, or its meaning."""
    reason: str
    """Reason, or the nearest thing that the scenario has instead."""

    def __str__(self) -> str:
        return f"{self.place}: {self.content}: {self.reason}"


class Key(NamedTuple):
    """One key of a scenario's table."""

    name: str
    value: object
    """Value as `toml_text.value` writes it."""
    origin: str = ""
    """Origin as the comment behind the value has it: a place, and what stands there."""


@dataclass
class Table:
    """One table of a scenario, such as `[[switch]]`."""

    head: str
    """Line that opens it, brackets included."""
    keys: list[Key] = field(default_factory=list)

    def add(self, name: str, value: object, origin: object = "") -> None:
        """Appends a key."""
        self.keys.append(Key(name, value, str(origin)))


class Link(NamedTuple):
    """Link between two nodes."""

    one: str
    other: str
    rate: str
    """Rate as scenarios write it."""
    delay: str
    error_rate: str
    """Share of packets that it corrupts, as a number in digits; empty for none."""
    place: Place
    rate_back: str = ""
    """Rate from the second node to the first; empty if it is the same."""


@dataclass
class Network:
    """Hosts, switches and links."""

    place: Place
    """Place where the file says how many there are."""
    hosts: list[str]
    switches: list[str]
    links: list[Link]
    numbers: Mapping[int, Sequence[str]]
    """Name of each host by its number in the file, by which flows name their ends; several if it has several links."""
    numbers_are: str
    """Hosts and their numbers in words, for errors: `hosts are 1 to 65`."""
    tables: list[Table] = field(default_factory=list)
    """Tables besides `[topology]` that the network needs, such as `[scale_up]`."""
    keys: list[Key] = field(default_factory=list)
    """Keys of `[topology]` besides nodes and links, such as `routing`."""


def star(path: Path, draft: Draft, count: int) -> Network:
    """Adds a switch with a host for each rank to a draft, for a format that says nothing of a network."""
    hosts, place = [f"host{rank}" for rank in range(count)], Place(path.name, 1)
    links = [Link(host, "switch0", "100Gbps", "1us", "", place) for host in hosts]
    numbers = {rank: [host] for rank, host in enumerate(hosts)}
    draft.network = Network(place, hosts, ["switch0"], links, numbers, f"ranks are 0 to {count - 1}")
    draft.leave(path.name, "no topology", "a star of a host for each rank, 100 Gb/s and 1 us; yours to choose")
    return draft.network


def one_of(names: Sequence[str], flow: int, end: int) -> str:
    """Returns the host that a flow uses of those that a number stands for, by a hash of its position in the file."""
    if len(names) == 1:
        return names[0]
    mixed = (2 * flow + end) * 0x9E3779B1 & 0xFFFFFFFF  # the last steps of MurmurHash3
    for factor, shift in ((0x85EBCA6B, 16), (0xC2B2AE35, 13), (1, 16)):
        mixed = (mixed ^ mixed >> shift) * factor & 0xFFFFFFFF
    return names[mixed % len(names)]


@dataclass
class Flows:
    """Flows of one file, read anew whenever they are written, so that any number of them fits."""

    path: Path
    kind: str
    """Kind of the workload: `trace`, `job`, or `poisson` for sizes from which flows are drawn."""
    columns: str
    """Heading of the CSV."""
    rows: Callable[[], Iterator[str]]
    """Reads the file, and yields rows of the CSV, ends of lines included."""
    count: int
    lines: tuple[int, int]
    """First and last line that a flow stands in."""
    priorities: set[int]
    start_ns: int = 0
    """Start of the first flow."""
    name: str = ""
    """Name of the CSV, set once all files have been read."""


@dataclass
class Draft:
    """Everything that files say, as far as they have been read."""

    found: list[Found] = field(default_factory=list)
    network: Network | None = None
    flows: list[Flows] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    """Tables of switches, hosts, transport and stop."""
    load: Key | None = None
    """Load of workloads that draw their flows, where a file says it."""
    transport: str = "rdma"
    """Name of the transport that all flows use."""
    implementations: dict[str, str] = field(default_factory=dict)
    """Way in which collectives of traces are carried out, `ring` or `direct`, by operation, where a file says it."""
    settle: Callable[[Draft, Network], None] | None = None
    """Adds the settings once network and flows are known. Settings of a file take the place of a format's own."""
    settled_by: str = ""
    """File with settings that `settle` is about; empty for a format's own."""

    def leave(self, place: object, content: str, reason: str) -> None:
        """Notes something that the scenario does not have."""
        self.left_out.append(LeftOut(str(place), content, reason))

    def table(self, head: str) -> Table:
        """Returns the table of this head, which is added if there is none."""
        found = next((table for table in self.tables if table.head == head), None)
        if found is None:
            found = Table(head)
            self.tables.append(found)
        return found

    def check_is_first(self, path: Path) -> None:
        """Raises InputError for a file with a network, if there is one already."""
        if self.network is not None:
            expected = f"expected one; {self.found[0].file} has another"
            raise InputError(str(path), "", "is a second topology", expected)

    def network_for(self, path: Path, content: str) -> Network:
        """Returns the network that a file of flows or settings is about. Raises InputError if there is none."""
        if self.network is None:
            raise InputError(str(path), "", f"has {content} of no network", "expected a topology beside it")
        return self.network

    def settle_unless_told(self, settle: Callable[[Draft, Network], None]) -> None:
        """Takes a format's own settings, unless a file has brought some or another format was first."""
        self.settle = self.settle or settle

    @property
    def priorities(self) -> list[int]:
        """Classes of all flows; 3 where there are none yet."""
        return sorted(set().union(*(flows.priorities for flows in self.flows))) or [3]
