"""`xoff plot`: a figure of a result."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xoff.cli.files import DRAWABLE, check_drawable, draw, save
from xoff.cli.results import opened
from xoff.cli.terminal import say
from xoff.errors import InputError, OutputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.result import Result


class Kind(StrEnum):
    """What can be drawn: what `Result.plot` has, and what was observed by its key."""

    FCT_CDF = "fct_cdf"
    FCT_CDF_BY_WORKLOAD = "fct_cdf_by_workload"
    SLOWDOWN_BY_SIZE = "slowdown_by_size"
    QUERY_COMPLETION_CDF = "query_completion_cdf"
    BUS_BANDWIDTH = "bus_bandwidth"
    QUEUES = "queues"
    POOLS = "pools"
    THROUGHPUT = "throughput"
    CLASS_THROUGHPUT = "class_throughput"
    MARKS = "marks"
    DROPS = "drops"
    WINDOWS = "windows"
    RATES = "rates"
    FLOW_THROUGHPUT = "flow_throughput"
    CNMS = "cnms"
    INPUTS = "inputs"
    FLOWS_OVER_TIME = "flows_over_time"
    PAUSES = "pauses"
    HEADROOM = "headroom"


_OVER_TIME = {
    Kind.QUEUES: "queue",
    Kind.POOLS: "pool",
    Kind.THROUGHPUT: "throughput",
    Kind.CLASS_THROUGHPUT: "class_throughput",
    Kind.MARKS: "marks",
    Kind.DROPS: "drops",
    Kind.WINDOWS: "window",
    Kind.RATES: "rate",
    Kind.FLOW_THROUGHPUT: "flow_throughput",
    Kind.CNMS: "cnms",
}


def plot(
    folder: Annotated[Path, typer.Argument(metavar="RESULT", help="A result folder.")],
    kind: Annotated[Kind, typer.Argument(metavar="KIND", help=f"What: {', '.join(Kind)}.")],
    names: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Of what, as in observe.of: leaf0.port3, 'leaf0.*', of flows host0; may be repeated. "
            "Left out, the highest.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"Where ({DRAWABLE}); left out, KIND.svg in the result folder.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Draw a result: completion times, slowdowns, or what the scenario's [observe] recorded.

    The tree of a pause is drawn by `xoff pauses --plot`.
    """
    path = out or folder / f"{kind}.svg"
    check_drawable(path, "--out", force=force)
    if names and kind not in _OVER_TIME:
        expected = f"expected it with one of {', '.join(_OVER_TIME)}"
        raise InputError(None, "--names", f"no names are chosen in {kind}", expected)
    result = opened(folder)
    try:
        _draw(result, kind, names, path)
    except InputError:
        raise
    except ValueError as error:
        message = f"{folder}: {kind}: {error}"
        raise OutputError(message) from None
    say(f"Plot: {path}")


def _draw(result: Result, kind: Kind, names: list[str] | None, path: Path) -> None:
    """Draws into a file. Raises ValueError if there is nothing of the kind."""
    from xoff.plot import style

    if kind is Kind.FLOWS_OVER_TIME:
        save(_flows_over_time(result), path, "--out")
    elif kind in _OVER_TIME:
        draw(path, style.SIZE_INCHES, lambda ax: result.plot.over_time(_OVER_TIME[kind], ax, names=names), "--out")
    else:
        draw(path, style.SIZE_INCHES, getattr(result.plot, kind), "--out")


def _flows_over_time(result: Result) -> Figure:
    """The row of panels; its figure is Pyplot's, which is to open no window."""
    import matplotlib as mpl

    mpl.use("agg")
    figure = result.plot.flows_over_time()[0].get_figure(root=True)
    assert figure is not None
    return figure
