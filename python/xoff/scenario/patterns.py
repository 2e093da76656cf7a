"""Name patterns as scenarios have them: `*` is any characters, `?` one, `[8-15]` any of these numbers."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from xoff import _xoff

if TYPE_CHECKING:
    from collections.abc import Collection

_MOST_NAMED = 3


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern is that of a name."""
    return _xoff.matches(pattern, name)


def matches_observed(pattern: str, name: str) -> bool:
    """The same of what is recorded over time, as in `observe.of`: `host0` means all flows of the host."""
    return matches(pattern, name) or matches(pattern, name.partition(".flow")[0])


def nearest(pattern: str, names: Collection[str]) -> str:
    """What there is in place of a name that is not, in words: all of a device's or of a few, the nearest of many."""
    of_device = f"{pattern}.*"
    if any(matches(of_device, name) for name in names):
        return f'"{of_device}"'
    if len(names) <= _MOST_NAMED:
        return " or ".join(names)
    near = get_close_matches(pattern, names, n=_MOST_NAMED, cutoff=0)
    return f"one of {len(names):,} such as {', '.join(near)}"
