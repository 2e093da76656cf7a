"""Trials of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xoff.results.intervals import Estimate
    from xoff.results.unfinished import Unfinished
    from xoff.studies.bounds import Bound


@dataclass(frozen=True)
class Trial:
    """A choice of values, and the measures with them."""

    number: int
    """Number of the trial, from 1 in the order of choice; 0 is the unchanged scenario."""
    at: Mapping[str, object]
    """Value of each key; empty for the unchanged scenario."""
    measured: Mapping[str, Estimate]
    """Mean of each measure over seeds; empty if there is a problem."""
    excess: Mapping[Bound, float]
    """Share by which each bound is broken; zero or less if the trial keeps to it."""
    unfinished: Unfinished
    """Unfinished flows, over all seeds."""
    problem: str = ""
    """Reason why the trial could not be simulated, or which measure has no value; empty if neither."""

    @property
    def is_allowed(self) -> bool:
        """Whether the trial was measured and keeps to every bound."""
        return not self.problem and all(excess <= 0 for excess in self.excess.values())

    def as_dict(self) -> dict[str, Any]:
        """Returns the trial as `tune.json` holds it."""
        return {
            "at": dict(self.at),
            "measured": {measure: found._asdict() for measure, found in self.measured.items()},
            "allowed": self.is_allowed,
            "problem": self.problem or None,
            "unfinished": self.unfinished._asdict(),
        }
