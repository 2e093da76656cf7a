"""`xoff drops`: where packets were dropped, why, and whose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from xoff.cli import options
from xoff.cli.options import FILE
from xoff.cli.results import opened
from xoff.cli.rows import print_rows
from xoff.cli.terminal import say
from xoff.errors import OutputError
from xoff.text import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa

    from xoff.results.result import Result

_MOST_FLOWS = 5


@click.command
@click.argument("folder", type=FILE, metavar="RESULT", help="A result folder with every drop recorded.")
@click.option("--flow", help="A flow (host0.flow3): each of its packets that was dropped.")
@options.data_only
def drops(folder: Path, flow: str | None, as_json: bool) -> None:
    """Print where packets were dropped, why, and whose they were.

    Drops are recorded one by one by observe.drops = { every = "change" }. The limit is what the queue, the pool, the
    headroom or the adapter might hold at that instant: a dynamic threshold falls as the pool fills.
    """
    from xoff.explain.drops import any_dropped, drops_of

    result = opened(folder, for_records=True)
    try:
        recorded = drops_of(result)
    except ValueError as error:
        message = f"{folder}: drops: {error}"
        raise OutputError(message) from None
    if as_json:
        click.echo(json_text.document(_data(result, folder, recorded, flow)))
    elif flow is not None:
        _print_packets(_packets(result, folder, recorded, flow), flow)
    elif recorded.num_rows:
        _print_places(recorded)
    else:
        elsewhere = any_dropped(result)
        say("No packet was dropped at the ports whose drops were recorded" if elsewhere else "Nothing was dropped")


def _print_places(recorded: pa.Table) -> None:
    from xoff.explain.drops import DROP_HEADINGS, drop_rows, flows, places, title

    _print(title(recorded), DROP_HEADINGS, drop_rows(places(recorded)))
    most = ", ".join(f"{flow} ({count:,})" for flow, count in flows(recorded, _MOST_FLOWS))
    say(f"Flows that lost most: {most}")


def _data(result: Result, folder: Path, recorded: pa.Table, flow: str | None) -> dict[str, object]:
    from xoff.explain.drops import flows, places

    if flow is not None:
        return {"flow": flow, "packets": _packets(result, folder, recorded, flow).to_pylist()}
    lost = [{"flow": name, "packets": count} for name, count in flows(recorded, recorded.num_rows)]
    return {"packets": recorded.num_rows, "places": [place._asdict() for place in places(recorded)], "flows": lost}


def _packets(result: Result, folder: Path, recorded: pa.Table, flow: str) -> pa.Table:
    """Returns the recorded packets of a flow. Raises OutputError if it lost none, or if there is no such flow."""
    from xoff.explain import why
    from xoff.explain.drops import of_flow

    own = of_flow(recorded, flow)
    if not own.num_rows:
        problem = f"{flow} lost nothing at the ports whose drops were recorded"
        try:
            why.rows_of(result, [flow])
        except ValueError as error:
            problem = str(error)
        message = f"{folder}: --flow: {problem}"
        raise OutputError(message)
    return own


def _print_packets(own: pa.Table, flow: str) -> None:
    from xoff.explain.drops import PACKET_HEADINGS, packet_rows
    from xoff.text.units import counted

    _print(f"Drops: {counted(own.num_rows, 'packet')} of {flow}", PACKET_HEADINGS, packet_rows(own))


def _print(title: str, headings: Sequence[str], rows: list[list[str]]) -> None:
    rest = "rows more; drops.parquet has all"
    print_rows(title, headings, rows, of=len(rows), words={"port", "reason", "packet"}, rest=rest)
