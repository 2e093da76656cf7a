"""Numbers with units, formatted for people."""

from __future__ import annotations

TIMES = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
RATES = {"bps": 1, "kbps": 10**3, "Mbps": 10**6, "Gbps": 10**9, "Tbps": 10**12}
SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def duration(microseconds: float | None) -> str:
    """Formats a time in us, ms or s with three digits or more; None as `-`.

    >>> duration(1500)
    '1.50 ms'
    """
    if microseconds is None:
        return "-"
    for limit, scale, unit in ((1e3, 1, "us"), (1e6, 1e3, "ms")):
        if microseconds < limit:
            return f"{microseconds / scale:,.{_decimals(microseconds / scale)}f} {unit}"
    return f"{microseconds / 1e6:,.2f} s"


def counted(count: int, noun: str) -> str:
    """Formats a count with its noun.

    >>> counted(1, "packet"), counted(1234, "packet")
    ('1 packet', '1,234 packets')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def size(count: float) -> str:
    """Formats a number of bytes in binary units if only these are round, else in decimal ones.

    >>> size(65536), size(64000)
    ('64 KiB', '64 kB')
    """
    for scale, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= scale and count % scale == 0 and count % 1000:
            return f"{int(count // scale)} {unit}"
    return decimal_size(count)


def decimal_size(count: float) -> str:
    """Formats a measured number of bytes in decimal units."""
    return quantity(count, ("B", "kB", "MB", "GB", "TB"))


def bytes_of(text: str) -> float:
    """Parses a size as scenarios write it into bytes.

    >>> bytes_of("60kB"), bytes_of("3MiB")
    (60000.0, 3145728.0)
    """
    number = text.rstrip("BKkMGTi")
    return float(number) * SIZES[text[len(number) :]]


def percent(share: float) -> str:
    """Formats a share of one in percent, with digits enough that only zero reads as zero."""
    if share == 0:
        return "0 %"
    return f"{share * 100:.2g} %" if share < 0.995 else f"{share * 100:,.0f} %"


def quantity(value: float, units: tuple[str, ...]) -> str:
    """Formats a number in the first of `units` that leaves it below 1000; each unit is 1000 of the one before."""
    index = 0
    while abs(value) >= 1000 and index < len(units) - 1:
        value /= 1000
        index += 1
    told = f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{told} {units[index]}".rstrip()


def _decimals(value: float) -> int:
    return 2 if value < 10 else 1
