"""Points of a sweep stand where their numbers are."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

import xoff
from conftest import SCENARIOS, SMALL
from xoff.plot import bars, chosen
from xoff.results.intervals import Estimate
from xoff.studies.sweep import Row, Swept

FIRST, SECOND, MEAN = "workload.fan_in", "switch.marking.queue.threshold", "flows.small.fct_mean_us"
GROUPS = "workload.groups"
THRESHOLDS = [f"{number}kB" for number in range(1, 10)]


def swept_of(estimate: Estimate, thresholds: list[str]) -> Swept:
    """As if the measure were the same everywhere, a line for each threshold."""
    one = xoff.sweep(xoff.Scenario.from_text(SMALL), {FIRST: [1], SECOND: ["1kB"]}, measures=[MEAN])
    axes = {
        FIRST: one.sweep.axes[FIRST].model_copy(update={"values": [1, 2, 3]}),
        SECOND: one.sweep.axes[SECOND].model_copy(update={"values": thresholds}),
    }
    sweep = type(one.sweep).of(xoff.Scenario.from_text(SMALL), axes, 1, [MEAN])
    rows = tuple(
        Row({FIRST: fan_in, SECOND: at}, {MEAN: estimate}, {MEAN: estimate}, one.rows[0].unfinished)
        for fan_in in (1, 2, 3)
        for at in thresholds
    )
    return Swept(sweep, rows)


def swept_of_some(measured: dict[int, list[str]], *, seeds: int = 1) -> Swept:
    """As if there were some measures at some numbers of groups."""
    measures = (MEAN, "flows.large.fct_mean_us", "loss_rate")
    base = xoff.Scenario.from_text(SMALL).with_value("observe", {})
    one = xoff.sweep(base, {GROUPS: [1]}, measures=measures)
    axes = {GROUPS: one.sweep.axes[GROUPS].model_copy(update={"values": list(measured)})}
    found = {groups: dict.fromkeys(there, Estimate(5)) for groups, there in measured.items()}
    there_at_first = found[min(found)]
    rows = tuple(
        Row(
            {GROUPS: at},
            of_it,
            {name: each for name, each in of_it.items() if name in there_at_first},
            one.rows[0].unfinished,
        )
        for at, of_it in found.items()
    )
    return Swept(type(one.sweep).of(base, axes, seeds, measures), rows)


def test_what_no_combination_has_is_said() -> None:
    figure = swept_of_some({1: [MEAN], 2: [MEAN]}).plot.measures()
    assert [ax.get_title("left") for ax in figure.axes] == ["small FCT mean"]
    assert figure.get_supxlabel() == "large FCT mean, loss rate: nothing to count"
    figure = swept_of_some({1: [], 2: []}, seeds=2).plot.measures()
    [ax] = figure.axes
    assert [text.get_text().replace("\n", " ") for text in ax.texts] == ["nothing to count with some seed"]
    assert not list(ax.get_yticks())


def test_why_there_is_no_ratio_at_all_is_said() -> None:
    [ax] = swept_of_some({1: [], 2: [], 3: []}).plot.ratios().axes
    assert [text.get_text().replace("\n", " ") for text in ax.texts] == ["groups 1 has nothing to count"]


@pytest.mark.parametrize("values", [[1, 2, 3], [1, 10, 1000]])
def test_panels_show_the_same_positions(values: list[int]) -> None:
    everywhere, first, last = "loss_rate", MEAN, "flows.large.fct_mean_us"
    of_each = [[everywhere, first], [everywhere], [everywhere, last]]
    figure = swept_of_some(dict(zip(values, of_each, strict=True))).plot.measures()
    limits = [ax.get_xlim() for ax in figure.axes]
    assert len(limits) == 3
    assert all(each == pytest.approx(limits[0]) for each in limits)
    assert limits[0][0] < values[0] < values[-1] < limits[0][1]


def points_across(figure: Figure) -> tuple[Axes, list[np.ndarray]]:
    """The axes, and where the points of each line are drawn on the figure, in points of a letter."""
    figure.draw_without_rendering()
    [ax] = figure.axes
    lines = [drawn.lines[0] for drawn in ax.containers if isinstance(drawn, ErrorbarContainer)]
    drawn = [line.get_transform().transform(line.get_xydata())[:, 0] for line in lines]
    return ax, [72 * across / figure.dpi for across in drawn]


def test_lines_without_bars_lie_on_one_another() -> None:
    _, across = points_across(swept_of(Estimate(5), THRESHOLDS[:8]).plot.measures())
    assert len(across) == 8
    assert across[0] == pytest.approx(across[-1])


def test_lines_with_bars_stand_a_little_apart_within_the_axes() -> None:
    figure = swept_of(Estimate(5, 4, 6), THRESHOLDS[:8]).plot.measures()
    ax, across = points_across(figure)
    assert 5 < across[-1][0] - across[0][0] <= 12.01
    edges = 72 * ax.bbox.x0 / figure.dpi, 72 * ax.bbox.x1 / figure.dpi
    assert edges[0] < min(map(np.min, across)) < max(map(np.max, across)) < edges[1]


def test_bars_that_go_beyond_the_panel_have_arrows_beside_one_another() -> None:
    for figure in (
        swept_of(Estimate(5, 2, 15), THRESHOLDS[:2]).plot.measures(),
        swept_of(Estimate(5, 1.6, 15), THRESHOLDS[:2]).plot.ratios(),
    ):
        [ax] = figure.axes
        assert ax.get_ylim()[1] < 15
        arrows = [drawn for drawn in ax.collections if np.shape(drawn.get_offsets()) == (3, 2)]
        figure.draw_without_rendering()
        left, right = (drawn.get_offset_transform().transform((1, 1))[0] for drawn in (arrows[0], arrows[-1]))
        assert right - left == pytest.approx(3 / 72 * figure.dpi)


def test_intervals_that_tell_nothing_are_left_out_and_the_foot_says_so_once() -> None:
    figure = swept_of(Estimate(5, 0.01, 2500), THRESHOLDS[:2]).plot.measures()
    assert figure.get_supxlabel() == bars.LEFT_OUT
    [ax] = figure.axes
    assert ax.get_ylim() == (0, 5.25)
    assert not swept_of(Estimate(5, 2, 20), THRESHOLDS[:2]).plot.measures().get_supxlabel()


def axes_of_sweep(**counts: int) -> Swept:
    """As if there were a sweep over some names of a scheme, some thresholds and some fan-ins, in this order."""
    one = xoff.sweep(xoff.Scenario.from_text(SMALL), {FIRST: [1], SECOND: ["1kB"]}, measures=[MEAN])
    axes = {
        FIRST: one.sweep.axes[FIRST].model_copy(update={"values": [1, 2]}),
        SECOND: one.sweep.axes[SECOND].model_copy(
            update={"values": [f"{number}kB" for number in range(1, counts["thresholds"] + 1)]}
        ),
        "scheme": one.sweep.axes[FIRST].model_copy(
            update={"values": {f"scheme {number}": {} for number in range(counts["schemes"])}}
        ),
    }
    sweep = type(one.sweep).of(xoff.Scenario.from_text(SMALL), axes, 1, [MEAN])
    rows = tuple(
        Row({FIRST: fan_in, SECOND: at, "scheme": scheme}, {MEAN: Estimate(5)}, {}, one.rows[0].unfinished)
        for fan_in in (1, 2)
        for at in axes[SECOND].positions
        for scheme in axes["scheme"].positions
    )
    return Swept(sweep, rows)


def lines_of(figure: Figure) -> dict[str, int]:
    """Number of lines in each panel by title."""
    return {ax.get_title("left"): len(ax.containers) for ax in figure.axes if ax.get_title("left")}


@pytest.mark.parametrize(
    ("thresholds", "schemes", "panels", "lines", "bars"),
    [
        (2, 4, 1, 8, 0),
        (3, 4, 3, 4, 0),
        (4, 3, 3, 4, 0),
        (12, 1, 1, 12, 1),
        (12, 3, 3, 12, 1),
        (1, 12, 2, 6, 0),
        (3, 12, 12, 3, 0),
        (30, 30, 16, 30, 1),
    ],
)
def test_more_lines_than_a_legend_tells_apart_are_in_panels_or_on_a_scale_of_colours(
    thresholds: int, schemes: int, panels: int, lines: int, bars: int
) -> None:
    figure = axes_of_sweep(thresholds=thresholds, schemes=schemes).plot.measures()
    assert set(lines_of(figure).values()) == {lines}
    assert (len(lines_of(figure)), len(figure.axes) - panels) == (panels, bars)
    assert bool(figure.legends) == (not bars)


def test_the_bar_of_colours_names_its_first_and_last_number() -> None:
    *_, bar = axes_of_sweep(thresholds=15, schemes=1).plot.measures().axes
    assert bar.get_yticks()[[0, -1]].tolist() == [1, 15]
    assert bar.get_ylabel() == "threshold (kB)"


@pytest.mark.parametrize("ratios", [False, True])
def test_a_panel_without_points_says_why(*, ratios: bool) -> None:
    swept = axes_of_sweep(thresholds=3, schemes=4)
    there = {MEAN: Estimate(5)}
    rows = tuple(
        replace(row, measured=of_it, ratios=of_it if ratios else {})
        for row in swept.rows
        for of_it in [{} if row.at[SECOND] == "2kB" else there]
    )
    some = Swept(swept.sweep, rows)
    figure = some.plot.ratios() if ratios else some.plot.measures()
    said = {ax.get_title("left"): [text.get_text().replace("\n", " ") for text in ax.texts] for ax in figure.axes}
    why = "fan_in 1 has nothing to count" if ratios else "nothing to count"
    assert said == {"threshold 1kB": [], "threshold 2kB": [why], "threshold 3kB": []}


@pytest.mark.parametrize("ratios", [False, True])
def test_panels_of_one_measure_share_their_scale(*, ratios: bool) -> None:
    swept = axes_of_sweep(thresholds=3, schemes=4)
    rows = tuple(
        replace(row, measured={MEAN: Estimate(place + 0.5)}, ratios={MEAN: Estimate(place + 0.5)})
        for place, row in enumerate(swept.rows)
    )
    different = Swept(swept.sweep, rows)
    figure = different.plot.ratios() if ratios else different.plot.measures()
    assert len(figure.axes) == 3
    assert len({ax.get_ylim() for ax in figure.axes}) == 1


@pytest.mark.parametrize("length", [1, 12, 40, 90, 400])
def test_panels_keep_their_height_whatever_the_names(length: int) -> None:
    named = {f"{number}{'x' * length}": {"switch.buffer.alpha": number} for number in range(1, 9)}
    one = xoff.sweep(xoff.Scenario.from_text(SMALL), {FIRST: [1, 2], "alpha": named}, measures=[MEAN])
    figure = one.plot.measures()
    figure.draw_without_rendering()
    [ax] = figure.axes
    assert ax.get_position().height * figure.get_figheight() > 1.5
    assert ax.get_position().width > 0.6


def test_of_many_more_lines_it_is_said_how_many() -> None:
    lines = {f"line {number}": number for number in range(50)}
    assert list(chosen.evenly(lines).values())[::7] == [0, 49]
    assert chosen.left_out(lines) == "8 of 50, evenly from the first to the last"
    assert chosen.left_out(dict.fromkeys("abc", 0)) is None


def test_numbers_have_no_digits_of_binary_fractions() -> None:
    base = xoff.Scenario.load(SCENARIOS / "web_search.toml").with_value("stop.arrivals_end", "20us")
    loads: dict[str, list[float | str]] = {"workload.load": [0.1 + 0.2, 0.7]}
    other: dict[str, list[float | str]] = {SECOND: ["5kB", "60kB"]}
    over_load = xoff.sweep(base, loads | other, measures=["flows.all.fct_mean_us"])
    assert {ax.get_ylabel() for ax in over_load.plot.ratios().axes} == {"over load 0.3"}
    [legend] = xoff.sweep(base, other | loads, measures=["flows.all.fct_mean_us"]).plot.measures().legends
    assert [text.get_text() for text in legend.get_texts()] == ["load 0.3", "load 0.7"]


@pytest.mark.parametrize(("largest", "scale"), [("10kB", "linear"), ("5MB", "log")])
def test_values_of_many_magnitudes_are_on_a_logarithmic_axis(largest: str, scale: str) -> None:
    sizes = {"workload.size": ["1kB", largest]}
    swept = xoff.sweep(xoff.Scenario.from_text(SMALL), sizes, measures=["flows.all.fct_mean_us"])
    [ax] = swept.plot.measures().axes
    assert ax.get_yscale() == scale


def test_lines_with_names_alone_say_what_they_are_told_apart_by() -> None:
    named = {"low": {"switch.buffer.alpha": 1}, "high": {"switch.buffer.alpha": 8}}
    base = xoff.Scenario.from_text(SMALL)
    swept = xoff.sweep(base, {FIRST: [1, 2], "alpha": named, GROUPS: [1]}, measures=[MEAN])
    [legend] = swept.plot.measures().legends
    assert legend.get_title().get_text() == "alpha"
    assert [text.get_text() for text in legend.get_texts()] == ["low, groups 1", "high, groups 1"]
    assert swept.sweep.told_apart([FIRST, GROUPS]) == ""
