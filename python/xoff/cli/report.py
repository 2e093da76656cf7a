"""`xoff report`: the page of a result that was written without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from xoff.cli.files import written_whole
from xoff.cli.options import FILE
from xoff.cli.results import opened
from xoff.cli.terminal import say
from xoff.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path


@click.command
@click.argument("folder", type=FILE, metavar="RESULT", help="A result folder.")
@click.option("--force", is_flag=True, help="Replace the report that is there.")
def report(folder: Path, force: bool) -> None:
    """Write report.html into a result folder, as `xoff run` does without --no-report."""
    from xoff.report import render
    from xoff.results.folder import REPORT

    result = opened(folder)
    path = folder / REPORT
    if path.exists() and not force:
        message = f"{path}: exists already; replace it with --force"
        raise OutputError(message)
    page = render(result)
    try:
        with written_whole(path) as beside:
            beside.write_text(page, encoding="utf-8")
    except OSError as error:
        message = f"{path}: cannot write here: {(error.strerror or str(error)).lower()}"
        raise OutputError(message) from None
    say(f"Report: {path}")
