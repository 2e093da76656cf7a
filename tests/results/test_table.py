"""Numbers of summaries in words."""

from __future__ import annotations

import pytest

from xoff.results import table


def test_what_was_measured_is_in_decimal_units_and_what_was_set_as_it_is_round() -> None:
    assert [table.measured("queue_max_bytes", count) for count in (50_690, 104_448)] == ["50.69 kB", "104.4 kB"]
    assert table.class_labels([102_400, 10 << 20])["small"] == "small, below 100 KiB"


@pytest.mark.parametrize(
    ("dropped", "expected"),
    [(0, ""), (1, "1 acknowledgement dropped"), (12_643, "12,643 acknowledgements dropped")],
)
def test_acknowledgements_are_told_of_where_some_were_dropped(dropped: int, expected: str) -> None:
    assert table.others_dropped({"packets": {"acknowledgements_dropped": dropped}}) == expected


def test_headers_of_trimmed_packets_are_told_of_where_some_were_dropped() -> None:
    packets = {"acknowledgements_dropped": 1, "trimmed_dropped": 10_970}
    assert table.others_dropped({"packets": packets}) == "1 acknowledgement dropped, 10,970 trimmed headers dropped"
