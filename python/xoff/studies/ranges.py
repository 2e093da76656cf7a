"""Ranges on the command line, `START:END` and `START:END:STEP`."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from xoff.errors import ScenarioError

_QUANTITY = re.compile(
    r"([+-]?(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30}))(?:/([1-9][0-9]{0,29})|([A-Za-z]*))"  # no setting is longer
)

_MOST_VALUES = 10_000


class Quantities(NamedTuple):
    """Numbers between colons, in one unit."""

    numbers: list[Decimal]
    unit: str


def quantities(text: str) -> Quantities | None:
    """Parses quantities between colons; no numbers if units differ, None if the text has no quantities."""
    matches = _matches(text)
    if matches is None:
        return None
    numbers = [Decimal(match[1]) / Decimal(match[2] or 1) for match in matches]
    units = _units(matches)
    return Quantities(numbers if len(units) == 1 else [], units.pop())


def _matches(text: str) -> list[re.Match[str]] | None:
    found = [_QUANTITY.fullmatch(part.strip()) for part in text.split(":")]
    matches = [match for match in found if match]
    return matches if len(matches) == len(found) else None


def _units(matches: list[re.Match[str]]) -> set[str]:
    return {match[3] or "" for match in matches}


def _written(number: Fraction) -> str:
    """Writes a number with its decimals, or as a fraction if they never end."""
    places = number.denominator.bit_length()
    shifted = number * 10**places
    if shifted.denominator > 1:
        return str(number)
    digits = str(abs(shifted.numerator)).rjust(places + 1, "0")
    return ("-" if number < 0 else "") + f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")


def values_of(where: str, text: str, expected: str) -> list[str]:
    """Returns the values of START:END:STEP, the end included; other text stands for itself.

    Raises ScenarioError, with `where` and `expected`, for a malformed range, and for a step that does not lead to the
    end.
    """
    matches = _matches(text)
    if ":" not in text or matches is None:
        return [text]
    units = _units(matches)
    if len(matches) != 3 or len(units) > 1:
        raise ScenarioError(None, where, "is no range", expected)
    # Exact, so that thirds lead to the end.
    start, end, step = (Fraction(match[1]) / int(match[2] or 1) for match in matches)
    unit = units.pop()
    steps = (end - start) / step if step else Fraction(-1)
    if steps < 0 or steps.denominator > 1:
        between = f"steps of {_written(step)}{unit} from {_written(start)}{unit}"
        raise ScenarioError(None, where, f"{between} do not lead to {_written(end)}{unit}", expected)
    if steps >= _MOST_VALUES:
        raise ScenarioError(None, where, f"stands for {int(steps) + 1:,} values", f"expected at most {_MOST_VALUES:,}")
    return [f"{_written(start + index * step)}{unit}" for index in range(int(steps) + 1)]
