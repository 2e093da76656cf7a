"""`xoff check`."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import xoff
from conftest import ROOT, SCENARIOS, Outcome
from xoff.studies import sweep_file
from xoff.switches.plan.simulate.trial import pauses_us, times_us


def test_a_good_scenario_is_ok_and_nothing_is_written(command: Callable[..., Outcome]) -> None:
    path = SCENARIOS / "trace.toml"
    offered = "8 flows of 2.451 MB together: about 9,916 packet-hops, less than a second on a core"
    assert command("check", path) == Outcome(0, f"{path}: ok, {offered}\n", "")
    assert list(Path().iterdir()) == []


def test_a_long_run_is_told_before_it_runs(command: Callable[..., Outcome]) -> None:
    outcome = command("check", SCENARIOS / "web_search.toml", "--set", "stop.arrivals_end=10s")
    # The demo's 10 ms have 6.8 million packet-hops.
    match = re.search(r"about ([\d.]+) billion packet-hops, ([\d,]+) to ([\d,]+) s on a core", outcome.out)
    assert match
    hops, least, most = (float(group.replace(",", "")) for group in match.groups())
    assert hops == pytest.approx(6.8, rel=0.1)
    assert least == pytest.approx(hops * 30, rel=0.05)
    assert most == pytest.approx(hops * 180, rel=0.05)


def test_many_small_flows_take_no_longer_than_is_told() -> None:
    """Four times a ring of all hosts, in which every flow is one packet."""
    small = {"workload.size": "64KiB", "workload.iterations": 4, "workload.group_size": 128, "observe": {}}
    scenario = xoff.Scenario.load(SCENARIOS / "all_reduce.toml").with_values({"topology.hosts_per_leaf": 32} | small)
    offered = scenario.offered()
    engine = scenario.run().summary["engine"]
    assert engine["packet_hops"] == offered.packet_hops
    assert engine["cpu_seconds"] < offered.cpu_seconds[1]


def test_computed_thresholds_are_noted(command: Callable[..., Outcome]) -> None:
    path = SCENARIOS / "web_search.toml"
    outcome = command("check", path, "--set", 'switch.marking.pool={ kind = "bcc", round_trip = "80us" }')
    # 16 MB less 1.72 MB that a queue needs, less the ramp of 12 ports of a leaf and of 4 of a spine.
    assert outcome.out.splitlines() == [
        f"{path}: ok, {xoff.Scenario.load(path).offered().told()}",
        "leaf0 and 3 more: bcc computes minimum = 13080000B and maximum = 14280000B",
        "spine0 and 3 more: bcc computes minimum = 13880000B and maximum = 14280000B",
    ]


def test_overrides_are_checked_too(command: Callable[..., Outcome]) -> None:
    outcome = command("check", SCENARIOS / "web_search.toml", "--set", "workload.load=2")
    assert outcome.status == 2
    assert "workload[0].load" in outcome.err


def test_several_are_checked_whatever_becomes_of_one(command: Callable[..., Outcome]) -> None:
    first, last = SCENARIOS / "trace.toml", SCENARIOS / "incast.toml"
    Path("bad.toml").write_text('title = "Bad"\nspeed = 1\n', encoding="utf-8")
    outcome = command("check", first, "bad.toml", last)
    assert outcome.status == 2
    assert [line.split(",")[0] for line in outcome.out.splitlines() if ": ok, " in line] == [
        f"{first}: ok",
        f"{last}: ok",
    ]
    (error,) = outcome.err.splitlines()
    assert error.startswith("bad.toml: speed: ")
    printed = command("check", first, "bad.toml", "--json")
    assert (printed.status, printed.err) == (2, "")
    assert json.loads(printed.out) == [
        {
            "file": str(first),
            "error": None,
            "notes": [],
            "offered": {"flows": 8, "bytes": 2451000, "packet_hops": 9916},
            "runs": 1,
        },
        {"file": "bad.toml", "error": error, "notes": [], "offered": None, "runs": 1},
    ]


LATE = """\
title = "Marks that come late"
class = [{ priority = 3, lossless = true }]
observe = { pauses = true, marks = { every = "change", of = ["switch0.*"] } }
[topology]
kind = "star"
hosts = 4
host_link = { rate = "10Gbps", delay = "1us" }
links = [{ between = ["host0", "switch0"], rate = "1Gbps" }]
[transport.roce]
kind = "roce"
control_priority = 3
congestion_control = { algorithm = "dcqcn" }
[[switch]]
total = "2MB"
pfc = { lossless_pool = "400kB", xon_offset = "0B", xoff = { policy = "dynamic_threshold", alpha = 1 } }
marking.queue = { kind = "threshold", threshold = "THRESHOLD" }
"""
FLOW = '[[workload]]\nkind = "long_lived"\ntransport = "roce"\npriority = 3\n'


@pytest.mark.parametrize(
    ("threshold", "sizes", "says", "pause_first"),
    [
        ("190kB", [1000], "", False),
        ("200kB", [1000], "unless 2 ports or more feed a queue", True),
        ("280kB", [1000, 1000], "unless 2 ports or more feed a queue", True),
        # The first port ends just below half of the pool, and the next may have half of the rest: 300 kB together.
        ("280kB", [205, 1000], "unless 2 ports or more feed a queue", False),
        ("350kB", [205, 100, 1000], ", however many ports feed a queue", True),
    ],
)
def test_a_pause_comes_before_marks_where_that_is_noted(
    command: Callable[..., Outcome], threshold: str, sizes: list[int], says: str, pause_first: bool
) -> None:
    """All send to a host at a tenth of their rate: into the switch together, or each once the one before has sent."""
    spaced = 200 if sizes[0] < 1000 else 0
    flows = "".join(
        f'{FLOW}pairs = [["host{n}", "host0"]]\nsize = "{size}kB"\nstart = "{(n - 1) * spaced}us"\n'
        for n, size in enumerate(sizes, start=1)
    )
    Path("late.toml").write_text(LATE.replace("THRESHOLD", threshold) + flows, encoding="utf-8")
    notes = [line for line in command("check", "late.toml").out.splitlines() if "PFC comes before ECN" in line]
    assert [says in note for note in notes] == [True] * bool(says)
    result = xoff.Scenario.load("late.toml").run()
    assert (min(pauses_us(result)) < min(times_us(result, "marks"), default=math.inf)) == pause_first


@pytest.mark.parametrize(
    ("verb", "file", "says"),
    [
        ("check", "plans/tomahawk_bcc.toml", "chip: is a key of plans, which xoff plan takes; "),
        ("run", "sweeps/load_balancing.toml", "scenario: is a key of sweep files, which xoff sweep takes; "),
    ],
)
def test_a_file_of_another_kind_is_told_as_such(
    command: Callable[..., Outcome], verb: str, file: str, says: str
) -> None:
    path = SCENARIOS.parent / file
    outcome = command(verb, path)
    assert outcome == Outcome(2, "", f"{path}: {says}`xoff init` writes scenarios to start from\n")


def test_strict_fails_on_what_is_noted(command: Callable[..., Outcome]) -> None:
    path = SCENARIOS / "web_search.toml"
    assert command("check", path, "--strict").status == 0
    noted = ("check", path, "--set", "transport.dctcp.congestion_control.algorithm=reno")
    assert [command(*noted, *strict).status for strict in ((), ("--strict",))] == [0, 1]


def test_a_sweep_is_told_with_all_its_runs(command: Callable[..., Outcome]) -> None:
    path = ROOT / "sweeps" / "marking_threshold.toml"
    runs = sweep_file.load(path, {}).all_runs
    hops = sum(run.offered().packet_hops for run in runs)
    outcome = command("check", path)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"{path}: ok, {len(runs)} runs, ")
    assert json.loads(command("check", path, "--json").out)[0]["offered"]["packet_hops"] == hops
    wrong = command("check", path, "--set", "switch.total=1B")
    assert (wrong.status, wrong.err.count("\n")) == (2, 1)


def test_a_line_of_a_comparison_is_named_on_the_command_line(command: Callable[..., Outcome], small_file: Path) -> None:
    outcome = command("compare", f"K 30={small_file}", f"again={small_file}", "--json")
    assert json.loads(outcome.out)["scenarios"] == ["K 30", "again"]
    assert command("compare", f"a={small_file}", f"a={small_file}").err.startswith("a=: 2 have this name;")
