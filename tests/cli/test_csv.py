"""`xoff csv`."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

import xoff
from conftest import Outcome

Command = Callable[..., Outcome]


@pytest.fixture
def run(command: Command, small_file: Path) -> Path:
    command("run", small_file, "--out", "out")
    return Path("out")


def test_a_table_has_the_rows_and_columns_of_the_result(command: Command, run: Path) -> None:
    result = xoff.Result.open(run)
    command("csv", run, "flows", "--out", "flows.csv")
    with Path("flows.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == result.flows.schema.names
    assert [row["source"] for row in rows] == result.flows["source"].to_pylist()
    assert [int(row["fct_ns"]) for row in rows] == result.flows["fct_ns"].to_pylist()
    assert {row["query_id"] for row in rows} == {""}, "what is unknown is empty"


def test_what_there_is_is_told(command: Command, run: Path) -> None:
    told = command("csv", run).out
    assert [line.split()[0] for line in told.splitlines()] == ["flows", "ports", "series"]
    refusal = "out: drops: is no table of this result; expected one of flows, ports, series\n"
    assert command("csv", run, "drops") == Outcome(2, "", refusal)


def test_a_file_that_is_there_is_not_replaced(command: Command, run: Path) -> None:
    Path("a.csv").write_text("mine", encoding="utf-8")
    assert command("csv", run, "ports", "--out", "a.csv").status == 2
    assert Path("a.csv").read_text(encoding="utf-8") == "mine"
    assert command("csv", run, "ports", "--out", "a.csv", "--force").status == 0
    assert len(list(csv.reader(io.StringIO(Path("a.csv").read_text(encoding="utf-8"))))) > 1
