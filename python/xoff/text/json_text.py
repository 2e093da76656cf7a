"""JSON as files hold it and as `--json` prints it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def document(data: object) -> str:
    """Returns data as a JSON document, indented for people."""
    return json.dumps(data, indent=2, ensure_ascii=False)


def write(path: Path, data: object) -> None:
    """Writes data into a JSON file."""
    path.write_text(document(data) + "\n", encoding="utf-8")
