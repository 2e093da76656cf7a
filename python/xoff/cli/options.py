"""Options that several commands have, and every kind of `--set`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from xoff.errors import InputError
from xoff.plot.figure_format import FigureFormat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typer.models import OptionInfo


def _changes(one: str) -> OptionInfo:
    option: OptionInfo = typer.Option("--set", metavar="KEY=VALUE", help=f"Change one {one}; may be repeated.")
    return option


ChangesOfAll: TypeAlias = Annotated[list[str] | None, _changes("key of all; KEY= leaves it out")]
ChangesOfPlan: TypeAlias = Annotated[list[str] | None, _changes("key; KEY= leaves it out")]
ChangesOfScenario: TypeAlias = Annotated[
    list[str] | None,
    _changes("key: workload.load=0.5 of all workloads, workload[1].load=0.5 of the second; KEY= leaves it out"),
]
ChangesOfModel: TypeAlias = Annotated[list[str] | None, _changes("parameter, such as flows=8")]
Measures: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", metavar="KEY", help="A number of summary.json, instead of the usual ones; may be repeated."
    ),
]
AtMost: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=LIMIT", help="What a number of summary.json must not exceed; may be repeated."),
]
AtLeast: TypeAlias = Annotated[
    list[str] | None, typer.Option(metavar="KEY=LIMIT", help="What it must not fall below; may be repeated.")
]
Sweeps: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--sweep",
        metavar="KEY=A,B,C",
        help="Try each value, or those from START to END, KEY=START:END:STEP; repeated, every combination.",
    ),
]
Workers: TypeAlias = Annotated[int | None, typer.Option(min=1, help="Runs at a time; left out, one per core.")]
Out: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="The folder for numbers and plot; left out, a new numbered one in results/."),
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace the folder that --out names.")]
ForceResult: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace the result folder that --out names.")]
ForcePlot: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace the file that --plot names.")]
Figures: TypeAlias = Annotated[FigureFormat, typer.Option(help="Format of the figures in the folder.")]
OfWorkloads: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--workload",
        metavar="N",
        help="Of slowdown_by_size: the position of a workload in the scenario, or a kind such as incast; may be "
        "repeated. Left out, all.",
    ),
]
DataOnly: TypeAlias = Annotated[bool, typer.Option("--json", help="Print data only.")]


def chosen_workloads(workloads: list[str] | None) -> list[int | str] | None:
    """Positions and kinds."""
    return [int(each) if each.isdecimal() else each for each in workloads] if workloads else None


def refuse(options: Mapping[str, object], problem: str, expected: str, file: str | None = None) -> None:
    """Raises InputError for the first of some options, by their names, that is given."""
    for option, given in options.items():
        if given:
            raise InputError(file, option, problem, expected)
