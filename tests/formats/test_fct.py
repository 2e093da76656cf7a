"""`fct.txt` of HPCC's ns-3 out of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foreign_files import CONFIG, FLOWS, TOPOLOGY, imported
from xoff import Result, Scenario
from xoff.formats import fct

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Outcome


def test_a_line_has_addresses_ports_and_times(tmp_path: Path) -> None:
    result = imported(tmp_path, topology=TOPOLOGY, flow=FLOWS, config=CONFIG).scenario().run()
    lines = [line.split() for line in fct.lines(result)]
    flows = {row["size_bytes"]: row for row in result.flows.to_pylist()}
    by_size = {int(line[4]): line for line in lines}
    big = flows[5_000_000]
    assert by_size[5_000_000] == [
        "0b000101",
        "0b000201",
        "10000",
        "100",
        "5000000",
        "2000000000",
        str(big["fct_ns"]),
        str(big["ideal_fct_ns"]),
    ]
    ends = [int(line[5]) + int(line[6]) for line in lines]
    assert ends == sorted(ends)


def test_flows_of_incasts_have_another_port_and_pairs_count_up() -> None:
    link = {"rate": "100Gbps", "delay": "1us"}
    incast = {
        "kind": "incast",
        "transport": "r",
        "fan_in": 3,
        "size": "10kB",
        "groups": 2,
        "every": "1ms",
        "receivers": ["host0"],
    }
    result = Scenario.from_dict(
        {
            "topology": {"kind": "star", "hosts": 4, "host_link": link},
            "transport": {"r": {"kind": "roce"}},
            "workload": [{"kind": "permutation", "transport": "r", "size": "5kB"}, incast],
        }
    ).run()
    lines = [line.split() for line in fct.lines(result)]
    assert {(line[3], line[4]) for line in lines} == {("100", "5000"), ("200", "10000")}
    of_pairs: dict[tuple[str, str], list[int]] = {}
    for line in lines:
        of_pairs.setdefault((line[0], line[1]), []).append(int(line[2]))
    assert all(ports == list(range(10_000, 10_000 + len(ports))) for ports in of_pairs.values())


def test_hosts_beyond_256_have_the_next_number() -> None:
    assert fct.numbers(["host257", "host3"]) == {"host257": 257, "host3": 3}
    assert fct.numbers(["a1", "b1"]) == {"a1": 0, "b1": 1}


def test_export_writes_it(command: Callable[..., Outcome], small_result: Result, tmp_path: Path) -> None:
    small_result.save(tmp_path / "result")
    outcome = command("export", "result", "--format", "fct")
    assert (outcome.status, outcome.err) == (0, "")
    assert len(outcome.out.splitlines()) == small_result.flows.num_rows
    assert command("export", "result", "--format", "fct", "--out", "fct.txt").status == 0
    assert (tmp_path / "fct.txt").read_text() == outcome.out
    again = command("export", "result", "--format", "fct", "--out", "fct.txt")
    assert again.err.startswith("fct.txt: --out: exists already")


def test_results_and_switches_have_formats_of_their_own(
    command: Callable[..., Outcome], small_result: Result, tmp_path: Path
) -> None:
    small_result.save(tmp_path / "result")
    for arguments, says in (
        (["result", "--format", "sonic"], "--format sonic: is no format of a result, and result is a folder"),
        (["result"], "--format: is no format of a result, and result is a folder; expected one of fct"),
        (["result", "--format", "fct", "--chip", "tomahawk"], "--chip: is about a switch; expected none"),
        (["result/scenario.toml", "--format", "fct"], "result/scenario.toml: RESULT: is no result folder"),
    ):
        outcome = command("export", *arguments)
        assert outcome.status == 2
        assert outcome.err.startswith(says)
        assert outcome.err.count("\n") == 1
