"""Values of one recorded quantity in the measured time, and their mean over all flows or ports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xoff.results import series_statistics
from xoff.scenario import patterns
from xoff.text import toml_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from xoff.results.result import Result

RECOVERY_STATES = {"open": 0, "disorder": 1, "reducing": 2, "recovery": 3, "loss": 4}
"""Values of the quantity `recovery_state`, by the numbers of Linux (`tcp_ca_state`)."""

_KEYS = {"input_of_flow": "inputs"} | {
    quantity: f"{quantity}s"
    for quantity in ("queue", "pool", "input", "window", "rate", "alpha", "threshold", "rtt", "recovery_state")
}
"""Keys of `[observe]` that do not have the name of their quantity."""


def key_of(quantity: str) -> str:
    """Returns the key of `[observe]` that records a quantity."""
    return _KEYS.get(quantity, quantity)


@lru_cache(maxsize=8)
def observe(scenario: str) -> dict[str, Any]:
    """Returns the `[observe]` table of a scenario; cached, since every line of a figure asks for it."""
    found: dict[str, Any] = toml_text.parse(scenario).get("observe", {})
    return found


def why_not(result: Result, quantity: str) -> str:
    """Returns the reason why nothing of a quantity was recorded."""
    key = key_of(quantity)
    if key in observe(result.scenario):
        return f"observe.{key} recorded nothing" + ("; there is no series.parquet" if result.series is None else "")
    expected = f'expected {key} = {{ every = "10us" }} in the scenario\'s [observe]'
    return f"observe.{key} is left out; {expected}"


def names_meant(there: list[str], names: Sequence[str] | str) -> set[str]:
    """Returns the names that fit names and patterns. Raises ValueError if one of these fits none."""
    meant: set[str] = set()
    for pattern in [names] if isinstance(names, str) else names or [""]:
        of_pattern = {name for name in there if patterns.matches_observed(pattern, name)}
        if not of_pattern:
            message = (
                f'names: nothing that was observed matches "{pattern}"; expected {patterns.nearest(pattern, there)}'
            )
            raise ValueError(message)
        meant |= of_pattern
    return meant


@dataclass(frozen=True, eq=False)
class Recorded:
    """Rows of one quantity in the measured time; `Result.series` has those of all quantities and times."""

    quantity: str
    """Name of the quantity in `series.parquet`."""
    table: pa.Table
    """A row per value: `time_ns`, `quantity`, `name`, `priority`, `value`."""
    on_change: bool
    """Whether every change was recorded; otherwise samples at an interval."""

    @classmethod
    def of_result(cls, result: Result, quantity: str) -> Recorded:
        """Returns the rows of a quantity. Raises ValueError if nothing of it was recorded."""
        series = result.series
        found = None if series is None else series.filter(pc.equal(series["quantity"], quantity))
        if not found:
            raise ValueError(why_not(result, quantity))
        measured = result.summary["measured"]
        is_measured = series_statistics.is_measured(
            quantity, found["time_ns"].to_numpy(), measured["start_ns"], measured["end_ns"]
        )
        every = observe(result.scenario)[key_of(quantity)]["every"]
        return cls(quantity, found.filter(pa.array(is_measured)), on_change=every == "change")

    def of(self, *names: str) -> Recorded:
        """Returns the rows whose names fit names or patterns as in `observe.of`: `host0`, `host0.flow3`.

        Raises ValueError if a name fits none.
        """
        name = pc.cast(self.table["name"], pa.string())
        meant = names_meant(pc.unique(name).to_pylist(), names)
        return replace(self, table=self.table.filter(pc.is_in(name, pa.array(sorted(meant), pa.string()))))

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """Values in the unit of the quantity, in order of time."""
        return np.asarray(self.table["value"].to_numpy(), np.float64)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def mean(self) -> float:
        """Returns the mean of all samples, each with the same weight, in the unit of the quantity.

        A flow that lasts longer has more samples. Raises ValueError if there is no sample, or if changes were recorded.
        """
        return float(self._samples().mean())

    def means(self) -> dict[str, float]:
        """Returns the mean of the samples of each flow or port, by name. Raises ValueError as `mean` does."""
        self._samples()
        by_name = self.table.group_by("name", use_threads=False).aggregate([("value", "mean")])
        return dict(zip(by_name["name"].to_pylist(), by_name["value_mean"].to_pylist(), strict=True))

    def share(self, state: str) -> float:
        """Returns the share of samples in a recovery state, such as `loss`. Raises ValueError as `mean` does."""
        if self.quantity != "recovery_state" or state not in RECOVERY_STATES:
            message = (
                f"{self.quantity} has no state {state!r}; expected recovery_state, and one of {[*RECOVERY_STATES]}"
            )
            raise ValueError(message)
        return float((self._samples() == RECOVERY_STATES[state]).mean())

    def _samples(self) -> npt.NDArray[np.float64]:
        key = f"observe.{key_of(self.quantity)}"
        if self.on_change:
            message = f'{key}.every: changes have no mean; expected a time between samples, such as "10us"'
            raise ValueError(message)
        if not len(self):
            message = f"{key} took no samples in the measured time"
            raise ValueError(message)
        return self.values
