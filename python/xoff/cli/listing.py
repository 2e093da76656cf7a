"""`xoff list`: what there is."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from xoff import _xoff, starters


class Kind(StrEnum):
    """What can be listed."""

    ALGORITHMS = "algorithms"
    SIZES = "sizes"
    SCENARIOS = "scenarios"


def listing(
    kind: Annotated[Kind | None, typer.Argument(help="Left out, everything.", show_choices=True)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print data only.")] = False,
) -> None:
    """List algorithms, flow-size distributions, or scenarios to start from."""
    found = {one.value: _entries(one) for one in ([kind] if kind else Kind)}
    if as_json:
        typer.echo(json.dumps(found if kind is None else found[kind.value], indent=2, ensure_ascii=False))
        return
    for heading, entries in found.items():
        if kind is None:
            typer.echo(f"{heading}:")
        _print(entries)


def _entries(kind: Kind) -> list[dict[str, str]]:
    if kind is Kind.SCENARIOS:
        return [{"name": name, "what": starters.sentence(name)} for name in starters.TOPOLOGIES + starters.WORKLOADS]
    entries: list[dict[str, str]] = json.loads(_xoff.available(kind.value))
    return entries


def _print(entries: list[dict[str, str]]) -> None:
    width = max((len(entry["name"]) for entry in entries), default=0)
    for entry in entries:
        typer.echo(f"  {entry['name']:{width}}  {entry['what']}")
