"""Share of memory that Dynamic Threshold leaves each of several busy ports, against their marking threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff import _xoff
from xoff.switches.plan.rows import Row, Verdict, check

if TYPE_CHECKING:
    from fractions import Fraction

    from xoff.switches.plan.switch import Switch

_SOURCE = "BCC, section 4.2"
_MOST = 8


def rows(switch: Switch, scheme: str, shared: int, alpha: Fraction, threshold: int, remedy: str) -> list[Row]:
    """Returns rows for the share of each of 1 to 8 busy ports of an MMU, and for how many drop before they mark."""
    ratio, ports = alpha.as_integer_ratio(), switch.ports_per_mmu
    reserved = min((one.reserved for one in switch.plan.classes if not one.lossless), default=0)
    found = []
    for busy in range(1, min(ports, _MOST) + 1):
        share = _xoff.saturated_share(shared, ratio, busy)
        why = f"must reach the port's {threshold:,} B, with a reserve of {reserved:,} B"
        verdict = check(share + reserved >= threshold, why, Verdict.WARNS)
        formula = f"{alpha} x {shared:,} / (1 + {alpha} x {busy})"
        found.append(
            Row(f"{scheme}.share.{busy}", f"each of {busy} busy ports", share, "B", formula, _SOURCE, *verdict)
        )
    first = _xoff.drops_before_marking_from(shared, ratio, reserved, threshold, ports)
    if first is not None:
        why = f"with so many, ports alone would drop before they mark; {remedy}"
        formula = f"alpha B / (1 + alpha M) + {reserved:,} < {threshold:,}"
        name = "busy ports that drop unmarked [M]"
        found.append(Row(f"{scheme}.drops_from", name, first, "", formula, _SOURCE, Verdict.WARNS, why))
    return found
