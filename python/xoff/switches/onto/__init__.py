"""What a scenario says of its switches put onto the tables of a real one: the way back from `importing`."""

from __future__ import annotations

from xoff.switches.onto.outcome import Onto, Put, Undone
from xoff.switches.onto.put import put_onto

__all__ = ["Onto", "Put", "Undone", "put_onto"]
