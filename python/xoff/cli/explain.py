"""`xoff explain`: an algorithm or a key, with unit, default and source."""

from __future__ import annotations

from typing import Annotated

import typer

from xoff import _xoff


def explain(
    name: Annotated[str, typer.Argument(help="An algorithm (dctcp) or a key (switch.buffer.alpha).")],
) -> None:
    """Explain an algorithm or a key of the scenario file."""
    typer.echo(_xoff.explain(name))
