"""`--sweep KEY=START:END:STEP`: ranges written out."""

from __future__ import annotations

import re
from decimal import Decimal

from xoff.errors import ScenarioError

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))([A-Za-z]*)")
_EXPECTED = "expected START:END:STEP in one unit, such as 0.2:0.8:0.2 or 100kB:400kB:100kB"


def values_of(key: str, text: str) -> list[str]:
    """What a value of a key stands for: itself, or all of START:END:STEP, the end included.

    Raises ScenarioError for a step that does not lead to the end.
    """
    parts = [_QUANTITY.fullmatch(part.strip()) for part in text.split(":")]
    found = [part for part in parts if part]
    if len(parts) == 1 or len(found) < len(parts):
        return [text]
    where = f"--sweep {key}={text}"
    units = {part[2] for part in found}
    if len(found) != 3 or len(units) > 1:
        raise ScenarioError(None, where, "is no range", _EXPECTED)
    [unit] = units
    start, end, step = (Decimal(part[1]) for part in found)
    steps = (end - start) / step if step else Decimal(-1)
    if steps < 0 or steps % 1:
        raise ScenarioError(
            None, where, f"steps of {step}{unit} from {start}{unit} do not lead to {end}{unit}", _EXPECTED
        )
    return [f"{(start + index * step).normalize():f}{unit}" for index in range(int(steps) + 1)]
