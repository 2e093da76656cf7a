"""Python values as TOML: what `Scenario.from_dict` and `with_value` hand to the one validator."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence


def document(table: Mapping[str, object]) -> str:
    """A whole document; tables within are written inline."""
    return "".join(f"{_key(key)} = {value(item)}\n" for key, item in table.items())


def changes(values: Mapping[str, object]) -> tuple[str, ...]:
    """Keys with their values as `KEY=VALUE`."""
    return tuple(f"{key}={value(item)}" for key, item in values.items())


def value(item: object) -> str:
    """One value. Raises TypeError for what TOML cannot say."""
    match item:
        case bool():
            return "true" if item else "false"
        case int() | float():
            return repr(item)
        case str():
            return _string(item)
        case Mapping():
            return "{ " + ", ".join(f"{_key(key)} = {value(inner)}" for key, inner in item.items()) + " }"
        case Sequence() if not isinstance(item, bytes | bytearray):
            return "[" + ", ".join(value(inner) for inner in item) + "]"
        case _:
            message = f"a scenario cannot hold {item!r}; expected text, a number, true or false, a list or a table"
            raise TypeError(message)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: object) -> str:
    return _string(str(key))
