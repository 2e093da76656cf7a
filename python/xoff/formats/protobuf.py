"""Protocol Buffers on the wire: each field of a message as its number, its type and its value.

See https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
MORE = 0x80
"""Bit of a byte that another follows."""


def varint(number: int) -> bytes:
    """Returns a whole number, seven bits to a byte, the lowest first.

    >>> varint(150).hex()
    '9601'
    """
    if number < MORE:
        return bytes((number,))
    found = bytearray()
    while number >= MORE:
        found.append(number & 0x7F | MORE)
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


class MalformedError(ValueError):
    """Bytes are no messages."""

    def __init__(self, at: int) -> None:
        super().__init__(f"byte {at:,} is no field of a message")


def number_at(data: bytes, at: int) -> tuple[int, int]:
    """Returns the whole number that begins at a byte, and where the next one would. Raises MalformedError.

    >>> number_at(bytes.fromhex("9601"), 0)
    (150, 2)
    """
    number = shift = 0
    begin = at
    while shift < 70 and at < len(data):
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < MORE:
            return number, at
        shift += 7
    raise MalformedError(begin)


def delimited(data: bytes) -> Iterator[tuple[int, int]]:
    r"""Yields where messages begin and end that each stand after their length. Raises MalformedError.

    >>> [*delimited(b"\x01a\x02bc")]
    [(1, 2), (3, 5)]
    """
    at = 0
    while at < len(data):
        length, begin = number_at(data, at)
        at = begin + length
        if at > len(data):
            raise MalformedError(begin)
        yield begin, at


def fields(data: bytes, begin: int, end: int) -> Iterator[tuple[int, int | tuple[int, int]]]:
    """Yields the fields of a message: the number of each, and a whole number or where its bytes begin and end.

    >>> [*fields(unsigned(3, 150) + text(5, "name"), 0, 9)]
    [(3, 150), (5, (5, 9))]

    Raises:
        MalformedError: The bytes are no message.
    """
    at = begin
    while at < end:
        key = data[at]
        at += 1
        if key >= MORE:
            key, at = number_at(data, at - 1)
        kind = key & 7
        if kind in (_VARINT, _BYTES):
            value = data[at] if at < end else MORE
            if value < MORE:
                at += 1
            else:
                value, at = number_at(data, at)
            if kind == _VARINT:
                yield key >> 3, value
                continue
            begins, at = at, at + value
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            begins, at = at, at + (8 if kind == _EIGHT_BYTES else 4)
        else:
            raise MalformedError(at)
        if at > end:
            raise MalformedError(begins)
        yield key >> 3, (begins, at)
