"""Blocks of a pcapng file, as https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng has them, low bytes first."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTION, _INTERFACE, _NAMES, _PACKET = 0x0A0D0D0A, 1, 4, 6
_BYTE_ORDER = 0x1A2B3C4D
_ETHERNET = 1
_NANOSECONDS = 9
_NO_LIMIT = 0
"""Number of bytes of a packet that are captured at most."""
_OF_IPV4 = 1
_COMMENT, _APPLICATION = 1, 4
"""Options of a section; any block may have a comment."""
_NAME, _DESCRIPTION, _SPEED, _RESOLUTION, _CHECK_SEQUENCE = 2, 3, 8, 9, 13
"""Options of an interface."""
_FLAGS = 2
"""Option of a packet."""
_INBOUND, _OUTBOUND = 1, 2
"""Direction of a packet, as its flags have it."""


def section(application: str, comment: str) -> bytes:
    """Returns the block that begins a file."""
    options = _option(_APPLICATION, application.encode()) + _option(_COMMENT, comment.encode())
    return _block(_SECTION, struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1) + options + _option(0, b""))


def interface(name: str, description: str, bits_per_second: int) -> bytes:
    """Returns the block of an Ethernet interface."""
    options = _option(_NAME, name.encode()) + _option(_DESCRIPTION, description.encode())
    options += _option(_SPEED, struct.pack("<Q", bits_per_second)) + _option(_RESOLUTION, bytes([_NANOSECONDS]))
    options += _option(_CHECK_SEQUENCE, bytes([0]))
    return _block(_INTERFACE, struct.pack("<HHI", _ETHERNET, 0, _NO_LIMIT) + options + _option(0, b""))


def names(of_addresses: Mapping[bytes, str]) -> bytes:
    """Returns the block that names IPv4 addresses."""
    records = b"".join(_option(_OF_IPV4, address + name.encode() + b"\0") for address, name in of_addresses.items())
    return _block(_NAMES, records + _option(0, b""))


def packet(interface: int, time_ns: int, frame: bytes, length: int, *, leaves: bool, comment: str = "") -> bytes:
    """Returns the block of a packet that leaves or comes, of whose `length` bytes the first are in `frame`."""
    head = struct.pack("<IIIII", interface, time_ns >> 32, time_ns & 0xFFFFFFFF, len(frame), length)
    told = _option(_COMMENT, comment.encode()) if comment else b""
    return _block(_PACKET, head + _padded(frame) + told + _OF_DIRECTION[leaves])


def _block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)


_OF_DIRECTION = {
    leaves: _option(_FLAGS, struct.pack("<I", _OUTBOUND if leaves else _INBOUND)) + _option(0, b"")
    for leaves in (False, True)
}
