"""`xoff list`: what there is."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import groupby
from typing import TYPE_CHECKING

import click

from xoff.cli import options
from xoff.cli.terminal import say
from xoff.errors import InputError
from xoff.glossary import glossary
from xoff.scenario import catalogue
from xoff.text import json_text
from xoff.text.units import size

if TYPE_CHECKING:
    from collections.abc import Callable


_LISTS: dict[str, Callable[[], list[catalogue.Entry]]] = {
    "algorithms": catalogue.algorithms,
    "chips": catalogue.chips,
    "sizes": catalogue.sizes,
    "scenarios": glossary.scenarios,
}


def _families() -> list[str]:
    return [*dict.fromkeys(entry["family"] for entry in catalogue.algorithms())]


def _words(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[str]:
    return [word for word in (*_LISTS, *_families()) if word.startswith(begin)]


@click.command
@click.argument(
    "word",
    metavar=f"[{'|'.join(_LISTS)}|FAMILY]",
    required=False,
    help="What, or a family of algorithms, such as marking; left out, everything.",
    shell_complete=_words,
)
@options.data_only
def listing(word: str | None, as_json: bool) -> None:
    """List algorithms, switching chips, flow-size distributions, or scenarios to start from."""
    found = {name: entries() for name, entries in _LISTS.items()} if word is None else {word: _meant_by(word)}
    if as_json:
        click.echo(json_text.document(found if word is None else found[word]))
        return
    for name, entries in found.items():
        if word is None:
            click.secho(name, bold=True)
        _print(entries)


def _meant_by(word: str) -> list[catalogue.Entry]:
    """Returns the entries of a list, or of a family. Raises InputError, with near words, if there is neither."""
    if word in _LISTS:
        return _LISTS[word]()
    found = [entry for entry in catalogue.algorithms() if entry["family"] == word]
    if not found:
        near = get_close_matches(word, [*_LISTS, *_families()], n=1)
        meant = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(_LISTS)};"
        raise InputError(None, word, "is no list", f"{meant} `xoff explain {word}` tells of a name or a word")
    return found


def _print(entries: list[catalogue.Entry]) -> None:
    width = max(len(entry["name"]) for entry in entries)
    for family, members in groupby(entries, lambda entry: entry.get("family", "")):
        if family:
            click.echo(f"{family}:")
        for entry in members:
            mean = f" (mean {size(entry['mean_bytes'])})" if "mean_bytes" in entry else ""
            say(f"  {entry['name']:{width}}  {entry['about']}{mean}", hang=width + 4)
