"""Perfetto's trace: tracks, and slices, instants and counters on them, packet by packet.

Field numbers are those of `protos/perfetto/trace` in Perfetto's repository (`trace_packet.proto` and `track_event/`).
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from xoff.formats.protobuf import double, fixed64, message, text, unsigned

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

_TRACE_PACKET = 1
"""Field of `Trace`."""
_TIMESTAMP, _SEQUENCE, _TRACK_EVENT, _SEQUENCE_FLAGS, _TRACK_DESCRIPTOR = 8, 10, 11, 13, 60
"""Fields of `TracePacket`."""
_UUID, _NAME, _PARENT, _COUNTER, _CHILD_ORDERING, _RANK = 1, 2, 5, 8, 11, 12
"""Fields of `TrackDescriptor`."""
_BY_RANK = 3
"""Value of `child_ordering` (EXPLICIT)."""
_UNIT_NAME = 6
"""Field of `CounterDescriptor`."""
_ANNOTATION, _TYPE, _TRACK, _CATEGORY, _EVENT_NAME, _VALUE, _FLOW, _LAST_OF_FLOW = 4, 9, 11, 22, 23, 44, 47, 48
"""Fields of `TrackEvent`."""
_UNSIGNED, _DOUBLE, _STRING, _ANNOTATION_NAME = 3, 5, 6, 10
"""Fields of `DebugAnnotation`."""
_BYTES_OF_TIME = 6
"""Bytes of a time in a counter's packet: 42 bits, which hold more nanoseconds than a run has."""
_FIRST_OF_SEQUENCE = 1
"""Value of `sequence_flags` (SEQ_INCREMENTAL_STATE_CLEARED)."""


class _Event(IntEnum):
    """Values of `TrackEvent.type`."""

    BEGIN = 1
    END = 2
    INSTANT = 3
    COUNTER = 4


class Trace:
    """Packets of a trace as bytes, which are taken away in pieces while others are added."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._of_sequence = unsigned(_SEQUENCE, 1)
        self._packet(unsigned(_SEQUENCE_FLAGS, _FIRST_OF_SEQUENCE))
        self._tracks = 0

    def __len__(self) -> int:
        return len(self._bytes)

    def take(self) -> bytes:
        """Returns what was added since the last time."""
        taken = bytes(self._bytes)
        self._bytes.clear()
        return taken

    def track(self, name: str, parent: int | None = None, rank: int = 0, unit: str | None = None) -> int:
        """Adds a track below another and returns its number; with a unit it is one of a counter.

        Perfetto draws tracks of one parent by rank. Tracks of one parent that have one name are rows of one track, so
        that slices may overlap.
        """
        self._tracks += 1
        content = unsigned(_UUID, self._tracks) + text(_NAME, name) + unsigned(_CHILD_ORDERING, _BY_RANK)
        content += unsigned(_RANK, rank)
        if parent is not None:
            content += unsigned(_PARENT, parent)
        if unit is not None:
            content += message(_COUNTER, text(_UNIT_NAME, unit))
        self._packet(message(_TRACK_DESCRIPTOR, content))
        return self._tracks

    def add_slice(
        self,
        track: int,
        times_ns: tuple[int, int],
        name: str,
        category: str,
        details: Mapping[str, str | float | None],
        arrows: tuple[Iterable[int], Iterable[int]] = ((), ()),
    ) -> None:
        """Adds a slice, with the numbers of the arrows that begin at it and of those that end there."""
        begin, end = times_ns
        content = _described(track, _Event.BEGIN, name, category, details)
        content += b"".join(fixed64(_FLOW, arrow) for arrow in arrows[0])
        content += b"".join(fixed64(_LAST_OF_FLOW, arrow) for arrow in arrows[1])
        self._event(begin, content)
        self._event(end, _on(track, _Event.END))

    def add_instant(
        self, track: int, time_ns: int, name: str, category: str, details: Mapping[str, str | float | None]
    ) -> None:
        """Adds an event without duration."""
        self._event(time_ns, _described(track, _Event.INSTANT, name, category, details))

    def add_values(self, track: int, times_ns: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> None:
        """Adds the values that a counter has from times on.

        Times are written with as many bytes each, so that packets are as long and made all at once.
        """
        event = message(_TRACK_EVENT, _on(track, _Event.COUNTER) + double(_VALUE, 0))
        head = self._of_sequence + unsigned(_TIMESTAMP, 0)[:-1]
        packet = message(_TRACE_PACKET, head + bytes(_BYTES_OF_TIME) + event)
        rows = np.tile(np.frombuffer(packet, np.uint8), (len(times_ns), 1))
        sevens = np.arange(_BYTES_OF_TIME)
        times = times_ns[:, np.newaxis] >> 7 * sevens & 0x7F | np.where(sevens < _BYTES_OF_TIME - 1, 0x80, 0)
        rows[:, -len(event) - _BYTES_OF_TIME : -len(event)] = times
        rows[:, -8:] = values.astype("<f8").view(np.uint8).reshape(-1, 8)
        self._bytes += rows.tobytes()

    def _event(self, time_ns: int, content: bytes) -> None:
        self._packet(unsigned(_TIMESTAMP, time_ns) + message(_TRACK_EVENT, content))

    def _packet(self, content: bytes) -> None:
        self._bytes += message(_TRACE_PACKET, self._of_sequence + content)


@lru_cache(1 << 14)
def _on(track: int, kind: _Event) -> bytes:
    return unsigned(_TYPE, kind) + unsigned(_TRACK, track)


def _described(track: int, kind: _Event, name: str, category: str, details: Mapping[str, str | float | None]) -> bytes:
    content = _on(track, kind) + text(_CATEGORY, category) + text(_EVENT_NAME, name)
    return content + b"".join(_annotation(key, value) for key, value in details.items() if value is not None)


@lru_cache(1 << 14, typed=True)  # of few values each
def _annotation(key: str, value: str | float) -> bytes:
    if isinstance(value, str):
        told = text(_STRING, value)
    elif isinstance(value, int):
        told = unsigned(_UNSIGNED, value)
    else:
        told = double(_DOUBLE, value)
    return message(_ANNOTATION, text(_ANNOTATION_NAME, key) + told)
