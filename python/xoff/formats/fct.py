"""`fct.txt` of HPCC's ns-3, which its plotting scripts and those of its descendants read.

A line for each finished flow, in order of their ends: both addresses in hexadecimal, both ports, bytes, start,
completion time and completion time alone, in nanoseconds. Scripts tell flows of background traffic and of incasts by
the destination port, 100 and 200.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from xoff import _xoff
from xoff.errors import InputError
from xoff.formats.part import Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xoff.results.result import Result

_FIRST_PORT = 10_000
_BACKGROUND, _INCAST = 100, 200
_MOST_NODES = 1 << 16
_COLUMNS = ["source", "destination", "workload", "size_bytes", "start_ns", "fct_ns", "ideal_fct_ns"]


def notes(result: Result, part: Part) -> Iterator[str]:
    """Yields nothing: every run has what the file holds."""
    yield from ()


def pieces(result: Result, part: Part) -> Iterator[bytes]:
    """Yields the lines of the file as bytes. Raises InputError for a part of a result, and as `lines` does."""
    if part != Part():
        problem = "holds all finished flows, since scripts take their number and order from it"
        raise InputError(None, "--format fct", problem, "expected none of --from, --to, --port and --flow")
    return (line.encode() for line in lines(result))


def lines(result: Result) -> Iterator[str]:
    """Yields the lines of the file. Raises InputError for hosts that the addresses cannot tell apart."""
    import pyarrow.compute as pc

    flows = result.flows
    ports = [_INCAST if kind == "incast" else _BACKGROUND for kind in _kinds(result)]
    addresses = {name: f"{_address(number):08x}" for name, number in numbers(result.topology.hosts).items()}
    taken: Counter[tuple[str, str]] = Counter()
    order = pc.sort_indices(flows["finish_ns"])
    for batch in flows.select(_COLUMNS).take(order).to_batches(max_chunksize=1 << 16):
        for source, destination, workload, *rest in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            port = _FIRST_PORT + taken[source, destination]
            taken[source, destination] += 1
            told = " ".join(map(str, rest))
            yield f"{addresses[source]} {addresses[destination]} {port} {ports[workload]} {told}\n"


def _kinds(result: Result) -> list[str]:
    return [kind for kind, _ in _xoff.Scenario(result.scenario).workloads]


def numbers(hosts: Sequence[str]) -> dict[str, int]:
    """Returns a number for each host: that at the end of its name if all have one of their own, else its position.

    Of hosts that `xoff import` has made of one host with several links, each has its number.

    >>> numbers(["host1", "host2"]), numbers(["web", "store"])
    ({'host1': 1, 'host2': 2}, {'web': 0, 'store': 1})
    >>> numbers(["host7", "host7_2"])
    {'host7': 7, 'host7_2': 7}
    """
    imported = [re.fullmatch(r"host(\d{1,9})(?:_\d+)?", name) for name in hosts]
    if all(imported):
        return {name: int(match[1]) for name, match in zip(hosts, imported, strict=True) if match}
    found = [re.search(r"\d{1,9}$", name) for name in hosts]
    ends = [int(match[0]) for match in found if match]
    return dict(zip(hosts, ends if len(set(ends)) == len(hosts) else range(len(hosts)), strict=True))


def _address(number: int) -> int:
    """Returns the address that the simulator gives a node: `11.HIGH.LOW.1`."""
    if number >= _MOST_NODES:
        problem = f"host number {number:,} has no address in fct.txt"
        raise InputError(None, "--format fct", problem, f"expected numbers below {_MOST_NODES:,}")
    return 0x0B000001 + (number // 256 << 16) + (number % 256 << 8)
