"""Figures as SVG that lives inside a page and takes its colours from there."""

from __future__ import annotations

import io
import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
import pyarrow.compute as pc

from xoff.plot import inputs, links, over_time, pause_tree, slowdown, style
from xoff.plot.house_figure import HouseFigure
from xoff.plot.pauses import MOST_PORTS, longest_paused
from xoff.plot.plots import Plots
from xoff.report import exploring
from xoff.results.table import workload_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from xoff.results.result import Result

# Matplotlib wants colours of its own; these two stand for the page's and are replaced in the SVG.
_INK, _GRID = "#010203", "#040506"
_PAGE_COLOURS = {_INK: "currentColor", _GRID: "var(--grid)", "#ffffff": "var(--card)"}

_MOST_TIMES = 1.1
"""Most times that a page shows a figure larger than drawn."""
_PANEL_WIDTH, _PANEL_HEIGHT = 9.6, 2.6
_ROW_INCHES = 0.08
"""Height that each paused port adds to the figure of pauses."""

_TITLES = {
    "queue": "Queues over time",
    "pool": "Pools over time",
    "throughput": "Throughput over time",
    "class_throughput": "Throughput of classes over time",
    "window": "Windows over time",
    "alpha": "Alpha over time",
    "threshold": "Slow-start thresholds over time",
    "rtt": "Smoothed round-trip times over time",
    "recovery_state": "Recovery states over time",
    "rate": "Rates over time",
    "marks": "Marks over time",
    "drops": "Drops over time",
    "flow_throughput": "Throughput of flows over time",
    "cnms": "Congestion notification messages over time",
}


class PageFigure(NamedTuple):
    """A figure with its heading and a description in words."""

    title: str
    caption: str
    svg: str
    """SVG of the figure; empty for one that only a page with JavaScript shows."""
    is_wide: bool = False
    """Whether the figure takes the whole width of the page."""
    explored: str | None = None
    """Data from which the page draws the figure anew, to zoom and hover in."""
    is_light: bool = False
    """Whether the figure stays light on a dark page, since its scale of colours goes from light to dark."""


class _Panel(NamedTuple):
    """A figure over time that is still to be drawn."""

    title: str
    caption: str
    draw: Callable[[Axes], object]
    height_inches: float = _PANEL_HEIGHT
    explored: str | None = None


class PageFigures(NamedTuple):
    """The figures of a page, by section."""

    happened: list[PageFigure]
    why: list[PageFigure]
    over_time: list[PageFigure]


def all_of(result: Result) -> PageFigures:
    """Returns the figures of completion times, slowdowns, and of everything that was observed."""
    plots = Plots(result)
    of_inputs = ("input", "input_of_flow")
    quantities = [quantity for quantity in over_time.quantities(result) if quantity not in of_inputs]
    observed = [_observed(plots, result, quantity) for quantity in quantities]
    return PageFigures(
        happened=_happened(plots, result),
        why=[*_links(plots, result), *_pause_tree(result), *_headroom(plots, result)],
        over_time=_over_one_time(
            [*_collectives(plots, result), *observed, *_inputs(plots, result), *_pauses(plots, result)]
        ),
    )


def _happened(plots: Plots, result: Result) -> list[PageFigure]:
    figures = []
    if result.summary["flows"]["all"]["count"]:
        caption = "Share of the flows of a class that finished within a time."
        figures.append(PageFigure("Completion times by size class", caption, svg(plots.fct_cdf)))
        if slowdown.has_several_sizes(result):
            caption = (
                "Completion time over that of the flow alone on the idle network, for groups of about equally many."
            )
            figures.append(PageFigure("Slowdown by flow size", caption, svg(plots.slowdown_by_size)))
        if workload_rows(result.summary):
            caption = "Share of the flows of a workload that finished within a time."
            figures.append(PageFigure("Completion times by workload", caption, svg(plots.fct_cdf_by_workload)))
    if result.queries is not None:
        caption = "Share of the queries whose last response was whole within a time."
        figures.append(PageFigure("Query completion times", caption, svg(plots.query_completion_cdf)))
    return figures + _flows(result, is_wide=len(figures) % 2 == 0)


def _flows(result: Result, *, is_wide: bool) -> list[PageFigure]:
    """Returns the points of flows, which readers of a page explore; percentiles tell of them in static figures."""
    explored = exploring.flows(result)
    if explored is None:
        return []
    caption = f"Each point is one of {explored.of:,} flows."
    if explored.shown < explored.of:
        caption = (
            f"A sample, {explored.shown:,} of {explored.of:,} flows: the {explored.slowest:,} with the greatest "
            "slowdown and others evenly from the fastest on; all are in flows.parquet."
        )
    along = "size" if explored.by_size else "start"
    caption += " Drag to zoom, double-click to see all, click a name to hide its points."
    return [PageFigure(f"Slowdown of each flow by {along}", caption, "", is_wide, explored.text)]


def _over_one_time(panels: Sequence[_Panel]) -> list[PageFigure]:
    """Draws panels one below the other, with their time axes over the same time and at the same place."""
    if not panels:
        return []
    with style.context(), mpl.rc_context(_page_style()):
        drawn = [(panel, _drawn(panel.draw, (_PANEL_WIDTH, panel.height_inches))) for panel in panels]
        axes = [figure.axes[0] for _, figure in drawn]
        end_us = max(ax.get_xlim()[1] for ax in axes)
        for (_, figure), ax in zip(drawn, axes, strict=True):
            ax.set_xlim(0, end_us)
            figure.draw_without_rendering()
        left = max(ax.get_position().x0 for ax in axes)
        right = min(ax.get_position().x1 for ax in axes)
        for (_, figure), ax in zip(drawn, axes, strict=True):
            figure.set_layout_engine("none")
            at = ax.get_position()
            ax.set_position((left, at.y0, right - left, at.height))
        return [PageFigure(panel.title, panel.caption, _saved(figure), True, panel.explored) for panel, figure in drawn]


def _collectives(plots: Plots, result: Result) -> list[_Panel]:
    if result.collectives is None:
        return []
    caption = "What each collective moved over a link of a rank, against when it began."
    return [_Panel("Bus bandwidth of collectives", caption, plots.bus_bandwidth)]


def _inputs(plots: Plots, result: Result) -> list[_Panel]:
    if "input" not in over_time.quantities(result):
        return []
    port, *others = inputs.ports(result)
    caption = "What flows had in it, one on another, as recorded in series.parquet."
    if others:
        caption += f" It was the fullest of {len(others) + 1}."
    return [_Panel(f"Input buffer of {port}", caption, plots.inputs)]


def _headroom(plots: Plots, result: Result) -> list[PageFigure]:
    if result.headroom is None or not result.headroom.num_rows:
        return []
    caption = "Local maxima of the headroom that switches had in use, as recorded in headroom.parquet."
    return [PageFigure("Headroom in use", caption, svg(plots.headroom))]


def _links(plots: Plots, result: Result) -> list[PageFigure]:
    if not pc.any(pc.greater(result.ports["packets"], 0)).as_py():
        return []
    caption = "How busy every link was, from the begin of the run to its end, as counted in ports.parquet."
    drawn = svg(plots.links, links.size_inches(result))
    return [PageFigure("Utilization of links", caption, drawn, is_wide=True, is_light=True)]


def _pauses(plots: Plots, result: Result) -> list[_Panel]:
    if result.pauses is None or not result.pauses.num_rows:
        return []
    caption = "When ports were paused, as recorded in pauses.parquet."
    rows = min(MOST_PORTS, len(result.pauses["port"].unique()))
    return [
        _Panel("Pauses over time", caption, plots.pauses, _PANEL_HEIGHT + rows * _ROW_INCHES, exploring.pauses(result))
    ]


def _pause_tree(result: Result) -> list[PageFigure]:
    if result.pauses is None or not result.pauses.num_rows:
        return []
    victim = longest_paused(result)
    tree = result.pause_tree(victim)
    return [
        PageFigure(
            f"Why {victim} was paused",
            "The host that was paused longest, or the port where no host was. Each queue was paused for the one to its "
            "right; the pauses began with the queues that name flows.",
            svg(lambda ax: pause_tree.draw(tree, ax), pause_tree.size_inches(tree)),
            is_wide=True,
        )
    ]


def _observed(plots: Plots, result: Result, quantity: str) -> _Panel:
    return _Panel(
        _TITLES.get(quantity, quantity),
        _lines(result, quantity),
        partial(plots.over_time, quantity),
        explored=exploring.lines(result, quantity),
    )


def svg(draw: Callable[[Axes], object], size_inches: tuple[float, float] = (5.6, 3.4)) -> str:
    """Returns the drawing of `draw` as an SVG element without fixed size, with text and the page's colours."""
    with style.context(), mpl.rc_context(_page_style()):
        return _saved(_drawn(draw, size_inches))


def _drawn(draw: Callable[[Axes], object], size_inches: tuple[float, float]) -> HouseFigure:
    figure = HouseFigure(figsize=size_inches)
    draw(figure.subplots())
    return figure


def _saved(figure: HouseFigure) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Creator": None})
    return _embedded(buffer.getvalue())


def _page_style() -> dict[Any, Any]:
    ink = dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color"), _INK)
    return {**ink, "grid.color": _GRID, "grid.alpha": 1.0, "axes.titlecolor": _INK, "svg.hashsalt": "xoff"}


def _embedded(text: str) -> str:
    text = text[text.index("<svg") :]
    for own, page in _PAGE_COLOURS.items():
        text = text.replace(own, page)
    text = re.sub(r'<g id="[^"]*"', "<g", text)  # repeated from figure to figure; nothing refers to them
    text = re.sub(r"<[^>]+>", _rounded, text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", text)  # the page's own typeface
    return re.sub(r' width="([\d.]+)pt" height="[^"]*"', _as_wide_as_legible, text, count=1)


def _as_wide_as_legible(size: re.Match[str]) -> str:
    """Replaces the size of a figure by its greatest width, at which its letters are not much larger than the page's."""
    return f' style="max-width: {_MOST_TIMES * float(size[1]):.0f}pt"'


def _rounded(tag: re.Match[str]) -> str:
    """Rounds the coordinates in a tag to a tenth of a point, which cannot be seen."""
    return re.sub(r"\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}", tag[0])


def _lines(result: Result, quantity: str) -> str:
    chosen = over_time.choose(result, quantity)
    shown, count = len(chosen.shown), chosen.of + chosen.zero
    if chosen.all_are_zero or shown == count:
        return f"As recorded in series.parquet ({count} in all)." if count > 1 else "As recorded in series.parquet."
    if shown == 1 == chosen.of:
        return f"The one of {count} that is not zero throughout; all are in series.parquet."
    if shown == chosen.of:
        return f"The {shown} of {count} that are not zero throughout; all are in series.parquet."
    of = f"the {chosen.of} (of {count}) that are not zero throughout" if chosen.zero else str(chosen.of)
    return f"The {shown} with the highest peaks of {of}; all are in series.parquet."
