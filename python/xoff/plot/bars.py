"""Bars of intervals; the values scale the axes, and an arrow marks a bar that the frame cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.markers import CARETDOWN, CARETUP, MarkerStyle

from xoff.plot import style

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform

    from xoff.results.intervals import Estimate

_MOST_ROOM = 2
"""Factor beyond the greatest value, or below the least ratio, up to which an interval is shown."""
_MUCH = 3
"""Quotient of the greatest and the least ratio from which the scale is logarithmic."""
_MARGIN = 0.05
_ARROW_POINTS = 5
LEFT_OUT = "no bar: so few seeds tell nothing of the interval"
"""Note below a figure that leaves bars out."""


def highest(estimates: Collection[Estimate]) -> float:
    """Returns the end of the scale: it shows every value, and intervals as far as they leave room for values."""
    value = max((each.value for each in estimates), default=0.0)
    return min(max((each.high or each.value for each in estimates), default=0.0), _MOST_ROOM * value)


def scale_of_ratios(ax: Axes, ratios: Iterable[Estimate]) -> None:
    """Scales an axis of ratios: logarithmic if they differ much, else linear; zero is a step below the least.

    Intervals are shown as far as they leave room for the ratios, and for 1.
    """
    found = list(ratios)
    positive = [ratio for ratio in found if ratio.value]
    if not positive:
        return
    values = [ratio.value for ratio in positive]
    least, greatest = (
        min(each.low or each.value for each in positive),
        max(each.high or each.value for each in positive),
    )
    low, high = max(least, min(values) / _MOST_ROOM), min(greatest, _MOST_ROOM * max(values))
    is_logarithmic, has_zero = high > _MUCH * low, len(positive) < len(found)
    if is_logarithmic and has_zero:
        ax.set_yscale("symlog", linthresh=low, linscale=0.5)
        ax.yaxis.set_major_formatter(style.ticks(("",)))
        ax.minorticks_off()
    elif is_logarithmic:
        ax.set_yscale("log")
        style.logarithmic(ax.yaxis, ("",), low, high)
    if least < low or greatest > high:
        _show(ax, min(low, 1), max(high, 1))
    if has_zero and (is_logarithmic or least < low or greatest > high):
        ax.set_ylim(bottom=0)


def _show(ax: Axes, low: float, high: float) -> None:
    """Limits an axis to low and high, with Matplotlib's margins."""
    scale = ax.yaxis.get_transform()
    bottom, top = scale.transform([low, high])
    margin = _MARGIN * (top - bottom)
    ax.set_ylim(*scale.inverted().transform([bottom - margin, top + margin]))


def mark_cut(
    ax: Axes, places: Sequence[float], estimates: Sequence[Estimate], colour: str, aside: Transform | None = None
) -> None:
    """Draws an arrow at the frame for each bar that the frame cuts; call it once the axes are final.

    Args:
        ax: The axes.
        places: Places on the horizontal axis.
        estimates: Estimates at these places.
        colour: Colour of the bars.
        aside: Distance of the bars from their places.
    """
    bottom, top = ax.get_ylim()
    bars = list(zip(places, estimates, strict=True))
    above = [place for place, each in bars if each.high is not None and each.high > top]
    below = [place for place, each in bars if each.low is not None and each.low < bottom]
    at = ax.get_xaxis_transform() + aside if aside else ax.get_xaxis_transform()
    for cut, edge, arrow in ((above, 1, CARETUP), (below, 0, CARETDOWN)):
        if cut:
            size, marker = _ARROW_POINTS**2, MarkerStyle(arrow)
            edges = [edge] * len(cut)
            ax.scatter(cut, edges, size, color=colour, marker=marker, transform=at, clip_on=False, zorder=3)
