"""`xoff reproduce`: published figures, and a verdict on each claim."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from xoff.cli import options
from xoff.cli.options import FILE, OneOf, as_list, repeated
from xoff.cli.terminal import say
from xoff.errors import OutputError, ScenarioError
from xoff.reproduce.scale import Scale
from xoff.results.staging import unwritable
from xoff.results.whole_file import written_whole
from xoff.text import json_text

if TYPE_CHECKING:
    from xoff.reproduce.figure import Figure
    from xoff.reproduce.verdict import Row
    from xoff.runs.store import KeptRuns

PAGE = "results/atlas.html"
OUT = Path("results/reproduce")
"""Folder of plots and verdicts, with a folder for each figure and scale, and another where keys are changed."""


@click.command
@click.argument(
    "ids", nargs=-1, metavar="[ID]...", help="Figures, or all below an id (bcc); left out, all.", callback=as_list
)
@click.option("--scale", type=OneOf(Scale), default=str(Scale.QUICK), help="The paper's own size, or a smaller one.")
@repeated("--set", "changes", metavar="KEY=VALUE", help="Change one key of every scenario, to see what hangs on it.")
@options.workers
@options.on
@click.option("--figures", type=FILE, metavar="DIR", help="The folder of figures; left out, that of the clone.")
@click.option(
    "--record", is_flag=True, help="With --scale paper, write measured.json and paper.svg into the figures' folders."
)
@click.option(
    "--page",
    type=FILE,
    is_flag=False,
    flag_value=PAGE,
    metavar="[FILE]",
    help="Write all that was measured at the paper's size as one page, and run nothing; left out, results/atlas.html.",
)
@click.option("--list", "listing", is_flag=True, help="Print what there is, and run nothing.")
@options.data_only
def reproduce(
    ids: list[str] | None,
    scale: Scale,
    changes: list[str] | None,
    workers: int | None,
    on: str | None,
    figures: Path | None,
    record: bool,
    page: Path | None,
    listing: bool,
    as_json: bool,
) -> None:
    """Run published figures again and judge every claim.

    At the paper's scale a claim is reproduced, its published number within the tolerance, or it differs. At the quick
    scale its effect is seen or missing, however small it is.

    Finished runs are kept in results/runs and never run again, so that after Ctrl-C, a kill or a power cut the same
    command goes on. Verdicts and plots are written to results/reproduce/ID/SCALE, with --set to SCALE-changed.
    """
    from xoff.cli.many import RUNS, run_missing
    from xoff.cli.verdicts import print_verdicts
    from xoff.reproduce.atlas import find
    from xoff.runs.store import KeptRuns

    if page:
        _write_page(page, ids or [], figures)
        return
    chosen = find(ids or [], figures, tuple(changes or ()))
    if listing:
        _list(chosen, as_json=as_json)
        return
    if record and (scale is not Scale.PAPER or changes):
        raise ScenarioError(None, "--record", "keeps what a paper's own size shows", "expected --scale paper, no --set")
    kept = KeptRuns(RUNS)
    runs = [point.scenario for figure in chosen for point in figure.planned(scale)]
    if not ids:
        told = f"all {len(chosen)} figures at the {scale} scale, {len(runs)} runs"
        say(f"{told}: Ctrl-C keeps what is finished, `xoff reproduce --list` names the figures", err=True)
    ending = run_missing("reproduce", runs, kept, options.where(workers, on))
    rows = _judged(chosen, scale, kept, f"{scale}-changed" if changes else scale, record=record)
    if as_json:
        click.echo(json_text.document([row.as_dict() for of_figure in rows for row in of_figure]))
    elif rows:
        print_verdicts(rows)
        say(f"Plots and all numbers: {OUT}" + (f", below {scale}-changed: {', '.join(changes)}" if changes else ""))
    if ending.interrupted:
        click.echo(
            f"interrupted: {len(rows)} of {len(chosen)} figures are finished; the same command goes on", err=True
        )
        raise click.exceptions.Exit(130)
    if ending.failed:
        raise ending.failed


def _judged(chosen: list[Figure], scale: Scale, kept: KeptRuns, name: str, *, record: bool) -> list[list[Row]]:
    """Returns the rows of each figure whose runs have finished, and saves them with its plot in a folder of a name."""
    judged = []
    for figure in chosen:
        points = figure.points(scale, kept)
        if points is not None:
            judged.append(figure.rows(scale, points))
            figure.save(OUT / figure.id / name, judged[-1], points)
            if record:
                figure.keep(judged[-1], points)
    return judged


def _write_page(path: Path, ids: list[str], figures: Path | None) -> None:
    from xoff.reproduce import page, paper_rows
    from xoff.reproduce.atlas import find, shipped

    if path.suffix != ".html":
        given = f"{path} is no name of a page"
        raise ScenarioError(None, "--page", given, "expected a name that ends with .html, or --page at the end")
    if ids:
        raise ScenarioError(None, "--page", "is about all figures", "expected no ids beside it")
    root = figures or shipped()
    text = page.render(paper_rows.read(root), find((), figures), OUT)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as beside:
            beside.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(str(unwritable(path, error))) from None
    say(f"Page: {path}")


def _list(chosen: list[Figure], *, as_json: bool) -> None:
    if as_json:
        entries = [
            {
                "id": figure.id,
                "title": figure.file.title,
                "source": figure.file.source,
                "measured": figure.record.date if figure.record else None,
                "is_older": figure.is_older,
            }
            for figure in chosen
        ]
        click.echo(json_text.document(entries))
        return
    width = max(len(figure.id) for figure in chosen)
    for figure in chosen:
        say(f"{figure.id:{width}}  {figure.file.title} ({figure.file.source})")
