"""`--set KEY=VALUE` on a TOML table, before a model reads it.

Scenarios do not use this: the simulator changes them, since it knows their schema.
"""

from __future__ import annotations

import re
import tomllib
from datetime import date, datetime, time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

_SCHEME = "scheme"
_STEP = re.compile(r'^(?P<name>"[^"]+"|[^\[\]"]+)(?:\[(?P<index>[0-9]+)\])?$')


class NotChangedError(ValueError):
    """A `KEY=VALUE` that cannot be applied to a table."""

    def __init__(self, key: str, problem: str, expected: str) -> None:
        """Takes the key, the problem, and a value that would do."""
        super().__init__(f"{key}: {problem}; {expected}")
        self.key, self.problem, self.expected = key, problem, expected


class _Step(NamedTuple):
    name: str
    place: int | None
    shown: str


def change(table: dict[str, object], texts: Iterable[str], tagged: Collection[str] = ()) -> None:
    """Applies each `KEY=VALUE`, such as `ports[0].rate=100Gbps`; `KEY=` removes the key. Raises NotChangedError.

    A table is merged with the table that is there; an empty one replaces it. A list without an index means all its
    tables. A `scheme` decides which keys the `tagged` tables have: setting another scheme empties the table first,
    whatever the order of the changes.
    """
    parsed = [_Change.of(text) for text in texts]
    for one in sorted(parsed, key=lambda one: not one.names_scheme(tagged)):
        for inner in _tables(table, one.above):
            if one.names_scheme(tagged) and inner.get(_SCHEME) != _parsed(one.value):
                inner.clear()
            _set(inner, one, tagged)


class _Change(NamedTuple):
    above: list[_Step]
    last: _Step
    value: str

    @classmethod
    def of(cls, text: str) -> _Change:
        key, equals, value = text.partition("=")
        if not equals:
            raise NotChangedError(f"--set {text}", "no `=`", "expected KEY=VALUE, such as ports.rate=100Gbps")
        *above, last = _steps(key.strip())
        if last.place is not None:
            problem = "one entry of a list is not changed by itself"
            expected = f"expected the whole list, {last.name}=[...], or a key of its tables"
            raise NotChangedError(last.shown, problem, expected)
        return cls(above, last, value.strip())

    def names_scheme(self, tagged: Collection[str]) -> bool:
        return bool(self.above) and self.above[-1].name in tagged and self.last.name == _SCHEME


def _steps(key: str) -> list[_Step]:
    found = []
    for part in re.split(r'\.(?=(?:[^"]*"[^"]*")*[^"]*$)', key):
        match = _STEP.match(part)
        if match is None:
            raise NotChangedError(f'key "{key}"', "malformed", "expected one such as ports.rate or ports[1].rate")
        found.append(_Step(match["name"].strip('"'), int(match["index"]) if match["index"] else None, part))
    return found


def _tables(table: dict[str, object], steps: Sequence[_Step]) -> Iterator[dict[str, object]]:
    """Yields every table that a path leads to, and makes those that are missing."""
    if not steps:
        yield table
        return
    step, *rest = steps
    inner = table.setdefault(step.name, {})
    found = _entries(inner, step) if isinstance(inner, list) else [inner]
    if step.place is not None and not isinstance(inner, list):
        raise NotChangedError(step.shown, f"`{step.name}` is no list", f"expected `{step.name}` without an index")
    for one in found:
        if not isinstance(one, dict):
            raise NotChangedError(step.shown, "is no table", "expected a key that stands in a table")
        yield from _tables(one, rest)


def _entries(values: list[object], step: _Step) -> list[object]:
    if step.place is None:
        return values
    if step.place >= len(values):
        problem = f"`{step.name}` has {len(values)}, counted from 0"
        raise NotChangedError(step.shown, problem, f"expected an index below {len(values)}")
    return [values[step.place]]


def _set(table: dict[str, object], one: _Change, tagged: Collection[str]) -> None:
    name = one.last.name
    if not one.value:
        table.pop(name, None)
        return
    new, old = _parsed(one.value), table.get(name)
    merged = isinstance(new, dict) and new and isinstance(old, dict) and not (name in tagged and _SCHEME in new)
    table[name] = old | new if merged else new  # type: ignore[operator] # both are tables


def _parsed(text: str) -> object:
    """Parses a TOML value; text that is none stays as it is, so that `100Gbps` needs no quotes."""
    try:
        table = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    value = table.get("value")
    return text if len(table) != 1 or isinstance(value, date | datetime | time) else value
