"""Quantities in plans, spelled as in scenarios: a number and its unit in one text."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, WithJsonSchema

from xoff import _xoff
from xoff.errors import unfit

if TYPE_CHECKING:
    from collections.abc import Callable

_METRES = {"m": Fraction(1), "km": Fraction(1000), "cm": Fraction(1, 100)}
_LENGTH = 'expected a length with its unit (cm, m, km), such as "40m"'


def _reader(dimension: str) -> Callable[[object], int]:
    def read(value: object) -> int:
        return _xoff.quantity(dimension, _json(value))

    return read


def _ratio(value: object) -> Fraction:
    return Fraction(*_xoff.ratio(_json(value)))


def _json(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        raise unfit(f"{value} is no number", "expected a finite one")
    return json.dumps(value, default=str)


def _metres(value: object) -> Fraction:
    match = re.fullmatch(r"\s*(-?)(\d+(?:\.\d+)?)\s*([a-z]*)\s*", value) if isinstance(value, str) else None
    if match is None:
        raise unfit(f"{json.dumps(value, default=str)} is not a length", _LENGTH)
    sign, number, unit = match.groups()
    if sign:
        raise unfit(f'"{value}" is negative', _LENGTH)
    if unit not in _METRES:
        raise unfit(f'"{value}" has {f"an unknown unit {json.dumps(unit)}" if unit else "no unit"}', _LENGTH)
    return Fraction(number) * _METRES[unit]


def _spelled(what: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "format": what})


rate_bps = _reader("rate")
"""Reads a rate in bit/s. Raises ValueError."""
Size = Annotated[int, BeforeValidator(_reader("size")), _spelled("size")]
"""Bytes."""
Rate = Annotated[int, BeforeValidator(rate_bps), _spelled("rate")]
"""Bits per second."""
Time = Annotated[int, BeforeValidator(_reader("time")), _spelled("time")]
"""Picoseconds."""
Length = Annotated[Fraction, BeforeValidator(_metres), _spelled("length")]
"""Metres."""
Ratio = Annotated[Fraction, BeforeValidator(_ratio), _spelled("ratio")]
"""A number, or a fraction such as "1/16"."""
