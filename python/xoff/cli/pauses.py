"""`xoff pauses`: who paused whom, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from xoff.cli import options
from xoff.cli.console import Console
from xoff.cli.files import DRAWABLE, check_drawable, draw
from xoff.cli.options import FILE
from xoff.cli.results import opened
from xoff.cli.terminal import say
from xoff.cli.times import check_within, nanoseconds
from xoff.errors import InputError, OutputError
from xoff.text import json_text
from xoff.text.units import duration

if TYPE_CHECKING:
    from pathlib import Path

    from rich.table import Table

    from xoff.explain.pause_tree import PauseTree
    from xoff.results.result import Result


@click.command
@click.argument("folder", type=FILE, metavar="RESULT", help="A result folder with pauses observed.")
@click.option("--victim", help="A flow (host0.flow3), a host, a switch or a port; left out, all that were paused.")
@click.option("--at", metavar="TIME", help="Only pauses under way at this time, such as 1.5ms; each counts as a whole.")
@click.option("--plot", type=FILE, metavar="FILE", help=f"Draw the tree ({DRAWABLE}).")
@options.force_plot
@options.data_only
def pauses(folder: Path, victim: str | None, at: str | None, plot: Path | None, force: bool, as_json: bool) -> None:
    """Print whose pauses a victim waited for, back to the queues they began with.

    Pauses are recorded by `observe.pauses = true`. A root is a queue that was not paused itself while it filled.
    """
    if plot is not None:
        check_drawable(plot, force=force)
    at_ns = None if at is None else nanoseconds(at, "--at")
    result = opened(folder, for_records=True)
    if at_ns is not None:
        check_within(result, at_ns, "--at")
    try:
        tree = result.pause_tree(victim, at_ns=at_ns)
    except InputError:
        raise
    except ValueError as error:
        message = f"{folder}: {'--victim' if victim else 'pauses'}: {error}"
        raise OutputError(message) from None
    if plot is not None:
        from xoff.plot import pause_tree as drawing

        draw(plot, drawing.size_inches(tree), lambda ax: drawing.draw(tree, ax))
    if as_json:
        cycles = [
            cycle._asdict() | {"queues": [str(queue) for queue in cycle.queues]} for cycle in result.pause_cycles()
        ]
        data = tree.as_data(whole=victim is not None)
        click.echo(json_text.document(data | {"cycles": cycles}))
        return
    if not tree.paused_us:
        whom = "Nothing was" if victim is None else f"{victim} was not"
        say(f"{whom} paused" + ("" if at_ns is None else f" at {duration(at_ns / 1000)}"))
    else:
        Console(120).print(_roots(tree))
        if victim is not None:
            say(str(tree))
    for line in _cycles(result):
        say(line)


def _roots(tree: PauseTree) -> Table:
    from rich.table import Table

    from xoff.explain.pause_tree import LEAST_SHARE

    table = Table(
        title=f"Roots: {tree.victim}, paused for {duration(tree.paused_us)}", title_justify="left", title_style="bold"
    )
    table.add_column("queue", no_wrap=True)
    for heading in ("paused for it", "share"):
        table.add_column(heading, justify="right")
    table.add_column("flows with most bytes there")
    shown = [root for root in tree.roots if root.share >= LEAST_SHARE]
    for root in shown:
        table.add_row(str(root.queue), duration(root.paused_us), f"{root.share:.0%}", ", ".join(root.flows))
    rest_us = tree.paused_us - sum(root.paused_us for root in shown)
    if rest_us > tree.paused_us * LEAST_SHARE:
        table.add_row("the rest, below 1 % each", duration(rest_us), f"{rest_us / tree.paused_us:.0%}", "")
    return table


def _cycles(result: Result) -> list[str]:
    cycles = result.pause_cycles()
    if not cycles:
        return []
    first = cycles[0]
    ports = " -> ".join(queue.port for queue in (*first.queues, first.queues[0]))
    until = "the end" if first.until_ns is None else duration(first.until_ns / 1000)
    when = f"from {duration(first.since_ns / 1000)} to {until}"
    return [f"Cyclic buffer dependencies: {len(cycles):,}, the first {when}: {ports}"]
