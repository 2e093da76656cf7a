"""Traces of Perfetto out of results, read back with Perfetto's own schema."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from judges import package
from xoff import Scenario, formats
from xoff.formats import flow_order, perfetto, protobuf
from xoff.formats.part import Part
from xoff.formats.perfetto_trace import Trace
from xoff.results.columns import flow_names

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome
    from xoff import Result

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


@dataclass
class Slice:
    """A slice as Perfetto sees it."""

    path: str
    name: str
    details: dict[str, Any]
    begins: int
    arrows_out: list[int]
    arrows_in: list[int]
    ends: int = -1


@dataclass
class Read:
    """A trace, read back."""

    slices: list[Slice] = field(default_factory=list)
    instants: list[tuple[str, int, str]] = field(default_factory=list)
    counters: dict[str, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))

    def below(self, path: str) -> list[Slice]:
        """Returns the slices of some tracks."""
        return [each for each in self.slices if each.path.startswith(path)]


def read(result: Result, part: Part | None = None) -> Read:
    """Reads a trace back, and holds it to the rules: tracks come first, and slices of one do not overlap."""
    schema = package("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = schema.Trace()
    trace.ParseFromString(b"".join(perfetto.pieces(result, part or Part())))
    found = Read()
    paths: dict[int, str] = {}
    open_slices: dict[int, Slice] = {}
    last: dict[int, int] = defaultdict(int)
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            above = f"{paths[track.parent_uuid]}/" if track.HasField("parent_uuid") else ""
            paths[track.uuid] = above + track.name
        if not packet.HasField("track_event"):
            continue
        event, time = packet.track_event, packet.timestamp
        path = paths[event.track_uuid]
        if event.type == COUNTER:
            found.counters[path].append((time, event.double_counter_value))
        elif event.type == INSTANT:
            found.instants.append((path, time, event.name))
        elif event.type == BEGIN:
            details = {each.name: getattr(each, each.WhichOneof("value")) for each in event.debug_annotations}
            arrows = [*event.flow_ids], [*event.terminating_flow_ids]
            assert event.track_uuid not in open_slices
            assert time >= last[event.track_uuid]
            open_slices[event.track_uuid] = Slice(path, event.name, details, time, *arrows)
        else:
            open_slices[event.track_uuid].ends = last[event.track_uuid] = time
            found.slices.append(open_slices.pop(event.track_uuid))
    assert not open_slices
    return found


LINK = {"rate": "100Gbps", "delay": "1us"}
RING = {
    "topology": {"kind": "star", "hosts": 4, "host_link": LINK},
    "transport": {"rdma": {"kind": "roce", "connections": "persistent"}},
    "workload": [
        {
            "kind": "collective",
            "transport": "rdma",
            "operation": "all_reduce",
            "algorithm": "ring",
            "size": "400kB",
            "iterations": 2,
            "compute": "10us",
        }
    ],
}
STORM = {
    "topology": {"kind": "star", "hosts": 4, "host_link": LINK},
    "class": [{"priority": 3, "lossless": True}, {"priority": 7}],
    "switch": [{"total": "1MB", "pfc": {"xoff": {"policy": "dynamic_threshold", "alpha": "1/8"}}}],
    "transport": {"rdma": {"kind": "roce"}},
    "workload": [
        {
            "kind": "incast",
            "transport": "rdma",
            "fan_in": 3,
            "size": "500kB",
            "groups": 2,
            "every": "50us",
            "receivers": ["host0"],
            "priority": 3,
        }
    ],
    "observe": {
        "pauses": True,
        "queues": {"every": "change", "of": ["switch0.*"]},
        "rates": {"every": "10us", "of": ["host1"]},
    },
}


@pytest.fixture(scope="module")
def storm() -> Result:
    """A run in which hosts are paused."""
    return Scenario.from_dict(STORM).run()


def test_fields_are_as_the_encoding_guide_has_them() -> None:
    assert protobuf.unsigned(1, 150) == bytes.fromhex("089601")
    assert protobuf.text(2, "testing") == bytes.fromhex("120774657374696e67")
    assert protobuf.message(3, protobuf.unsigned(1, 150)) == bytes.fromhex("1a03089601")
    assert protobuf.fixed64(47, 1) == bytes.fromhex("f9020100000000000000")


def test_values_at_any_time_come_back() -> None:
    trace = Trace()
    track = trace.track("counter", unit="bytes")
    times, values = [0, 127, 128, 10**12, (1 << 42) - 1], [0.0, -1.5, 1e300, 3.0, 1 / 3]
    trace.add_values(track, np.array(times), np.array(values))
    read_back = package("perfetto.protos.perfetto.trace.perfetto_trace_pb2").Trace()
    read_back.ParseFromString(trace.take())
    events = [(packet.timestamp, packet.track_event) for packet in read_back.packet if packet.HasField("track_event")]
    assert [(time, event.double_counter_value) for time, event in events] == [*zip(times, values, strict=True)]
    assert {(event.type, event.track_uuid) for _, event in events} == {(COUNTER, track)}
    assert len(trace) == 0


def test_drops_are_marks_and_counted_from_the_begin() -> None:
    shallow = {
        "topology": {"kind": "star", "hosts": 5, "host_link": LINK},
        "switch": [{"total": "50kB"}],
        "transport": {"tcp": {"kind": "tcp", "congestion_control": {"algorithm": "reno"}}},
        "workload": [{"kind": "incast", "transport": "tcp", "fan_in": 4, "size": "100kB", "groups": 1, "every": "1ms"}],
        "observe": {"drops": {"every": "change"}},
    }
    result = Scenario.from_dict(shallow).run()
    assert result.drops is not None
    rows = result.drops.to_pylist()
    found = read(result)
    assert sorted((time, reason) for _, time, reason in found.instants) == [
        (row["time_ns"], row["reason"]) for row in rows
    ]
    [values] = found.counters.values()
    assert [value for _, value in values] == [*range(1, len(rows) + 1)]
    half = rows[len(rows) // 2]["time_ns"]
    [later] = read(result, Part(start_ns=half)).counters.values()
    earlier = sum(row["time_ns"] < half for row in rows)
    assert min(value for _, value in later) == earlier
    assert max(value for _, value in later) == len(rows)


def test_each_flow_is_a_slice_as_long_as_it_took(storm: Result) -> None:
    slices = read(storm).below("hosts/")
    flows = dict(zip(flow_names(storm.flows).to_pylist(), storm.flows.to_pylist(), strict=True))
    assert len(slices) == len(flows) == 6
    for each in slices:
        row = flows[each.name.partition(" ")[0]]
        assert (each.begins, each.ends) == (row["start_ns"], row["finish_ns"])
        assert each.path == f"hosts/{row['source']}/flows"
        assert each.details["slowdown"] == row["slowdown"]


def test_two_jobs_of_different_formats_share_a_fabric(tmp_path: Path) -> None:
    """A schedule of GOAL and a trace of Chakra: flows of both are drawn, each behind the flow that it waited for."""
    (tmp_path / "ping.goal").write_text(
        "num_ranks 2\n"
        "rank 0 {\na: send 90000b to 1 tag 1\nb: recv 70000b from 1 tag 2\nb requires a\n}\n"
        "rank 1 {\na: recv 90000b from 0 tag 1\nb: send 70000b to 0 tag 2\nb requires a\n}\n"
    )
    for rank in range(2):
        nodes: list[dict[str, object]] = [
            {"Id": 1, "NodeType": 4, "runtime": 5, "data_deps": []},
            {"Id": 2, "NodeType": 7, "comm_type": 0, "comm_size": 60000, "data_deps": [1]},
        ]
        (tmp_path / f"job.{rank}.json").write_text(json.dumps({"workload_graph": nodes}))
    paths = [tmp_path / name for name in ("job.1.json", "ping.goal", "job.0.json")]
    scenario, *jobs = formats.read(paths).save(tmp_path / "both")
    assert len(jobs) == 2
    result = Scenario.load(scenario).run()
    slices = [each for each in read(result).below("hosts/") if "size_bytes" in each.details]
    # Of the all-reduce each rank sends a half in two steps.
    assert sorted(each.details["size_bytes"] for each in slices) == [*[30_000] * 4, 70_000, 90_000]
    for each in slices:
        is_first = each.details["size_bytes"] == 90_000 or each.begins == 5_000
        assert bool(each.arrows_in) != is_first


def test_pauses_are_slices_and_queues_counters_of_their_ports(storm: Result) -> None:
    found = read(storm)
    assert storm.pauses is not None
    assert storm.series is not None
    rows = {(f"ports/{row['paused_port']} ", row["start_ns"], row["end_ns"]) for row in storm.pauses.to_pylist()}
    slices = {(each.path.partition("to ")[0], each.begins, each.ends) for each in found.below("ports/")}
    assert slices == rows
    assert rows
    queue = [
        (row["time_ns"], row["value"])
        for row in storm.series.to_pylist()
        if (row["quantity"], row["name"], row["priority"]) == ("queue", "switch0.port0", 3)
    ]
    assert found.counters["ports/switch0.port0 to host0.port0/queue, class 3"] == queue
    assert "hosts/host1/rate of host1.flow0" in found.counters


def test_a_step_of_a_ring_has_an_arrow_from_the_one_before() -> None:
    result = Scenario.from_dict(RING).run()
    found = read(result)
    flows = found.below("hosts/")
    assert len(flows) == 2 * 6 * 4
    assert [each.name for each in found.below("collectives/")] == ["all_reduce 0", "all_reduce 1"]
    source = {arrow: each for each in flows for arrow in each.arrows_out}
    ring = {f"host{host}": f"host{(host + 1) % 4}" for host in range(4)}
    steps = [each for each in flows if each.arrows_in]
    assert len(steps) == 2 * 5 * 4  # the first step of an iteration waits for none but computing
    assert len(source) == len(steps)
    for each in steps:
        before = source[each.arrows_in[0]]
        to = each.path.split("/")[1]
        came = before.name.endswith(f" to {to}") and before.details["received_ns"] == each.begins
        sent = before.path == each.path and before.ends == each.begins
        assert came or sent
        assert each.name.endswith(f" to {ring[to]}")


def test_a_flow_of_a_job_has_its_name_and_an_arrow_from_the_one_that_it_waited_for(tmp_path: Path) -> None:
    header = "flow,source,destination,size_bytes,priority,after,delay_ns\n"
    rows = "there,host0,host1,10000,0,,20000\nback,host1,host0,10000,0,there,30000\n"
    (tmp_path / "job.csv").write_text(header + rows + "beside,host0,host2,500,0,,0\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(
        'topology = { kind = "star", hosts = 3, host_link = { rate = "10Gbps", delay = "1us" } }\n'
        'transport.roce = { kind = "roce" }\n'
        'workload = [{ kind = "job", transport = "roce", file = "job.csv" }]\n',
        encoding="utf-8",
    )
    result = Scenario.load(tmp_path / "job.toml").run()
    slices = {each.name: each for each in read(result).slices}
    came = slices["there to host1"].details["received_ns"]
    computing = {
        "before there": ("hosts/host0/computes", 0, 20_000),
        "before back": ("hosts/host1/computes", came, came + 30_000),
    }
    assert set(slices) == {"there to host1", "back to host0", "beside to host2", *computing}
    for name, expected in computing.items():
        assert (slices[name].path, slices[name].begins, slices[name].ends) == expected
    assert slices["there to host1"].arrows_out == slices["back to host0"].arrows_in
    assert not slices["beside to host2"].arrows_in


def test_computations_are_slices_of_their_streams_and_arrows_pass_them(tmp_path: Path) -> None:
    rows = (
        "flow,source,destination,size_bytes,priority,after,delay_ns,compute_ns,stream",
        "forward,host0,,,,,0,5000,3",
        "there,host0,host1,9000,0,forward,0,,",
        "here,host1,host1,0,,there,0,,",
        "next,host1,,,,here,0,700,0",
        "on,host1,host2,900,0,next,0,,",
    )
    (tmp_path / "job.csv").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "job.toml").write_text(
        'topology = { kind = "star", hosts = 3, host_link = { rate = "10Gbps", delay = "1us" } }\n'
        'transport.roce = { kind = "roce" }\n'
        'workload = [{ kind = "job", transport = "roce", file = "job.csv" }]\n',
        encoding="utf-8",
    )
    slices = {each.name: each for each in read(Scenario.load(tmp_path / "job.toml").run()).slices}
    assert set(slices) == {"forward", "there to host1", "next", "on to host2"}
    forward, following = slices["forward"], slices["next"]
    assert (forward.path, forward.begins, forward.ends) == ("hosts/host0/stream 3", 0, 5_000)
    assert (following.path, following.ends - following.begins) == ("hosts/host1/stream 0", 700)
    assert slices["there to host1"].arrows_out == slices["on to host2"].arrows_in != []


def test_flows_side_by_side_do_not_overlap_on_a_track() -> None:
    many = STORM | {"workload": [STORM["workload"][0] | {"every": "1us", "groups": 20, "size": "50kB"}]}  # type: ignore[index]
    assert len(read(Scenario.from_dict(many).run()).below("hosts/")) == 60  # and read() looks for overlaps


def test_a_part_has_what_overlaps_it(storm: Result) -> None:
    part = Part(start_ns=60_000, end_ns=70_000, ports=frozenset({"switch0.port0"}), flows=("host1", "host2.flow1"))
    found = read(storm, part)
    rows = flow_order.in_order(storm).to_pylist()
    inside = {row["flow"] for row in rows if row["start_ns"] <= 70_000 and row["finish_ns"] >= 60_000}
    names = {each.name.partition(" ")[0] for each in found.slices}
    assert names == inside & {"host1.flow0", "host1.flow1", "host2.flow1"}
    assert set(found.counters) <= {"ports/switch0.port0 to host0.port0/queue, class 3", *_rates()}
    times = [time for values in found.counters.values() for time, _ in values]
    assert min(times) == 60_000
    assert max(times) <= 70_000
    whole = read(storm).counters["ports/switch0.port0 to host0.port0/queue, class 3"]
    part_of_it = found.counters["ports/switch0.port0 to host0.port0/queue, class 3"]
    assert (60_000, [value for time, value in whole if time < 60_000][-1]) in part_of_it


def _rates() -> set[str]:
    return {f"hosts/host1/rate of host1.flow{number}" for number in range(2)}


def test_an_unfinished_flow_ends_with_the_run() -> None:
    result = Scenario.from_dict(STORM | {"stop": {"at": "100us"}}).run()
    assert result.unfinished is not None
    ends = [each.ends for each in read(result).below("hosts/") if "fct_ns" not in each.details]
    assert ends == [100_000] * result.unfinished.num_rows


def test_export_writes_a_trace_and_tells_what_was_not_recorded(
    command: Callable[..., Outcome], small_result: Result, storm: Result, tmp_path: Path
) -> None:
    storm.save(tmp_path / "storm")
    outcome = command("export", "storm", "--format", "perfetto", "--out", "trace")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    assert (tmp_path / "trace").read_bytes() == b"".join(perfetto.pieces(storm, Part()))
    Scenario.from_dict({name: value for name, value in STORM.items() if name != "observe"}).run().save("blind")
    outcome = command("export", "blind", "--format", "perfetto", "--out", "blind_trace", "--from", "10us")
    assert [line.rpartition("set ")[2] for line in outcome.err.splitlines()] == [
        'observe.queues = { every = "10us" }',
        "observe.pauses = true",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["--format", "perfetto", "--flow", "host9"],
            "--flow: no flow of the result matches host9; expected a flow such",
        ),
        (["--format", "perfetto", "--port", "leaf9"], 'result: --port: nothing matches "leaf9"'),
        (["--format", "perfetto", "--from", "1h"], "--from: "),
        (["--format", "perfetto", "--from", "1s"], "--from: the run ended at"),
        (["--format", "perfetto", "--from", "2us", "--to", "1us"], "--from: 2.00 us is not before --to"),
        (["--format", "fct", "--from", "2us"], "--format fct: holds all finished flows"),
    ],
)
def test_a_part_that_there_is_not_is_refused_in_a_line(
    command: Callable[..., Outcome], small_result: Result, tmp_path: Path, arguments: list[str], says: str
) -> None:
    small_result.save(tmp_path / "result")
    outcome = command("export", "result", *arguments, "--out", "file")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(says)
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "file").exists()


def test_bounds_are_of_results(command: Callable[..., Outcome], small_file: Path) -> None:
    outcome = command("export", small_file, "--format", "sonic", "--flow", "host0")
    assert outcome.err.startswith("--flow: is about a result; expected a result folder")
