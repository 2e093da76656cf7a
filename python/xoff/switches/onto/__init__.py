"""A scenario's settings put onto the tables of a real switch: the way back from `importing`."""

from __future__ import annotations

from xoff.switches.onto.outcome import Onto, Put, Undone
from xoff.switches.onto.put import put_onto

__all__ = ["Onto", "Put", "Undone", "put_onto"]
