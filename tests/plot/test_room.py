"""Figures in axes of the user: small ones, and with others beside them."""

from typing import Literal, TypeAlias

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

import xoff

Layout: TypeAlias = Literal["constrained", "tight"] | None
LAYOUTS: list[Layout] = ["constrained", "tight", None]


def legend_box(ax: Axes) -> Bbox:
    """Returns the place of the legend."""
    legend = ax.get_legend()
    assert legend is not None
    return legend.get_window_extent()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_legend_is_as_wide_as_the_axes_of_a_column_of_a_paper(small_result: xoff.Result, layout: Layout) -> None:
    figure = Figure(figsize=(3.3, 2.2), layout=layout)
    ax = figure.subplots()
    small_result.plot.fct_cdf(ax, label="a result with a name that takes more than one line")
    figure.draw_without_rendering()
    assert figure.bbox.x0 <= legend_box(ax).x0 < legend_box(ax).x1 <= figure.bbox.x1
    assert legend_box(ax).y1 <= figure.bbox.y1
    assert ax.bbox.width > 0.7 * figure.bbox.width
    assert ax.bbox.height > 0.2 * figure.bbox.height


@pytest.mark.parametrize("layout", LAYOUTS)
def test_in_a_grid_no_legend_lies_on_other_axes(small_result: xoff.Result, layout: Layout) -> None:
    figure = Figure(figsize=(7, 5), layout=layout)
    panels = figure.subplots(2, 2).flatten().tolist()
    for ax in panels:
        small_result.plot.fct_cdf(ax)
    figure.draw_without_rendering()
    for ax in panels:
        others = [other for other in panels if other is not ax]
        labels = [other.xaxis.label.get_window_extent() for other in others]
        assert legend_box(ax).count_overlaps([*(other.bbox for other in others), *labels]) == 0
        assert ax.bbox.width > 0.3 * figure.bbox.width


def test_a_layout_asked_for_afterwards_makes_room_too(small_result: xoff.Result) -> None:
    figure = Figure(figsize=(3.3, 5))
    above, below = figure.subplots(2, 1)
    for ax in (above, below):
        small_result.plot.fct_cdf(ax)
    figure.tight_layout()
    figure.draw_without_rendering()
    assert legend_box(below).y1 < above.xaxis.label.get_window_extent().y0


def test_narrow_axes_have_fewer_ticks_and_the_label_below_is_in_lines(small_result: xoff.Result) -> None:
    narrow, wide = Figure(figsize=(3.3, 2.2)).subplots(), Figure(figsize=(6.4, 3.6)).subplots()
    for ax in (narrow, wide):
        small_result.plot.queues(ax)
    assert len(narrow.get_xticks()) < len(wide.get_xticks())
    small_result.plot.slowdown_by_size(narrow)
    assert narrow.xaxis.label.get_window_extent().width < narrow.figure.bbox.width
