"""Numbers with units, as people read them."""

import pytest

from xoff.text import units


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (None, "-"),
        (0, "0.00 us"),
        (9.876, "9.88 us"),
        (48.64, "48.6 us"),
        (1640, "1.64 ms"),
        (22_900, "22.9 ms"),
        (3.2e6, "3.20 s"),
    ],
)
def test_durations(microseconds: float | None, text: str) -> None:
    assert units.duration(microseconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (102_400, "100 KiB"),
        (10 << 20, "10 MiB"),
        (720_000, "720 kB"),
        (128_000, "128 kB"),
        (3_456_789, "3.457 MB"),
    ],
)
def test_sizes(count: int, text: str) -> None:
    assert units.size(count) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (766.857, "766.9 B"), (102_400, "102.4 kB"), (660 << 10, "675.8 kB")]
)
def test_sizes_that_were_measured_are_decimal(count: float, text: str) -> None:
    assert units.decimal_size(count) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (2.5, "2.5"), (500, "500"), (5000, "5,000"), (9999.6, "10,000"), (15_000, "15,000")]
)
def test_numbers_are_written_one_way(count: float, text: str) -> None:
    assert units.quantity(count, ("",)) == text


@pytest.mark.parametrize(("share", "text"), [(0, "0 %"), (1e-9, "1e-07 %"), (0.0054, "0.54 %"), (0.25, "25 %")])
def test_shares(share: float, text: str) -> None:
    assert units.percent(share) == text


@pytest.mark.parametrize(("text", "count"), [("64B", 64), ("1.5kB", 1500), ("3MiB", 3 << 20)])
def test_sizes_are_read(text: str, count: int) -> None:
    assert units.bytes_of(text) == count
