"""TOML as Python values, and Python values as TOML, which `Scenario.from_dict` gives to the simulator's validator."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from xoff import _xoff


def parse(text: str) -> dict[str, Any]:
    """Parses TOML with the simulator's parser, so that all commands take the same files. Raises ScenarioError."""
    return _xoff.toml(text)


def document(table: Mapping[str, object]) -> str:
    """Returns a TOML document; inner tables are written inline."""
    return "".join(f"{_key(key)} = {value(item)}\n" for key, item in table.items())


def changes(values: Mapping[str, object]) -> tuple[str, ...]:
    """Returns each key as `KEY=VALUE`, or as `KEY=`, which removes it, if the value is None or an empty text."""
    return tuple(f"{key}={'' if item is None or item == '' else value(item)}" for key, item in values.items())


def plain(item: object) -> object:
    """Converts numbers, truth values and arrays of NumPy and the like to Python's own; returns all else as it is."""
    match item:
        case bool():
            return item
        case Integral():
            return int(item)
        case Real():
            return float(item)
        case _ if hasattr(item, "tolist"):  # arrays, and NumPy's truth values, which are no numbers
            return item.tolist()
        case _:
            return item


def value(item: object, *, bare_keys: bool = False) -> str:
    """Returns one value as TOML. Raises TypeError for a value that TOML cannot hold.

    With `bare_keys`, keys stand without quotes where TOML allows it.
    """
    match plain(item):
        case bool() as truth:
            return "true" if truth else "false"
        case int() | float() as number:
            return repr(number)
        case str() as text:
            return _string(text)
        case Mapping() as table:
            inside = (
                f"{_key(key, bare=bare_keys)} = {value(of_it, bare_keys=bare_keys)}" for key, of_it in table.items()
            )
            return "{ " + ", ".join(inside) + " }"
        case Sequence() as items if not isinstance(items, bytes | bytearray):
            return "[" + ", ".join(value(inner, bare_keys=bare_keys) for inner in items) + "]"
        case _:
            message = f"a scenario cannot hold {item!r}; expected text, a number, true or false, a list or a table"
            raise TypeError(message)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: object, *, bare: bool = False) -> str:
    name = str(key)
    return name if bare and re.fullmatch("[A-Za-z0-9_-]+", name) else _string(name)
