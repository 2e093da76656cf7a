"""Values measured at the paper's size, kept beside the published ones: `measured.json` of a figure's folder.

`xoff reproduce ID --scale paper --record` writes it. Values that were measured before there was such a file are from
the tables of the figure's README, where one number may stand for several rows, and some are words.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from xoff.errors import ScenarioError
from xoff.reproduce.verdict import Verdict
from xoff.text import json_text, text_file
from xoff.text.model_file import Table

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.reproduce.expected import Expected

FILE = "measured.json"


class Source(StrEnum):
    """Origin of measured values."""

    RUN = "run"
    """A run of `xoff reproduce` that recorded them."""
    README = "README"
    """Tables of the figure's README."""


class MeasuredRow(Table):
    """Measured value of a row of `expected.csv`."""

    row: str
    """Claim of the row, or its measure and position."""
    measured: float | None = None
    """Value; left out if words tell it, or if it is not finite."""
    low: float | None = None
    """Lower bound of the 95 % interval of what each seed has by itself.

    Left out with fewer than two seeds, and for a value that is no mean over seeds, such as a sum over all runs.
    """
    high: float | None = None
    """Upper bound of that interval."""
    told: str = ""
    """Words that tell the value where a number does not."""
    verdict: Verdict
    """Verdict when it was measured."""


class Counted(Table):
    """Numbers of a measure, counted, where a README tells no more."""

    measure: str
    """Measure of the numbers."""
    met: int
    """Numbers within their tolerance."""
    of: int
    """All numbers."""


class Measured(Table):
    """The content of `measured.json`."""

    command: str
    """Command that measures the values again."""
    source: Source
    """Origin of the values."""
    date: str
    """Day of the measurement, or of the last change of the README's tables."""
    commit: str
    """Commit of the simulator that measured, or of that change; empty if it is not known."""
    digest: str | None = None
    """Digest of what decided the values (`xoff.reproduce.deciding`); left out if that has changed since."""
    cpu_seconds: float | None = None
    """CPU time of all runs together; left out if it is not known."""
    rows: list[MeasuredRow] = Field(default_factory=list)
    """Rows of `expected.csv` that are judged at the paper's scale, in its order."""
    counted: list[Counted] = Field(default_factory=list)
    """Numbers that are counted and not listed."""

    def of(self, row: Expected) -> MeasuredRow | None:
        """Returns the value of a row; None if it has not been measured."""
        return next((found for found in self.rows if found.row == row.told), None)

    def write(self, path: Path) -> None:
        """Writes the file."""
        json_text.write(path, self.model_dump(mode="json", exclude_defaults=True))


def read(path: Path) -> Measured | None:
    """Reads `measured.json`; returns None if there is none. Raises ScenarioError for one that is not as written."""
    if not path.exists():
        return None
    try:
        return Measured.model_validate(json_text.parse(text_file.read(path, str(path))))
    except ValidationError as error:
        key = ".".join(map(str, error.errors()[0]["loc"]))
        problem = error.errors()[0]["msg"].lower()
    except ValueError as error:
        key, problem = "", str(error)
    raise ScenarioError(
        str(path), key, problem, "expected the file that `xoff reproduce ID --scale paper --record` writes"
    )
