"""Completion times and slowdowns, also of few flows, or of none."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import xoff
from conftest import SMALL
from xoff.plot import style

KINDS = ("fct_cdf", "fct_cdf_by_workload", "slowdown_cdf", "slowdown_by_size")


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


def with_flows(result: xoff.Result, slowdowns: Sequence[float], sizes: Sequence[int], measured: bool) -> xoff.Result:
    """As if these flows had finished."""
    columns = {
        "size_bytes": pa.array(sizes, pa.int64()),
        "slowdown": pa.array(slowdowns, pa.float64()),
        "fct_ns": pa.array(sizes, pa.int64()),
        "workload": pa.array([0] * len(sizes), pa.uint32()),
        "measured": pa.array([measured] * len(sizes)),
    }
    return replace(result, flow_rows=pa.table(columns))


def said(ax: Axes) -> list[str]:
    return [text.get_text().replace("\n", " ") for text in ax.texts]


@pytest.mark.parametrize("kind", KINDS)
def test_that_no_flow_finished_is_said(small_result: xoff.Result, kind: str, ax: Axes) -> None:
    measured = small_result.summary | {"measured": {"start_ns": 0, "end_ns": 5000, "unfinished": 0}}
    none, late = with_flows(small_result, [], [], True), with_flows(small_result, [1], [1000], False)
    for result, words in (
        (none, "no flow finished"),
        (late, "no flow finished before the stop"),
        (replace(late, summary=measured), "no flow that started in the measured time finished before the stop"),
    ):
        ax.clear()
        getattr(result.plot, kind)(ax)
        assert said(ax) == [words]
        assert "p99" not in ax.get_xlabel()
        assert not list(ax.get_xticks())


def test_that_none_of_a_class_or_of_a_workload_finished_is_said(small_result: xoff.Result, ax: Axes) -> None:
    small_result.plot.fct_cdf(ax, size_class="large")
    assert said(ax) == ["no large flow finished before the stop"]
    ax.clear()
    with_flows(small_result, [], [], True).plot.slowdown_by_size(ax, workloads=0)
    assert said(ax) == ["no flow of these workloads finished"]


def test_that_no_flow_of_any_scenario_finished_is_said() -> None:
    scenario = xoff.Scenario.from_text(SMALL).with_value("stop.at", "2us")
    other = scenario.with_value("switch[0].marking.queue.threshold", "5kB")
    ax = xoff.compare({"one": scenario, "other": other}).plot.fct_cdf(Figure().subplots())
    assert said(ax) == ["no flow finished"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_drawn_over_nothing_replaces_it(small_result: xoff.Result, kind: str, ax: Axes) -> None:
    getattr(with_flows(small_result, [], [], True).plot, kind)(ax)
    getattr(small_result.plot, kind)(ax)
    assert not said(ax)
    assert len(ax.get_yticks()) > 2
    assert list(ax.get_xticks())


def test_flows_of_one_class_are_one_line(small_result: xoff.Result, ax: Axes) -> None:
    for sizes, labels in (
        ([1000] * 7, ["all are small, below 100 KiB: 7"]),
        ([1_000_000] * 7, ["all are medium, below 10 MiB: 7"]),
        ([1000, 1_000_000], ["all: 2", "small, below 100 KiB: 1", "medium, below 10 MiB: 1"]),
    ):
        for kind in ("fct_cdf", "slowdown_cdf"):
            ax.clear()
            getattr(with_flows(small_result, [1.5] * len(sizes), sizes, True).plot, kind)(ax)
            assert [line.get_label() for line in ax.get_lines()] == labels
    ax.clear()
    with_flows(small_result, [1.5], [1000], True).plot.fct_cdf(ax)
    assert ax.get_lines()[0].get_color() == style.CLASS_COLOURS["small"]


@pytest.mark.parametrize(("lowest", "edge"), [(0.5, 0.4), (1, 1), (1.5, 1)])
def test_no_slowdown_is_below_the_axis(small_result: xoff.Result, lowest: float, edge: float, ax: Axes) -> None:
    sizes = list(range(1000, 1200))
    result = with_flows(small_result, list(np.geomspace(lowest, 4, 200)), sizes, True)
    result.plot.slowdown_by_size(ax)
    drawn = min(np.asarray(line.get_ydata()).min() for line in ax.get_lines())
    assert edge <= ax.get_ylim()[0] <= max(lowest, 1)
    assert ax.get_ylim()[0] == 1 or ax.get_ylim()[0] < drawn
    ax.clear()
    result.plot.slowdown_cdf(ax)
    assert ax.get_xlim()[0] < lowest or ax.get_xlim()[0] == lowest == 1


FASTER = """
title = "A link that becomes faster before the flows start"
topology.kind = "dumbbell"
topology.left = 1
topology.right = 1
topology.host_link = { rate = "10Gbps", delay = "1us" }
topology.middle_link = { rate = "1Gbps", delay = "1us" }
transport.steady = { kind = "constant_rate", payload = "1000B" }
link_event = [{ at = "1us", between = ["left", "right"], rate = "10Gbps" }]

[[workload]]
kind = "long_lived"
transport = "steady"
pairs = [["host0", "host1"]]
size = "50kB"
start = "5us"
"""


def test_no_slowdown_of_scenarios_is_below_the_axis() -> None:
    scenario = xoff.Scenario.from_text(FASTER)
    axes = xoff.compare({"one": scenario, "other": scenario}).plot.slowdown_by_size()
    plt.close()
    for ax in axes:
        drawn = min(np.asarray(line.get_ydata()).min() for line in ax.get_lines())
        assert ax.get_ylim()[0] < drawn < 1
