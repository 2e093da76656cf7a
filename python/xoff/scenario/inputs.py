"""The files that a scenario names: their names in a result folder, and their digest."""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FOLDER = "inputs/"
"""Folder inside a result folder that holds the input files."""


def names(paths: Iterable[str]) -> dict[str, str]:
    """Returns for each path a unique name in the folder `inputs/`; a path that is such a name stays."""
    given: dict[str, str] = {}
    for path in paths:
        plain = PurePosixPath(path)
        name, number = f"{FOLDER}{plain.name}", 1
        while name in given.values():
            number += 1
            name = f"{FOLDER}{plain.stem}-{number}{plain.suffix}"
        given[path] = name
    return given


def file_of(name: str) -> str:
    """Returns the file that a scenario names: of a scheme such as `inputs/my_control.py:MyControl`, the first part."""
    file, colon, _ = name.rpartition(".py:")
    return f"{file}.py" if colon else name


def digest(resolved: str, named: Mapping[str, str]) -> str:
    """Returns the SHA-256, in hexadecimal, of a resolved scenario and of the files it names, given by path."""
    text = json.dumps([resolved, sorted(named.items())], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
