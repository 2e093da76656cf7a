"""Numbers with units, as people read them."""

from __future__ import annotations

TIMES = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
RATES = {"bps": 1, "kbps": 10**3, "Mbps": 10**6, "Gbps": 10**9, "Tbps": 10**12}
SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def duration(microseconds: float | None) -> str:
    """A time in the unit that reads best, three digits or more."""
    if microseconds is None:
        return "-"
    for limit, scale, unit in ((1e3, 1, "us"), (1e6, 1e3, "ms")):
        if microseconds < limit:
            return f"{microseconds / scale:,.{_decimals(microseconds / scale)}f} {unit}"
    return f"{microseconds / 1e6:,.2f} s"


def counted(count: int, noun: str) -> str:
    """So many of something, one or several: `1 packet`, `1,234 packets`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def size(count: float) -> str:
    """A number of bytes, binary where that is round and decimal is not, else decimal."""
    for scale, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= scale and count % scale == 0 and count % 1000:
            return f"{int(count // scale)} {unit}"
    return decimal_size(count)


def decimal_size(count: float) -> str:
    """A number of bytes that was measured, of which none is round."""
    return quantity(count, ("B", "kB", "MB", "GB"))


def bytes_of(text: str) -> float:
    """The bytes of a size as scenarios write it, `60kB` or `3MiB`."""
    number = text.rstrip("BKkMGTi")
    return float(number) * SIZES[text[len(number) :]]


def percent(share: float) -> str:
    """A share of one in percent; a share that is not zero never reads as zero."""
    if share == 0:
        return "0 %"
    return f"{share * 100:.2g} %" if share < 0.995 else f"{share * 100:,.0f} %"


def quantity(value: float, units: tuple[str, ...]) -> str:
    """A number with the one of the units, each a thousand of the one before, that leaves it below a thousand."""
    index = 0
    while abs(value) >= 1000 and index < len(units) - 1:
        value /= 1000
        index += 1
    told = f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{told} {units[index]}".rstrip()


def _decimals(value: float) -> int:
    return 2 if value < 10 else 1
