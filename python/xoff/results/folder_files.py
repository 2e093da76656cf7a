"""Files of a result folder: reading one back, and checks that xoff can have written it."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from xoff.errors import ResultError
from xoff.results.columns import ADDED_LATER
from xoff.results.measures import anywhere, every, statistic
from xoff.scenario import inputs
from xoff.text import json_text, toml_text
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_REMEDY = "expected what xoff run has written; name another folder, or remove this one and run the scenario again"

_MAY_BE_NULL = {
    "flows.long_lived_jain_index",
    "workloads[].long_lived_jain_index",
    "queries.timeout_fraction",
    "jobs[].completion_us",
    "watchdog[].restored_ns",
    "recorded_until_ns",
    "engine.ns_per_packet_hop",
    "engine.added_rss_mb",
}
"""Numbers that may be null in some runs, besides statistics of values of which there may be none."""


def refusal(path: Path, problem: str, key: str = "") -> ResultError:
    """Returns the error for a file that is not as xoff has written it."""
    return ResultError(str(path), key, problem, _REMEDY)


def is_there(path: Path) -> bool:
    """Whether a path exists. Raises ResultError if the system refuses to say."""
    try:
        return path.exists()
    except OSError as error:
        raise _unreadable(path, error) from None


def text(path: Path) -> str:
    """Reads a text file. Raises ResultError."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise refusal(path, f"is damaged: byte {error.start} is not UTF-8") from None
    except OSError as error:
        raise _unreadable(path, error) from None


def scenario(path: Path) -> tuple[str, dict[str, str]]:
    """Reads a scenario, and the text of the files that it names, by path. Raises ResultError."""
    found = text(path)
    try:
        names = [inputs.file_of(text) for text in _texts(toml_text.parse(found)) if text.startswith(inputs.FOLDER)]
    except ValueError as error:
        raise refusal(path, f"is damaged: {error}") from None
    return found, {name: text(path.parent / name) for name in names}


def document(path: Path) -> dict[str, Any]:
    """Reads a JSON object. Raises ResultError, as does the returned dictionary for a key that it lacks."""
    content = text(path)
    try:
        found = json_text.parse(content)
    except ValueError as error:
        raise refusal(path, f"is damaged: {error}") from None
    if not isinstance(found, dict):
        raise refusal(path, "is no table")
    return _Keys(path, "", found)


def table(path: Path, schema: pa.Schema, rows: int | None = None) -> pa.Table:
    """Reads the columns of a schema from a Parquet file, and checks the number of rows. Raises ResultError.

    Columns that xoff did not write once are null if they are missing.
    """
    try:
        with path.open("rb") as file, _opened(file) as parquet:
            found = parquet.read(schema.names, use_threads=False).unify_dictionaries()  # each row group has its own
        found.validate(full=True)
        for field in schema:
            if field.name in ADDED_LATER and field.name not in found.schema.names:
                found = found.append_column(field, pa.nulls(found.num_rows, field.type))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    for field in schema:
        if field not in list(found.schema):
            raise refusal(path, f"has no column `{field.name}` of type {field.type}")
    if rows is not None:
        _check_rows(path, found.num_rows, rows)
    return found


def _opened(file: BinaryIO) -> pq.ParquetFile:
    """Opens a Parquet file for reading without threads; Arrow's threads abort Python if they run at its end."""
    return pq.ParquetFile(file, page_checksum_verification=True, pre_buffer=False)


def _check_rows(path: Path, there: int, rows: int) -> None:
    if there != rows:
        raise refusal(path, f"is of another run: it has {counted(there, 'row')}, and the summary counts {rows:,}")


def _unreadable(path: Path, error: Exception) -> ResultError:
    """Returns the error for a file that the system refuses to read, or that Arrow cannot."""
    reason = getattr(error, "strerror", None)
    return refusal(path, f"cannot read: {reason.lower()}" if reason else f"is damaged: {error}")


class _Keys(dict[str, Any]):
    """An object of a JSON file, and the objects in it, which raise ResultError for a missing key."""

    def __init__(self, path: Path, key: str, found: dict[str, Any]) -> None:
        super().__init__({name: _with_keys(path, f"{key}{name}", value) for name, value in found.items()})
        self._path, self._key = path, key

    def __missing__(self, name: str) -> NoReturn:
        raise refusal(self._path, "is missing", f"{self._key}{name}")


def _with_keys(path: Path, key: str, value: object) -> object:
    match value:
        case dict():
            return _Keys(path, f"{key}.", value)
        case list():
            return [_with_keys(path, f"{key}[{place}]", one) for place, one in enumerate(value)]
        case _:
            return value


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from _texts(list(value.values()))
        case list():
            for one in value:
                yield from _texts(one)


def check_summary(file: Path, found: object, key: str = "") -> None:
    """Raises ResultError unless numbers, tables and lists of a summary are where xoff writes them.

    The error names the file and the key; `key` is the key at which `found` stands.
    """
    kind = _kinds().get(anywhere(key))
    if kind == "number" and found is None and not _may_be_null(anywhere(key)):
        raise refusal(file, "is missing", key)
    if kind and not _is_a(found, kind):
        raise refusal(file, f"is no {kind}", key)
    if isinstance(found, dict):
        for name, value in found.items():
            check_summary(file, value, f"{key}.{name}".removeprefix("."))
    if isinstance(found, list):
        for place, value in enumerate(found):
            check_summary(file, value, f"{key}[{place}]")


@cache
def _kinds() -> dict[str, str]:
    """Returns `number`, `table` or `list` for every key of a number and every key on the way to one."""
    kinds = dict.fromkeys(every(), "number")
    for key in every():
        for step in re.finditer(r"\[\]|\.", key):
            kinds[key[: step.start()]] = "list" if step[0] == "[]" else "table"
    return kinds


def _may_be_null(key: str) -> bool:
    return key in _MAY_BE_NULL or bool(statistic(key))


def check_provenance(file: Path, found: Mapping[str, object]) -> None:
    """Raises ResultError unless lists and tables of a provenance are where xoff writes them."""
    for key, kind in (("command", "list"), ("input_files", "table"), ("versions", "table"), ("machine", "table")):
        if not _is_a(found[key], kind):
            raise refusal(file, f"is no {kind}", key)
    command = found["command"]
    if isinstance(command, list) and not all(isinstance(word, str) for word in command):
        raise refusal(file, "is no list of words", "command")


def _is_a(value: object, kind: str) -> bool:
    if kind == "number":  # null is where there is nothing to count
        return value is None or (isinstance(value, int | float) and math.isfinite(value))
    return isinstance(value, dict if kind == "table" else list)
