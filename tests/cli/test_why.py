"""`xoff why`: where a flow's time went."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import xoff
from conftest import SCENARIOS, Outcome

Command = Callable[..., Outcome]


@pytest.fixture
def run(command: Command) -> str:
    command("run", SCENARIOS / "incast.toml", "--set", "switch.total=300kB", "--out", "out")
    return "out"


def test_one_flow_is_told_cause_by_cause(command: Command, run: str) -> None:
    outcome = command("why", run)
    assert (outcome.status, outcome.err) == (0, "")
    assert "64 kB to host0 by dctcp in 1.31 ms, alone 26.1 us (slowdown 50)" in outcome.out
    assert "│ retransmission timeout │ dropped at switch0.port0 (at the threshold) │" in outcome.out
    assert "Whose packets were there: xoff ports out switch0.port0 --flows" in outcome.out


def test_flows_are_told_one_by_one_and_together(command: Command, run: str) -> None:
    outcome = command("why", run, "--slowest", "3")
    assert outcome.status == 0
    assert outcome.out.count("host0 │ 64 kB │ 1.31 ms │") == 3
    assert "Critical paths of 3 flows, 3.92 ms together" in outcome.out


def test_data_add_up(command: Command, run: str) -> None:
    named = command("why", run, "host30.flow1", "host1.flow0", "--json")
    paths = json.loads(named.out)
    assert [path["flow"] for path in paths] == ["host30.flow1", "host1.flow0"]
    flows = {f"{row['source']}.flow{row['number']}": row for row in xoff.Result.open(run).flows.to_pylist()}
    for path in paths:
        assert sum(part["time_ps"] for part in path["parts"]) == path["finish_ps"] - path["start_ps"]
        assert path["finish_ps"] // 1000 == flows[path["flow"]]["finish_ns"]
    assert paths[0]["parts"][0]["cause"] == "timeout"


def test_a_path_is_drawn(command: Command, run: str) -> None:
    assert command("why", run, "--plot", "why.svg").status == 0
    drawn = Path("why.svg").read_text(encoding="utf-8")
    for text in ("critical path of host30.flow0", "retransmission timeout", "dropped", "switch0"):
        assert text in drawn


def test_several_flows_have_no_picture_of_their_own(command: Command, run: str) -> None:
    outcome = command("why", run, "--slowest", "2", "--plot", "why.svg")
    assert outcome.status == 2
    assert "--plot: 2 flows are to be drawn; expected one, such as host30.flow0" in outcome.err


@pytest.mark.parametrize(
    ("flow", "problem"),
    [("host99.flow0", "there is no flow host99.flow0"), ("leaf", "there is no flow leaf")],
)
def test_a_flow_that_is_not_there_is_refused(command: Command, run: str, flow: str, problem: str) -> None:
    outcome = command("why", run, flow)
    assert outcome.status == 2
    assert outcome.err == f"{run}: FLOW: {problem}; expected a name such as host1.flow0\n"


def test_without_a_finished_flow_the_first_one_is_told_of(command: Command) -> None:
    command("run", SCENARIOS / "incast.toml", "--set", "stop.at=5us", "--out", "out")
    outcome = command("why", "out", "--slowest", "2")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.count("64 kB │ 5.00 us │ not finished") == 2
    outcome = command("why", "out")
    assert "64 kB to host0 by dctcp not finished after 5.00 us, 1.46 kB received" in outcome.out


def test_without_a_flow_there_is_nothing_to_ask_about(command: Command) -> None:
    late = ("--set", "workload.start=1ms", "--set", "stop.at=5us")
    command("run", SCENARIOS / "incast.toml", *late, "--out", "out")
    outcome = command("why", "out")
    assert (outcome.status, outcome.err) == (2, "out: FLOW: no flow had started in the measured time\n")


def test_a_job_is_told_pair_by_pair(command: Command) -> None:
    command("run", SCENARIOS / "pipeline.toml", "--set", "transport.dcqcn.payload=8KiB", "--out", "out")
    outcome = command("why", "out", "--job", "0")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("Job of workload 0: ")
    assert "of computing before and between them" in " ".join(outcome.out.split())
    told = json.loads(command("why", "out", "--job", "0", "--json").out)
    times = [flow["finish_ps"] - flow["start_ps"] for flow in told["flows"]]
    assert sum(times) / 1e6 + told["computing_us"] == pytest.approx(told["completion_us"])
    outcome = command("why", "out", "--job", "1")
    assert (outcome.status, outcome.err) == (2, "out: --job: workload 1 is no job\n")


def test_a_collective_is_told_pair_by_pair(command: Command) -> None:
    small = ("--set", "workload.size=1MiB", "--set", "workload.iterations=2")
    command("run", SCENARIOS / "all_reduce.toml", *small, "--out", "out")
    outcome = command("why", "out", "--collective", "0")
    assert (outcome.status, outcome.err) == (0, "")
    assert "30 flows of which each waited for the one before" in outcome.out
    assert "Critical paths of 30 flows" in outcome.out
    told = json.loads(command("why", "out", "--collective", "0", "--json").out)
    assert len(told["flows"]) == 30
    collectives = xoff.Result.open("out").collectives
    assert collectives is not None
    assert told["completion_ns"] == max(collectives["completion_ns"].to_pylist())


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (("--collective", "0"), "--collective: workload 0 is no collective; no workload is one"),
        (("host1.flow0", "--collective", "0"), "FLOW: is there beside --collective; expected one of them"),
        (("--collective", "0", "--plot", "x.svg"), "--plot: is there beside --collective; expected one of them"),
    ],
)
def test_what_has_no_collective_is_refused(command: Command, run: str, more: tuple[str, ...], problem: str) -> None:
    outcome = command("why", run, *more)
    assert (outcome.status, outcome.err) == (2, f"{run}: {problem}\n")
