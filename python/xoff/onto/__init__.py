"""What a scenario says of its switches put onto the tables of a real one: the way back from `importing`."""

from __future__ import annotations

from xoff.onto.put import Onto, Put, Undone, put_onto

__all__ = ["Onto", "Put", "Undone", "put_onto"]
