"""`xoff fluid`."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conftest import Outcome

Command = Callable[..., Outcome]


def test_a_sweep_says_what_becomes_of_each_value(command: Command) -> None:
    outcome = command("fluid", "dcqcn", "--sweep", "timer=55us,300us,1500us", "--set", "duration=20ms")
    assert (outcome.status, outcome.err) == (0, "")
    assert all(f" {timer} " in outcome.out for timer in ("55us", "300us", "1500us"))
    assert "20.15 kB" in outcome.out  # the fixed point of two flows with the deployed parameters
    data = json.loads(Path("results/fluid-001/fluid.json").read_text(encoding="utf-8"))
    assert [row["at"]["timer"] for row in data["rows"]] == data["axes"]["timer"] == ["55us", "300us", "1500us"]
    series = pq.read_table("results/fluid-001/series.parquet")
    assert series.num_rows == 3 * 7 * 2001
    assert Path("results/fluid-001/fluid.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_every_combination_is_tried_and_lists_are_values(command: Command) -> None:
    sweeps = ("--sweep", "flows=2,4", "--sweep", 'initial_rates=["40Gbps", "5Gbps"],["40Gbps"]')
    out = command("fluid", "dcqcn", *sweeps, "--set", "duration=1ms", "--json").out
    rows = json.loads(out)["rows"]
    assert [row["at"]["flows"] for row in rows] == ["2", "2", "4", "4"]
    assert rows[1]["difference_bps"] == 0 < rows[0]["difference_bps"]


@pytest.mark.parametrize("flows", ["2", ",".join(map(str, range(1, 12)))])
def test_dctcp_is_held_against_its_closed_form(command: Command, flows: str) -> None:
    outcome = command("fluid", "dctcp", "--sweep", f"flows={flows}", "--set", "duration=20ms", "--out", "few")
    assert (outcome.status, outcome.err) == (0, "")
    assert "46.34 kB to 63 kB" in outcome.out
    assert "difference of rates" not in outcome.out


def test_a_closed_form_that_some_have_not_has_its_heading(command: Command) -> None:
    """A hundred thousand flows have no whole packet each."""
    out = command("fluid", "dctcp", "--sweep", "flows=100000,2", "--set", "duration=1ms").out
    (heading, many) = (line for line in out.splitlines() if "closed form" in line or "100000" in line)
    assert many.rstrip(" │").endswith("none")
    assert heading.index("closed form") > heading.index("least to greatest")


def test_wrong_input_is_refused_in_a_line(command: Command) -> None:
    assert command("fluid", "dcqcn", "--sweep", "timer=") == Outcome(
        2, "", "--sweep timer=: no values; expected KEY=A,B,C, such as timer=55us,300us\n"
    )
    assert command("fluid", "dcqcn", "--sweep", "timer=55us", "--sweep", "timer=60us,70us").err == (
        "--sweep timer=60us,70us: `timer` stands in another --sweep; expected all its values in one --sweep\n"
    )
    assert command("fluid", "dcqcn", "--sweep", "timer=55us,60us,55us").err == (
        "--sweep timer=55us,60us,55us: a value stands twice; expected each value once\n"
    )
    assert command("fluid", "dcqcn", "--sweep", "timer=55us,60us", "--set", "timer=1ms").err == (
        "--set timer=1ms: the axis timer varies it; expected another key\n"
    )
    outcome = command("fluid", "dcqcn", "--sweep", "timer=55us,3")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("timer: 3 has no unit; expected a time")
    assert not list(Path().iterdir())


def test_an_earlier_sweep_is_replaced_only_when_told(command: Command) -> None:
    few = ("fluid", "dctcp", "--set", "duration=1ms", "--out", "few")
    assert command(*few).status == 0
    assert (
        command(*few).err
        == "few: --out: exists already; choose another folder with --out, or replace it with --force\n"
    )
    assert command(*few, "--force").status == 0
