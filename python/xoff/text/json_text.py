"""JSON as files hold it and as `--json` prints it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_DEEPEST = 100
"""Most levels of lists and objects: no file of xoff has ten, and Python calls itself a thousand times at the most."""


def parse(text: str) -> Any:  # noqa: ANN401 as json.loads
    """Parses the JSON of a file. Raises ValueError, also for lists and objects in each other more than 100 deep."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    level = [found]
    for _ in range(_DEEPEST):
        level = [inner for one in level if isinstance(one, dict | list) for inner in _inside(one)]
        if not level:
            return found
    raise _too_deep()


def _inside(one: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return one.values() if isinstance(one, dict) else one


def _too_deep() -> ValueError:
    message = f"nested more than {_DEEPEST} deep"
    return ValueError(message)


def document(data: object) -> str:
    """Returns data as a JSON document, indented for people."""
    return json.dumps(data, indent=2, ensure_ascii=False)


def write(path: Path, data: object) -> None:
    """Writes data into a JSON file."""
    path.write_text(document(data) + "\n", encoding="utf-8")
