"""Distributions of queue lengths weigh each by how long it lasted."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import xoff
from conftest import SMALL
from xoff.plot.over_time import Line
from xoff.plot.queue_lengths import time_shares
from xoff.plot.stretch import Stretch


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


RECORDED = Line("queue", np.array([10.0, 40.0, 50.0]), np.array([500.0, 900.0, 0.0]))


@pytest.mark.parametrize(
    ("stretch", "shares"),
    [(None, {0: 0.6, 500: 0.9, 900: 1}), (Stretch(20, 45), {500: 0.8, 900: 1}), (Stretch(0, 5), {0: 1})],
)
def test_a_length_counts_for_as_long_as_it_lasts(stretch: Stretch | None, shares: dict[float, float]) -> None:
    lengths, share = time_shares(RECORDED, Stretch(0, 100), stretch)
    assert {length: max(share[lengths == length]) for length in lengths} == pytest.approx(shares)


def test_of_many_lengths_the_longest_are_drawn() -> None:
    time_us = np.arange(100_000) * 1.0
    lengths, share = time_shares(Line("queue", time_us, time_us), Stretch(0, 100_000))
    assert len(lengths) < 500
    assert list(lengths[-20:]) == list(time_us[-20:])
    assert share[-1] == pytest.approx(1)


def test_a_queue_that_fills_is_empty_for_the_rest_of_the_time(ax: Axes) -> None:
    scenario = xoff.Scenario.from_text(SMALL)
    exact = scenario.with_value("observe.queues", {"every": "change", "of": ["switch0.*"]}).run()
    exact.plot.queue_cdf(ax, names="switch0.port0")
    [line] = ax.get_lines()
    lengths, share = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert (lengths[0], share[0], share[-1]) == (0, 0, pytest.approx(1))
    scenario.with_value("observe.queues.every", "1us").run().plot.queue_cdf(ax, label="sampled")
    sampled = ax.get_lines()[1]
    assert sampled.get_label() == "sampled"
    of_exact, of_sampled = (
        np.interp(20e3, np.asarray(each.get_xdata()), np.asarray(each.get_ydata())) for each in (line, sampled)
    )
    assert 0.3 < of_exact < 0.95
    assert of_sampled == pytest.approx(of_exact, abs=0.02)


def test_queues_that_were_never_used_say_so(ax: Axes) -> None:
    result = xoff.Scenario.from_text(SMALL).with_value("observe.queues.of", ["host0.*"]).run()
    result.plot.queue_cdf(ax, between_ns=(0, 10_000))
    [said] = ax.texts
    sampled = "no queue held anything at any of the samples, every 10 us\nfrom 0.00 us to 10.0 us"
    assert said.get_text() == sampled


def test_it_is_of_the_measured_time_and_says_so(ax: Axes) -> None:
    scenario = xoff.Scenario.from_text(SMALL).with_value("measure", {"start": "100us", "end": "200us"})
    result = scenario.with_value("observe.queues", {"every": "change", "of": ["switch0.*"]}).run()
    result.plot.queue_cdf(ax, names="switch0.port0")
    result.plot.queue_cdf(ax, names="switch0.port0", between_ns=(100_000, 200_000))
    measured, narrowed = ax.get_lines()
    assert list(np.asarray(measured.get_ydata())) == list(np.asarray(narrowed.get_ydata()))
    assert ax.get_xlabel() == "queue, from 100.0 us to 200.0 us"
    result.plot.queue_cdf(ax)
    assert ax.get_xlabel() == "queue, measured from 100.0 us to 200.0 us"
    for draw in (result.plot.fct_cdf, result.plot.slowdown_cdf, result.plot.slowdown_by_size):
        ax.clear()
        draw(ax)
        assert "measured from 100.0 us to 200.0 us" in ax.get_xlabel()


def test_of_a_whole_run_nothing_is_said_of_time(small_result: xoff.Result, ax: Axes) -> None:
    small_result.plot.queue_cdf(ax)
    assert ax.get_xlabel() == "queue"


def test_it_is_said_that_idle_time_counts(ax: Axes) -> None:
    xoff.Scenario.from_text(SMALL).run().plot.queue_cdf(ax)
    assert ax.get_ylabel() == "share of time, idle included"
