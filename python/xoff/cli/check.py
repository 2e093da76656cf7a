"""`xoff check`: a scenario validated without running."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xoff.cli.options import Changes
from xoff.cli.terminal import say
from xoff.scenario import Scenario


def check(
    scenario: Annotated[Path, typer.Argument(help="The scenario file (TOML).")],
    changes: Changes = None,
) -> None:
    """Validate a scenario and the files it names, without running it."""
    notes = Scenario.load(scenario, tuple(changes or ())).check()
    say("\n".join([f"{scenario}: ok", *notes]))
