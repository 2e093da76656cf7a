"""All figures there are, and finding them by their ids."""

from __future__ import annotations

from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from xoff.errors import ScenarioError
from xoff.reproduce.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence


def shipped() -> Path:
    """The folder of the figures that come with xoff."""
    return Path(str(files("xoff") / "figures"))


def find(ids: Sequence[str] = (), root: Path | None = None, changes: tuple[str, ...] = ()) -> list[Figure]:
    """The figures with these ids, or below them (`bcc` is all of `bcc/...`); all figures if there are none.

    Args:
        ids: What to look for.
        root: The folder of all figures; left out, those that come with xoff.
        changes: Changes of their scenarios, each `KEY=VALUE`.

    Raises:
        ScenarioError: Nothing has an id, with the nearest that there is.
    """
    root = root or shipped()
    folders = sorted(path.parent for path in root.glob("**/figure.toml"))
    there = {folder.relative_to(root).as_posix(): folder for folder in folders}
    for wanted in ids:
        if not any(_is_in(found, wanted) for found in there):
            near = get_close_matches(wanted, there, n=1)
            hint = f"did you mean {near[0]}?" if near else "expected one that `xoff reproduce --list` prints"
            raise ScenarioError(None, wanted, "no such figure", hint)
    return [
        Figure(found, folder, changes)
        for found, folder in there.items()
        if not ids or any(_is_in(found, wanted) for wanted in ids)
    ]


def _is_in(found: str, wanted: str) -> bool:
    return found == wanted or found.startswith(wanted.rstrip("/") + "/")
