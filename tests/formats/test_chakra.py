"""Execution traces of Chakra as jobs."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from foreign_files import TWO_LINKS
from xoff import InputError, formats
from xoff.formats.protobuf import message, text, unsigned, varint

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

COMP, SEND, RECV, COLL = 4, 5, 6, 7
ALL_REDUCE, BROADCAST, ALL_TO_ALL = 0, 5, 6


def attribute(name: str, value: bool | int | str) -> bytes:
    """An attribute of a node."""
    kept = text(29, value) if isinstance(value, str) else unsigned(27 if isinstance(value, bool) else 9, value)
    return message(10, text(1, name) + kept)


def node(number: int, kind: int, after: Sequence[int] = (), micros: int = 0, **attributes: bool | int | str) -> bytes:
    """A node after its length, with its dependencies packed."""
    told = b"".join(attribute(name, value) for name, value in attributes.items())
    packed = message(5, b"".join(map(varint, after))) if after else b""
    inside = unsigned(1, number) + text(2, "a name") + unsigned(3, kind) + packed + unsigned(7, micros) + told
    return varint(len(inside)) + inside


def trace(*nodes: bytes) -> bytes:
    """A trace of these nodes."""
    head = text(1, "0.0.4")
    return varint(len(head)) + head + b"".join(nodes)


def imported(folder: Path, *traces: bytes) -> formats.Imported:
    """Reads traces of ranks 0, 1 and so on."""
    paths = [folder / f"job.{rank}.et" for rank in range(len(traces))]
    for path, data in zip(paths, traces, strict=True):
        path.write_bytes(data)
    return formats.read(paths)


def rows(folder: Path, of: formats.Imported) -> list[str]:
    """Rows of the only CSV."""
    return of.save(folder / "out", force=True)[1].read_text().splitlines()[1:]


PIPELINE = (
    trace(
        node(10, COMP, micros=50, num_ops=99, is_cpu_op=False),
        node(11, SEND, [10], comm_size=4096, comm_src=0, comm_dst=1, comm_tag=5),
        node(12, COMP, micros=7, is_cpu_op=True),
    ),
    trace(
        node(4, RECV, comm_size=4096, comm_src=0, comm_dst=1, comm_tag=5),
        node(5, COMP, [4, 99], micros=3),
    ),
)


def test_nodes_compute_send_and_receive(tmp_path: Path) -> None:
    of = imported(tmp_path, *PIPELINE)
    assert of.found[0].content == "2 ranks, 5 nodes, 0 collectives, 1 flow"
    assert rows(tmp_path, of) == [
        "0.0,host0,,,,,0,50000,0",
        "0.1,host0,host1,4096,3,0.0,0,,",
        "0.2,host0,,,,,0,7000,1",
        "1.0,host1,host1,0,,0.1,0,,",
        "1.1,host1,,,,1.0,0,3000,0",
    ]
    assert "dependencies on nodes that are not there (1 node)" in [left.content for left in of.left_out]
    of.check()


def test_an_all_reduce_goes_round_twice(tmp_path: Path) -> None:
    of = imported(tmp_path, *[trace(node(1, COLL, comm_type=ALL_REDUCE, comm_size=3000))] * 3)
    found = rows(tmp_path, of)
    flows = [row.split(",") for row in found if row.split(",")[1] != row.split(",")[2]]
    assert len(flows) == 3 * 4
    assert {(flow[1], flow[2], flow[3]) for flow in flows} == {
        ("host0", "host1", "1000"),
        ("host1", "host2", "1000"),
        ("host2", "host0", "1000"),
    }
    assert [row for row in found if row.startswith("0.")][:4] == [
        "0.0,host0,host1,1000,3,,0,,",
        "0.1,host0,host0,0,,2.0,0,,",
        "0.2,host0,host1,1000,3,0.1,0,,",
        "0.3,host0,host0,0,,2.2 0.1,0,,",
    ]
    of.check()


def test_an_all_to_all_sends_to_every_other_at_once(tmp_path: Path) -> None:
    of = imported(tmp_path, *[trace(node(1, COMP, micros=1), node(2, COLL, [1], comm_type=6, comm_size=300))] * 3)
    flows = [row for row in rows(tmp_path, of) if row.split(",")[3] == "100"]
    assert [row.split(",")[:6] for row in flows][:2] == [
        ["0.1", "host0", "host1", "100", "3", "0.0"],
        ["0.3", "host0", "host2", "100", "3", "0.0"],
    ]
    of.check()


def test_collectives_of_hosts_with_two_links_go_over_both(tmp_path: Path) -> None:
    (tmp_path / "topology.txt").write_text(TWO_LINKS)
    paths = [tmp_path / "topology.txt"]
    for rank in range(2):
        paths.append(tmp_path / f"job.{rank}.et")
        paths[-1].write_bytes(trace(node(1, COLL, comm_type=6, comm_size=300), node(2, COMP, [1], micros=1)))
    found = rows(tmp_path, formats.read(paths))
    assert found[:8] == [
        "0.0,host0,host1,75,3,,0,,",
        "0.1,host0,host0,0,,1.0,0,,",
        "0.2,host0,host0,0,,0.0 0.1,0,,",
        "0.3,host0,,,,0.2,0,1000,0",
        "0.0_2,host0_2,host1_2,75,3,,0,,",
        "0.1_2,host0_2,host0_2,0,,1.0_2,0,,",
        "0.2_2,host0_2,host0_2,0,,0.0_2 0.1_2,0,,",
        "0.3_2,host0_2,,,,0.2_2,0,1000,0",
    ]
    assert len(found) == 16


def test_process_groups_are_those_of_the_metadata(tmp_path: Path) -> None:
    pairs = [{"pg_name": "1", "ranks": [0, 1]}, {"pg_name": "2", "ranks": [2, 3]}]
    values = message(8, text(1, f"['{json.dumps(pairs)}']"))
    inside = unsigned(1, 1) + unsigned(3, 1) + values
    metadata = varint(len(inside)) + inside
    traces = [
        trace(metadata, node(2, COLL, comm_type=ALL_REDUCE, comm_size=10, pg_name=str(1 + rank // 2)))
        for rank in range(4)
    ]
    found = [row.split(",") for row in rows(tmp_path, imported(tmp_path, *traces))]
    assert {(row[1], row[2]) for row in found if row[1] != row[2]} == {
        ("host0", "host1"),
        ("host1", "host0"),
        ("host2", "host3"),
        ("host3", "host2"),
    }


def test_json_of_the_feeder_is_the_job_of_its_protobuf(tmp_path: Path) -> None:
    kept = rows(tmp_path, imported(tmp_path, *PIPELINE))
    graphs = (
        [
            {"Id": 10, "NodeType": COMP, "runtime": 50, "data_deps": []},
            {"Id": 11, "NodeType": SEND, "data_deps": [10], "comm_size": 4096, "comm_dst": 1, "comm_tag": 5},
            {"Id": 12, "NodeType": COMP, "runtime": 7, "is_cpu_op": True, "data_deps": []},
        ],
        [
            {"Id": 4, "NodeType": RECV, "data_deps": [], "comm_src": 0, "comm_tag": 5},
            {"Id": 5, "NodeType": COMP, "runtime": 3, "data_deps": [4, 99]},
        ],
    )
    paths = [tmp_path / f"job.{rank}.json" for rank in range(2)]
    for path, graph in zip(paths, graphs, strict=True):
        path.write_text(json.dumps({"workload_graph": graph}), encoding="utf-8")
    assert rows(tmp_path, formats.read(paths)) == kept


def test_json_of_the_jsonizer_is_the_job_of_its_protobuf(tmp_path: Path) -> None:
    """Zeros are left out, numbers of 64 bits are text, and nothing stands between two messages."""
    kept = rows(tmp_path, imported(tmp_path, *PIPELINE))
    paths = [tmp_path / f"job.{rank}.json" for rank in range(2)]
    traces: tuple[list[dict[str, object]], ...] = (
        [
            {
                "id": "10",
                "name": "a",
                "type": "COMP_NODE",
                "durationMicros": "50",
                "attr": attributes(is_cpu_op=False),
            },
            {
                "id": "11",
                "type": "COMM_SEND_NODE",
                "dataDeps": ["10"],
                "attr": attributes(comm_size="4096", comm_src=0, comm_dst=1, comm_tag=5),
            },
            {"id": "12", "type": "COMP_NODE", "durationMicros": "7", "attr": attributes(is_cpu_op=True)},
        ],
        [
            {"id": "4", "type": "COMM_RECV_NODE", "attr": attributes(comm_src=0, comm_dst=1, comm_tag=5)},
            {"id": "5", "type": "COMP_NODE", "ctrlDeps": ["4"], "dataDeps": ["4", "99"], "durationMicros": "3"},
        ],
    )
    for path, nodes in zip(paths, traces, strict=True):
        told = "".join(json.dumps(each, indent=2) for each in nodes)
        path.write_text('{\n  "version": "0.0.4"\n}' + told, encoding="utf-8")
    assert rows(tmp_path, formats.read(paths)) == kept


def attributes(**values: bool | int | str) -> list[dict[str, bool | int | str]]:
    """Attributes as the jsonizer writes them."""
    kinds = {bool: "boolVal", int: "int32Val", str: "int64Val"}
    return [{"name": name, kinds[type(value)]: value} for name, value in values.items()]


@pytest.mark.parametrize(
    "rest", ["{", "x", '{"type": "NODE"}', '{"id": "-1"}', '{"attr": [{"name": "comm_size"}]}', "[]"]
)
def test_what_the_jsonizer_does_not_write_is_refused_in_a_line(tmp_path: Path, rest: str) -> None:
    path = tmp_path / "job.0.json"
    node = '{\n  "type": "COMP_NODE"\n}'
    path.write_text(f'{{\n  "version": "0.0.4"\n}}{node}{rest}', encoding="utf-8")
    with pytest.raises(InputError, match="is no trace, or damaged: "):
        formats.read([path])


@pytest.mark.parametrize(
    ("traces", "told"),
    [
        ([trace(node(1, SEND, comm_dst=3))], "node 1: sends to rank 3; expected 0 to 0"),
        ([trace(node(1, COMP), node(1, COMP))], "node 1: is there twice"),
        ([trace(node(1, RECV, comm_src=1)), trace(node(1, COMP))], "rank 0, node 1: receives what no rank sends"),
        ([trace(node(1, COMP, [1]))], "node 1: waits for itself"),
        (
            [trace(node(1, COLL, comm_type=ALL_REDUCE, comm_size=5)), trace(node(7, COLL, comm_type=2, comm_size=5))],
            "node 7: is all_gather of 5 B, where node 1 of rank 0 is all_reduce of 5 B",
        ),
        (
            [trace(node(1, COLL, comm_type=ALL_REDUCE, comm_size=5)), trace(node(1, COMP))],
            "has 0 collectives of 2 ranks, and another rank 1",
        ),
        ([trace()], "has no node"),
        ([trace(b"\x05abc")], "is no trace, or damaged"),
    ],
)
def test_what_is_wrong_is_named_by_its_node(tmp_path: Path, traces: list[bytes], told: str) -> None:
    with pytest.raises(InputError) as refused:
        imported(tmp_path, *traces)
    assert told in str(refused.value)


@pytest.mark.parametrize(
    "node",
    [
        '{"Id": -1, "NodeType": 4}',
        '{"Id": 1e400, "NodeType": 4}',
        '{"Id": 1, "NodeType": 4, "runtime": -5}',
        '{"Id": 99999999999999999999999, "NodeType": 4}',
        '{"Id": 1, "NodeType": 7, "comm_type": [0]}',
        '{"Id": 1, "NodeType": 4, "data_deps": 5}',
        "7",
    ],
)
def test_nodes_of_json_are_read_or_refused_in_a_line(tmp_path: Path, node: str) -> None:
    path = tmp_path / "job.0.json"
    path.write_text(f'{{"workload_graph": [{node}]}}', encoding="utf-8")
    with pytest.raises(InputError, match="is no trace, or damaged: "):
        formats.read([path])


def test_damaged_gzip_is_refused_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "job.0.et.gz"
    packed = bytearray(gzip.compress(PIPELINE[0] * 50))
    packed[12:20] = b"\xff" * 8
    path.write_bytes(packed)
    with pytest.raises(InputError, match="is no trace, or damaged: "):
        formats.read([path])


def test_a_packed_file_that_is_no_trace_is_refused_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "traces.tgz"
    path.write_bytes(gzip.compress(b"job.0.et" + bytes(2000)))
    with pytest.raises(InputError, match="is no trace, or damaged: packed is something else"):
        formats.read([path])


def test_a_trace_may_begin_with_its_schema(tmp_path: Path) -> None:
    head = message(2, text(1, "schema") + text(29, "1.0.2-chakra.0.0.4")) + message(
        2, text(1, "x") + text(29, "y" * 200)
    )
    of = imported(tmp_path, varint(len(head)) + head + node(300, COMP, micros=700))
    assert rows(tmp_path, of) == ["0.0,host0,,,,,0,700000,0"]


def test_ranks_are_those_of_the_names(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.0.et", "a.2.et")]
    for path in paths:
        path.write_bytes(trace(node(1, COMP)))
    with pytest.raises(InputError, match="there is no trace of rank 1"):
        formats.read(paths)


def test_what_is_not_carried_out_takes_its_time(tmp_path: Path) -> None:
    of = imported(tmp_path, *[trace(node(1, COLL, micros=9, comm_type=BROADCAST, comm_size=5), node(2, 2))] * 2)
    assert rows(tmp_path, of)[:2] == ["0.0,host0,,,,,0,9000,0", "0.1,host0,,,,,0,0,2"]
    told = [left.content for left in of.left_out]
    assert "collective broadcast (2 nodes)" in told
    assert "loads and stores (2 nodes)" in told


@given(st.integers(0, len(PIPELINE[0])), st.integers(0, len(PIPELINE[0]) - 1), st.integers(0, 255))
@settings(max_examples=examples(80))
def test_a_damaged_trace_is_read_or_refused_in_a_line(
    tmp_path_factory: pytest.TempPathFactory, length: int, at: int, byte: int
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    changed = bytearray(PIPELINE[0])
    changed[at] = byte
    for damaged in (bytes(changed), PIPELINE[0][:length]):
        refusal = ""
        try:
            imported(folder, damaged, PIPELINE[1]).check()
        except InputError as error:
            refusal = str(error)
        assert "\n" not in refusal
