"""Protocol Buffers on the wire: each field of a message as its number, its type and its value.

See https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import struct

_VARINT, _EIGHT_BYTES, _BYTES = 0, 1, 2
_MORE = 0x80
"""Bit of a byte that another follows."""


def varint(number: int) -> bytes:
    """Returns a whole number, seven bits to a byte, the lowest first.

    >>> varint(150).hex()
    '9601'
    """
    if number < _MORE:
        return bytes((number,))
    found = bytearray()
    while number >= _MORE:
        found.append(number & 0x7F | _MORE)
        number >>= 7
    found.append(number)
    return bytes(found)


def unsigned(field: int, number: int) -> bytes:
    """Returns a field of an unsigned number, an enumeration or a boolean."""
    return varint(field << 3 | _VARINT) + varint(number)


def fixed64(field: int, number: int) -> bytes:
    """Returns a field of an unsigned number that always takes eight bytes."""
    return varint(field << 3 | _EIGHT_BYTES) + struct.pack("<Q", number)


def double(field: int, number: float) -> bytes:
    """Returns a field of a floating-point number."""
    return varint(field << 3 | _EIGHT_BYTES) + struct.pack("<d", number)


def message(field: int, content: bytes) -> bytes:
    """Returns a field of a message inside another, given as its bytes."""
    return varint(field << 3 | _BYTES) + varint(len(content)) + content


def text(field: int, content: str) -> bytes:
    """Returns a field of text."""
    return message(field, content.encode())
