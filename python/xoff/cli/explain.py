"""`xoff explain`: an algorithm, a key or a value, with unit, default and source."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from xoff.cli import completion, options
from xoff.cli.commands import COMMANDS
from xoff.cli.terminal import say
from xoff.errors import ScenarioError
from xoff.glossary import glossary
from xoff.text import json_text, text_file

if TYPE_CHECKING:
    from xoff.scenario.catalogue import Entry

_FLUID = "fluid."
"""Before the keys of fluid models, which stand on the command line and in no file."""
_MOST_OFFERED = 12


@click.command
@click.argument(
    "name",
    shell_complete=completion.names,
    help="An algorithm (dctcp), a key (switch.buffer.alpha), a value (ring), a symbol (K_min), "
    "a measure (slowdown_p99), a key of plans (congestion.round_trip), a column (fct_ns), a word (PFC) or a scheme in "
    "Python (my_control.py:MyControl).",
)
@options.data_only
def explain(name: str, as_json: bool) -> None:
    """Explain an algorithm, a key of the scenario file, a value of one or a measure; or name what speaks of a word."""
    try:
        found = _of_scheme(name) if ".py" in name else glossary.explain(name)
    except ScenarioError as error:
        if command := COMMANDS.get(name):
            about = command.about.removesuffix(".")
            raise ScenarioError(None, name, f"is a command: {about}", f"see `xoff {name} --help`") from error
        mentions = glossary.mentions(name)
        if not mentions:
            raise
        _offer(name, mentions, as_json=as_json)
        return
    if as_json:
        click.echo(json_text.document(found))
        return
    for index, entry in enumerate(found):
        if index:
            click.echo()
        _print(entry)


def _of_scheme(name: str) -> list[dict[str, Any]]:
    """Returns the meaning of a scheme in Python, `FILE.py:CLASS`, or of a key of it, `FILE.py:CLASS.KEY`."""
    from xoff.schemes import loading  # brings what only schemes need

    file, _, inside = name.partition(".py")
    file, (cls, _, key) = f"{file}.py", inside.removeprefix(":").partition(".")
    text = text_file.read(Path(file), file)
    names = [cls] if cls else [one.__name__ for one in loading.classes_of(loading.module_of(text, file))]
    described = [loading.load(text, file, one) for one in names]
    found = [entry for one in described for entry in one.explained(f"{file}:{one.cls.__name__}")]
    wanted = [entry for entry in found if entry["path"].endswith(f".{key}") if not entry["family"]] if key else []
    if key and not wanted:
        keys = ", ".join(entry["path"].rpartition(".")[2] for entry in found if not entry["family"])
        raise ScenarioError(file, cls, f"has no key `{key}`", f"expected one of {keys}" if keys else "it has none")
    return wanted or [entry for entry in found if entry["family"]]


def _offer(word: str, mentions: list[Entry], *, as_json: bool) -> None:
    """Keys, algorithms and measures that speak of a word, as many as are looked at."""
    if as_json:
        click.echo(json_text.document(mentions))
        return
    say(f"{word} is no name; these speak of it")
    _print_lines("", [(_shown(entry["name"]), entry["about"]) for entry in mentions[:_MOST_OFFERED]])
    if len(mentions) > _MOST_OFFERED:
        say(f"and {len(mentions) - _MOST_OFFERED:,} more, which --json lists")


def _print(entry: dict[str, Any]) -> None:
    click.secho(_shown(entry["name"]), bold=True, nl=False)
    click.echo(f" ({entry['family'].replace('_', ' ')})" if entry["family"] else "")
    say(f"  {entry['about']}")
    for label, text in _facts(entry).items():
        if text:
            say(f"  {label + ':':9} {text}", hang=12)
    _print_lines("one of", [(choice["name"], choice["about"]) for choice in entry["choices"]])
    _print_lines("keys", [(_shown(key["path"].removeprefix(_FLUID)), _key(key)) for key in entry["keys"]])


def _facts(entry: dict[str, Any]) -> dict[str, str | None]:
    is_key = not entry["family"]
    return {
        "written": None if is_key else _written(entry),
        "takes": entry["takes"] if is_key else None,
        "default": _default(entry) if is_key and not entry["keys"] else None,
        "symbol": entry["symbol"],
        "only for": ", ".join(entry["of"]),
        "unit": (entry["unit"] or "none") if "unit" in entry else None,
        "keys": ", ".join(entry.get("measures", ())),
        "source": entry["source"],
        "page": entry.get("page"),
    }


def _written(entry: dict[str, Any]) -> str | None:
    match entry["family"]:
        case "measure":
            return f"xoff sweep FILE --measure {entry['path'].replace('[]', '[0]')}"
        case "key of plans":
            return f"xoff plan FILE --set {entry['path'].replace('.at_rate.', '.at_rate.RATE.')}=VALUE"
        case "starter":
            return f"xoff init {entry['name']}"
        case "column":
            return None
    if entry["path"].startswith(_FLUID):
        return f"xoff fluid {entry['name']} --set KEY=VALUE"
    return f'{_shown(entry["path"])} = "{entry["name"]}"'


def _shown(path: str) -> str:
    """A key as it is set: tables of transports have names."""
    return re.sub(r"^transport\.", "transport.NAME.", path)


def _default(entry: dict[str, Any]) -> str:
    return "none, it must be set" if entry["required"] else entry["default"] or "left out"


def _key(key: dict[str, Any]) -> str:
    symbol = f" [{key['symbol']}]" if key["symbol"] else ""
    return f"{key['about']}{symbol} Default: {_default(key)}."


def _print_lines(heading: str, lines: list[tuple[str, str]]) -> None:
    if lines and heading:
        click.echo(f"  {heading}:")
    width = max((len(name) for name, _ in lines), default=0)
    for name, about in lines:
        say(f"    {name:{width}}  {about}", hang=width + 6)
