"""Keys that must be equal in scenarios that are compared, and keys that may differ."""

from pathlib import Path

import pytest

import xoff
from conftest import SCENARIOS, SMALL
from xoff.studies import traffic
from xoff.studies.axes import Axis
from xoff.studies.sweep import Sweep

FLOW = ["source", "destination", "number", "size_bytes", "start_ns"]


def scenario(*changes: str) -> xoff.Scenario:
    return xoff.Scenario(SMALL, "small.toml", changes)


@pytest.mark.parametrize(
    "change",
    [
        "switch.total=2MB",
        "host.delay=1us",
        "topology.host_link.delay=2us",
        "topology.host_link.rate=25Gbps",
        "topology.hash_seed=7",
        "transport.dctcp.congestion_control.algorithm=reno",
        "observe={}",
        "transport.dctcp.payload=8960B",  # flows are given by their bytes
    ],
)
def test_what_may_differ(change: str) -> None:
    traffic.check_same([scenario(), scenario(change)])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("seed=4", "seed: is 4, but 3 in small.toml"),
        ("workload.fan_in=3", "workload[0].fan_in: is 3, but 2 in"),
        ("topology.hosts=5", "topology.hosts: is 5, but 4 in"),
        (
            'scale_up={ hosts_per_server = 2, link = { rate = "1Tbps", delay = "1us" } }',
            "scale_up.hosts_per_server: is 2, but left out in",
        ),
        ("stop.at=1ms", "stop.at: is 1ms, but left out in"),
        ('measure.size_classes=["1kB", "1MB"]', "measure.size_classes[0]: is 1kB, but 100KiB in"),
    ],
)
def test_what_must_not_differ(change: str, says: str) -> None:
    with pytest.raises(xoff.ScenarioError) as error:
        traffic.check_same([scenario(), scenario("switch.total=2MB"), scenario(change)])
    assert f"small.toml: {says}" in str(error.value)
    assert str(error.value).endswith("; expected the same traffic in every scenario")


def test_scenarios_of_one_file_are_told_apart_by_the_names_they_are_given() -> None:
    with pytest.raises(xoff.ScenarioError) as error:
        traffic.check_same([scenario(), scenario("workload.fan_in=3")], ["few", "many"])
    assert str(error.value).startswith("many: workload[0].fan_in: is 3, but 2 in few; expected the same traffic")


def loaded(counts: str, name: str, payload: str, overhead: str = "20B") -> xoff.Scenario:
    workload = f"""
[[workload]]
kind = "poisson"
transport = "{name}"
sizes = {{ fixed = "20kB" }}
load = 0.5
of = "host"
{counts}
"""
    text = SMALL.split("[[workload]]")[0].replace("transport.dctcp", f"transport.{name}") + workload
    changes = (f"transport.{name}.payload={payload}", f"transport.{name}.wire_overhead={overhead}", "stop.at=1ms")
    return xoff.Scenario(text, f"{name}.toml", changes)


def test_rates_must_not_differ_where_a_load_is_a_share_of_them() -> None:
    one = loaded("", "one", "1460B")
    with pytest.raises(xoff.ScenarioError) as error:
        traffic.check_same([one, one.with_value("topology.host_link.rate", "25Gbps")])
    assert "one.toml: topology.host_link.rate: is 25Gbps, but 10Gbps in one.toml" in str(error.value)


@pytest.mark.parametrize(("key", "value"), [("topology.fabric_link.rate", "40Gbps"), ("topology.spines", 3)])
def test_links_between_switches_may_differ_where_no_load_is_a_share_of_them(key: str, value: str | int) -> None:
    """All hosts offer the same, whatever carries it."""
    web_search = SCENARIOS / "web_search.toml"
    of_host, of_core = (xoff.Scenario.load(web_search, (f"workload.of={of}",)) for of in ("host", "core"))
    other = of_host.with_value(key, value)
    traffic.check_same([of_host, other])
    until = {"stop.arrivals_end": "200us"}
    sent = [one.with_values(until).run().flow_rows.select(FLOW) for one in (of_host, other)]
    assert sorted(sent[0].to_pylist(), key=str) == sorted(sent[1].to_pylist(), key=str)
    with pytest.raises(xoff.ScenarioError, match=key):
        traffic.check_same([of_core, of_core.with_value(key, value)])


@pytest.mark.parametrize("counts", ["", 'load_counts = "frame"', 'load_counts = "wire"'])
def test_packet_sizes_must_not_differ_where_a_load_counts_headers(counts: str) -> None:
    with pytest.raises(xoff.ScenarioError) as error:
        traffic.check_same([loaded(counts, "one", "1460B"), loaded(counts, "other", "1048B")])
    assert str(error.value) == (
        "other.toml: transport.other.payload: is 1048B, but 1460B in one.toml, and workload[0].load counts it; "
        'expected payload and headers alike in every scenario, or load_counts = "payload" in all of them'
    )


def test_a_load_of_payload_counts_no_sizes_of_packets_and_one_of_frames_nothing_between_them() -> None:
    payload, frame, wire = (f'load_counts = "{counts}"' for counts in ("payload", "frame", "wire"))
    traffic.check_same([loaded(payload, "one", "1460B"), loaded(payload, "other", "1000B", "24B")])
    traffic.check_same([loaded(frame, "one", "1460B"), loaded(frame, "other", "1460B", "24B")])
    with pytest.raises(xoff.ScenarioError, match=r"transport\.other\.wire_overhead: is 24B, but 20B in one\.toml"):
        traffic.check_same([loaded(wire, "one", "1460B"), loaded(wire, "other", "1460B", "24B")])


def test_files_of_the_same_name_may_hold_other_flows(tmp_path: Path) -> None:
    text = SMALL.split("[[workload]]")[0] + '[[workload]]\nkind = "trace"\ntransport = "dctcp"\nfile = "flows.csv"\n'
    loaded = []
    for size in (1000, 2000):
        folder = tmp_path / str(size)
        folder.mkdir()
        (folder / "flows.csv").write_text(
            f"source,destination,size_bytes,start_ns,priority\nhost0,host1,{size},0,0\n", encoding="utf-8"
        )
        (folder / "trace.toml").write_text(text, encoding="utf-8")
        loaded.append(xoff.Scenario.load(folder / "trace.toml"))
    with pytest.raises(xoff.ScenarioError, match=r"inputs/flows\.csv: is another file"):
        traffic.check_same(loaded)


PAYLOADS = {"small": {}, "large": {"transport.one.payload": "8960B"}}


def test_combinations_with_other_traffic_are_told_in_a_line() -> None:
    axes = {"packets": Axis(values=PAYLOADS), "load": Axis(key="workload.load", values=[0.2, 0.4])}
    told = (
        "with large the traffic is another: transport.one.payload is 8960B, but 1460B with small, and workload[0].load "
        'counts it; load_counts = "payload" makes it the same (2 of 4 combinations)'
    )
    for order in (axes, dict(reversed(axes.items()))):
        assert traffic.note_of_sizes(Sweep.of(loaded("", "one", "1460B"), order)) == told


@pytest.mark.parametrize(
    ("counts", "axis"),
    [
        ('load_counts = "payload"', Axis(values=PAYLOADS)),
        ("", Axis(key="workload.load", values=[0.2, 0.4])),
        ("", Axis(key="workload.load_counts", values=["frame", "wire", "payload"])),
        ("", Axis(key="switch.total", values=["1MB", "2MB"])),
    ],
)
def test_the_same_traffic_and_what_an_axis_says_need_no_line(counts: str, axis: Axis) -> None:
    assert traffic.note_of_sizes(Sweep.of(loaded(counts, "one", "1460B"), {"axis": axis})) == ""


def test_packets_of_another_transport_are_told_beside_what_the_axis_says() -> None:
    changes = {"transport.two": {"kind": "roce", "payload": "1000B"}, "workload.transport": "two", "workload.load": 0.4}
    axes = {"transport": Axis(values={"one": {}, "two": changes})}
    note = traffic.note_of_sizes(Sweep.of(loaded("", "one", "1460B"), axes))
    assert note.startswith("with two the traffic is another: transport.two.payload is 1kB, but 1460B with one, and")
