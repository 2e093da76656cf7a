"""Digest of all that decides the values of a figure at the paper's size, so that values older than it are found.

Scenario, runs of `figure.toml`, measures of `figure.py` and files of data count. Words do not, nor do tolerances, since
verdicts are passed anew from the values. Nor does the plot: `draw` of `figure.py` is left out.
"""

from __future__ import annotations

import ast
import hashlib
from typing import TYPE_CHECKING, Any

from xoff.reproduce.scale import Scale
from xoff.text import json_text, toml_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WORDS = {"README.md", "expected.csv", "measured.json"}
_DIGITS = 16  # 64 bits
_RUNS = ("set", "only", "seeds")


def digest(folder: Path) -> str:
    """Returns the digest of what decides the values of the figure in a folder."""
    return hashlib.sha256(b"\0".join(_parts(folder))).hexdigest()[:_DIGITS]


def _parts(folder: Path) -> Iterator[bytes]:
    for path in sorted(folder.iterdir()):
        if path.name in _WORDS or path.suffix == ".svg" or not path.is_file():
            continue
        yield path.name.encode()
        match path.name:
            case "figure.toml":
                yield _canonical(_runs(_table(path)))
            case "scenario.toml":
                yield _canonical(_table(path))
            case "figure.py":
                yield _measures(path.read_text(encoding="utf-8")).encode()
            case _:
                yield path.read_bytes()


def _table(path: Path) -> dict[str, Any]:
    return toml_text.parse(path.read_text(encoding="utf-8"))


def _runs(table: dict[str, Any]) -> dict[str, Any]:
    at_paper = table.get("scales", {}).get(Scale.PAPER, {})
    return {"axes": table.get("axes", {}), **{key: at_paper[key] for key in _RUNS if key in at_paper}}


def _canonical(table: dict[str, Any]) -> bytes:
    return json_text.document(table).encode()


def _measures(source: str) -> str:
    """Returns the source of `figure.py` without `draw`."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == "draw":
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines).rstrip()
