"""Measures of comparisons and sweeps: the numbers of `summary.json`, by their keys."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from xoff.errors import ScenarioError
from xoff.results.summary_keys import KEYS, UNIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xoff.results.summary_keys import Key
    from xoff.scenario.scenario import Scenario


_STATISTIC = re.compile(r"_(mean|min|max|p\d+)$")


@cache
def every() -> dict[str, Key]:
    """Returns every number of `summary.json` by its key, with `[]` for positions in lists."""
    return {key: entry for entry in KEYS if entry.unit is not None for path in entry.keys for key in spelled_out(path)}


def spelled_out(path: str) -> Iterator[str]:
    """Yields the keys that a path with braces stands for: two for `pfc.{off,paused}_us`."""
    parts = re.split(r"\{([^}]*)\}", path)
    for chosen in product(*(part.split(",") if place % 2 else [part] for place, part in enumerate(parts))):
        yield "".join(chosen)


@cache
def anywhere(measure: str) -> str:
    """Returns a measure without positions in lists: `workloads[].count` for `workloads[1].count`."""
    return re.sub(r"\[\d+\]", "[]", measure)


def named(name: str) -> dict[Key, list[str]]:
    """Returns the measures that a name such as `fct_p99_us`, `FCT p99` or `fct` means, each with its keys."""
    found: dict[Key, list[str]] = {}
    for key, entry in every().items():
        if _plain(anywhere(name)) in _names(key):
            found.setdefault(entry, []).append(key)
    return found


def statistic(key: str) -> str:
    """Returns the statistic in a measure's key, such as `p99`; empty if there is none."""
    found = _STATISTIC.search(UNIT.sub("", key))
    return found[1] if found else ""


def why_nothing(measure: str) -> str:
    """Returns a line that says why a measure has no value, as far as its key tells."""
    group, _, quantity = measure.rpartition(".")
    of_what = _STATISTIC.sub("", UNIT.sub("", quantity))
    if group == "observed":
        key = of_what if of_what.endswith("throughput") else f"{of_what}s"
        return f"{measure}: observe.{key} is left out, or took no samples in the measured time of some run"
    if of_what in {"fct", "slowdown"}:
        return f"{measure}: in some run no such flow both started in the measured time and finished"
    return f"{measure}: in some run there is nothing of it to count"


def _names(key: str) -> set[str]:
    """Returns the names of a measure: its key, shortened ends of the key, and the name in tables."""
    from xoff.results.table import measure_name, quantity_name  # brings NumPy

    end = key.rpartition(".")[2]
    quantity = UNIT.sub("", end)
    names = (key, end, quantity, _STATISTIC.sub("", quantity), measure_name(key), quantity_name(end))
    return set(map(_plain, names))


def _plain(name: str) -> str:
    return name.lower().replace(" ", "_")


def check_measures(measures: Sequence[str], file: str | None = None, key: str = "measures") -> None:
    """Raises ScenarioError for an empty list of measures, and for one that is no number of summaries."""
    if not isinstance(measures, Collection) or isinstance(measures, str) or not measures:
        raise ScenarioError(file, key, "is no list of measures", "expected keys such as flows.small.fct_p99_us")
    for measure in measures:
        if not isinstance(measure, str) or "[]" in measure or anywhere(measure) not in every():
            expected = f"expected a key such as {_nearest(measure)}; docs/summary.md has all"
            raise ScenarioError(file, key, f"`{measure}` is no number of summary.json", expected)


def _nearest(measure: object) -> str:
    """Returns the key of the measure that has a name, or else the key most like it."""
    keys = [key for of_entry in named(str(measure)).values() for key in of_entry]
    keys = keys or get_close_matches(anywhere(str(measure)), every(), n=1, cutoff=0)
    return keys[0].replace("[]", "[0]")


def check_workloads(scenario: Scenario, measures: Sequence[str]) -> None:
    """Raises ScenarioError for a measure of a workload that the scenario does not have."""
    count = len(scenario._core.workloads)
    for measure in measures:
        found = re.match(r"workloads\[(\d+)\]", measure)
        if found and int(found[1]) >= count:
            problem = f"there are {count}, of which none is that of {measure}"
            raise ScenarioError(scenario.file, "workload", problem, f"expected a position below {count}")
