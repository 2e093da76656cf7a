"""`xoff report`: the page about a result, drawn when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from xoff.cli.options import FILE
from xoff.cli.results import opened
from xoff.cli.terminal import say
from xoff.errors import OutputError
from xoff.results.whole_file import written_whole

if TYPE_CHECKING:
    from pathlib import Path


@click.command
@click.argument("folder", type=FILE, metavar="RESULT", help="A result folder.")
@click.option("--open", "opens", is_flag=True, help="Open it in a browser.")
def report(folder: Path, opens: bool) -> None:
    """Draw report.html into a result folder: what happened, why, and the numbers. An earlier one is replaced."""
    from xoff.report import render
    from xoff.results.folder import REPORT

    page = render(opened(folder))
    path = folder / REPORT
    try:
        with written_whole(path) as beside:
            beside.write_text(page, encoding="utf-8")
    except OSError as error:
        message = f"{path}: cannot write here: {(error.strerror or str(error)).lower()}"
        raise OutputError(message) from None
    say(f"Report: {path}")
    if opens and click.launch(path.resolve().as_uri()):
        message = f"{path}: --open: no browser can be started here; open the file in one"
        raise OutputError(message)
