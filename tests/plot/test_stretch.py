"""Plots over time that show a stretch of it."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import xoff
from conftest import SMALL, storm
from xoff.plot.stretch import Stretch


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


@pytest.mark.parametrize(
    ("before", "stretch", "steps"),
    [
        (False, (15, 25), [(15, 1), (20, 2), (25, 2)]),
        (False, (10, 20), [(10, 1), (10, 1), (20, 1)]),
        (False, (0, 15), [(10, 1), (15, 1)]),
        (True, (15, 25), [(15, 2), (20, 2), (25, 3)]),
        (True, (10, 20), [(10, 2), (20, 2), (20, 2)]),
        (True, (25, 99), [(25, 3), (30, 3)]),
        (False, (31, 99), []),
    ],
)
def test_values_hold_from_their_time_on_or_up_to_it(
    before: bool, stretch: tuple[float, float], steps: list[tuple[float, float]]
) -> None:
    cut = Stretch(*stretch).cut(np.array([10.0, 20.0, 30.0]), np.array([1.0, 2.0, 3.0]), before=before)
    assert list(zip(*(column.tolist() for column in cut), strict=True)) == steps


def test_a_queue_is_drawn_as_it_was_in_a_stretch(ax: Axes) -> None:
    result = xoff.Scenario.from_text(SMALL).with_value("observe.queues", {"every": "change", "of": ["*"]}).run()
    assert result.series is not None
    result.plot.queues(ax, names=["switch0.port0"], between_ns=(100_000, 150_000))
    assert ax.get_xlim() == (100, 150)
    [line] = ax.get_lines()
    time_us, value = (np.asarray(column) for column in (line.get_xdata(), line.get_ydata()))
    assert (time_us[0], time_us[-1]) == (100, 150)
    name, at = result.series["name"].to_numpy(zero_copy_only=False), result.series["time_ns"].to_numpy() / 1000
    inside = (name == "switch0.port0") & (at >= 100) & (at < 150)
    assert value.max() == result.series["value"].to_numpy()[inside].max() > 0
    assert ax.get_ylim()[1] == pytest.approx(1.05 * value.max())


def test_of_many_the_highest_of_the_stretch_come_first(ax: Axes) -> None:
    late = SMALL[SMALL.index("[[workload]]") : SMALL.index("[observe]")].replace("host0", "host1")
    text = SMALL + late.replace("fan_in = 2", 'fan_in = 3\nstart = "2ms"')
    result = xoff.Scenario.from_text(text).with_value("observe.queues.of", ["switch0.*"]).run()
    for between_ns, highest in (((0, 1e6), "switch0.port0"), ((2e6, 3e6), "switch0.port1")):
        ax.clear()
        result.plot.queues(ax, between_ns=between_ns)
        assert ax.get_lines()[0].get_label() == highest


def test_ticks_of_a_short_stretch_differ(small_result: xoff.Result, ax: Axes) -> None:
    small_result.plot.queues(ax, between_ns=(100_000, 100_010))
    ax.figure.canvas.draw()
    told = [label.get_text() for label in ax.get_xticklabels()]
    assert len(set(told)) == len(told) > 1
    assert "100.003 us" in told


@pytest.mark.parametrize(
    ("between_us", "told"),
    [
        ((2000, 3000), " from 2.00 ms to 3.00 ms"),
        ((2000, 2001), " from 2 ms to 2.001 ms"),
        ((2000.0001, 2000.0002), " from 2.0000001 ms to 2.0000002 ms"),
        ((15.01, 15.02), " from 15.01 us to 15.02 us"),
    ],
)
def test_ends_of_a_short_stretch_are_told_apart(between_us: tuple[float, float], told: str) -> None:
    assert Stretch(*between_us).told == told


def test_what_happens_outside_is_not_in_the_legend(ax: Axes) -> None:
    result = xoff.Scenario.from_text(storm().scenario).with_value("observe.queues.every", "1us").run()
    result.plot.queues(ax, between_ns=(0, 10_000))
    assert "host1 takes in nothing" not in ax.get_legend_handles_labels()[1]
    result.plot.queues(ax, between_ns=(0, 30_000))
    assert "host1 takes in nothing" in ax.get_legend_handles_labels()[1]


def test_there_must_be_a_time_of_the_run_and_something_in_it(small_result: xoff.Result, ax: Axes) -> None:
    for between_ns, says in (
        ((3e6, 2e6), r"^between_ns: 3\.00 ms is not before 2\.00 ms; expected a start, and an end after it$"),
        ((2.002e6, 2.001e6), r"^between_ns: 2\.002 ms is not before 2\.001 ms; expected a start, and an end after it$"),
        ((9e9, 10e9), r"^between_ns: the run ended at 989\.7 us; expected a start before that$"),
        ((985_000, 989_000), r"^nothing was recorded from 985\.0 us to 989\.0 us$"),
    ):
        with pytest.raises(ValueError, match=says):
            small_result.plot.queues(ax, between_ns=between_ns)


@pytest.mark.parametrize("between_ns", [("1ms", "2ms"), (1e6,), 5, (0, None)])
def test_times_are_numbers_of_nanoseconds(between_ns: object, small_result: xoff.Result, ax: Axes) -> None:
    with pytest.raises(TypeError, match=r"^between_ns: .* is no pair of numbers; expected .* in nanoseconds"):
        small_result.plot.queues(ax, between_ns=between_ns)  # type: ignore[arg-type]


def test_times_may_be_of_any_sequence(small_result: xoff.Result, ax: Axes) -> None:
    small_result.plot.queues(ax, between_ns=np.array([100_000, 150_000]))  # type: ignore[arg-type]
    assert ax.get_xlim() == (100, 150)


def test_the_axis_of_a_single_sample_is_the_time_of_the_run() -> None:
    result = xoff.Scenario.from_text(SMALL).with_value("observe", {"windows": {"every": "50us"}}).run()
    ax = result.plot.windows(Figure().subplots(), names="host1.flow0")
    [line] = ax.get_lines()
    assert list(np.asarray(line.get_xdata())) == [150]
    assert ax.get_xlim() == (0, result.summary["end_ns"] / 1000)
