"""Flow sizes of HPCC's traffic generator and its descendants': lines of a size and the share of flows no larger.

Shares are percentages (HPCC, ConWeave), or go to 1 (ns3-datacenter).
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from xoff.formats.draft import Draft, Flows, Found
from xoff.formats.lines import MOST_BYTES, decimal, numbered, refusal
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal
    from pathlib import Path

NAME = "flow sizes"
ABOUT = "distribution of flow sizes of the same simulators"

COLUMNS = "size_bytes,cumulative_probability\n"
_PRIORITY = 3
_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{0,15})?(e[+-]?[0-9]{1,2})?", re.IGNORECASE)


def recognises(lines: Sequence[str]) -> bool:
    """Whether all lines are two numbers, and the last share is 100 or 1."""
    rows = [line.split() for line in lines if line.strip()]
    pairs = len(rows) > 1 and all(len(row) == 2 and all(map(_NUMBER.fullmatch, row)) for row in rows)
    return pairs and float(rows[-1][1]) in (100, 1)


def read(path: Path, draft: Draft) -> None:
    """Reads the distribution, from which a workload draws flows. Raises InputError."""
    draft.network_for(path, "sizes of flows between hosts")
    points = _points(path)
    rows = partial(_rows, points)
    lines = (points[0].line, points[-1].line)
    draft.flows.append(Flows(path, "poisson", COLUMNS, rows, len(points), lines, {_PRIORITY}))
    draft.found.append(Found(str(path), NAME, f"{counted(len(points), 'point')} of a cumulative distribution"))


class _Point(NamedTuple):
    """One line: a size, and the share of one of flows that are no larger."""

    line: int
    size: int
    share: Decimal


def _points(path: Path) -> list[_Point]:
    lines = [(number, line.split()) for number, line in numbered(path) if not line.isspace()]
    last = lines[-1][1][-1]
    whole = 1 if _NUMBER.fullmatch(last) and float(last) == 1 else 100
    points: list[_Point] = []
    for number, fields in lines:
        if len(fields) != 2:
            raise refusal(path, number, f"has {len(fields)} fields", "expected a size and a share")
        size = int(decimal(path, number, "the size", fields[0], 0, MOST_BYTES))
        point = _Point(number, size, decimal(path, number, "the share", fields[1], 0, whole) / whole)
        if points and point.share == points[-1].share == 0:
            points.pop()  # no flow is below the greater of the two sizes
        if points and (point.size <= points[-1].size or point.share <= points[-1].share):
            raise refusal(path, number, "is not above the line above", "expected sizes and shares that grow")
        points.append(point)
    return points


def _rows(points: Sequence[_Point]) -> Iterator[str]:
    for point in points:
        yield f"{point.size},{point.share:f}\n"
