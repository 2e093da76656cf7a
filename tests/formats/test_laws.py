"""Laws of imported networks and flows, over random ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from xoff import formats

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all examples share."""
    return tmp_path_factory.mktemp("laws")


@st.composite
def experiments(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int, int, int]], list[tuple[int, int, int, int]]]:
    """Draws a tree of switches with hosts and flows.

    Returns the numbers of switches, links as ends, Gb/s and ns, and flows as ends, bytes and ns.
    """
    switches, hosts = draw(st.integers(1, 5)), draw(st.integers(2, 8))
    numbers = draw(st.permutations(range(switches + hosts)))
    above = [draw(st.integers(0, max(0, at - 1))) for at in range(switches)]
    ends = [(at, above[at]) for at in range(1, switches)]
    ends += [(switches + host, draw(st.integers(0, switches - 1))) for host in range(hosts)]
    wires = st.tuples(st.integers(1, 400), st.integers(0, 10_000))
    links = [(numbers[one], numbers[other], *draw(wires)) for one, other in ends]
    pairs = st.tuples(st.integers(0, hosts - 1), st.integers(0, hosts - 1)).filter(lambda pair: pair[0] != pair[1])
    times = sorted(draw(st.lists(st.integers(0, 10**7), min_size=1, max_size=6)))
    flows = []
    for start in times:
        source, destination = draw(pairs)
        flows.append((numbers[switches + source], numbers[switches + destination], draw(st.integers(1, 10**5)), start))
    return list(numbers[:switches]), links, flows


@given(experiments())
@settings(max_examples=examples(40))
def test_what_the_files_say_is_what_runs(
    folder: Path,
    experiment: tuple[list[int], list[tuple[int, int, int, int]], list[tuple[int, int, int, int]]],
) -> None:
    switches, links, flows = experiment
    nodes = {node for one, other, *_ in links for node in (one, other)}
    name = {node: f"switch{node}" if node in switches else f"host{node}" for node in nodes}
    lines = "".join(f"{one} {other} {rate}Gbps {delay}ns 0\n" for one, other, rate, delay in links)
    listed = " ".join(map(str, switches))
    (folder / "topology.txt").write_text(f"{len(nodes)} {len(switches)} {len(links)}\n{listed}\n{lines}")
    rows = "".join(f"{source} {target} 3 100 {size} {start / 1e9:.9f}\n" for source, target, size, start in flows)
    (folder / "flow.txt").write_text(f"{len(flows)}\n{rows}")
    scenario = formats.read([folder / "flow.txt", folder / "topology.txt"]).scenario()
    there = {frozenset((port.node, port.peer_node)): (port.rate_bps, port.delay_ns) for port in scenario.topology.ports}
    assert there == {frozenset((name[one], name[other])): (rate * 10**9, delay) for one, other, rate, delay in links}
    ran = scenario.run().flows.to_pylist()
    assert sorted((row["source"], row["destination"], row["size_bytes"], row["start_ns"]) for row in ran) == sorted(
        (name[source], name[target], size, start) for source, target, size, start in flows
    )
