"""Whether a summary has numbers, tables and lists where xoff writes them."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING

from xoff import result_files
from xoff.measures import anywhere, every

if TYPE_CHECKING:
    from pathlib import Path


def check(file: Path, found: object, key: str = "") -> None:
    """Raises ResultError, which names the file and the key, for what is something else; `key` is where it was found."""
    kind = _kinds().get(anywhere(key))
    if kind and not _is(found, kind):
        raise result_files.refusal(file, f"is no {kind}", key)
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


def _is(value: object, kind: str) -> bool:
    if kind == "number":  # null is where there is nothing to count
        return value is None or (isinstance(value, int | float) and math.isfinite(value))
    return isinstance(value, dict if kind == "table" else list)
