"""Tables with other values in some fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint import Tables
from xoff.switches.lint.switches import parse
from xoff.switches.onto.outcome import Put

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.switches import SwitchFile
    from xoff.switches.onto.rows import Edits, Path


def with_valid(tables: Tables, edits: Edits) -> tuple[Tables, Edits]:
    """Returns the tables with the edits that SONiC would accept, and these edits."""
    new = edited(tables, edits)
    refused = _invalid(new) - _invalid(tables)
    if not refused:
        return new, edits
    kept = {path: text for path, text in edits.items() if all(path[: len(one)] != one for one in refused)}
    return edited(tables, kept), kept


def _invalid(tables: Tables) -> set[Path]:
    return {tuple(one.path) for source in tables.sources for one in source.invalid}


def edited(tables: Tables, edits: Edits) -> Tables:
    """Returns the tables with other values in some fields."""
    if not edits:
        return tables
    files = []
    for file in files_of(tables):
        its = {path: value for path, value in edits.items() if _file_of(tables, path) == file.name}
        files.append(parse(file.name, file.edited(its)) if its else file)
    return Tables.of(files, tables.chip)


def _file_of(tables: Tables, path: Path) -> str:
    if len(path) == len(("row", "column")):
        assert tables.lookup is not None, "it has the row"
        return tables.lookup.name
    return tables.place(*path).file


def files_of(tables: Tables) -> list[SwitchFile]:
    """Returns all files of some tables, the lookup table last."""
    return [*tables.sources, *([tables.lookup] if tables.lookup else [])]


def puts(old: Tables, edits: Edits) -> Iterator[Put]:
    """Yields the fields that edits change."""
    for path, after in edits.items():
        before = _value(old, path)
        if before != after:
            yield Put(_file_of(old, path), path, before, after)


def _value(tables: Tables, path: Path) -> str:
    """Returns the value of a field; empty if it has none."""
    if len(path) > len(("row", "column")):
        return tables.place(*path).value
    assert tables.lookup is not None, "it has the row"
    key, column = path
    found = next(getattr(row, column) for _, row in tables.lookup.rows if row.key == key)
    return "" if found is None else str(found)
