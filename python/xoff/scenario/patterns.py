"""Name patterns of scenarios: `*` is any characters, `?` is one, `[8-15]` is any of these numbers."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from xoff import _xoff

if TYPE_CHECKING:
    from collections.abc import Collection

_MOST_NAMED = 3


def matches(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern."""
    return _xoff.matches(pattern, name)


def matches_observed(pattern: str, name: str) -> bool:
    """Whether the name of a recorded series fits a pattern of `observe.of`; `host0` fits all flows of the host."""
    return matches(pattern, name) or matches(pattern, name.partition(".flow")[0])


def nearest(pattern: str, names: Collection[str]) -> str:
    """Returns words that offer names in place of an unknown one.

    They are a pattern for all names of a device, all names if there are at most three, or else the three nearest.
    """
    of_device = f"{pattern}.*"
    if any(matches(of_device, name) for name in names):
        return f'"{of_device}"'
    if len(names) <= _MOST_NAMED:
        return " or ".join(names)
    near = get_close_matches(pattern, names, n=_MOST_NAMED, cutoff=0)
    return f"one of {len(names):,} such as {', '.join(near)}"
