"""Figures say what they show."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import xoff
from conftest import SCENARIOS
from xoff.plot import completion, over_time, slowdown


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


def test_completion_times_have_axes_units_and_a_legend(small_result: xoff.Result, ax: Axes) -> None:
    small_result.plot.fct_cdf(ax)
    assert ax.get_xlabel() == "flow completion time"
    assert ax.get_ylabel() == "share of flows"
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["all: 20", "small, below 100 KiB: 20"]


def test_a_distribution_ends_at_one() -> None:
    x, y = completion.distribution(np.arange(10_000))
    assert (x[0], y[0]) == (0, 0)
    assert (x[-1], y[-1]) == (9999, 1)
    assert len(x) < 500
    assert all(np.diff(y) > 0)


def test_slowdown_is_drawn_for_groups_of_equally_many(small_result: xoff.Result, ax: Axes) -> None:
    small_result.plot.slowdown_by_size(ax, groups=4)
    assert [row.flows for row in slowdown.groups_of(small_result, 4)] == [5, 5, 5, 5]
    assert [line.get_label() for line in ax.get_lines()] == ["p50", "p95", "p99"]


def test_fewer_flows_than_groups_make_fewer_groups(small_result: xoff.Result) -> None:
    assert len(slowdown.groups_of(small_result, 50)) == 20


def test_queues_over_time(small_result: xoff.Result, ax: Axes) -> None:
    small_result.plot.queues(ax, names=["switch0.port0"])
    assert [line.get_label() for line in ax.get_lines()] == ["switch0.port0"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time", "queue")


def test_thinning_keeps_peaks() -> None:
    value = np.zeros(100_000)
    value[54_321] = 7
    _, thin = over_time.thinned(over_time.Line("x", np.arange(100_000) * 1.0, value))
    assert len(thin) <= over_time.POINTS
    assert max(thin) == 7


def test_what_was_not_observed_cannot_be_drawn(small_result: xoff.Result) -> None:
    with pytest.raises(ValueError, match=r"window was not observed; the scenario's \[observe\] says"):
        small_result.plot.windows()


def test_without_axes_a_figure_is_made(small_result: xoff.Result) -> None:
    from matplotlib import pyplot as plt

    axes = small_result.plot.fct_cdf()
    assert axes is plt.gca()
    plt.close()


def test_pauses_are_drawn_port_by_port_and_as_a_tree(ax: Axes) -> None:
    result = xoff.Scenario.load(SCENARIOS / "pauses.toml").run()
    result.plot.pauses(ax)
    assert "host4.port0" in [label.get_text() for label in ax.get_yticklabels()]
    tree = result.plot.pause_tree("host4.flow0", Figure().subplots())
    names = [text.get_text().partition("\n")[0] for text in tree.texts]
    assert {"host4.flow0", "tor0.port6", "tor3.port0"} <= set(names)
