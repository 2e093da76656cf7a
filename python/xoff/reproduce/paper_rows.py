"""Rows of the atlas, `rows.csv` of the folder of figures: each figure, table or claim of a paper, and its end.

A row is what a paper shows at one place, such as a figure. Its columns are

- `paper`: folder of the paper, such as `dctcp`;
- `row`: number of the figure in the paper, or a word;
- `shows`: what it shows;
- `figure`: the figure's folder; empty if there is none;
- `note`: what a reader should know.

The rows of that folder's `expected.csv` decide its end: those that name it in their column `row`, or all claims if the
file has no such column.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from xoff.errors import ScenarioError
from xoff.reproduce.expected import RowKind
from xoff.text import text_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.figure import Figure

FILE = "rows.csv"
_COLUMNS = ("paper", "row", "shows", "figure", "note")
PAPERS = {
    "bcc": "BCC (APNet 2017)",
    "qcn_os": "QCN with occupancy sampling (2012)",
    "dctcp": "DCTCP (SIGCOMM 2010)",
    "dcqcn": "DCQCN (SIGCOMM 2015)",
    "dsh": "DSH (2023)",
    "hpcc": "HPCC (SIGCOMM 2019)",
    "irn": "IRN (SIGCOMM 2018)",
    "power_tcp": "PowerTCP (NSDI 2022)",
    "occamy": "Occamy (EuroSys 2025)",
    "lab": "Measurements of real switches",
}
"""Names of papers by their folders, in the order of the atlas."""


class End(StrEnum):
    """End of a row of the atlas, at the paper's size."""

    REPRODUCED = "reproduced"
    """Everything that decides the row is within its tolerance."""
    EXPLAINED = "explained"
    """For everything that is not, a named experiment gives the published value, or shows that no reading can."""
    OPEN = "open"
    """Something differs, and nobody has shown why; or nothing is measured."""


@dataclass(frozen=True)
class PaperRow:
    """A row of `rows.csv`."""

    paper: str
    row: str
    shows: str
    figure: str
    """Id of the figure's folder; empty if there is none."""
    note: str

    def deciding(self, figure: Figure) -> list[Expected]:
        """Returns the rows of `expected.csv` that decide the end of this one."""
        return [row for row in figure.judged_at_paper_size if self._is_decided_by(row)]

    def _is_decided_by(self, row: Expected) -> bool:
        return row.kind is RowKind.CLAIM if row.row is None else self.row in row.row.split()

    def missed(self, figure: Figure) -> list[Expected]:
        """Returns the deciding rows that are not met, or not measured."""
        simulated = [row for row in self.deciding(figure) if row.measure]
        return [row for row in simulated if not (verdict := figure.recorded_verdict(row)) or verdict.is_missed]

    def end(self, figure: Figure | None) -> End:
        """Returns the end of the row, from its figure's published and measured values."""
        if figure is None:
            return End.OPEN
        missed = self.missed(figure)
        if not missed and any(row.measure for row in self.deciding(figure)):
            return End.REPRODUCED
        return End.EXPLAINED if missed and all(row.explained for row in missed) else End.OPEN


def read(root: Path) -> list[PaperRow]:
    """Reads `rows.csv` of the folder of all figures. Raises ScenarioError."""
    path = root / FILE
    rows = list(csv.DictReader(text_file.read(path, str(path)).splitlines(), restval=""))
    if not rows or list(rows[0]) != list(_COLUMNS):
        raise ScenarioError(str(path), "line 1", "has other columns", f"expected {', '.join(_COLUMNS)}")
    return [PaperRow(**row) for row in rows]


def ends(rows: Iterable[PaperRow], figures: Sequence[Figure]) -> list[tuple[PaperRow, End]]:
    """Returns each row with its end."""
    by_id = {figure.id: figure for figure in figures}
    return [(row, row.end(by_id.get(row.figure))) for row in rows]
