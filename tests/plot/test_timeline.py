"""Pauses over time: none is lost, and none looks longer than it was."""

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import xoff
from conftest import storm
from xoff.plot import style

RUN = (0, 10_000_000)


@pytest.fixture
def ax() -> Axes:
    return Figure().subplots()


def paused(*times_us: tuple[float, float], port: str | Sequence[str] = "left.port0") -> xoff.Result:
    """As if a port, or one port each, had been paused from when to when in a run of 10 ms, and all receivers fast."""
    result = storm()
    assert result.pauses is not None
    ports = [port] * len(times_us) if isinstance(port, str) else port
    pauses = result.pauses.take([0] * len(times_us))
    starts, ends = ([round(1000 * edge) for edge in edges] for edges in zip(*times_us, strict=True))
    for name, values in (("start_ns", starts), ("end_ns", ends), ("paused_port", ports)):
        field = pauses.schema.field(name)
        column = pa.array(values).cast(field.type)
        pauses = pauses.set_column(pauses.column_names.index(name), name, column)
    summary = result.summary | {"end_ns": RUN[1], "watchdog": []}
    return replace(result, pauses=pauses, scenario="", summary=summary)


def bars_of(ax: Axes) -> list[Line2D]:
    """The lines that have bars."""
    return [line for line in ax.get_lines() if len(np.asarray(line.get_xdata()))]


def edges_of(ax: Axes) -> list[float]:
    """Returns the places where bars begin and end."""
    drawn = np.concatenate([np.asarray(line.get_xdata(), float) for line in bars_of(ax)])
    return list(drawn[~np.isnan(drawn)])


def test_pauses_are_apart_as_far_as_the_axis_shows_it(ax: Axes) -> None:
    """Gaps of a microsecond, seen in 300 that are drawn and not in the 10 ms of the run; and one too narrow."""
    result = paused((10, 11), (12, 13), (14, 15), (15.1, 16))
    for between_ns, bars in (((0, 300_000), [10, 11, 12, 13, 14, 16]), (RUN, [10, 10 + 10_000 / 600])):
        ax.clear()
        result.plot.pauses(ax, between_ns=between_ns)
        assert sorted(edges_of(ax)) == pytest.approx(bars)
    assert ax.get_xlim() == (0, 10_000)


def test_no_short_pause_is_lost_among_pixels() -> None:
    times, figure = range(100, 10_000, 130), Figure(figsize=(6, 4))
    ax = figure.subplots()
    paused(*((at, at + 0.5) for at in times)).plot.pauses(ax, between_ns=RUN)
    ax.grid(visible=False)
    figure.savefig(to := BytesIO(), format="rgba", dpi=100)
    pixels = np.frombuffer(to.getvalue(), np.uint8).reshape(400, 600, 4)
    left, middle = ax.get_position().x0, ax.get_position().intervaly.mean()
    across = pixels[round(400 * (1 - middle)), round(600 * left) + 2 :].astype(int)
    is_blue = across[:, 2] - across[:, 0] > 10
    assert np.count_nonzero(np.diff(is_blue.astype(int)) == 1) == len(times)


def test_pauses_at_the_edge_are_within_the_axis(ax: Axes) -> None:
    paused((0, 0.5), (9999.5, 10_000)).plot.pauses(ax, between_ns=RUN)
    assert edges_of(ax) == pytest.approx([0, 10_000 / 600, 10_000 - 10_000 / 600, 10_000])


@pytest.mark.parametrize("share", [0.2, 0.4, 0.8])
def test_the_less_of_the_time_was_paused_the_paler_it_is(share: float, ax: Axes) -> None:
    paused(*((at, at + 10 * share) for at in range(0, 10_000, 10))).plot.pauses(ax, between_ns=RUN)
    [line] = bars_of(ax)
    assert line.get_alpha() == pytest.approx(0.3 + 0.7 * share)
    assert ax.get_legend_handles_labels()[1] == ["paler: paused part of the time"]


def test_many_pauses_here_do_not_make_few_there_darker(ax: Axes) -> None:
    often, seldom = range(0, 5000, 10), range(5000, 10_000, 10)
    paused(*((at, at + 8) for at in often), *((at, at + 2) for at in seldom)).plot.pauses(ax, between_ns=RUN)
    for line in bars_of(ax):
        edges = np.asarray(line.get_xdata(), float)
        assert line.get_alpha() == pytest.approx(0.3 + 0.7 * 0.8) or np.nanmin(edges) > 4800
        assert line.get_alpha() == pytest.approx(0.3 + 0.7 * 0.2) or np.nanmax(edges) < 5200


def test_pauses_that_last_are_as_dark_as_can_be_and_need_no_words(ax: Axes) -> None:
    paused((1000, 4000), (4001, 6000)).plot.pauses(ax, between_ns=RUN)
    [line] = bars_of(ax)
    assert (line.get_alpha(), to_rgb(line.get_color())) == (1, to_rgb(style.COLOURS[0]))
    assert ax.get_legend() is None


def test_however_many_pauses_there_are_bars_are_few(ax: Axes) -> None:
    paused(*((at / 10, at / 10 + 0.03) for at in range(0, 100_000, 2))).plot.pauses(ax, between_ns=RUN)
    assert len(edges_of(ax)) <= 2 * 600


@pytest.mark.parametrize("between_ns", [None, RUN])
def test_long_names_of_ports_lack_their_middle_and_leave_room(between_ns: tuple[float, float] | None) -> None:
    names = [f"datacenter-eu-central-1-rack{rack:02}-server-with-a-very-long-name.port0" for rack in range(3)]
    figure = Figure(figsize=style.SIZE_INCHES, layout="constrained")
    ax = figure.subplots()
    paused(*[(10, 4000)] * 3, port=names).plot.pauses(ax, between_ns=between_ns)
    figure.draw_without_rendering()
    told = [label.get_text() for label in ax.get_yticklabels()]
    assert len(set(told)) == 3
    assert all("…" in name and len(name) <= 44 for name in told)
    assert ax.bbox.width > 0.5 * figure.bbox.width
    ticks = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    assert all(before.x1 < after.x0 for before, after in pairwise(ticks))
