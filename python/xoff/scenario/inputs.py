"""The files that a scenario names: their names in a result folder, and their digest."""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FOLDER = "inputs/"
"""Where a result folder holds them."""


def names(paths: Iterable[str]) -> dict[str, str]:
    """For each path a name of its own in the folder `inputs`; names that are there already stay as they are."""
    given: dict[str, str] = {}
    for path in paths:
        plain = PurePosixPath(path)
        name, number = f"{FOLDER}{plain.name}", 1
        while name in given.values():
            number += 1
            name = f"{FOLDER}{plain.stem}-{number}{plain.suffix}"
        given[path] = name
    return given


def digest(resolved: str, named: Mapping[str, str]) -> str:
    """SHA-256, in hexadecimal, of a resolved scenario and of the text of the files it names, by path."""
    text = json.dumps([resolved, sorted(named.items())], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
