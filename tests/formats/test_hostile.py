"""Files that are no text, cut off or changed: each is read, or refused in one line that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from foreign_files import (
    ASTRA_NETWORK,
    ASTRA_SYSTEM,
    ASTRA_TRACES,
    COLLECTIVES,
    CONFIG,
    FLOWS,
    SCHEDULE,
    SERVERS,
    STAR,
    SYSTEM,
    TOPOLOGY,
    WORKLOAD,
    ZOO,
)
from strategies import changed
from xoff import InputError, formats

if TYPE_CHECKING:
    from pathlib import Path

TREE = """Nodes 4
Tiers 2
Podsize 4
Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 1
Downlink_Latency_ns 1000
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Downlink_Latency_ns 1000
"""
CHAIN = (
    "Nodes 4\nConnections 2\nTriggers 1\n0->1 start 0 size 9 send_done_trigger 1\n0->2 trigger 1 size 9\n"
    "trigger id 1 oneshot\n"
)
FAMILIES = (
    {"topology.txt": TOPOLOGY, "flow.txt": FLOWS, "config.txt": CONFIG},
    {"tree.topo": TREE, "chain.cm": CHAIN},
    {"topology.txt": TOPOLOGY, "sizes.txt": "0 0\n1000 50\n9000.5 100\n"},
    {"zoo.graphml": ZOO},
    {"server.xml": SYSTEM, "chain.cm": CHAIN},
    {"topology.txt": TOPOLOGY, "server.xml": SYSTEM},
    {"topology.txt": SERVERS, "workload.txt": WORKLOAD, "collectives.csv": COLLECTIVES},
    {"pipeline.goal": SCHEDULE},
    {"network.yml": ASTRA_NETWORK, "system.json": ASTRA_SYSTEM, "logical.json": '{"logical-dims": ["2", "2"]}'}
    | {name.replace("_", "."): text for name, text in ASTRA_TRACES.items()},
    {"star.graphml": STAR, "chain.cm": CHAIN.replace("0->2", "1->0").replace("send", "recv")},
)
TEXTS = [(name, family) for family in FAMILIES for name in family]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all examples share."""
    return tmp_path_factory.mktemp("hostile")


def encoded(text: str) -> bytes:
    """Encodes a text that may have half of a surrogate pair."""
    return text.encode("utf-8", "surrogatepass")


def read_or_refused(folder: Path, texts: dict[str, bytes]) -> None:
    """Reads files, which may fail with one line alone."""
    for name, text in texts.items():
        (folder / name).write_bytes(text)
    refusal = None
    try:
        formats.read([folder / name for name in texts]).check()
    except InputError as error:
        refusal = error
    if refusal is not None:
        assert "\n" not in str(refusal)
        assert refusal.problem


@given(st.sampled_from(TEXTS), st.data())
@settings(max_examples=examples(80))
def test_a_changed_file_is_read_or_refused_in_a_line(
    folder: Path, of: tuple[str, dict[str, str]], data: st.DataObject
) -> None:
    name, family = of
    text = data.draw(changed(family[name]))
    read_or_refused(folder, {each: encoded(whole) for each, whole in (family | {name: text}).items()})


@given(st.sampled_from(TEXTS), st.integers(0, 200))
@settings(max_examples=examples(40))
def test_a_truncated_file_is_read_or_refused_in_a_line(
    folder: Path, of: tuple[str, dict[str, str]], length: int
) -> None:
    name, family = of
    whole = {each: text.encode() for each, text in family.items()}
    read_or_refused(folder, whole | {name: whole[name][:length]})


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "binary.txt"
    path.write_bytes(b"3 1 2\n\xff\xfe\x00")
    with pytest.raises(InputError, match=r"binary.txt: line \d: is no text in UTF-8; expected a text file"):
        formats.read([path])
    with pytest.raises(InputError, match=r"missing.txt: cannot read: no such file or directory"):
        formats.read([tmp_path / "missing.txt"])
    with pytest.raises(InputError, match="no file is named; expected one of"):
        formats.read([])
