"""A `config_db.json` as it was found: its rows as types, what is wrong with the others, and the line of everything."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from xoff.errors import InputError
from xoff.switches.sonic import located
from xoff.switches.sonic.config_db import ConfigDb
from xoff.switches.sonic.fields import OF_FILE, refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic_core import ErrorDetails

TABLES = frozenset(field.alias for field in ConfigDb.model_fields.values() if field.alias)


@dataclass(frozen=True)
class Invalid:
    """A value that its table does not allow; its row is left out of the tables."""

    path: tuple[str, ...]
    """Table, key of the row, field; fewer where it is the row or the table as a whole."""
    value: str
    problem: str
    expected: str
    """Value that would be right, in words."""


@dataclass(frozen=True)
class Overwritten:
    """A value that is lost, since its key stands again further down in the same object."""

    path: tuple[str, ...]
    line: int
    value: str


@dataclass(frozen=True)
class ConfigFile:
    """A file of ConfigDB.

    Attributes:
        text: As it was found.
        config: Its rows, as far as they are valid.
        invalid: What is not.
    """

    name: str
    text: str
    config: ConfigDb
    invalid: tuple[Invalid, ...]
    _raw: located.LocatedObject

    @classmethod
    def parse(cls, name: str, text: str) -> ConfigFile:
        """Reads a file's text.

        Raises:
            InputError: It is no JSON, or holds no table of ConfigDB that matters here.
        """
        raw = _tables(name, text)
        try:
            return cls(name, text, ConfigDb.model_validate(raw, context=OF_FILE), (), raw)
        except ValidationError as error:
            invalid = tuple(_invalid(detail) for detail in error.errors(include_url=False))
        valid = _without(raw, {_dropped(one.path) for one in invalid})
        return cls(name, text, ConfigDb.model_validate(valid, context=OF_FILE), invalid, raw)

    def edited(self, values: Mapping[tuple[str, ...], str]) -> str:
        """Returns the text with other values in some fields, by table, row and field; adds rows that are not there."""
        found: list[tuple[int, int, str]] = []
        added: dict[str, dict[str, dict[str, str]]] = {}
        for table, key in dict.fromkeys(path[:2] for path in values):
            fields = {field: value for (*its, field), value in values.items() if its == [table, key]}
            if self.has(table, key):
                found += self._edits(table, key, fields)
            else:
                added.setdefault(table, {})[key] = fields
        new = {table: rows for table, rows in added.items() if not self.has(table)}
        found += self._additions(self._raw, self.text.index("{"), new)
        for table in added.keys() - new.keys():
            found += self._additions(self._raw[table], self._raw.spans[table].start, added[table])
        text = self.text
        for start, end, other in sorted(found, reverse=True):
            text = text[:start] + other + text[end:]
        return text

    def _edits(self, table: str, key: str, fields: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
        """From where to where of the text something else is to stand, and what."""
        row = self._raw[table][key]
        for field in fields.keys() & row.spans:
            span = row.spans[field]
            yield span.start, span.stop, json.dumps(fields[field]) if self.text[span.start] == '"' else fields[field]
        new = {field: value for field, value in fields.items() if field not in row.spans}
        yield from self._additions(row, self._raw[table].spans[key].start, new)

    def _additions(
        self, to: located.LocatedObject, start: int, values: Mapping[str, object]
    ) -> Iterator[tuple[int, int, str]]:
        """Yields the changes of text that add values to an object which has none yet and starts there."""
        new = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in values.items()]
        if new and to.spans:
            after, between = max(span.stop for span in to.spans.values()), self._between(to)
            yield after, after, between + between.join(new)
        elif new:
            yield start + 1, start + 1, ", ".join(new)

    def _between(self, to: located.LocatedObject) -> str:
        """Returns the text between its last value and a new one: a comma, and a new line if each has its own."""
        last = max(span.start for span in to.spans.values())
        begin = self.text.rfind("\n", 0, last) + 1
        line = self.text[begin:last]
        end = "\r\n" if self.text[:begin].endswith("\r\n") else "\n"
        indentation = line[: len(line) - len(line.lstrip())]
        return f",{end}{indentation}" if line.lstrip().count('"') == 2 else ", "

    def line(self, path: Sequence[str]) -> int:
        """Returns the line of a table, row or field; if the file lacks it, the line of the nearest one around it."""
        value: Any = self._raw
        line = 1
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
            line = located.line_of(value, line)
        return line

    def value(self, path: Sequence[str]) -> str:
        """Returns the value of a field; empty if it is not there."""
        value: Any = self._raw
        for part in path:
            value = value.get(part, "") if isinstance(value, dict) else ""
        return _text(value)

    def has(self, *path: str) -> bool:
        """Whether there is such a table or row, valid or not."""
        value: Any = self._raw
        for part in path:
            if not isinstance(value, dict) or part not in value:
                return False
            value = value[part]
        return True

    def has_rows(self, table: str) -> bool:
        """Whether a table is there and not empty."""
        return bool(self._raw.get(table))

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of all tables that are there, of whatever kind."""
        return tuple(self._raw)

    @property
    def overwritten(self) -> tuple[Overwritten, ...]:
        """All values that are lost."""
        return tuple(_overwritten(self._raw, (), 1))

    def contradicts(self, other: ConfigFile) -> bool:
        """Whether both have a row, or a table that is none, and not the same."""
        return any(
            value != other._raw[table]
            if not isinstance(value, dict) or not isinstance(other._raw[table], dict)
            else any(row != other._raw[table].get(key, row) for key, row in value.items())
            for table, value in self._raw.items()
            if table in other._raw
        )


def _text(value: object) -> str:
    """Returns a string by itself, all else as JSON has it; empty for an object."""
    if isinstance(value, dict):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _overwritten(value: object, path: tuple[str, ...], line: int) -> Iterator[Overwritten]:
    if not isinstance(value, located.LocatedObject):
        return
    line = located.line_of(value, line)
    for key, lost in value.overwritten:
        yield Overwritten((*path, key), located.line_of(lost, line), _text(lost))
    for key, child in value.items():
        yield from _overwritten(child, (*path, key), line)


def _tables(name: str, text: str) -> located.LocatedObject:
    expected = "expected config_db.json of SONiC"
    try:
        raw = located.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(name, where, f"is no JSON: {error.msg[:1].lower()}{error.msg[1:]}", expected) from None
    except ValueError:
        most = sys.get_int_max_str_digits()
        raise InputError(name, "", f"holds a number of more than {most} digits", expected) from None
    except RecursionError:
        raise InputError(name, "", "is nested too deeply", expected) from None
    if not isinstance(raw, located.LocatedObject):
        raise InputError(name, "", "is no object of tables", expected)
    inside = [key for key, value in raw.items() if isinstance(value, dict) and TABLES & value.keys()]
    if inside and not TABLES & raw.keys():
        problem = f"holds tables of several namespaces, such as {inside[0]}"
        raise InputError(name, "", problem, "expected those of each in a file of its own")
    if not TABLES & raw.keys():
        known = "tables such as BUFFER_PROFILE, WRED_PROFILE or PORT_QOS_MAP"
        raise InputError(name, "", "holds none of the tables about buffers", f"{expected}, with {known}")
    return raw


def _invalid(detail: ErrorDetails) -> Invalid:
    path = tuple(str(part) for part in detail["loc"] if part != "[key]")
    given = detail["input"]
    value = "" if "[key]" in detail["loc"] else _text(given)
    return Invalid(path, value, *refused(detail))


def _dropped(path: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the path to drop for an invalid value: the whole row, but of CABLE_LENGTH a single cable."""
    return path[:3] if path[0] == "CABLE_LENGTH" else path[:2]


def _without(value: Any, dropped: set[tuple[str, ...]], path: tuple[str, ...] = ()) -> Any:  # noqa: ANN401
    if not isinstance(value, dict):
        return value
    kept = {key: child for key, child in value.items() if (*path, key) not in dropped}
    return {key: _without(child, dropped, (*path, key)) for key, child in kept.items()}
