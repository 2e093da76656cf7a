"""`xoff compare`: the same traffic through several scenarios."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xoff.cli.options import ChangesOfAll, Force, Out, Workers
from xoff.scenario import Scenario


def compare(
    base: Annotated[Path, typer.Argument(help="The scenario file (TOML) that the others are held against.")],
    others: Annotated[list[Path], typer.Argument(metavar="SCENARIO...", help="The others, with the same traffic.")],
    changes: ChangesOfAll = None,
    seeds: Annotated[int, typer.Option(min=1, help="Run each with so many seeds, from the base's own upwards.")] = 1,
    workers: Workers = None,
    out: Out = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print comparison.json and nothing else.")] = False,
) -> None:
    """Run the same traffic through several scenarios and print what changes.

    With several seeds every ratio has a 95 % confidence interval: runs are paired by seed, the ratio is the geometric
    mean of theirs, and the interval is Student's t on their logarithms. Finished runs are kept in results/runs and
    never run again, so that after Ctrl-C the same command goes on.
    """
    from xoff.cli.many import run_comparison
    from xoff.comparison import Plan  # brings Arrow

    scenarios = [Scenario.load(path, tuple(changes or ())) for path in (base, *others)]
    run_comparison(Plan.of(scenarios, seeds), "compare", workers=workers, out=out, force=force, as_json=as_json)
