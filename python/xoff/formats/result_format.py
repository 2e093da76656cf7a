"""Formats of other tools into which a result is written."""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.formats.part import Part
    from xoff.results.result import Result


class ResultFormat(StrEnum):
    """Formats of results; a module of this folder by the same name has `pieces` and `notes`."""

    FCT = "fct"
    """`fct.txt` of HPCC's ns-3 and its descendants."""
    PERFETTO = "perfetto"
    """Trace of Perfetto: flows, pauses and queues over time."""
    PCAPNG = "pcapng"
    """Capture of packets and pause frames."""

    @property
    def is_text(self) -> bool:
        """Whether people can read it."""
        return self is ResultFormat.FCT

    def notes(self, result: Result, part: Part) -> Iterator[str]:
        """Yields what the format would have and the run has not recorded, a line each."""
        notes: Iterator[str] = import_module(f"xoff.formats.{self}").notes(result, part)
        return notes

    def pieces(self, result: Result, part: Part) -> Iterator[bytes]:
        """Yields a part of a result in this format. Raises InputError for what it cannot hold."""
        pieces: Iterator[bytes] = import_module(f"xoff.formats.{self}").pieces(result, part)
        return pieces
