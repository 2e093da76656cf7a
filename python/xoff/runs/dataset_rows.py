"""Rows of a dataset: all of a run's summary and provenance, in columns that are the same for every run."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from xoff.results.measures import spelled_out
from xoff.results.summary_keys import KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xoff.results.summary import Summary

_FLAGS = {"interrupted", "deadlock", "stood_still", "reached_time_limit"}
"""Keys of the summary that are true or false."""
_WORDS = pa.list_(pa.string())
_PROVENANCE = {
    "created": pa.timestamp("ms", "UTC"),
    "build": pa.string(),
    "command": _WORDS,
    "scenario_file": pa.string(),
    "overrides": _WORDS,
    "threads": pa.int64(),
    "versions.python": pa.string(),
    "versions.xoff": pa.string(),
    "versions.numpy": pa.string(),
    "versions.pyarrow": pa.string(),
    "machine.system": pa.string(),
    "machine.processor": pa.string(),
}
"""Columns of `provenance.json`, and the digest of the build."""


@cache
def schema() -> pa.Schema:
    """Returns the columns of a run, without its axes and its seed.

    A key of the summary is a column by its own name; a list of tables, such as `workloads`, is one of structs.
    """
    plain: dict[str, pa.DataType] = {}
    inner: dict[str, list[pa.Field]] = {}
    for key, kind in _keys():
        name, bracket, below = key.partition("[]")
        if below:
            inner.setdefault(name, []).append(pa.field(below[1:], kind))
            plain[name] = pa.list_(pa.struct(inner[name]))
        else:
            plain[name] = pa.list_(kind) if bracket else kind
    of_provenance = {f"provenance.{name}": kind for name, kind in _PROVENANCE.items()}
    return pa.schema(plain | of_provenance)


def _keys() -> Iterator[tuple[str, pa.DataType]]:
    """Yields each key of the summary with its type; the seed is a partition."""
    for entry in KEYS:
        for key in (key for path in entry.keys for key in spelled_out(path)):
            if key != "seed":
                yield key, pa.bool_() if key in _FLAGS else pa.string() if entry.unit is None else pa.float64()


def row(summary: Summary, provenance: Mapping[str, Any], build: str) -> pa.Table:
    """Returns a run as a table of one row."""
    told = {**provenance, "build": build, "created": datetime.fromisoformat(provenance["created"])}
    found = {
        name: _at(told, name.removeprefix("provenance.")) if name.startswith("provenance.") else _at(summary, name)
        for name in schema().names
    }
    return pa.Table.from_pylist([found], schema())


def _at(data: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401 as JSON has it
    """Returns the value of a key with dots; None if it is missing."""
    found: Any = data
    for part in key.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found
