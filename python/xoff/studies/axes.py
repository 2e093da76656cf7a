"""Axes of studies: keys that vary from run to run, in files and on the command line.

```toml
[axes.threshold]             # the values of one key
key = "switch.marking.queue.threshold"
values = [25, 50]
unit = "kB"                  # left out if they have none

[axes.scheme.values]         # names, or numbers in quotes, each with the keys it changes
standard = {}
bcc = { "switch.marking.pool" = { kind = "bcc" } }
unmarked = { "switch.marking" = "" }   # removes the key
```
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field, ValidationError, model_validator

from xoff import _xoff
from xoff.errors import ScenarioError, unfit
from xoff.studies import ranges
from xoff.text.line import is_line
from xoff.text.model_file import Table, said
from xoff.text.toml_text import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

_A_RANGE = "expected START:END:STEP in one unit, such as 0.2:0.8:0.2 or 100kB:400kB:100kB"

Value: TypeAlias = "float | str"
"""A position on an axis: a number, or a name."""

Changes: TypeAlias = dict[str, Any]
"""Keys of a scenario with their new values."""

Positions: TypeAlias = "Mapping[Value, Changes]"
"""Positions on an axis, each with the keys that it changes."""


def position(text: str) -> Value:
    """Returns a name in a file as a number, if it reads as one."""
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return number(text)
    return text


class Axis(Table):
    """An axis: values of one key, or names that each stand for some changed keys."""

    values: Annotated[Any, Field(json_schema_extra={"format": "list, or a table of names"})]
    """Values of the key; or names, or numbers in quotes, each with a table of changed keys (`""` removes a key)."""
    key: str | None = None
    """Key of the scenario that takes the values."""
    unit: str | None = None
    """Unit of all values; left out, they have none, or each its own."""

    @model_validator(mode="after")
    def _named_or_of_one_key(self) -> Axis:
        if not isinstance(self.values, dict | list) or not self.values:
            problem, expected = (
                "has no values",
                "expected a list of them with a key, or a table of names with the keys they change",
            )
        elif isinstance(self.values, dict):
            if self.key or self.unit or not all(isinstance(each, dict) for each in self.values.values()):
                problem, expected = (
                    "has names for values",
                    "expected for each a table of the keys it changes, no key and no unit",
                )
            elif not all(map(is_line, self.values)):
                problem, expected = "has a name of several lines, or with control characters", "expected one line each"
            elif len({position(name) for name in self.values}) < len(self.values):
                problem, expected = "has a value twice", "expected each once"
            else:
                return self
        elif self.key is None:
            problem, expected = "has no key", "expected the key that takes the values"
        elif not all(isinstance(each, str | int | float) for each in self.values):
            problem, expected = (
                "has lists or tables for values",
                "expected numbers, text, true or false, or names for them",
            )
        elif len(set(self.values)) < len(self.values):
            problem, expected = "has a value twice", "expected each once"
        else:
            return self
        raise unfit(problem, expected)

    @classmethod
    def given(cls, name: str, values: object) -> Axis:
        """Makes an axis from Python values of the key `name`, or from names with changed keys. Raises ScenarioError."""
        values = plain(values)
        try:
            if isinstance(values, Mapping):
                return cls(values=dict(values))
            if isinstance(values, Iterable) and not isinstance(values, str):
                values = [plain(each) for each in values]
            return cls(key=name, values=values)
        except ValidationError as error:
            raise ScenarioError(None, name, *said(error.errors()[0])) from None

    @classmethod
    def spelled(cls, key: str, values: Iterable[str]) -> Axis:
        """Makes an axis from values of a key as `--set` takes them: strings need no quotes. Raises ScenarioError."""
        return cls.given(key, {text: {key: literal(text)} for text in values})

    @property
    def positions(self) -> Positions:
        """Positions of the axis, each with the keys that it changes."""
        if isinstance(self.values, dict):
            return {position(name): changes for name, changes in self.values.items()}
        assert self.key is not None
        return {value: {self.key: f"{value}{self.unit}" if self.unit else value} for value in self.values}


def check_unvaried(axes: Mapping[str, Axis], changes: Iterable[str], file: str | None = None) -> None:
    """Raises ScenarioError for a change, `KEY=VALUE`, of a key that an axis sets at each of its positions."""
    for change in changes:
        key = change.partition("=")[0].strip()
        spellings = {key, re.sub(r"\[\d+\]", "", key)}  # a key without an index is that of all tables
        for name, axis in axes.items():
            if all(spellings & changed.keys() for changed in axis.positions.values()):
                raise ScenarioError(file, f"--set {change}", f"the axis {name} varies it", "expected another key")


def headings(names: Iterable[str]) -> dict[str, str]:
    """Returns the headings of keys: the last part of each where that is unique, else the whole key."""
    ends = {name: name.rpartition(".")[2] for name in names}
    of_each = list(ends.values())
    return {name: end if of_each.count(end) == 1 else name for name, end in ends.items()}


def combinations(axes: Mapping[str, Positions]) -> Iterator[tuple[dict[str, Value], Changes]]:
    """Yields every combination of positions, the last axis fastest, with its changes; a later axis overrides."""
    for positions in itertools.product(*axes.values()):
        at = dict(zip(axes, positions, strict=True))
        changes: Changes = {}
        for axis, value in at.items():
            changes |= axes[axis][value]
        yield at, changes


def spelled(options: Iterable[str]) -> dict[str, list[str]]:
    """Parses options `--sweep KEY=A,B,C` into keys and their values; commas in brackets or quotes separate nothing.

    START:END:STEP stands for several values. Raises ScenarioError for a key without values, for a key or value that
    stands twice, and for a step that does not lead to the end.
    """
    found = {}
    for key, parts in listed(options, "--sweep").items():
        values = [value for part in parts for value in ranges.values_of(f"--sweep {key}={part}", part, _A_RANGE)]
        if len(set(values)) < len(values):
            where = f"--sweep {key}={','.join(parts)}"
            raise ScenarioError(None, where, "a value stands twice", "expected each value once")
        found[key] = values
    return found


def listed(options: Iterable[str], option: str) -> dict[str, list[str]]:
    """Parses texts `KEY=A,B,C` into keys, each with the texts between commas.

    Raises ScenarioError, which names the option, for an empty value, and for a key that stands twice.
    """
    found: dict[str, list[str]] = {}
    for text in options:
        key, separator, values = text.partition("=")
        key, parts = key.strip(), _parts(values)
        where = f"{option} {text}"
        if not separator or not key or not all(parts):
            raise ScenarioError(None, where, "no values", "expected KEY=A,B,C, such as timer=55us,300us")
        if key in found:
            raise ScenarioError(
                None, where, f"`{key}` stands in another {option}", f"expected all its values in one {option}"
            )
        found[key] = parts
    return found


def literal(text: str) -> object:
    """Parses a value as `--set` takes it: strings need no quotes."""
    return _xoff.value(text)


def _parts(listed: str) -> list[str]:
    parts, depth = [""], 0
    for piece in re.findall(r'"[^"]*"|.', listed):
        if piece == "," and depth == 0:
            parts.append("")
            continue
        depth += (piece in "[{") - (piece in "]}")
        parts[-1] += piece
    return [part.strip() for part in parts]
