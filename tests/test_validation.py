"""TCP beside the Linux kernel: rows are within, but for what is known to differ, and the page has what is measured."""

from __future__ import annotations

import numpy as np
import pytest

import validate
import validate_ns3
from conftest import ROOT
from xoff import Scenario

ROWS = validate.rows()
QUICK = ("A50_n2_k7_dctcp", "A50_n10_k21_dctcp", "B50_n5_droptail83_reno", "C_inc8_dctcp_rto0")
"""Rows that are run for every change; the others are left to `make nightly`."""
RUN = [pytest.param(row, id=row.name, marks=() if row.name in QUICK else pytest.mark.nightly) for row in ROWS]


@pytest.mark.parametrize("row", RUN)
def test_a_row_is_within_but_for_what_is_known_to_differ(row: validate.Row) -> None:
    (judged,) = validate.judge([row])
    assert judged.misses == judged.known_misses


def test_known_misses_are_of_rows_and_of_what_is_judged() -> None:
    kinds = {row.name: row.kind for row in ROWS}
    for row, measures in validate.tolerances()["known_misses"].items():
        assert measures
        assert set(measures) <= set(validate.tolerances()[kinds[row]])


@pytest.mark.parametrize("file", ["long_flow", "incast"])
def test_a_scenario_as_it_stands_is_its_first_row(file: str) -> None:
    path = validate.LINUX / f"{file}.toml"
    first = next(row for row in ROWS if row.file == path)
    assert first.name in path.read_text(encoding="utf-8")
    assert Scenario.load(path).digest() == Scenario.load(path, first.changes).digest()


def test_flows_of_dcqcn_take_as_long_as_in_ns3() -> None:
    """Small flows tell of pauses: with three quarters of the memory for lossless classes they are 27 % shorter."""
    sizes, ns3 = validate_ns3.reference()
    runs = [validate_ns3.times((), seed) for seed in (0, 1000, 2000)]
    small = sizes < 100_000
    means = np.mean([run.mean() for run in runs])
    tails = np.mean([np.percentile(run[small], 90) for run in runs])
    assert means / ns3.mean() == pytest.approx(1, abs=0.07)
    assert tails / np.percentile(ns3[small], 90) == pytest.approx(1, abs=0.15)


@pytest.mark.nightly
def test_the_page_has_what_is_measured() -> None:
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    for name, table in validate.tables(validate.judge(ROWS)).items():
        assert table in page, name
