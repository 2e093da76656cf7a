"""`xoff list`: what there is."""

from __future__ import annotations

from enum import StrEnum
from itertools import groupby

import click

from xoff.cli import options
from xoff.cli.options import OneOf
from xoff.cli.terminal import say
from xoff.glossary import glossary
from xoff.scenario import catalogue
from xoff.text import json_text
from xoff.text.units import size


class Kind(StrEnum):
    """Things that `xoff list` lists."""

    ALGORITHMS = "algorithms"
    CHIPS = "chips"
    SIZES = "sizes"
    SCENARIOS = "scenarios"


_ENTRIES = {
    Kind.ALGORITHMS: catalogue.algorithms,
    Kind.CHIPS: catalogue.chips,
    Kind.SIZES: catalogue.sizes,
    Kind.SCENARIOS: glossary.scenarios,
}


@click.command
@click.argument("kind", type=OneOf(Kind), required=False, help="Left out, everything.")
@options.data_only
def listing(kind: Kind | None, as_json: bool) -> None:
    """List algorithms, switching chips, flow-size distributions, or scenarios to start from."""
    kinds = [kind] if kind else list(Kind)
    if as_json:
        found = {one.value: _ENTRIES[one]() for one in kinds}
        click.echo(json_text.document(found[kind.value] if kind else found))
        return
    for one in kinds:
        if kind is None:
            click.secho(one.value, bold=True)
        _print(_ENTRIES[one]())


def _print(entries: list[catalogue.Entry]) -> None:
    width = max(len(entry["name"]) for entry in entries)
    for family, members in groupby(entries, lambda entry: entry.get("family", "")):
        if family:
            click.echo(f"{family}:")
        for entry in members:
            mean = f" (mean {size(entry['mean_bytes'])})" if "mean_bytes" in entry else ""
            say(f"  {entry['name']:{width}}  {entry['about']}{mean}", hang=width + 4)
