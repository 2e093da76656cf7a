"""Data as JSON, as files have it and as `--json` prints it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def document(data: object) -> str:
    """A whole document, to be read by people too."""
    return json.dumps(data, indent=2, ensure_ascii=False)


def write(path: Path, data: object) -> None:
    """The same as a file."""
    path.write_text(document(data) + "\n", encoding="utf-8")
