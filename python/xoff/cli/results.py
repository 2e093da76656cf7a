"""Result folders as arguments, and folders of many runs, which list where the results of these lie."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING

from xoff.cli.terminal import say
from xoff.errors import OutputError
from xoff.text.units import counted

if TYPE_CHECKING:
    from typing import Any

    from xoff.results.result import Result
    from xoff.results.staging import Staging
    from xoff.runs.batch import Wanted
    from xoff.runs.store import KeptRuns

RUNS = "runs.csv"
"""File in the folder of a sweep or a comparison that says where the result of each run is."""


def list_runs(staging: Staging, kept: KeptRuns, wanted: Wanted[Any]) -> None:
    """Writes `runs.csv`: a row for each finished run of an experiment. Raises OutputError."""
    with staging.writing(), (staging.path / RUNS).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("run", "seed", "result"))
        for name, run in zip(wanted.run_names, wanted.all_runs, strict=True):
            if (place := kept.place(run)).exists():
                writer.writerow((name, run.seed, os.path.relpath(place, staging.path)))


def opened(folder: Path, *, for_records: bool = False) -> Result:
    """Opens the result in a folder, or the only one of a folder of many runs.

    With `for_records`, notes where its records end before the run.

    Raises:
        OutputError: There is no result, or one of several is to be named.
        InputError: The result is damaged.
    """
    from xoff.explain.pathologies import records_cut_off
    from xoff.results.result import Result

    try:
        result = Result.open(_only_run(folder) if (folder / RUNS).is_file() else folder)
    except (FileNotFoundError, NotADirectoryError):
        inside = sorted(path.parent.name for path in folder.glob("*/summary.json")) if folder.is_dir() else []
        expected = f"one in it, such as {folder / inside[0]}" if inside else "one that xoff run has written"
        message = f"{folder}: RESULT: is no result folder; expected {expected}"
        raise OutputError(message) from None
    for line in records_cut_off(result.summary) if for_records else ():
        say(line, err=True)
    return result


def _only_run(folder: Path) -> Path:
    """Returns where the result of the only run of an experiment is. Raises OutputError if there are several."""
    with (folder / RUNS).open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    places = [Path(os.path.normpath(folder / row["result"])) for row in rows]
    if len(rows) == 1:
        return places[0]
    of = f"{folder}: RESULT: is of {counted(len(rows), 'run')}"
    message = (
        f"{of}; name one, such as {places[0]} ({rows[0]['run']}, seed {rows[0]['seed']}): {folder / RUNS} lists them"
        if rows
        else f"{of}; run the same again"
    )
    raise OutputError(message)
