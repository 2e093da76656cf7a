"""Axes are of the values, however far intervals go."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

import xoff
from conftest import SMALL
from xoff.plot import bars
from xoff.results.intervals import Estimate


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


def arrows(ax: Axes) -> list[tuple[float, float]]:
    """Returns the places where bars are cut, each with 1 for the upper or 0 for the lower edge."""
    marks = [drawn for drawn in ax.collections if isinstance(drawn, PathCollection)]
    return [(float(x), float(y)) for drawn in marks for x, y in np.asarray(drawn.get_offsets())]


WIDE = [Estimate(50, 1e-9, 1e12), Estimate(0.5, 0.4, 0.6)]


def test_ratios_leave_room_for_a_factor_of_two_and_bars_beyond_have_arrows(ax: Axes) -> None:
    bars.scale_of_ratios(ax, WIDE)
    bottom, top = ax.get_ylim()
    assert ax.get_yscale() == "log"
    assert 0.1 < bottom <= 0.25 < 100 <= top < 150
    bars.mark_cut(ax, [3, 7], WIDE, "black")
    assert arrows(ax) == [(3, 1), (3, 0)]


def test_ratios_near_one_stay_so_beside_a_wide_interval(ax: Axes) -> None:
    bars.scale_of_ratios(ax, [Estimate(1.1, 1e-6, 1e6), Estimate(0.9, 0.85, 0.95)])
    bottom, top = ax.get_ylim()
    assert 0.3 < bottom < 0.9 < 1.1 < top < 3


def test_one_is_shown_where_all_ratios_are_far_from_it(ax: Axes) -> None:
    bars.scale_of_ratios(ax, [Estimate(30, 1e-3, 1e6)])
    assert ax.get_ylim()[0] < 1


def test_below_a_cut_ratio_stands_zero(ax: Axes) -> None:
    bars.scale_of_ratios(ax, [*WIDE, Estimate(0)])
    assert (ax.get_yscale(), ax.get_ylim()[0]) == ("symlog", 0)
    assert ax.get_ylim()[1] < 150


def test_bars_that_are_whole_leave_the_axes_as_they_are(ax: Axes) -> None:
    found = [Estimate(1.2, 1.1, 1.3), Estimate(1)]
    ax.plot([0, 1], [1.1, 1.3])
    before = ax.get_ylim()
    bars.scale_of_ratios(ax, found)
    bars.mark_cut(ax, [0, 1], found, "black")
    assert ax.get_ylim() == before
    assert not arrows(ax)


def comparison_of_seeds_that_differ(times: float) -> xoff.Comparison:
    """One scenario twice, but a measure of one seed is so many times that."""
    scenario = xoff.Scenario.from_text(SMALL)
    same = xoff.compare({"base": scenario, "other": scenario}, seeds=2)
    other = copy.deepcopy(same.summaries)
    other[1][0]["flows"]["all"]["fct_mean_us"] *= times
    return replace(same, summaries=other)


def test_a_comparison_of_seeds_that_differ_much_has_axes_of_its_ratios(ax: Axes) -> None:
    comparison_of_seeds_that_differ(1.15).plot.fct_ratios(ax)
    bottom, top = ax.get_ylim()
    assert 0.3 < bottom < 1 < 2 < top < 4
    assert {(0, 1), (0, 0)} == set(arrows(ax))
    assert not ax.get_xlabel()


def test_bars_of_which_two_seeds_tell_nothing_are_left_out(ax: Axes) -> None:
    comparison_of_seeds_that_differ(1000).plot.fct_ratios(ax)
    assert not arrows(ax)
    assert ax.get_ylim()[1] < 40
    assert ax.get_xlabel() == bars.LEFT_OUT
