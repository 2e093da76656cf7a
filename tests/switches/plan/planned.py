"""Plans in small, and their numbers by key."""

from __future__ import annotations

from xoff.switches.plan.file import parse
from xoff.switches.plan.outcome import Outcome, outcome

HUNDRED = 'count = 32\nrate = "100Gbps"\ndelay = "1.5us"'
LOSSLESS = "priorities = [3]\nlossless = true"


def planned(
    chip: str = "tomahawk", head: str = "", ports: str = HUNDRED, classes: str = LOSSLESS, rest: str = ""
) -> Outcome:
    """Computes a plan from its parts."""
    text = f'title = "T"\nchip = "{chip}"\n{head}\n[[ports]]\n{ports}\n[[class]]\nname = "c"\n{classes}\n{rest}\n'
    return outcome(parse(text))


def values(found: Outcome) -> dict[str, float]:
    """Every number by key."""
    return {row.key: row.value for row in found.rows}
