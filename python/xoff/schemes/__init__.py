"""Schemes in Python: a congestion control, a buffer policy or a marker as a class in a file.

A scenario names it as `algorithm = "my_control.py:MyControl"`, with the fields of its `Parameters` as keys; from a
notebook, `scenario.run(schemes=[MyControl])`. Times are whole picoseconds, sizes bytes, rates bits per second.
"""

from xoff.schemes.classes import BufferPolicy, CongestionControl, Marker
from xoff.schemes.flow import Flow
from xoff.schemes.marking import Place
from xoff.schemes.parameters import parameter

NANOSECOND = 1_000
"""Picoseconds of a nanosecond."""
MICROSECOND = 1_000_000
"""Picoseconds of a microsecond."""
MILLISECOND = 1_000_000_000
"""Picoseconds of a millisecond."""
SECOND = 1_000_000_000_000
"""Picoseconds of a second."""

__all__ = [
    "MICROSECOND",
    "MILLISECOND",
    "NANOSECOND",
    "SECOND",
    "BufferPolicy",
    "CongestionControl",
    "Flow",
    "Marker",
    "Place",
    "parameter",
]
