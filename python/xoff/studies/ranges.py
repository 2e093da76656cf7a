"""Ranges on the command line, `START:END` and `START:END:STEP`."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from xoff.errors import ScenarioError

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:/([1-9]\d*)|([A-Za-z]*))")

_MOST_VALUES = 10_000


class Quantities(NamedTuple):
    """Numbers between colons, in one unit."""

    numbers: list[Decimal]
    unit: str


def quantities(text: str) -> Quantities | None:
    """Parses quantities between colons; no numbers if units differ, None if the text has no quantities."""
    found = [_QUANTITY.fullmatch(part.strip()) for part in text.split(":")]
    if None in found:
        return None
    matches = [match for match in found if match]
    numbers = [Decimal(match[1]) / Decimal(match[2] or 1) for match in matches]
    units = {match[3] or "" for match in matches}
    return Quantities(numbers if len(units) == 1 else [], units.pop())


def values_of(where: str, text: str, expected: str) -> list[str]:
    """Returns the values of START:END:STEP, the end included; other text stands for itself.

    Raises ScenarioError, with `where` and `expected`, for a malformed range, and for a step that does not lead to the
    end.
    """
    found = quantities(text)
    if ":" not in text or found is None:
        return [text]
    if len(found.numbers) != 3:
        raise ScenarioError(None, where, "is no range", expected)
    (start, end, step), unit = found
    steps = (end - start) / step if step else Decimal(-1)
    if steps < 0 or steps % 1:
        raise ScenarioError(
            None, where, f"steps of {step}{unit} from {start}{unit} do not lead to {end}{unit}", expected
        )
    if steps >= _MOST_VALUES:
        raise ScenarioError(None, where, f"stands for {int(steps) + 1:,} values", f"expected at most {_MOST_VALUES:,}")
    return [f"{(start + index * step).normalize():f}{unit}" for index in range(int(steps) + 1)]
