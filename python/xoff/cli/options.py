"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

ChangesOfAll: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one key of all; KEY= leaves it out; may be repeated."),
]
Changes: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one key; KEY= leaves it out; may be repeated."),
]
Measures: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", metavar="KEY", help="A number of summary.json, instead of the usual ones; may be repeated."
    ),
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
DataOnly: TypeAlias = Annotated[bool, typer.Option("--json", help="Print data only.")]
