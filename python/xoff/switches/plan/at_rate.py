"""Rows about marks at ports of one rate, which a scenario has in `switch.marking.at_rate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import Field, StrictFloat, WrapValidator

from xoff.errors import unfit
from xoff.switches.plan.quantities import Rate, Size, rate_bps
from xoff.text.model_file import Table

if TYPE_CHECKING:
    from collections.abc import Callable


class ThresholdAtRate(Table):
    """Marks of DCTCP at ports of one rate."""

    threshold: Annotated[Size, Field(gt=0)]
    """At which a queue marks there [K]."""


class PortThresholdAtRate(Table):
    """Marks of BCC at ports of one rate; those of the pool are the same for all."""

    port_threshold: Annotated[Size, Field(gt=0)]
    """At which a port marks there [K]."""


class RampAtRate(Table):
    """Marks of DCQCN at ports of one rate; keys left out are as without this table."""

    minimum: Annotated[Size, Field(gt=0)] | None = None
    """Length of a queue up to which no packet is marked there [K_min]."""
    maximum: Annotated[Size, Field(gt=0)] | None = None
    """Length above which every packet is marked there [K_max]."""
    probability: Annotated[StrictFloat, Field(gt=0, le=1)] | None = None
    """Of a mark at `maximum` [P_max]."""


def _each_once(rates: dict[str, object], read: Callable[[object], dict[int, Table]]) -> dict[int, Table]:
    """Refuses a rate that is there twice, spelled differently."""
    found = read(rates)
    spelled: dict[int, str] = {}
    for text in rates if len(found) < len(rates) else ():
        first = spelled.setdefault(rate_bps(text), text)
        if first != text:
            raise unfit(f"has one rate twice, as {first} and as {text}", "expected one of them")
    return found


Marks = TypeVar("Marks", bound=Table)
AtRate = Annotated[dict[Rate, Marks], WrapValidator(_each_once)]
"""A table for each rate, in bits per second."""
