"""One choice of values in a search."""

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
    """One choice of values, and what was measured with them."""

    number: int
    """From 1 in the order in which they were chosen; 0 is the scenario as it stands."""
    at: Mapping[str, object]
    """The value of each key; empty for the scenario as it stands."""
    measured: Mapping[str, Estimate]
    """For each measure the mean over seeds; empty where there is a problem."""
    excess: Mapping[Bound, float]
    """For each bound by what share of it that is broken; not above zero where it is kept to."""
    unfinished: Unfinished
    """The flows that had not finished, of all seeds together."""
    problem: str = ""
    """Why it could not be simulated, or what there was nothing to count of."""

    @property
    def is_allowed(self) -> bool:
        """Whether it was measured and keeps to every bound."""
        return not self.problem and all(excess <= 0 for excess in self.excess.values())

    def as_dict(self) -> dict[str, Any]:
        """What `tune.json` holds of it."""
        return {
            "at": dict(self.at),
            "measured": {measure: found._asdict() for measure, found in self.measured.items()},
            "allowed": self.is_allowed,
            "problem": self.problem or None,
            "unfinished": self.unfinished._asdict(),
        }
