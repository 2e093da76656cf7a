"""Conversion of quantities that scenarios spell as text, such as `100Gbps`, into numbers."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from xoff import _xoff


def quantity(dimension: str, value: Any) -> int:  # noqa: ANN401
    """Converts a `size`, `rate` or `time` of a scenario to bytes, bits per second or picoseconds."""
    return _xoff.quantity(dimension, json.dumps(value))


def ratio(value: Any) -> Fraction:  # noqa: ANN401
    """Converts a ratio of a scenario, such as 0.5 or "1/2", to a fraction."""
    return Fraction(*_xoff.ratio(json.dumps(value)))
