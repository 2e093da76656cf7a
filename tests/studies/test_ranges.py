"""Ranges of values on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome
from xoff.errors import ScenarioError
from xoff.studies.axes import spelled


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.2:0.8:0.2", ["0.2", "0.4", "0.6", "0.8"]),
        ("100kB:400kB:100kB", ["100kB", "200kB", "300kB", "400kB"]),
        ("5, 10:30:10, 100", ["5", "10", "20", "30", "100"]),
        ("0.8:0.2:-0.3", ["0.8", "0.5", "0.2"]),
        ("3:3:1", ["3"]),
        ("1/8:1/2:1/8", ["0.125", "0.25", "0.375", "0.5"]),
        ("0:1:1/3", ["0", "1/3", "2/3", "1"]),
        ("-1.50:.5:1", ["-1.5", "-0.5", "0.5"]),
    ],
)
def test_a_range_stands_for_its_values_with_both_ends(text: str, values: list[str]) -> None:
    assert spelled([f"k={text}"]) == {"k": values}


@pytest.mark.parametrize("text", ["leaf0:spine1:2", '"1:2:1"', "[1, 2]"])
def test_what_is_no_quantities_is_no_range(text: str) -> None:
    assert spelled([f"k={text}"]) == {"k": [text]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0.2:0.8:0.25", "steps of 0.25 from 0.2 do not lead to 0.8; expected START:END:STEP in one unit, such as"),
        ("1us:4us:-1us", "steps of -1us from 1us do not lead to 4us; expected START:END:STEP"),
        ("1:4:0", "steps of 0 from 1 do not lead to 4; expected START:END:STEP"),
        ("0:1:0.0001", "stands for 10,001 values; expected at most 10,000"),
        ("0:99999999999999999999999999999:1", "stands for 100,000,000,000,000,000,000,000,000,000 values; expected at"),
        ("0:1:0.00000000000000000000000000007", "steps of 0.00000000000000000000000000007 from 0 do not lead to 1"),
        ("0.2:0.8", "is no range; expected START:END:STEP"),
        ("100kB:1MB:100kB", "is no range; expected START:END:STEP in one unit"),
    ],
)
def test_a_range_that_does_not_end_where_it_should_is_refused(text: str, says: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        spelled([f"k={text}"])
    assert str(refused.value).startswith(f"--sweep k={text}: {says}")


def test_a_value_that_a_range_has_too_stands_twice() -> None:
    with pytest.raises(ScenarioError, match="a value stands twice; expected each value once"):
        spelled(["k=2,1:3:1"])


def test_a_range_is_swept_as_its_values_are(command: Callable[..., Outcome], small_file: Path) -> None:
    settings = ("--measure", "loss_rate", "--json", "--workers", 1)
    swept = json.loads(command("sweep", small_file, "--sweep", "workload.fan_in=1:3:1", *settings).out)
    assert swept["axes"] == {"workload.fan_in": [1, 2, 3]}
    integrated = json.loads(command("fluid", "dctcp", "--sweep", "flows=2:4:2", "--json").out)
    assert [row["at"] for row in integrated["rows"]] == [{"flows": "2"}, {"flows": "4"}]
