"""What a measure must not exceed, or fall below, whatever else gets better."""

from __future__ import annotations

from dataclasses import dataclass

from xoff.errors import ScenarioError


@dataclass(frozen=True)
class Bound:
    """What a measure must not exceed, or fall below."""

    measure: str
    limit: float
    is_ratio: bool
    """Whether the limit says how many times that of the scenario as it stands."""
    is_least: bool
    """Whether it must not fall below."""

    @classmethod
    def given(cls, measure: str, limit: float | str, *, is_least: bool, where: str) -> Bound:
        """For a number, or `x1.05` for so many times. Raises ScenarioError, which says where, for another limit."""
        text = str(limit)
        is_ratio = text.startswith("x")
        try:
            return cls(measure, float(text.removeprefix("x")), is_ratio, is_least)
        except ValueError:
            expected = "expected a number in the unit of the measure, or x1.05 for so many times that as it stands"
            raise ScenarioError(None, where, f"`{text}` is no limit", expected) from None

    def excess(self, value: float, base: float) -> float:
        """By what share of the limit it is broken; not above zero where it is kept to."""
        limit = self.limit * base if self.is_ratio else self.limit
        beyond = limit - value if self.is_least else value - limit
        return beyond / abs(limit) if limit else beyond

    def __str__(self) -> str:
        return f"at {'least' if self.is_least else 'most'} {'x' if self.is_ratio else ''}{self.limit:g}"
