"""Of lines with the same peak those are drawn that add up to most."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import xoff
from conftest import SMALL
from xoff.plot import adding_up
from xoff.plot.stretch import Stretch

TIMES_US, VALUES = np.array([1.0, 2.0, 4.0]), np.array([3.0, 0.0, 5.0])
LINE_RATE = 1e11


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


def observed(result: xoff.Result, key: str, every: str, series: dict[str, list[float]]) -> xoff.Result:
    """As if that had been recorded, for each name a value every 10 us."""
    rows = [(10_000 * place, name, value) for name, values in series.items() for place, value in enumerate(values)]
    quantity = key.removesuffix("s")
    table = pa.table(
        {
            "time_ns": pa.array([row[0] for row in rows], pa.int64()),
            "quantity": pa.array([quantity] * len(rows)).dictionary_encode(),
            "name": pa.array([row[1] for row in rows]).dictionary_encode(),
            "priority": pa.array([0] * len(rows), pa.uint8()),
            "value": pa.array([row[2] for row in rows], pa.float64()),
        }
    )
    return replace(result, series=table, scenario=f'[observe.{key}]\nevery = "{every}"\n')


def drawn(ax: Axes) -> list[str]:
    return [str(line.get_label()) for line in ax.get_lines()]


@pytest.mark.parametrize(("stretch", "told"), [(None, 8), (Stretch(1.5, 3), 0), (Stretch(0, 1), 3)])
def test_samples_count_alike(stretch: Stretch | None, told: float) -> None:
    assert adding_up.samples(TIMES_US, VALUES, stretch) == told


@pytest.mark.parametrize(
    ("end_us", "stretch", "told"), [(6, None, 13), (0, None, 3), (6, Stretch(1.5, 5), 6.5), (6, Stretch(7, 8), 0)]
)
def test_steps_count_for_as_long_as_they_last(end_us: float, stretch: Stretch | None, told: float) -> None:
    assert adding_up.steps(TIMES_US, VALUES, end_us, stretch) == told


@pytest.mark.parametrize("key", ["throughput", "class_throughput", "flow_throughput", "rates"])
def test_of_rates_that_all_reach_their_links_those_are_drawn_that_carry_most(
    small_result: xoff.Result, key: str, ax: Axes
) -> None:
    """The last carries most, and just misses the rate of its link."""
    rates = {f"host{host}.x": [LINE_RATE, host * 1e9, 0] for host in range(9)}
    rates |= {"host9.x": [0.998 * LINE_RATE] * 3, "slow.x": [0.5 * LINE_RATE] * 3}
    getattr(observed(small_result, key, "10us", rates).plot, key)(ax)
    assert drawn(ax) == ["host9.x", *(f"host{host}.x" for host in range(8, 1, -1))]


def test_a_rate_that_never_changes_counts_until_its_flow_ends(small_result: xoff.Result, ax: Axes) -> None:
    ends_us = {
        f"{row['source']}.flow{row['number']}": row["finish_ns"] / 1000 for row in small_result.flows.to_pylist()
    }
    flows = sorted(ends_us, key=lambda flow: -ends_us[flow])[:9]
    observed(small_result, "rates", "change", {flow: [LINE_RATE] for flow in reversed(flows)}).plot.rates(ax)
    assert drawn(ax) == flows[:8]


def test_the_peak_of_queues_counts_and_not_what_is_near_it(small_result: xoff.Result, ax: Axes) -> None:
    lengths: dict[str, list[float]] = {"short.x": [1000, 0], "long.x": [999, 999], "as_short.x": [1000, 1]}
    observed(small_result, "queues", "10us", lengths).plot.queues(ax)
    assert drawn(ax) == ["as_short.x", "short.x", "long.x"]


def test_it_is_of_the_stretch_that_is_drawn(ax: Axes) -> None:
    result = xoff.Scenario.from_text(SMALL).run()
    rates = {"early.x": [LINE_RATE, LINE_RATE, 0, LINE_RATE, 0], "late.x": [LINE_RATE, 0, 0, LINE_RATE, LINE_RATE]}
    result = observed(result, "throughput", "10us", rates)
    for between_ns, first in (((0, 20_000), "early.x"), ((20_000, 50_000), "late.x")):
        ax.clear()
        result.plot.throughput(ax, between_ns=between_ns)
        assert drawn(ax)[0] == first
