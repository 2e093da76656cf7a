"""Several results in the axes of one figure."""

import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import xoff
from conftest import SMALL
from xoff.plot import style


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


def labels_of(ax: Axes) -> list[str]:
    """Returns the labels of the legend."""
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def colours_of(ax: Axes) -> list[str]:
    """Of the lines."""
    return [to_hex(line.get_color()) for line in ax.get_lines()]


@pytest.fixture(scope="module")
def early() -> xoff.Result:
    """The small scenario with marks at shorter queues."""
    return xoff.Scenario.from_text(SMALL).with_value("switch[0].marking.queue.threshold", "5kB").run()


def test_axes_of_the_user_get_the_colours_of_the_house(small_result: xoff.Result) -> None:
    ax = plt.figure().subplots()
    small_result.plot.queues(ax)
    assert colours_of(ax) == [style.COLOURS[0]]
    plt.close()


def test_each_result_has_a_colour_and_a_name_of_its_own(
    small_result: xoff.Result, early: xoff.Result, ax: Axes
) -> None:
    for label, result in (("late", small_result), ("early", early)):
        result.plot.queues(ax, names="switch0.*", label=label)
    assert colours_of(ax) == list(style.COLOURS[:2])
    assert labels_of(ax) == ["late", "early"]


def test_distributions_of_several_results_differ(small_result: xoff.Result, early: xoff.Result, ax: Axes) -> None:
    early.plot.fct_cdf(ax)
    early.plot.fct_cdf(ax, label="again")
    assert len(set(colours_of(ax))) == 2
    assert labels_of(ax) == ["all are small, below 100 KiB: 20", "again, all are small, below 100 KiB: 20"]
    ax.clear()
    for label, result in (("late", small_result), ("early", early)):
        result.plot.slowdown_cdf(ax, size_class="small", label=label)
    assert labels_of(ax) == ["late: 20", "early: 20"]
    assert ax.get_xlabel() == "FCT slowdown"
    slowdowns = [each for result in (small_result, early) for each in result.flows["slowdown"].to_pylist()]
    assert 1 <= ax.get_xlim()[0] < min(slowdowns) < max(slowdowns) < ax.get_xlim()[1]


def test_colours_come_again_evenly(small_result: xoff.Result, ax: Axes) -> None:
    for _ in range(12):
        small_result.plot.queues(ax)
    assert colours_of(ax) == [*style.COLOURS, *style.COLOURS[:4]]
