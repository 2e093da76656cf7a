"""Lines and numbers of other tools' files; whatever is wrong in one is an error with file, line and remedy."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.text.line import quoted
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST = 1 << 22
"""Most characters of a line: one with the numbers of half a million switches has as many."""
_HEAD = 1 << 16
"""Characters by which a file is recognised."""
MOST_BYTES = 1 << 48
"""Most bytes of a flow that scenarios take."""
MOST_NS = 10**14
"""Most nanoseconds that scenarios take."""
_MOST_BPS = 10**15


def refusal(path: Path, line: int, problem: str, expected: str) -> InputError:
    """Returns the error for a line of a file."""
    return InputError(str(path), f"line {line}" if line else "", problem, expected)


def head(path: Path) -> list[str]:
    """Returns the first lines of a file, 64 Ki characters at most. Raises InputError for what is no text."""
    lines: list[str] = []
    length = 0
    for _, line in numbered(path):
        lines.append(line.rstrip("\n"))
        length += len(line)
        if length >= _HEAD:
            break
    return lines


def first_bytes(path: Path) -> bytes:
    """Returns the first 64 bytes of a file. Raises InputError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(64)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError | ValueError) -> InputError:
    reason = ((isinstance(error, OSError) and error.strerror) or str(error)).lower()
    return InputError(str(path), "", f"cannot read: {reason}", "expected a file to import")


def numbered(path: Path) -> Iterator[tuple[int, str]]:
    """Yields the lines of a text file with their numbers, one at a time. Raises InputError for what is no text."""
    number = 0
    try:
        with path.open(encoding="utf-8-sig") as text:
            while line := text.readline(_LONGEST):
                number += 1
                if len(line) == _LONGEST:
                    raise refusal(path, number, f"is longer than {_LONGEST:,} characters", "expected a file of lines")
                yield number, line
    except UnicodeDecodeError:
        raise refusal(path, number + 1, "is no text in UTF-8", "expected a text file") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _unreadable(path, error) from None


def whole(path: Path, line: int, name: str, text: str, least: int = 0, most: int = 10**9) -> int:
    """Returns a whole number in a range. Raises InputError."""
    if text.isascii() and text.isdigit() and len(text) < 20 and least <= (number := int(text)) <= most:
        return number
    raise refusal(path, line, f"{name} is {quoted(text)}", f"expected a whole number from {least:,} to {most:,}")


@lru_cache(4096)
def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text) if len(text) < 40 and text.isascii() else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() and abs(number.adjusted()) < 40 else None


def decimal(path: Path, line: int, name: str, text: str, least: float = 0, most: float = 1e18) -> Decimal:
    """Returns a number in a range, exactly as it is written. Raises InputError."""
    number = _decimal(text)
    if number is not None and least <= number <= most:
        return number
    raise refusal(path, line, f"{name} is {quoted(text)}", f"expected a number from {least:,} to {most:,}")


_RATE = re.compile(r"([0-9.eE+]+?)\s*(?:([kKMGT]i?)?(bps|b/s|Bps|B/s))?")
_RATES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_RATES |= {"ki": 1 << 10, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}


@lru_cache(4096)
def rate_bps(text: str) -> int | None:
    """Returns the bits per second of a rate as ns-3 writes it, such as `100Gbps` or `25000000000.0`; None if none.

    >>> rate_bps("50Mb/s"), rate_bps("1GBps"), rate_bps("fast")
    (50000000, 8000000000, None)
    """
    found = _RATE.fullmatch(text)
    number = _decimal(found[1]) if found else None
    if found is None or number is None:
        return None
    bits = int(number * _RATES[found[2] or ""] * (8 if (found[3] or "").startswith("B") else 1))
    return bits if 0 < bits <= _MOST_BPS else None


_TIME = re.compile(r"([0-9.eE+-]+?)(fs|ps|ns|us|ms|s|min)?")
_TIMES = {"fs": "0.001", "ps": "1", "ns": "1e3", "us": "1e6", "ms": "1e9", "s": "1e12", "min": "6e13"}


@lru_cache(4096)
def time_ps(text: str) -> int | None:
    """Returns the picoseconds of a time as ns-3 writes it, a bare number in seconds; None if it is none.

    >>> time_ps("0.001ms"), time_ps("1000ns"), time_ps("soon")
    (1000000, 1000000, None)
    """
    found = _TIME.fullmatch(text)
    number = _decimal(found[1]) if found else None
    if found is None or number is None:
        return None
    time = round(number * Decimal(_TIMES[found[2] or "s"]))
    return time if 0 <= time <= MOST_NS * 1000 else None


def written_rate(bps: int) -> str:
    """Writes bits per second in the largest unit in which they are whole.

    >>> written_rate(100_000_000_000), written_rate(2_500_000_000)
    ('100Gbps', '2500Mbps')
    """
    return _written(bps, (("Tbps", 10**12), ("Gbps", 10**9), ("Mbps", 10**6), ("kbps", 10**3), ("bps", 1)))


def written_time(picoseconds: int) -> str:
    """Writes picoseconds in the largest unit in which they are whole.

    >>> written_time(1_000_000), written_time(1500), written_time(0)
    ('1us', '1500ps', '0s')
    """
    return _written(picoseconds, (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3), ("ps", 1)))


def _written(count: int, units: tuple[tuple[str, int], ...]) -> str:
    name, unit = next((name, unit) for name, unit in units if count % unit == 0)
    return f"{count // unit}{name}"


def counts(hosts: int, switches: int, links: int) -> str:
    """Words for the size of a network.

    >>> counts(2, 1, 2)
    '2 hosts, 1 switch, 2 links'
    """
    told = f"{switches:,} switch{'es' * (switches != 1)}"
    return f"{counted(hosts, 'host')}, {told}, {counted(links, 'link')}"
