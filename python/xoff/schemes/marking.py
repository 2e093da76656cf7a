"""The place at which a marker sits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A queue, a port or a pool."""

    rate: int
    """Bits per second at which it empties: the rate of its port, or of the fastest port of its pool."""
    largest_frame: int
    """Bytes of the largest frame that can arrive."""
