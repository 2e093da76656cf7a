"""Figures of a search: the objective of each trial, in the order of trials and along each key."""

from __future__ import annotations

from itertools import accumulate
from textwrap import fill
from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from xoff.plot import style
from xoff.plot.along import Along
from xoff.plot.house_figure import HouseFigure
from xoff.plot.measure_ticks import ticks_of
from xoff.results.table import measure_name
from xoff.studies.axes import headings
from xoff.studies.tuning.space import Choice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from xoff.studies.tuning.space import Dimension
    from xoff.studies.tuning.trial import Trial
    from xoff.studies.tuning.tuned import Tuned

_PANEL_INCHES = (3.4, 2.7)
_MOST_COLUMNS = 3
_TITLE_CHARACTERS = 34
_MAGNITUDES = 20
_ALLOWED, _BROKEN, _BEST, _BASE = style.COLOURS[0], style.COLOURS[6], style.COLOURS[3], style.COLOURS[2]


class TunedPlots:
    """Figures of a search."""

    def __init__(self, tuned: Tuned) -> None:
        self._tuned = tuned

    def trials(self) -> Figure:
        """Draws the objective of each trial: one by one with the best so far, and against the values of each key."""
        with style.context():
            return _draw(self._tuned)


def _draw(tuned: Tuned) -> Figure:
    space = tuned.tuning.space
    rows = -(-(1 + len(space)) // _MOST_COLUMNS)
    columns = -(-(1 + len(space)) // rows)
    figure = HouseFigure(figsize=(_PANEL_INCHES[0] * columns, _PANEL_INCHES[1] * rows + 0.4))
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True).flatten().tolist()
    _one_by_one(panels[0], tuned)
    for ax, (key, name) in zip(panels[1:], headings(space).items(), strict=False):
        _along_key(ax, tuned, key, name, space[key])
    for ax in panels[1 + len(space) :]:
        ax.remove()
    for ax in panels[::columns]:
        ax.set_ylabel(fill(measure_name(tuned.tuning.objective), _TITLE_CHARACTERS))
    values = [tuned.value(trial) for trial in (tuned.base, *tuned.trials) if trial.measured]
    _scale(panels[0], tuned.tuning.objective, values)
    style.shared_legend(panels[: 1 + len(space)])
    return figure


def _scale(ax: Axes, objective: str, values: Sequence[float]) -> None:
    """Scales an axis: logarithmic for values of several magnitudes, from zero unless values are close together."""
    if min(values) > 0 and max(values) > _MAGNITUDES * min(values):
        ax.set_yscale("log")
        ax.minorticks_off()
    elif min(values) < max(values) / 2 or not max(values):
        ax.set_ylim(0, 1.05 * max(values) or 1)
    ax.yaxis.set_major_formatter(ticks_of(objective))


def _one_by_one(ax: Axes, tuned: Tuned) -> None:
    """Draws trials from left to right, and the best so far."""
    kept = "bounds kept to" if tuned.tuning.bounds else "trial"
    for label, colour, kept_to in ((kept, _ALLOWED, True), ("bounds broken", _BROKEN, False)):
        found = [(trial.number, tuned.value(trial)) for trial in tuned.trials if _is(trial, kept_to)]
        if found:
            ax.plot(*zip(*found, strict=True), "o", color=colour, markersize=3.5, label=label)
    allowed = [(trial.number, tuned.value(trial)) for trial in tuned.trials if trial.is_allowed]
    if allowed:
        numbers, values = zip(*allowed, strict=True)
        best = list(accumulate(values, max if tuned.tuning.is_maximized else min))
        ax.step([*numbers, len(tuned.trials)], [*best, best[-1]], where="post", color=_BEST, label="best so far")
    ax.axhline(tuned.value(tuned.base), color=_BASE, linewidth=1, linestyle="--", label="as it stands")
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.set_xlabel("trial")


def _along_key(ax: Axes, tuned: Tuned, key: str, name: str, dimension: Dimension) -> None:
    """Draws trials along the values of a key."""
    measured = [trial for trial in tuned.trials if trial.measured]
    told = list(map(str, dimension.values if isinstance(dimension, Choice) else dimension.examples))
    along = Along.of(name, list(dict.fromkeys([*told, *(str(trial.at[key]) for trial in measured)])))
    ax.axhline(tuned.value(tuned.base), color=_BASE, linewidth=1, linestyle="--")
    of_kinds = [(_BROKEN, False), (_ALLOWED, True)]
    groups = [(colour, [trial for trial in measured if _is(trial, kept_to)]) for colour, kept_to in of_kinds]
    for colour, trials in (*groups, (_BEST, [tuned.best] if tuned.best else [])):
        places = [along.places[str(trial.at[key])] for trial in trials]
        ax.plot(places, [tuned.value(trial) for trial in trials], "o", color=colour, markersize=3.5)
    if isinstance(dimension, Choice):
        along.label(ax)
        return
    ax.set_xlabel(style.plain(f"{name} ({along.unit})" if along.unit else name))
    if dimension.is_logarithmic:
        ax.set_xscale("log")
        style.logarithmic(ax.xaxis, ("",), along.places[told[0]], along.places[told[-1]])
    for end in (told[0], told[-1]):  # the whole range, though no trial is there
        ax.plot(along.places[end], tuned.value(tuned.base), alpha=0)


def _is(trial: Trial, kept_to: bool) -> bool:
    """Whether a trial was measured, and keeps to the bounds or, if `kept_to` is false, breaks one."""
    return bool(trial.measured) and trial.is_allowed == kept_to
