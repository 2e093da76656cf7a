"""Quantities of scenarios: whole numbers of base units that know their spelling, and numbers of what is spelled."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from xoff import _xoff


class Quantity(int):
    """A number of base units; as text, the way a scenario spells it."""

    spelled: str
    """Number and unit, such as `100Gbps`."""

    def __new__(cls, number: int, spelled: str) -> Quantity:
        """Takes base units and their spelling in a scenario."""
        made = super().__new__(cls, number)
        made.spelled = spelled
        return made

    def __getnewargs__(self) -> tuple[int, str]:  # type: ignore[override] # a spelling more than those of int
        return int(self), self.spelled

    def __str__(self) -> str:
        return self.spelled


class Size(Quantity):
    """Bytes."""


class Rate(Quantity):
    """Bits per second."""


class Time(Quantity):
    """Picoseconds."""


def written(value: object) -> object:
    """Returns settings as TOML has them: quantities as text, ratios as numbers or fractions in text."""
    match value:
        case Quantity():
            return value.spelled
        case Fraction():
            return value.numerator if value.denominator == 1 else str(value)
        case dict():
            return {str(key): written(inner) for key, inner in value.items()}
        case list():
            return [written(inner) for inner in value]
        case _:
            return value


def quantity(dimension: str, value: Any) -> int:  # noqa: ANN401
    """Converts a `size`, `rate` or `time` of a scenario to bytes, bits per second or picoseconds."""
    return _xoff.quantity(dimension, json.dumps(value))


def ratio(value: Any) -> Fraction:  # noqa: ANN401
    """Converts a ratio of a scenario, such as 0.5 or "1/2", to a fraction."""
    return Fraction(*_xoff.ratio(json.dumps(value)))
