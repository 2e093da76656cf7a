"""`xoff plot`: a figure of a result."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

import click

from xoff.cli import options
from xoff.cli.files import DRAWABLE, check_drawable, draw, save
from xoff.cli.options import FILE, OneOf, chosen_workloads, repeated
from xoff.cli.results import opened
from xoff.cli.terminal import say
from xoff.cli.times import between, nanoseconds
from xoff.errors import InputError, OutputError

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from xoff.results.result import Result


class Kind(StrEnum):
    """Kinds of pictures: the methods of `Result.plot`, and recorded quantities by their keys."""

    FCT_CDF = "fct_cdf"
    FCT_CDF_BY_WORKLOAD = "fct_cdf_by_workload"
    SLOWDOWN_CDF = "slowdown_cdf"
    SLOWDOWN_BY_SIZE = "slowdown_by_size"
    QUERY_COMPLETION_CDF = "query_completion_cdf"
    BUS_BANDWIDTH = "bus_bandwidth"
    QUEUES = "queues"
    QUEUE_CDF = "queue_cdf"
    POOLS = "pools"
    THROUGHPUT = "throughput"
    CLASS_THROUGHPUT = "class_throughput"
    MARKS = "marks"
    DROPS = "drops"
    WINDOWS = "windows"
    ALPHAS = "alphas"
    THRESHOLDS = "thresholds"
    RTTS = "rtts"
    RECOVERY_STATES = "recovery_states"
    RATES = "rates"
    FLOW_THROUGHPUT = "flow_throughput"
    CNMS = "cnms"
    INPUTS = "inputs"
    FLOWS_OVER_TIME = "flows_over_time"
    PAUSES = "pauses"
    HEADROOM = "headroom"
    LINKS = "links"


_BY_NAME = (
    Kind.QUEUES,
    Kind.QUEUE_CDF,
    Kind.POOLS,
    Kind.THROUGHPUT,
    Kind.CLASS_THROUGHPUT,
    Kind.MARKS,
    Kind.DROPS,
    Kind.WINDOWS,
    Kind.ALPHAS,
    Kind.THRESHOLDS,
    Kind.RTTS,
    Kind.RECOVERY_STATES,
    Kind.RATES,
    Kind.FLOW_THROUGHPUT,
    Kind.CNMS,
)
_ONE_BY_NAME = (Kind.INPUTS,)
"""Drawn of one of those that are chosen, the fullest."""
_NOT_BY_NAME = (Kind.FLOWS_OVER_TIME, Kind.PAUSES)
"""Drawn over time, too, of what is not chosen by name."""


@click.command
@click.argument("folder", type=FILE, metavar="RESULT", help="A result folder.")
@click.argument("kind", type=OneOf(Kind), metavar="KIND", help=f"What: {', '.join(Kind)}.")
@repeated(
    "--names",
    metavar="PATTERN",
    help="Of what, as in observe.of: leaf0.port3, 'leaf0.*', of flows host0; may be repeated. "
    "Left out, the highest. Of inputs, one port: the fullest of them.",
)
@options.of_workloads
@click.option(
    "--from", "start", metavar="TIME", help="From when, of what is drawn over time: 1.5ms; left out, the begin."
)
@click.option("--to", "end", metavar="TIME", help="Until when; left out, the end of the run.")
@click.option("--out", type=FILE, metavar="FILE", help=f"Where ({DRAWABLE}); left out, KIND.svg in the result folder.")
@click.option("--force", is_flag=True, help="Replace the file that --out names.")
def plot(
    folder: Path,
    kind: Kind,
    names: list[str] | None,
    workloads: list[str] | None,
    start: str | None,
    end: str | None,
    out: Path | None,
    force: bool,
) -> None:
    """Draw a result: completion times, slowdowns, or what the scenario's [observe] recorded.

    The tree of a pause is drawn by `xoff pauses --plot`.
    """
    path = out or folder / f"{kind}.svg"
    check_drawable(path, "--out", force=force or out is None)
    by_name = (*_BY_NAME, *_ONE_BY_NAME)
    if names and kind not in by_name:
        expected = f"expected it with one of {', '.join(by_name)}"
        raise InputError(None, "--names", f"no names are chosen in {kind}", expected)
    if workloads and kind is not Kind.SLOWDOWN_BY_SIZE:
        expected = f"expected it with {Kind.SLOWDOWN_BY_SIZE}"
        raise InputError(None, "--workload", f"no workloads are chosen in {kind}", expected)
    start_ns, end_ns = _times(kind, {"--from": start, "--to": end})
    result = opened(folder, for_records=True)
    between_ns = between(result, start_ns, end_ns)
    try:
        _draw(result, kind, names, workloads, between_ns, path)
    except InputError:
        raise
    except ValueError as error:
        message = f"{folder}: {kind}: {error}"
        raise OutputError(message) from None
    say(f"Plot: {path}")


def _times(kind: Kind, options: dict[str, str | None]) -> list[float | None]:
    """Times that options give. Raises InputError, also where nothing is drawn over time."""
    narrowed = (*_BY_NAME, *_ONE_BY_NAME, *_NOT_BY_NAME)
    for option, given in options.items():
        if given is not None and kind not in narrowed:
            expected = f"expected it with one of {', '.join(narrowed)}"
            raise InputError(None, option, f"no time is chosen in {kind}", expected)
    return [None if given is None else nanoseconds(given, option) for option, given in options.items()]


def _draw(
    result: Result,
    kind: Kind,
    names: list[str] | None,
    workloads: list[str] | None,
    between_ns: tuple[float, float] | None,
    path: Path,
) -> None:
    """Draws into a file. Raises ValueError if there is nothing of the kind."""
    from xoff.plot import links, style

    plots = result.plot
    if kind is Kind.LINKS:
        draw(path, links.size_inches(result), plots.links, "--out")
    elif kind is Kind.FLOWS_OVER_TIME:
        save(_flows_over_time(result, between_ns), path, "--out")
    elif kind in _ONE_BY_NAME:
        draw(path, style.SIZE_INCHES, partial(plots.inputs, port=names, between_ns=between_ns), "--out")
    elif kind in _NOT_BY_NAME:
        draw(path, style.SIZE_INCHES, partial(getattr(plots, kind), between_ns=between_ns), "--out")
    elif kind in _BY_NAME:
        drawn = partial(getattr(plots, kind), names=names, between_ns=between_ns)
        draw(path, style.SIZE_INCHES, drawn, "--out")
    elif workloads:
        drawn = partial(plots.slowdown_by_size, workloads=chosen_workloads(workloads))
        draw(path, style.SIZE_INCHES, drawn, "--out")
    else:
        draw(path, style.SIZE_INCHES, getattr(plots, kind), "--out")


def _flows_over_time(result: Result, between_ns: tuple[float, float] | None) -> Figure:
    """The row of panels; its figure is Pyplot's, which is to open no window."""
    import matplotlib as mpl

    mpl.use("agg")
    figure = result.plot.flows_over_time(between_ns=between_ns)[0].get_figure(root=True)
    assert figure is not None
    return figure
