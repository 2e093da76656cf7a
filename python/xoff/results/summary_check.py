"""Whether a summary has numbers, tables and lists where xoff writes them."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING

from xoff.results import folder_files
from xoff.results.measures import anywhere, every, statistic

if TYPE_CHECKING:
    from pathlib import Path

_MAY_BE_NULL = {
    "flows.long_lived_jain_index",
    "workloads[].long_lived_jain_index",
    "queries.timeout_fraction",
    "jobs[].completion_us",
    "watchdog[].restored_ns",
    "engine.ns_per_packet_hop",
    "engine.added_rss_mb",
}
"""Numbers that some runs have nothing to say of, besides statistics of what there may be none of."""


def check(file: Path, found: object, key: str = "") -> None:
    """Raises ResultError, which names the file and the key, for what is something else; `key` is where it was found."""
    kind = _kinds().get(anywhere(key))
    if kind == "number" and found is None and not _may_be_null(anywhere(key)):
        raise folder_files.refusal(file, "is missing", key)
    if kind and not _is(found, kind):
        raise folder_files.refusal(file, f"is no {kind}", key)
    if isinstance(found, dict):
        for name, value in found.items():
            check(file, value, f"{key}.{name}".removeprefix("."))
    if isinstance(found, list):
        for place, value in enumerate(found):
            check(file, value, f"{key}[{place}]")


@cache
def _kinds() -> dict[str, str]:
    """Of each number's key, and of each table and list that such a key leads through, what it is."""
    kinds = dict.fromkeys(every(), "number")
    for key in every():
        for step in re.finditer(r"\[\]|\.", key):
            kinds[key[: step.start()]] = "list" if step[0] == "[]" else "table"
    return kinds


def _may_be_null(key: str) -> bool:
    return key in _MAY_BE_NULL or bool(statistic(key))


def _is(value: object, kind: str) -> bool:
    if kind == "number":  # null is where there is nothing to count
        return value is None or (isinstance(value, int | float) and math.isfinite(value))
    return isinstance(value, dict if kind == "table" else list)
