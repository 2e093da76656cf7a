"""Quantities as scenarios spell them, as numbers."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from xoff import _xoff


def quantity(dimension: str, value: Any) -> int:  # noqa: ANN401
    """A size, rate or time of a scenario, in bytes, bits per second or picoseconds."""
    return _xoff.quantity(dimension, json.dumps(value))


def ratio(value: Any) -> Fraction:  # noqa: ANN401
    """A number of a scenario, such as 0.5 or "1/2"."""
    return Fraction(*_xoff.ratio(json.dumps(value)))
