"""The atlas of all figures, found by their ids."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from xoff.errors import ScenarioError
from xoff.reproduce.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence


def shipped() -> Path:
    """Returns the folder `figures` of the clone that xoff runs from; without a clone, of the working directory."""
    clone = Path(__file__).parents[3] / "figures"
    return clone if clone.is_dir() else Path("figures")


def find(ids: Sequence[str] = (), root: Path | None = None, changes: tuple[str, ...] = ()) -> list[Figure]:
    """Returns the figures with some ids, or below them (`bcc` for all of `bcc/...`); without ids, all figures.

    Args:
        ids: Ids of figures, or of groups of them.
        root: Folder of all figures; left out, that of the clone.
        changes: Changes of the figures' scenarios, each `KEY=VALUE`.

    Raises:
        ScenarioError: An id is unknown, or there are no figures at all.
    """
    root = root or shipped()
    folders = sorted(path.parent for path in root.glob("**/figure.toml"))
    if not folders:
        where = "they are in the repository that xoff was built from, and in no package"
        expected = f"{where}: run xoff in a clone of it, or name the folder, --figures CLONE/figures"
        raise ScenarioError(None, "--figures", f"{root} holds no figures", expected)
    there = {folder.relative_to(root).as_posix(): folder for folder in folders}
    for wanted in ids:
        if not any(_is_in(found, wanted) for found in there):
            papers = {found.split("/")[0] for found in there}
            near = [found for found in there if found.endswith("/" + wanted)]
            near = near or get_close_matches(wanted, [*sorted(papers), *there], n=1)
            hint = f"did you mean {' or '.join(near)}?" if near else "expected one that `xoff reproduce --list` prints"
            raise ScenarioError(None, wanted, "no such figure", hint)
    return [
        Figure(found, folder, changes)
        for found, folder in there.items()
        if not ids or any(_is_in(found, wanted) for wanted in ids)
    ]


def _is_in(found: str, wanted: str) -> bool:
    return found == wanted or found.startswith(wanted.rstrip("/") + "/")
