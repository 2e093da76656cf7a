"""`xoff init`: a commented scenario, or a plan, to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xoff.cli.terminal import say
from xoff.errors import OutputError
from xoff.starters import PLAN, starter


def init(
    kinds: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KIND]...",
            help="A topology, a transport, a workload, or one of each; or plan (see `xoff list scenarios`).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file to write, or - to print it; left out, KIND.toml."),
    ] = None,
) -> None:
    """Write a commented scenario, or a plan of a switch, to start from; nothing that exists is overwritten."""
    chosen = starter(kinds or [])
    if str(out) == "-":
        typer.echo(chosen.text, nl=False)
        return
    path = out or Path("_".join(kinds or ["scenario"]) + ".toml")
    companions = {path.parent / name: text for name, text in chosen.companions.items()}
    _check_free(path)
    texts = {path: chosen.text} | {target: text for target, text in companions.items() if _is_new(target, text)}
    for target, text in texts.items():
        _write(target, text)
    command = "compute it: xoff plan" if kinds == [PLAN] else "run it: xoff run"
    say(f"{' and '.join(str(target) for target in texts)} written; {command} {path}")


def _check_free(path: Path) -> None:
    if path.exists():
        message = f"{path}: --out: exists already; choose another name with --out"
        raise OutputError(message)


def _is_new(path: Path, text: str) -> bool:
    """Whether a file that the scenario names must be written; raises OutputError if something else is there."""
    if not path.exists():
        return True
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == text:
        return False
    message = (
        f"{path}: exists already and is another file; move it, or write the scenario elsewhere with --out DIR/NAME"
    )
    raise OutputError(message)


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        message = f"{path}: --out: cannot write: {(error.strerror or str(error)).lower()}; choose another with --out"
        raise OutputError(message) from None
