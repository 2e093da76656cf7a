"""Names shortened in their middle, where they are too long for their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def shortened(names: Sequence[str], lengths: Sequence[int]) -> list[str]:
    """Returns names shortened to the first of some lengths with which all differ; unchanged if there is none.

    The same part is left out of all names: the one nearest to the middle without which they still differ.
    """
    for most in lengths:
        for begin in sorted(range(1, most - 1), key=lambda begin: abs(begin - most // 2)):
            told = [_without_middle(name, begin, most - 1 - begin) for name in names]
            if len(set(told)) == len(set(names)):
                return told
    return list(names)


def _without_middle(name: str, begin: int, end: int) -> str:
    """Returns some characters of a name's begin and end, or all if it has hardly more."""
    is_short = len(name) <= begin + 1 + end
    return name if is_short else f"{name[:begin].rstrip()}…{name[len(name) - end :].lstrip()}"
