"""`xoff plot` and `xoff report`: pictures and the page of a result that is there."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest import PERMUTATION, SCENARIOS, SMALL, Outcome
from xoff.cli.plot import Kind
from xoff.plot.plots import Plots

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., Outcome]


@pytest.fixture
def run(command: Command, small_file: Path) -> Path:
    command("run", small_file, "--out", "out", "--set", 'observe.queues.of=["switch0.*", "host1.*"]')
    return Path("out")


def test_a_picture_stands_in_the_folder_or_where_it_is_wanted(command: Command, run: Path) -> None:
    assert command("plot", run, "fct_cdf") == Outcome(0, "Plot: out/fct_cdf.svg\n", "")
    assert "flow completion time" in (run / "fct_cdf.svg").read_text(encoding="utf-8")
    assert command("plot", run, "slowdown_by_size", "--out", "slow.png").status == 0
    assert Path("slow.png").read_bytes().startswith(b"\x89PNG")


def test_names_choose_what_is_drawn_over_time(command: Command, run: Path) -> None:
    command("plot", run, "queues", "--names", "switch0.port[0]", "--out", "none.svg")
    assert not Path("none.svg").exists()
    assert command("plot", run, "queues", "--names", "host?.port0", "--names", "switch0.port0").status == 0
    drawn = (run / "queues.svg").read_text(encoding="utf-8")
    assert "host1.port0" in drawn
    assert "switch0.port0" in drawn
    assert "switch0.port1" not in drawn


def test_a_stretch_of_time_is_drawn(command: Command, run: Path) -> None:
    assert command("plot", run, "queues", "--from", "0.2ms", "--to", "250us").status == 0
    drawn = (run / "queues.svg").read_text(encoding="utf-8")
    assert "220 us" in drawn
    assert "300 us" not in drawn


def test_workloads_choose_of_which_flows_slowdowns_are(command: Command, small_file: Path) -> None:
    small_file.write_text(SMALL + PERMUTATION, encoding="utf-8")
    command("run", small_file, "--out", "out")
    for workload, size in (("1", "1 MB"), ("incast", "50 kB")):
        assert command("plot", "out", "slowdown_by_size", "--workload", workload, "--force").status == 0
        ticks = re.findall(r">([\d.]+ [kM]B)</text>", Path("out/slowdown_by_size.svg").read_text(encoding="utf-8"))
        assert ticks == [size]


def test_how_long_queues_were_is_drawn_by_name(command: Command, run: Path) -> None:
    assert command("plot", run, "queue_cdf", "--names", "switch0.port0").status == 0
    assert "share of time" in (run / "queue_cdf.svg").read_text(encoding="utf-8")


def test_one_input_buffer_is_drawn_by_name(command: Command) -> None:
    every = 'observe.inputs={ every = "100us", of = ["*"] }'
    command("run", SCENARIOS / "input_hotspot.toml", "--out", "out", "--set", every, "--set", "stop.at=20ms")
    for names, title in (((), ", the fullest of 8"), (("--names", "switch0.port1"), ">switch0.port1")):
        assert command("plot", "out", "inputs", *names, "--force").status == 0
        assert f"{title}</text>" in Path("out/inputs.svg").read_text(encoding="utf-8")
    outcome = command("plot", "out", "inputs", "--names", "leaf0", "--force")
    assert outcome.err.startswith('out: inputs: names: nothing that was observed matches "leaf0"; expected one of 8')


def test_flows_are_drawn_side_by_side(command: Command) -> None:
    rates = 'observe={ rates = { every = "1ms" }, flow_throughput = { every = "1ms" } }'
    command("run", SCENARIOS / "dcqcn.toml", "--out", "out", "--set", rates)
    assert command("plot", "out", "flows_over_time").status == 0
    drawn = Path("out/flows_over_time.svg").read_text(encoding="utf-8")
    assert "throughput" in drawn
    assert "rate limit" in drawn


def test_everything_that_python_draws_of_a_result_has_a_kind() -> None:
    drawing = {name for name, _ in inspect.getmembers(Plots, inspect.isfunction) if not name.startswith("_")}
    elsewhere = {"over_time", "pause_tree", "critical_path"}  # or of other commands
    assert drawing - elsewhere == set(Kind)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("queues", "--names", "leaf0"), "out: queues: names: nothing that was observed matches"),
        (
            ("queues", "--names", "switch0"),
            'out: queues: names: nothing that was observed matches "switch0"; expected "switch0.*"',
        ),
        (("rates",), "out: rates: observe.rates is left out; expected rates = "),
        (("fct_cdf", "--names", "host0"), "--names: no names are chosen in fct_cdf; expected it with one of queues"),
        (
            ("queues", "--from", "3us", "--to", "2us"),
            "--from: 3.00 us is not before --to, 2.00 us; expected a time bef",
        ),
        (("queues", "--from", "3s"), "--from: the run ended at 989.7 us; expected a time before that"),
        (("queues", "--to", "3s"), "--to: the run ended at 989.7 us; expected a time before that"),
        (("queues", "--to", "3"), '--to: "3" has no unit; expected a time with its unit (ps, ns, us, ms, s), such as'),
        (("fct_cdf", "--to", "3us"), "--to: no time is chosen in fct_cdf; expected it with one of queues, queue_cdf,"),
        (
            ("fct_cdf", "--workload", "0"),
            "--workload: no workloads are chosen in fct_cdf; expected it with slowdown_by_s",
        ),
        (
            ("slowdown_by_size", "--workload", "1"),
            "out: slowdown_by_size: workloads: there is no 1; expected positions",
        ),
        (("fct_cdf", "--out", "cdf.txt"), "cdf.txt: --out: no format of figures; expected a file that ends with .svg"),
        (("fct_cdf", "--out", "none/cdf.svg"), "none/cdf.svg: --out: No such file or directory; expected a file in"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_line(
    command: Command, run: Path, arguments: tuple[str, ...], says: str
) -> None:
    outcome = command("plot", run, *arguments)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith(says)


def test_a_picture_that_an_option_names_is_replaced_only_with_force(command: Command, run: Path) -> None:
    for _ in range(2):
        assert command("plot", run, "queues").status == 0, "its own drawing is replaced"
    named = ("plot", run, "queues", "--out", "queues.svg")
    assert command(*named).status == 0
    refusal = "queues.svg: --out: exists already; choose another file with --out, or replace it with --force\n"
    assert command(*named) == Outcome(2, "", refusal)
    assert command(*named, "--force").status == 0


def test_a_report_that_is_written_later_is_the_one_of_the_run(command: Command, small_file: Path) -> None:
    command("run", small_file, "--out", "out", "--report")
    report = Path("out/report.html")
    at_once = report.read_text(encoding="utf-8")
    report.write_text("an earlier one", encoding="utf-8")
    assert command("report", "out") == Outcome(0, f"Report: {report}\n", "")
    assert report.read_text(encoding="utf-8") == at_once
    assert command("report", "nothing").err.startswith("nothing: RESULT: is no result folder")
