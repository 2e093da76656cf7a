"""`xoff pauses`."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import SCENARIOS, Outcome, ring

Command = Callable[..., Outcome]


@pytest.fixture
def run(command: Command) -> Path:
    command("run", SCENARIOS / "pauses.toml", "--out", "out")
    return Path("out")


def test_roots_and_the_tree_of_a_victim_are_printed(command: Command, run: Path) -> None:
    outcome = command("pauses", run, "--victim", "host4.flow0", "--plot", "tree.svg")
    assert (outcome.status, outcome.err) == (0, "")
    assert "Roots: host4.flow0, paused for" in outcome.out
    assert "└─ tor3.port0" in outcome.out
    assert "tor3.port0" in Path("tree.svg").read_text(encoding="utf-8")


def test_a_flow_of_a_collective_may_be_the_victim(command: Command) -> None:
    """Only the run knows which flow of the collective it is."""
    changes = (
        "workload.operation=all_to_all",
        "workload.algorithm=direct",
        "workload.size=256KiB",
        "workload.iterations=1",
    )
    sets = [part for change in (*changes, "observe.pauses=true") for part in ("--set", change)]
    command("run", SCENARIOS / "all_reduce.toml", *sets, "--out", "rings")
    outcome = command("pauses", "rings", "--victim", "host0.flow3")
    assert (outcome.status, outcome.err) == (0, "")
    assert "host0.flow3" in outcome.out
    refused = command("pauses", "rings", "--victim", "host0.flow9999")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err == "rings: --victim: there is no flow host0.flow9999, or it had not started\n"


def test_the_same_as_data(command: Command, run: Path) -> None:
    data = json.loads(command("pauses", run, "--victim", "host4.flow0", "--json").out)
    shares = {root["queue"]: root["share"] for root in data["roots"]}
    assert round(shares["tor3.port0 priority 3"], 2) == 0.51  # as the README prints
    assert data["tree"]["name"] == "host4.flow0"
    assert data["tree"]["children"][0]["name"] == "host4.port0 priority 3"
    assert data["cycles"] == []
    explained = sum(root["paused_us"] for root in data["roots"]) + data["left_out_us"]
    assert explained == pytest.approx(data["paused_us"])
    assert "tree" not in json.loads(command("pauses", run, "--json").out)


def test_without_a_victim_only_roots_are_printed(command: Command, run: Path) -> None:
    outcome = command("pauses", run)
    assert "Roots: all pauses" in outcome.out
    assert "─ host" not in outcome.out


def test_what_cannot_be_told_is_refused_in_a_line(command: Command, run: Path, small_file: Path) -> None:
    refusal = "out: --victim: there is no host, switch or port host99\n"
    assert command("pauses", run, "--victim", "host99") == Outcome(2, "", refusal)
    refusal = "nothing: RESULT: is no result folder; expected one that xoff run has written\n"
    assert command("pauses", "nothing") == Outcome(2, "", refusal)
    command("run", small_file, "--out", "small")
    refusal = "small: pauses: pauses were not observed; observe.pauses = true in the scenario records them\n"
    assert command("pauses", "small") == Outcome(2, "", refusal)


def test_a_time_has_its_unit(command: Command, run: Path) -> None:
    assert command("pauses", run, "--at", "1.5ms") == command("pauses", run, "--at", "1500us")
    everything, then = (command("pauses", run, *at).out for at in ([], ["--at", "1.5ms"]))
    assert "Roots: all pauses" in then
    assert then != everything
    for text, says in (("100", '"100" has no unit'), ("1kB", '"1kB" is a size, not a time')):
        outcome = command("pauses", run, "--at", text)
        expected = 'expected a time with its unit (ps, ns, us, ms, s), such as "1us"'
        assert outcome == Outcome(2, "", f"--at: {says}; {expected}\n")


def test_pauses_at_a_time_are_told_whole_in_words_and_in_the_picture(command: Command, run: Path) -> None:
    out = command("pauses", run, "--victim", "host4.flow0", "--at", "1ms", "--plot", "tree.SVG").out
    told = re.search(r"Roots: host4\.flow0, paused for ([1-9][\d.]* us)", out)
    assert told is not None
    assert f"host4.flow0  {told[1]} (100%)" in out
    assert f"{told[1]}, 100%" in Path("tree.SVG").read_text(encoding="utf-8")


def test_a_time_is_within_the_run(command: Command, run: Path) -> None:
    outcome = command("pauses", run, "--at", "300s")
    assert (outcome.status, outcome.out) == (2, "")
    assert re.fullmatch(r"--at: the run ended at [\d.]+ [mu]s; expected a time before that\n", outcome.err)


def test_where_nothing_was_paused_that_is_said(command: Command, run: Path, small_file: Path) -> None:
    assert command("pauses", run, "--at", "10ns") == Outcome(0, "Nothing was paused at 0.01 us\n", "")
    out = command("pauses", run, "--victim", "host4.flow0", "--at", "10ns").out
    assert out == "host4.flow0 was not paused at 0.01 us\n"
    command("run", small_file, "--out", "small", "--set", "observe.pauses=true")
    assert command("pauses", "small") == Outcome(0, "Nothing was paused\n", "")
    assert json.loads(command("pauses", "small", "--json").out)["roots"] == []


def test_a_damaged_folder_is_refused_in_a_line(command: Command, run: Path) -> None:
    (run / "summary.json").write_text('{"title": ')
    outcome = command("pauses", run)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("out/summary.json: is damaged: Expecting value: line 1 column 11 (char 10); expected")
    assert command("pauses", run / "summary.json").err.startswith("out/summary.json: RESULT: is no result folder")


def test_a_picture_that_cannot_be_written_is_refused_in_a_line(command: Command, run: Path, tmp_path: Path) -> None:
    of_format = "--plot: no format of figures; expected a file that ends with .svg, .pdf or .png"
    for name, says in (("tree.gifx", of_format), ("none/tree.svg", "No such file")):
        outcome = command("pauses", str(run), "--plot", str(tmp_path / name))
        assert (outcome.status, outcome.out) == (2, "")
        assert says in outcome.err
        assert "Traceback" not in outcome.err


def test_a_picture_is_replaced_only_with_force(command: Command, run: Path) -> None:
    Path("tree.svg").write_text("precious", encoding="utf-8")
    refusal = "tree.svg: --plot: exists already; choose another file with --plot, or replace it with --force\n"
    assert command("pauses", run, "--plot", "tree.svg") == Outcome(2, "", refusal)
    assert Path("tree.svg").read_text(encoding="utf-8") == "precious"
    assert command("pauses", run, "--plot", "tree.svg", "--force").status == 0
    assert "<svg" in Path("tree.svg").read_text(encoding="utf-8")


def test_a_deadlock_is_printed_with_its_cycle(command: Command) -> None:
    Path("ring.toml").write_text(ring(), encoding="utf-8")
    out = command("run", "ring.toml", "--set", "pfc.detection_time=1ms").out
    assert "Deadlock: s0.port1 -> s1.port2 -> s2.port2 -> s3.port2 -> s4.port2 -> s0.port1 (priority 0) since" in out
    assert "Storm:   s0.port1 paused for" in out
    assert "nothing could move any longer" in " ".join(out.split())
