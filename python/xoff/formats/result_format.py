"""Formats of other tools into which a result is written."""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.results.result import Result


class ResultFormat(StrEnum):
    """Formats of results; a module of this folder by the same name has `lines`."""

    FCT = "fct"
    """`fct.txt` of HPCC's ns-3 and its descendants."""

    def lines(self, result: Result) -> Iterator[str]:
        """Yields the lines of a result in this format. Raises InputError for one that it cannot hold."""
        lines: Iterator[str] = import_module(f"xoff.formats.{self}").lines(result)
        return lines
