"""A switch's tables as the part of a scenario that is about its switches; what that cannot say, in words."""

from __future__ import annotations

from xoff.switches.importing.part import Part, Setting, Table
from xoff.switches.importing.switch import imported

__all__ = ["Part", "Setting", "Table", "imported"]
