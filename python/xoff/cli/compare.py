"""`xoff compare`: the same traffic through several scenarios."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xoff.cli import options
from xoff.cli.options import FILE, as_list, chosen_workloads, refuse
from xoff.errors import InputError, OutputError
from xoff.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.plot.figure_format import FigureFormat


@click.command
@click.argument(
    "base", type=FILE, help="The scenario file (TOML), or the result folder, that the others are held against."
)
@click.argument(
    "others",
    type=FILE,
    nargs=-1,
    required=True,
    metavar="OTHER...",
    help="The others, with the same traffic. NAME=FILE names a line of table and figures.",
    callback=as_list,
)
@options.changes_of_all
@options.measures
@click.option(
    "--seeds", type=click.IntRange(min=1), default=1, help="Run each with so many seeds, from the base's own upwards."
)
@options.workers
@options.on
@options.watch
@options.dataset
@options.out
@options.force
@options.figures
@options.of_workloads
@click.option("--json", "as_json", is_flag=True, help="Print comparison.json and nothing else.")
def compare(
    base: Path,
    others: list[Path],
    changes: list[str] | None,
    measures: list[str] | None,
    seeds: int,
    workers: int | None,
    on: str | None,
    watch: bool,
    dataset: Path | None,
    out: Path | None,
    force: bool,
    figures: FigureFormat,
    workloads: list[str] | None,
    as_json: bool,
) -> None:
    """Run the same traffic through several scenarios and print what changes; or compare results that are there.

    With several seeds every ratio has a 95 % confidence interval: runs are paired by seed, the ratio is the geometric
    mean of theirs, and the interval is Student's t on their logarithms. Finished runs are kept in results/runs and
    never run again, so that after Ctrl-C the same command goes on.
    """
    from xoff.cli.many import print_comparison, run_comparison
    from xoff.results.measures import check_measures
    from xoff.studies.comparison import MEASURES, Comparison, WantedComparison  # brings Arrow

    if measures:
        check_measures(measures, key="--measure")
    paths, names = _named([base, *others])
    chosen = chosen_workloads(workloads)
    if any(map(Path.is_dir, paths)):
        _check_results(
            paths,
            {
                "--set": changes,
                "--seeds": seeds > 1,
                "--workers": workers,
                "--on": on,
                "--watch": watch,
                "--dataset": dataset,
            },
        )
        found = Comparison.open(dict(zip(names, paths, strict=True)) if names else paths, measures=measures or MEASURES)
        _check_workloads(chosen, [(one["kind"], "") for one in found.summaries[0][0]["workloads"]])
        print_comparison(found, out=out, force=force, figures=figures, workloads=chosen, as_json=as_json)
        return
    scenarios = [Scenario.load(path, tuple(changes or ())) for path in paths]
    _check_workloads(chosen, scenarios[0]._core.workloads)
    wanted = WantedComparison.of(scenarios, seeds, names, measures or MEASURES)
    run_comparison(
        wanted,
        "compare",
        on=options.where(workers, on),
        dataset=dataset,
        watch=watch,
        out=out,
        force=force,
        figures=figures,
        workloads=chosen,
        as_json=as_json,
    )


def _named(given: Sequence[Path]) -> tuple[list[Path], tuple[str, ...] | None]:
    """Splits arguments of the form NAME=FILE; there are no names if none has one. Raises InputError."""
    split = [("", str(path)) if path.exists() or "=" not in str(path) else str(path).split("=", 1) for path in given]
    paths = [Path(path) for _, path in split]
    if not any(name for name, _ in split):
        return paths, None
    names = tuple(name or path.stem for (name, _), path in zip(split, paths, strict=True))
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(None, f"{name}=", f"{count} have this name", "expected another name for each")
    return paths, names


def _check_workloads(chosen: Sequence[int | str] | None, there: Sequence[tuple[str, str]]) -> None:
    """Raises InputError for a workload that the scenarios do not have."""
    kinds = [kind for kind, _ in there]
    for one in chosen or ():
        if one not in kinds and not (isinstance(one, int) and one < len(kinds)):
            expected = f"expected 0 to {len(kinds) - 1}, or {' or '.join(dict.fromkeys(kinds))}"
            raise InputError(None, "--workload", f"there is no workload {one}", expected)


def _check_results(paths: list[Path], options: dict[str, object]) -> None:
    """Raises InputError for options of runs, OutputError for what is no result folder."""
    from xoff.results.folder import SUMMARY

    refuse(options, "nothing runs where results are compared", "expected scenario files with it")
    for path in paths:
        if not (path / SUMMARY).is_file():
            message = f"{path}: OTHER: is no result folder; expected one that xoff run has written, as the others are"
            raise OutputError(message)
