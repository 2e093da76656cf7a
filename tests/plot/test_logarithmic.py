"""Logarithmic axes are as wide as what they hold, and can be read however little that spans."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import xoff

SPANS = [(8, 10), (1, 1), (9.7, 9.7), (1, 1.001), (3.9, 4.1), (1, 3), (1, 12), (2, 19), (1, 99), (1.3, 170), (2, 9e5)]
WIDTHS = (3.3, 6.4)


def with_slowdowns(result: xoff.Result, low: float, high: float) -> xoff.Result:
    """As if flows had been slowed down evenly from low to high, with a microsecond on the idle network."""
    slowdowns = np.geomspace(low, high, 200)
    columns = {"size_bytes": [1000] * 200, "slowdown": slowdowns, "fct_ns": 1000 * slowdowns, "measured": [True] * 200}
    return replace(result, flow_rows=pa.table(columns))


def labels_of(ax: Axes) -> list[str]:
    """The ticks that are seen."""
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    ticks = zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
    return [label.get_text() for at, label in ticks if low <= at <= high and label.get_text()]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["fct_cdf", "slowdown_cdf"])
@pytest.mark.parametrize(("low", "high"), SPANS)
def test_at_least_three_ticks_have_labels_that_differ(
    small_result: xoff.Result, low: float, high: float, kind: str, width: float
) -> None:
    ax = Figure(figsize=(width, 2.4), layout="constrained").subplots()
    getattr(with_slowdowns(small_result, low, high).plot, kind)(ax)
    labels = labels_of(ax)
    assert len(set(labels)) == len(labels)
    assert 3 <= len(labels) <= 8


@pytest.mark.parametrize(("low", "high"), [(8, 10), (1, 3), (2, 9e5)])
def test_lines_take_most_of_the_axis(small_result: xoff.Result, low: float, high: float) -> None:
    ax = Figure().subplots()
    with_slowdowns(small_result, low, high).plot.slowdown_cdf(ax)
    left, right = np.log(ax.get_xlim())
    assert np.log(high / low) > 0.85 * (right - left)
    assert left <= np.log(low) < np.log(high) < right


def test_ticks_are_where_they_are_read_most_easily(small_result: xoff.Result) -> None:
    told = {}
    for span in ((8, 10), (1, 12), (2, 9000)):
        ax = Figure(figsize=(6.4, 3.6)).subplots()
        with_slowdowns(small_result, *span).plot.slowdown_cdf(ax)
        told[span] = labels_of(ax)
    assert told == {
        (8, 10): ["8", "8.5", "9", "9.5", "10"],
        (1, 12): ["1", "2", "5", "10"],
        (2, 9000): ["10", "100", "1,000", "10,000"],
    }


def test_slowdowns_by_size_that_differ_little_have_ticks(small_result: xoff.Result) -> None:
    ax = Figure().subplots()
    with_slowdowns(small_result, 1.2, 1.4).plot.slowdown_by_size(ax)
    low, high = ax.get_ylim()
    assert sum(low <= at <= high for at in ax.get_yticks()) >= 3
