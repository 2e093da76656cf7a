"""Recognition of other tools' files by their content, and the reading of all of them into one scenario."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from xoff.errors import InputError, one_line
from xoff.formats import (
    aicb_workload,
    astra_network,
    chakra,
    goal,
    graphml,
    hpcc_config,
    hpcc_flows,
    hpcc_sizes,
    hpcc_topology,
    hpcc_trace,
    htsim_matrix,
    htsim_topology,
    nccl_topology,
    simccl_flows,
)
from xoff.formats.draft import Draft, Flows, Key, Table
from xoff.formats.imported import Imported
from xoff.formats.lines import first_bytes, head, written_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    class Format(Protocol):
        """A format: a module of this wing."""

        NAME: str
        ABOUT: str

        def recognises(self, lines: Sequence[str]) -> bool:
            """Whether a file with these first lines is of this format."""

        def read(self, path: Path, draft: Draft) -> None:
            """Reads a file into the draft. Raises InputError."""

    class Binary(Format, Protocol):
        """A format that has a form which is no text."""

        def recognises_bytes(self, head: bytes) -> bool:
            """Whether a file with these first bytes is of this format."""


FORMATS: tuple[Format, ...] = (
    hpcc_topology,
    htsim_topology,
    graphml,
    astra_network,
    nccl_topology,
    hpcc_config,
    hpcc_flows,
    hpcc_sizes,
    htsim_matrix,
    simccl_flows,
    aicb_workload,
    hpcc_trace,
    goal,
    chakra,
)
"""Formats in the order in which files are read: networks first, since settings and flows are about their nodes."""


BINARY: tuple[Binary, ...] = (goal, chakra)
"""Formats that have a form which is no text."""


def format_of(path: Path) -> Format | None:
    """Returns the format that a file's content is of; None for all others. Raises InputError for what is no text."""
    begin = first_bytes(path)
    binary = next((each for each in BINARY if each.recognises_bytes(begin)), None)
    if binary is not None:
        return binary
    lines = head(path)
    return next((each for each in FORMATS if each.recognises(lines)), None)


def read(paths: Iterable[str | Path], title: str | None = None) -> Imported:
    """Reads files of other tools, recognised by their content, into one scenario.

    Args:
        paths: A topology, and beside it flows and settings, in any order.
        title: The scenario's title; left out, the name of the topology's file.

    Raises:
        InputError: A file is of no format that xoff knows, or something in it is wrong.
    """
    formats = [(path, _known(path)) for path in map(Path, paths)]
    if not formats:
        raise InputError(None, "FILE", "no file is named", f"expected one of: {kinds()}")
    draft = Draft()
    for path, of_file in sorted(formats, key=lambda each: FORMATS.index(each[1])):
        if of_file is not chakra:
            of_file.read(path, draft)
    if traces := [path for path, of_file in formats if of_file is chakra]:
        chakra.read_all(traces, draft)
    elif draft.implementations:
        file = next(each.file for each in draft.found if each.format == astra_network.NAME)
        draft.leave(Path(file).name, "implementations of collectives", "for traces of Chakra alone")
    if draft.network is None:
        raise InputError(str(formats[0][0]), "", "has no network", "expected a topology beside it")
    if draft.settle is not None:
        draft.settle(draft, draft.network)
    _add_workloads(draft)
    return Imported(draft, title or one_line(Path(draft.found[0].file).stem))


def kinds() -> str:
    """Returns in words which files xoff takes."""
    return "; ".join(each.ABOUT for each in FORMATS)


def _known(path: Path) -> Format:
    found = format_of(path)
    if found is None:
        raise InputError(str(path), "", "is of no format that xoff knows by its content", f"expected one of: {kinds()}")
    return found


def _add_workloads(draft: Draft) -> None:
    """Adds a workload for the flows of each file, or one to begin with if there are none."""
    names: set[str] = set()
    for flows in draft.flows:
        stem, number = _NAMES[flows.kind], 1
        while f"{stem}{f'-{number}' if number > 1 else ''}.csv" in names:
            number += 1
        flows.name = f"{stem}{f'-{number}' if number > 1 else ''}.csv"
        names.add(flows.name)
        draft.tables.append(_workload(draft, flows))
    first = min(draft.flows, key=lambda flows: flows.start_ns, default=None)
    if first is not None and first.start_ns:
        table = Table("[measure]")
        table.add("start", written_time(first.start_ns * 1000), f"{first.path.name}:{first.lines[0]} first flow")
        draft.tables.append(table)
    stop = draft.table("[stop]") if any(flows.kind == "poisson" for flows in draft.flows) else None
    if stop is not None and not any(key.name == "arrivals_end" for key in stop.keys):
        stop.add("arrivals_end", "10ms", _OWN)
    if not draft.flows:
        keys = [Key("kind", "permutation", _OWN), Key("transport", draft.transport), Key("size", "1MB")]
        draft.tables.append(Table("[[workload]]", [*keys, Key("priority", draft.priorities[0])]))


_NAMES = {"trace": "flows", "job": "job", "poisson": "sizes"}
_OWN = "no file says; yours to choose"


def _workload(draft: Draft, flows: Flows) -> Table:
    table = Table("[[workload]]")
    table.add("kind", flows.kind)
    table.add("transport", draft.transport)
    lines = f"{flows.path.name}:{flows.lines[0]}-{flows.lines[1]}"
    if flows.kind == "poisson":
        table.add("sizes", flows.name, lines)
        table.keys.append(draft.load or Key("load", 0.5, _OWN))
        table.add("of", "host", "of the rate of hosts' links, as the generator has it")
        table.add("priority", min(flows.priorities), _OWN)
    else:
        table.add("file", flows.name, f"{lines}, a row for each flow, in order")
    return table
