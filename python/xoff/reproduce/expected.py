"""Published values: `expected.csv` of a figure's folder.

A row is a claim, a number of the figure, or a check of its runs. Its columns are

- `measure`: a key of `summary.json`, or a function of `figure.py`; empty if it is not simulated;
- `claim`: a sentence, or empty for a number that its measure and position describe;
- `published`: a number, or words;
- `tolerance`: `+-20 %`, `+-0.5`, `>= 3`, `< 1` or `0.99..1.05`;
- `origin`: where it is printed, or whose data it comes from;
- `scale`: the only scale at which it is judged; empty for both;
- `note`: what a reader of the verdict should know;
- `kind`: `check` for what says that runs are sound, such as the width of an interval or a count that cannot but be
  zero, and claims nothing; may be left out;
- `row`: rows of `rows.csv` (`xoff.reproduce.paper_rows`) that it decides, with spaces between; empty if it goes beyond
  them; the column may be left out, and then each row decides all that name the figure;
- `explained`: where the published value is not reproduced, a named experiment that gives it, with key and value, or the
  reading that shows that nothing can; empty if it is open; may be left out;
- any other column is an axis, with the position that the row is about; empty if it is about more than one.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from xoff.errors import ScenarioError
from xoff.reproduce.tolerance import Tolerance
from xoff.studies.axes import position
from xoff.text import text_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from xoff.studies.axes import Value

_COLUMNS = ("measure", "claim", "published", "tolerance", "origin", "scale", "note")
_MAY_BE_LEFT_OUT = ("kind", "explained")


class RowKind(StrEnum):
    """Kind of a row of `expected.csv`."""

    CLAIM = "claim"
    """Statement of a paper, in words."""
    NUMBER = "number"
    """A number that a paper prints or draws, one of many."""
    CHECK = "check"
    """A property of the runs that makes their numbers trustworthy; no paper claims it."""


@dataclass(frozen=True)
class Expected:
    """A row of `expected.csv`."""

    where: tuple[str, str]
    """File and line, for messages."""
    measure: str
    claim: str
    published: Value
    tolerance: str
    allowed: Tolerance | None
    """Tolerance of the row; None if it is not simulated."""
    origin: str
    scale: str
    note: str
    kind: RowKind
    row: str | None
    """Rows of `rows.csv` that it decides; None if the file does not say."""
    explained: str
    at: Mapping[str, Value]
    """Position on the axes."""

    @property
    def is_check(self) -> bool:
        """Whether the row checks the runs and claims nothing."""
        return self.kind is RowKind.CHECK

    @property
    def told(self) -> str:
        """Claim of the row in words."""
        position = [
            f"{axis} {value:g}" if isinstance(value, float) else f"{axis} {value}" for axis, value in self.at.items()
        ]
        return self.claim or ", ".join([self.measure, *position])


def read(path: Path) -> list[Expected]:
    """Reads `expected.csv`. Raises ScenarioError, which names the line."""
    rows = csv.DictReader(text_file.read(path, str(path)).splitlines(), restval="")
    missing = [column for column in _COLUMNS if column not in (rows.fieldnames or ())]
    if missing:
        raise ScenarioError(str(path), "line 1", f"lacks the column {missing[0]}", f"expected {', '.join(_COLUMNS)}")
    return [_row(row, (str(path), f"line {rows.line_num}")) for row in rows]


def published(rows: list[Expected], measure: str, **at: Value) -> list[tuple[Mapping[str, Value], float]]:
    """Returns position and number of a measure's rows at positions such as `scheme="BCC"`, claims left out."""
    return [
        (row.at, float(row.published))
        for row in rows
        if row.measure == measure and not row.claim and at.items() <= row.at.items()
    ]


def _row(row: dict[str, str], where: tuple[str, str]) -> Expected:
    if None in row:
        raise ScenarioError(*where, "has more cells than the first line", "expected quotes around text with commas")
    fixed = {column: row.pop(column) for column in _COLUMNS}
    of_row = row.pop("row", None)
    free = {column: row.pop(column, "") for column in _MAY_BE_LEFT_OUT}
    value = position(fixed.pop("published"))
    return Expected(
        where=where,
        published=value,
        kind=_kind(free["kind"], fixed["claim"], where),
        row=of_row,
        explained=free["explained"],
        allowed=_tolerance(fixed["tolerance"], value, where) if fixed["measure"] else None,
        at={axis: position(text) for axis, text in row.items() if text},
        **fixed,
    )


def _kind(text: str, claim: str, where: tuple[str, str]) -> RowKind:
    if text not in ("", RowKind.CHECK):
        raise ScenarioError(*where, f"kind {text!r} is none", f"expected {RowKind.CHECK}, or nothing")
    if text:
        return RowKind.CHECK
    return RowKind.CLAIM if claim else RowKind.NUMBER


def _tolerance(text: str, published: Value, where: tuple[str, str]) -> Tolerance:
    try:
        return Tolerance.parse(text, published if isinstance(published, int | float) else None)
    except ValueError:
        remedy = "expected +-20 %, +-0.5 (around a number), >= 3, < 1 or 0.99..1.05"
        raise ScenarioError(*where, f"tolerance {text!r} is none", remedy) from None
