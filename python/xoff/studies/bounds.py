"""Bounds on measures, on the command line and in searches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.results.measures import check_measures

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Bound:
    """A limit that a measure must not exceed, or must not fall below."""

    measure: str
    limit: float
    is_ratio: bool
    """Whether the limit is a multiple of a base value."""
    is_least: bool
    """Whether the measure must not fall below the limit."""

    @classmethod
    def given(cls, measure: str, limit: float | str, *, is_least: bool, where: str) -> Bound:
        """Makes a bound from a number, or from `x1.05` for a multiple. Raises InputError, which says `where`."""
        text = str(limit)
        is_ratio = text.startswith("x")
        try:
            number = float(text.removeprefix("x"))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            expected = "expected a number in the unit of the measure, or x1.05 for so many times that as it stands"
            raise InputError(None, where, f"`{text}` is no limit", expected)
        return cls(measure, number, is_ratio, is_least)

    def excess(self, value: float, base: float = 1.0) -> float:
        """Returns the share of the limit by which a value breaks it; zero or less if it keeps to the limit."""
        limit = self.limit * base if self.is_ratio else self.limit
        beyond = limit - value if self.is_least else value - limit
        return beyond / abs(limit) if limit else beyond

    def __str__(self) -> str:
        return f"at {'least' if self.is_least else 'most'} {'x' if self.is_ratio else ''}{self.limit:g}"


def spelled(at_most: Iterable[str] | None, at_least: Iterable[str] | None) -> list[Bound]:
    """Parses options `--at-most KEY=LIMIT` and `--at-least KEY=LIMIT`. Raises InputError."""
    return [
        _spelled(text, option, is_least=is_least)
        for option, texts, is_least in (("--at-most", at_most, False), ("--at-least", at_least, True))
        for text in texts or ()
    ]


def _spelled(text: str, option: str, *, is_least: bool) -> Bound:
    measure, separator, limit = text.partition("=")
    if not separator:
        expected = f"expected KEY=LIMIT, such as {option} loss_rate=0.001"
        raise InputError(None, f"{option} {text}", "has no limit", expected)
    check_measures([measure.strip()], key=option)
    return Bound.given(measure.strip(), limit.strip(), is_least=is_least, where=f"{option} {text}")
