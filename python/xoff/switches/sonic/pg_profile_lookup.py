"""`pg_profile_lookup.ini`: the headroom of a lossless priority group by its port's speed and cable."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, ValidationError

from xoff.errors import InputError
from xoff.switches.sonic.config_db import Row
from xoff.switches.sonic.fields import LEAST_EXPONENT, MOST_EXPONENT, Bytes, CableLength, Integer, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

COLUMNS = ("speed", "cable", "size", "xon", "xoff", "threshold")
OPTIONAL = "xon_offset"


class PgProfile(Row):
    """A row."""

    speed: Annotated[Integer, Field(gt=0)]
    """Mb/s."""
    cable: CableLength
    """Metres."""
    size: Bytes
    """Reserved."""
    xon: Bytes
    xoff: Bytes
    """Headroom."""
    threshold: Annotated[Integer, Field(ge=LEAST_EXPONENT)]
    """Exponent of two, alpha = 2^n, in a dynamic pool; bytes in a static one (sonic-swss, cfgmgr/buffermgr.cpp)."""
    xon_offset: Bytes | None = None

    @property
    def key(self) -> str:
        """Key by which the row is found: speed and cable, such as `100000 40m`."""
        return f"{self.speed} {self.cable}m"

    @property
    def name(self) -> str:
        """Name of the buffer profile that the switch makes of this row."""
        return f"pg_lossless_{self.speed}_{self.cable}m_profile"

    def threshold_field(self, mode: str | None) -> str | None:
        """Names the field of a buffer profile that the threshold is for, in a pool of a mode.

        Without a mode the number decides: no exponent is above 7. None for a number that the mode does not allow.
        """
        is_exponent = self.threshold <= MOST_EXPONENT
        if mode != "static" and is_exponent:
            return "dynamic_th"
        return "static_th" if mode != "dynamic" and self.threshold >= 0 else None


@dataclass(frozen=True)
class PgProfileLookup:
    """A file.

    Attributes:
        text: As it was found.
        rows: Its rows and the line of each.
        overwritten: Rows whose speed and cable stand again further down: only the last of these counts
            (sonic-swss, cfgmgr/buffermgr.cpp).
    """

    name: str
    text: str
    rows: tuple[tuple[int, PgProfile], ...]
    overwritten: tuple[tuple[int, PgProfile], ...] = ()

    def edited(self, values: Mapping[tuple[str, ...], str]) -> str:
        """Returns the text with other values in some columns of existing rows, by row (`100000 40m`) and column."""
        lines = self.text.splitlines(keepends=True)
        numbers = {row.key: number for number, row in self.rows}
        for (key, column), value in values.items():
            index, place = numbers[key] - 1, (*COLUMNS, OPTIONAL).index(column)
            ends = [found.span() for found in re.finditer(r"\S+", lines[index])]
            start, end = ends[place] if place < len(ends) else (ends[-1][1], ends[-1][1])
            lines[index] = f"{lines[index][:start]}{'' if place < len(ends) else ' '}{value}{lines[index][end:]}"
        return "".join(lines)

    def row(self, speed: int | None, cable: int | None) -> tuple[int, PgProfile] | None:
        """Returns the row of a speed and a cable, and the row's line."""
        return next((found for found in self.rows if (found[1].speed, found[1].cable) == (speed, cable)), None)

    @classmethod
    def parse(cls, name: str, text: str) -> PgProfileLookup:
        """Reads a file's text.

        Raises:
            InputError: A row lacks a column or has a value that it cannot have.
        """
        rows = tuple(
            (number, _row(name, number, line.split()))
            for number, line in enumerate(text.splitlines(), start=1)
            if line.strip() and not line.lstrip().startswith("#")
        )
        last = {row.name: line for line, row in rows}
        counts = tuple(found for found in rows if last[found[1].name] == found[0])
        return cls(name, text, counts, tuple(found for found in rows if found not in counts))


def _row(name: str, number: int, values: list[str]) -> PgProfile:
    expected = f"expected {' '.join(COLUMNS)} [{OPTIONAL}]"
    if len(values) < len(COLUMNS):
        lacking = ", ".join(COLUMNS[len(values) :])
        raise InputError(name, f"line {number}", f"the row lacks {lacking}", expected)
    if len(values) > len(COLUMNS) + 1:
        raise InputError(name, f"line {number}", f"the row has {len(values)} columns", expected)
    try:
        return PgProfile.model_validate(dict(zip((*COLUMNS, OPTIONAL), values, strict=False)))
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        key = f"line {number}: {detail['loc'][0]}"
        problem, expected = refused(detail)
        raise InputError(name, key, f"{detail['input']!r} {problem}", expected) from None
