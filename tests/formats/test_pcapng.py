"""Captures out of results, read back with dpkt, and with tshark where there is one."""

from __future__ import annotations

import gzip
import io
import subprocess
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from judges import package, program
from xoff import Scenario
from xoff.errors import InputError
from xoff.formats import frames, pcapng
from xoff.formats.part import Part

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome
    from xoff import Result

LINK = {"rate": "100Gbps", "delay": "1us"}
INCAST = {"kind": "incast", "transport": "t", "fan_in": 3, "groups": 1, "receivers": ["host0"], "every": "1ms"}
ROCE = {
    "topology": {"kind": "star", "hosts": 4, "host_link": LINK},
    "class": [{"priority": 3, "lossless": True}, {"priority": 7}],
    "switch": [
        {
            "total": "1MB",
            "pfc": {"xoff": {"policy": "dynamic_threshold", "alpha": "1/8"}},
            "marking": {"queue": {"kind": "threshold", "threshold": "50kB"}},
        }
    ],
    "transport": {"t": {"kind": "roce", "congestion_control": {"algorithm": "dcqcn"}}},
    "workload": [INCAST | {"size": "300001B", "priority": 3}],
    "observe": {"packets": ["host1", "host2"], "pauses": True, "rates": {"every": "10us"}},
}
TCP = {
    "topology": {"kind": "star", "hosts": 4, "host_link": LINK},
    "switch": [{"total": "100kB", "marking": {"queue": {"kind": "threshold", "threshold": "30kB"}}}],
    "transport": {"t": {"kind": "tcp", "preset": "linux", "congestion_control": {"algorithm": "dctcp"}}},
    "workload": [INCAST | {"size": "200kB"}],
    "observe": {"packets": ["host1"]},
    "stop": {"at": "20ms"},
}


@pytest.fixture(scope="module")
def roce() -> Result:
    """A run of RoCE with marks and pauses."""
    return Scenario.from_dict(ROCE).run()


@pytest.fixture(scope="module")
def tcp() -> Result:
    """A run of TCP with marks and losses, whose connections are opened."""
    return Scenario.from_dict(TCP).run()


def read(result: Result, part: Part | None = None) -> list[tuple[int, Any]]:
    """Reads times in nanoseconds and Ethernet frames back."""
    dpkt = package("dpkt")
    file = io.BytesIO(b"".join(pcapng.pieces(result, part or Part())))
    return [(round(time * 10**9), dpkt.ethernet.Ethernet(frame)) for time, frame in dpkt.pcapng.Reader(file)]


def rows_of(result: Result) -> list[dict[str, Any]]:
    """Returns the rows of packets that were recorded."""
    assert result.packets is not None
    rows: list[dict[str, Any]] = result.packets.to_pylist()
    return rows


def test_tcp_is_captured_at_its_source(tcp: Result) -> None:
    rows = rows_of(tcp)
    sent = [row for row in rows if row["kind"] == "data" and row["port"] == "host1.port0"]
    got = [row for row in rows if row["kind"] != "data" and row["port"] == "switch0.port1"]
    captured = read(tcp)
    assert [time for time, _ in captured] == sorted(
        [row["ended_ps"] // 1000 for row in sent] + [row["reached_ps"] // 1000 for row in got]
    )
    segments = [(packet.ip.tcp, packet.ip) for _, packet in captured]
    out = [(tcp.seq, ip.len - 40) for tcp, ip in segments if tcp.sport >= 49_152 and not tcp.flags & 2]
    assert out == [(1 + row["sequence"], row["payload_bytes"]) for row in sent if row["payload_bytes"]]
    acknowledged = [tcp.ack for tcp, _ in segments if tcp.dport >= 49_152 and not tcp.flags & 2]
    assert acknowledged[-1] == 200_001
    assert acknowledged == sorted(acknowledged)
    assert [hex(tcp.flags) for tcp, _ in segments[:2]] == ["0x2", "0x12"]
    assert any(tcp.flags & 8 for tcp, _ in segments)
    assert all(ip.p == 6 and ip.src == frames.address(1) for tcp, ip in segments if tcp.sport >= 49_152)


def test_a_named_port_sees_both_directions_with_marks(tcp: Result) -> None:
    rows = [row for row in rows_of(tcp) if row["port"] == "switch0.port0" and row["ended_ps"] is not None]
    captured = [packet for _, packet in read(tcp, Part(ports=frozenset({"switch0.port0"})))]
    out = [packet.ip for packet in captured if packet.ip.src == frames.address(1)]
    assert Counter(ip.tos & 3 for ip in out) == Counter(3 if row["marked"] else 2 for row in rows)
    assert 3 in {ip.tos & 3 for ip in out}
    assert {ip.ttl for ip in out} == {63}
    back = [packet.ip for packet in captured if packet.ip.dst == frames.address(1)]
    assert {ip.ttl for ip in back} == {64}


def test_roce_has_operations_classes_and_pauses(roce: Result) -> None:
    captured = read(roce)
    operations = Counter(packet.data.data.data[0] for _, packet in captured if packet.type == 0x0800)
    rows = [row for row in rows_of(roce) if row["hop"] == 0]
    kinds = Counter(row["kind"] for row in rows)
    data = {name: operations[name] for name in (0, 1, 2)}
    assert data == {0: 2, 1: kinds["data"] - 4, 2: 2}
    assert operations[0x11] == kinds["acknowledgement"] + kinds["nack"]
    assert operations[0x81] == kinds["cnp"] > 0
    assert {packet.data.tos >> 5 for _, packet in captured if packet.type == 0x0800} == {3, 7}
    assert roce.pauses is not None
    pauses = [(time, bytes(packet.data)) for time, packet in captured if packet.type == 0x8808]
    assert len(pauses) == 2 * roce.pauses.num_rows > 0
    assert {content[10:12].hex() for _, content in pauses} == {"ffff", "0000"}
    first = roce.pauses.to_pylist()[0]
    assert min(time for time, _ in pauses) < first["start_ns"]
    assert min(time for time, _ in pauses) > first["xoff_ns"]


def test_a_part_is_bounded_by_time_and_flow(roce: Result) -> None:
    part = Part(start_ns=20_000, end_ns=30_000, flows=("host2",))
    captured = read(roce, part)
    assert captured
    assert all(20_000 <= time <= 30_000 for time, _ in captured)
    ends = {(packet.data.src, packet.data.dst) for _, packet in captured if packet.type == 0x0800}
    assert ends == {(frames.address(2), frames.address(0)), (frames.address(0), frames.address(2))}
    everything = {time for time, _ in read(roce)}
    assert {time for time, _ in captured} <= everything


def test_flows_without_transport_are_datagrams() -> None:
    result = Scenario.from_dict(
        {
            "topology": {"kind": "star", "hosts": 2, "host_link": LINK},
            "transport": {"t": {"kind": "constant_rate", "rate": "10Gbps"}},
            "workload": [{"kind": "permutation", "transport": "t", "size": "10kB"}],
            "observe": {"packets": ["host0"]},
        }
    ).run()
    captured = read(result)
    assert {packet.ip.udp.dport for _, packet in captured} == {9}
    assert sum(packet.ip.udp.ulen - 8 for _, packet in captured) == 10_000


@pytest.mark.parametrize("name", ["roce", "tcp"])
def test_tshark_reads_it_without_a_warning(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    result = request.getfixturevalue(name)
    path = tmp_path / "capture.pcapng.gz"
    path.write_bytes(gzip.compress(b"".join(pcapng.pieces(result, Part()))))
    checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    told = ["-T", "fields", "-e", "frame.interface_name", "-e", "_ws.col.Info", "-e", "_ws.expert.severity"]
    told += ["-e", "_ws.malformed"]
    asked = subprocess.run(
        [program("tshark", "tshark"), "-n", "-r", path, *checks, *told], capture_output=True, text=True, check=True
    )
    lines = [line.split("\t") for line in asked.stdout.splitlines()]
    assert len(lines) == len(read(result))
    warning = 0x00600000
    assert all(int(one) < warning for _, _, severity, _ in lines for one in severity.split(",") if one)
    assert not any(malformed or "alformed" in info for _, info, _, malformed in lines)
    assert {"host1.port0"} <= {interface for interface, _, _, _ in lines}


def test_what_was_not_recorded_is_told_with_its_key(roce: Result, tcp: Result, small_result: Result) -> None:
    with pytest.raises(InputError, match=r'recorded no packets; expected a run with observe.packets = \["host0"\]'):
        pcapng.pieces(small_result, Part())
    blind = {"pauses": True}
    only_pauses = Scenario.from_dict(ROCE | {"observe": blind}).run()
    assert {packet.type for _, packet in read(only_pauses)} == {0x8808}
    assert any('set observe.packets = ["host0"]' in note for note in pcapng.notes(only_pauses, Part()))
    with pytest.raises(InputError, match=r'set|expected a run with observe.packets = \["host1"\]'):
        pcapng.pieces(only_pauses, Part(flows=("host1",)))
    no_pauses = Scenario.from_dict(ROCE | {"observe": {"packets": ["host1"]}}).run()
    assert any("observe.pauses = true" in note for note in pcapng.notes(no_pauses, Part()))
    assert [*pcapng.notes(tcp, Part())] == []
    with pytest.raises(InputError, match=r"no flow of the result matches host3; expected a flow such as host1.flow0"):
        pcapng.pieces(roce, Part(flows=("host3",)))


def test_export_compresses_what_is_to_be_called_gz(
    command: Callable[..., Outcome], tcp: Result, tmp_path: Path
) -> None:
    tcp.save(tmp_path / "result")
    outcome = command("export", "result", "--format", "pcapng", "--out", "packets.pcapng.gz")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    written = gzip.decompress((tmp_path / "packets.pcapng.gz").read_bytes())
    assert written == b"".join(pcapng.pieces(tcp, Part()))
    again = command("export", "result", "--format", "pcapng", "--out", "other.gz")
    assert again.status == 0
    assert (tmp_path / "other.gz").read_bytes() == (tmp_path / "packets.pcapng.gz").read_bytes()
